/* A vocabulary of a few words, the items of a pair under it, and their meaning as text. */
#ifndef ITEM_TEXT_H
#define ITEM_TEXT_H

#include "vocabulary.h"

#include "pair/items.h"

static film_error error;
static struct vocabulary vocabulary;
static struct reading reading;
static struct items items;

static const char *const words[] = {"the", "card", "red", "blue", "is", "lost", "dog", "zork"};
enum { WORDS = sizeof words / sizeof *words }; /* the last one is not in the vocabulary */

static inline void collect(const char *a, const char *b)
{
    assert_ok(reading_read(&reading, film_string(a), film_string(b), &error));
    assert_ok(items_collect(&items, &reading, &error));
}

/* ---- Items as text ---- */

static const char *const kinds[ITEM_KINDS] = {"",         "run",  "alone", "opposed", "beside",
                                              "together", "edit", "after", "before",  "among",
                                              "first",    "last", "opened"};

static inline int is_hashed(enum item_kind kind)
{
    return (kind >= ITEM_EDIT && kind <= ITEM_EDIT_AMONG) || kind == ITEM_OPENED;
}

static inline void add_words(char *out, int side, struct item_place place)
{
    strcat(out, "[");
    for (uint32_t i = place.from; i < place.to; i++) {
        film_text text = reading_text(&reading, side, i);
        if (i > place.from) strcat(out, " ");
        strncat(out, text.bytes, text.length);
    }
    strcat(out, "]");
}

/* The word of an id in a key. */
static inline film_text name_of(uint64_t id)
{
    if (id == (1u << 29) - 1) return film_string("^");
    if (id == (1u << 29) - 2) return film_string("$");
    assert_true(id < features_count(&vocabulary.features));
    return features_name(&vocabulary.features, (uint32_t)id);
}

/* Decodes the key's words as the header specifies; those of phrases and of three words are
 * hashes. */
static inline void add_key(char *out, const struct item *item)
{
    assert_int_equal(item->key >> 59, item->kind);
    if (is_hashed(item->kind)) return;
    uint64_t low = item->key & ((1u << 29) - 1), high = item->key >> 29 & ((1u << 30) - 1);
    int ordered = item->kind <= ITEM_RUN_ALONE || item->kind == ITEM_BESIDE;
    if (!ordered) assert_true(high <= low);
    film_text first = name_of(high), second = name_of(low);
    char left[40] = "", right[40] = "";
    strncat(left, first.bytes, first.length);
    strncat(right, second.bytes, second.length);
    int turn = !ordered && strcmp(left, right) > 0;
    sprintf(out + strlen(out), " %s-%s", turn ? right : left, turn ? left : right);
}

static inline int run_item_tests(const struct CMUnitTest *tests, size_t count)
{
    vocabulary_fit(&vocabulary, FILM_WORD,
                   "the red card is lost\nthe blue card\nthe dog is lost\nthe card");
    if (reading_init(&reading, &vocabulary.encoder, &error) != FILM_OK ||
        items_init(&items, &error) != FILM_OK)
        return 1;
    int failed = _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
    items_free(&items);
    reading_free(&reading);
    vocabulary_free(&vocabulary);
    return failed;
}

#endif
