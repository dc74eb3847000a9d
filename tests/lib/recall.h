/* Measures the recall of a graph against exact search, for tests and bench/near_driver.c. */
#ifndef RECALL_H
#define RECALL_H

#include "base/mem.h"
#include "base/rng.h"
#include "index/graph.h"
#include "index/scan.h"

#include <math.h>
#include <string.h>

/* Compares given results: both are COUNT x K scores, descending; missing results have id GRAPH_NONE
 * and score 0. A row counts as found when its score is as good as the k-th exact one, because equal
 * rows are interchangeable. */
static inline size_t recall_count(const uint32_t *exact_id, const float *exact_score,
                                  const uint32_t *id, const float *score, size_t count, size_t k,
                                  size_t *wanted)
{
    size_t found = 0;
    *wanted = 0;
    for (size_t q = 0; q < count; q++) {
        size_t there = 0, hits = 0;
        while (there < k && exact_id[q * k + there] != SCAN_NONE) there++;
        *wanted += there;
        if (!there) continue;
        /* Two ways to compute the same product round differently. */
        float least = exact_score[q * k + there - 1];
        least -= 1e-6f * fabsf(least);
        for (size_t i = 0; i < k; i++)
            hits += id[q * k + i] != GRAPH_NONE && score[q * k + i] >= least;
        found += hits < there ? hits : there;
    }
    return found;
}

/* Draws SAMPLE of the live rows, or all, by ascending id: each of N remaining rows is taken with
 * the probability (rows still wanted) / N. */
static inline size_t recall_draw(const struct graph_view *view, size_t sample, uint64_t seed,
                                 uint32_t *row)
{
    struct rng rng;
    size_t left = 0, taken = 0;
    rng_seed(&rng, seed);
    for (size_t i = 0; i < view->codes.count; i++) left += view->state[i] != GRAPH_DEAD;
    if (sample > left) sample = left;
    for (size_t i = 0; taken < sample; i++) {
        if (view->state[i] == GRAPH_DEAD) continue;
        if (rng_below(&rng, left) < sample - taken) row[taken++] = (uint32_t)i;
        left--;
    }
    return sample;
}

/* Removes the row itself from its k + 1 results; when equal rows displaced it, removes the last. */
static inline void recall_drop_self(const uint32_t *row, size_t count, size_t k, uint32_t *id,
                                    float *score)
{
    for (size_t q = 0; q < count; q++) {
        size_t from = q * (k + 1), self = 0;
        while (self < k && id[from + self] != row[q]) self++;
        for (size_t i = 0; i < k; i++) {
            id[q * k + i] = id[from + i + (i >= self)];
            score[q * k + i] = score[from + i + (i >= self)];
        }
    }
}

struct recall {
    double share;   /* recall: fraction of the k best of each query that was found */
    size_t queries; /* number of queries */
};

/* SAMPLE living rows, drawn with SEED; all when there are fewer. K and EF of the searches. */
struct recall_sample {
    size_t sample;
    uint64_t seed;
    size_t k, ef;
};

/* Asks for the k nearest other rows of a sample and compares with a scan of all. */
static inline film_status recall_measure(const struct graph_view *view, const float *rows,
                                         struct recall_sample drawn, int threads,
                                         struct recall *out, film_error *error)
{
    film_status status = FILM_OK;
    size_t sample = drawn.sample, k = drawn.k;
    size_t dim = view->codes.dim, wide = k + 1, wanted = 0;
    struct scan scan;
    uint32_t *row = NULL, *exact_id = NULL, *id = NULL;
    float *vector = NULL, *exact_score = NULL, *score = NULL;
    if (sample > view->codes.count) sample = view->codes.count;
    *out = (struct recall){0};
    TRY_ALLOC((row = mem_array(sample, sizeof *row)) &&
                  (vector = mem_array(sample, dim * sizeof *vector)) &&
                  (exact_id = mem_array(sample, wide * sizeof *exact_id)) &&
                  (exact_score = mem_array(sample, wide * sizeof *exact_score)) &&
                  (id = mem_array(sample, wide * sizeof *id)) &&
                  (score = mem_array(sample, wide * sizeof *score)),
              error);
    sample = recall_draw(view, sample, drawn.seed, row);
    for (size_t i = 0; i < sample; i++)
        memcpy(vector + i * dim, rows + row[i] * dim, dim * sizeof *vector);
    uint8_t *dead = NULL; /* twins are answers too: only deleted rows are skipped */
    TRY_ALLOC(dead = mem_array(view->codes.count, 1), error);
    for (size_t i = 0; i < view->codes.count; i++) dead[i] = view->state[i] == GRAPH_DEAD;
    status = scan_init(&scan, view->codes, rows, dead, threads, error);
    if (status == FILM_OK)
        status = scan_search(&scan, &(struct scan_queries){vector, sample, wide}, threads, NULL,
                             &(struct nearest){exact_id, exact_score, 0}, NULL, error);
    mem_free(dead);
    TRY(status);
    struct graph_question question = {.vector = vector, .k = wide, .ef = drawn.ef, .rows = rows};
    TRY(graph_search_many(view, &question, sample, threads, NULL, &(struct nearest){id, score, 0},
                          error));
    recall_drop_self(row, sample, k, exact_id, exact_score);
    recall_drop_self(row, sample, k, id, score);
    out->queries = sample;
    size_t found = recall_count(exact_id, exact_score, id, score, sample, k, &wanted);
    out->share = wanted ? (double)found / (double)wanted : 1.0;
done:
    mem_free(row);
    mem_free(vector);
    mem_free(exact_id);
    mem_free(exact_score);
    mem_free(id);
    mem_free(score);
    return status;
}

#endif
