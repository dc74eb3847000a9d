/* FILM's objective (310) and gradient (314) on the Stiefel manifold, with the hinges Lambda fixed
 * between refreshes (Tang & Aw 2020). It does not take steps; la/stiefel.c does. */
#include "learn/film_problem.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/threads.h"
#include "embed/vec.h"
#include "la/dense.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* CHUNK anchors make one sgemm of the hinges (256 x 500 floats stay in the second-level cache).
 * PACK anchors make one update of H: long enough for sgemm to be efficient, short enough for sums
 * in float; the sum over packs is in double. */
enum { CHUNK = FILM_CHUNK, PACK = 1024, FULL_EVERY = 100 };

double film_mu(double x)
{
    return (x > 0.0 ? x : 0.0) + log1p(exp(-fabs(x)));
}

double film_sigma(double x)
{
    double e = exp(-fabs(x));
    return x >= 0.0 ? 1.0 / (1.0 + e) : e / (1.0 + e);
}

static const float *anchor_row(const struct film_problem *q, size_t a)
{
    return q->v + q->triplets->anchor[a] * q->stride;
}

/* W: w_i = sum over the triplets of anchor i of (v_j - v_k) / (t_i + 1). */
static void sum_triplets(size_t a, size_t end, void *user)
{
    struct film_problem *q = user;
    const struct triplets *t = q->triplets;
    size_t r = q->rank;
    for (; a < end; a++) {
        float *w = q->w + a * r, share = 1.0f / (float)(t->start[a + 1] - t->start[a] + 1);
        memset(w, 0, r * sizeof *w);
        for (size_t i = t->start[a]; i < t->start[a + 1]; i++) {
            vec_add_scaled(w, share, q->v + t->similar[i] * q->stride, r);
            vec_add_scaled(w, -share, q->v + t->dissimilar[i] * q->stride, r);
        }
    }
}

struct anchor_pack {
    struct film_problem *q;
    uint32_t picked[PACK];
};

/* pack_w = sign_i w_i, pack_v = v_i of the picked anchors. */
static void pack_anchors(size_t i, size_t end, void *user)
{
    const struct anchor_pack *pack = user;
    const struct film_problem *q = pack->q;
    size_t r = q->rank;
    for (; i < end; i++) {
        uint32_t a = pack->picked[i];
        float sign = q->active[a] ? 1.0f : -1.0f;
        for (size_t j = 0; j < r; j++) q->pack_w[i * r + j] = sign * q->w[a * r + j];
        memcpy(q->pack_v + i * r, anchor_row(q, a), r * sizeof *q->pack_v);
    }
}

/* sum += the sum of sign_i w_i v_i' over the COUNT anchors of LIST (NULL: anchors 0, 1, ...). The
 * sign is plus for active anchors and minus for inactive ones, which updates changed anchors. With
 * LIST == NULL inactive anchors are skipped. */
static void add_anchors(struct film_problem *q, const uint32_t *list, size_t count)
{
    size_t r = q->rank, next = 0;
    struct anchor_pack pack = {.q = q};
    while (next < count) {
        size_t rows = 0;
        for (; next < count && rows < PACK; next++) {
            uint32_t a = list ? list[next] : (uint32_t)next;
            if (list || q->active[a]) pack.picked[rows++] = a;
        }
        threads_each(q->threads, rows, CHUNK, pack_anchors, &pack);
        if (rows > 0) dense_add_products(r, r, rows, q->pack_w, q->pack_v, q->sum, q->threads);
    }
}

/* H from the running sum: symmetric part, scaled by D; averaged with preceding batches. */
static void build_h(struct film_problem *q)
{
    size_t r = q->rank;
    double new_part = q->share * q->weight, old_part = 1.0 - q->share;
    double active = new_part * (double)q->active_count;
    q->hinges = old_part > 0.0 ? old_part * q->hinges + active : active;
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j <= i; j++) {
            double value = new_part * 0.5 * (q->sum[i * r + j] + q->sum[j * r + i]);
            if (q->scale) value *= q->scale[i] * q->scale[j];
            if (old_part > 0.0) value += old_part * q->h[i * r + j];
            q->h[i * r + j] = q->h[j * r + i] = value;
        }
}

/* Recomputes the sum over all anchors, or updates it by the COUNT CHANGED anchors. */
static void update_sum(struct film_problem *q, int afresh, const uint32_t *changed, size_t count)
{
    if (afresh) memset(q->sum, 0, q->rank * q->rank * sizeof *q->sum);
    add_anchors(q, afresh ? NULL : changed, afresh ? q->anchors : count);
    q->full_updates += (size_t)afresh;
    q->since_full = afresh ? 0 : q->since_full + 1;
}

/* Updates H to active_next, by the changed anchors alone when they are fewer than the active ones.
 * Sums are in double, so that a hundred updates drift by only about 1e-14. Returns the number of
 * changed anchors, at least 1 when H changed. */
static size_t update(struct film_problem *q)
{
    size_t count = 0;
    q->active_count = 0;
    for (size_t a = 0; a < q->anchors; a++) {
        if (q->active[a] != q->active_next[a]) q->changed[count++] = (uint32_t)a;
        q->active_count += q->active[a] = q->active_next[a];
    }
    if (q->damped) q->share = 2.0 / ((double)++q->refreshes + 1.0);
    if (count == 0 && !q->fresh) {
        if (q->damped) build_h(q);
        return (size_t)q->damped;
    }
    q->updates++;
    int afresh = q->fresh || count >= q->active_count || q->since_full >= q->full_every;
    update_sum(q, afresh, q->changed, count);
    build_h(q);
    q->fresh = 0;
    return count;
}

/* map = D P in float. */
static void build_map(struct film_problem *q, const double *p)
{
    for (size_t i = 0; i < q->rank; i++)
        for (size_t c = 0; c < q->dim; c++)
            q->map[i * q->dim + c] = (float)(p[i * q->dim + c] * (q->scale ? q->scale[i] : 1.0));
}

static void times_map(const struct film_problem *q, size_t rows, const float *x, float *out)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)q->dim, (int)q->rank,
                1.0f, x, (int)q->rank, q->map, (int)q->dim, 0.0f, out, (int)q->dim);
}

/* Computes lambda of all anchors from (P in map, s): blocks of v and w times the map, then one
 * weighted dot product each (36). */
static film_status find_hinges(struct threads_worker *worker, void *user, film_error *error)
{
    struct film_problem *q = user;
    size_t r = q->rank, d = q->dim, first, end;
    float *v = film_problem_scratch(q, worker), *pv = v + CHUNK * r, *pw = pv + CHUNK * d;
    (void)error;
    while (threads_next(worker, &first, &end)) {
        size_t rows = end - first;
        for (size_t i = 0; i < rows; i++)
            memcpy(v + i * r, anchor_row(q, first + i), r * sizeof *v);
        times_map(q, rows, v, pv);
        times_map(q, rows, q->w + first * r, pw);
        for (size_t i = 0; i < rows; i++) {
            double product = 0.0;
            for (size_t c = 0; c < d; c++)
                product += q->s[c] * (double)pv[i * d + c] * (double)pw[i * d + c];
            q->active_next[first + i] = q->margin - product > 0.0;
        }
    }
    return FILM_OK;
}

float *film_problem_scratch(const struct film_problem *q, const struct threads_worker *worker)
{
    return q->scratch + (size_t)worker->number * CHUNK * (q->rank + 2 * q->dim);
}

double film_problem_weight(const struct film_problem *q, double k)
{
    if (!q->hinge_weights) return film_mu(k);
    return k > 0.0 ? k : 0.0;
}

void film_problem_k(struct film_problem *q, const double *p, double *k)
{
    size_t r = q->rank, d = q->dim;
    dense_times((struct dense_shape){r, d, r}, 1.0, q->h, p, 0.0, q->hp, q->threads);
    memset(k, 0, d * sizeof *k);
    for (size_t i = 0; i < r; i++)
        for (size_t c = 0; c < d; c++) k[c] += p[i * d + c] * q->hp[i * d + c];
}

double film_problem_value(struct film_problem *q, const double *p, double *gradient)
{
    size_t r = q->rank, d = q->dim;
    double f = q->margin * q->hinges;
    film_problem_k(q, p, q->k);
    for (size_t c = 0; c < d; c++) {
        double k = q->k[c], mu = film_mu(k);
        f -= 0.5 * k * mu;
        q->k[c] = -(mu + k * film_sigma(k)); /* 2 q_c */
    }
    if (gradient)
        for (size_t i = 0; i < r; i++)
            for (size_t c = 0; c < d; c++) gradient[i * d + c] = q->k[c] * q->hp[i * d + c];
    return f;
}

size_t film_problem_refresh(struct film_problem *q, const double *p)
{
    if (!q->given_s) {
        film_problem_k(q, p, q->s);
        for (size_t c = 0; c < q->dim; c++) q->s[c] = film_problem_weight(q, q->s[c]);
    }
    q->given_s = 0;
    build_map(q, p);
    (void)threads_for(q->threads, q->anchors, CHUNK, find_hinges, q, NULL); /* cannot fail */
    return update(q);
}

double film_problem_mean_square(struct film_problem *q, const double *p, size_t sample,
                                uint64_t seed)
{
    size_t r = q->rank, d = q->dim;
    double sum = 0.0;
    struct rng rng;
    if (sample > q->anchors) sample = q->anchors;
    build_map(q, p);
    rng_seed(&rng, seed);
    for (size_t drawn = 0; drawn < sample;) {
        float *v = q->scratch, *pv = v + CHUNK * r;
        size_t rows = 0;
        for (; rows < CHUNK && drawn < sample; rows++, drawn++) {
            size_t a = sample == q->anchors ? drawn : (size_t)rng_below(&rng, q->anchors);
            memcpy(v + rows * r, anchor_row(q, a), r * sizeof *v);
        }
        times_map(q, rows, v, pv);
        for (size_t i = 0; i < rows * d; i++) sum += q->s[i % d] * (double)pv[i] * (double)pv[i];
    }
    return sample ? sum / (double)sample : 0.0;
}

/* ---- Construction ---- */

static void free_anchors(struct film_problem *q)
{
    mem_free(q->w), mem_free(q->active), mem_free(q->active_next), mem_free(q->changed);
    q->w = NULL, q->active = q->active_next = NULL, q->changed = NULL;
    q->capacity = 0;
}

/* Reserves A anchors; the old content is lost. */
static film_status reserve_anchors(struct film_problem *q, size_t a, film_error *error)
{
    film_status status = FILM_OK;
    if (q->w && a <= q->capacity) goto done;
    free_anchors(q);
    TRY_ALLOC(a < SIZE_MAX / q->rank && (q->w = mem_array(a * q->rank, sizeof *q->w)), error);
    TRY_ALLOC(q->active = mem_array(a, 1), error);
    TRY_ALLOC(q->active_next = mem_array(a, 1), error);
    TRY_ALLOC(q->changed = mem_array(a, sizeof *q->changed), error);
    q->capacity = a;
done:
    return status;
}

static film_status allocate_problem(struct film_problem *q, film_error *error)
{
    film_status status = FILM_OK;
    size_t r = q->rank, d = q->dim, threads = (size_t)q->threads;
    TRY_ALLOC(q->s = mem_array(d, sizeof *q->s), error);
    TRY_ALLOC(q->k = mem_array(d, sizeof *q->k), error);
    TRY_ALLOC(q->sum = mem_zeroed(r * r, sizeof *q->sum), error);
    TRY_ALLOC(q->h = mem_array(r * r, sizeof *q->h), error);
    TRY_ALLOC(q->hp = mem_array(r * d, sizeof *q->hp), error);
    TRY_ALLOC(q->map = mem_array(r * d, sizeof *q->map), error);
    TRY_ALLOC(q->pack_w = mem_array(PACK * r, sizeof *q->pack_w), error);
    TRY_ALLOC(q->pack_v = mem_array(PACK * r, sizeof *q->pack_v), error);
    TRY_ALLOC(q->scratch = mem_array(threads * CHUNK * (r + 2 * d), sizeof *q->scratch), error);
done:
    return status;
}

film_status film_problem_init(struct film_problem *q, const struct film_space *space,
                              const float *v, size_t stride, const struct triplets *triplets,
                              film_error *error)
{
    film_status status = FILM_OK;
    size_t rank = space->rank, dim = space->dim;
    double power = space->power;
    *q = (struct film_problem){.rank = rank,
                               .dim = dim,
                               .threads = space->threads > 0 ? space->threads : 1,
                               .hinge_weights = space->hinge_weights,
                               .full_every = FULL_EVERY};
    TRY(allocate_problem(q, error));
    if (power != 1.0) {
        TRY_ALLOC(q->scale = mem_array(rank, sizeof *q->scale), error);
        for (size_t i = 0; i < rank; i++) q->scale[i] = pow((double)space->sigma[i], 1.0 - power);
    }
    TRY(film_problem_load(q, v, stride, triplets, 1.0, 1.0, error));
    memset(q->active, 1, q->anchors);
    q->active_count = q->anchors;
    for (size_t c = 0; c < dim; c++) q->s[c] = 1.0;
    update_sum(q, 1, NULL, 0);
    build_h(q);
    q->fresh = 0;
done:
    if (status != FILM_OK) film_problem_free(q);
    return status;
}

film_status film_problem_load(struct film_problem *q, const float *v, size_t stride,
                              const struct triplets *triplets, double weight, double share,
                              film_error *error)
{
    film_status status = FILM_OK;
    film_hinge_loss_free(&q->loss);
    TRY(reserve_anchors(q, triplets->anchors, error));
    q->v = v;
    q->stride = stride;
    q->triplets = triplets;
    q->anchors = triplets->anchors;
    q->weight = weight;
    q->share = share;
    q->fresh = 1;
    memset(q->active, 0, q->anchors);
    threads_each(q->threads, q->anchors, 256, sum_triplets, q);
done:
    return status;
}

void film_problem_weigh(struct film_problem *q, double weight)
{
    q->weight = weight;
    build_h(q);
}

void film_problem_free(struct film_problem *q)
{
    free_anchors(q);
    film_hinge_loss_free(&q->loss);
    mem_free(q->scale), mem_free(q->s), mem_free(q->k), mem_free(q->sum), mem_free(q->h);
    mem_free(q->hp);
    mem_free(q->map), mem_free(q->pack_w), mem_free(q->pack_v), mem_free(q->scratch);
    *q = (struct film_problem){0};
}

/* ---- Callbacks of the optimiser ---- */

static film_status evaluate_problem(void *self, const double *p, double *f, double *gradient,
                                    film_error *error)
{
    (void)error;
    *f = film_problem_value(self, p, gradient);
    return FILM_OK;
}

static film_status refresh_active_hinges(void *self, const double *p, int *changed,
                                         film_error *error)
{
    (void)error;
    *changed = film_problem_refresh(self, p) > 0;
    return FILM_OK;
}

struct stiefel_problem film_problem_stiefel(struct film_problem *q)
{
    return (struct stiefel_problem){.self = q,
                                    .rows = q->rank,
                                    .cols = q->dim,
                                    .evaluate = evaluate_problem,
                                    .refresh = refresh_active_hinges};
}
