/* The section on nearest neighbours: the FILM paper's kNN decision over a range of k, and search in
 * a pool. */
#include "base/mem.h"
#include "report/parts.h"

#include <math.h>
#include <stdio.h>

enum { PAPER_K = 36 }; /* what the paper chose on Quora, because of an elbow at 37 */

/* A minimum at the edge of the range need not be the minimum of all k. */
static void write_edge(struct report *report, const struct eval_view *view)
{
    const struct knn_curve *curve = &view->knn->curve[view->variant];
    size_t k = curve->points[curve->best].k;
    if (view->knn->points < 2 || (k != view->knn->first && k != view->knn->last)) return;
    markup_print(&report->body,
                 "<p class=\"edge\" id=\"knn-edge\">The best k = %zu is at the edge of the sweep "
                 "from %zu to %zu. %s</p>\n",
                 k, view->knn->first, view->knn->last,
                 k == 1 ? "The strictest rule has the lowest cross-entropy, as in the paper."
                        : "A k outside of it may be better: film eval takes another range.");
}

static film_status draw_sweep(struct report *report, const struct eval_view *view,
                              film_error *error)
{
    film_status status = FILM_OK;
    const struct knn_curve *curve = &view->knn->curve[view->variant];
    size_t n = view->knn->points;
    double *column = mem_array(6 * n, sizeof *column); /* k, tpr, tnr, fpr, fnr, cross-entropy */
    TRY_ALLOC(column, error);
    for (size_t i = 0; i < n; i++) {
        const struct knn_point *p = &curve->points[i];
        const double value[6] = {(double)p->k, p->tpr, p->tnr, p->fpr, p->fnr, p->cross_entropy};
        for (size_t c = 0; c < 6; c++) column[c * n + i] = value[c];
    }
    static const char *const names[] = {"TPR (found)", "TNR", "FPR (false positives)",
                                        "FNR (missed)"};
    static const int colours[] = {1, 3, 2, 4};
    struct plot_series rates[4], entropy;
    for (size_t s = 0; s < 4; s++)
        rates[s] = (struct plot_series){.name = names[s],
                                        .kind = PLOT_LINE,
                                        .colour = colours[s],
                                        .x = column,
                                        .y = column + (s + 1) * n,
                                        .count = n};
    struct plot_mark marks[] = {{(double)curve->points[curve->best].k, "best"},
                                {(double)curve->points[curve->elbow].k, "elbow"},
                                {PAPER_K, "paper"}};
    struct plot plot = {
        .id = "knn-rates",
        .title = "Rates by k",
        .about = "Figure 4 of the paper, above. Two sentences are the same if each is among the "
                 "other's k nearest neighbours. The paper chose k = 36.",
        .x = {.title = "k (neighbours)"},
        .y = {.title = "rate", .percent = 1, .low = 0, .high = 1},
        .series = rates,
        .count = 4,
        .marks = marks + 2,
        .mark_count = 1};
    plot_write(&report->body, &plot);
    char about[200];
    snprintf(about, sizeof about,
             "Figure 4 of the paper, below. Minimum %.3f at k = %zu; elbow at k = %zu.",
             curve->points[curve->best].cross_entropy, curve->points[curve->best].k,
             curve->points[curve->elbow].k);
    entropy = (struct plot_series){.name = "cross-entropy",
                                   .kind = PLOT_LINE,
                                   .colour = 1,
                                   .x = column,
                                   .y = column + 5 * n,
                                   .count = n};
    plot = (struct plot){.id = "knn-entropy",
                         .title = "Cross-entropy by k",
                         .about = about,
                         .x = {.title = "k (neighbours)"},
                         .y = {.title = "cross-entropy (nats)"},
                         .series = &entropy,
                         .count = 1,
                         .marks = marks,
                         .mark_count = 3};
    plot_write(&report->body, &plot);
done:
    mem_free(column);
    return status;
}

/* Draws the recall among the first 1, 2, ..., 50 results. */
static void draw_search(struct report *report, const struct retrieval *found)
{
    enum { DEPTH = 50 };
    double x[DEPTH], y[DEPTH], count[DEPTH + 1] = {0}, sum = 0;
    for (size_t i = 0; i < found->queries; i++)
        if (found->rank[i] <= DEPTH) count[found->rank[i]]++;
    for (size_t k = 1; k <= DEPTH; k++) {
        sum += count[k];
        x[k - 1] = (double)k;
        y[k - 1] = found->queries ? sum / (double)found->queries : (double)NAN;
    }
    char about[200];
    snprintf(about, sizeof about,
             "%zu duplicates searched among %zu sentences by vector similarity; MRR %.3f.",
             found->queries, found->pool, found->mrr);
    struct plot_series series = {
        .name = "found", .kind = PLOT_LINE, .colour = 1, .x = x, .y = y, .count = DEPTH};
    struct plot plot = {
        .id = "retrieval",
        .title = "Search in the pool",
        .about = about,
        .x = {.title = "k (first results)"},
        .y = {.title = "recall (duplicates found)", .percent = 1, .low = 0, .high = 1},
        .series = &series,
        .count = 1};
    plot_write(&report->body, &plot);
}

film_status sweep_section(struct report *report, const struct eval_view *view, film_error *error)
{
    film_status status = FILM_OK;
    research_begin(
        report, "sweep", "Nearest neighbours",
        "The FILM paper decides by nearest neighbours of the vectors alone. These plots show the "
        "quality of the vectors; the decisions above use more than the vectors.");
    if (!view)
        not_shown(report, "k sweep", "This needs a labelled evaluation file.");
    else if (!view->knn)
        not_shown(report, "k sweep",
                  has_pairs(view->corpus) ? "The model has no vectors."
                                          : "This needs pairs labelled 0 or 1.");
    if (view && view->knn) write_edge(report, view);
    plots_begin(report);
    if (view && view->knn) TRY(draw_sweep(report, view, error));
    if (view && view->retrieval) draw_search(report, view->retrieval);
    plots_end(report);
    section_end(report);
done:
    return status;
}
