/* film_pool_search: retrieves candidates from the index, scores them by the pair decision, and
 * ranks by both. Building the index is in snapshot.c. */
#include "base/mem.h"
#include "base/sort.h"
#include "base/sized.h"
#include "base/threads.h"
#include "pair/answered.h"
#include "pair/match.h"
#include "pool/batch.h"
#include "pool/best.h"
#include "pool/snapshot.h"
#include "base/utf8.h"
#include "text/value.h"

#include <stdlib.h>
#include <string.h>

/* ---- State ---- */

struct candidate {
    int64_t number;
    struct best_found by; /* how the index found it */
};

struct answer {
    size_t row; /* of the texts of the result */
    film_verdict verdict;
    double score;
    double answered;
    int64_t number;
};

/* The results of one query. */
struct result {
    struct batch texts;
    struct answer *list;
    size_t count;
};

/* Scratch space of one thread. */
struct search_worker {
    struct db *db;
    struct index_searcher *searcher;
    struct match match;
    int has_match;
    struct index_candidate *found; /* room for `candidates` */
    struct candidate *candidate;
    struct answer *answer;
    struct best_scores best;
};

struct search {
    film_pool *pool;
    const film_search_options *options;
    struct pool_learned *learned;
    const film_model *model;
    struct match_rule rule;
    struct search_worker *workers;
    size_t worker_count;
    /* Sentences that match the conditions, ascending; NULL: no conditions. */
    int64_t *allowed;
    size_t allowed_count, allowed_capacity;
    uint32_t *id; /* the same as ids of the index as of change `filtered` */
    uint8_t *mask;
    struct index_filter filter;
    uint64_t filtered;
    pthread_mutex_t filtering; /* held while it is computed */
};

/* ---- Conditions ---- */

struct listing {
    struct search *search;
    film_status status;
    film_error *error;
};

static int allow(void *user, const struct store_sentence *sentence)
{
    struct listing *listing = user;
    struct search *search = listing->search;
    void *allowed = search->allowed;
    if (!mem_grow(&allowed, &search->allowed_capacity, search->allowed_count + 1,
                  sizeof *search->allowed)) {
        listing->status = status_no_memory(listing->error);
        return 1;
    }
    search->allowed = allowed;
    search->allowed[search->allowed_count++] = sentence->number;
    return 0;
}

static int by_number(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return left < right ? -1 : left > right;
}

/* Finds the matching sentences, once for all queries of a call. */
static film_status find_allowed(struct search *search, struct db *db, film_error *error)
{
    film_status status = FILM_OK;
    struct listing listing = {search, FILM_OK, error};
    film_pool_filter filter = {.where = search->options->where,
                               .where_count = search->options->where_count};
    if (filter.where_count == 0) return FILM_OK;
    TRY_ALLOC(search->allowed = mem_array(64, sizeof *search->allowed), error);
    search->allowed_capacity = 64;
    TRY(store_each(db, &filter, allow, &listing, error));
    TRY(listing.status);
    for (size_t i = 0; i < filter.where_count && search->allowed_count == 0; i++) {
        int has;
        char shown[VALUE_SHOWN];
        TRY(store_has_field(db, filter.where[i].field, &has, error));
        if (!has)
            TRY(status_set(error, FILM_BAD_INPUT,
                           "no sentence of %s has a field \"%s\"; check the name of the field",
                           search->pool->path, value_show(filter.where[i].field, shown)));
    }
done:
    return status;
}

/* Converts numbers to ids of the index. Call it with the snapshot held; again when it has
 * changed. */
static film_status make_filter(struct search *search, const struct pool_snapshot *snapshot,
                               film_error *error)
{
    film_status status = FILM_OK;
    if (!search->allowed || (search->mask && search->filtered == snapshot->change)) return FILM_OK;
    mem_free(search->id);
    mem_free(search->mask);
    search->mask = NULL;
    search->id = NULL;
    TRY_ALLOC((search->id = mem_array(snapshot->count, sizeof *search->id)) &&
                  (search->mask = mem_zeroed(snapshot->count + 1, 1)),
              error);
    size_t count = 0;
    for (size_t i = 0; i < snapshot->count; i++) {
        if (!bsearch(&snapshot->numbers[i], search->allowed, search->allowed_count,
                     sizeof *search->allowed, by_number))
            continue;
        search->mask[i] = 1;
        search->id[count++] = (uint32_t)i;
    }
    search->filter = (struct index_filter){search->id, count, search->mask};
    search->filtered = snapshot->change;
done:
    return status;
}

/* ---- One query ---- */

static int answers_by_score(const void *a, const void *b)
{
    const struct answer *left = a, *right = b;
    if (left->score != right->score) return left->score > right->score ? -1 : 1;
    return left->number < right->number ? -1 : left->number > right->number;
}

/* Returns candidates as numbers of the pool, and releases the snapshot. */
static film_status find_candidates(struct search *search, struct search_worker *worker,
                                   film_text query, size_t *count, film_error *error)
{
    film_status status = FILM_OK;
    const struct pool_snapshot *snapshot = NULL;
    size_t found = 0;
    TRY(snapshot_begin(search->pool, search->learned, worker->db, search->options->answer.threads,
                       NULL, &snapshot, error));
    if (search->allowed) {
        pthread_mutex_lock(&search->filtering);
        film_status made = make_filter(search, snapshot, error);
        pthread_mutex_unlock(&search->filtering);
        TRY(made);
    }
    if (!worker->searcher) TRY(index_searcher_new(snapshot->index, &worker->searcher, error));
    struct index_query wanted = {.text = query,
                                 .filter = search->allowed ? &search->filter : NULL,
                                 .k = search->options->candidates};
    TRY(index_candidates_among(snapshot->index, worker->searcher, &wanted, worker->found, &found,
                               error));
    for (size_t i = 0; i < found; i++)
        worker->candidate[i] = (struct candidate){
            snapshot->numbers[worker->found[i].id],
            {index_known(worker->searcher), worker->found[i].dense, worker->found[i].lexical}};
done:
    if (snapshot) snapshot_end(search->learned);
    *count = found;
    return status;
}

/* Lets a network encode the texts of the candidates in one batch, before they are scored. */
static film_status expect_candidates(struct search *search, struct search_worker *worker,
                                     film_text query, size_t count, film_error *error)
{
    film_status status = FILM_OK;
    struct store_sentence sentence;
    struct batch texts = {0};
    int found, threads = search->worker_count == 1 ? search->options->answer.threads : 1;
    film_text *list = NULL;
    if (!search->model->encoder.network) return FILM_OK;
    for (size_t i = 0; i < count; i++) {
        TRY(store_find_number(worker->db, worker->candidate[i].number, &sentence, &found, error));
        if (found) TRY(batch_add(&texts, &sentence.fields, 0, error));
    }
    TRY_ALLOC(list = mem_array(texts.count + 1, sizeof *list), error);
    for (size_t i = 0; i < texts.count; i++) list[i] = texts.rows[i].text;
    list[texts.count] = query;
    TRY(encoder_expect(&search->model->encoder, list, texts.count + 1, threads, error));
done:
    mem_free(list);
    batch_free(&texts);
    return status;
}

/* Scores the candidates with the texts that this worker's transaction sees; not to the end where
 * one cannot be among the best. */
static film_status judge_candidates(struct search *search, struct search_worker *worker,
                                    film_text query, size_t count, size_t *judged,
                                    struct batch *texts, film_error *error)
{
    film_status status = FILM_OK;
    struct store_sentence sentence;
    int found;
    *judged = 0;
    worker->best.count = 0;
    TRY(expect_candidates(search, worker, query, count, error));
    for (size_t i = 0; i < count; i++) {
        struct answer *answer = &worker->answer[*judged];
        TRY(store_find_number(worker->db, worker->candidate[i].number, &sentence, &found, error));
        if (!found) continue; /* removed in the meantime */
        TRY(match_start(&worker->match, query, sentence.fields.text, error));
        if (!best_possible(&worker->best, &worker->match, &worker->candidate[i].by)) continue;
        TRY(match_finish(&worker->match, &answer->verdict, error));
        if (answer->verdict.probability < search->options->least) continue;
        answer->number = sentence.number;
        answer->row = texts->count;
        TRY(batch_add(texts, &sentence.fields, 0, error));
        answer->score =
            best_score(&worker->match, &worker->candidate[i].by, answer->verdict.log_odds);
        best_note(&worker->best, answer->score);
        answer->answered = -1;
        if (worker->match.rule.full) {
            struct answered_pair pair = answered_pair(&worker->match, &answer->verdict);
            answer->answered = answered_probability(&search->model->decision.answered, &pair);
        }
        ++*judged;
    }
done:
    return status;
}

/* Returns whether an answer reaches the threshold. */
static int answers(const struct search *search, const struct answer *answer)
{
    return answer->answered < 0 || answer->answered >= search->model->decision.answered.threshold;
}

static film_status search_one(struct search *search, struct search_worker *worker, film_text query,
                              struct result *result, film_error *error)
{
    film_status status = FILM_OK;
    size_t count, judged;
    TRY(find_candidates(search, worker, query, &count, error));
    TRY(judge_candidates(search, worker, query, count, &judged, &result->texts, error));
    sort_array(worker->answer, judged, sizeof *worker->answer, answers_by_score);
    if (judged > search->options->k) judged = search->options->k;
    if (judged && search->options->answered_only && !answers(search, worker->answer)) judged = 0;
    TRY_ALLOC(result->list = mem_array(judged, sizeof *result->list), error);
    if (judged) memcpy(result->list, worker->answer, judged * sizeof *result->list);
    result->count = judged;
done:
    return status;
}

/* ---- All queries ---- */

static film_status search_worker_init(struct search *search, struct search_worker *worker,
                                      film_error *error)
{
    film_status status = FILM_OK;
    size_t room = search->options->candidates;
    TRY(pool_read(search->pool, &worker->db, error));
    TRY(match_init(&worker->match, &search->model->decision, &search->rule, error));
    worker->has_match = 1;
    worker->best.k = search->options->k;
    TRY_ALLOC((worker->found = mem_array(room, sizeof *worker->found)) &&
                  (worker->candidate = mem_array(room, sizeof *worker->candidate)) &&
                  (worker->answer = mem_array(room + 1, sizeof *worker->answer)) &&
                  (worker->best.score = mem_array(search->options->k, sizeof(double))),
              error);
done:
    return status;
}

static void search_free(struct search *search)
{
    for (size_t i = 0; i < search->worker_count; i++) {
        struct search_worker *worker = &search->workers[i];
        pool_read_end(search->pool, worker->db);
        index_searcher_free(worker->searcher);
        if (worker->has_match) match_free(&worker->match);
        mem_free(worker->found);
        mem_free(worker->candidate);
        mem_free(worker->answer);
        mem_free(worker->best.score);
    }
    mem_free(search->workers);
    mem_free(search->allowed);
    mem_free(search->id);
    mem_free(search->mask);
    pthread_mutex_destroy(&search->filtering);
}

static void result_free(struct result *result)
{
    batch_free(&result->texts);
    mem_free(result->list);
    *result = (struct result){.list = NULL};
}

/* Who gets the answers. */
struct found_listing {
    film_found_fn call;
    void *user;
    int stop; /* the caller has enough */
};

/* Hands the answers of query NUMBER over. */
static film_status list_found(struct search *search, film_text query, size_t number,
                              const struct result *result, struct found_listing *listing,
                              film_error *error)
{
    film_status status = FILM_OK;
    for (size_t i = 0; i < result->count && !listing->stop; i++) {
        const struct answer *answer = &result->list[i];
        const film_sentence *sentence = &result->texts.rows[answer->row];
        film_found found = {.query = number,
                            .place = i,
                            .sentence = *sentence,
                            .verdict = answer->verdict,
                            .score = answer->score,
                            .answered = answer->answered,
                            .answers = answers(search, answer)};
        if (search->options->explain)
            TRY(match_pair(&search->workers[0].match, query, sentence->text, 0, &found.verdict,
                           error));
        listing->stop = listing->call(listing->user, &found) != 0;
    }
done:
    return status;
}

/* Queries that several threads search. */
struct pool_query {
    struct search *search;
    const film_text *queries;
    struct result *results;
};

static film_status search_queries(struct threads_worker *worker, void *user, film_error *error)
{
    const struct pool_query *request = user;
    struct search *search = request->search;
    film_status status = FILM_OK;
    size_t i, end;
    while (threads_next(worker, &i, &end))
        TRY(search_one(search, &search->workers[worker->number], request->queries[i],
                       &request->results[i], error));
done:
    return status;
}

/* Builds the index before the threads search, so that all of them help and only this one reports
 * progress. */
static film_status prepare_search(struct search *search, film_error *error)
{
    const struct pool_snapshot *snapshot;
    film_status status = snapshot_begin(search->pool, search->learned, search->workers[0].db,
                                        search->options->answer.threads, &search->options->progress,
                                        &snapshot, error);
    if (status == FILM_OK) snapshot_end(search->learned);
    return status;
}

static film_status find_model(struct search *search, film_error *error)
{
    struct db *db = NULL;
    film_status status = pool_read(search->pool, &db, error);
    if (status == FILM_OK) status = pool_learned(search->pool, db, &search->learned, error);
    if (status == FILM_OK) search->model = search->learned->model;
    pool_read_end(search->pool, db);
    return status;
}

static film_status check_request(const film_text *queries, size_t count,
                                 const film_search_options *options, film_error *error)
{
    size_t bad;
    if (options->candidates > 32768)
        return status_set(error, FILM_USAGE, "candidates: %zu is too many; choose at most 32768",
                          options->candidates);
    if (!(options->least >= 0 && options->least <= 1))
        return status_set(error, FILM_USAGE, "minimum probability %g is not between 0 and 1",
                          options->least);
    for (size_t i = 0; i < count; i++)
        if (!utf8_valid(queries[i].bytes, queries[i].length, &bad))
            return status_set(error, FILM_BAD_INPUT, "query %zu is not valid UTF-8 at byte %zu",
                              i + 1, bad);
    return FILM_OK;
}

/* A few for each answer. With 25 candidates for 10 answers, R@1 and R@10 are those of 100
 * (docs/reference/results-speed.md). */
static size_t usual_candidates(size_t k)
{
    enum { LEAST = 25, MOST = 100 };
    size_t some = k < MOST ? k * 5 / 2 : MOST;
    return some < LEAST ? LEAST : some < MOST ? some : MOST;
}

film_status film_pool_search_many(film_pool *pool, const film_text *queries, size_t count,
                                  const film_search_options *options, film_found_fn call,
                                  void *user, film_error *error)
{
    enum { STRETCH = 256 }; /* queries whose results are buffered */
    film_status status = FILM_OK;
    film_search_options with = {0};
    struct result *results = NULL;
    struct found_listing listing = {call, user, 0};
    if (!pool || !call || (count && !queries)) return pool_missing(error, "pool, queries or call");
    status = sized_options(&with, sizeof with, options, "film_search_options", error);
    if (status != FILM_OK) return status;
    if (!with.k) with.k = 10;
    if (!with.candidates) with.candidates = usual_candidates(with.k);
    if (with.candidates < with.k) with.candidates = with.k;
    struct search search = {.pool = pool, .options = &with};
    size_t threads = (size_t)threads_count(with.answer.threads);
    if (threads > count) threads = count ? count : 1;
    pthread_mutex_init(&search.filtering, NULL);
    TRY(check_request(queries, count, &with, error));
    TRY(find_model(&search, error));
    TRY(match_rule(&search.rule, &search.model->decision, &with.answer, error));
    TRY_ALLOC((search.workers = mem_zeroed(threads, sizeof *search.workers)) &&
                  (results = mem_zeroed(STRETCH, sizeof *results)),
              error);
    for (; search.worker_count < threads; search.worker_count++)
        if ((status = search_worker_init(&search, &search.workers[search.worker_count], error))) {
            search.worker_count++;
            goto done;
        }
    TRY(find_allowed(&search, search.workers[0].db, error));
    TRY(prepare_search(&search, error));
    for (size_t first = 0; first < count && !listing.stop; first += STRETCH) {
        size_t some = count - first < STRETCH ? count - first : STRETCH;
        struct pool_query request = {&search, queries + first, results};
        status = threads_for((int)threads, some, 1, search_queries, &request, error);
        for (size_t i = 0; i < some; i++) {
            if (status == FILM_OK && !listing.stop)
                status = list_found(&search, queries[first + i], first + i, &results[i], &listing,
                                    error);
            result_free(&results[i]);
        }
        TRY(status);
        if (count > 1)
            TRY(progress_report(&with.progress, "searching", (double)(first + some), (double)count,
                                error));
    }
done:
    mem_free(results);
    search_free(&search);
    return status;
}

film_status film_pool_search(film_pool *pool, film_text query, const film_search_options *options,
                             film_found_fn call, void *user, film_error *error)
{
    return film_pool_search_many(pool, &query, 1, options, call, user, error);
}
