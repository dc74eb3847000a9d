/* A set of sentences in memory; those with the same words become one item. Reading files is in
 * record_set_read.c, the distributed part in record_set_share.c. */
#include "base/keytab.h"
#include "base/sort.h"
#include "base/mem.h"
#include "dedup/record_set_parts.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 20 };

struct record_set_block {
    struct record_set_block *next;
    size_t used, size;
    char bytes[];
};

film_status record_set_view(struct record_set *set, const struct comm *comm,
                            const film_record *records, size_t count, film_error *error)
{
    film_status status = FILM_OK;
    struct record_set_intake intake = {0};
    size_t i = (size_t)comm->rank;
    int go_on = 1;
    *set = (struct record_set){.comm = comm};
    if (comm->size == 1) {
        set->records = records;
        set->count = count;
        return FILM_OK;
    }
    TRY(record_set_intake_open(&intake, set, error));
    while (go_on) {
        for (; i < count && !record_set_intake_full(&intake); i += (size_t)comm->size)
            TRY(record_set_intake_add(&intake, i, 0, records[i].id, records[i].text, error));
        TRY(record_set_intake_send(&intake, i < count, &go_on, error));
    }
done:
    record_set_intake_close(&intake);
    return status;
}

void record_set_free(struct record_set *set)
{
    while (set->blocks) {
        struct record_set_block *next = set->blocks->next;
        mem_free(set->blocks);
        set->blocks = next;
    }
    mem_free(set->own);
    mem_free(set->at);
    mem_free(set->keys);
    mem_free(set->order);
    mem_free(set->paired);
    mem_free(set->labels);
    mem_free(set->chosen);
    mem_free(set->item);
    mem_free(set->start);
    mem_free(set->members);
    mem_free(set->texts);
    others_free(&set->others);
    *set = (struct record_set){0};
}

/* ---- Filling ---- */

/* Blocks instead of one growing array: addresses stay valid. */
static int copy_into_set(struct record_set *set, film_text *text)
{
    struct record_set_block *block = set->blocks;
    if (!text->bytes) return 1;
    if (!block || block->size - block->used < text->length) {
        size_t size = text->length > BLOCK ? text->length : BLOCK;
        block = mem_array(sizeof *block + size, 1);
        if (!block) return 0;
        *block = (struct record_set_block){.next = set->blocks, .size = size};
        set->blocks = block;
    }
    char *bytes = block->bytes + block->used;
    memcpy(bytes, text->bytes, text->length);
    block->used += text->length;
    text->bytes = bytes;
    return 1;
}

film_status record_set_add(struct record_set *set, film_text id, film_text text, film_error *error)
{
    film_record record = {id, text};
    void *own = set->own;
    int grown = mem_grow(&own, &set->capacity, set->count + 1, sizeof *set->own);
    set->own = own;
    set->records = own;
    if (!grown || !copy_into_set(set, &record.id) || !copy_into_set(set, &record.text))
        return status_no_memory(error);
    set->own[set->count++] = record;
    return FILM_OK;
}

film_status record_set_label(struct record_set *set, size_t a, size_t b, int same, size_t count,
                             film_error *error)
{
    void *labels = set->labels;
    if (a >= count || b >= count)
        return status_set(error, FILM_USAGE,
                          "label: record %zu is out of range; there are %zu records", a > b ? a : b,
                          count);
    if (a == b) return FILM_OK;
    int grown = mem_grow(&labels, &set->label_capacity, set->label_count + 1, sizeof *set->labels);
    set->labels = labels;
    if (!grown) return status_no_memory(error);
    set->labels[set->label_count++] =
        (struct record_set_label){(uint32_t)a, (uint32_t)b, same != 0};
    return FILM_OK;
}

film_status record_set_choose(struct record_set *set, size_t at, uint64_t rank, film_error *error)
{
    void *chosen = set->chosen;
    int grown =
        mem_grow(&chosen, &set->chosen_capacity, set->chosen_count + 1, sizeof *set->chosen);
    set->chosen = chosen;
    if (!grown) return status_no_memory(error);
    set->chosen[set->chosen_count++] = (struct record_set_chosen){(uint32_t)at, rank};
    return FILM_OK;
}

uint64_t record_set_rank(const struct record_set *set, uint32_t at)
{
    size_t low = 0, high = set->chosen_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set->chosen[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < set->chosen_count && set->chosen[low].at == at ? set->chosen[low].rank : 0;
}

/* ---- Items ---- */

/* Returns the record at a position, or count when another process has it. */
static size_t record_at(const struct record_set *set, uint32_t position)
{
    size_t low = 0, high = set->count;
    if (!set->at) return position;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set->at[middle] < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low < set->count && set->at[low] == position ? low : set->count;
}

/* Gives new keys to records with the same words that are labelled "different". */
static void part_labelled(const struct record_set *set)
{
    for (size_t i = 0; i < set->label_count; i++) {
        const struct record_set_label *label = &set->labels[i];
        size_t a = record_at(set, label->a), b = record_at(set, label->b);
        if (label->same || a == set->count || b == set->count || set->keys[a] != set->keys[b])
            continue;
        set->keys[a] = strtab_hash((const char *)&label->a, sizeof label->a) | 1;
        set->keys[b] = strtab_hash((const char *)&label->b, sizeof label->b) | 1;
    }
}

int record_set_text_order(film_text a, uint32_t a_number, film_text b, uint32_t b_number)
{
    int order = memcmp(a.bytes, b.bytes, a.length < b.length ? a.length : b.length);
    if (order) return order;
    if (a.length != b.length) return a.length < b.length ? -1 : 1;
    return a_number < b_number ? -1 : a_number > b_number;
}

static int by_text(const void *left, const void *right, void *user)
{
    const struct record_set *set = user;
    uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
    return record_set_text_order(set->records[i].text, i, set->records[j].text, j);
}

/* Numbers the items by their first texts. LEAD (count): the record of that text, by item. */
static film_status find_items(struct record_set *set, uint32_t *lead, film_error *error)
{
    film_status status = FILM_OK;
    struct keytab table = {0};
    uint32_t *order = NULL;
    TRY_ALLOC(order = mem_array(set->count, sizeof *order), error);
    TRY_ALLOC(set->item = mem_array(set->count, sizeof *set->item), error);
    for (size_t i = 0; i < set->count; i++) order[i] = (uint32_t)i;
    sort_array_r(order, set->count, sizeof *order, by_text, set);
    TRY(keytab_init(&table, error));
    for (size_t i = 0; i < set->count; i++)
        TRY(keytab_add(&table, set->keys[order[i]], &set->item[order[i]], error));
    set->items = table.count;
    for (size_t i = set->count; i-- > 0;) lead[set->item[order[i]]] = order[i];
done:
    keytab_free(&table);
    mem_free(order);
    return status;
}

/* Sorts the records by item: a counting sort, which is stable. */
static film_status list_members(struct record_set *set, film_error *error)
{
    film_status status = FILM_OK;
    TRY_ALLOC(set->start = mem_zeroed((size_t)set->items + 2, sizeof *set->start), error);
    TRY_ALLOC(set->members = mem_array(set->count, sizeof *set->members), error);
    TRY_ALLOC(set->texts = mem_zeroed(set->items, sizeof *set->texts), error);
    uint32_t *start = set->start + 1; /* shifted by one while it is filled */
    for (size_t i = 0; i < set->count; i++)
        if (set->item[i] + 1 < set->items) start[set->item[i] + 1]++;
    for (uint32_t i = 1; i < set->items; i++) start[i] += start[i - 1];
    for (uint32_t i = 0; i < set->count; i++) set->members[start[set->item[i]]++] = i;
    set->start[0] = 0;
    for (size_t i = 0; i < set->count; i++) {
        film_text text = set->records[i].text, *first = &set->texts[set->item[i]];
        if (!first->bytes || record_set_text_order(text, 0, *first, 0) < 0) *first = text;
    }
done:
    return status;
}

/* Converts positions to item numbers; each process knows those of its own records. */
static film_status label_items(struct record_set *set, const uint32_t *number, film_error *error)
{
    film_status status = FILM_OK;
    size_t *sides = NULL;
    TRY_ALLOC(sides = mem_zeroed(set->label_count, 2 * sizeof *sides), error);
    for (size_t i = 0; i < set->label_count; i++)
        for (int side = 0; side < 2; side++) {
            size_t record = record_at(set, side ? set->labels[i].b : set->labels[i].a);
            if (record < set->count) sides[2 * i + (size_t)side] = number[set->item[record]];
        }
    TRY(comm_sum_counts(set->comm, sides, 2 * set->label_count, error));
    for (size_t i = 0; i < set->label_count; i++) {
        set->labels[i].a = (uint32_t)sides[2 * i];
        set->labels[i].b = (uint32_t)sides[2 * i + 1];
    }
done:
    mem_free(sides);
    return status;
}

/* Sends each record to the round-robin owner of its item. */
static film_status partition_items(struct record_set *set, const uint32_t *number,
                                   film_error *error)
{
    film_status status = FILM_OK;
    uint32_t *by_record = NULL;
    size_t all = set->items;
    TRY_ALLOC(by_record = mem_array(set->count, sizeof *by_record), error);
    for (size_t i = 0; i < set->count; i++) by_record[i] = number[set->item[i]];
    TRY(record_set_move(set, by_record, error));
    TRY(comm_sum_counts(set->comm, &all, 1, error));
    set->all_items = (uint32_t)all;
    set->items = (uint32_t)round_robin_count(set->comm, all, set->comm->rank);
done:
    mem_free(by_record);
    return status;
}

/* Computes positions in a job, and the number of records. */
static film_status count_records(struct record_set *set, film_error *error)
{
    film_status status = FILM_OK;
    set->all_records = set->count;
    if (set->comm->size > 1) TRY(record_set_settle(set, error));
    if (set->all_records >= UINT32_MAX)
        TRY(status_set(error, FILM_USAGE, "%zu records are too many", set->all_records));
done:
    return status;
}

film_status record_set_group(struct record_set *set, const film_progress *progress,
                             film_error *error)
{
    film_status status = FILM_OK;
    uint32_t *lead = NULL, *number = NULL;
    TRY(count_records(set, error));
    TRY(record_set_keys(set, progress, error));
    part_labelled(set);
    TRY_ALLOC(lead = mem_array(set->count, sizeof *lead), error);
    TRY(find_items(set, lead, error));
    TRY_ALLOC(number = mem_array(set->items, sizeof *number), error);
    TRY(record_set_number(set, lead, number, error));
    TRY(label_items(set, number, error));
    set->all_items = set->items;
    if (set->comm->size > 1) TRY(partition_items(set, number, error));
    mem_free(set->keys);
    set->keys = NULL;
    TRY(list_members(set, error));
done:
    mem_free(lead);
    mem_free(number);
    return status;
}

film_status record_set_place(struct record_set *set, const film_progress *progress,
                             film_error *error)
{
    film_status status = FILM_OK;
    TRY(count_records(set, error));
    TRY(record_set_keys(set, progress, error));
    if (set->comm->size > 1) TRY(record_set_move(set, set->at, error));
done:
    return status;
}
