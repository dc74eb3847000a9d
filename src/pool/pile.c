#include "base/keytab.h"
#include "base/mem.h"
#include "pool/pile_parts.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 20 };

struct pile_block {
    struct pile_block *next;
    size_t used, size;
    char bytes[];
};

film_status pile_view(struct pile *pile, const struct comm *comm, const film_record *records,
                      size_t count, film_error *error)
{
    film_status status = FILM_OK;
    struct pile_intake intake = {0};
    size_t i = (size_t)comm->rank;
    int go_on = 1;
    *pile = (struct pile){.comm = comm};
    if (comm->size == 1) {
        pile->records = records;
        pile->count = count;
        return FILM_OK;
    }
    TRY(pile_intake_open(&intake, pile, error));
    while (go_on) {
        for (; i < count && !pile_intake_full(&intake); i += (size_t)comm->size)
            TRY(pile_intake_add(&intake, i, 0, records[i].id, records[i].text, error));
        TRY(pile_intake_send(&intake, i < count, &go_on, error));
    }
done:
    pile_intake_close(&intake);
    return status;
}

void pile_free(struct pile *pile)
{
    while (pile->blocks) {
        struct pile_block *next = pile->blocks->next;
        mem_free(pile->blocks);
        pile->blocks = next;
    }
    mem_free(pile->own);
    mem_free(pile->at);
    mem_free(pile->keys);
    mem_free(pile->order);
    mem_free(pile->paired);
    mem_free(pile->labels);
    mem_free(pile->item);
    mem_free(pile->start);
    mem_free(pile->members);
    mem_free(pile->texts);
    *pile = (struct pile){0};
}

/* ---- filling ---- */

/* Blocks and not one growing array: addresses stay. */
static int copy(struct pile *pile, film_text *text)
{
    struct pile_block *block = pile->blocks;
    if (!text->bytes) return 1;
    if (!block || block->size - block->used < text->length) {
        size_t size = text->length > BLOCK ? text->length : BLOCK;
        block = mem_array(sizeof *block + size, 1);
        if (!block) return 0;
        *block = (struct pile_block){.next = pile->blocks, .size = size};
        pile->blocks = block;
    }
    char *bytes = block->bytes + block->used;
    memcpy(bytes, text->bytes, text->length);
    block->used += text->length;
    text->bytes = bytes;
    return 1;
}

film_status pile_add(struct pile *pile, film_text id, film_text text, film_error *error)
{
    film_record record = {id, text};
    void *own = pile->own;
    int grown = mem_grow(&own, &pile->capacity, pile->count + 1, sizeof *pile->own);
    pile->own = own;
    pile->records = own;
    if (!grown || !copy(pile, &record.id) || !copy(pile, &record.text))
        return status_no_memory(error);
    pile->own[pile->count++] = record;
    return FILM_OK;
}

film_status pile_label(struct pile *pile, size_t a, size_t b, int same, size_t count,
                       film_error *error)
{
    void *labels = pile->labels;
    if (a >= count || b >= count)
        return status_set(error, FILM_USAGE, "a label names record %zu of %zu", a > b ? a : b,
                          count);
    if (a == b) return FILM_OK;
    int grown =
        mem_grow(&labels, &pile->label_capacity, pile->label_count + 1, sizeof *pile->labels);
    pile->labels = labels;
    if (!grown) return status_no_memory(error);
    pile->labels[pile->label_count++] = (struct pile_label){(uint32_t)a, (uint32_t)b, same != 0};
    return FILM_OK;
}

/* ---- items ---- */

/* The record at a position; count when it is another process's. */
static size_t record_at(const struct pile *pile, uint32_t position)
{
    size_t low = 0, high = pile->count;
    if (!pile->at) return position;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pile->at[middle] < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low < pile->count && pile->at[low] == position ? low : pile->count;
}

/* Records of the same words that a label tells apart get keys of their own. */
static void part_labelled(const struct pile *pile)
{
    for (size_t i = 0; i < pile->label_count; i++) {
        const struct pile_label *label = &pile->labels[i];
        size_t a = record_at(pile, label->a), b = record_at(pile, label->b);
        if (label->same || a == pile->count || b == pile->count || pile->keys[a] != pile->keys[b])
            continue;
        pile->keys[a] = strtab_hash((const char *)&label->a, sizeof label->a) | 1;
        pile->keys[b] = strtab_hash((const char *)&label->b, sizeof label->b) | 1;
    }
}

int pile_text_order(film_text a, uint32_t a_number, film_text b, uint32_t b_number)
{
    int order = memcmp(a.bytes, b.bytes, a.length < b.length ? a.length : b.length);
    if (order) return order;
    if (a.length != b.length) return a.length < b.length ? -1 : 1;
    return a_number < b_number ? -1 : a_number > b_number;
}

static int by_text(const void *left, const void *right, void *user)
{
    const struct pile *pile = user;
    uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
    return pile_text_order(pile->records[i].text, i, pile->records[j].text, j);
}

/* Items by the order of their first texts. LEAD (count): the record of that text, by item. */
static film_status find_items(struct pile *pile, uint32_t *lead, film_error *error)
{
    film_status status = FILM_OK;
    struct keytab table = {0};
    uint32_t *order = NULL;
    TRY_ALLOC(order = mem_array(pile->count, sizeof *order), error);
    TRY_ALLOC(pile->item = mem_array(pile->count, sizeof *pile->item), error);
    for (size_t i = 0; i < pile->count; i++) order[i] = (uint32_t)i;
    qsort_r(order, pile->count, sizeof *order, by_text, pile);
    TRY(keytab_init(&table, error));
    for (size_t i = 0; i < pile->count; i++)
        TRY(keytab_add(&table, pile->keys[order[i]], &pile->item[order[i]], error));
    pile->items = table.count;
    for (size_t i = pile->count; i-- > 0;) lead[pile->item[order[i]]] = order[i];
done:
    keytab_free(&table);
    mem_free(order);
    return status;
}

/* Members of every item beside each other: a counting sort, which keeps them rising. */
static film_status list_members(struct pile *pile, film_error *error)
{
    film_status status = FILM_OK;
    TRY_ALLOC(pile->start = mem_zeroed((size_t)pile->items + 2, sizeof *pile->start), error);
    TRY_ALLOC(pile->members = mem_array(pile->count, sizeof *pile->members), error);
    TRY_ALLOC(pile->texts = mem_zeroed(pile->items, sizeof *pile->texts), error);
    uint32_t *start = pile->start + 1; /* shifted by one while it is filled */
    for (size_t i = 0; i < pile->count; i++)
        if (pile->item[i] + 1 < pile->items) start[pile->item[i] + 1]++;
    for (uint32_t i = 1; i < pile->items; i++) start[i] += start[i - 1];
    for (uint32_t i = 0; i < pile->count; i++) pile->members[start[pile->item[i]]++] = i;
    pile->start[0] = 0;
    for (size_t i = 0; i < pile->count; i++) {
        film_text text = pile->records[i].text, *first = &pile->texts[pile->item[i]];
        if (!first->bytes || pile_text_order(text, 0, *first, 0) < 0) *first = text;
    }
done:
    return status;
}

/* From positions to numbers of items; each process knows those of its own records. */
static film_status label_items(struct pile *pile, const uint32_t *number, film_error *error)
{
    film_status status = FILM_OK;
    size_t *sides = NULL;
    TRY_ALLOC(sides = mem_zeroed(pile->label_count, 2 * sizeof *sides), error);
    for (size_t i = 0; i < pile->label_count; i++)
        for (int side = 0; side < 2; side++) {
            size_t record = record_at(pile, side ? pile->labels[i].b : pile->labels[i].a);
            if (record < pile->count) sides[2 * i + (size_t)side] = number[pile->item[record]];
        }
    TRY(comm_sum_counts(pile->comm, sides, 2 * pile->label_count, error));
    for (size_t i = 0; i < pile->label_count; i++) {
        pile->labels[i].a = (uint32_t)sides[2 * i];
        pile->labels[i].b = (uint32_t)sides[2 * i + 1];
    }
done:
    mem_free(sides);
    return status;
}

/* Each record to the process of its item's turn. */
static film_status deal_items(struct pile *pile, const uint32_t *number, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t *by_record = NULL;
    size_t all = pile->items;
    TRY_ALLOC(by_record = mem_array(pile->count, sizeof *by_record), error);
    for (size_t i = 0; i < pile->count; i++) by_record[i] = number[pile->item[i]];
    TRY(pile_move(pile, by_record, error));
    TRY(comm_sum_counts(pile->comm, &all, 1, error));
    pile->all_items = (uint32_t)all;
    pile->items = (uint32_t)turns_count(pile->comm, all, pile->comm->rank);
done:
    mem_free(by_record);
    return status;
}

/* Positions in a job; how many records there are. */
static film_status count_records(struct pile *pile, film_error *error)
{
    film_status status = FILM_OK;
    pile->all_records = pile->count;
    if (pile->comm->size > 1) TRY(pile_settle(pile, error));
    if (pile->all_records >= UINT32_MAX)
        TRY(status_set(error, FILM_USAGE, "%zu records are more than can be compared",
                       pile->all_records));
done:
    return status;
}

film_status pile_group(struct pile *pile, const film_progress *progress, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t *lead = NULL, *number = NULL;
    TRY(count_records(pile, error));
    TRY(pile_keys(pile, progress, error));
    part_labelled(pile);
    TRY_ALLOC(lead = mem_array(pile->count, sizeof *lead), error);
    TRY(find_items(pile, lead, error));
    TRY_ALLOC(number = mem_array(pile->items, sizeof *number), error);
    TRY(pile_number(pile, lead, number, error));
    TRY(label_items(pile, number, error));
    pile->all_items = pile->items;
    if (pile->comm->size > 1) TRY(deal_items(pile, number, error));
    mem_free(pile->keys);
    pile->keys = NULL;
    TRY(list_members(pile, error));
done:
    mem_free(lead);
    mem_free(number);
    return status;
}

film_status pile_place(struct pile *pile, const film_progress *progress, film_error *error)
{
    film_status status = FILM_OK;
    TRY(count_records(pile, error));
    TRY(pile_keys(pile, progress, error));
    if (pile->comm->size > 1) TRY(pile_move(pile, pile->at, error));
done:
    return status;
}
