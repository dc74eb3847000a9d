#include "metric/rank_batch.h"
#include "base/mem.h"
#include "base/rng.h"
#include "la/vec.h"
#include "metric/rank_kernel.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum {
    TILE = 128,     /* rows of a matrix product done by one thread at a time */
    MOST_DIM = 4096 /* a gradient row stands on the stack */
};

/* ---- The map ---- */

/* Signs instead of normal deviates: a random projection as good, 64 of them for one random number,
 * and every row has length exactly 1, so that no feature starts out stronger than another. */
static void fill_signs(float *row, size_t dim, uint64_t seed, uint64_t feature)
{
    struct rng rng;
    uint64_t bits = 0;
    float size = (float)(1.0 / sqrt((double)dim));
    rng_seed_part(&rng, seed, feature);
    for (size_t i = 0; i < dim; i++, bits >>= 1) {
        if (i % 64 == 0) bits = rng_next(&rng);
        row[i] = bits & 1 ? size : -size;
    }
}

film_status rank_map_init(struct rank_map *map, size_t features, size_t dim, size_t fixed,
                          enum rank_rule rule, double ground, uint64_t seed, int threads,
                          film_error *error)
{
    film_status status = FILM_OK;
    size_t learned = dim - fixed, state = rule == RANK_ADAGRAD_ROW ? 1 : learned, elements;
    *map = (struct rank_map){.features = features, .dim = dim, .learned = learned, .rule = rule};
    if (dim > MOST_DIM || __builtin_mul_overflow(features, dim, &elements))
        return status_set(error, FILM_USAGE,
                          "a map of %zu features and %zu dimensions is too large", features, dim);
    TRY_ALLOC(map->rows = mem_array(elements, sizeof *map->rows), error);
    TRY_ALLOC(map->log_gain = mem_zeroed(features, sizeof *map->log_gain), error);
    TRY_ALLOC(map->gain = mem_array(features, sizeof *map->gain), error);
    TRY_ALLOC(map->gain_squares = mem_zeroed(features, sizeof *map->gain_squares), error);
    TRY_ALLOC(map->squares = mem_zeroed(features * state, sizeof *map->squares), error);
    if (rule == RANK_ADAM) {
        TRY_ALLOC(map->moment = mem_zeroed(features * learned, sizeof *map->moment), error);
        TRY_ALLOC(map->seen = mem_zeroed(features, sizeof *map->seen), error);
    }
#pragma omp parallel for num_threads(threads)
    for (size_t f = 0; f < features; f++) {
        fill_signs(map->rows + f * dim, dim, seed, f);
        map->gain[f] = 1.0f;
        if (rule == RANK_ADAM) continue;
        for (size_t i = 0; i < state; i++) map->squares[f * state + i] = (float)(ground * ground);
    }
done:
    if (status != FILM_OK) rank_map_free(map);
    return status;
}

void rank_map_set_gain(struct rank_map *map, const float *gain)
{
    for (size_t f = 0; f < map->features; f++) {
        map->gain[f] = gain[f];
        map->log_gain[f] = logf(gain[f]);
    }
}

void rank_map_free(struct rank_map *map)
{
    mem_free(map->rows);
    mem_free(map->log_gain);
    mem_free(map->gain);
    mem_free(map->gain_squares);
    mem_free(map->squares);
    mem_free(map->moment);
    mem_free(map->seen);
    memset(map, 0, sizeof *map);
}

enum { PIECE = 256 }; /* entries weighed at a time, on the stack */

/* out (dim) = the vector of a row of COUNT entries, brought to length 1; returns what it was. */
static double embed_row(const struct rank_map *map, const uint32_t *col, const float *val,
                        size_t count, float *out)
{
    float weighed[PIECE], part[MOST_DIM];
    memset(out, 0, map->dim * sizeof *out);
    for (size_t at = 0; at < count; at += PIECE) {
        size_t piece = count - at < PIECE ? count - at : PIECE;
        for (size_t k = 0; k < piece; k++) weighed[k] = val[at + k] * map->gain[col[at + k]];
        float *to = at ? part : out;
        rank_gather(map->rows, map->dim, col + at, weighed, piece, map->dim, to);
        if (at) vec_add_scaled(out, 1.0f, part, map->dim);
    }
    return vec_normalise(out, map->dim);
}

void rank_map_embed(const struct rank_map *map, const struct csr *x, const uint32_t *rows,
                    size_t count, int threads, float *out)
{
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
    for (size_t i = 0; i < count; i++) {
        size_t row = rows ? rows[i] : i, start = x->start[row];
        embed_row(map, x->col + start, x->val + start, x->start[row + 1] - start,
                  out + i * map->dim);
    }
}

/* ---- Room for a batch ---- */

film_status rank_batch_init(struct rank_batch *batch, size_t pairs, size_t hard, size_t opposed,
                            const struct rank_map *map, film_error *error)
{
    film_status status = FILM_OK;
    size_t rows = 2 * (pairs + opposed) + hard, tiles = (pairs + TILE - 1) / TILE, d = map->dim;
    *batch = (struct rank_batch){.dim = d};
    TRY_ALLOC(batch->y = mem_aligned(rows * d, sizeof *batch->y), error);
    TRY_ALLOC(batch->dy = mem_aligned(rows * d, sizeof *batch->dy), error);
    TRY_ALLOC(batch->s = mem_aligned(pairs * (pairs + hard), sizeof *batch->s), error);
    TRY_ALLOC(batch->length = mem_array(rows, sizeof *batch->length), error);
    TRY_ALLOC(batch->sums = mem_array(tiles * pairs, sizeof *batch->sums), error);
    TRY_ALLOC(batch->row_sum = mem_array(pairs, sizeof *batch->row_sum), error);
    TRY_ALLOC(batch->losses = mem_array(pairs + opposed, sizeof *batch->losses), error);
    TRY_ALLOC(batch->slopes = mem_array(pairs + opposed, sizeof *batch->slopes), error);
    TRY_ALLOC(batch->cluster = mem_array(pairs + hard, sizeof *batch->cluster), error);
    TRY_ALLOC(batch->row_start = mem_zeroed(rows + 1, sizeof *batch->row_start), error);
    TRY_ALLOC(batch->local = mem_array(map->features, sizeof *batch->local), error);
    memset(batch->local, 0xff, map->features * sizeof *batch->local);
done:
    if (status != FILM_OK) rank_batch_free(batch);
    return status;
}

void rank_batch_free(struct rank_batch *batch)
{
    mem_free_aligned(batch->y);
    mem_free_aligned(batch->dy);
    mem_free_aligned(batch->s);
    mem_free(batch->length);
    mem_free(batch->sums);
    mem_free(batch->row_sum);
    mem_free(batch->losses);
    mem_free(batch->slopes);
    mem_free(batch->cluster);
    mem_free(batch->row_start);
    mem_free(batch->local);
    mem_free(batch->col);
    mem_free(batch->val);
    mem_free(batch->touched);
    mem_free(batch->square);
    mem_free(batch->start);
    mem_free(batch->entry_row);
    mem_free(batch->entry_val);
    memset(batch, 0, sizeof *batch);
}

static film_status reserve(struct rank_batch *b, size_t entries, film_error *error)
{
    /* A batch cannot touch more features than it has entries. */
    if (mem_grow((void **)&b->col, &b->col_room, entries, sizeof *b->col) &&
        mem_grow((void **)&b->val, &b->val_room, entries, sizeof *b->val) &&
        mem_grow((void **)&b->touched, &b->touched_room, entries, sizeof *b->touched) &&
        mem_grow((void **)&b->square, &b->square_room, entries, sizeof *b->square) &&
        mem_grow((void **)&b->start, &b->start_room, entries + 2, sizeof *b->start) &&
        mem_grow((void **)&b->entry_row, &b->entry_row_room, entries, sizeof *b->entry_row) &&
        mem_grow((void **)&b->entry_val, &b->entry_val_room, entries, sizeof *b->entry_val))
        return FILM_OK;
    return status_no_memory(error);
}

/* ---- Forwards ---- */

/* Copies the batch's rows, a share of the entries left out. */
static film_status copy_rows(struct rank_batch *batch, const struct csr *x, const uint32_t *rows,
                             size_t count, const struct rank_step *step, film_error *error)
{
    for (size_t i = 0; i < count; i++)
        batch->row_start[i + 1] = batch->row_start[i] + (x->start[rows[i] + 1] - x->start[rows[i]]);
    batch->entries = batch->row_start[count];
    film_status status = reserve(batch, batch->entries, error);
    if (status != FILM_OK) return status;
#pragma omp parallel for schedule(static) num_threads(step->threads)
    for (size_t i = 0; i < count; i++) {
        size_t from = x->start[rows[i]], to = batch->row_start[i];
        size_t length = batch->row_start[i + 1] - to;
        memcpy(batch->col + to, x->col + from, length * sizeof *batch->col);
        memcpy(batch->val + to, x->val + from, length * sizeof *batch->val);
        if (step->dropout <= 0.0) continue;
        struct rng rng;
        rng_seed_part(&rng, step->seed, i);
        for (size_t k = to; k < to + length; k++)
            if (rng_uniform(&rng) < step->dropout) batch->val[k] = 0.0f;
    }
    return FILM_OK;
}

static void embed_rows(struct rank_batch *batch, const struct rank_map *map, size_t count,
                       int threads)
{
#pragma omp parallel for schedule(dynamic, 32) num_threads(threads)
    for (size_t i = 0; i < count; i++) {
        size_t start = batch->row_start[i];
        batch->length[i] =
            (float)embed_row(map, batch->col + start, batch->val + start,
                             batch->row_start[i + 1] - start, batch->y + i * map->dim);
    }
}

/* s = exp(t (cos - 1)) by tiles of the a's, with the sums of every row, and of every column inside
 * the tile. The pair's own partner is of its cluster too: it is put back where the mask took it. */
static void exponentials(struct rank_batch *b, const uint32_t *rows, const uint32_t *cluster,
                         const struct rank_step *step)
{
    size_t d = b->dim, m = b->pairs + b->hard, tiles = (b->pairs + TILE - 1) / TILE;
    const float *candidates = b->y + b->pairs * d;
    float t = (float)step->temperature;
#pragma omp parallel for schedule(dynamic) num_threads(step->threads)
    for (size_t tile = 0; tile < tiles; tile++) {
        size_t first = tile * TILE, end = first + TILE < b->pairs ? first + TILE : b->pairs;
        float *sums = b->sums + tile * b->pairs;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(end - first), (int)m, (int)d,
                    1.0f, b->y + first * d, (int)d, candidates, (int)d, 0.0f, b->s + first * m,
                    (int)m);
        memset(sums, 0, b->pairs * sizeof *sums);
        for (size_t i = first; i < end; i++) {
            float *row = b->s + i * m, own = rank_exp(t * (row[i] - 1.0f));
            float sum = rank_exponentials(row, m, t, b->cluster, cluster[rows[i]], sums, b->pairs);
            row[i] = own;
            sums[i] += own;
            b->row_sum[i] = sum + own;
        }
    }
}

/* Turns the exponentials into the gradient by the cosines; returns the loss.
 *     dloss/dcos_ij = t / 2B (e_ij / row_i + e_ij / column_j - 2 [i = j])     no column for hard j */
static double probabilities(struct rank_batch *b, const struct rank_step *step)
{
    size_t m = b->pairs + b->hard, tiles = (b->pairs + TILE - 1) / TILE;
    float factor = (float)(step->temperature / (2.0 * (double)b->pairs));
    double loss = 0.0;
    for (size_t tile = 1; tile < tiles; tile++)
        vec_add_scaled(b->sums, 1.0f, b->sums + tile * b->pairs, b->pairs);
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
    return loss / (double)b->pairs;
}

/* ---- The decision ---- */

/* Through the normalisation y = z / |z|:  dz = (dy - y (y . dy)) / |z|; an empty row stays 0. */
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

/* The second part of the loss for pair I, positive or (after them) opposed: its value and slope go
 * to the batch, the gradient by the cosine comes back. */
static float decide(struct rank_batch *b, size_t i, const struct rank_step *step)
{
    int positive = i < b->pairs;
    size_t u = positive ? i : 2 * b->pairs + b->hard + 2 * (i - b->pairs);
    size_t v = positive ? b->pairs + i : u + 1, kind = positive ? b->pairs : b->opposed;
    double t = step->temperature, cosine = vec_dot(b->y + u * b->dim, b->y + v * b->dim, b->dim);
    double wrong = (positive ? -t : t) * (cosine - step->border); /* how far on the wrong side */
    b->losses[i] = (wrong > 0 ? wrong : 0.0) + log1p(exp(-fabs(wrong)));
    b->slopes[i] = 1.0 / (1.0 + exp(-wrong));
    return (float)((positive ? -t : t) * step->decision * b->slopes[i] / (double)kind);
}

/* Adds the decision's gradient: that of the positive pairs to the diagonal of b->s, that of the
 * opposed ones straight to dy. Returns its loss. */
static double decisions(struct rank_batch *b, const struct rank_step *step, double *by_border)
{
    size_t m = b->pairs + b->hard, d = b->dim, first = 2 * b->pairs + b->hard;
    double loss[2] = {0}, slope[2] = {0}; /* positive, opposed */
#pragma omp parallel for schedule(static) num_threads(step->threads)
    for (size_t i = 0; i < b->pairs + b->opposed; i++) {
        float by_cosine = decide(b, i, step);
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
    for (size_t i = 0; i < b->pairs + b->opposed; i++) {
        size_t kind = i < b->pairs ? b->pairs : b->opposed;
        loss[i >= b->pairs] += b->losses[i] / (double)kind;
        slope[i >= b->pairs] += b->slopes[i] / (double)kind;
    }
    *by_border = step->decision * step->temperature * (slope[0] - slope[1]);
    return step->decision * (loss[0] + loss[1]);
}

/* ---- Backwards ---- */

/* Rows of dy: those of the a's are G C, those of the candidates G' A, with G = b->s. */
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

/* The entries by feature: counting sort, features in order of appearance, rows rising in each. */
static void by_feature(struct rank_batch *b, size_t rows)
{
    size_t count = 0, sum = 0;
    for (size_t k = 0; k < b->entries; k++) {
        uint32_t *at = &b->local[b->col[k]];
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
            size_t place = b->start[b->local[b->col[k]] + 1]++; /* in the end: where it stops */
            b->entry_row[place] = (uint32_t)i;
            b->entry_val[place] = b->val[k];
        }
    for (size_t i = 0; i < count; i++) b->local[b->touched[i]] = UINT32_MAX;
    b->touched_count = count;
}

film_status rank_batch_gradient(struct rank_batch *batch, const struct rank_map *map,
                                const struct csr *x, const struct rank_rows *rows,
                                const uint32_t *cluster, const struct rank_step *step, double *loss,
                                double *by_border, film_error *error)
{
    size_t count = 2 * (rows->pairs + rows->opposed) + rows->hard;
    batch->pairs = rows->pairs;
    batch->hard = rows->hard;
    batch->opposed = rows->opposed;
    *by_border = 0.0;
    film_status status = copy_rows(batch, x, rows->row, count, step, error);
    if (status != FILM_OK) return status;
    for (size_t j = 0; j < rows->pairs + rows->hard; j++)
        batch->cluster[j] = cluster[rows->row[rows->pairs + j]];
    embed_rows(batch, map, count, step->threads);
    exponentials(batch, rows->row, cluster, step);
    *loss = probabilities(batch, step);
    if (rows->opposed) *loss += decisions(batch, step, by_border);
    vector_gradient(batch, step->threads);
    by_feature(batch, count);
    return FILM_OK;
}

/* ---- The features' gradient and step ---- */

/* out (dim) = gradient by L_f of the feature at place I of the batch, fixed columns included;
 * returns that by g_f, which is L_f . dL_f because L_f enters as exp(g_f) L_f. */
static double feature_gradient(const struct rank_batch *b, const struct rank_map *map, size_t i,
                               float *out)
{
    size_t start = b->start[i], f = b->touched[i];
    rank_gather(b->dy, b->dim, b->entry_row + start, b->entry_val + start, b->start[i + 1] - start,
                b->dim, out);
    vec_scale(out, map->gain[f], b->dim);
    return vec_dot(map->rows + f * b->dim, out, b->dim);
}

void rank_batch_read(const struct rank_batch *batch, const struct rank_map *map, float *gradient,
                     float *gain)
{
    float row[MOST_DIM];
    for (size_t i = 0; i < batch->touched_count; i++) {
        gain[i] = (float)feature_gradient(batch, map, i, row);
        memcpy(gradient + i * map->learned, row, map->learned * sizeof *row);
    }
}

static void step_row(struct rank_map *map, size_t f, const float *gradient, float rate)
{
    size_t n = map->learned;
    float *row = map->rows + f * map->dim;
    switch (map->rule) {
    case RANK_ADAGRAD:
        rank_adagrad(row, map->squares + f * n, gradient, rate, n);
        break;
    case RANK_ADAGRAD_ROW: {
        double square = vec_dot(gradient, gradient, n) / (double)n;
        map->squares[f] += (float)square;
        if (map->squares[f] > 0.0f)
            vec_add_scaled(row, -rate / sqrtf(map->squares[f]), gradient, n);
        break;
    }
    case RANK_ADAM: {
        double seen = (double)++map->seen[f];
        rank_adam(row, map->moment + f * n, map->squares + f * n, gradient, rate,
                  (float)(1.0 - pow(0.9, seen)), (float)(1.0 - pow(0.99, seen)), n);
        break;
    }
    }
}

double rank_batch_update(struct rank_batch *batch, struct rank_map *map,
                         const struct rank_step *step)
{
    double sum = 0.0;
    float rate = (float)step->rate, weight_rate = (float)step->weight_rate;
#pragma omp parallel for schedule(dynamic, 16) num_threads(step->threads)
    for (size_t i = 0; i < batch->touched_count; i++) {
        float gradient[MOST_DIM];
        size_t f = batch->touched[i];
        float by_gain = (float)feature_gradient(batch, map, i, gradient);
        batch->square[i] =
            vec_dot(gradient, gradient, map->learned) + (double)by_gain * (double)by_gain;
        step_row(map, f, gradient, rate);
        map->gain_squares[f] += by_gain * by_gain;
        if (weight_rate > 0.0f && map->gain_squares[f] > 0.0f) {
            map->log_gain[f] -= weight_rate * by_gain / sqrtf(map->gain_squares[f]);
            map->gain[f] = rank_exp(map->log_gain[f]);
        }
    }
    for (size_t i = 0; i < batch->touched_count; i++) sum += batch->square[i];
    return sqrt(sum);
}
