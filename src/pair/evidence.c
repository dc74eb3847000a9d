/* Word evidence: looks up the learned weights of the features and items of a pair and adds them.
 * learn/ fits the weights by logistic regression. */
#include "pair/evidence.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

void evidence_free(struct evidence *evidence)
{
    keytab_free(&evidence->items);
    item_table_free(&evidence->table);
    mem_free(evidence->own);
    memset(evidence, 0, sizeof *evidence);
}

float evidence_item(const struct evidence *evidence, const struct item *item)
{
    if (!evidence->items.keys) return item_table_weight(&evidence->table, item->key);
    uint64_t slot = keytab_slot(&evidence->items, item->key);
    return slot == KEYTAB_NO_SLOT ? 0.0f : evidence->item[slot];
}

uint32_t evidence_items(const struct evidence *evidence)
{
    return evidence->items.keys ? evidence->items.count : item_table_count(&evidence->table);
}

uint64_t evidence_places(const struct evidence *evidence)
{
    return evidence->items.keys ? evidence->items.slot_mask + 1
                                : item_table_count(&evidence->table);
}

uint64_t evidence_at(const struct evidence *evidence, uint64_t place, float *weight)
{
    if (!evidence->items.keys) return item_table_at(&evidence->table, (uint32_t)place, weight);
    *weight = evidence->item[place];
    return evidence->items.keys[place];
}

/* The table is larger than the caches: prefetch. */
static void prefetch_item(const struct evidence *evidence, const struct item *item)
{
    if (!evidence->items.keys) {
        item_table_prefetch(&evidence->table, item->key);
        return;
    }
    uint64_t slot = keytab_first_slot(&evidence->items, item->key);
    __builtin_prefetch(evidence->items.keys + slot);
    __builtin_prefetch(evidence->item + slot);
}

double evidence_factor(double squares)
{
    return squares > 0 ? 1.0 / sqrt(squares) : 0.0;
}

/* Both rows are sorted by id: one merge finds shared and unshared features. */
static void add_features(const struct evidence *evidence, const struct reading *reading,
                         struct evidence_sums *sums)
{
    const struct feature_row *a = &reading->side[0].row, *b = &reading->side[1].row;
    const struct features *features = reading->encoder->features;
    size_t i = 0, j = 0, group = 0;
    while (i < a->count || j < b->count) {
        uint32_t left = i < a->count ? a->id[i] : UINT32_MAX;
        uint32_t right = j < b->count ? b->id[j] : UINT32_MAX;
        uint32_t id = left < right ? left : right;
        while (id >= features->first[group + 1]) group++;
        int alone = left != right;
        double base = evidence_base(features, (enum group)group, id, alone);
        double weight = (double)evidence_feature(evidence, id, alone);
        sums->feature[group][alone] += base * weight;
        sums->squares[group][alone] += base * base;
        i += left <= right;
        j += right <= left;
    }
}

double evidence_margin(const struct evidence *evidence, const struct reading *reading,
                       const struct items *items, struct evidence_sums *sums)
{
    enum { AHEAD = 12 };
    memset(sums, 0, sizeof *sums);
    for (size_t i = 0; i < AHEAD && i < items->count; i++) prefetch_item(evidence, &items->list[i]);
    add_features(evidence, reading, sums);
    for (size_t i = 0; i < items->count; i++) {
        if (i + AHEAD < items->count) prefetch_item(evidence, &items->list[i + AHEAD]);
        const struct item *item = &items->list[i];
        sums->item[item->kind] += (double)evidence_item(evidence, item) * (double)item->value;
    }
    sums->margin = evidence->bias;
    for (int g = 0; g < GROUPS; g++)
        for (int alone = 0; alone < 2; alone++) {
            sums->feature[g][alone] *= evidence_factor(sums->squares[g][alone]);
            sums->margin += sums->feature[g][alone];
        }
    for (int kind = 1; kind < ITEM_KINDS; kind++) sums->margin += sums->item[kind];
    return evidence->scale * sums->margin;
}
