/* The table of labels to check: pairs whose label contradicts other labels of the file, pairs whose
 * label the model is sure to be wrong about, and sentences whose neighbours have another category;
 * and the table of the worst categories. */
#include "report/labels.h"
#include "base/sort.h"
#include "base/mem.h"
#include "plot/scale.h"
#include "report/reasons.h"

#include <stdio.h>
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

/* Writes a row: number of the row in the file, label, what the model says, the pair, why. */
static void write_label_pair(struct report *report, const struct eval_view *view,
                             const struct file_stats *file, size_t pair, const char *why)
{
    struct markup *out = &report->body;
    const struct strtab *sentences = &file->corpus->sentences;
    size_t row = file->corpus->labels == FILM_LABELS_TRIPLETS ? pair / 2 : pair;
    markup_raw(out, "<tr>");
    if (file->corpus->skipped)
        markup_raw(out, "<td>-</td>"); /* rows were left out, so the number is not known */
    else
        markup_print(out, "<td>%zu</td>", row + 1);
    markup_print(out, "<td>%s</td>", file->pairs.label[pair] >= 0.5f ? "same" : "different");
    if (view) markup_print(out, "<td>%.3f</td>", view->probability[pair]);
    markup_raw(out, "<td>");
    sentence_write(out, strtab_get(sentences, file->pairs.a[pair]));
    markup_raw(out, "<br/>");
    sentence_write(out, strtab_get(sentences, file->pairs.b[pair]));
    markup_print(out, "</td><td>%s</td></tr>\n", why);
}

static int is_odd(const struct file_stats *file, size_t pair)
{
    for (size_t i = 0; i < file->odd_count; i++)
        if (file->odd[i] == pair) return 1;
    return 0;
}

film_status labels_of_pairs(struct report *report, const struct eval_view *view,
                            const struct file_stats *file, const char *id, film_error *error)
{
    enum { SHOWN = 20 };
    static const char *const why[] = {
        [FILE_STATS_BOTH_LABELS] = "the same pair has the other label in another row",
        [FILE_STATS_CONNECTED] = "a chain of pairs labelled the same connects them",
        [FILE_STATS_IDENTICAL] = "identical words, labelled different"};
    static const char *const heads[] = {"row", "label", "p (same)", "pair", "why"};
    static const char *const short_heads[] = {"row", "label", "pair", "why"};
    size_t count = 0;
    struct suspect *list = mem_array(view ? file->count : 0, sizeof *list);
    if (!list) return status_no_memory(error);
    for (size_t i = 0; view && i < file->count; i++) {
        double p = file->pairs.label[i] >= 0.5f ? view->probability[i] : 1 - view->probability[i];
        if (p < UNLIKELY && !is_odd(file, i)) list[count++] = (struct suspect){p, i};
    }
    sort_array(list, count, sizeof *list, least_likely_first);
    if (count + file->odd_count) {
        markup_raw(&report->body, "<h3>Labels to check in <bdi>");
        markup_string(&report->body, file->name);
        markup_print(
            &report->body,
            "</bdi></h3><p class=\"intro\">Labels that contradict other labels%s. Rows are "
            "counted from 1, without the header.</p>",
            view ? ", and labels that the model gives less than 10 %, the least likely "
                   "first: either the label or the model is wrong"
                 : "");
        table_begin(&report->body, id, view ? heads : short_heads, view ? 5 : 4);
        for (size_t i = 0; i < file->odd_count; i++)
            write_label_pair(report, view, file, file->odd[i], why[file->odd_kind[i]]);
        for (size_t i = 0; i < count && i < SHOWN; i++)
            write_label_pair(report, view, file, list[i].pair, "the model says the opposite");
        table_end(&report->body);
    }
    if (count > SHOWN)
        markup_print(&report->body, "<p><small>The model contradicts %zu more labels.</small></p>",
                     count - SHOWN);
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

static void write_tally(struct markup *out, const struct strtab *names,
                        const struct category_tally *tally)
{
    markup_raw(out, "<tr><td>");
    sentence_write(out, strtab_get(names, (uint32_t)tally->category));
    markup_print(out, "</td><td class=\"figure\">%zu</td><td class=\"figure\">%.0f %%</td><td>",
                 tally->sentences, 100 * (double)tally->right / (double)tally->sentences);
    if (tally->confused) {
        sentence_write(out, strtab_get(names, (uint32_t)tally->instead));
        markup_print(out, " <small>(%zu)</small>", tally->confused);
    }
    markup_raw(out, "</td></tr>\n");
}

static film_status write_worst(struct report *report, const struct eval_view *view,
                               film_error *error)
{
    enum { SHOWN = 15 };
    static const char *const heads[] = {"category", "sentences", "right", "most often taken for"};
    film_status status = FILM_OK;
    size_t categories = view->corpus->categories.count, count = 0;
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
    if (!count) goto done;
    sort_array(list, count, sizeof *list, worst_first);
    markup_print(
        &report->body,
        "<h3>Worst categories</h3><p class=\"intro\">How many sentences of a category their "
        "ten nearest neighbours name correctly; the worst %zu of %zu categories.</p>",
        count < SHOWN ? count : SHOWN, categories);
    table_begin(&report->body, "worst-categories", heads, 4);
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        find_confusion(view, &list[i], wrong);
        write_tally(&report->body, &view->corpus->categories, &list[i]);
    }
    table_end(&report->body);
done:
    mem_free(list);
    mem_free(wrong);
    return status;
}

/* ---- Categories that the model itself answers ---- */

static int lower_f1_first(const void *left, const void *right)
{
    const json_t *a = *(json_t *const *)left, *b = *(json_t *const *)right;
    double x = json_value(a, "f1"), y = json_value(b, "f1");
    if (x != y) return x < y ? -1 : 1;
    return strcmp(json_string_value(json_object_get(a, "category")),
                  json_string_value(json_object_get(b, "category")));
}

static void write_name(struct markup *out, const json_t *object, const char *key)
{
    const char *name = json_string_value(json_object_get(object, key));
    sentence_write(out, film_string(name ? name : ""));
}

/* Writes the most frequent confusion of a category; the list begins with the most frequent. */
static void write_confusion(struct markup *out, const json_t *confusions, const json_t *category)
{
    size_t i;
    json_t *one;
    json_array_foreach((json_t *)(uintptr_t)confusions, i, one)
    {
        if (!json_equal(json_object_get(one, "category"), category)) continue;
        write_name(out, one, "answered");
        markup_print(out, " <small>(%.0f)</small>", json_value(one, "rows"));
        return;
    }
}

/* Writes the categories with the lowest F1, as film eval --json lists them in `classes`. */
static film_status write_classes(struct report *report, const json_t *answer, film_error *error)
{
    enum { SHOWN = 15 };
    static const char *const heads[] = {"category", "sentences", "precision", "recall",
                                        "most often taken for"};
    const json_t *classes = json_object_get(answer, "classes");
    size_t i, count = 0;
    json_t *one, **list = mem_array(json_array_size(classes), sizeof(json_t *));
    if (!list) return status_no_memory(error);
    json_array_foreach((json_t *)(uintptr_t)classes, i, one) if (json_value(one, "rows") > 0)
        list[count++] = one;
    sort_array(list, count, sizeof *list, lower_f1_first);
    markup_print(&report->body,
                 "<h3>Worst categories</h3><p class=\"intro\">The %zu of %zu categories with the "
                 "lowest F1.</p>",
                 count < SHOWN ? count : SHOWN, count);
    table_begin(&report->body, "worst-categories", heads, 5);
    for (i = 0; i < count && i < SHOWN; i++) {
        markup_raw(&report->body, "<tr><td>");
        write_name(&report->body, list[i], "category");
        markup_print(&report->body,
                     "</td><td class=\"figure\">%.0f</td><td class=\"figure\">%.0f %%</td><td "
                     "class=\"figure\">%.0f %%</td><td>",
                     json_value(list[i], "rows"), 100 * json_value(list[i], "precision"),
                     100 * json_value(list[i], "recall"));
        write_confusion(&report->body, json_object_get(answer, "confusions"),
                        json_object_get(list[i], "category"));
        markup_raw(&report->body, "</td></tr>\n");
    }
    table_end(&report->body);
    mem_free(list);
    return FILM_OK;
}

/* Writes sentences that almost all of their ten neighbours contradict. */
static void write_odd_sentences(struct report *report, const struct eval_view *view)
{
    enum { SHOWN = 20, MOST_VOTES = 10, LEAST_VOTES = 8 };
    static const char *const heads[] = {"category", "neighbours say", "sentence"};
    struct markup *out = &report->body;
    const struct strtab *names = &view->corpus->categories;
    size_t shown = 0;
    for (int votes = MOST_VOTES; votes >= LEAST_VOTES; votes--)
        for (uint32_t i = 0; i < view->own && shown < SHOWN; i++) {
            if (view->votes[i] != votes || view->voted[i] == view->category[i]) continue;
            if (!shown++) {
                markup_raw(out, "<h3>Labels to check</h3><p class=\"intro\">Sentences of which at "
                                "least eight of the ten nearest neighbours have one other "
                                "category.</p>");
                table_begin(out, "labels-eval", heads, 3);
            }
            markup_raw(out, "<tr><td>");
            sentence_write(out, strtab_get(names, view->category[i]));
            markup_raw(out, "</td><td>");
            sentence_write(out, strtab_get(names, view->voted[i]));
            markup_print(out, " <small>(%d of 10)</small></td><td>", votes);
            sentence_write(out, strtab_get(&view->corpus->sentences, i));
            markup_raw(out, "</td></tr>\n");
        }
    if (shown) table_end(out);
}

film_status labels_of_categories(struct report *report, const struct eval_view *view,
                                 film_error *error)
{
    int answers = json_array_size(json_object_get(view->answer, "classes")) > 0;
    film_status status =
        answers ? write_classes(report, view->answer, error) : write_worst(report, view, error);
    if (status == FILM_OK) write_odd_sentences(report, view);
    return status;
}
