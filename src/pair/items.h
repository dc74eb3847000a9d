/* What word evidence is made of: the items of a pair that can speak for or against it.
 *
 * Features (words, character n-grams) are items by themselves, shared or on one side only; they are
 * read off the two sparse rows. Two words together are an item of one of the kinds below. Every
 * item has an exact key: the kind and two word ids, or for phrases 59 bits of a hash. An item says
 * nothing about which sentence is the first, so swapping them changes nothing. */
#ifndef PAIR_ITEMS_H
#define PAIR_ITEMS_H

#include "pair/reading.h"

enum item_kind {
    ITEM_RUN_SHARED = 1, /* two neighbouring words, the same in both */
    ITEM_RUN_ALONE,      /* two neighbouring words, in one only */
    ITEM_OPPOSED,        /* a word of one sentence alone, a word of the other alone */
    ITEM_BESIDE,         /* a shared word, and a word of one sentence alone */
    ITEM_TOGETHER,       /* two shared words */
    ITEM_EDIT,           /* what stands in the same place: a phrase for a phrase, or for nothing */
    ITEM_EDIT_AFTER,     /* the same, after the shared word before it */
    ITEM_EDIT_BEFORE,    /* the same, before the shared word behind it */
    ITEM_EDIT_AMONG,     /* the same, among so many edits: 1, 2, 3 to 4, more */
    ITEM_FIRST,          /* the two first words */
    ITEM_LAST,           /* the two last words */
    ITEM_OPENED,         /* a word of one sentence alone, after these two first words */
    ITEM_KINDS
};

/* For programs, never changed: "replaced_after". For users: "replaced after". */
const char *item_kind_id(enum item_kind kind);
const char *item_kind_name(enum item_kind kind);

/* The two words of a key of kind opposed, beside or together, and which of them it is; 0 for other
 * keys. */
enum item_kind item_key_words(uint64_t key, uint32_t words[2]);

/* Words FROM .. TO of a sentence, or none (FROM == TO). */
struct item_place {
    uint32_t from, to;
};

/* There are many pairs of words in long sentences, and what each says is not independent of the
 * others: the values of the items of one kind have length 1 together. Inside a kind, words count by
 * rarity. */
struct item {
    uint64_t key;
    enum item_kind kind;
    float value;
    struct item_place place[2]; /* in the first and in the second sentence */
};

/* Scratch space and result, one per thread. */
struct items {
    struct item *list;
    size_t count, capacity;
    struct items_scratch *scratch;
};

film_status items_init(struct items *items, film_error *error);
void items_free(struct items *items);

/* Collects the items of a pair. Of very long sentences the first ITEMS_MOST_WORDS words count. */
enum { ITEMS_MOST_WORDS = 64 };
film_status items_collect(struct items *items, const struct reading *reading, film_error *error);

#endif
