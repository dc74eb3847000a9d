/* Items: the word-pair features of word evidence.
 *
 * Single features (words, character n-grams) are read off the two sparse rows. Two words together
 * form an item of one of the kinds below. Every item has an exact key: the kind and two word ids,
 * or for phrases 59 bits of a hash. An item does not depend on the order of the two sentences, so
 * swapping them changes nothing. */
#ifndef PAIR_ITEMS_H
#define PAIR_ITEMS_H

#include "pair/reading.h"

enum item_kind {
    ITEM_RUN_SHARED = 1, /* two adjacent words, in both sentences */
    ITEM_RUN_ALONE,      /* two adjacent words, in one sentence only */
    ITEM_OPPOSED,        /* an unshared word of each sentence */
    ITEM_BESIDE,         /* a shared word, and an unshared word */
    ITEM_TOGETHER,       /* two shared words */
    ITEM_EDIT,           /* an edit: a phrase replaced by a phrase, or deleted */
    ITEM_EDIT_AFTER,     /* an edit, with the shared word before it */
    ITEM_EDIT_BEFORE,    /* an edit, with the shared word after it */
    ITEM_EDIT_AMONG,     /* an edit, with the number of edits: 1, 2, 3 to 4, more */
    ITEM_FIRST,          /* the two first words */
    ITEM_LAST,           /* the two last words */
    ITEM_OPENED,         /* an unshared word, with the first two words of its sentence */
    ITEM_KINDS
};

/* A key of two words: the kind, then two ids. The highest ids are the ends of a sentence. */
#define ITEM_KIND_SHIFT 59
#define ITEM_ID_BITS 29
#define ITEM_START ((1u << ITEM_ID_BITS) - 1)
#define ITEM_END ((1u << ITEM_ID_BITS) - 2)

/* item_kind_id is the stable id, for programs: "replaced_after". item_kind_name is for users:
 * "replaced after". */
const char *item_kind_id(enum item_kind kind);
const char *item_kind_name(enum item_kind kind);

/* Decodes the two words of a key. Returns the kind (opposed, beside or together), or 0 for other
 * keys. */
enum item_kind item_key_words(uint64_t key, uint32_t words[2]);

/* Returns the key of the item "opposed" of two words. */
uint64_t item_opposed_key(uint32_t a, uint32_t b);

/* Words FROM .. TO of a sentence, or none (FROM == TO). */
struct item_place {
    uint32_t from, to;
};

/* Long sentences have many word pairs, which are not independent. So the values of the items of one
 * kind are normalised to length 1. Inside a kind, words are weighted by rarity. */
struct item {
    uint64_t key;
    enum item_kind kind;
    float value;
    struct item_place place[2]; /* in the first and in the second sentence */
};

/* Scratch space and result, one per thread. */
struct items {
    struct item *list;
    float *weight; /* of each item, where evidence_margin looked them up */
    size_t count, capacity, weight_capacity;
    struct items_scratch *scratch;
};

film_status items_init(struct items *items, film_error *error);
void items_free(struct items *items);

/* Collects the items of a pair. Only the first ITEMS_MOST_WORDS words of a sentence count. */
enum { ITEMS_MOST_WORDS = 64 };
film_status items_collect(struct items *items, const struct reading *reading, film_error *error);

#endif
