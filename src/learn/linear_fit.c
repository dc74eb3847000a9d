/* Ridge-penalised logistic regression by Newton's method. Blocks of rows give the Hessian by matrix
 * products; each step solves one small system. It does not choose traits or ridge
 * (out_of_fold.c). */
#include "learn/linear_fit.h"
#include "base/mem.h"
#include "la/blas.h"
#include "la/dense.h"
#include "pair/calibrate.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 1024, ROUNDS = 12, ROUNDS_BESIDE = 40 };
/* Traits are clipped to this number of standard deviations on either side of the mean. */
#define SPREAD 4

struct fit {
    const struct linear_data *data;
    size_t used;  /* number of traits */
    size_t width; /* traits, columns beside them, and the bias */
    size_t *trait;
    double *mean, *deviation; /* by trait */
    double *weight;           /* width, of standardised traits; the bias last */
    double *before;           /* width, of the last round */
    double *gradient, *bend;  /* width; the Hessian, width^2 */
    float *block, *scaled;    /* BLOCK x width */
    double loss;
    int threads;
};

/* Means and standard deviations. */
static void measure_traits(struct fit *fit, float *low, float *high)
{
    const struct linear_data *data = fit->data;
    double rows = (double)data->rows, *mean = fit->mean, *squares = fit->deviation;
    for (size_t t = 0; t < data->count; t++) {
        mean[t] = 0;
        for (size_t i = 0; i < data->rows; i++) mean[t] += (double)data->x[i * data->count + t];
        mean[t] /= rows;
        squares[t] = 0;
        for (size_t i = 0; i < data->rows; i++) {
            double off = (double)data->x[i * data->count + t] - mean[t];
            squares[t] += off * off;
        }
        fit->deviation[t] = sqrt(squares[t] / rows);
        low[t] = (float)(mean[t] - SPREAD * fit->deviation[t]);
        high[t] = (float)(mean[t] + SPREAD * fit->deviation[t]);
    }
}

/* The standardised traits of one row, the columns beside them, and a 1 for the bias. */
static void load_row(const struct fit *fit, size_t row, float *out)
{
    const struct linear_beside *beside = fit->data->beside;
    const struct linear *clip = beside ? beside->clip : NULL;
    const float *x = fit->data->x + row * fit->data->count;
    for (size_t k = 0; k < fit->used; k++) {
        size_t t = fit->trait[k];
        int own = clip && clip->weight[t] != 0;
        double value = (double)(own ? fminf(fmaxf(x[t], clip->low[t]), clip->high[t]) : x[t]);
        value = (value - fit->mean[t]) / fit->deviation[t];
        out[k] = (float)(own ? value : fmin(fmax(value, -SPREAD), SPREAD));
    }
    for (size_t c = 0; beside && c < beside->count; c++)
        out[fit->used + c] = beside->columns[row * beside->count + c];
    out[fit->width - 1] = 1.0f;
}

/* Adds the penalties to loss, gradient and Hessian. */
static void penalise(struct fit *fit, double ridge)
{
    const struct linear_beside *beside = fit->data->beside;
    for (size_t k = 0; k < fit->width; k++) {
        double each = k < fit->used        ? ridge
                      : k + 1 < fit->width ? beside->ridge
                      : beside             ? beside->bias_ridge
                                           : 0; /* the bias */
        fit->loss += 0.5 * each * fit->weight[k] * fit->weight[k];
        fit->gradient[k] += each * fit->weight[k];
        fit->bend[k * fit->width + k] += each;
    }
    fit->bend[fit->width * fit->width - 1] += 1e-9;
}

/* Gradient and Hessian of the loss, block by block. */
static void differentiate(struct fit *fit, double ridge)
{
    const struct linear_data *data = fit->data;
    size_t width = fit->width;
    const float *offset = data->beside ? data->beside->offset : NULL;
    fit->loss = 0;
    memset(fit->bend, 0, width * width * sizeof *fit->bend);
    memset(fit->gradient, 0, width * sizeof *fit->gradient);
    for (size_t first = 0; first < data->rows; first += BLOCK) {
        size_t here = data->rows - first < BLOCK ? data->rows - first : BLOCK;
        for (size_t i = 0; i < here; i++) {
            float *row = fit->block + i * width, *scaled = fit->scaled + i * width;
            double sum = offset ? (double)offset[first + i] : 0;
            load_row(fit, first + i, row);
            for (size_t k = 0; k < width; k++) sum += fit->weight[k] * (double)row[k];
            double p = calibrate_probability(sum), weight = (double)data->weight[first + i];
            double target = (double)data->target[first + i], slope = weight * (p - target);
            fit->loss += weight * (log1p(exp(-fabs(sum))) + fmax(0, sum) - sum * target);
            float bend = (float)(weight * p * (1 - p));
            for (size_t k = 0; k < width; k++) {
                fit->gradient[k] += slope * (double)row[k];
                scaled[k] = bend * row[k];
            }
        }
        dense_add_products(width, width, here, fit->block, fit->scaled, fit->bend, fit->threads);
    }
    penalise(fit, ridge);
}

/* Newton steps with a limit on their length. A step that was too long is halved. */
static film_status newton_steps(struct fit *fit, double ridge, film_error *error)
{
    film_status status = FILM_OK;
    lapack_int width = (lapack_int)fit->width;
    int rounds = fit->data->beside ? ROUNDS_BESIDE : ROUNDS;
    blas_begin();
    double least = INFINITY;
    for (int round = 0; round < rounds; round++) {
        double size = 0;
        differentiate(fit, ridge);
        if (fit->data->beside && fit->loss > least + 1e-9) {
            for (size_t k = 0; k < fit->width; k++)
                fit->weight[k] = 0.5 * (fit->weight[k] + fit->before[k]);
            continue;
        }
        least = fit->loss;
        memcpy(fit->before, fit->weight, fit->width * sizeof *fit->weight);
        if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', width, 1, fit->bend, width, fit->gradient, 1))
            TRY(status_set(error, FILM_BAD_INPUT,
                           "decision: the linear fit of the traits failed; add training pairs"));
        for (lapack_int k = 0; k < width; k++) size = fmax(size, fabs(fit->gradient[k]));
        double damp = size > 5 ? 5 / size : 1;
        for (lapack_int k = 0; k < width; k++) fit->weight[k] -= damp * fit->gradient[k];
        if (size < 1e-6) break;
    }
done:
    blas_end();
    return status;
}

static film_status prepare_linear_fit(struct fit *fit, const struct linear_data *data,
                                      const unsigned char *use, struct linear *linear,
                                      film_error *error)
{
    film_status status = FILM_OK;
    size_t count = data->count;
    TRY_ALLOC((fit->trait = mem_array(count, sizeof *fit->trait)) &&
                  (fit->mean = mem_array(count, sizeof *fit->mean)) &&
                  (fit->deviation = mem_array(count, sizeof *fit->deviation)) &&
                  (linear->own = mem_zeroed(LINEAR_ROWS * count, sizeof(float))),
              error);
    measure_traits(fit, linear->own + 2 * count, linear->own + 3 * count);
    for (size_t t = 0; t < count; t++) {
        linear->own[count + t] = (float)fit->mean[t];
        if (use[t] && fit->deviation[t] > 1e-6 * (1 + fabs(fit->mean[t])))
            fit->trait[fit->used++] = t;
    }
    size_t width = fit->width = fit->used + (data->beside ? data->beside->count : 0) + 1;
    TRY_ALLOC((fit->weight = mem_zeroed(width, sizeof *fit->weight)) &&
                  (fit->before = mem_array(width, sizeof *fit->before)) &&
                  (fit->gradient = mem_array(width, sizeof *fit->gradient)) &&
                  (fit->bend = mem_array(width * width, sizeof *fit->bend)) &&
                  (fit->block = mem_array(BLOCK * width, sizeof *fit->block)) &&
                  (fit->scaled = mem_array(BLOCK * width, sizeof *fit->scaled)),
              error);
done:
    return status;
}

film_status linear_fit(struct linear *linear, const struct linear_data *data,
                       const unsigned char *use, double ridge, int threads, film_error *error)
{
    film_status status = FILM_OK;
    struct fit fit = {.data = data, .threads = threads};
    memset(linear, 0, sizeof *linear);
    TRY(prepare_linear_fit(&fit, data, use, linear, error));
    TRY(newton_steps(&fit, ridge, error));
    for (size_t k = 0; k < fit.used; k++)
        linear->own[fit.trait[k]] = (float)(fit.weight[k] / fit.deviation[fit.trait[k]]);
    linear_map(linear, linear->own, data->count);
    linear->bias = fit.weight[fit.width - 1];
    for (size_t c = 0; data->beside && c < data->beside->count; c++)
        data->beside->weight[c] = fit.weight[fit.used + c];
done:
    mem_free(fit.trait);
    mem_free(fit.mean);
    mem_free(fit.deviation);
    mem_free(fit.weight);
    mem_free(fit.before);
    mem_free(fit.gradient);
    mem_free(fit.bend);
    mem_free(fit.block);
    mem_free(fit.scaled);
    if (status != FILM_OK) linear_free(linear);
    return status;
}
