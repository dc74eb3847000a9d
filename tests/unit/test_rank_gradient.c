/* Tests the gradient of the ranking loss. The reference is the formula of rank.h in double,
 * differentiated numerically. */
#include "testing.h"

#include "embed/vec.h"
#include "learn/rank.h"
#include "learn/rank_batch.h"
#include "learn/rank_kernel.h"

static film_error error;

#include "random_csr.h"

/* ---- The loss in double ---- */

struct reference {
    const struct csr *x;
    const uint32_t *rows, *cluster;
    size_t pairs, hard, opposed, dim;
    double *map, *log_gain; /* features x dim, features */
    double temperature, decision, border;
};

static double reference_loss(const struct reference *r)
{
    size_t rows = 2 * (r->pairs + r->opposed) + r->hard, d = r->dim;
    double y[64][16] = {{0}}, loss = 0.0;
    for (size_t i = 0; i < rows; i++) {
        double square = 0.0;
        for (size_t k = r->x->start[r->rows[i]]; k < r->x->start[r->rows[i] + 1]; k++)
            for (size_t c = 0; c < d; c++)
                y[i][c] +=
                    r->x->val[k] * exp(r->log_gain[r->x->col[k]]) * r->map[r->x->col[k] * d + c];
        for (size_t c = 0; c < d; c++) square += y[i][c] * y[i][c];
        for (size_t c = 0; c < d && square > 0; c++) y[i][c] /= sqrt(square);
    }
    for (size_t i = 0; i < r->pairs; i++) {
        double forth = 0.0, back = 0.0, own = 0.0;
        for (size_t j = 0; j < r->pairs + r->hard; j++) {
            double cosine = 0.0;
            for (size_t c = 0; c < d; c++) cosine += y[i][c] * y[r->pairs + j][c];
            if (j == i) own = cosine;
            if (j == i || r->cluster[r->rows[i]] != r->cluster[r->rows[r->pairs + j]])
                forth += exp(r->temperature * cosine);
        }
        for (size_t j = 0; j < r->pairs; j++) {
            double cosine = 0.0;
            for (size_t c = 0; c < d; c++) cosine += y[j][c] * y[r->pairs + i][c];
            if (j == i || r->cluster[r->rows[j]] != r->cluster[r->rows[r->pairs + i]])
                back += exp(r->temperature * cosine);
        }
        loss += 0.5 * (log(forth) + log(back)) - r->temperature * own;
    }
    loss /= (double)r->pairs;
    for (size_t i = 0; i < r->pairs + r->opposed; i++) { /* the decision term */
        size_t u = i < r->pairs ? i : 2 * i + r->hard, v = i < r->pairs ? r->pairs + i : u + 1;
        double cosine = 0.0, sign = i < r->pairs ? 1.0 : -1.0;
        for (size_t c = 0; c < d; c++) cosine += y[u][c] * y[v][c];
        loss += r->decision * log(1.0 + exp(-sign * r->temperature * (cosine - r->border))) /
                (double)(i < r->pairs ? r->pairs : r->opposed);
    }
    return loss;
}

/* The derivative of the loss with respect to one of its parameters, by central differences. */
static double slope(const struct reference *r, double *at)
{
    double was = *at, up, down;
    *at = was + 1e-5;
    up = reference_loss(r);
    *at = was - 1e-5;
    down = reference_loss(r);
    *at = was;
    return (up - down) / 2e-5;
}

static void the_gradient_is_that_of_the_loss(void **state)
{
    (void)state;
    enum { PAIRS = 5, HARD = 3, OPPOSED = 2, FEATURES = 12, DIM = 7 };
    struct csr x = random_matrix(20, FEATURES, 4, 3);
    uint32_t numbers[] = {0, 1, 2, 3, 0, 10, 11, 12, 13, 14, 15, 11, 16, 4, 17, 2, 18};
    uint32_t cluster[20];
    struct rank_rows rows = {numbers, PAIRS, HARD, OPPOSED, cluster};
    for (uint32_t i = 0; i < 20; i++) cluster[i] = i % 10;
    cluster[14] = 0; /* 0, 10 and 14 are one cluster, 1 and the hard 11 another */
    for (size_t k = x.start[2]; k < x.start[3]; k++) x.val[k] = 0.0f; /* sentence 2 is empty */
    struct rank_map map;
    struct rank_batch batch;
    struct rank_step step = {.temperature = 6.0, .decision = 0.7, .border = 0.4, .threads = 1};
    struct rank_loss loss;
    double tables[FEATURES * DIM + FEATURES];
    float gradient[FEATURES * DIM], gain[FEATURES];
    struct rank_start start = {.features = FEATURES, .dim = DIM, .seed = 5, .threads = 1};
    assert_ok(rank_map_init(&map, &start, &error));
    assert_ok(rank_batch_init(&batch, PAIRS, HARD, OPPOSED, &map, &error));
    struct reference r = {
        &x,  numbers, cluster, PAIRS, HARD, OPPOSED, DIM, tables, tables + FEATURES * DIM,
        6.0, 0.7,     0.4};
    for (size_t f = 0; f < FEATURES; f++) {
        map.log_gain[f] = 0.3f * (float)((int)(f % 3) - 1);
        map.gain[f] = expf(map.log_gain[f]);
        r.log_gain[f] = map.log_gain[f];
        for (size_t c = 0; c < DIM; c++) {
            map.rows[f * DIM + c] += 0.1f * (float)((f * 7 + c * 5) % 11);
            r.map[f * DIM + c] = map.rows[f * DIM + c];
        }
    }
    assert_ok(rank_batch_gradient(&batch, &map, &x, &rows, &step, &loss, &error));
    assert_close(loss.value, reference_loss(&r), 1e-5);
    rank_batch_read(&batch, &map, gradient, gain);
    assert_true(batch.touched_count >= FEATURES - 2);
    for (size_t i = 0; i < batch.touched_count; i++) {
        size_t f = batch.touched[i];
        for (size_t c = 0; c <= DIM; c++) /* the last one is the term weight */
            assert_close(c < DIM ? gradient[i * DIM + c] : gain[i],
                         slope(&r, c < DIM ? &r.map[f * DIM + c] : &r.log_gain[f]), 2e-5);
    }
    assert_close(loss.by_border, slope(&r, &r.border), 2e-5);
    double squares = 0; /* the step returns the norm of its gradient */
    for (size_t i = 0; i < batch.touched_count; i++) {
        squares += (double)gain[i] * gain[i];
        for (size_t c = 0; c < DIM; c++)
            squares += (double)gradient[i * DIM + c] * gradient[i * DIM + c];
    }
    assert_close(rank_batch_update(&batch, &map, &step), sqrt(squares), 1e-6);
    rank_batch_free(&batch);
    rank_map_free(&map);
    csr_free(&x);
}

static void the_exponential_is_close(void **state)
{
    (void)state;
    for (double x = -80.0; x <= 80.0; x += 0.037)
        assert_close(rank_exp((float)x) / exp((double)(float)x), 1.0, 4e-7);
}

static void rows_are_summed_whatever_their_width(void **state)
{
    (void)state;
    float base[5 * 150], value[] = {0.5f, -2.0f, 3.0f, 0.25f}, out[150];
    uint32_t index[] = {4, 0, 4, 2};
    for (size_t i = 0; i < 5 * 150; i++) base[i] = (float)(i % 37) - 10.0f;
    for (size_t width = 1; width <= 150; width++) {
        rank_gather(base, 150, index, value, 4, width, out);
        for (size_t c = 0; c < width; c++) {
            double sum = 0.0;
            for (size_t k = 0; k < 4; k++) sum += (double)value[k] * base[index[k] * 150 + c];
            assert_close(out[c], sum, 1e-4);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exponential_is_close),
        cmocka_unit_test(rows_are_summed_whatever_their_width),
        cmocka_unit_test(the_gradient_is_that_of_the_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
