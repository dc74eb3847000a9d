/* The section Mistakes: the confusion matrix, and examples of each cell with their reasons. */
#include "base/mem.h"
#include "base/sort.h"
#include "model/model.h"
#include "plot/scale.h"
#include "report/reasons.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SUREST = 5, NARROWEST = 3 };

struct choice {
    double probability;
    size_t pair;
};

static int probabilities_rising(const void *left, const void *right)
{
    const struct choice *a = left, *b = right;
    if (a->probability != b->probability) return a->probability < b->probability ? -1 : 1;
    return a->pair < b->pair ? -1 : a->pair > b->pair;
}

/* ---- One pair with its reasons ---- */

static film_status write_mistake(struct report *report, struct verdict_reader *reader,
                                 const struct eval_view *view, size_t pair, film_error *error)
{
    struct markup *out = &report->body;
    film_text text[2] = {strtab_get(&view->corpus->sentences, view->a[pair]),
                         strtab_get(&view->corpus->sentences, view->b[pair])};
    markup_print(out, "<div class=\"pair\"><span class=\"p\">p = %.3f", view->probability[pair]);
    if (view->corpus->labels == FILM_LABELS_SCORES)
        markup_print(out, ", score %.3g", (double)view->label[pair]);
    markup_raw(out, "</span>");
    for (int side = 0; side < 2; side++) {
        markup_raw(out, "<p>");
        sentence_write(out, text[side]);
        markup_raw(out, "</p>");
    }
    film_status status = reasons_write(out, reader, text[0], text[1], error);
    markup_raw(out, "</div>\n");
    return status;
}

/* Writes the FIRST pairs at the start of the list and the LAST pairs at its end. */
static film_status write_pairs(struct report *report, struct verdict_reader *reader,
                               const struct eval_view *view, const struct choice *list,
                               size_t count, size_t first, size_t last, film_error *error)
{
    film_status status = FILM_OK;
    if (first > count) first = count;
    if (last > count - first) last = count - first;
    for (size_t i = 0; i < first; i++)
        TRY(write_mistake(report, reader, view, list[i].pair, error));
    for (size_t i = count - last; i < count; i++)
        TRY(write_mistake(report, reader, view, list[i].pair, error));
done:
    return status;
}

/* ---- The matrix ---- */

static film_status write_cell(struct report *report, struct verdict_reader *reader,
                              const struct eval_view *view, int same, int label,
                              struct choice *list, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = 0;
    char number[40];
    for (size_t i = 0; i < view->pairs; i++)
        if (view->same[i] == same && (view->label[i] >= 0.5f) == label)
            list[count++] = (struct choice){same ? -view->probability[i] : view->probability[i], i};
    sort_array(list, count, sizeof *list, probabilities_rising); /* most certain first */
    scale_count((double)count, number, sizeof number);
    markup_print(
        &report->body,
        "<details%s><summary>decided %s, labelled %s <small>- %s pairs, %s; most and least certain "
        "examples</small></summary>\n",
        same && !label ? " open=\"open\"" : "", same ? "same" : "different",
        label ? "same" : "different", number, same == label ? "right" : "wrong");
    if (!count) markup_raw(&report->body, "<p class=\"none\">No pairs.</p>");
    TRY(write_pairs(report, reader, view, list, count, SUREST, NARROWEST, error));
    markup_raw(&report->body, "</details>\n");
done:
    return status;
}

/* Writes the rates of the matrix. */
static void write_rates(struct report *report, const double value[4])
{
    struct markup *out = &report->body;
    double same = value[0] + value[1], different = value[2] + value[3];
    markup_raw(out, "<div class=\"beside\"><table>\n");
    fact(out, "same pairs found (recall, TPR)", "%.1f %%", 100 * value[0] / same);
    fact(out, "same pairs missed (FNR)", "%.1f %%", 100 * value[1] / same);
    fact(out, "different pairs recognised (TNR)", "%.1f %%", 100 * value[3] / different);
    fact(out, "different pairs decided same (FPR)", "%.1f %%", 100 * value[2] / different);
    fact(out, "correct among \"same\" decisions (precision)", "%.1f %%",
         100 * value[0] / (value[0] + value[2]));
    fact(out, "correct among \"different\" decisions", "%.1f %%",
         100 * value[3] / (value[1] + value[3]));
    markup_raw(out, "</table></div>\n");
}

static film_status write_matrix(struct report *report, struct verdict_reader *reader,
                                const struct eval_view *view, struct choice *list,
                                film_error *error)
{
    film_status status = FILM_OK;
    static const char *const decided[] = {"decided same", "decided different"};
    static const char *const labelled[] = {"same", "different"};
    double value[4] = {0}; /* row: label, column: decision; the same first */
    for (size_t i = 0; i < view->pairs; i++) value[2 * (view->label[i] < 0.5f) + !view->same[i]]++;
    struct plot_heat heat = {.id = "confusion",
                             .title = "Confusion matrix",
                             .about = "Pairs by label and decision. The diagonal is correct.",
                             .x_title = "decision",
                             .y_title = "label",
                             .value_title = "pairs",
                             .columns = 2,
                             .rows = 2,
                             .value = value,
                             .x_names = decided,
                             .y_names = labelled};
    plots_begin(report);
    plot_heat_write(&report->body, &heat);
    write_rates(report, value);
    plots_end(report);
    markup_raw(&report->body, "<p class=\"intro\">The lists show examples of each cell. Blue "
                              "reasons are evidence for the same meaning, "
                              "orange ones against it; those for the decision come first. The "
                              "numbers are log-odds.</p>");
    for (int cell = 0; cell < 4; cell++) /* mistakes first */
        TRY(write_cell(report, reader, view, cell == 0 || cell == 2, cell == 1 || cell == 2, list,
                       error));
done:
    return status;
}

/* Writes the pairs whose probability is farthest from their score, scaled to 0 to 1. */
static film_status write_scores(struct report *report, struct verdict_reader *reader,
                                const struct eval_view *view, struct choice *list,
                                film_error *error)
{
    film_status status = FILM_OK;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < view->pairs; i++) {
        low = fmin(low, (double)view->label[i]);
        high = fmax(high, (double)view->label[i]);
    }
    for (size_t i = 0; i < view->pairs; i++) {
        double expected = high > low ? ((double)view->label[i] - low) / (high - low) : 0.5;
        list[i] = (struct choice){view->probability[i] - expected, i};
    }
    sort_array(list, view->pairs, sizeof *list, probabilities_rising);
    markup_raw(&report->body,
               "<details open=\"open\"><summary>probability much lower than the score</summary>\n");
    TRY(write_pairs(report, reader, view, list, view->pairs, SUREST, 0, error));
    markup_raw(&report->body,
               "</details><details><summary>probability much higher than the score</summary>\n");
    TRY(write_pairs(report, reader, view, list, view->pairs, 0, SUREST, error));
    markup_raw(&report->body, "</details>\n");
done:
    return status;
}

film_status mistakes_section(struct report *report, const struct eval_view *view, film_error *error)
{
    film_status status = FILM_OK;
    struct verdict_reader reader = {.ready = 0};
    struct choice *list = NULL;
    section_begin(report, "mistakes", "Mistakes", NULL);
    if (!view || !view->pairs) {
        not_shown(report, "Confusion matrix and examples",
                  view ? "The file has no pairs." : "This needs a labelled evaluation file.");
        section_end(report);
        return FILM_OK;
    }
    TRY(reader_init(&reader, &report->model->decision, error));
    TRY_ALLOC(list = mem_array(view->pairs, sizeof *list), error);
    TRY(has_pairs(view->corpus) ? write_matrix(report, &reader, view, list, error)
                                : write_scores(report, &reader, view, list, error));
    section_end(report);
done:
    reader_free(&reader);
    mem_free(list);
    return status;
}
