/* A pile in a job: positions and numbers over all processes, and records brought to where they belong. */
#include "base/mem.h"
#include "pool/pile_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- positions ---- */

static int by_order(const void *left, const void *right, void *user)
{
    const uint64_t *order = user;
    uint64_t a = order[*(const uint32_t *)left], b = order[*(const uint32_t *)right];
    return a < b ? -1 : a > b;
}

static int by_text(const void *left, const void *right, void *user)
{
    const struct pile *pile = user;
    uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
    return pile_text_order(pile->own[i].text, i, pile->own[j].text, j);
}

/* Puts the records in the order of PLACE, of which KEPT stay. */
static film_status rearrange(struct pile *pile, const uint32_t *place, size_t kept,
                             film_error *error)
{
    film_status status = FILM_OK;
    film_record *records = mem_array(kept, sizeof *records);
    uint64_t *keys = mem_array(kept, sizeof *keys), *order = mem_array(kept, sizeof *order);
    uint8_t *paired = mem_array(kept, sizeof *paired);
    TRY_ALLOC(records && keys && order && paired, error);
    for (size_t i = 0; i < kept; i++) {
        records[i] = pile->own[place[i]];
        keys[i] = pile->keys[place[i]];
        order[i] = pile->order[place[i]];
        paired[i] = pile->paired[place[i]];
    }
    mem_free(pile->own);
    mem_free(pile->keys);
    mem_free(pile->order);
    mem_free(pile->paired);
    pile->records = pile->own = records;
    pile->keys = keys;
    pile->order = order;
    pile->paired = paired;
    pile->count = kept;
    pile->capacity = pile->key_capacity = pile->order_capacity = pile->paired_capacity = kept;
    return FILM_OK;
done:
    mem_free(records);
    mem_free(keys);
    mem_free(order);
    mem_free(paired);
    return status;
}

/* The records are in order. Of equal texts of pairs the first stays. */
static film_status drop_known(struct pile *pile, uint32_t *place, film_error *error)
{
    film_status status = FILM_OK;
    uint8_t *gone = NULL;
    size_t kept = 0, paired = 0, last;
    for (uint32_t i = 0; i < pile->count; i++)
        if (pile->paired[i]) place[paired++] = i;
    if (paired < 2) return FILM_OK;
    TRY_ALLOC(gone = mem_zeroed(pile->count, 1), error);
    qsort_r(place, paired, sizeof *place, by_text, pile);
    last = place[0];
    for (size_t i = 1; i < paired; i++) {
        if (pile_text_order(pile->own[place[i]].text, 0, pile->own[last].text, 0) == 0)
            gone[place[i]] = 1;
        else
            last = place[i];
    }
    for (uint32_t i = 0; i < pile->count; i++)
        if (!gone[i]) place[kept++] = i;
    TRY(rearrange(pile, place, kept, error));
done:
    mem_free(gone);
    return status;
}

/* A record's position: how many of all processes' are before it. */
static film_status find_positions(struct pile *pile, film_error *error)
{
    film_status status = FILM_OK;
    void *all = NULL;
    size_t *sizes = NULL;
    TRY_ALLOC(pile->at = mem_zeroed(pile->count, sizeof *pile->at), error);
    TRY(comm_gather_all(pile->comm, pile->order, pile->count * sizeof *pile->order, &all, &sizes,
                        error));
    const uint64_t *theirs = all;
    pile->all_records = 0;
    for (int p = 0; p < pile->comm->size; p++) {
        size_t count = sizes[p] / sizeof *theirs, below = 0;
        for (size_t i = 0; i < pile->count; i++) {
            while (below < count && theirs[below] < pile->order[i]) below++;
            pile->at[i] += (uint32_t)below;
        }
        theirs += count;
        pile->all_records += count;
    }
done:
    mem_free(all);
    mem_free(sizes);
    return status;
}

film_status pile_settle(struct pile *pile, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t *place = NULL;
    TRY_ALLOC(place = mem_array(pile->count, sizeof *place), error);
    for (uint32_t i = 0; i < pile->count; i++) place[i] = i;
    if (pile->count) qsort_r(place, pile->count, sizeof *place, by_order, pile->order);
    TRY(rearrange(pile, place, pile->count, error));
    TRY(drop_known(pile, place, error));
    TRY(find_positions(pile, error));
    mem_free(pile->order);
    mem_free(pile->paired);
    pile->order = NULL;
    pile->paired = NULL;
done:
    mem_free(place);
    return status;
}

/* ---- numbers ---- */

/* Where each sender's texts stand among this process's items: texts come rising. */
struct ranking {
    const struct pile *pile;
    const uint32_t *lead;
    uint32_t *before; /* items + 1: others' texts that stand directly before an item */
    uint32_t *at;     /* by sender */
};

static void count_text(struct ranking *ranking, int from, film_text text, uint32_t position)
{
    const struct pile *pile = ranking->pile;
    uint32_t *at = &ranking->at[from];
    for (; *at < pile->items; (*at)++) {
        uint32_t record = ranking->lead[*at];
        if (pile_text_order(pile->records[record].text, pile->at[record], text, position) > 0)
            break;
    }
    ranking->before[*at]++;
}

/* Every process shows all others its texts, some at a time. */
static film_status show_texts(struct ranking *ranking, film_error *error)
{
    enum { SOME = 1 << 20 }; /* bytes */
    film_status status = FILM_OK;
    const struct pile *pile = ranking->pile;
    struct post post = {0};
    size_t shown = 0, left = 1;
    TRY(post_init(&post, pile->comm, error));
    while (left) {
        for (size_t bytes = 0; bytes < SOME && shown < pile->items; shown++) {
            uint32_t record = ranking->lead[shown];
            bytes += pile->records[record].text.length + 8;
            for (int p = 0; p < pile->comm->size; p++) {
                if (p == pile->comm->rank) continue;
                TRY(post_put(&post, p, &pile->at[record], sizeof *pile->at, error));
                TRY(post_put_text(&post, p, pile->records[record].text, error));
            }
        }
        TRY(post_send(&post, error));
        while (post_next(&post)) {
            uint32_t position;
            post_get(&post, &position, sizeof position);
            count_text(ranking, post.from, post_get_text(&post), position);
        }
        left = pile->items - shown;
        TRY(comm_sum_counts(pile->comm, &left, 1, error));
    }
done:
    post_free(&post);
    return status;
}

film_status pile_number(struct pile *pile, const uint32_t *lead, uint32_t *number,
                        film_error *error)
{
    film_status status = FILM_OK;
    struct ranking ranking = {.pile = pile, .lead = lead};
    uint32_t others = 0;
    TRY_ALLOC(ranking.before = mem_zeroed((size_t)pile->items + 1, sizeof *ranking.before), error);
    TRY_ALLOC(ranking.at = mem_zeroed((size_t)pile->comm->size, sizeof *ranking.at), error);
    if (pile->comm->size > 1) TRY(show_texts(&ranking, error));
    for (uint32_t i = 0; i < pile->items; i++) {
        others += ranking.before[i];
        number[i] = i + others;
    }
done:
    mem_free(ranking.before);
    mem_free(ranking.at);
    return status;
}

/* ---- moving ---- */

static film_status take(struct pile *pile, struct post *post, film_error *error)
{
    film_status status = FILM_OK;
    size_t i = pile->count;
    uint32_t number;
    void *at = pile->at, *keys = pile->keys, *item = pile->item;
    int there = mem_grow(&at, &pile->at_capacity, i + 1, sizeof *pile->at);
    there = there && mem_grow(&keys, &pile->key_capacity, i + 1, sizeof *pile->keys);
    there = there && mem_grow(&item, &pile->item_capacity, i + 1, sizeof *pile->item);
    pile->at = at;
    pile->keys = keys;
    pile->item = item;
    TRY_ALLOC(there, error);
    post_get(post, &number, sizeof number);
    post_get(post, &pile->at[i], sizeof *pile->at);
    post_get(post, &pile->keys[i], sizeof *pile->keys);
    pile->item[i] = turns_place(pile->comm, number);
    film_text id = post_get_text(post);
    TRY(pile_add(pile, id, post_get_text(post), error));
done:
    return status;
}

static int by_position(const void *left, const void *right, void *user)
{
    const uint32_t *at = user;
    uint32_t a = at[*(const uint32_t *)left], b = at[*(const uint32_t *)right];
    return a < b ? -1 : a > b;
}

/* They came from several processes: sorts them by position. */
static film_status sort_moved(struct pile *pile, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = pile->count;
    uint32_t *order = mem_array(count, sizeof *order), *at = mem_array(count, sizeof *at);
    uint32_t *item = mem_array(count, sizeof *item);
    uint64_t *keys = mem_array(count, sizeof *keys);
    film_record *own = mem_array(count, sizeof *own);
    TRY_ALLOC(order && at && item && keys && own, error);
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    if (count) qsort_r(order, count, sizeof *order, by_position, pile->at);
    for (size_t i = 0; i < count; i++) {
        at[i] = pile->at[order[i]];
        item[i] = pile->item[order[i]];
        keys[i] = pile->keys[order[i]];
        own[i] = pile->own[order[i]];
    }
    if (count) memcpy(pile->at, at, count * sizeof *at);
    if (count) memcpy(pile->item, item, count * sizeof *item);
    if (count) memcpy(pile->keys, keys, count * sizeof *keys);
    if (count) memcpy(pile->own, own, count * sizeof *own);
done:
    mem_free(order);
    mem_free(at);
    mem_free(item);
    mem_free(keys);
    mem_free(own);
    return status;
}

film_status pile_move(struct pile *pile, const uint32_t *number, film_error *error)
{
    enum { SOME = 1 << 20 }; /* bytes */
    film_status status = FILM_OK;
    struct pile moved = {.comm = pile->comm};
    struct post post = {0};
    size_t sent = 0, left = 1;
    TRY(post_init(&post, pile->comm, error));
    while (left) {
        for (; sent < pile->count && post_waiting(&post) < SOME; sent++) {
            int to = turns_owner(pile->comm, number[sent]);
            TRY(post_put(&post, to, &number[sent], sizeof *number, error));
            TRY(post_put(&post, to, &pile->at[sent], sizeof *pile->at, error));
            TRY(post_put(&post, to, &pile->keys[sent], sizeof *pile->keys, error));
            TRY(post_put_text(&post, to, pile->records[sent].id, error));
            TRY(post_put_text(&post, to, pile->records[sent].text, error));
        }
        TRY(post_send(&post, error));
        while (post_next(&post)) TRY(take(&moved, &post, error));
        left = pile->count - sent;
        TRY(comm_sum_counts(pile->comm, &left, 1, error));
    }
    TRY(sort_moved(&moved, error));
    moved.all_records = pile->all_records;
    moved.labels = pile->labels;
    moved.label_count = pile->label_count;
    pile->labels = NULL;
    pile_free(pile);
    *pile = moved;
    moved = (struct pile){0};
done:
    pile_free(&moved);
    post_free(&post);
    return status;
}
