/* A record set in a job: global positions and numbers, and moving records to their owners. One
 * process needs none of it. */
#include "base/mem.h"
#include "base/sort.h"
#include "dedup/record_set_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- Positions ---- */

static int by_order(const void *left, const void *right, void *user)
{
    const uint64_t *order = user;
    uint64_t a = order[*(const uint32_t *)left], b = order[*(const uint32_t *)right];
    return a < b ? -1 : a > b;
}

static int by_text(const void *left, const void *right, void *user)
{
    const struct record_set *set = user;
    uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
    return record_set_text_order(set->own[i].text, i, set->own[j].text, j);
}

/* Reorders the records by PLACE, of which KEPT stay. */
static film_status rearrange(struct record_set *set, const uint32_t *place, size_t kept,
                             film_error *error)
{
    film_status status = FILM_OK;
    film_record *records = mem_array(kept, sizeof *records);
    uint64_t *keys = mem_array(kept, sizeof *keys), *order = mem_array(kept, sizeof *order);
    uint8_t *paired = mem_array(kept, sizeof *paired);
    TRY_ALLOC(records && keys && order && paired, error);
    for (size_t i = 0; i < kept; i++) {
        records[i] = set->own[place[i]];
        keys[i] = set->keys[place[i]];
        order[i] = set->order[place[i]];
        paired[i] = set->paired[place[i]];
    }
    mem_free(set->own);
    mem_free(set->keys);
    mem_free(set->order);
    mem_free(set->paired);
    set->records = set->own = records;
    set->keys = keys;
    set->order = order;
    set->paired = paired;
    set->count = kept;
    set->capacity = set->key_capacity = set->order_capacity = set->paired_capacity = kept;
    return FILM_OK;
done:
    mem_free(records);
    mem_free(keys);
    mem_free(order);
    mem_free(paired);
    return status;
}

/* The records are in order. Of equal texts of pairs, the first stays. */
static film_status drop_known(struct record_set *set, uint32_t *place, film_error *error)
{
    film_status status = FILM_OK;
    uint8_t *gone = NULL;
    size_t kept = 0, paired = 0, last;
    for (uint32_t i = 0; i < set->count; i++)
        if (set->paired[i]) place[paired++] = i;
    if (paired < 2) return FILM_OK;
    TRY_ALLOC(gone = mem_zeroed(set->count, 1), error);
    sort_array_r(place, paired, sizeof *place, by_text, set);
    last = place[0];
    for (size_t i = 1; i < paired; i++) {
        if (record_set_text_order(set->own[place[i]].text, 0, set->own[last].text, 0) == 0)
            gone[place[i]] = 1;
        else
            last = place[i];
    }
    for (uint32_t i = 0; i < set->count; i++)
        if (!gone[i]) place[kept++] = i;
    TRY(rearrange(set, place, kept, error));
done:
    mem_free(gone);
    return status;
}

/* The position of a record: the number of records of all processes before it. */
static film_status find_positions(struct record_set *set, film_error *error)
{
    film_status status = FILM_OK;
    void *all = NULL;
    size_t *sizes = NULL;
    TRY_ALLOC(set->at = mem_zeroed(set->count, sizeof *set->at), error);
    TRY(comm_gather_all(set->comm, set->order, set->count * sizeof *set->order, &all, &sizes,
                        error));
    const uint64_t *theirs = all;
    set->all_records = 0;
    for (int p = 0; p < set->comm->size; p++) {
        size_t count = sizes[p] / sizeof *theirs, below = 0;
        for (size_t i = 0; i < set->count; i++) {
            while (below < count && theirs[below] < set->order[i]) below++;
            set->at[i] += (uint32_t)below;
        }
        theirs += count;
        set->all_records += count;
    }
done:
    mem_free(all);
    mem_free(sizes);
    return status;
}

film_status record_set_settle(struct record_set *set, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t *place = NULL;
    TRY_ALLOC(place = mem_array(set->count, sizeof *place), error);
    for (uint32_t i = 0; i < set->count; i++) place[i] = i;
    if (set->count) sort_array_r(place, set->count, sizeof *place, by_order, set->order);
    TRY(rearrange(set, place, set->count, error));
    TRY(drop_known(set, place, error));
    TRY(find_positions(set, error));
    mem_free(set->order);
    mem_free(set->paired);
    set->order = NULL;
    set->paired = NULL;
done:
    mem_free(place);
    return status;
}

/* ---- Numbers ---- */

/* Merges the ascending texts of every sender with the items of this process. */
struct text_ranking {
    const struct record_set *set;
    const uint32_t *lead;
    uint32_t *before; /* items + 1: number of foreign texts directly before an item */
    uint32_t *at;     /* by sender */
};

static void count_text(struct text_ranking *ranking, int from, film_text text, uint32_t position)
{
    const struct record_set *set = ranking->set;
    uint32_t *at = &ranking->at[from];
    for (; *at < set->items; (*at)++) {
        uint32_t record = ranking->lead[*at];
        if (record_set_text_order(set->records[record].text, set->at[record], text, position) > 0)
            break;
    }
    ranking->before[*at]++;
}

/* Every process sends its texts to all others, in chunks. */
static film_status show_texts(struct text_ranking *ranking, film_error *error)
{
    enum { SOME = 1 << 20 }; /* bytes */
    film_status status = FILM_OK;
    const struct record_set *set = ranking->set;
    struct mailbox mailbox = {0};
    size_t shown = 0, left = 1;
    TRY(mailbox_init(&mailbox, set->comm, error));
    while (left) {
        for (size_t bytes = 0; bytes < SOME && shown < set->items; shown++) {
            uint32_t record = ranking->lead[shown];
            bytes += set->records[record].text.length + 8;
            for (int p = 0; p < set->comm->size; p++) {
                if (p == set->comm->rank) continue;
                TRY(mailbox_put(&mailbox, p, &set->at[record], sizeof *set->at, error));
                TRY(mailbox_put_text(&mailbox, p, set->records[record].text, error));
            }
        }
        TRY(mailbox_send(&mailbox, error));
        while (mailbox_next(&mailbox)) {
            uint32_t position;
            mailbox_get(&mailbox, &position, sizeof position);
            count_text(ranking, mailbox.from, mailbox_get_text(&mailbox), position);
        }
        left = set->items - shown;
        TRY(comm_sum_counts(set->comm, &left, 1, error));
    }
done:
    mailbox_free(&mailbox);
    return status;
}

film_status record_set_number(struct record_set *set, const uint32_t *lead, uint32_t *number,
                              film_error *error)
{
    film_status status = FILM_OK;
    struct text_ranking ranking = {.set = set, .lead = lead};
    uint32_t others = 0;
    TRY_ALLOC(ranking.before = mem_zeroed((size_t)set->items + 1, sizeof *ranking.before), error);
    TRY_ALLOC(ranking.at = mem_zeroed((size_t)set->comm->size, sizeof *ranking.at), error);
    if (set->comm->size > 1) TRY(show_texts(&ranking, error));
    for (uint32_t i = 0; i < set->items; i++) {
        others += ranking.before[i];
        number[i] = i + others;
    }
done:
    mem_free(ranking.before);
    mem_free(ranking.at);
    return status;
}

/* ---- Moving ---- */

static film_status take_moved(struct record_set *set, struct mailbox *mailbox, film_error *error)
{
    film_status status = FILM_OK;
    size_t i = set->count;
    uint32_t number;
    void *at = set->at, *keys = set->keys, *item = set->item;
    int there = mem_grow(&at, &set->at_capacity, i + 1, sizeof *set->at);
    there = there && mem_grow(&keys, &set->key_capacity, i + 1, sizeof *set->keys);
    there = there && mem_grow(&item, &set->item_capacity, i + 1, sizeof *set->item);
    set->at = at;
    set->keys = keys;
    set->item = item;
    TRY_ALLOC(there, error);
    mailbox_get(mailbox, &number, sizeof number);
    mailbox_get(mailbox, &set->at[i], sizeof *set->at);
    mailbox_get(mailbox, &set->keys[i], sizeof *set->keys);
    set->item[i] = round_robin_place(set->comm, number);
    film_text id = mailbox_get_text(mailbox);
    TRY(record_set_add(set, id, mailbox_get_text(mailbox), error));
done:
    return status;
}

static int by_position(const void *left, const void *right, void *user)
{
    const uint32_t *at = user;
    uint32_t a = at[*(const uint32_t *)left], b = at[*(const uint32_t *)right];
    return a < b ? -1 : a > b;
}

/* The records come from several processes: sorts them by position. */
static film_status sort_moved(struct record_set *set, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = set->count;
    uint32_t *order = mem_array(count, sizeof *order), *at = mem_array(count, sizeof *at);
    uint32_t *item = mem_array(count, sizeof *item);
    uint64_t *keys = mem_array(count, sizeof *keys);
    film_record *own = mem_array(count, sizeof *own);
    TRY_ALLOC(order && at && item && keys && own, error);
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    if (count) sort_array_r(order, count, sizeof *order, by_position, set->at);
    for (size_t i = 0; i < count; i++) {
        at[i] = set->at[order[i]];
        item[i] = set->item[order[i]];
        keys[i] = set->keys[order[i]];
        own[i] = set->own[order[i]];
    }
    if (count) memcpy(set->at, at, count * sizeof *at);
    if (count) memcpy(set->item, item, count * sizeof *item);
    if (count) memcpy(set->keys, keys, count * sizeof *keys);
    if (count) memcpy(set->own, own, count * sizeof *own);
done:
    mem_free(order);
    mem_free(at);
    mem_free(item);
    mem_free(keys);
    mem_free(own);
    return status;
}

film_status record_set_move(struct record_set *set, const uint32_t *number, film_error *error)
{
    enum { SOME = 1 << 20 }; /* bytes */
    film_status status = FILM_OK;
    struct record_set moved = {.comm = set->comm};
    struct mailbox mailbox = {0};
    size_t sent = 0, left = 1;
    TRY(mailbox_init(&mailbox, set->comm, error));
    while (left) {
        for (; sent < set->count && mailbox_waiting(&mailbox) < SOME; sent++) {
            int to = round_robin_owner(set->comm, number[sent]);
            TRY(mailbox_put(&mailbox, to, &number[sent], sizeof *number, error));
            TRY(mailbox_put(&mailbox, to, &set->at[sent], sizeof *set->at, error));
            TRY(mailbox_put(&mailbox, to, &set->keys[sent], sizeof *set->keys, error));
            TRY(mailbox_put_text(&mailbox, to, set->records[sent].id, error));
            TRY(mailbox_put_text(&mailbox, to, set->records[sent].text, error));
        }
        TRY(mailbox_send(&mailbox, error));
        while (mailbox_next(&mailbox)) TRY(take_moved(&moved, &mailbox, error));
        left = set->count - sent;
        TRY(comm_sum_counts(set->comm, &left, 1, error));
    }
    TRY(sort_moved(&moved, error));
    moved.all_records = set->all_records;
    moved.labels = set->labels;
    moved.label_count = set->label_count;
    set->labels = NULL;
    moved.others = set->others;
    set->others = (struct others){0};
    record_set_free(set);
    *set = moved;
    moved = (struct record_set){0};
done:
    record_set_free(&moved);
    mailbox_free(&mailbox);
    return status;
}
