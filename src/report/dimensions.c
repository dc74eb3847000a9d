/* Dimensions: the first row of the map over all features (Figure 5 of the paper), and
 * the words with the largest weights in each dimension. */
#include "base/mem.h"
#include "base/sort.h"
#include "model/model.h"
#include "report/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Dimensions; words at either end of one; bytes of a word. */
enum { SHOWN = 6, WORDS = 12, LONGEST = 100 };

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

/* The words with the largest weights, lowest first. */
static json_t *dimension_json(const struct features *features, size_t dimension, double share,
                              struct weight *list, size_t count)
{
    json_t *words = json_array();
    sort_array(list, count, sizeof *list, weights_rising);
    for (size_t i = 0; i < count; i++)
        if (i < WORDS || i + WORDS >= count)
            jsonfile_append(words,
                            json_pack("[o, o]",
                                      text_json(features_name(features, list[i].feature), LONGEST),
                                      number_json((double)list[i].value)));
    return json_pack("{s:I, s:o, s:o}", "dimension", (json_int_t)dimension, "share",
                     number_json(share), "words", words);
}

static film_status write_strongest(struct report *report, film_error *error)
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
    put_open(&report->data, "list", '[');
    for (int shown = 0; shown < SHOWN; shown++) {
        size_t best = 0;
        for (size_t d = 1; d < dim; d++)
            if (energy[d] > energy[best]) best = d;
        if (!(energy[best] > 0)) break;
        for (uint32_t f = first; f < end; f++)
            list[f - first] = (struct weight){word_map_value(&model->encoder.map, f, best, dim), f};
        put_json(&report->data, NULL,
                 dimension_json(&model->features, best, energy[best] / total, list, end - first));
        energy[best] = 0;
    }
    writer_close(&report->data, ']');
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
static void put_envelope(struct writer *to, const struct weight *list, size_t count)
{
    size_t bins = count < BINS ? count : BINS;
    put_open(to, "row", '[');
    for (size_t bin = 0; bin < bins; bin++) {
        size_t first = bin * count / bins, end = (bin + 1) * count / bins;
        double low = INFINITY, high = -INFINITY, middle = (double)(first + end - 1) / 2;
        for (size_t i = first; i < end; i++) {
            low = fmin(low, (double)list[i].value);
            high = fmax(high, (double)list[i].value);
        }
        put_numbers(to, NULL, (double[]){middle, bin % 2 ? high : low}, 2);
        put_numbers(to, NULL, (double[]){middle, bin % 2 ? low : high}, 2);
    }
    writer_close(to, ']');
}

/* Absolute weights by rank, evenly spaced on a logarithmic axis. */
static void put_sorted(struct writer *to, const struct weight *sorted, size_t count)
{
    double last = 0;
    put_open(to, "sorted", '[');
    for (size_t i = 0; i < RANKS; i++) {
        double rank = floor(pow((double)count, (double)i / (RANKS - 1)) + 0.5);
        if (rank > (double)count) rank = (double)count;
        if (rank <= last) continue;
        put_numbers(to, NULL, (double[]){rank, fabs((double)sorted[(size_t)rank - 1].value)}, 2);
        last = rank;
    }
    writer_close(to, ']');
}

static film_status write_first_row(struct report *report, film_error *error)
{
    film_status status = FILM_OK;
    const film_model *model = report->model;
    struct writer *to = &report->data;
    size_t count = features_count(&model->features);
    struct weight *sorted = NULL, *list = mem_array(count, sizeof *list);
    TRY_ALLOC(list && (sorted = mem_array(count, sizeof *sorted)), error);
    for (size_t f = 0; f < count; f++)
        list[f] = (struct weight){
            word_map_value(&model->encoder.map, (uint32_t)f, 0, model->encoder.dim), (uint32_t)f};
    if (count) memcpy(sorted, list, count * sizeof *list);
    sort_array(sorted, count, sizeof *sorted, stronger_weight_first);
    put_json(to, "features", json_integer((json_int_t)count));
    put_json(to, "ratio", number_json(participation(list, count)));
    put_envelope(to, list, count);
    put_sorted(to, sorted, count);
    put_open(to, "largest", '[');
    for (size_t i = 0; i < count && i < SPIKES; i++)
        put_json(to, NULL,
                 json_pack("[I, o, o]", (json_int_t)sorted[i].feature,
                           number_json((double)sorted[i].value),
                           text_json(features_name(&model->features, sorted[i].feature), LONGEST)));
    writer_close(to, ']');
done:
    mem_free(sorted);
    mem_free(list);
    return status;
}

film_status dimensions_part(struct report *report, film_error *error)
{
    film_status status = FILM_OK;
    put_open(&report->data, "dimensions", '{');
    if (word_map_exists(&report->model->encoder.map)) {
        TRY(write_first_row(report, error));
        TRY(write_strongest(report, error));
    }
    writer_close(&report->data, '}');
done:
    return status;
}
