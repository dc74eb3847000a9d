#include "pool/compare.h"
#include "base/mem.h"
#include "base/threads.h"

#include <omp.h>
#include <string.h>

film_status compare_init(struct compare *compare, const struct comm *comm, const film_model *model,
                         const film_answer_options *answer, double threshold, size_t candidates,
                         const film_progress *progress, film_error *error)
{
    film_status status = FILM_OK;
    *compare = (struct compare){.comm = comm,
                                .model = model,
                                .threshold = threshold != 0 ? threshold : COMPARE_THRESHOLD,
                                .candidates = candidates ? candidates : COMPARE_CANDIDATES,
                                .progress = progress};
    if (!(compare->threshold > 0 && compare->threshold < 1))
        TRY(status_set(error, FILM_USAGE, "the threshold must lie between 0 and 1, not %g",
                       threshold));
    if (compare->candidates > 10000)
        TRY(status_set(error, FILM_USAGE, "%zu candidates are more than 10000", candidates));
    TRY(match_rule(&compare->rule, &model->decision, answer, error));
    compare->threads = threads_use(answer->threads);
    TRY_ALLOC(compare->verdicts = mem_array(COMPARE_BATCH, sizeof *compare->verdicts), error);
    TRY_ALLOC(compare->match = mem_zeroed((size_t)compare->threads, sizeof *compare->match), error);
    for (int i = 0; i < compare->threads; i++)
        TRY(match_init(&compare->match[i], &model->decision, &compare->rule, error));
done:
    return status;
}

void compare_free(struct compare *compare)
{
    for (int i = 0; compare->match && i < compare->threads; i++) match_free(&compare->match[i]);
    mem_free(compare->match);
    mem_free(compare->verdicts);
    memset(compare, 0, sizeof *compare);
}

/* ---- candidates ---- */

struct asking {
    const struct compare *compare;
    const struct index *index;
    const film_text *queries;
    int own;
};

/* Fills the list (k) of query I; FOUND has room for one more, the sentence itself. */
static film_status ask_one(const struct asking *asking, struct index_asker *asker, size_t i,
                           struct index_candidate *found, uint32_t *list, film_error *error)
{
    size_t k = asking->compare->candidates, count = 0, taken = 0;
    film_status status = index_candidates_text(asking->index, asker, asking->queries[i],
                                               k + (asking->own != 0), found, &count, error);
    if (status != FILM_OK) return status;
    for (size_t c = 0; c < count && taken < k; c++)
        if (!asking->own || found[c].id != i) list[taken++] = found[c].id;
    while (taken < k) list[taken++] = COMPARE_NONE;
    return FILM_OK;
}

static film_status ask_some(const struct asking *asking, struct index_asker **askers,
                            struct index_candidate *found, size_t first, size_t last,
                            uint32_t *lists, film_error *error)
{
    enum { STRETCH = 32 };
    film_status status = FILM_OK;
    size_t k = asking->compare->candidates;
#pragma omp parallel num_threads(asking->compare->threads)
    {
        int thread = omp_get_thread_num();
        film_error own_error;
        film_status own = FILM_OK;
#pragma omp for schedule(dynamic, STRETCH)
        for (size_t i = first; i < last; i++)
            if (own == FILM_OK)
                own = ask_one(asking, askers[thread], i, found + (size_t)thread * (k + 1),
                              lists + i * k, &own_error);
        if (own != FILM_OK) {
#pragma omp critical(compare_ask)
            status = status_set(error, own, "%s", own_error.message);
        }
    }
    return status;
}

film_status compare_candidates(const struct compare *compare, const struct index *index,
                               const film_text *queries, size_t count, int own, uint32_t *lists,
                               film_error *error)
{
    enum { SOME = 4096 };
    film_status status = FILM_OK;
    struct asking asking = {compare, index, queries, own};
    struct index_asker **askers = NULL;
    struct index_candidate *found = NULL;
    size_t threads = (size_t)compare->threads;
    if (compare->comm->size > 1)
        return compare_in_job(compare, index, queries, count, own, lists, error);
    TRY_ALLOC(askers = mem_zeroed(threads, sizeof *askers), error);
    TRY_ALLOC(found = mem_array(threads * (compare->candidates + 1), sizeof *found), error);
    for (size_t i = 0; i < threads; i++) TRY(index_asker_new(index, &askers[i], error));
    for (size_t first = 0; first < count; first += SOME) {
        size_t last = count - first < SOME ? count : first + SOME;
        TRY(encoder_expect(&compare->model->encoder, queries + first, last - first,
                           compare->threads, error));
        TRY(ask_some(&asking, askers, found, first, last, lists, error));
        if (own)
            TRY(progress_report(compare->progress, "candidates", (double)last, (double)count,
                                error));
    }
done:
    for (size_t i = 0; askers && i < threads; i++) index_asker_free(askers[i]);
    mem_free(askers);
    mem_free(found);
    return status;
}

/* ---- judging ---- */

film_status compare_batch(struct compare *compare, const struct score_source *pairs, size_t count,
                          film_error *error)
{
    return score_pairs(&compare->model->decision, &compare->rule, pairs, count, compare->threads,
                       compare->verdicts, error);
}

film_status compare_one(const struct compare *compare, int thread, film_text a, film_text b,
                        float *probability, film_error *error)
{
    film_verdict verdict = {0};
    film_status status = match_score(&compare->match[thread], a, b, &verdict, error);
    *probability = (float)verdict.probability;
    return status;
}
