/* The section Dimensions: the first row of the map over all features (Figure 5 of the paper), and
 * the words with the largest weights in each dimension. */
#include "base/mem.h"
#include "base/sort.h"
#include "model/model.h"
#include "report/captions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 6, WORDS = 12 }; /* dimensions; words at either end of one */

struct weight {
    float value;
    uint32_t feature;
};

static int weights_rising(const void *left, const void *right)
{
    const struct weight *a = left, *b = right;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    return a->feature < b->feature ? -1 : a->feature > b->feature;
}

/* The range of word features or, if there are none, of all features. */
static void feature_range(const struct features *features, uint32_t *first, uint32_t *end)
{
    int words = features->first[GROUP_WORD + 1] > features->first[GROUP_WORD];
    *first = words ? features->first[GROUP_WORD] : 0;
    *end = words ? features->first[GROUP_WORD + 1] : features_count(features);
}

static void draw_dimension(struct report *report, size_t dimension, double share,
                           struct weight *list, size_t count)
{
    const struct features *features = &report->model->features;
    double x[2 * WORDS], y[2 * WORDS];
    film_text names[2 * WORDS], label[2 * WORDS];
    char text[2 * WORDS][200], id[40], title[60], about[120];
    size_t shown = 0;
    sort_array(list, count, sizeof *list, weights_rising);
    for (size_t i = 0; i < count; i++) {
        if (i >= WORDS && i + WORDS < count) continue;
        film_text name = features_name(features, list[i].feature);
        x[shown] = (double)shown;
        y[shown] = (double)list[i].value;
        names[shown] = name;
        int length = snprintf(text[shown], sizeof text[shown], "%.*s: %+.4f",
                              (int)(name.length < 150 ? name.length : 150), name.bytes, y[shown]);
        label[shown] = (film_text){text[shown], (size_t)length};
        shown++;
    }
    size_t negative = 0;
    while (negative < shown && y[negative] < 0) negative++;
    struct plot_series series[] = {{.name = "negative weight",
                                    .kind = PLOT_STEMS,
                                    .colour = 2,
                                    .x = x,
                                    .y = y,
                                    .count = negative,
                                    .label = label},
                                   {.name = "positive weight",
                                    .kind = PLOT_STEMS,
                                    .colour = 1,
                                    .x = x + negative,
                                    .y = y + negative,
                                    .count = shown - negative,
                                    .label = label + negative}};
    snprintf(id, sizeof id, "dimension-%zu", dimension);
    snprintf(title, sizeof title, "Dimension %zu", dimension);
    snprintf(about, sizeof about, "%.1f %% of the map; words with the largest weights.",
             100 * share);
    struct plot plot = {.id = id,
                        .title = title,
                        .about = about,
                        .x = {.title = "words, sorted by weight"},
                        .y = {.title = "weight", .from_zero = 1},
                        .series = series,
                        .count = 2,
                        .names = names,
                        .name_count = shown};
    plot_write(&report->body, &plot);
}

static film_status draw_strongest(struct report *report, film_error *error)
{
    film_status status = FILM_OK;
    const film_model *model = report->model;
    size_t dim = model->encoder.dim;
    uint32_t first, end;
    double *energy = mem_zeroed(dim, sizeof *energy), total = 0;
    struct weight *list = NULL;
    feature_range(&model->features, &first, &end);
    TRY_ALLOC(energy && (list = mem_array(end - first, sizeof *list)), error);
    for (uint32_t f = first; f < end; f++)
        for (size_t d = 0; d < dim; d++) {
            double value = (double)word_map_value(&model->encoder.map, f, d, dim);
            energy[d] += value * value;
            total += value * value;
        }
    plots_begin(report);
    for (int shown = 0; shown < SHOWN; shown++) {
        size_t best = 0;
        for (size_t d = 1; d < dim; d++)
            if (energy[d] > energy[best]) best = d;
        if (!(energy[best] > 0)) break;
        for (uint32_t f = first; f < end; f++)
            list[f - first] = (struct weight){word_map_value(&model->encoder.map, f, best, dim), f};
        draw_dimension(report, best, energy[best] / total, list, end - first);
        energy[best] = 0;
    }
    plots_end(report);
done:
    mem_free(energy);
    mem_free(list);
    return status;
}

/* ---- The first row of L ---- */

/* Returns the number of features a row depends on: (sum of squares)^2 / sum of fourth powers. */
static double participation(const struct weight *list, size_t count)
{
    double squares = 0, fourths = 0;
    for (size_t i = 0; i < count; i++) {
        double square = (double)list[i].value * (double)list[i].value;
        squares += square;
        fourths += square * square;
    }
    return fourths > 0 ? squares * squares / fourths : 0;
}

static int stronger_weight_first(const void *left, const void *right)
{
    const struct weight *a = left, *b = right;
    float x = fabsf(a->value), y = fabsf(b->value);
    if (x != y) return x > y ? -1 : 1;
    return a->feature < b->feature ? -1 : a->feature > b->feature;
}

enum { SPIKES = 60, BINS = 400, RANKS = 240 };

/* The lowest and the highest weight of each of at most BINS ranges of ids, as one line. */
static size_t envelope(const struct weight *list, size_t count, double *x, double *y)
{
    size_t bins = count < BINS ? count : BINS, points = 0;
    for (size_t bin = 0; bin < bins; bin++) {
        size_t first = bin * count / bins, end = (bin + 1) * count / bins;
        double low = INFINITY, high = -INFINITY;
        for (size_t i = first; i < end; i++) {
            low = fmin(low, (double)list[i].value);
            high = fmax(high, (double)list[i].value);
        }
        x[points] = x[points + 1] = (double)(first + end - 1) / 2;
        y[points++] = bin % 2 ? high : low;
        y[points++] = bin % 2 ? low : high;
    }
    return points;
}

static void draw_in_order(struct report *report, const struct weight *list, size_t count,
                          const double *spike_x, const double *spike_y, size_t spikes,
                          const film_text *labels)
{
    double x[2 * BINS], y[2 * BINS];
    struct plot_series series[] = {
        {.kind = PLOT_LINE, .colour = 1, .x = x, .y = y, .count = envelope(list, count, x, y)},
        {.name = "largest weights",
         .kind = PLOT_POINTS,
         .colour = 2,
         .x = spike_x,
         .y = spike_y,
         .count = spikes,
         .label = labels}};
    struct plot plot = {.id = "row-first",
                        .title = "First row of L, by feature",
                        .about =
                            "Figure 5 of the paper: dimension 0 over all features. The largest "
                            "weights are dots; hover to see the word.",
                        .x = {.title = "feature id (by falling frequency in each group)"},
                        .y = {.title = "weight", .from_zero = 1},
                        .series = series,
                        .count = 2};
    plot_write(&report->body, &plot);
}

static void draw_sorted(struct report *report, const struct weight *sorted, size_t count,
                        const film_text *labels, double effective)
{
    double x[RANKS], y[RANKS], spike_x[SPIKES], spike_y[SPIKES];
    size_t points = 0, spikes = count < SPIKES ? count : SPIKES;
    for (size_t i = 0; i < RANKS; i++) { /* evenly spaced on the logarithmic axis */
        double rank = floor(pow((double)count, (double)i / (RANKS - 1)) + 0.5);
        if (points && rank <= x[points - 1]) continue;
        x[points] = fmin(rank, (double)count);
        y[points] = fabs((double)sorted[(size_t)x[points] - 1].value);
        points++;
    }
    for (size_t i = 0; i < spikes; i++) {
        spike_x[i] = (double)(i + 1);
        spike_y[i] = fabs((double)sorted[i].value);
    }
    char about[200];
    snprintf(about, sizeof about,
             "The same weights, the largest first. The row depends on about %.0f of %zu features "
             "(participation ratio).",
             effective, count);
    struct plot_series series[] = {{.name = "absolute weight",
                                    .kind = PLOT_LINE,
                                    .colour = 1,
                                    .x = x,
                                    .y = y,
                                    .count = points},
                                   {.kind = PLOT_POINTS,
                                    .colour = 2,
                                    .x = spike_x,
                                    .y = spike_y,
                                    .count = spikes,
                                    .label = labels}};
    struct plot_mark mark = {fmax(effective, 1), "participation ratio"};
    struct plot plot = {.id = "row-sorted",
                        .title = "First row of L, sorted",
                        .about = about,
                        .x = {.title = "rank (logarithmic)", .log = 1},
                        .y = {.title = "absolute weight", .from_zero = 1},
                        .series = series,
                        .count = 2,
                        .marks = &mark,
                        .mark_count = 1};
    plot_write(&report->body, &plot);
}

static film_status draw_first_row(struct report *report, film_error *error)
{
    film_status status = FILM_OK;
    const film_model *model = report->model;
    size_t count = features_count(&model->features);
    size_t spikes = count < SPIKES ? count : SPIKES;
    double x[SPIKES], y[SPIKES];
    struct captions captions = {0};
    struct weight *sorted = NULL, *list = mem_array(count, sizeof *list);
    TRY_ALLOC(list && (sorted = mem_array(count, sizeof *sorted)), error);
    if (!count) goto done;
    for (size_t f = 0; f < count; f++)
        list[f] = (struct weight){
            word_map_value(&model->encoder.map, (uint32_t)f, 0, model->encoder.dim), (uint32_t)f};
    memcpy(sorted, list, count * sizeof *list);
    sort_array(sorted, count, sizeof *sorted, stronger_weight_first);
    for (size_t i = 0; i < spikes; i++) {
        x[i] = (double)sorted[i].feature;
        y[i] = (double)sorted[i].value;
        captions_put(&captions, features_name(&model->features, sorted[i].feature), 100);
        captions_print(&captions, " (id %u): %+.4g", sorted[i].feature, y[i]);
        captions_next(&captions);
    }
    const film_text *labels = captions_list(&captions);
    TRY_ALLOC(labels, error);
    plots_begin(report);
    draw_in_order(report, list, count, x, y, spikes, labels);
    draw_sorted(report, sorted, count, labels, participation(list, count));
    plots_end(report);
done:
    captions_free(&captions);
    mem_free(sorted);
    mem_free(list);
    return status;
}

film_status dimensions_section(struct report *report, film_error *error)
{
    film_status status = FILM_OK;
    int ranked = report->model->encoder.weighs;
    research_begin(
        report, "dimensions", "Dimensions",
        ranked ? "A sentence's vector is the sum of its words' weights. Method rank starts from "
                 "random directions, so a dimension combines words of several themes. Dimensions "
                 "of methods film and svd depend on fewer words."
               : "A sentence's vector is the sum of its words' weights. Each dimension contrasts "
                 "some words with others.");
    if (word_map_exists(&report->model->encoder.map)) {
        TRY(draw_first_row(report, error));
        TRY(draw_strongest(report, error));
    } else {
        not_shown(report, "Dimensions", "This model has no map.");
    }
    section_end(report);
done:
    return status;
}
