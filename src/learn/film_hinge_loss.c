/* Measures the paper's hinge loss (32) and the share of satisfied triplets on a sample of the
 * triplets. It only reports; the objective is in film_problem.c. */
#include "learn/film_hinge_loss.h"
#include "base/sort.h"
#include "base/mem.h"
#include "learn/film_problem.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void film_hinge_loss_free(struct film_hinge_loss *loss)
{
    mem_free(loss->ids), mem_free(loss->triplet), mem_free(loss->y);
    *loss = (struct film_hinge_loss){0};
}

static int ascending_values(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts IDS and removes repetitions. */
static size_t sort_unique(uint32_t *ids, size_t count)
{
    size_t unique = 0;
    if (count) sort_array(ids, count, sizeof *ids, ascending_values);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || ids[i] != ids[i - 1]) ids[unique++] = ids[i];
    return unique;
}

/* The number of ids below ID. */
static size_t below(const struct film_hinge_loss *loss, size_t id)
{
    size_t low = 0, high = loss->sentences;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (loss->ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Lists the triplets of every STRIDE-th anchor as sentence ids. */
static film_status draw_triplets(const struct film_problem *q, size_t stride,
                                 struct film_hinge_loss *loss, film_error *error)
{
    const struct triplets *t = q->triplets;
    for (int fill = 0; fill < 2; fill++) {
        loss->count = 0;
        for (size_t a = 0; a < t->anchors; a += stride) {
            for (size_t i = t->start[a]; i < t->start[a + 1]; i++, loss->count++) {
                if (!fill) continue;
                uint32_t *to = loss->triplet + 3 * loss->count;
                to[0] = t->anchor[a], to[1] = t->similar[i], to[2] = t->dissimilar[i];
            }
        }
        if (fill) break;
        loss->triplet = mem_array(3 * loss->count, sizeof *loss->triplet);
        if (!loss->triplet) return status_no_memory(error);
    }
    return FILM_OK;
}

static film_status draw_sample(const struct film_problem *q, struct film_hinge_loss *loss,
                               film_error *error)
{
    film_status status = FILM_OK;
    size_t stride = (q->triplets->count + FILM_HINGE_TRIPLETS - 1) / FILM_HINGE_TRIPLETS;
    TRY(draw_triplets(q, stride ? stride : 1, loss, error));
    TRY_ALLOC(loss->ids = mem_array(3 * loss->count, sizeof *loss->ids), error);
    if (loss->count) memcpy(loss->ids, loss->triplet, 3 * loss->count * sizeof *loss->ids);
    loss->sentences = sort_unique(loss->ids, 3 * loss->count);
    for (size_t i = 0; i < 3 * loss->count; i++)
        loss->triplet[i] = (uint32_t)below(loss, loss->triplet[i]);
    TRY_ALLOC(loss->y = mem_array(loss->sentences * q->dim, sizeof *loss->y), error);
done:
    return status;
}

/* y = V D P sqrt(S), for the sentences of the sample; map = D P sqrt(S). */
static film_status project_rows(struct threads_worker *worker, void *user, film_error *error)
{
    const struct film_problem *q = user;
    const struct film_hinge_loss *loss = &q->loss;
    size_t r = q->rank, d = q->dim, first, end;
    float *v = film_problem_scratch(q, worker);
    (void)error;
    while (threads_next(worker, &first, &end)) {
        for (size_t i = first; i < end; i++)
            memcpy(v + (i - first) * r, q->v + loss->ids[i] * q->stride, r * sizeof *v);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)(end - first), (int)d, (int)r,
                    1.0f, v, (int)r, q->map, (int)d, 0.0f, loss->y + first * d, (int)d);
    }
    return FILM_OK;
}

film_status film_hinge_loss_measure(struct film_problem *q, const double *p, const double *s,
                                    double *hinge, double *satisfied, film_error *error)
{
    film_status status = FILM_OK;
    struct film_hinge_loss *loss = &q->loss;
    double sum = 0;
    size_t met = 0;
    if (!loss->y) TRY(draw_sample(q, loss, error));
    for (size_t i = 0; i < q->rank * q->dim; i++)
        q->map[i] = (float)(p[i] * sqrt(s[i % q->dim]) * (q->scale ? q->scale[i / q->dim] : 1.0));
    TRY(threads_for(q->threads, loss->sentences, FILM_CHUNK, project_rows, q, error));
    for (size_t i = 0; i < loss->count; i++) {
        const uint32_t *at = loss->triplet + 3 * i;
        const float *anchor = loss->y + at[0] * q->dim;
        const float *similar = loss->y + at[1] * q->dim, *other = loss->y + at[2] * q->dim;
        double z = q->margin;
        for (size_t c = 0; c < q->dim; c++)
            z += (double)anchor[c] * ((double)other[c] - (double)similar[c]);
        sum += z > 0.0 ? z : 0.0;
        met += z <= 0.0;
    }
    *hinge = loss->count ? sum / (double)loss->count : 0.0;
    *satisfied = loss->count ? (double)met / (double)loss->count : 0.0;
done:
    return status;
}
