/* Counts how labelled pairs with one edit are labelled. The edits are items that the evidence has
 * collected already; learn/made_up_pairs.c asks for them. */
#include "learn/labelled_edits.h"
#include "base/mem.h"

void labelled_edits_free(struct labelled_edits *edits)
{
    keytab_free(&edits->keys);
    mem_free(edits->balance);
    *edits = (struct labelled_edits){.balance = NULL};
}

/* *NUMBERS[item of ROWS] = its number in edits->keys, or KEYTAB_NONE; the caller frees it. */
static film_status number_edits(struct labelled_edits *edits, const struct evidence_rows *rows,
                                uint32_t **numbers, film_error *error)
{
    film_status status = FILM_OK;
    const struct keytab *items = &rows->items;
    uint64_t *keys = mem_zeroed(items->count + (size_t)1, sizeof *keys);
    *numbers = mem_array(items->count + (size_t)1, sizeof **numbers);
    TRY_ALLOC(keys && *numbers, error);
    for (uint64_t slot = 0; items->count && slot <= items->slot_mask; slot++)
        if (items->keys[slot] >> ITEM_KIND_SHIFT == ITEM_EDIT_AMONG)
            keys[items->number[slot]] = items->keys[slot];
    for (uint32_t i = 0; i < items->count; i++) {
        (*numbers)[i] = KEYTAB_NONE;
        if (keys[i]) TRY(keytab_add(&edits->keys, keys[i], &(*numbers)[i], error));
    }
done:
    mem_free(keys);
    return status;
}

film_status labelled_edits_count(struct labelled_edits *edits, const struct evidence_rows *rows,
                                 const float *target, const float *weight, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t *numbers = NULL;
    *edits = (struct labelled_edits){.balance = NULL};
    TRY(keytab_init(&edits->keys, error));
    TRY(number_edits(edits, rows, &numbers, error));
    TRY_ALLOC(edits->balance = mem_zeroed(edits->keys.count + (size_t)1, sizeof(double)), error);
    for (size_t i = 0; i < rows->pairs; i++) {
        struct evidence_cursor cursor = evidence_rows_open(rows, i);
        uint32_t column;
        float value;
        while (evidence_rows_read(&cursor, 1, &column, &value)) {
            if (column < 2 * rows->features) continue;
            uint32_t number = numbers[column - 2 * rows->features];
            if (number != KEYTAB_NONE)
                edits->balance[number] += (double)(target[i] >= 0.5f ? weight[i] : -weight[i]);
        }
    }
done:
    mem_free(numbers);
    return status;
}

int labelled_edits_contradict(const struct labelled_edits *edits, const struct items *items,
                              int same)
{
    for (size_t i = 0; i < items->count; i++) {
        if (items->list[i].kind != ITEM_EDIT_AMONG) continue;
        uint32_t number = keytab_find(&edits->keys, items->list[i].key);
        if (number == KEYTAB_NONE) continue;
        if (same ? edits->balance[number] <= 0 : edits->balance[number] >= 0) return 1;
    }
    return 0;
}
