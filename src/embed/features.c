/* Applies a fitted vocabulary: from text to a TF-IDF row. learn/features_fit.c fits it. */
#include "embed/features.h"
#include "base/mem.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

enum group features_group(const struct features *features, uint32_t id)
{
    int group = 0;
    while (group < GROUPS - 1 && id >= features->first[group + 1]) group++;
    return (enum group)group;
}

film_text features_name(const struct features *features, uint32_t id)
{
    enum group group = features_group(features, id);
    return strtab_get(&features->vocabulary[group], id - features->first[group]);
}

void features_free(struct features *features)
{
    tokenizer_free(&features->tokenizer);
    for (int g = 0; g < GROUPS; g++) strtab_free(&features->vocabulary[g]);
    mem_free(features->own_idf);
    memset(features, 0, sizeof *features);
}

float features_tf(uint32_t count)
{
    static const float small[] = {0.0f, 1.0f, 1.69314718f, 2.09861229f, 2.38629436f};
    return count < 5 ? small[count] : (float)(1.0 + log((double)count));
}

void features_weigh(const struct features *features, const uint32_t *id, float *value, size_t count)
{
    size_t at = 0;
    int groups_present = 0;
    for (int g = 0; g < GROUPS; g++) {
        size_t start = at;
        double sum = 0.0;
        for (; at < count && id[at] < features->first[g + 1]; at++) {
            value[at] *= features->idf[id[at]];
            sum += (double)value[at] * (double)value[at];
        }
        if (at == start) continue;
        groups_present++;
        float scale = (float)(1.0 / sqrt(sum));
        for (size_t i = start; i < at; i++) value[i] *= scale;
    }
    if (groups_present < 2) return;
    /* Every group has length 1 now, so the length of the row is the root of their number. */
    float scale = (float)(1.0 / sqrt((double)groups_present));
    for (size_t i = 0; i < count; i++) value[i] *= scale;
}

film_status feature_row_init(struct feature_row *row, const struct features *features,
                             film_error *error)
{
    memset(row, 0, sizeof *row);
    return grams_init(&row->grams, &features->tokenizer, error);
}

void feature_row_free(struct feature_row *row)
{
    grams_free(&row->grams);
    mem_free(row->id);
    mem_free(row->value);
    mem_free(row->found);
    mem_free(row->scratch);
    memset(row, 0, sizeof *row);
}

static int reserve_features(struct feature_row *row, size_t count)
{
    return mem_grow((void **)&row->id, &row->id_capacity, count, sizeof *row->id) &&
           mem_grow((void **)&row->value, &row->value_capacity, count, sizeof *row->value) &&
           mem_grow((void **)&row->found, &row->found_capacity, count, sizeof *row->found) &&
           mem_grow((void **)&row->scratch, &row->scratch_capacity, count, sizeof *row->scratch);
}

/* Looks up every gram; the known ids are collected in row->id, with repetitions. */
static size_t look_up_features(const struct features *features, struct feature_row *row)
{
    size_t known = 0, at = 0;
    for (int g = 0; g < GROUPS; g++) {
        const struct gram_list *list = &row->grams.group[g];
        for (size_t i = 0; i < list->count; i++) {
            film_text text = gram_text(list, &list->items[i]);
            uint32_t id = strtab_find(&features->vocabulary[g], text.bytes, text.length);
            if (id != STRTAB_NONE) {
                id += features->first[g];
                row->id[known++] = id;
            }
            row->found[at++] = id;
        }
    }
    return known;
}

film_status features_transform(const struct features *features, struct feature_row *row,
                               film_text text, film_error *error)
{
    film_status status = FILM_OK;
    row->count = 0;
    TRY(grams_collect(&row->grams, &features->tokenizer, features->groups, text, error));
    size_t grams = 0;
    for (int g = 0; g < GROUPS; g++) grams += row->grams.group[g].count;
    TRY_ALLOC(reserve_features(row, grams), error);
    size_t known = look_up_features(features, row), count = 0;
    sort_ids(row->id, row->scratch, known);
    for (size_t i = 0; i < known;) { /* runs of equal ids become one entry */
        size_t start = i;
        uint32_t id = row->id[i];
        while (i < known && row->id[i] == id) i++;
        row->id[count] = id;
        row->value[count++] = features_tf((uint32_t)(i - start));
    }
    row->count = count;
    features_weigh(features, row->id, row->value, count);
done:
    return status;
}

size_t feature_row_position(const struct feature_row *row, uint32_t id)
{
    size_t low = 0, high = row->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (row->id[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void feature_row_places(const struct feature_row *row, double *places)
{
    size_t grams = 0;
    memset(places, 0, row->count * sizeof *places);
    for (int g = 0; g < GROUPS; g++) grams += row->grams.group[g].count;
    for (size_t i = 0; i < grams; i++)
        if (row->found[i] != STRTAB_NONE) places[feature_row_position(row, row->found[i])] += 1;
}
