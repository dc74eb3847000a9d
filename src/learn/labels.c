/* Turns labels of five kinds into pairs with targets, and scores pairs. What the pairs are used for
 * is the caller's choice. */
#include "learn/labels.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/sort.h"
#include "base/union_find.h"
#include "pair/score.h"
#include "learn/corpus_triplets.h"

#include <math.h>
#include <string.h>

void labelled_pairs_free(struct labelled_pairs *pairs)
{
    mem_free(pairs->a);
    mem_free(pairs->b);
    mem_free(pairs->target);
    memset(pairs, 0, sizeof *pairs);
}

static void add_pair(struct labelled_pairs *pairs, uint32_t a, uint32_t b, float target)
{
    pairs->a[pairs->count] = a;
    pairs->b[pairs->count] = b;
    pairs->target[pairs->count++] = target;
}

static void take_scores(const struct corpus *corpus, struct labelled_pairs *out)
{
    float low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < corpus->rows; i++) {
        low = fminf(low, corpus->label[i]);
        high = fmaxf(high, corpus->label[i]);
    }
    float range = high > low ? high - low : 1.0f;
    for (size_t i = 0; i < corpus->rows; i++)
        add_pair(out, corpus->a[i], corpus->b[i], (corpus->label[i] - low) / range);
}

/* Sorts rows by category: MEMBER[first[c] .. first[c+1]) are those of category c. */
static film_status sort_by_category(const struct corpus *corpus, size_t **first, uint32_t **member,
                                    film_error *error)
{
    size_t categories = corpus->categories.count;
    *first = mem_zeroed(categories + 2, sizeof **first);
    *member = mem_array(corpus->rows, sizeof **member);
    if (!*first || !*member) return status_no_memory(error);
    size_t *next = *first + 1; /* shifted by one: after filling, first[c] is where c starts */
    for (size_t i = 0; i < corpus->rows; i++) next[corpus->category[i] + 1]++;
    for (size_t c = 1; c <= categories; c++) next[c] += next[c - 1];
    for (size_t i = 0; i < corpus->rows; i++) (*member)[next[corpus->category[i]]++] = (uint32_t)i;
    return FILM_OK;
}

/* Alternates between a pair inside a category and one across two. */
static film_status draw_category_pairs(const struct corpus *corpus, struct rng *rng, size_t wanted,
                                       struct labelled_pairs *out, film_error *error)
{
    size_t *first = NULL;
    uint32_t *member = NULL;
    film_status status = sort_by_category(corpus, &first, &member, error);
    for (size_t tries = 0; status == FILM_OK && tries < 4 * wanted && out->count < wanted;
         tries++) {
        size_t i = rng_below(rng, corpus->rows), j = rng_below(rng, corpus->rows);
        uint32_t category = corpus->category[i];
        if (tries % 2)
            j = member[first[category] + rng_below(rng, first[category + 1] - first[category])];
        if (corpus->a[i] == corpus->a[j]) continue;
        add_pair(out, corpus->a[i], corpus->a[j], category == corpus->category[j] ? 1.0f : 0.0f);
    }
    mem_free(first);
    mem_free(member);
    return status;
}

/* Draws random negatives. With positive pairs alone every threshold below the lowest similarity
 * would be right. Random sentences that no chain of rows connects serve as negatives; a few of them
 * may be duplicates. */
static film_status draw_different(const struct corpus *corpus, struct rng *rng,
                                  struct labelled_pairs *out, film_error *error)
{
    struct union_find groups = {0};
    size_t labelled = out->count;
    for (size_t i = 0; i < labelled; i++)
        if (out->target[i] < 0.5f) return FILM_OK;
    film_status status = FILM_OK;
    uint32_t sentences = corpus->sentences.count;
    TRY(union_find_init(&groups, sentences, error));
    for (size_t i = 0; i < labelled; i++) union_find_join(&groups, out->a[i], out->b[i]);
    for (size_t tries = 0; tries < 4 * labelled && out->made_up < labelled; tries++) {
        uint32_t a = (uint32_t)rng_below(rng, sentences), b = (uint32_t)rng_below(rng, sentences);
        if (union_find_root(&groups, a) == union_find_root(&groups, b)) continue;
        add_pair(out, a, b, 0.0f);
        out->made_up++;
    }
done:
    union_find_free(&groups);
    return status;
}

static void draw_blind(const struct corpus *corpus, struct rng *rng, size_t wanted,
                       struct labelled_pairs *out)
{
    uint32_t sentences = corpus->sentences.count;
    for (size_t tries = 0; tries < 4 * wanted && out->count < wanted; tries++) {
        uint32_t a = (uint32_t)rng_below(rng, sentences), b = (uint32_t)rng_below(rng, sentences);
        if (a != b) add_pair(out, a, b, 0.0f);
    }
}

film_status labels_to_pairs(const struct corpus *corpus, size_t drawn, uint64_t seed,
                            struct labelled_pairs *out, film_error *error)
{
    film_status status = FILM_OK;
    struct rng rng;
    size_t room = 2 * corpus->rows > drawn ? 2 * corpus->rows : drawn;
    memset(out, 0, sizeof *out);
    rng_seed(&rng, seed);
    TRY_ALLOC((out->a = mem_array(room, sizeof *out->a)) &&
                  (out->b = mem_array(room, sizeof *out->b)) &&
                  (out->target = mem_array(room, sizeof *out->target)),
              error);
    switch (corpus->labels) {
    case FILM_LABELS_PAIRS:
        for (size_t i = 0; i < corpus->rows; i++)
            add_pair(out, corpus->a[i], corpus->b[i], corpus->label[i]);
        TRY(draw_different(corpus, &rng, out, error));
        break;
    case FILM_LABELS_SCORES:
        take_scores(corpus, out);
        break;
    case FILM_LABELS_TRIPLETS:
        for (size_t i = 0; i < corpus->rows; i++) {
            add_pair(out, corpus->a[i], corpus->b[i], 1.0f);
            add_pair(out, corpus->a[i], corpus->c[i], 0.0f);
        }
        break;
    case FILM_LABELS_CATEGORIES:
        TRY(draw_category_pairs(corpus, &rng, drawn, out, error));
        break;
    default:
        draw_blind(corpus, &rng, drawn, out);
    }
done:
    if (status != FILM_OK) labelled_pairs_free(out);
    return status;
}

size_t labels_distinct(const struct corpus *corpus, const struct labelled_pairs *pairs)
{
    size_t sentences = corpus->sentences.count;
    size_t all = sentences < LABELS_DRAWN ? sentences * (sentences - 1) / 2 : SIZE_MAX;
    return corpus->labels == FILM_LABELS_CATEGORIES && all < pairs->count ? all : pairs->count;
}

int labels_only_same(const struct corpus *corpus)
{
    if (corpus->labels != FILM_LABELS_PAIRS) return 0;
    for (size_t i = 0; i < corpus->rows; i++)
        if (!(corpus->label[i] >= 0.5f)) return 0;
    return corpus->rows > 0;
}

int labels_none_same(const struct labelled_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++)
        if (pairs->target[i] >= 0.5f) return 0;
    return 1;
}

int labels_verdict(const struct corpus *corpus, float target)
{
    const float range[2] = {0.0f, 1.0f};
    return corpus_same(corpus->labels, target, range);
}

void labels_text(const void *user, size_t i, film_text *a, film_text *b)
{
    const struct labelled_texts *texts = user;
    *a = strtab_get(&texts->corpus->sentences, texts->pairs->a[i]);
    *b = strtab_get(&texts->corpus->sentences, texts->pairs->b[i]);
}

/* Pairs by their sentences. Random pairs of a small corpus repeat, and share
 * sentences: an equal pair is scored once, and a sentence that is in the next pair too is read once
 * (pair/reading.h). */
struct ordered_pairs {
    struct labelled_texts texts;
    struct ordered_pair {
        uint32_t low, high, position;
    } * pairs;
    uint32_t *start; /* of the equal ones: the first in PAIRS */
    size_t distinct;
};

static int by_sentences(const void *left, const void *right)
{
    const struct ordered_pair *x = left, *y = right;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return x->high < y->high ? -1 : x->high > y->high;
}

static film_status order_pairs(struct ordered_pairs *ordered, film_error *error)
{
    film_status status = FILM_OK;
    const struct labelled_pairs *pairs = ordered->texts.pairs;
    TRY_ALLOC((ordered->pairs = mem_array(pairs->count, sizeof *ordered->pairs)) &&
                  (ordered->start = mem_array(pairs->count + 1, sizeof *ordered->start)),
              error);
    for (size_t i = 0; i < pairs->count; i++) {
        uint32_t a = pairs->a[i], b = pairs->b[i];
        ordered->pairs[i] = (struct ordered_pair){a < b ? a : b, a < b ? b : a, (uint32_t)i};
    }
    sort_array(ordered->pairs, pairs->count, sizeof *ordered->pairs, by_sentences);
    for (size_t i = 0; i < pairs->count; i++)
        if (i == 0 || by_sentences(&ordered->pairs[i - 1], &ordered->pairs[i]))
            ordered->start[ordered->distinct++] = (uint32_t)i;
    ordered->start[ordered->distinct] = (uint32_t)pairs->count;
done:
    return status;
}

static void ordered_text(const void *user, size_t i, film_text *a, film_text *b)
{
    const struct ordered_pairs *ordered = user;
    labels_text(&ordered->texts, ordered->pairs[ordered->start[i]].position, a, b);
}

film_status labels_score(const struct corpus *corpus, const struct labelled_pairs *pairs,
                         const struct labels_scorer *scorer, float *out, film_error *error)
{
    film_status status = FILM_OK;
    struct ordered_pairs ordered = {.texts = {corpus, pairs}};
    struct score_source source = {.pair = ordered_text, .user = &ordered};
    film_verdict *found = NULL;
    TRY(order_pairs(&ordered, error));
    TRY_ALLOC(found = mem_array(ordered.distinct, sizeof *found), error);
    TRY(score_pairs(scorer->decision, &scorer->rule, &source, ordered.distinct, scorer->threads,
                    found, error));
    for (size_t d = 0; d < ordered.distinct; d++)
        for (size_t i = ordered.start[d]; i < ordered.start[d + 1]; i++) {
            size_t position = ordered.pairs[i].position;
            out[position] = (float)found[d].log_odds;
            if (scorer->similarity) scorer->similarity[position] = (float)found[d].similarity;
        }
done:
    mem_free(ordered.pairs);
    mem_free(ordered.start);
    mem_free(found);
    return status;
}
