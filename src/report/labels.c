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

/* ROW is the number of the row in the file; null if rows were left out. */
static void put_suspect(struct writer *to, const struct eval_view *view,
                        const struct file_stats *file, size_t pair, const char *why)
{
    const struct strtab *sentences = &file->corpus->sentences;
    size_t row = file->corpus->labels == FILM_LABELS_TRIPLETS ? pair / 2 : pair;
    put_open(to, NULL, '{');
    put_number(to, "row", file->corpus->skipped ? (double)NAN : (double)(row + 1));
    put_truth(to, "same", file->pairs.label[pair] >= 0.5f);
    put_number(to, "probability", view ? view->probability[pair] : (double)NAN);
    put_sentence(to, "a", strtab_get(sentences, file->pairs.a[pair]));
    put_sentence(to, "b", strtab_get(sentences, file->pairs.b[pair]));
    put_string(to, "why", why);
    writer_close(to, '}');
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
    put_count(to, "more_suspicious", count > SHOWN ? count - SHOWN : 0);
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

/* Finds what the sentences of a category are most often taken for. WRONG is scratch: one count per
 * category. */
static void find_confusion(const struct eval_view *view, struct category_tally *tally,
                           size_t *wrong)
{
    memset(wrong, 0, view->corpus->categories.count * sizeof *wrong);
    for (uint32_t i = 0; i < view->own; i++) {
        uint32_t voted = view->voted[i];
        if (view->category[i] != tally->category || voted == view->category[i]) continue;
        if (voted == FLAT_NONE || ++wrong[voted] <= tally->confused) continue;
        tally->confused = wrong[voted];
        tally->instead = voted;
    }
}

static film_status write_worst(struct writer *to, const struct eval_view *view, film_error *error)
{
    enum { SHOWN = 15 };
    film_status status = FILM_OK;
    const struct strtab *names = &view->corpus->categories;
    size_t categories = names->count, count = 0;
    struct category_tally *list = mem_array(categories, sizeof *list);
    size_t *wrong = mem_array(categories, sizeof *wrong);
    TRY_ALLOC(list && wrong, error);
    for (size_t c = 0; c < categories; c++) list[c] = (struct category_tally){.category = c};
    for (uint32_t i = 0; i < view->own; i++) {
        if (view->category[i] >= categories) continue;
        list[view->category[i]].sentences++;
        list[view->category[i]].right += view->voted[i] == view->category[i];
    }
    for (size_t c = 0; c < categories; c++)
        if (list[c].right < list[c].sentences) list[count++] = list[c];
    if (count) sort_array(list, count, sizeof *list, worst_first);
    put_open(to, "worst", '[');
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        find_confusion(view, &list[i], wrong);
        put_open(to, NULL, '{');
        put_sentence(to, "category", strtab_get(names, (uint32_t)list[i].category));
        put_count(to, "sentences", list[i].sentences);
        put_count(to, "right", list[i].right);
        if (list[i].confused)
            put_sentence(to, "instead", strtab_get(names, (uint32_t)list[i].instead));
        put_count(to, "confused", list[i].confused);
        writer_close(to, '}');
    }
    writer_close(to, ']');
done:
    mem_free(list);
    mem_free(wrong);
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
            put_open(to, NULL, '{');
            put_sentence(to, "category", strtab_get(names, view->category[i]));
            put_sentence(to, "neighbours", strtab_get(names, view->voted[i]));
            put_count(to, "votes", (size_t)votes);
            put_sentence(to, "text", strtab_get(&view->corpus->sentences, i));
            writer_close(to, '}');
        }
    writer_close(to, ']');
}

film_status labels_of_categories(struct writer *to, const struct eval_view *view, film_error *error)
{
    film_status status = write_worst(to, view, error);
    if (status == FILM_OK) write_odd(to, view);
    return status;
}
