/* Numbers the items of all pairs of a job: those that occur in at least two pairs. evidence_rows.c
 * reads the pairs and lists their items. */
#include "learn/evidence_items.h"
#include "base/mem.h"
#include "base/partition.h"

static uint64_t hash_item(uint64_t key)
{
    return keytab_first_slot(&(struct keytab){.slot_mask = UINT64_MAX}, key);
}

void evidence_items_see(struct seen_twice *seen, uint64_t key)
{
    uint64_t hash = hash_item(key) & seen->mask, shift = 2 * (hash % 4);
    unsigned char *four = &seen->bits[hash / 4];
    unsigned here = __atomic_load_n(four, __ATOMIC_RELAXED) >> shift & 3;
    if (!here)
        here = __atomic_fetch_or(four, (unsigned char)(1u << shift), __ATOMIC_RELAXED) >> shift & 3;
    if (here == 1) __atomic_fetch_or(four, (unsigned char)(2u << shift), __ATOMIC_RELAXED);
}

int evidence_items_seen_twice(const struct seen_twice *seen, uint64_t key)
{
    uint64_t hash = hash_item(key) & seen->mask;
    return seen->bits[hash / 4] >> (2 * (hash % 4)) & 2;
}

/* ---- Numbering ----
 *
 * Items that occur in at least two pairs of the job get a number, in the order of their second
 * occurrence. The numbers are the same in every process and for every number of processes. Most
 * items occur once, so a table of all items would be many times larger than the result. Therefore
 * keys are processed in rounds, by ranges of their hashes. In a round every process sends each of
 * its keys to the process that owns it: once, or twice if two of its own pairs have it. The owner
 * marks the second occurrence. */

enum { ROUND_KEYS = 1 << 20, MOST_ROUNDS = 32 }; /* each round reads all keys */

struct key_round {
    uint64_t number, rounds;
    struct keytab seen;
    uint32_t *first; /* by number: the first pair with the item, or SHOWN_TWICE */
    struct shown_key {
        uint64_t key;
        size_t place; /* index among all items of this process */
    } * shown;
    size_t count, first_capacity, shown_capacity;
};
#define SHOWN_TWICE UINT32_MAX

static int is_in_round(const struct key_round *round, uint64_t key)
{
    return (hash_item(key) >> 16 & 0xffff) * round->rounds >> 16 == round->number;
}

static int who_decides(const struct comm *comm, uint64_t key)
{
    return partition_owner(comm, hash_item(key));
}

static film_status show_key(struct key_round *round, uint64_t key, uint32_t pair, size_t place,
                            film_error *error)
{
    film_status status = FILM_OK;
    uint32_t before = round->seen.count, number;
    TRY(keytab_add(&round->seen, key, &number, error));
    TRY_ALLOC(mem_grow((void **)&round->first, &round->first_capacity, (size_t)number + 1,
                       sizeof *round->first) &&
                  mem_grow((void **)&round->shown, &round->shown_capacity, round->count + 1,
                           sizeof *round->shown),
              error);
    if (number == before) {
        round->first[number] = pair;
    } else {
        /* A pair may have an item twice ("so so so"); it still counts as one pair. */
        if (round->first[number] == pair || round->first[number] == SHOWN_TWICE) goto done;
        round->first[number] = SHOWN_TWICE;
    }
    round->shown[round->count++] = (struct shown_key){key, place};
done:
    return status;
}

/* STAYS[i] = whether key i of COUNT occurs for the second time, in the order of the processes. */
static film_status mark_second(const uint64_t *key, size_t count, unsigned char *stays,
                               film_error *error)
{
    film_status status = FILM_OK;
    struct keytab seen = {0};
    uint32_t number;
    unsigned char *times = mem_zeroed(count, 1);
    TRY_ALLOC(times, error);
    TRY(keytab_init(&seen, error));
    for (size_t i = 0; i < count; i++) {
        TRY(keytab_add(&seen, key[i], &number, error));
        if (times[number] < 3) times[number]++;
        stays[i] = times[number] == 2;
    }
done:
    keytab_free(&seen);
    mem_free(times);
    return status;
}

/* Sends the keys of a round to their owners and marks the places of those that stay. */
static film_status mark_repeated(const struct key_round *round, const struct comm *comm,
                                 unsigned char *marks, film_error *error)
{
    film_status status = FILM_OK;
    size_t processes = (size_t)comm->size, total = 0, come = 0, *in_sizes = NULL;
    size_t *sizes = mem_zeroed(processes, sizeof *sizes),
           *next = mem_array(processes, sizeof *next);
    size_t *place = mem_array(round->count, sizeof *place);
    uint64_t *out = mem_array(round->count, sizeof *out);
    unsigned char *answer = mem_array(round->count, 1), *stays = NULL;
    void *in = NULL;
    TRY_ALLOC(sizes && next && place && out && answer, error);
    for (size_t i = 0; i < round->count; i++) sizes[who_decides(comm, round->shown[i].key)]++;
    for (size_t p = 0; p < processes; total += sizes[p++]) next[p] = total;
    for (size_t i = 0; i < round->count; i++) {
        size_t at = next[who_decides(comm, round->shown[i].key)]++;
        out[at] = round->shown[i].key;
        place[at] = round->shown[i].place;
    }
    for (size_t p = 0; p < processes; p++) next[p] = sizes[p] * sizeof *out;
    TRY(comm_exchange_all(comm, out, next, &in, &in_sizes, error));
    for (size_t p = 0; p < processes; p++) come += in_sizes[p] /= sizeof *out;
    TRY_ALLOC(stays = mem_array(come, 1), error);
    TRY(mark_second(in, come, stays, error));
    TRY(comm_exchange(comm, stays, in_sizes, answer, sizes, error));
    for (size_t i = 0; i < round->count; i++)
        if (answer[i]) marks[place[i] / 8] |= (unsigned char)(1 << place[i] % 8);
done:
    mem_free(sizes);
    mem_free(next);
    mem_free(in_sizes);
    mem_free(place);
    mem_free(out);
    mem_free(in);
    mem_free(answer);
    mem_free(stays);
    return status;
}

static film_status run_round(struct key_round *round, const struct key_chunk *chunks, size_t count,
                             const struct comm *comm, unsigned char *marks, film_error *error)
{
    film_status status = FILM_OK;
    size_t place = 0;
    TRY(keytab_init(&round->seen, error));
    for (size_t s = 0; s < count; place += chunks[s++].keys)
        for (size_t k = 0, pair = 0, end = chunks[s].keys_of[0]; k < chunks[s].keys; k++) {
            while (k >= end) end += chunks[s].keys_of[++pair];
            if (is_in_round(round, chunks[s].key[k]))
                TRY(show_key(round, chunks[s].key[k], (uint32_t)(s * EVIDENCE_CHUNK + pair),
                             place + k, error));
        }
    TRY(mark_repeated(round, comm, marks, error));
done:
    keytab_free(&round->seen);
    mem_free(round->first);
    mem_free(round->shown);
    round->first = NULL;
    round->shown = NULL;
    round->first_capacity = round->shown_capacity = 0;
    return status;
}

film_status evidence_items_number(struct keytab *items, const struct key_chunk *chunks,
                                  size_t count, const struct comm *comm, film_error *error)
{
    film_status status = FILM_OK;
    size_t total = 0, all = 0, kept = 0, place = 0, *sizes = NULL;
    unsigned char *marks = NULL;
    uint64_t *mine = NULL;
    void *keys = NULL;
    uint32_t number;
    for (size_t s = 0; s < count; s++) total += chunks[s].keys;
    TRY_ALLOC(marks = mem_zeroed(total / 8 + 1, 1), error);
    all = total;
    TRY(comm_sum_counts(comm, &all, 1, error));
    uint64_t rounds = 1 + all / ((size_t)comm->size * ROUND_KEYS);
    if (rounds > MOST_ROUNDS) rounds = MOST_ROUNDS;
    for (uint64_t t = 0; t < rounds; t++) {
        struct key_round round = {.number = t, .rounds = rounds};
        TRY(run_round(&round, chunks, count, comm, marks, error));
    }
    for (size_t i = 0; i < total; i++) kept += marks[i / 8] >> i % 8 & 1;
    TRY_ALLOC(mine = mem_array(kept, sizeof *mine), error);
    kept = 0;
    for (size_t s = 0; s < count; s++)
        for (size_t k = 0; k < chunks[s].keys; k++, place++)
            if (marks[place / 8] >> place % 8 & 1) mine[kept++] = chunks[s].key[k];
    TRY(comm_gather_all(comm, mine, kept * sizeof *mine, &keys, &sizes, error));
    TRY(keytab_init(items, error));
    all = 0;
    for (int p = 0; p < comm->size; p++) all += sizes[p] / sizeof *mine;
    for (size_t i = 0; i < all; i++)
        TRY(keytab_add(items, ((const uint64_t *)keys)[i], &number, error));
done:
    mem_free(marks);
    mem_free(mine);
    mem_free(keys);
    mem_free(sizes);
    return status;
}
