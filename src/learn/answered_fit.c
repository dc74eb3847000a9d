/* Draws queries that nothing answers, searches for them among training sentences, and fits a
 * logistic function that tells their first answers from true duplicates. */
#include "learn/answered_fit.h"
#include "base/sort.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/topk.h"
#include "base/union_find.h"
#include "embed/vec.h"
#include "learn/linear_fit.h"
#include "learn/made_up.h"
#include "pair/answered.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 50, MOST_POOL = 3000, QUERIES = 300, JUDGED = 8, ROOM = 2000 };
/* Duplicates of training that are below the threshold. New queries have more unknown words: of the
 * FAQ's held-out questions an eighth are. */
#define REFUSED 0.02

/* A search among a sample of the sentences. */
struct small_pool {
    film_text *text;
    uint32_t *id;   /* sentence of the corpus */
    float *vectors; /* count x dim, of length 1 */
    size_t count, dim;
    struct union_find groups; /* sentences that mean the same, or have the same category */
    struct match match;
    struct feature_row row;
    float *query;
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
done:
    return status;
}

/* The first answer of a search. */
struct first {
    float sign[ANSWERED_SIGNS];
    int found;
};

/* Finds the first answer to QUERY among the sentences that are not in GROUP (UINT32_MAX: among
 * all). */
static film_status first_answer(struct small_pool *pool, film_text query, uint32_t group,
                                struct first *first, film_error *error)
{
    film_status status = FILM_OK;
    float score[JUDGED];
    uint32_t id[JUDGED];
    struct topk top = topk_over(score, id, JUDGED);
    first->found = 0;
    TRY(encoder_embed(pool->match.decision->encoder, &pool->row, query, pool->query, error));
    vec_normalise(pool->query, pool->dim);
    for (uint32_t i = 0; i < pool->count; i++)
        if (group == UINT32_MAX || union_find_root(&pool->groups, pool->id[i]) != group)
            topk_offer(&top, (float)vec_dot(pool->query, pool->vectors + i * pool->dim, pool->dim),
                       i);
    topk_finish(&top);
    for (size_t k = 0; k < top.count; k++) {
        film_verdict verdict;
        TRY(match_score(&pool->match, query, pool->text[id[k]], &verdict, error));
        float sign[ANSWERED_SIGNS];
        answered_signs(&pool->match, &verdict, sign);
        if (first->found && sign[0] <= first->sign[0]) continue;
        first->found = 1;
        memcpy(first->sign, sign, sizeof sign);
    }
done:
    return status;
}

/* ---- Rows to learn from ---- */

struct sign_rows {
    float *x, *target, *weight; /* room for 3 QUERIES */
    size_t count, positives;
};

static void add_sign_row(struct sign_rows *rows, const float sign[ANSWERED_SIGNS], float target)
{
    memcpy(rows->x + rows->count * ANSWERED_SIGNS, sign, ANSWERED_SIGNS * sizeof *sign);
    rows->target[rows->count++] = target;
    rows->positives += target > 0;
}

/* One query with a duplicate: without it, the first answer is a negative; with it, whichever of the
 * two comes first is a positive. The duplicate's signs are those of models that did not see the
 * pair. */
static film_status add_query(struct small_pool *pool, const struct out_of_fold *held, size_t i,
                             double margin, struct sign_rows *rows, film_error *error)
{
    film_status status = FILM_OK;
    const struct labelled_pairs *pairs = &held->pairs;
    const float *x = held->x + i * held->traits;
    struct first other;
    float sign[ANSWERED_SIGNS];
    film_text a, b;
    labels_text(&(struct labelled_texts){held->corpus, pairs}, i, &a, &b);
    TRY(first_answer(pool, a, union_find_root(&pool->groups, pairs->a[i]), &other, error));
    struct answered_pair pair = {
        .log_odds = margin,
        .similarity = (double)held->similarity[i],
        .words = (double)x[trait_find("word_cosine")],
        .characters = (double)x[trait_find("char_cosine")],
        .known = answered_known(pool->match.decision->encoder->features, &pool->row)};
    answered_set(&pair, sign);
    add_sign_row(rows, !other.found || sign[0] >= other.sign[0] ? sign : other.sign, 1);
    if (other.found) add_sign_row(rows, other.sign, 0);
done:
    return status;
}

static film_status add_rows(struct small_pool *pool, const struct out_of_fold *held,
                            const double *margin, struct rng *rng, struct sign_rows *rows,
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
        film_text query = {room, made_up(pool->text, pool->count, rng, room, ROOM)};
        TRY(first_answer(pool, query, UINT32_MAX, &first, error));
        if (first.found) add_sign_row(rows, first.sign, 0);
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
static film_status choose_answered_threshold(const struct sign_rows *rows,
                                             struct answer_rule *answered, film_error *error)
{
    double *value = mem_array(rows->positives, sizeof *value);
    size_t count = 0;
    if (!value) return status_no_memory(error);
    for (size_t i = 0; i < rows->count; i++)
        if (rows->target[i] > 0)
            value[count++] = answered_probability(answered, rows->x + i * ANSWERED_SIGNS);
    sort_array(value, count, sizeof *value, by_value);
    answered->threshold = fmin(0.5, value[(size_t)(REFUSED * (double)count)]);
    mem_free(value);
    return FILM_OK;
}

/* Fits the logistic function. A sign whose weight would be negative is left out: a better answer
 * must not be less probable. */
static film_status fit_answered(struct sign_rows *rows, struct answer_rule *answered,
                                film_error *error)
{
    film_status status = FILM_OK;
    struct linear line = {0};
    unsigned char use[ANSWERED_SIGNS];
    size_t negatives = rows->count - rows->positives;
    memset(use, 1, sizeof use);
    for (size_t i = 0; i < rows->count; i++) /* both kinds count the same */
        rows->weight[i] =
            (float)rows->count / (2 * (float)(rows->target[i] > 0 ? rows->positives : negatives));
    struct linear_data data = {rows->x,      rows->count,  ANSWERED_SIGNS,
                               rows->target, rows->weight, NULL};
    for (int again = 1; again;) {
        linear_free(&line);
        TRY(linear_fit(&line, &data, use, 1, 1, error));
        again = 0;
        for (int s = 0; s < ANSWERED_SIGNS; s++) {
            again |= line.weight[s] < 0;
            use[s] = use[s] && line.weight[s] >= 0;
        }
    }
    answered->bias = line.bias;
    for (int s = 0; s < ANSWERED_SIGNS; s++) {
        answered->weight[s] = (double)line.weight[s];
        answered->bias -= (double)line.weight[s] * (double)line.mean[s];
    }
    answered->learned = 1;
    TRY(choose_answered_threshold(rows, answered, error));
done:
    linear_free(&line);
    return status;
}

film_status answered_fit(const struct learn_input *input, const struct out_of_fold *held,
                         const double *margin, struct decision *decision, film_error *error)
{
    film_status status = FILM_OK;
    struct small_pool pool = {.count = 0};
    struct sign_rows rows = {.count = 0};
    struct rng rng;
    if (!word_map_exists(&decision->encoder->map) || decision->encoder->network ||
        input->corpus->labels == FILM_LABELS_SCORES)
        return FILM_OK;
    rng_seed(&rng, input->options->seed);
    TRY_ALLOC((rows.x = mem_array(3 * QUERIES, ANSWERED_SIGNS * sizeof(float))) &&
                  (rows.target = mem_array(3 * QUERIES, sizeof(float))) &&
                  (rows.weight = mem_array(3 * QUERIES, sizeof(float))),
              error);
    TRY(small_pool_init(&pool, input, decision, &rng, error));
    TRY(add_rows(&pool, held, margin, &rng, &rows, error));
    if (rows.positives >= FEW && rows.count - rows.positives >= FEW)
        TRY(fit_answered(&rows, &decision->answered, error));
done:
    small_pool_free(&pool);
    mem_free(rows.x);
    mem_free(rows.target);
    mem_free(rows.weight);
    return status;
}
