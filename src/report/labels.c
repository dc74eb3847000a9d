/* Labels to check: pairs whose label contradicts other labels of the file, pairs whose label the
 * model is sure to be wrong about, and sentences whose neighbours have another category; and the
 * worst categories. */
#include "report/labels.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/* A label that the model gives less than this probability is suspicious. */
#define UNLIKELY 0.1

struct suspect {
    double probability; /* of the label, by the model */
    size_t pair;
};

static int least_likely_first(const void *left, const void *right)
{
    const struct suspect *a = left, *b = right;
    if (a->probability != b->probability) return a->probability < b->probability ? -1 : 1;
    return a->pair < b->pair ? -1 : a->pair > b->pair;
}

/* `row` is the number of the row in the file; null if rows were left out. */
static void put_suspect(struct writer *to, const struct eval_view *view,
                        const struct file_stats *file, size_t pair, const char *why)
{
    const struct strtab *sentences = &file->corpus->sentences;
    size_t row = file->corpus->labels == FILM_LABELS_TRIPLETS ? pair / 2 : pair;
    put_json(to, NULL,
             json_pack("{s:o, s:b, s:o, s:o, s:o, s:s}", "row",
                       file->corpus->skipped ? json_null() : json_integer((json_int_t)row + 1),
                       "same", file->pairs.label[pair] >= 0.5f, "probability",
                       view ? number_json(view->probability[pair]) : json_null(), "a",
                       sentence_json(strtab_get(sentences, file->pairs.a[pair])), "b",
                       sentence_json(strtab_get(sentences, file->pairs.b[pair])), "why", why));
}

static int is_odd(const struct file_stats *file, size_t pair)
{
    for (size_t i = 0; i < file->odd_count; i++)
        if (file->odd[i] == pair) return 1;
    return 0;
}

film_status labels_of_pairs(struct writer *to, const struct eval_view *view,
                            const struct file_stats *file, film_error *error)
{
    enum { SHOWN = 20 };
    static const char *const why[] = {
        [FILE_STATS_BOTH_LABELS] = "the same pair has the other label in another row",
        [FILE_STATS_CONNECTED] = "a chain of pairs labelled the same connects them",
        [FILE_STATS_IDENTICAL] = "identical words, labelled different"};
    size_t count = 0;
    struct suspect *list = mem_array(view ? file->count : 0, sizeof *list);
    if (!list) return status_no_memory(error);
    for (size_t i = 0; view && i < file->count; i++) {
        double p = file->pairs.label[i] >= 0.5f ? view->probability[i] : 1 - view->probability[i];
        if (p < UNLIKELY && !is_odd(file, i)) list[count++] = (struct suspect){p, i};
    }
    sort_array(list, count, sizeof *list, least_likely_first);
    put_open(to, "suspicious", '[');
    for (size_t i = 0; i < file->odd_count; i++)
        put_suspect(to, view, file, file->odd[i], why[file->odd_kind[i]]);
    for (size_t i = 0; i < count && i < SHOWN; i++)
        put_suspect(to, view, file, list[i].pair, "the model says the opposite");
    writer_close(to, ']');
    put_json(to, "more_suspicious", json_integer(count > SHOWN ? (json_int_t)count - SHOWN : 0));
    mem_free(list);
    return FILM_OK;
}

/* ---- Categories ---- */

struct category_tally {
    size_t category, sentences, right;
    size_t instead, confused; /* the most frequent wrong category, and how often */
};

static int worst_first(const void *left, const void *right)
{
    const struct category_tally *a = left, *b = right;
    double x = (double)a->right / (double)a->sentences, y = (double)b->right / (double)b->sentences;
    if (x != y) return x < y ? -1 : 1;
    if (a->sentences != b->sentences) return a->sentences > b->sentences ? -1 : 1;
    return a->category < b->category ? -1 : a->category > b->category;
}

static int numbers_rising(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Counts the votes about each category. VOTES are category << 32 | voted, ascending. Categories
 * without a mistake are left out; returns the number of the others. */
static size_t tally_votes(const uint64_t *votes, size_t count, struct category_tally *list)
{
    size_t found = 0;
    for (size_t i = 0, end; i < count;) {
        struct category_tally tally = {.category = votes[i] >> 32};
        for (; i < count && votes[i] >> 32 == tally.category; i = end) {
            uint32_t voted = (uint32_t)votes[i];
            for (end = i; end < count && votes[end] == votes[i]; end++) tally.sentences++;
            if (voted == tally.category)
                tally.right = end - i;
            else if (voted != FLAT_NONE && end - i > tally.confused)
                tally.confused = end - i, tally.instead = voted;
        }
        if (tally.right < tally.sentences) list[found++] = tally;
    }
    return found;
}

static film_status write_worst(struct writer *to, const struct eval_view *view, film_error *error)
{
    enum { SHOWN = 15 };
    film_status status = FILM_OK;
    const struct strtab *names = &view->corpus->categories;
    size_t voted = 0, count;
    struct category_tally *list = mem_array(names->count, sizeof *list);
    uint64_t *votes = mem_array(view->own, sizeof *votes);
    TRY_ALLOC(list && votes, error);
    for (uint32_t i = 0; i < view->own; i++)
        if (view->category[i] < names->count)
            votes[voted++] = (uint64_t)view->category[i] << 32 | view->voted[i];
    sort_array(votes, voted, sizeof *votes, numbers_rising);
    count = tally_votes(votes, voted, list);
    sort_array(list, count, sizeof *list, worst_first);
    put_open(to, "worst", '[');
    for (size_t i = 0; i < count && i < SHOWN; i++)
        put_json(
            to, NULL,
            json_pack("{s:o, s:I, s:I, s:o, s:I}", "category",
                      sentence_json(strtab_get(names, (uint32_t)list[i].category)), "sentences",
                      (json_int_t)list[i].sentences, "right", (json_int_t)list[i].right, "instead",
                      list[i].confused ? sentence_json(strtab_get(names, (uint32_t)list[i].instead))
                                       : json_null(),
                      "confused", (json_int_t)list[i].confused));
    writer_close(to, ']');
done:
    mem_free(list);
    mem_free(votes);
    return status;
}

/* Sentences that almost all of their ten neighbours contradict. */
static void write_odd(struct writer *to, const struct eval_view *view)
{
    enum { SHOWN = 20, MOST_VOTES = 10, LEAST_VOTES = 8 };
    const struct strtab *names = &view->corpus->categories;
    size_t shown = 0;
    put_open(to, "odd", '[');
    for (int votes = MOST_VOTES; votes >= LEAST_VOTES; votes--)
        for (uint32_t i = 0; i < view->own && shown < SHOWN; i++) {
            if (view->votes[i] != votes || view->voted[i] == view->category[i]) continue;
            shown++;
            put_json(to, NULL,
                     json_pack("{s:o, s:o, s:i, s:o}", "category",
                               sentence_json(strtab_get(names, view->category[i])), "neighbours",
                               sentence_json(strtab_get(names, view->voted[i])), "votes", votes,
                               "text", sentence_json(strtab_get(&view->corpus->sentences, i))));
        }
    writer_close(to, ']');
}

film_status labels_of_categories(struct writer *to, const struct eval_view *view, film_error *error)
{
    film_status status = write_worst(to, view, error);
    if (status == FILM_OK) write_odd(to, view);
    return status;
}
