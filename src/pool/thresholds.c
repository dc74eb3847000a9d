/* film_pool_thresholds: precision and recall over the threshold, from the answers of reviews. Each
 * range of probability is a stratum: its answers are weighted to the stratum's share of the pool's
 * random pairs (post-stratification), because review prefers doubtful pairs. */
#include "base/mem.h"
#include "base/sized.h"
#include "base/sort.h"
#include "pool/learn_labels.h"
#include "pool/sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The inner edges of the strata: even steps of log-odds, about. */
static const double edges[] = {0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98};
enum { EDGES = sizeof edges / sizeof *edges, STRATA = EDGES + 1, POINTS = 99 };

static size_t stratum_of(double probability)
{
    size_t at = 0;
    while (at < EDGES && probability >= edges[at]) at++;
    return at;
}

/* ---- The stored threshold ---- */

film_status pool_stored_threshold(struct db *db, double *threshold, film_error *error)
{
    char *text = NULL, *end = NULL;
    film_status status = store_get(db, "threshold", &text, error);
    double value = text ? strtod(text, &end) : 0;
    *threshold = 0;
    if (text && (end == text || *end || !(value >= 0 && value < 1)))
        status = status_set(error, FILM_BAD_INPUT, "%s is damaged: invalid threshold", db->path);
    else
        *threshold = value;
    mem_free(text);
    return status;
}

film_status film_pool_set_threshold(film_pool *pool, double threshold, film_error *error)
{
    film_status status = FILM_OK;
    struct store_write write;
    char text[32];
    double before = 0;
    int writing = 0;
    if (!pool) return pool_missing(error, "pool");
    if (!(threshold == 0 || (threshold >= 0.0001 && threshold <= 0.9999)))
        return status_set(error, FILM_USAGE,
                          "threshold %g is not between 0.0001 and 0.9999, or 0 for none",
                          threshold);
    if (pool->remote)
        return status_set(error, FILM_USAGE,
                          "%s: a pool in PostgreSQL stores no threshold; pass it with each call",
                          pool->path);
    snprintf(text, sizeof text, "%.4f", threshold);
    TRY(pool_write(pool, NULL, "storing", 0, &write, error));
    writing = 1;
    TRY(pool_stored_threshold(write.db, &before, error));
    if (before == strtod(text, NULL)) goto done;
    TRY(store_set(write.db, "threshold", film_string(text), error));
    write.change++; /* for those who watch the counter */
    TRY(pool_commit(pool, &write, error));
done:
    if (writing) pool_write_end(pool);
    return status;
}

/* ---- Random pairs ---- */

struct random_pair {
    size_t a, b; /* rows of the texts */
    double probability;
    int same;
};

struct pool_answer {
    double probability, weight;
    int same;
};

struct thresholding {
    film_pool *pool;
    film_thresholds_options options;
    film_thresholds result;
    struct rng rng;
    struct batch drawn, found;
    struct random_pair *pairs;
    size_t pair_count, pair_capacity;
    size_t query, seen; /* neighbours of the query so far */
    struct pool_answer *answers;
    size_t answer_count;
    film_status status;
    film_error *error;
};

/* One of the nearest neighbours of each query, by reservoir sampling. */
static int take_random(void *user, const film_found *found)
{
    struct thresholding *at = user;
    const film_sentence *query = &at->drawn.rows[found->query];
    film_sentence kept = {.id = found->sentence.id, .text = found->sentence.text};
    if (kept.id.length == query->id.length &&
        memcmp(kept.id.bytes, query->id.bytes, kept.id.length) == 0)
        return 0;
    if (at->query != found->query) at->seen = 0;
    at->query = found->query;
    if (at->seen++ >= SAMPLE_NEAREST) return 0;
    void *pairs = at->pairs;
    if (at->seen == 1) {
        int grown = mem_grow(&pairs, &at->pair_capacity, at->pair_count + 1, sizeof *at->pairs);
        at->pairs = pairs;
        if (!grown) at->status = status_no_memory(at->error);
        if (!grown) return 1;
        at->pair_count++;
    } else if (rng_below(&at->rng, at->seen) != 0) {
        return 0;
    }
    at->status = batch_add(&at->found, &kept, 0, at->error);
    at->pairs[at->pair_count - 1] = (struct random_pair){
        found->query, at->found.count - 1, found->verdict.probability, found->verdict.same};
    return at->status != FILM_OK;
}

static int pairs_by_probability(const void *a, const void *b)
{
    const struct random_pair *left = a, *right = b;
    if (left->probability != right->probability)
        return left->probability < right->probability ? -1 : 1;
    return left->a < right->a ? -1 : left->a > right->a;
}

static film_status draw_threshold_pairs(struct thresholding *at, film_error *error)
{
    film_status status = FILM_OK;
    film_text *queries = NULL;
    film_search_options search = {.size = sizeof search,
                                  .k = SAMPLE_NEAREST + 1,
                                  .candidates = 20,
                                  .answer = at->options.answer,
                                  .progress = at->options.progress};
    TRY(sample_sentences(at->pool, &at->rng, at->options.sample, &at->drawn, error));
    TRY_ALLOC(queries = mem_array(at->drawn.count, sizeof *queries), error);
    for (size_t i = 0; i < at->drawn.count; i++) queries[i] = at->drawn.rows[i].text;
    at->query = SIZE_MAX;
    TRY(film_pool_search_many(at->pool, queries, at->drawn.count, &search, take_random, at, error));
    TRY(at->status);
    sort_array(at->pairs, at->pair_count, sizeof *at->pairs, pairs_by_probability);
done:
    mem_free(queries);
    return status;
}

/* ---- Answers ---- */

/* Answers of reviews that the model in service has not seen, with its verdict: those that it was
 * trained on are judged by models that were trained without them, when it was learned. Other
 * answers say nothing about it. */
static film_status collect_answers(struct thresholding *at, film_error *error)
{
    film_status status = FILM_OK;
    struct db *db = NULL;
    struct pool_learning labels = {.pool = at->pool,
                                   .options = {.threads = at->options.answer.threads}};
    status = pool_read(at->pool, &db, error);
    if (status == FILM_OK) status = learn_labels_read(&labels, db, error);
    pool_read_end(at->pool, db);
    TRY(status);
    TRY(learn_labels_judge(&labels, error));
    TRY_ALLOC(at->answers = mem_array(labels.count, sizeof *at->answers), error);
    for (size_t i = 0; i < labels.count; i++) {
        const struct learn_label *label = &labels.labels[i];
        if (label->reviewed && label->old_judged)
            at->answers[at->answer_count++] =
                (struct pool_answer){label->old_probability, 0, label->pair.label >= 0.5};
    }
done:
    learn_labels_free(&labels);
    return status;
}

/* Weight of an answer: its stratum's share of the pairs, over the answers there. */
static void weigh_by_stratum(struct thresholding *at)
{
    size_t pairs[STRATA] = {0}, answers[STRATA] = {0}, covered = 0;
    for (size_t i = 0; i < at->pair_count; i++) pairs[stratum_of(at->pairs[i].probability)]++;
    for (size_t i = 0; i < at->answer_count; i++) answers[stratum_of(at->answers[i].probability)]++;
    for (size_t i = 0; i < at->answer_count; i++) {
        size_t stratum = stratum_of(at->answers[i].probability);
        at->answers[i].weight = (double)pairs[stratum] / (double)answers[stratum];
    }
    for (size_t i = 0; i < STRATA; i++) covered += answers[i] ? pairs[i] : 0;
    at->result.pairs = at->pair_count;
    at->result.answers = at->answer_count;
    at->result.covered = at->pair_count ? (double)covered / (double)at->pair_count : 0;
    at->result.enough = at->answer_count >= FILM_THRESHOLDS_ENOUGH && at->result.covered >= 0.95;
}

/* ---- The curve ---- */

static double share_of_whole(double part, double whole)
{
    return whole > 0 ? part / whole : -1;
}

/* The interval uses Kish's effective number of answers, (sum of weights)^2 / sum of squares. */
static void set_estimate(double part, double whole, double squares, double estimate[3])
{
    estimate[0] = estimate[1] = estimate[2] = share_of_whole(part, whole);
    if (whole > 0) review_interval(estimate[0], whole * whole / squares, &estimate[1]);
}

static film_pool_threshold_point threshold_point(const struct thresholding *at, double threshold)
{
    film_pool_threshold_point point = {.threshold = threshold};
    double called = 0, expected = 0, all = 0;
    for (size_t i = 0; i < at->pair_count; i++) {
        double probability = at->pairs[i].probability;
        called += probability >= threshold;
        expected += probability >= threshold ? probability : 0;
        all += probability;
    }
    point.share = at->pair_count ? called / (double)at->pair_count : 0;
    point.expected_precision = share_of_whole(expected, called);
    point.expected_recall = share_of_whole(expected, all);
    double right = 0, above = 0, same = 0, above_squares = 0, same_squares = 0;
    for (size_t i = 0; i < at->answer_count; i++) {
        const struct pool_answer *answer = &at->answers[i];
        double weight = answer->weight, square = weight * weight;
        int is_above = answer->probability >= threshold;
        point.answers += (uint64_t)is_above;
        right += is_above && answer->same ? weight : 0;
        above += is_above ? weight : 0;
        above_squares += is_above ? square : 0;
        same += answer->same ? weight : 0;
        same_squares += answer->same ? square : 0;
    }
    double precision[3], recall[3];
    set_estimate(right, above, above_squares, precision);
    set_estimate(right, same, same_squares, recall);
    point.precision = precision[0];
    point.precision_low = precision[1];
    point.precision_high = precision[2];
    point.recall = recall[0];
    point.recall_low = recall[1];
    point.recall_high = recall[2];
    return point;
}

static film_status report_points(struct thresholding *at)
{
    const film_thresholds_options *options = &at->options;
    for (int i = POINTS; i >= 1 && options->budget > 0; i--) {
        film_pool_threshold_point point = threshold_point(at, i / 100.0);
        double precision = at->result.enough ? point.precision : point.expected_precision;
        if (precision >= 1 - options->budget) at->result.budget_at = point;
    }
    for (int i = 1; i <= POINTS && options->point; i++) {
        film_pool_threshold_point point = threshold_point(at, i / 100.0);
        if (options->point(options->user, &point)) return FILM_CANCELLED;
    }
    return FILM_OK;
}

static film_status report_examples(struct thresholding *at)
{
    size_t given = 0;
    int bin = -1;
    for (size_t i = 0; i < at->pair_count && at->options.example; i++) {
        const struct random_pair *pair = &at->pairs[i];
        int own = (int)(100 * pair->probability);
        given = own == bin ? given + 1 : 0;
        bin = own;
        if (given >= at->options.examples) continue;
        const film_sentence *a = &at->drawn.rows[pair->a], *b = &at->found.rows[pair->b];
        film_review_pair example = {.first = {a->id, a->text},
                                    .second = {b->id, b->text},
                                    .probability = pair->probability,
                                    .same = pair->same,
                                    .random = 1};
        if (at->options.example(at->options.user, &example)) return FILM_CANCELLED;
    }
    return FILM_OK;
}

/* ---- The call ---- */

static film_status check_thresholds(film_thresholds_options *options, film_error *error)
{
    if (options->sample == 0) options->sample = 1000;
    if (options->examples == 0) options->examples = 3;
    if (options->seed == 0) options->seed = 1;
    if (options->sample > 100000)
        return status_set(error, FILM_USAGE, "film_thresholds_options.sample is above 100000");
    if (!(options->budget >= 0 && options->budget < 1))
        return status_set(error, FILM_USAGE, "budget %g is not between 0 and 1", options->budget);
    return FILM_OK;
}

film_status film_pool_thresholds(film_pool *pool, const film_thresholds_options *options,
                                 film_thresholds *result, film_error *error)
{
    film_status status = FILM_OK;
    struct thresholding at = {.pool = pool, .error = error};
    struct db *db = NULL;
    if (!pool) return pool_missing(error, "pool");
    TRY(sized_check(result, "film_thresholds", error));
    TRY(sized_options(&at.options, sizeof at.options, options, "film_thresholds_options", error));
    TRY(check_thresholds(&at.options, error));
    rng_seed(&at.rng, at.options.seed);
    status = pool_read(pool, &db, error);
    if (status == FILM_OK) status = pool_stored_threshold(db, &at.result.threshold, error);
    pool_read_end(pool, db);
    TRY(status);
    TRY(draw_threshold_pairs(&at, error));
    TRY(collect_answers(&at, error));
    weigh_by_stratum(&at);
    TRY(report_points(&at));
    TRY(report_examples(&at));
    at.result.size = sizeof at.result;
    sized_fill(result, &at.result, sizeof at.result);
done:
    batch_free(&at.drawn);
    batch_free(&at.found);
    mem_free(at.pairs);
    mem_free(at.answers);
    return status;
}
