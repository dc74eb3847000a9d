/* Finds candidate pairs in an index and scores them by the full decision, for dedup and link. It
 * does not cluster. */
#include "dedup/candidates.h"
#include "base/mem.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

film_status candidates_init(struct candidates *search, const film_model *model,
                            const struct candidates_request *request, film_error *error)
{
    enum { RECORDS_FROM = 16384 };
    film_status status = FILM_OK;
    *search = (struct candidates){.model = model,
                                  .threshold = request->threshold != 0 ? request->threshold
                                                                       : CANDIDATES_THRESHOLD,
                                  .k = request->candidates ? request->candidates : CANDIDATES_K,
                                  .blocking_from = model->fields.count ? RECORDS_FROM : 0,
                                  .progress = request->progress};
    if (!(search->threshold > 0 && search->threshold < 1))
        TRY(status_set(error, FILM_USAGE, "threshold %g is not between 0 and 1",
                       request->threshold));
    if (search->k > 10000)
        TRY(status_set(error, FILM_USAGE, "candidates: %zu is too many; choose at most 10000",
                       request->candidates));
    TRY(match_rule(&search->rule, &model->decision, request->answer, error));
    search->rule.pool = request->pool;
    search->threads = threads_count(request->answer->threads);
    TRY_ALLOC(search->verdicts = mem_array(CANDIDATES_BATCH, sizeof *search->verdicts), error);
    TRY_ALLOC(search->match = mem_zeroed((size_t)search->threads, sizeof *search->match), error);
    for (int i = 0; i < search->threads; i++)
        TRY(match_init(&search->match[i], &model->decision, &search->rule, error));
done:
    return status;
}

void candidates_free(struct candidates *search)
{
    for (int i = 0; search->match && i < search->threads; i++) match_free(&search->match[i]);
    mem_free(search->match);
    mem_free(search->verdicts);
    mem_free(search->order);
    known_items_free(&search->known);
    memset(search, 0, sizeof *search);
}

/* ---- Candidates ---- */

/* Fills the list of query I; FOUND has room for one more, the sentence itself. */
static film_status search_one_text(const struct candidate_query *request,
                                   struct index_searcher *searcher, size_t i,
                                   struct index_candidate *found, size_t *count, film_error *error)
{
    return index_candidates_text(request->index, searcher, request->queries[i],
                                 request->k + (request->own != 0), found, count, error);
}

/* The same by the vector of the sentence, or by the blocking of records. */
static film_status search_near(const struct candidate_query *request, int thread, size_t i,
                               struct index_candidate *found, size_t *count, film_error *error)
{
    uint32_t id[CANDIDATES_NEAR];
    float score[CANDIDATES_NEAR];
    struct nearest near = {id, score, 0};
    film_status status = FILM_OK;
    if (request->blocking)
        blocking_search(request->blocking, request->blocking_searchers[thread], (uint32_t)i,
                        request->least, request->k, &near);
    else
        status = index_near_id(request->index, request->searchers[thread], (uint32_t)i,
                               request->least, request->k + 1, &near, error);
    if (status != FILM_OK) return status;
    for (size_t c = 0; c < near.found; c++)
        found[c] = (struct index_candidate){.id = id[c], .dense = score[c]};
    *count = near.found;
    return FILM_OK;
}

static film_status fill_list(const struct candidate_query *request, int thread, size_t place,
                             film_error *error)
{
    size_t k = request->k, count = 0, taken = 0;
    if (request->order) place = request->order[place];
    size_t i = request->which ? request->which[place] : place;
    struct index_candidate *found = request->found + (size_t)thread * (k + 1);
    uint32_t *list = request->lists + place * k;
    film_status status = request->least > 0 ? search_near(request, thread, i, found, &count, error)
                                            : search_one_text(request, request->searchers[thread],
                                                              i, found, &count, error);
    if (status != FILM_OK) return status;
    for (size_t c = 0; c < count && taken < k; c++) {
        if (request->own && found[c].id == i) continue;
        if (request->cosine) request->cosine[place * k + taken] = found[c].dense;
        list[taken++] = found[c].id;
    }
    while (taken < k) list[taken++] = CANDIDATES_NONE;
    return FILM_OK;
}

static film_status query_chunk(struct threads_worker *worker, void *user, film_error *error)
{
    const struct candidate_query *request = user;
    film_status status = FILM_OK;
    size_t begin, end;
    while (threads_next(worker, &begin, &end))
        for (size_t i = request->first + begin; i < request->first + end; i++)
            TRY(fill_list(request, worker->number, i, error));
done:
    return status;
}

film_status candidates_fill(struct candidate_query *request, size_t count, film_error *error)
{
    enum { SOME = 4096, CHUNK = 32 };
    film_status status = FILM_OK;
    const struct candidates *search = request->search;
    size_t threads = (size_t)search->threads;
    int listed = !request->which && request->least <= 0; /* a network reads the texts ahead */
    TRY_ALLOC(
        (request->searchers = mem_zeroed(threads, sizeof(struct index_searcher *))) &&
            (request->blocking_searchers = mem_zeroed(threads, sizeof(struct blocking_searcher *))),
        error);
    TRY_ALLOC(request->found = mem_array(threads * (request->k + 1), sizeof *request->found),
              error);
    for (size_t i = 0; i < threads; i++) {
        TRY(index_searcher_new(request->index, &request->searchers[i], error));
        if (request->wide) index_searcher_widen(request->searchers[i]);
        if (request->blocking)
            TRY(blocking_searcher_new(request->blocking, &request->blocking_searchers[i], error));
    }
    for (size_t first = 0; first < count; first += SOME) {
        size_t last = count - first < SOME ? count : first + SOME;
        if (listed)
            TRY(encoder_expect(&search->model->encoder, request->queries + first, last - first,
                               search->threads, error));
        request->first = first;
        TRY(threads_for(search->threads, last - first, CHUNK, query_chunk, request, error));
        if (request->own && !request->which)
            TRY(progress_report(search->progress, "candidates", (double)last, (double)count,
                                error));
    }
done:
    for (size_t i = 0; request->searchers && i < threads; i++)
        index_searcher_free(request->searchers[i]);
    for (size_t i = 0; request->blocking_searchers && i < threads; i++)
        blocking_searcher_free(request->blocking_searchers[i]);
    mem_free(request->searchers);
    mem_free(request->blocking_searchers);
    request->blocking_searchers = NULL;
    mem_free(request->found);
    request->searchers = NULL;
    request->found = NULL;
    return status;
}

film_status candidates_find(const struct candidates *search, const struct index *index,
                            const film_text *queries, size_t count, int own, uint32_t *lists,
                            film_error *error)
{
    struct candidate_query request = {.search = search,
                                      .index = index,
                                      .queries = queries,
                                      .own = own,
                                      .k = search->k,
                                      .lists = lists};
    return candidates_fill(&request, count, error);
}

/* ---- Scoring ---- */

struct judging {
    const struct candidates *search;
    const struct score_source *pairs;
    struct pair_terms *terms; /* NULL: not wanted, and the filter is used */
};

/* Without the evidence. */
static struct pair_terms terms_of(const struct match *match)
{
    const struct comparison *comparison = &match->survey.comparison;
    const struct comparison_side *a = &comparison->side[0], *b = &comparison->side[1];
    double shared = comparison->shared_rarity, less = fmin(a->rarity, b->rarity),
           more = fmax(a->rarity, b->rarity);
    return (struct pair_terms){{[PAIR_SIMILARITY] = (float)match->similarity,
                                [PAIR_WORDS] = (float)comparison->group[GROUP_WORD],
                                [PAIR_LESS] = (float)less,
                                [PAIR_MORE] = (float)more,
                                [PAIR_RAREST] = (float)fmin(a->rarest, b->rarest),
                                [PAIR_RARER] = (float)fmax(a->rarest, b->rarest),
                                [PAIR_SHARED] = (float)shared,
                                [PAIR_RAREST_SHARED] = (float)comparison->shared_rarest,
                                [PAIR_LESS_OF_SHARED] = (float)(less / (shared + 0.3)),
                                [PAIR_MORE_OF_SHARED] = (float)(more / (shared + 0.3)),
                                [PAIR_SHARED_OF_BOTH] = (float)(shared / (shared + more + 0.01))}};
}

/* Labelled pairs are known whatever their words are. */
static int is_excluded(const struct pair_filter *filter, const struct pair_terms *terms,
                       const struct match *match)
{
    return pair_filter_sum(filter, terms) < filter->least &&
           (!match->rule.memory ||
            decision_memory(match->decision, &match->survey) == MEMORY_UNKNOWN);
}

/* Judges pair I, unless a filter excludes it. */
static film_status judge_pair(const struct judging *judging, struct match *match, size_t i,
                              film_error *error)
{
    film_status status = FILM_OK;
    const struct candidates *search = judging->search;
    film_verdict *verdict = &search->verdicts[i];
    film_text a, b;
    judging->pairs->pair(judging->pairs->user, i, &a, &b);
    TRY(match_start(match, a, b, error));
    struct pair_terms terms = terms_of(match);
    int excluded = !judging->terms && is_excluded(&search->filter[FILTER_WORDS], &terms, match);
    if (!excluded) {
        TRY(match_weigh(match, error));
        terms.term[PAIR_EVIDENCE] = (float)match->survey.margin;
        excluded = !judging->terms && is_excluded(&search->filter[FILTER_EVIDENCE], &terms, match);
    }
    if (judging->terms) judging->terms[i] = terms;
    if (excluded)
        *verdict = (film_verdict){.log_odds = -INFINITY};
    else
        TRY(match_finish(match, verdict, error));
done:
    return status;
}

static film_status judge_some(struct threads_worker *worker, void *user, film_error *error)
{
    film_status status = FILM_OK;
    const struct judging *judging = user;
    size_t begin, end;
    while (threads_next(worker, &begin, &end))
        for (size_t i = begin; i < end; i++)
            TRY(judge_pair(judging, &judging->search->match[worker->number], i, error));
done:
    return status;
}

film_status candidates_weigh(struct candidates *search, const struct score_source *pairs,
                             size_t count, struct pair_terms *terms, film_error *error)
{
    enum { GRAIN = 128 };
    struct judging judging = {search, pairs, terms};
    return threads_for(search->threads, count, GRAIN, judge_some, &judging, error);
}

film_status candidates_judge(struct candidates *search, const struct score_source *pairs,
                             size_t count, film_error *error)
{
    if (search->filters) return candidates_weigh(search, pairs, count, NULL, error);
    return score_pairs(&search->model->decision, &search->rule, pairs, count, search->threads,
                       search->verdicts, error);
}

film_status candidates_judge_one(const struct candidates *search, int thread, film_text a,
                                 film_text b, float *probability, film_error *error)
{
    film_verdict verdict = {0};
    film_status status = match_score(&search->match[thread], a, b, &verdict, error);
    *probability = (float)verdict.probability;
    return status;
}

int candidates_sure(const struct candidates *search, const film_verdict *verdict)
{
    double threshold = search->threshold, rare = log(FILM_RARE / (1 - FILM_RARE));
    double log_odds = verdict->log_odds - search->rule.prior_log_odds + rare;
    return log_odds >= log(threshold / (1 - threshold));
}
