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

static uint64_t learned_places(const struct evidence *evidence)
{
    return evidence->items.keys ? evidence->items.slot_mask + 1
                                : item_table_places(&evidence->table);
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
        key = item_table_at(&evidence->table, (size_t)place, weight);
    }
    *weight = evidence_edited(evidence, key, *weight);
    return key;
}

/* The weights of COUNT items, at most ITEM_BLOCK. The tables are larger than the caches: fetch
 * ahead. */
static void look_up_items(const struct evidence *evidence, const struct item *items, size_t count,
                          float *weights)
{
    uint64_t slot[ITEM_BLOCK];
    if (evidence->items.keys) {
        for (size_t i = 0; i < count; i++) {
            slot[i] = keytab_first_slot(&evidence->items, items[i].key);
            __builtin_prefetch(evidence->items.keys + slot[i]);
            __builtin_prefetch(evidence->item + slot[i]);
        }
        for (size_t i = 0; i < count; i++) weights[i] = learned_item(evidence, items[i].key);
    } else {
        item_table_weights(&evidence->table, items, count, weights);
    }
    for (size_t i = 0; evidence->edited_count && i < count; i++)
        weights[i] = evidence_edited(evidence, items[i].key, weights[i]);
}

double evidence_factor(double squares)
{
    return squares > 0 ? 1.0 / sqrt(squares) : 0.0;
}

/* The character n-grams, most of the features of a pair, where their weights are codes: the same
 * sums, without the cases of other features. */
static void add_grams(const struct evidence *evidence, const struct reading *reading,
                      struct evidence_sums *sums)
{
    const struct reading_features *both = &reading->features;
    const uint32_t *row = reading->side[0].row.id;
    const int8_t *code = evidence->feature_code;
    const float scale[2] = {evidence->feature_scale[0], evidence->feature_scale[1]};
    size_t from = both->first_shared[GROUP_CHAR], to = both->first_shared[GROUP_CHAR + 1];
    double sum[2] = {0};
    for (size_t i = from; i < to; i++)
        sum[0] += (double)(scale[0] * (float)code[2 * (size_t)row[both->shared[0][i]]]);
    sums->squares[GROUP_CHAR][0] = (double)(to - from);
    from = both->first_alone[GROUP_CHAR];
    to = both->first_alone[GROUP_CHAR + 1];
    for (size_t i = from; i < to; i++)
        sum[1] += (double)(scale[1] * (float)code[2 * (size_t)both->alone[i] + 1]);
    sums->squares[GROUP_CHAR][1] = (double)(to - from);
    for (int alone = 0; alone < 2; alone++) sums->feature[GROUP_CHAR][alone] = sum[alone];
}

/* Sums the features of one group: shared ones count 1, unshared words their idf. */
static void add_group(const struct evidence *evidence, const struct reading *reading, int group,
                      struct evidence_sums *sums)
{
    const struct reading_features *both = &reading->features;
    const uint32_t *row = reading->side[0].row.id;
    const struct features *features = reading->encoder->features;
    double sum = 0, squares = 0;
    if (group == GROUP_CHAR && evidence->feature_code && !evidence->edited_count) {
        add_grams(evidence, reading, sums);
        return;
    }
    for (size_t i = both->first_shared[group]; i < both->first_shared[group + 1]; i++)
        sum += (double)evidence_feature(evidence, row[both->shared[0][i]], 0);
    sums->feature[group][0] = sum;
    sums->squares[group][0] = (double)(both->first_shared[group + 1] - both->first_shared[group]);
    sum = 0;
    for (size_t i = both->first_alone[group]; i < both->first_alone[group + 1]; i++) {
        double base = evidence_base(features, (enum group)group, both->alone[i], 1);
        sum += base * (double)evidence_feature(evidence, both->alone[i], 1);
        squares += base * base;
    }
    sums->feature[group][1] = sum;
    sums->squares[group][1] = squares;
}

double evidence_margin(const struct evidence *evidence, const struct reading *reading,
                       const struct items *items, struct evidence_sums *sums)
{
    float *weights = items->weight;
    memset(sums, 0, sizeof *sums);
    for (size_t first = 0; first < items->count; first += ITEM_BLOCK) {
        size_t here = items->count - first < ITEM_BLOCK ? items->count - first : ITEM_BLOCK;
        look_up_items(evidence, items->list + first, here, weights + first);
    }
    const struct item *item = items->list, *end = item + items->count;
    while (item < end) { /* runs of one kind: their sum stays in a register */
        enum item_kind kind = item->kind;
        double sum = sums->item[kind];
        for (; item < end && item->kind == kind; item++)
            sum += (double)*weights++ * (double)item->value;
        sums->item[kind] = sum;
    }
    for (int g = 0; g < GROUPS; g++) add_group(evidence, reading, g, sums);
    sums->margin = evidence->bias;
    for (int g = 0; g < GROUPS; g++)
        for (int alone = 0; alone < 2; alone++) {
            sums->feature[g][alone] *= evidence_factor(sums->squares[g][alone]);
            sums->margin += sums->feature[g][alone];
        }
    for (int kind = 1; kind < ITEM_KINDS; kind++) sums->margin += sums->item[kind];
    return evidence->scale * sums->margin;
}
