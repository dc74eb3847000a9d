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
    mem_free(evidence->edited_own);
    memset(evidence, 0, sizeof *evidence);
}

/* ---- Weights of the user ---- */

/* Returns the place of the first edited key that is not below KEY. */
static size_t edited_place(const struct evidence *evidence, uint64_t key)
{
    size_t low = 0, high = evidence->edited_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (evidence->edited_key[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

float evidence_edited(const struct evidence *evidence, uint64_t key, float weight)
{
    size_t at = edited_place(evidence, key);
    return at < evidence->edited_count && evidence->edited_key[at] == key ? evidence->edited[at]
                                                                          : weight;
}

film_status evidence_edit(struct evidence *evidence, uint64_t key, float weight, film_error *error)
{
    size_t at = edited_place(evidence, key), old = evidence->edited_count;
    int known = at < old && evidence->edited_key[at] == key;
    size_t count = old + !known;
    uint64_t *keys = mem_array(count, sizeof *keys + sizeof weight);
    if (!keys) return status_no_memory(error);
    float *weights = (float *)(keys + count);
    for (size_t i = 0, from = 0; i < count; i++) {
        int here = i == at;
        keys[i] = here ? key : evidence->edited_key[from];
        weights[i] = here ? weight : evidence->edited[from];
        from += !here || known;
    }
    mem_free(evidence->edited_own);
    evidence->edited_own = keys;
    evidence->edited_key = keys;
    evidence->edited = weights;
    evidence->edited_count = count;
    return FILM_OK;
}

/* ---- Items ---- */

static float learned_item(const struct evidence *evidence, uint64_t key)
{
    if (!evidence->items.keys) return item_table_weight(&evidence->table, key);
    uint64_t slot = keytab_slot(&evidence->items, key);
    return slot == KEYTAB_NO_SLOT ? 0.0f : evidence->item[slot];
}

float evidence_item(const struct evidence *evidence, uint64_t key)
{
    float learned = learned_item(evidence, key);
    return evidence->edited_count ? evidence_edited(evidence, key, learned) : learned;
}

uint32_t evidence_items(const struct evidence *evidence)
{
    return evidence->items.keys ? evidence->items.count : item_table_count(&evidence->table);
}

static uint64_t learned_places(const struct evidence *evidence)
{
    return evidence->items.keys ? evidence->items.slot_mask + 1
                                : item_table_count(&evidence->table);
}

uint64_t evidence_places(const struct evidence *evidence)
{
    return learned_places(evidence) + evidence->edited_count;
}

uint64_t evidence_at(const struct evidence *evidence, uint64_t place, float *weight)
{
    uint64_t learned = learned_places(evidence), key;
    if (place >= learned) { /* set by the user; unless it is listed above */
        key = evidence->edited_key[place - learned];
        *weight = evidence->edited[place - learned];
        return key >> ITEM_KIND_SHIFT && learned_item(evidence, key) == 0 ? key : 0;
    }
    if (evidence->items.keys) {
        *weight = evidence->item[place];
        key = evidence->items.keys[place];
    } else {
        key = item_table_at(&evidence->table, (uint32_t)place, weight);
    }
    *weight = evidence_edited(evidence, key, *weight);
    return key;
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
        sums->item[item->kind] += (double)evidence_item(evidence, item->key) * (double)item->value;
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
