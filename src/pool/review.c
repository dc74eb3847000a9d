/* film_pool_review: chooses pairs for a person to label. Most are the pairs that the model is least
 * sure of; some are drawn at random, so that the answers also measure the model without bias. */
#include "base/mem.h"
#include "base/rng.h"
#include "base/sized.h"
#include "base/sort.h"
#include "base/strtab.h"
#include "model/model.h"
#include "pool/batch.h"
#include "pool/learn_compare.h"
#include "pool/pool.h"
#include "pool/sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEIGHBOURS = 10, SENTENCES_PER_PAIR = 20, LEAST_SENTENCES = 100 };

struct review_choice {
    size_t a, b; /* rows of the texts */
    double probability;
    double doubt; /* distance of the log-odds from the threshold; the smallest is asked first */
    int same, random;
};

struct reviewing {
    film_pool *pool;
    film_review_options options;
    struct rng rng;
    struct batch drawn; /* sentences, a random sample in random order */
    struct batch found; /* neighbours, as copies */
    struct review_choice *choices;
    size_t count, capacity;
    struct strtab known; /* pairs that have a label, then also the chosen sentences */
    char *key;           /* of a pair: two ids with a tab between them */
    double threshold;    /* of the model or the pool, as log-odds */
    film_status status;
    film_error *error;
};

/* ---- Pairs that must not be chosen ---- */

/* The same for (a, b) and (b, a). Ids have no control characters, so a tab separates them. */
static size_t review_key(char *key, film_text a, film_text b)
{
    size_t shared = a.length < b.length ? a.length : b.length;
    int order = memcmp(a.bytes, b.bytes, shared);
    if (order > 0 || (order == 0 && a.length > b.length)) {
        film_text kept = a;
        a = b;
        b = kept;
    }
    memcpy(key, a.bytes, a.length);
    key[a.length] = '\t';
    memcpy(key + a.length + 1, b.bytes, b.length);
    return a.length + 1 + b.length;
}

static int note_label(void *user, const film_pool_label_row *label)
{
    struct reviewing *reviewing = user;
    uint32_t ignored;
    size_t length = review_key(reviewing->key, label->a, label->b);
    reviewing->status =
        strtab_add(&reviewing->known, reviewing->key, length, &ignored, reviewing->error);
    return reviewing->status != FILM_OK;
}

static int is_known(struct reviewing *reviewing, film_text a, film_text b)
{
    const film_review_options *options = &reviewing->options;
    size_t length = review_key(reviewing->key, a, b);
    return strtab_find(&reviewing->known, reviewing->key, length) != STRTAB_NONE ||
           (options->skip && options->skip(options->user, a, b));
}

/* ---- Neighbours ---- */

static int take_neighbour(void *user, const film_found *found)
{
    struct reviewing *reviewing = user;
    const film_sentence *query = &reviewing->drawn.rows[found->query];
    film_sentence kept = {.id = found->sentence.id, .text = found->sentence.text};
    void *choices = reviewing->choices;
    if (kept.id.length == query->id.length &&
        memcmp(kept.id.bytes, query->id.bytes, kept.id.length) == 0)
        return 0;
    reviewing->status = batch_add(&reviewing->found, &kept, 0, reviewing->error);
    if (reviewing->status == FILM_OK &&
        !mem_grow(&choices, &reviewing->capacity, reviewing->count + 1, sizeof *reviewing->choices))
        reviewing->status = status_no_memory(reviewing->error);
    reviewing->choices = choices;
    if (reviewing->status != FILM_OK) return 1;
    reviewing->choices[reviewing->count++] =
        (struct review_choice){.a = found->query,
                               .b = reviewing->found.count - 1,
                               .probability = found->verdict.probability,
                               .doubt = fabs(found->verdict.log_odds - reviewing->threshold),
                               .same = found->verdict.same};
    return 0;
}

static film_status search_neighbours(struct reviewing *reviewing, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = reviewing->drawn.count;
    film_text *queries = NULL;
    film_search_options search = {.size = sizeof search,
                                  .k = NEIGHBOURS + 1,
                                  .candidates = 2 * NEIGHBOURS,
                                  .answer = reviewing->options.answer,
                                  .progress = reviewing->options.progress};
    TRY_ALLOC(queries = mem_array(count, sizeof *queries), error);
    for (size_t i = 0; i < count; i++) queries[i] = reviewing->drawn.rows[i].text;
    if (count)
        TRY(film_pool_search_many(reviewing->pool, queries, count, &search, take_neighbour,
                                  reviewing, error));
    TRY(reviewing->status);
done:
    mem_free(queries);
    return status;
}

/* ---- Choosing ---- */

static film_text id_of(const struct reviewing *reviewing, const struct review_choice *choice,
                       int second)
{
    return second ? reviewing->found.rows[choice->b].id : reviewing->drawn.rows[choice->a].id;
}

/* Calls the user with a choice, unless it is known or one of its sentences is in this list already:
 * varied pairs teach more. A chosen sentence is noted by its id alone, which has no tab. */
static film_status offer_choice(struct reviewing *reviewing, const struct review_choice *choice,
                                size_t *chosen, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t ignored;
    film_text a = id_of(reviewing, choice, 0), b = id_of(reviewing, choice, 1);
    if (is_known(reviewing, a, b) ||
        strtab_find(&reviewing->known, a.bytes, a.length) != STRTAB_NONE ||
        strtab_find(&reviewing->known, b.bytes, b.length) != STRTAB_NONE)
        return FILM_OK;
    TRY(strtab_add(&reviewing->known, a.bytes, a.length, &ignored, error));
    TRY(strtab_add(&reviewing->known, b.bytes, b.length, &ignored, error));
    film_review_pair pair = {.first = {a, reviewing->drawn.rows[choice->a].text},
                             .second = {b, reviewing->found.rows[choice->b].text},
                             .probability = choice->probability,
                             .same = choice->same,
                             .random = choice->random};
    *chosen += 1;
    if (reviewing->options.call(reviewing->options.user, &pair)) status = FILM_CANCELLED;
done:
    return status;
}

static int less_sure(const void *a, const void *b)
{
    const struct review_choice *left = a, *right = b;
    if (left->doubt != right->doubt) return left->doubt < right->doubt ? -1 : 1;
    return left->a != right->a ? (left->a < right->a ? -1 : 1) : left->b < right->b ? -1 : 1;
}

/* Neighbours arrive ordered by query, the nearest first, and the queries are in random order: the
 * first of each query's nearest, one at random, is a random pair. */
static film_status choose(struct reviewing *reviewing, film_error *error)
{
    film_status status = FILM_OK;
    const film_review_options *options = &reviewing->options;
    size_t chosen = 0;
    for (size_t i = 0; i < reviewing->count && chosen < options->count;) {
        size_t end = i;
        while (end < reviewing->count && reviewing->choices[end].a == reviewing->choices[i].a)
            end++;
        size_t near = end - i < SAMPLE_NEAREST ? end - i : SAMPLE_NEAREST;
        struct review_choice *choice = &reviewing->choices[i + rng_below(&reviewing->rng, near)];
        if ((double)chosen >= options->random * (double)options->count) break;
        choice->random = 1;
        TRY(offer_choice(reviewing, choice, &chosen, error));
        choice->random = 0;
        i = end;
    }
    if (reviewing->count)
        sort_array(reviewing->choices, reviewing->count, sizeof *reviewing->choices, less_sure);
    for (size_t i = 0; i < reviewing->count && chosen < options->count; i++)
        TRY(offer_choice(reviewing, &reviewing->choices[i], &chosen, error));
done:
    return status;
}

static film_status check_review(film_review_options *options, film_error *error)
{
    if (options->count == 0) options->count = 10;
    if (!options->call) return status_set(error, FILM_USAGE, "film_review_options.call is missing");
    if (options->count > FILM_REVIEW_MOST)
        return status_set(error, FILM_USAGE, "film_review_options.count is above %d",
                          FILM_REVIEW_MOST);
    if (!(options->random >= 0 && options->random <= 1))
        return status_set(error, FILM_USAGE, "film_review_options.random is not from 0 to 1");
    return FILM_OK;
}

/* The log-odds from which the model of the pool calls a pair the same. */
static film_status read_threshold(struct reviewing *reviewing, film_error *error)
{
    const film_model *model;
    film_status status = film_pool_model(reviewing->pool, &model, error);
    if (status != FILM_OK) return status;
    const struct decision *decision = &model->decision;
    const struct calibration *line = decision->full ? &decision->margin : &decision->similarity;
    reviewing->threshold =
        decision->has_operating ? decision->operating : line->scale * line->threshold + line->bias;
    return FILM_OK;
}

film_status film_pool_review(film_pool *pool, const film_review_options *options, film_error *error)
{
    film_status status = FILM_OK;
    struct reviewing reviewing = {.pool = pool, .error = error};
    if (!pool) return pool_missing(error, "film_pool_review");
    TRY(sized_options(&reviewing.options, sizeof reviewing.options, options, "film_review_options",
                      error));
    TRY(check_review(&reviewing.options, error));
    rng_seed(&reviewing.rng, reviewing.options.seed ? reviewing.options.seed : rng_entropy());
    size_t wanted = SENTENCES_PER_PAIR * reviewing.options.count;
    TRY(strtab_init(&reviewing.known, error));
    TRY_ALLOC(reviewing.key = mem_array(2 * (FILM_POOL_ID_BYTES + 1), 1), error);
    TRY(film_pool_labels(pool, note_label, &reviewing, error));
    TRY(reviewing.status);
    TRY(sample_sentences(pool, &reviewing.rng, wanted < LEAST_SENTENCES ? LEAST_SENTENCES : wanted,
                         &reviewing.drawn, error));
    TRY(read_threshold(&reviewing, error));
    TRY(search_neighbours(&reviewing, error));
    TRY(choose(&reviewing, error));
done:
    strtab_free(&reviewing.known);
    mem_free(reviewing.key);
    mem_free(reviewing.choices);
    batch_free(&reviewing.drawn);
    batch_free(&reviewing.found);
    return status;
}

/* ---- What the answers say ---- */

/* The origin of an answer: "review random same 0.8312". */
void film_review_origin(const film_review_pair *pair, char *origin)
{
    snprintf(origin, FILM_REVIEW_ORIGIN, "review %s %s %.4f", pair->random ? "random" : "chosen",
             pair->same ? "same" : "different", fmin(fmax(pair->probability, 0), 1));
}

int film_review_read_origin(film_text origin, film_review_pair *pair)
{
    static const char *const starts[] = {"review chosen different", "review chosen same",
                                         "review random different", "review random same"};
    char number[8] = "";
    for (int i = 0; i < 4; i++) {
        size_t length = strlen(starts[i]);
        if (origin.length < length || memcmp(origin.bytes, starts[i], length) != 0) continue;
        *pair = (film_review_pair){.same = i & 1, .random = i >> 1};
        if (origin.length != length + 7) return 0;
        memcpy(number, origin.bytes + length, 7);
        if (number[0] != ' ' || number[2] != '.' || strspn(number + 3, "0123456789") != 4 ||
            (number[1] != '0' && strcmp(number, " 1.0000") != 0))
            return 0;
        pair->probability = strtod(number, NULL);
        return 1;
    }
    return 0;
}

int review_is_answer(film_text origin)
{
    film_review_pair pair;
    return film_review_read_origin(origin, &pair);
}

int review_is_random(film_text origin)
{
    film_review_pair pair;
    return film_review_read_origin(origin, &pair) && pair.random;
}

/* Counts by range of the probability: answers, those on random pairs, and "same". */
struct answer_counts {
    film_review_estimate estimate;
    double all[LEARN_RANGES], random[LEARN_RANGES], same[LEARN_RANGES];
};

static int count_answer(void *user, const film_pool_label_row *label)
{
    struct answer_counts *counts = user;
    film_review_estimate *estimate = &counts->estimate;
    film_review_pair pair;
    if (!film_review_read_origin(label->origin, &pair)) return 0;
    size_t range = learn_range(pair.probability);
    counts->all[range]++;
    counts->random[range] += pair.random;
    counts->same[range] += label->same != 0;
    estimate->answered++;
    estimate->random += (uint64_t)pair.random;
    estimate->right += (uint64_t)(pair.random && pair.same == (label->same != 0));
    return 0;
}

static double share_of_same(const struct answer_counts *counts)
{
    double random = 0, same = 0;
    for (size_t r = 0; r < LEARN_RANGES; r++) {
        random += counts->random[r];
        if (counts->all[r] > 0) same += counts->random[r] * counts->same[r] / counts->all[r];
    }
    return (same + 1) / (random + 2);
}

/* Wilson's interval, which holds for small counts too. */
void review_interval(double share, double n, double interval[2])
{
    const double z = 1.959963984540054;
    interval[0] = 0;
    interval[1] = 1;
    if (!(n > 0)) return;
    double middle = (share + z * z / (2 * n)) / (1 + z * z / n),
           half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    interval[0] = fmax(0, middle - half);
    interval[1] = fmin(1, middle + half);
}

film_status film_pool_review_estimate(film_pool *pool, film_review_estimate *result,
                                      film_error *error)
{
    film_status status = FILM_OK;
    struct answer_counts counts = {.estimate.size = sizeof counts.estimate};
    if (!pool) return pool_missing(error, "film_pool_review_estimate");
    TRY(sized_check(result, "film_review_estimate", error));
    TRY(film_pool_labels(pool, count_answer, &counts, error));
    film_review_estimate *estimate = &counts.estimate;
    double interval[2], n = (double)estimate->random;
    if (estimate->random) estimate->accuracy = (double)estimate->right / n;
    review_interval(estimate->accuracy, n, interval);
    estimate->low = interval[0];
    estimate->high = interval[1];
    estimate->share = share_of_same(&counts);
    sized_fill(result, estimate, sizeof *estimate);
done:
    return status;
}
