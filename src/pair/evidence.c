#include "pair/evidence.h"
#include "base/mem.h"

#include <string.h>

void evidence_free(struct evidence *evidence)
{
    keytab_free(&evidence->items);
    mem_free(evidence->own);
    memset(evidence, 0, sizeof *evidence);
}

float evidence_item(const struct evidence *evidence, const struct item *item)
{
    uint32_t number = keytab_find(&evidence->items, item->key);
    return number == KEYTAB_NONE ? 0.0f : evidence->item[number];
}

static void note_extremes(struct evidence_sums *sums, double weight)
{
    if (weight < sums->strongest_against) sums->strongest_against = weight;
    if (weight > sums->strongest_for) sums->strongest_for = weight;
}

/* Both rows are sorted by id: one walk finds what is shared and what is not. */
static void add_features(const struct evidence *evidence, const struct reading *reading,
                         struct evidence_sums *sums)
{
    const struct feature_row *a = &reading->side[0].row, *b = &reading->side[1].row;
    size_t i = 0, j = 0;
    while (i < a->count || j < b->count) {
        uint32_t left = i < a->count ? a->id[i] : UINT32_MAX;
        uint32_t right = j < b->count ? b->id[j] : UINT32_MAX;
        uint32_t id = left < right ? left : right;
        double weight = (double)evidence_feature(evidence, id, left != right);
        if (left == right)
            sums->shared += weight;
        else
            sums->alone += weight;
        i += left <= right;
        j += right <= left;
    }
}

double evidence_margin(const struct evidence *evidence, const struct reading *reading,
                       const struct items *items, struct evidence_sums *sums)
{
    enum { AHEAD = 8 }; /* the table is larger than the caches: ask early */
    struct evidence_sums own;
    if (!sums) sums = &own;
    memset(sums, 0, sizeof *sums);
    for (size_t i = 0; i < AHEAD && i < items->count; i++)
        keytab_prefetch(&evidence->items, items->list[i].key);
    add_features(evidence, reading, sums);
    for (size_t i = 0; i < items->count; i++) {
        if (i + AHEAD < items->count) keytab_prefetch(&evidence->items, items->list[i + AHEAD].key);
        double weight = (double)evidence_item(evidence, &items->list[i]);
        sums->item[items->list[i].kind] += weight;
        note_extremes(sums, weight);
    }
    double margin = evidence->bias + sums->shared + sums->alone;
    for (int kind = 1; kind < ITEM_KINDS; kind++) margin += sums->item[kind];
    return margin;
}
