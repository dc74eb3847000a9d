/* The weights of items (pair/items.h), compact: 1 to 5 bytes for an item in the model file, where
 * the hash table that they are learned in takes 16 to 32.
 *
 * The key of two words is exact and small: there are few words. The key of a phrase is a hash, of
 * which 48 bits are kept. A file lists the numbers of both in ascending order (base/ascending.h);
 * in memory they are a hash table (base/keyslots.h). A weight is a whole number of -127 to 127
 * times the scale of its kind; items whose weight rounds to 0 are left out. */
#ifndef PAIR_ITEM_TABLE_H
#define PAIR_ITEM_TABLE_H

#include "base/keyslots.h"
#include "base/status.h"
#include "pair/items.h"

enum item_keys { ITEMS_OF_WORDS, ITEMS_OF_PHRASES, ITEM_SETS };

/* The items of a set as a file lists them. */
struct item_list {
    const uint8_t *numbers; /* ascending */
    size_t bytes;           /* of the numbers */
    const int8_t *weight;   /* by position; times the scale of the kind */
    size_t count;
};

struct item_table {
    uint32_t words; /* ids below this are words */
    struct item_list list[ITEM_SETS];
    struct keyslots *slots[ITEM_SETS];
    const float *scale; /* ITEM_KINDS */
    void *own;          /* lists and scales, when built here; NULL when mapped */
};

void item_table_free(struct item_table *table);

/* Builds the table from COUNT keys and weights; WORDS is the number of words of the vocabulary. */
film_status item_table_build(struct item_table *table, const uint64_t *keys, const float *weights,
                             size_t count, uint32_t words, film_error *error);
/* Makes a table of the lists and scales of a file, which must outlive it. NAME is for messages. */
film_status item_table_open(struct item_table *table, const char *name, film_error *error);

/* Returns the weight of an item, or 0 when it is unknown. */
float item_table_weight(const struct item_table *table, uint64_t key);
/* The weights of COUNT items, at most ITEM_BLOCK. */
enum { ITEM_BLOCK = 256 };
void item_table_weights(const struct item_table *table, const struct item *items, size_t count,
                        float *weights);

/* The items by place: the number of places, some of them empty, and the key and the weight of the
 * item at one. The keys of phrases are not stored: they have no place. */
size_t item_table_places(const struct item_table *table);
uint64_t item_table_at(const struct item_table *table, size_t place, float *weight);

#endif
