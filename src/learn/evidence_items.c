/* Numbers the items of all pairs: those that occur in at least two pairs. evidence_rows.c
 * reads the pairs and lists their items. */
#include "learn/evidence_items.h"
#include "base/mem.h"

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
 * Items that occur in at least two pairs get a number, in the order of their second occurrence.
 * Most items occur once, so a table of all items would be many times larger than the result.
 * Therefore keys are processed in rounds, by ranges of their hashes. */

enum { ROUND_KEYS = 1 << 20, MOST_ROUNDS = 32 }; /* each round reads all keys */

struct key_round {
    uint64_t number, rounds;
    struct keytab seen;
    uint32_t *first; /* by number: the first pair with the item, or MARKED */
    size_t first_capacity;
    unsigned char *marks; /* one bit per key: the second occurrence of its item */
};
#define MARKED UINT32_MAX

static int is_in_round(const struct key_round *round, uint64_t key)
{
    return (hash_item(key) >> 16 & 0xffff) * round->rounds >> 16 == round->number;
}

/* KEY is the key at PLACE among all, of pair PAIR. */
static film_status mark_key(struct key_round *round, uint64_t key, uint32_t pair, size_t place,
                            film_error *error)
{
    film_status status = FILM_OK;
    uint32_t before = round->seen.count, number;
    TRY(keytab_add(&round->seen, key, &number, error));
    if (number == before) {
        TRY_ALLOC(mem_grow((void **)&round->first, &round->first_capacity, (size_t)number + 1,
                           sizeof *round->first),
                  error);
        round->first[number] = pair;
    } else if (round->first[number] != pair && round->first[number] != MARKED) {
        /* A pair may have an item twice ("so so so"); it still counts as one pair. */
        round->first[number] = MARKED;
        round->marks[place / 8] |= (unsigned char)(1 << place % 8);
    }
done:
    return status;
}

static film_status run_round(struct key_round *round, const struct key_chunk *chunks, size_t count,
                             film_error *error)
{
    film_status status = FILM_OK;
    size_t place = 0;
    TRY(keytab_init(&round->seen, error));
    for (size_t s = 0; s < count; place += chunks[s++].keys)
        for (size_t k = 0, pair = 0, end = chunks[s].keys_of[0]; k < chunks[s].keys; k++) {
            while (k >= end) end += chunks[s].keys_of[++pair];
            if (is_in_round(round, chunks[s].key[k]))
                TRY(mark_key(round, chunks[s].key[k], (uint32_t)(s * EVIDENCE_CHUNK + pair),
                             place + k, error));
        }
done:
    keytab_free(&round->seen);
    mem_free(round->first);
    return status;
}

film_status evidence_items_number(struct keytab *items, const struct key_chunk *chunks,
                                  size_t count, film_error *error)
{
    film_status status = FILM_OK;
    size_t total = 0, place = 0;
    unsigned char *marks = NULL;
    uint32_t number;
    for (size_t s = 0; s < count; s++) total += chunks[s].keys;
    TRY_ALLOC(marks = mem_zeroed(total / 8 + 1, 1), error);
    uint64_t rounds = 1 + total / ROUND_KEYS;
    if (rounds > MOST_ROUNDS) rounds = MOST_ROUNDS;
    for (uint64_t t = 0; t < rounds; t++) {
        struct key_round round = {.number = t, .rounds = rounds, .marks = marks};
        TRY(run_round(&round, chunks, count, error));
    }
    TRY(keytab_init(items, error));
    for (size_t s = 0; s < count; s++)
        for (size_t k = 0; k < chunks[s].keys; k++, place++)
            if (marks[place / 8] >> place % 8 & 1)
                TRY(keytab_add(items, chunks[s].key[k], &number, error));
done:
    mem_free(marks);
    return status;
}
