/* Draws queries that nothing answers, searches for them among training sentences, and fits a
 * logistic function that tells their first answers from true duplicates. */
#include "learn/answered_fit.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/rng.h"
#include "base/topk.h"
#include "base/union_find.h"
#include "embed/vec.h"
#include "learn/calibrate_fit.h"
#include "learn/made_up.h"
#include "pair/answered.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 50, MOST_POOL = 3000, QUERIES = 300, JUDGED = 8, ROOM = 2000 };
/* Duplicates of training that are below the threshold. New queries say more that training has not
 * seen: of the FAQ's held-out questions an eighth are. */
#define REFUSED 0.04

/* A search among a sample of the sentences. */
struct small_pool {
    film_text *text;
    uint32_t *id;   /* sentence of the corpus */
    float *vectors; /* count x dim, of length 1 */
    size_t count, dim;
    struct union_find groups; /* sentences that mean the same, or have the same category */
    struct match match;
    struct feature_row row, other;
    float *query;
    double least; /* sentences that a word of the vocabulary is in */
};

static void small_pool_free(struct small_pool *pool)
{
    mem_free(pool->text);
    mem_free(pool->id);
    mem_free(pool->vectors);
    mem_free(pool->query);
    union_find_free(&pool->groups);
    match_free(&pool->match);
    feature_row_free(&pool->row);
    feature_row_free(&pool->other);
}

/* Joins what the labels call the same. */
static film_status join_groups(const struct corpus *corpus, struct union_find *groups,
                               film_error *error)
{
    film_status status = FILM_OK;
    uint32_t *first = mem_array(corpus->categories.count, sizeof *first);
    TRY_ALLOC(first, error);
    memset(first, 0xff, corpus->categories.count * sizeof *first);
    TRY(union_find_init(groups, corpus->sentences.count, error));
    for (size_t i = 0; i < corpus->rows; i++) {
        if (corpus->labels == FILM_LABELS_CATEGORIES) {
            uint32_t *own = &first[corpus->category[i]];
            if (*own == UINT32_MAX) *own = corpus->a[i];
            union_find_join(groups, *own, corpus->a[i]);
        } else if (corpus->labels == FILM_LABELS_TRIPLETS || corpus->label[i] >= 0.5f) {
            union_find_join(groups, corpus->a[i], corpus->b[i]);
        }
    }
done:
    mem_free(first);
    return status;
}

static film_status small_pool_init(struct small_pool *pool, const struct learn_input *input,
                                   const struct decision *decision, struct rng *rng,
                                   film_error *error)
{
    film_status status = FILM_OK;
    const struct corpus *corpus = input->corpus;
    size_t left = corpus->sentences.count;
    struct match_rule rule;
    pool->dim = decision->encoder->dim;
    pool->count = left < MOST_POOL ? left : MOST_POOL;
    TRY_ALLOC((pool->text = mem_array(pool->count, sizeof *pool->text)) &&
                  (pool->id = mem_array(pool->count, sizeof *pool->id)) &&
                  (pool->query = mem_array(pool->dim, sizeof(float))) &&
                  (pool->vectors = mem_array(pool->count * pool->dim, sizeof(float))),
              error);
    for (uint32_t s = 0, kept = 0; s < corpus->sentences.count; s++) {
        if (rng_below(rng, left--) >= pool->count - kept) continue;
        pool->id[kept] = s;
        pool->text[kept++] = strtab_get(&corpus->sentences, s);
    }
    TRY(join_groups(corpus, &pool->groups, error));
    TRY(encoder_embed_all(decision->encoder, pool->text, pool->count, input->options->threads,
                          pool->vectors, error));
    for (size_t i = 0; i < pool->count; i++)
        vec_normalise(pool->vectors + i * pool->dim, pool->dim);
    TRY(match_rule(&rule, decision, &(film_answer_options){.no_memory = 1}, error));
    TRY(match_init(&pool->match, decision, &rule, error));
    TRY(feature_row_init(&pool->row, input->features, error));
    TRY(feature_row_init(&pool->other, input->features, error));
    pool->least = (double)input->options->min_df;
done:
    return status;
}

/* A query, and a sentence of training that means the same. */
struct query {
    film_text text;
    film_text duplicate; /* without bytes: the query is no sentence of training */
    uint32_t group;      /* its sentences do not answer; UINT32_MAX: all may */
};

/* Returns answered_known of the query in pool->row under the vocabulary that training without it
 * and its duplicate would have: the words of a new query were not counted either. For records,
 * whose names and numbers are in one pair alone, that is most of them. */
static film_status known_without(struct small_pool *pool, const struct query *query, double *out,
                                 film_error *error)
{
    film_status status = FILM_OK;
    const struct features *features = pool->match.decision->encoder->features;
    uint32_t end = features->first[GROUP_WORD + 1];
    double known = 0, unknown = 0, rarest = end ? (double)features->idf[end - 1] : 0;
    *out = answered_known(features, &pool->row);
    if (!end || !query->duplicate.bytes) goto done;
    TRY(features_transform(features, &pool->other, query->duplicate, error));
    for (size_t i = 0; i < pool->row.grams.tokens.count; i++) {
        uint32_t id = pool->row.word[i]->id;
        double idf = id < end ? (double)features->idf[id] : rarest;
        /* The rarest word is in LEAST sentences; the idf says how many times as many this is in. */
        double sentences = (1 + pool->least) * exp(rarest - idf) - 1, own = 1;
        for (size_t j = 0; j < pool->other.grams.tokens.count && own < 2; j++)
            own += pool->other.word[j]->id == id;
        if (id < end && sentences - own > pool->least - 0.5)
            known += idf * idf;
        else
            unknown += rarest * rarest;
    }
    *out = known > 0 ? known / (known + unknown) : 0;
done:
    return status;
}

/* The first answer of a search. */
struct first {
    struct answered_pair pair;
    double score;
    int found;
};

/* Finds the first answer to QUERY, and what is known of the query. */
static film_status first_answer(struct small_pool *pool, const struct query *query, double *known,
                                struct first *first, film_error *error)
{
    film_status status = FILM_OK;
    float score[JUDGED];
    uint32_t id[JUDGED];
    struct topk top = topk_over(score, id, JUDGED);
    first->found = 0;
    TRY(encoder_embed(pool->match.decision->encoder, &pool->row, query->text, pool->query, error));
    TRY(known_without(pool, query, known, error));
    vec_normalise(pool->query, pool->dim);
    for (uint32_t i = 0; i < pool->count; i++)
        if (query->group == UINT32_MAX ||
            union_find_root(&pool->groups, pool->id[i]) != query->group)
            topk_offer(&top, (float)vec_dot(pool->query, pool->vectors + i * pool->dim, pool->dim),
                       i);
    topk_finish(&top);
    for (size_t k = 0; k < top.count; k++) {
        film_verdict verdict;
        TRY(match_score(&pool->match, query->text, pool->text[id[k]], &verdict, error));
        struct answered_pair pair = answered_pair(&pool->match, &verdict);
        pair.known = *known;
        double here = answered_score(&pair);
        if (first->found && here <= first->score) continue;
        *first = (struct first){pair, here, 1};
    }
done:
    return status;
}

/* ---- Rows to learn from ---- */

/* First answers: those that answer, and others. */
struct answer_rows {
    struct answered_pair *pair; /* room for 3 QUERIES, as the others */
    float *score, *target;
    size_t count, positives;
};

static void add_answer(struct answer_rows *rows, const struct answered_pair *pair, float target)
{
    rows->pair[rows->count] = *pair;
    rows->score[rows->count] = (float)answered_score(pair);
    rows->target[rows->count++] = target;
    rows->positives += target > 0;
}

/* One query with a duplicate: without it, the first answer is a negative; with it, whichever of the
 * two comes first is a positive. The duplicate was measured by models that did not see the pair. */
static film_status add_query(struct small_pool *pool, const struct out_of_fold *held, size_t i,
                             double margin, struct answer_rows *rows, film_error *error)
{
    film_status status = FILM_OK;
    const struct labelled_pairs *pairs = &held->pairs;
    const float *x = held->x + i * held->traits;
    struct first other;
    struct query query = {.group = union_find_root(&pool->groups, pairs->a[i])};
    struct answered_pair pair = {.log_odds = margin,
                                 .similarity = (double)held->similarity[i],
                                 .words = (double)x[trait_find("word_cosine")],
                                 .characters = (double)x[trait_find("char_cosine")]};
    labels_text(&(struct labelled_texts){held->corpus, pairs}, i, &query.text, &query.duplicate);
    TRY(first_answer(pool, &query, &pair.known, &other, error));
    add_answer(rows, !other.found || answered_score(&pair) >= other.score ? &pair : &other.pair, 1);
    if (other.found) add_answer(rows, &other.pair, 0);
done:
    return status;
}

static film_status add_rows(struct small_pool *pool, const struct out_of_fold *held,
                            const double *margin, struct rng *rng, struct answer_rows *rows,
                            film_error *error)
{
    film_status status = FILM_OK;
    char room[ROOM];
    size_t left = 0, wanted = QUERIES;
    for (size_t i = 0; i < held->pairs.count; i++) left += held->pairs.target[i] >= 0.5f;
    for (size_t i = 0; i < held->pairs.count && wanted; i++) {
        if (held->pairs.target[i] < 0.5f || rng_below(rng, left--) >= wanted) continue;
        wanted--;
        TRY(add_query(pool, held, i, margin[i], rows, error));
    }
    for (size_t q = 0; q < QUERIES; q++) {
        struct first first;
        double known;
        struct query query = {.group = UINT32_MAX};
        query.text = (film_text){room, made_up(pool->text, pool->count, rng, room, ROOM)};
        TRY(first_answer(pool, &query, &known, &first, error));
        if (first.found) add_answer(rows, &first.pair, 0);
    }
done:
    return status;
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

/* The threshold that all but a few true duplicates reach, at most one half. */
static film_status choose_answered_threshold(const struct answer_rows *rows,
                                             struct answer_rule *answered, film_error *error)
{
    double *value = mem_array(rows->positives, sizeof *value);
    size_t count = 0;
    if (!value) return status_no_memory(error);
    for (size_t i = 0; i < rows->count; i++)
        if (rows->target[i] > 0) value[count++] = answered_probability(answered, &rows->pair[i]);
    sort_array(value, count, sizeof *value, by_value);
    answered->threshold = fmin(0.5, value[(size_t)(REFUSED * (double)count)]);
    mem_free(value);
    return FILM_OK;
}

/* Both kinds count the same. */
static film_status fit_answered(const struct answer_rows *rows, struct answer_rule *answered,
                                film_error *error)
{
    film_status status = FILM_OK;
    struct calibration line;
    TRY(calibrate_fit(rows->score, rows->target, rows->count, &line, error));
    *answered = (struct answer_rule){.learned = 1, .scale = line.scale, .bias = line.bias};
    TRY(choose_answered_threshold(rows, answered, error));
done:
    return status;
}

film_status answered_fit(const struct learn_input *input, const struct out_of_fold *held,
                         const double *margin, struct decision *decision, film_error *error)
{
    film_status status = FILM_OK;
    struct small_pool pool = {.count = 0};
    struct answer_rows rows = {.count = 0};
    struct rng rng;
    if (!word_map_exists(&decision->encoder->map) || decision->encoder->network ||
        input->corpus->labels == FILM_LABELS_SCORES)
        return FILM_OK;
    rng_seed(&rng, input->options->seed);
    TRY_ALLOC((rows.pair = mem_array(3 * QUERIES, sizeof *rows.pair)) &&
                  (rows.score = mem_array(3 * QUERIES, sizeof(float))) &&
                  (rows.target = mem_array(3 * QUERIES, sizeof(float))),
              error);
    TRY(small_pool_init(&pool, input, decision, &rng, error));
    TRY(add_rows(&pool, held, margin, &rng, &rows, error));
    if (rows.positives >= FEW && rows.count - rows.positives >= FEW)
        TRY(fit_answered(&rows, &decision->answered, error));
done:
    small_pool_free(&pool);
    mem_free(rows.pair);
    mem_free(rows.score);
    mem_free(rows.target);
    return status;
}
