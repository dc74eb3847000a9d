/* The section Dimensions: the words with the largest weights in each dimension of the map. */
#include "base/mem.h"
#include "model/model.h"
#include "report/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
    qsort(list, count, sizeof *list, weights_rising);
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
            double value = (double)model->encoder.map[(size_t)f * dim + d];
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
            list[f - first] = (struct weight){model->encoder.map[(size_t)f * dim + best], f};
        draw_dimension(report, best, energy[best] / total, list, end - first);
        energy[best] = 0;
    }
    plots_end(report);
done:
    mem_free(energy);
    mem_free(list);
    return status;
}

film_status dimensions_section(struct report *report, film_error *error)
{
    film_status status = FILM_OK;
    int ranked = report->model->encoder.weighs;
    section_begin(
        report, "dimensions", "Dimensions",
        ranked ? "A sentence's vector is the sum of its words' weights. Method rank starts from "
                 "random directions, so a dimension combines words of several themes. Dimensions "
                 "of methods film and svd depend on fewer words."
               : "A sentence's vector is the sum of its words' weights. Each dimension contrasts "
                 "some words with others.");
    if (report->model->encoder.map)
        TRY(draw_strongest(report, error));
    else
        not_shown(report, "Stem plots", "This model has no map.");
    section_end(report);
done:
    return status;
}
