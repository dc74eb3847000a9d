/* Loss and gradient of one batch: softmax over in-batch candidates, and a logistic decision term
 * with a learned border. The step is row-wise AdaGrad (Duchi et al. 2011). rank_draw.c draws the
 * batches. */
#include "learn/rank_batch.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/threads.h"
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
    TRY_ALLOC(batch->rankings = mem_array(pairs, sizeof *batch->rankings), error);
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
    mem_free(batch->rankings);
    mem_free(batch->losses);
    mem_free(batch->slopes);
    mem_free(batch->cluster);
    mem_free(batch->local);
    mem_free(batch->touched);
    mem_free(batch->start);
    mem_free(batch->entry_row);
    mem_free(batch->entry_val);
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

/* Places the rows of the batch; embed_rows reads them. */
static film_status place_rows(struct rank_batch *b, const struct csr *x, const uint32_t *rows,
                              size_t count, film_error *error)
{
    for (size_t i = 0; i < count; i++)
        b->row_start[i + 1] = b->row_start[i] + x->start[rows[i] + 1] - x->start[rows[i]];
    return reserve_entries(b, b->row_start[count], error);
}

/* ---- Forward ---- */

struct embedding {
    struct rank_batch *batch;
    const struct rank_map *map;
    const struct csr *x;
    const uint32_t *row; /* of x, by row of the batch */
    const struct rank_step *step;
};

/* y = the vectors of rows I .. END, with length 1. */
static void embed_rows(size_t i, size_t end, void *user)
{
    const struct embedding *job = user;
    struct rank_batch *b = job->batch;
    for (; i < end; i++) {
        size_t start = b->row_start[i];
        float *y = b->y + i * b->dim;
        read_row(b, job->x, i, job->row[i], job->step);
        rank_map_project(job->map, b->col + start, b->val + start, b->row_start[i + 1] - start, y);
        b->length[i] = (float)vec_normalise(y, b->dim);
    }
}

struct exponentiation {
    struct rank_batch *batch;
    const struct rank_rows *rows;
    float temperature;
};

/* s = exp(t (cos - 1)) for a tile of a, FIRST .. END, with the sums of every row, and of every
 * column inside the tile. The mask of the cluster also removes the pair's own partner, which is
 * restored. */
static void exponentiate_tile(size_t first, size_t end, void *user)
{
    const struct exponentiation *job = user;
    struct rank_batch *b = job->batch;
    size_t d = b->dim, m = b->pairs + b->hard;
    float *sums = b->sums + first / TILE * b->pairs, *s = b->s + first * m, t = job->temperature;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(end - first), (int)m, (int)d, 1.0f,
                b->y + first * d, (int)d, b->y + b->pairs * d, (int)d, 0.0f, s, (int)m);
    memset(sums, 0, b->pairs * sizeof *sums);
    for (size_t i = first; i < end; i++) {
        float *row = s + (i - first) * m, own = rank_exp(t * (row[i] - 1.0f));
        float sum = rank_exponentials(row, m, t, b->cluster, job->rows->cluster[job->rows->row[i]],
                                      sums, b->pairs);
        row[i] = own;
        sums[i] += own;
        b->row_sum[i] = sum + own;
    }
}

static void exponentiate_rows(struct rank_batch *b, const struct rank_rows *rows,
                              const struct rank_step *step)
{
    struct exponentiation job = {b, rows, (float)step->temperature};
    size_t tiles = (b->pairs + TILE - 1) / TILE;
    threads_each(step->threads, b->pairs, TILE, exponentiate_tile, &job);
    for (size_t tile = 1; tile < tiles; tile++)
        vec_add_scaled(b->sums, 1.0f, b->sums + tile * b->pairs, b->pairs);
}

/* Turns the exponentials of row I into the gradient of the cosines.
 *     dloss/dcos_ij = t / 2B (e_ij / row_i + e_ij / column_j - 2 [i = j])
 * A hard j has no column sum. b->sums are the reciprocals of the columns' sums. */
static void ranking_gradient(struct rank_batch *b, size_t i, double temperature)
{
    size_t m = b->pairs + b->hard;
    float factor = (float)(temperature / (2.0 * (double)b->pairs)), *row = b->s + i * m;
    double own = (double)row[i];
    b->rankings[i] = -0.5 * (log(own / (double)b->row_sum[i]) + log(own * (double)b->sums[i]));
    rank_probabilities(row, m, b->pairs, factor, b->row_sum[i], b->sums);
    row[i] -= 2.0f * factor;
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

/* Adds the gradient of the decision term: for a positive pair to the diagonal of b->s, for an
 * opposed pair directly to dy. */
static void add_decision(struct rank_batch *b, size_t i, const struct rank_step *step)
{
    size_t d = b->dim;
    float by_cosine = decision_gradient(b, i, step);
    if (i < b->pairs) {
        b->s[i * (b->pairs + b->hard) + i] += by_cosine;
        return;
    }
    size_t u = 2 * b->pairs + b->hard + 2 * (i - b->pairs);
    for (size_t side = 0; side < 2; side++) {
        memcpy(b->dy + (u + side) * d, b->y + (u + 1 - side) * d, d * sizeof *b->dy);
        vec_scale(b->dy + (u + side) * d, by_cosine, d);
    }
    through_length(b, u, u + 2);
}

struct loss_job {
    struct rank_batch *batch;
    const struct rank_step *step;
};

/* The losses of pairs I .. END, positive and then opposed, and the gradients of their cosines. */
static void pair_losses(size_t i, size_t end, void *user)
{
    const struct loss_job *job = user;
    struct rank_batch *b = job->batch;
    for (; i < end; i++) {
        if (i < b->pairs) ranking_gradient(b, i, job->step->temperature);
        if (b->opposed) add_decision(b, i, job->step);
    }
}

/* Computes the loss and leaves the gradient of the cosines in b->s. */
static void losses(struct rank_batch *b, const struct rank_step *step, struct rank_loss *loss)
{
    size_t count = b->pairs + b->opposed;
    double ranking = 0, decision[2] = {0}, slope[2] = {0}; /* positive, opposed */
    for (size_t j = 0; j < b->pairs; j++) b->sums[j] = 1.0f / b->sums[j];
    threads_each(step->threads, count, 64, pair_losses, &(struct loss_job){b, step});
    for (size_t i = 0; i < b->pairs; i++) ranking += b->rankings[i];
    for (size_t i = 0; b->opposed && i < count; i++) {
        size_t opposed = i >= b->pairs, kind = opposed ? b->opposed : b->pairs;
        decision[opposed] += b->losses[i] / (double)kind;
        slope[opposed] += b->slopes[i] / (double)kind;
    }
    loss->value = ranking / (double)b->pairs + step->decision * (decision[0] + decision[1]);
    loss->by_border = step->decision * step->temperature * (slope[0] - slope[1]);
}

/* ---- Backward ---- */

/* Rows of dy: G C for all a, G' A for the candidates, with G = b->s. Tiles of a come first. */
static void vector_gradient(size_t tile, size_t end_tile, void *user)
{
    struct rank_batch *b = user;
    size_t d = b->dim, n = b->pairs, m = n + b->hard, tiles_a = (n + TILE - 1) / TILE;
    for (; tile < end_tile; tile++) {
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

film_status rank_batch_gradient(struct rank_batch *batch, const struct rank_map *map,
                                const struct csr *x, const struct rank_rows *rows,
                                const struct rank_step *step, struct rank_loss *loss,
                                film_error *error)
{
    film_status status = FILM_OK;
    size_t count = 2 * (rows->pairs + rows->opposed) + rows->hard;
    struct embedding embedding = {batch, map, x, rows->row, step};
    take_batch_rows(batch, rows);
    TRY(place_rows(batch, x, rows->row, count, error));
    threads_each(step->threads, count, 32, embed_rows, &embedding);
    exponentiate_rows(batch, rows, step);
    losses(batch, step, loss);
    size_t candidates = batch->pairs + batch->hard;
    size_t tiles = (batch->pairs + TILE - 1) / TILE + (candidates + TILE - 1) / TILE;
    threads_each(step->threads, tiles, 1, vector_gradient, batch);
    sort_entries(batch, count);
    TRY_ALLOC(mem_grow((void **)&batch->by_feature, &batch->feature_room, batch->touched_count,
                       sizeof *batch->by_feature),
              error);
done:
    return status;
}

/* ---- The AdaGrad step ---- */

/* OUT = the gradient of L_f for feature I of the batch; also that of g_f, which is L_f . dL_f
 * because L_f enters as exp(g_f) L_f. */
static void feature_gradient(struct rank_batch *b, const struct rank_map *map, size_t i, float *out)
{
    size_t start = b->start[i], f = b->touched[i], d = map->dim;
    rank_gather(b->dy, d, b->entry_row + start, b->entry_val + start, b->start[i + 1] - start, d,
                out);
    rank_scale(out, map->gain[f], map->rows + f * d, d, &b->by_feature[i][0], &b->by_feature[i][1]);
}

void rank_batch_read(struct rank_batch *batch, const struct rank_map *map, float *gradient,
                     float *gain)
{
    for (size_t i = 0; i < batch->touched_count; i++) {
        feature_gradient(batch, map, i, gradient + i * map->dim);
        gain[i] = (float)batch->by_feature[i][0];
    }
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

struct adagrad_step {
    struct rank_batch *batch;
    struct rank_map *map;
    const struct rank_step *step;
};

/* Computes the gradients of features I .. END of the batch and steps along them. */
static void step_features(size_t i, size_t end, void *user)
{
    const struct adagrad_step *job = user;
    struct rank_batch *b = job->batch;
    struct rank_map *map = job->map;
    float rate = (float)job->step->rate, weight_rate = (float)job->step->weight_rate;
    float gradient[RANK_MOST_DIM];
    for (; i < end; i++) {
        size_t f = b->touched[i];
        feature_gradient(b, map, i, gradient);
        step_row(map, f, gradient, b->by_feature[i][1], rate);
        float by_gain = (float)b->by_feature[i][0];
        map->gain_squares[f] += by_gain * by_gain;
        if (weight_rate > 0.0f && map->gain_squares[f] > 0.0f) {
            map->log_gain[f] -= weight_rate * by_gain / sqrtf(map->gain_squares[f]);
            map->gain[f] = rank_exp(map->log_gain[f]);
        }
    }
}

double rank_batch_update(struct rank_batch *batch, struct rank_map *map,
                         const struct rank_step *step)
{
    size_t count = batch->touched_count;
    double sum = 0.0;
    threads_each(step->threads, count, 64, step_features, &(struct adagrad_step){batch, map, step});
    for (size_t i = 0; i < count; i++) {
        double by_gain = (double)(float)batch->by_feature[i][0];
        sum += batch->by_feature[i][1] + by_gain * by_gain;
    }
    return sqrt(sum);
}
