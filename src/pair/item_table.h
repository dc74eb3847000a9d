/* The weights of items (pair/items.h), compact: 3 to 6 bytes for an item, where the hash table that
 * they are learned in takes 16 to 32.
 *
 * The key of two words is exact and small: there are few words. The key of a phrase is a hash, of
 * which 48 bits are kept. Both are sets of numbers (base/keyset.h). A weight is a whole number of
 * -127 to 127 times the scale of its kind; items whose weight rounds to 0 are left out. */
#ifndef PAIR_ITEM_TABLE_H
#define PAIR_ITEM_TABLE_H

#include "base/keyslots.h"
#include "pair/items.h"

enum item_keys { ITEMS_OF_WORDS, ITEMS_OF_PHRASES, ITEM_SETS };

struct item_table {
    uint32_t words; /* ids below this are words */
    struct keyset set[ITEM_SETS];
    const int8_t *weight[ITEM_SETS]; /* by position */
    const float *scale;              /* ITEM_KINDS */
    /* The same, faster: see item_table_quicken. Threads share it. */
    struct item_slots {
        struct keyslots *set[ITEM_SETS];
    } * slots;
    void *own; /* weights and scales, when built here; NULL when mapped */
};

void item_table_free(struct item_table *table);

/* Builds the table from COUNT keys and weights; WORDS is the number of words of the vocabulary. */
film_status item_table_build(struct item_table *table, const uint64_t *keys, const float *weights,
                             size_t count, uint32_t words, film_error *error);

/* The bits of the numbers of a set; WORDS as above. */
unsigned item_table_bits(enum item_keys keys, uint32_t words);

uint32_t item_table_count(const struct item_table *table);

/* Makes room for item_table_quicken. */
film_status item_table_prepare(struct item_table *table, film_error *error);
/* Arranges the weights for speed, where many pairs are judged: that takes as long as the weights of
 * a few hundred pairs. Safe to call from several threads. Without memory, it does nothing. */
void item_table_quicken(const struct item_table *table);

/* Returns the weight of an item, or 0 when it is unknown. */
float item_table_weight(const struct item_table *table, uint64_t key);
/* The weights of COUNT items, at most ITEM_BLOCK. */
enum { ITEM_BLOCK = 256 };
void item_table_weights(const struct item_table *table, const struct item *items, size_t count,
                        float *weights);

/* Returns the key at a position, and its weight. The keys of phrases are not stored: 0. */
uint64_t item_table_at(const struct item_table *table, uint32_t position, float *weight);

#endif
