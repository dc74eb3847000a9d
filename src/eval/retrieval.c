/* Measures at which rank an exact search finds the duplicate of a question. */
#include "eval/retrieval.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

void retrieval_free(struct retrieval *retrieval)
{
    mem_free(retrieval->rank);
    memset(retrieval, 0, sizeof *retrieval);
}

static void summarise(struct retrieval *retrieval)
{
    double count = (double)retrieval->queries, found[3] = {0, 0, 0}, reciprocal = 0;
    static const uint32_t depth[3] = {1, 10, 36};
    for (size_t i = 0; i < retrieval->queries; i++) {
        for (int d = 0; d < 3; d++) found[d] += retrieval->rank[i] <= depth[d];
        reciprocal += 1.0 / retrieval->rank[i];
    }
    retrieval->r1 = count > 0 ? found[0] / count : NAN;
    retrieval->r10 = count > 0 ? found[1] / count : NAN;
    retrieval->r36 = count > 0 ? found[2] / count : NAN;
    retrieval->mrr = count > 0 ? reciprocal / count : NAN;
}

film_status retrieval_measure(struct retrieval *retrieval, const struct flat *pool,
                              const struct labelled_ids *pairs, size_t limit, int threads,
                              const film_progress *progress, film_error *error)
{
    film_status status = FILM_OK;
    const uint32_t *a = pairs->a, *b = pairs->b;
    uint32_t *query = mem_array(pairs->count, sizeof *query);
    uint32_t *target = mem_array(pairs->count, sizeof *target);
    *retrieval = (struct retrieval){.pool = pool->count};
    TRY_ALLOC(query && target, error);
    TRY_ALLOC(retrieval->rank = mem_array(pairs->count, sizeof *retrieval->rank), error);
    size_t count = 0;
    for (size_t i = 0; i < pairs->count && (limit == 0 || count < limit); i++) {
        if (pairs->label[i] < 0.5f || a[i] == b[i]) continue;
        query[count] = a[i];
        target[count++] = b[i];
    }
    retrieval->queries = count;
    struct flat_queries queries = {.id = query, .count = count};
    TRY(flat_rank(pool, &queries, target, threads, progress, retrieval->rank, error));
    summarise(retrieval);
done:
    mem_free(query);
    mem_free(target);
    if (status != FILM_OK) retrieval_free(retrieval);
    return status;
}
