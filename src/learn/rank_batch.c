/* Loss and gradient of one batch: softmax over in-batch candidates, and a logistic decision term
 * with a learned border. The step is row-wise AdaGrad (Duchi et al. 2011). rank_draw.c draws the
 * batches. */
#include "learn/rank_batch.h"
#include "base/mem.h"
#include "base/rng.h"
#include "embed/vec.h"
#include "learn/packed_rows.h"
#include "learn/rank_kernel.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* Rows of a matrix product per thread at a time. */
enum { TILE = 128 };

/* ---- Allocation ---- */

film_status rank_batch_init(struct rank_batch *batch, size_t pairs, size_t hard, size_t opposed,
                            const struct rank_map *map, film_error *error)
{
    film_status status = FILM_OK;
    size_t rows = 2 * (pairs + opposed) + hard, d = map->dim;
    size_t tiles = (pairs + TILE - 1) / TILE;
    *batch = (struct rank_batch){.dim = d};
    TRY_ALLOC(batch->row_start = mem_zeroed(rows + 1, sizeof *batch->row_start), error);
    TRY_ALLOC(batch->y = mem_aligned(rows * d, sizeof *batch->y), error);
    TRY_ALLOC(batch->dy = mem_aligned(rows * d, sizeof *batch->dy), error);
    TRY_ALLOC(batch->s = mem_aligned(pairs * (pairs + hard), sizeof *batch->s), error);
    TRY_ALLOC(batch->length = mem_array(rows, sizeof *batch->length), error);
    TRY_ALLOC(batch->sums = mem_array(tiles * pairs, sizeof *batch->sums), error);
    TRY_ALLOC(batch->row_sum = mem_array(pairs, sizeof *batch->row_sum), error);
    TRY_ALLOC(batch->losses = mem_array(pairs + opposed, sizeof *batch->losses), error);
    TRY_ALLOC(batch->slopes = mem_array(pairs + opposed, sizeof *batch->slopes), error);
    TRY_ALLOC(batch->cluster = mem_array(pairs + hard, sizeof *batch->cluster), error);
    TRY_ALLOC(batch->local = mem_array(map->features, sizeof *batch->local), error);
    memset(batch->local, 0xff, map->features * sizeof *batch->local);
done:
    if (status != FILM_OK) rank_batch_free(batch);
    return status;
}

void rank_batch_free(struct rank_batch *batch)
{
    mem_free(batch->row_start);
    mem_free(batch->col);
    mem_free(batch->val);
    mem_free_aligned(batch->y);
    mem_free_aligned(batch->dy);
    mem_free_aligned(batch->s);
    mem_free(batch->length);
    mem_free(batch->sums);
    mem_free(batch->row_sum);
    mem_free(batch->losses);
    mem_free(batch->slopes);
    mem_free(batch->cluster);
    mem_free(batch->local);
    mem_free(batch->touched);
    mem_free(batch->start);
    mem_free(batch->entry_row);
    mem_free(batch->entry_val);
    mem_free(batch->gradient);
    mem_free(batch->by_feature);
    memset(batch, 0, sizeof *batch);
}

/* ---- The rows ---- */

static void take_batch_rows(struct rank_batch *b, const struct rank_rows *rows)
{
    b->pairs = rows->pairs;
    b->hard = rows->hard;
    b->opposed = rows->opposed;
    for (size_t j = 0; j < b->pairs + b->hard; j++)
        b->cluster[j] = rows->cluster[rows->row[b->pairs + j]];
}

/* Reads row I of the batch, row ROW of X. Dropout sets a random share of its entries to 0. */
static void read_row(struct rank_batch *b, const struct csr *x, size_t i, size_t row,
                     const struct rank_step *step)
{
    size_t to = b->row_start[i], count = b->row_start[i + 1] - to, from = x->start[row];
    struct rng rng;
    if (x->packed) {
        packed_rows_read(x->packed, row, count, b->col + to, b->val + to);
    } else {
        memcpy(b->col + to, x->col + from, count * sizeof *b->col);
        memcpy(b->val + to, x->val + from, count * sizeof *b->val);
    }
    if (step->dropout <= 0.0) return;
    rng_seed_part(&rng, step->seed, i);
    for (size_t k = to; k < to + count; k++)
        if (rng_uniform(&rng) < step->dropout) b->val[k] = 0.0f;
}

static film_status reserve_entries(struct rank_batch *b, size_t entries, film_error *error)
{
    /* A batch cannot touch more features than it has entries. */
    if (mem_grow((void **)&b->col, &b->col_room, entries, sizeof *b->col) &&
        mem_grow((void **)&b->val, &b->val_room, entries, sizeof *b->val) &&
        mem_grow((void **)&b->touched, &b->touched_room, entries, sizeof *b->touched) &&
        mem_grow((void **)&b->start, &b->start_room, entries + 2, sizeof *b->start) &&
        mem_grow((void **)&b->entry_row, &b->entry_row_room, entries, sizeof *b->entry_row) &&
        mem_grow((void **)&b->entry_val, &b->entry_val_room, entries, sizeof *b->entry_val))
        return FILM_OK;
    return status_no_memory(error);
}

static film_status read_rows(struct rank_batch *b, const struct csr *x, const uint32_t *rows,
                             size_t count, const struct rank_step *step, film_error *error)
{
    for (size_t i = 0; i < count; i++)
        b->row_start[i + 1] = b->row_start[i] + x->start[rows[i] + 1] - x->start[rows[i]];
    film_status status = reserve_entries(b, b->row_start[count], error);
    if (status != FILM_OK) return status;
#pragma omp parallel for schedule(static) num_threads(step->threads)
    for (size_t i = 0; i < count; i++) read_row(b, x, i, rows[i], step);
    return FILM_OK;
}

/* ---- Forward ---- */

/* y = the vectors of all rows, with length 1. */
static void embed_rows(struct rank_batch *b, const struct rank_map *map, size_t count, int threads)
{
#pragma omp parallel for schedule(dynamic, 32) num_threads(threads)
    for (size_t i = 0; i < count; i++) {
        size_t start = b->row_start[i];
        float *y = b->y + i * b->dim;
        rank_map_project(map, b->col + start, b->val + start, b->row_start[i + 1] - start, y);
        b->length[i] = (float)vec_normalise(y, b->dim);
    }
}

/* s = exp(t (cos - 1)) by tiles of a, with the sums of every row, and of every column inside the
 * tile. The mask of the cluster also removes the pair's own partner, which is restored. */
static void exponentiate_rows(struct rank_batch *b, const struct rank_rows *rows,
                              const struct rank_step *step)
{
    size_t d = b->dim, m = b->pairs + b->hard, tiles = (b->pairs + TILE - 1) / TILE;
    const float *candidates = b->y + b->pairs * d;
    float t = (float)step->temperature;
#pragma omp parallel for schedule(dynamic) num_threads(step->threads)
    for (size_t tile = 0; tile < tiles; tile++) {
        size_t first = tile * TILE, end = first + TILE < b->pairs ? first + TILE : b->pairs;
        float *sums = b->sums + tile * b->pairs, *s = b->s + first * m;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(end - first), (int)m, (int)d,
                    1.0f, b->y + first * d, (int)d, candidates, (int)d, 0.0f, s, (int)m);
        memset(sums, 0, b->pairs * sizeof *sums);
        for (size_t i = first; i < end; i++) {
            float *row = s + (i - first) * m, own = rank_exp(t * (row[i] - 1.0f));
            float sum = rank_exponentials(row, m, t, b->cluster, rows->cluster[rows->row[i]], sums,
                                          b->pairs);
            row[i] = own;
            sums[i] += own;
            b->row_sum[i] = sum + own;
        }
    }
    for (size_t tile = 1; tile < tiles; tile++)
        vec_add_scaled(b->sums, 1.0f, b->sums + tile * b->pairs, b->pairs);
}

/* Turns the exponentials into the gradient of the cosines; returns the sum of the pairs' losses.
 *     dloss/dcos_ij = t / 2B (e_ij / row_i + e_ij / column_j - 2 [i = j])
 * A hard j has no column sum. */
static double probabilities(struct rank_batch *b, const struct rank_step *step)
{
    size_t m = b->pairs + b->hard;
    float factor = (float)(step->temperature / (2.0 * (double)b->pairs));
    double loss = 0.0;
    for (size_t j = 0; j < b->pairs; j++) b->sums[j] = 1.0f / b->sums[j];
#pragma omp parallel for schedule(static) num_threads(step->threads)
    for (size_t i = 0; i < b->pairs; i++) {
        float *row = b->s + i * m;
        double own = (double)row[i];
        b->losses[i] = -0.5 * (log(own / (double)b->row_sum[i]) + log(own * (double)b->sums[i]));
        rank_probabilities(row, m, b->pairs, factor, b->row_sum[i], b->sums);
        row[i] -= 2.0f * factor;
    }
    for (size_t i = 0; i < b->pairs; i++) loss += b->losses[i];
    return loss;
}

/* ---- The decision term ---- */

/* Backward through y = z / |z|:  dz = (dy - y (y . dy)) / |z|; an empty row stays 0. */
static void through_length(struct rank_batch *b, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        float *dy = b->dy + i * b->dim;
        const float *y = b->y + i * b->dim;
        double along = vec_dot(y, dy, b->dim);
        vec_add_scaled(dy, (float)-along, y, b->dim);
        vec_scale(dy, b->length[i] > 0.0f ? 1.0f / b->length[i] : 0.0f, b->dim);
    }
}

/* The decision term of pair I, positive or (after them) opposed: stores its value and slope in the
 * batch and returns the gradient of the cosine. */
static float decision_gradient(struct rank_batch *b, size_t i, const struct rank_step *step)
{
    int positive = i < b->pairs;
    size_t u = positive ? i : 2 * b->pairs + b->hard + 2 * (i - b->pairs);
    size_t v = positive ? b->pairs + i : u + 1, kind = positive ? b->pairs : b->opposed;
    double t = step->temperature, cosine = vec_dot(b->y + u * b->dim, b->y + v * b->dim, b->dim);
    double wrong = (positive ? -t : t) * (cosine - step->border); /* distance on the wrong side */
    b->losses[i] = (wrong > 0 ? wrong : 0.0) + log1p(exp(-fabs(wrong)));
    b->slopes[i] = 1.0 / (1.0 + exp(-wrong));
    return (float)((positive ? -t : t) * step->decision * b->slopes[i] / (double)kind);
}

/* Sums over pairs of one kind, positive (0) or opposed (1). */
struct verdict_sums {
    double loss[2], slope[2];
};

/* Adds the gradient of the decision term: for positive pairs to the diagonal of b->s, for opposed
 * pairs directly to dy. */
static void decisions(struct rank_batch *b, const struct rank_step *step, struct verdict_sums *sums)
{
    size_t m = b->pairs + b->hard, d = b->dim, first = 2 * b->pairs + b->hard;
    size_t count = b->pairs + b->opposed;
#pragma omp parallel for schedule(static) num_threads(step->threads)
    for (size_t i = 0; i < count; i++) {
        float by_cosine = decision_gradient(b, i, step);
        if (i < b->pairs) {
            b->s[i * m + i] += by_cosine;
            continue;
        }
        size_t u = first + 2 * (i - b->pairs);
        for (size_t side = 0; side < 2; side++) {
            memcpy(b->dy + (u + side) * d, b->y + (u + 1 - side) * d, d * sizeof *b->dy);
            vec_scale(b->dy + (u + side) * d, by_cosine, d);
        }
        through_length(b, u, u + 2);
    }
    for (size_t i = 0; i < count; i++) {
        size_t opposed = i >= b->pairs, kind = opposed ? b->opposed : b->pairs;
        sums->loss[opposed] += b->losses[i] / (double)kind;
        sums->slope[opposed] += b->slopes[i] / (double)kind;
    }
}

/* Computes the loss and leaves the gradient of the cosines in b->s. */
static void losses(struct rank_batch *b, const struct rank_step *step, struct rank_loss *loss)
{
    struct verdict_sums decision = {{0}, {0}};
    double ranking = probabilities(b, step);
    if (b->opposed) decisions(b, step, &decision);
    loss->value = ranking / (double)b->pairs;
    loss->value += step->decision * (decision.loss[0] + decision.loss[1]);
    loss->by_border = step->decision * step->temperature * (decision.slope[0] - decision.slope[1]);
}

/* ---- Backward ---- */

/* Rows of dy: G C for all a, G' A for the candidates, with G = b->s. */
static void vector_gradient(struct rank_batch *b, int threads)
{
    size_t d = b->dim, n = b->pairs, m = n + b->hard;
    size_t tiles_a = (n + TILE - 1) / TILE, tiles = tiles_a + (m + TILE - 1) / TILE;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t tile = 0; tile < tiles; tile++) {
        int of_a = tile < tiles_a;
        size_t first = (of_a ? tile : tile - tiles_a) * TILE, limit = of_a ? n : m;
        size_t end = first + TILE < limit ? first + TILE : limit, row = of_a ? first : n + first;
        int rows = (int)(end - first);
        if (of_a)
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, (int)d, (int)m, 1.0f,
                        b->s + first * m, (int)m, b->y + n * d, (int)d, 0.0f, b->dy + row * d,
                        (int)d);
        else
            cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, rows, (int)d, (int)n, 1.0f,
                        b->s + first, (int)m, b->y, (int)d, 0.0f, b->dy + row * d, (int)d);
        through_length(b, row, row + end - first);
    }
}

/* Groups entries by feature, without those that dropout set to 0: counting sort, features in order
 * of appearance, rows ascending. */
static void sort_entries(struct rank_batch *b, size_t rows)
{
    size_t count = 0, sum = 0;
    for (size_t k = 0; k < b->row_start[rows]; k++) {
        uint32_t *at = &b->local[b->col[k]];
        if (b->val[k] == 0.0f) continue;
        if (*at == UINT32_MAX) {
            b->touched[count] = b->col[k];
            *at = (uint32_t)count++;
            b->start[count] = 0;
        }
        b->start[*at + 1]++;
    }
    b->start[0] = 0;
    for (size_t i = 1; i <= count; i++) { /* start[i] becomes where feature i - 1 begins */
        size_t here = b->start[i];
        b->start[i] = sum;
        sum += here;
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t k = b->row_start[i]; k < b->row_start[i + 1]; k++) {
            if (b->val[k] == 0.0f) continue;
            size_t place = b->start[b->local[b->col[k]] + 1]++; /* finally: where it ends */
            b->entry_row[place] = (uint32_t)i;
            b->entry_val[place] = b->val[k];
        }
    for (size_t i = 0; i < count; i++) b->local[b->touched[i]] = UINT32_MAX;
    b->touched_count = count;
}

/* OUT = the gradient of L_f for features FIRST to END - 1 of the batch; also that of g_f, which is
 * L_f . dL_f because L_f enters as exp(g_f) L_f. */
static void feature_gradients(struct rank_batch *b, const struct rank_map *map, size_t first,
                              size_t end, int threads, float *out)
{
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
    for (size_t i = first; i < end; i++) {
        size_t start = b->start[i], f = b->touched[i], d = map->dim;
        float *gradient = out + (i - first) * d;
        rank_gather(b->dy, d, b->entry_row + start, b->entry_val + start, b->start[i + 1] - start,
                    d, gradient);
        rank_scale(gradient, map->gain[f], map->rows + f * d, d, &b->by_feature[i][0],
                   &b->by_feature[i][1]);
    }
}

film_status rank_batch_gradient(struct rank_batch *batch, const struct rank_map *map,
                                const struct csr *x, const struct rank_rows *rows,
                                const struct rank_step *step, struct rank_loss *loss,
                                film_error *error)
{
    film_status status = FILM_OK;
    size_t count = 2 * (rows->pairs + rows->opposed) + rows->hard;
    take_batch_rows(batch, rows);
    TRY(read_rows(batch, x, rows->row, count, step, error));
    embed_rows(batch, map, count, step->threads);
    exponentiate_rows(batch, rows, step);
    losses(batch, step, loss);
    vector_gradient(batch, step->threads);
    sort_entries(batch, count);
    TRY_ALLOC(mem_grow((void **)&batch->by_feature, &batch->feature_room, batch->touched_count,
                       sizeof *batch->by_feature),
              error);
done:
    return status;
}

/* ---- The AdaGrad step ---- */

void rank_batch_read(struct rank_batch *batch, const struct rank_map *map, float *gradient,
                     float *gain)
{
    feature_gradients(batch, map, 0, batch->touched_count, 1, gradient);
    for (size_t i = 0; i < batch->touched_count; i++) gain[i] = (float)batch->by_feature[i][0];
}

/* AdaGrad with one step size per feature. SQUARE is the squared norm of the gradient row. */
static void step_row(struct rank_map *map, size_t f, const float *gradient, double square,
                     float rate)
{
    map->squares[f] += (float)(square / (double)map->dim);
    if (map->squares[f] > 0.0f)
        vec_add_scaled(map->rows + f * map->dim, -rate / sqrtf(map->squares[f]), gradient,
                       map->dim);
}

static void step_features(struct rank_batch *batch, struct rank_map *map,
                          const struct rank_step *step, size_t first, size_t end)
{
    float rate = (float)step->rate, weight_rate = (float)step->weight_rate;
#pragma omp parallel for schedule(dynamic, 16) num_threads(step->threads)
    for (size_t i = first; i < end; i++) {
        size_t f = batch->touched[i];
        float by_gain = (float)batch->by_feature[i][0];
        step_row(map, f, batch->gradient + (i - first) * map->dim, batch->by_feature[i][1], rate);
        map->gain_squares[f] += by_gain * by_gain;
        if (weight_rate > 0.0f && map->gain_squares[f] > 0.0f) {
            map->log_gain[f] -= weight_rate * by_gain / sqrtf(map->gain_squares[f]);
            map->gain[f] = rank_exp(map->log_gain[f]);
        }
    }
}

/* By blocks: the gradient of all features of a batch would be nearly as large as the map. */
film_status rank_batch_update(struct rank_batch *batch, struct rank_map *map,
                              const struct rank_step *step, double *norm, film_error *error)
{
    enum { BLOCK = 2048 };
    film_status status = FILM_OK;
    size_t count = batch->touched_count;
    double sum = 0.0;
    TRY_ALLOC(mem_grow((void **)&batch->gradient, &batch->gradient_room,
                       (count < BLOCK ? count : BLOCK) * map->dim, sizeof *batch->gradient),
              error);
    for (size_t first = 0; first < count; first += BLOCK) {
        size_t end = first + BLOCK < count ? first + BLOCK : count;
        feature_gradients(batch, map, first, end, step->threads, batch->gradient);
        step_features(batch, map, step, first, end);
    }
    for (size_t i = 0; i < count; i++) {
        double by_gain = (double)(float)batch->by_feature[i][0];
        sum += batch->by_feature[i][1] + by_gain * by_gain;
    }
    *norm = sqrt(sum);
done:
    return status;
}
