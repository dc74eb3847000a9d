#include "pool/pile.h"
#include "base/keytab.h"
#include "base/mem.h"
#include "text/tokens.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 20 };

struct pile_block {
    struct pile_block *next;
    size_t used, size;
    char bytes[];
};

void pile_view(struct pile *pile, const film_record *records, size_t count)
{
    *pile = (struct pile){.records = records, .count = count};
}

void pile_free(struct pile *pile)
{
    while (pile->blocks) {
        struct pile_block *next = pile->blocks->next;
        mem_free(pile->blocks);
        pile->blocks = next;
    }
    mem_free(pile->own);
    mem_free(pile->labels);
    mem_free(pile->item);
    mem_free(pile->start);
    mem_free(pile->members);
    mem_free(pile->texts);
    *pile = (struct pile){0};
}

/* ---- filling ---- */

/* Blocks and not one growing array: addresses stay. */
static int copy(struct pile *pile, film_text *text)
{
    struct pile_block *block = pile->blocks;
    if (!text->bytes) return 1;
    if (!block || block->size - block->used < text->length) {
        size_t size = text->length > BLOCK ? text->length : BLOCK;
        block = mem_array(sizeof *block + size, 1);
        if (!block) return 0;
        *block = (struct pile_block){.next = pile->blocks, .size = size};
        pile->blocks = block;
    }
    char *bytes = block->bytes + block->used;
    memcpy(bytes, text->bytes, text->length);
    block->used += text->length;
    text->bytes = bytes;
    return 1;
}

film_status pile_add(struct pile *pile, film_text id, film_text text, film_error *error)
{
    film_record record = {id, text};
    void *own = pile->own;
    int grown = mem_grow(&own, &pile->capacity, pile->count + 1, sizeof *pile->own);
    pile->own = own;
    pile->records = own;
    if (!grown || !copy(pile, &record.id) || !copy(pile, &record.text))
        return status_no_memory(error);
    pile->own[pile->count++] = record;
    return FILM_OK;
}

film_status pile_label(struct pile *pile, size_t a, size_t b, int same, film_error *error)
{
    void *labels = pile->labels;
    if (a >= pile->count || b >= pile->count)
        return status_set(error, FILM_USAGE, "a label names record %zu of %zu", a > b ? a : b,
                          pile->count);
    if (a == b) return FILM_OK;
    int grown =
        mem_grow(&labels, &pile->label_capacity, pile->label_count + 1, sizeof *pile->labels);
    pile->labels = labels;
    if (!grown) return status_no_memory(error);
    pile->labels[pile->label_count++] = (struct pile_label){(uint32_t)a, (uint32_t)b, same != 0};
    return FILM_OK;
}

/* ---- items ---- */

struct key_maker {
    struct tokenizer
        tokenizer; /* neither stemming nor stop words: the same words, not similar ones */
    struct tokens tokens;
    char *key;
    size_t capacity;
};

/* Signs that make another thing of a word (C, C++, C#; 5, 5 %, $5), unlike those that end sentences. */
static size_t add_signs(char *key, size_t length, film_text text)
{
    for (size_t i = 0; i < text.length; i++)
        if (memchr("+#%$&@*/=<>^~", text.bytes[i], 13)) key[length++] = text.bytes[i];
    return length;
}

/* The same for the same words in their order, and the same signs; not 0. */
static film_status make_key(struct key_maker *maker, film_text text, uint64_t *out,
                            film_error *error)
{
    film_status status = FILM_OK;
    size_t length = 0;
    TRY(tokens_split(&maker->tokens, &maker->tokenizer, text, error));
    size_t room = text.length + 1;
    for (size_t i = 0; i < maker->tokens.count; i++) room += maker->tokens.items[i].length + 1;
    void *key = maker->key;
    TRY_ALLOC(mem_grow(&key, &maker->capacity, room, 1), error);
    maker->key = key;
    for (size_t i = 0; i < maker->tokens.count; i++) {
        film_text token = token_text(&maker->tokens, &maker->tokens.items[i]);
        memcpy(maker->key + length, token.bytes, token.length);
        length += token.length;
        maker->key[length++] = ' ';
    }
    /* Without any word the text itself counts: "?" is not the same as "!". */
    film_text signs = {maker->key, 0};
    signs.length = length ? add_signs(maker->key, length, text) : 0;
    *out = length ? strtab_hash(signs.bytes, signs.length) : ~strtab_hash(text.bytes, text.length);
    if (*out == 0) *out = 1;
done:
    return status;
}

film_status pile_keys(const struct pile *pile, uint64_t *keys, const film_progress *progress,
                      film_error *error)
{
    film_status status = FILM_OK;
    struct key_maker maker = {.key = NULL};
    TRY(tokenizer_init(&maker.tokenizer, NULL, NULL, error));
    TRY(tokens_init(&maker.tokens, &maker.tokenizer, error));
    for (size_t i = 0; i < pile->count; i++) {
        TRY(make_key(&maker, pile->records[i].text, &keys[i], error));
        if (i % 16384 == 0)
            TRY(progress_report(progress, "identical", (double)i, (double)pile->count, error));
    }
done:
    tokens_free(&maker.tokens);
    tokenizer_free(&maker.tokenizer);
    mem_free(maker.key);
    return status;
}

/* Records of the same words that a label tells apart get keys of their own. */
static void part_labelled(const struct pile *pile, uint64_t *keys)
{
    for (size_t i = 0; i < pile->label_count; i++) {
        const struct pile_label *label = &pile->labels[i];
        if (label->same || keys[label->a] != keys[label->b]) continue;
        keys[label->a] = strtab_hash((const char *)&label->a, sizeof label->a) | 1;
        keys[label->b] = strtab_hash((const char *)&label->b, sizeof label->b) | 1;
    }
}

static int by_text(const void *left, const void *right, void *user)
{
    const struct pile *pile = user;
    uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
    film_text a = pile->records[i].text, b = pile->records[j].text;
    int order = memcmp(a.bytes, b.bytes, a.length < b.length ? a.length : b.length);
    if (order) return order;
    if (a.length != b.length) return a.length < b.length ? -1 : 1;
    return i < j ? -1 : i > j;
}

/* ORDER: all records by text. An item is numbered where its first text comes. */
static film_status number_items(struct pile *pile, const uint64_t *keys, const uint32_t *order,
                                film_error *error)
{
    film_status status = FILM_OK;
    struct keytab table = {0};
    TRY(keytab_init(&table, error));
    for (size_t i = 0; i < pile->count; i++)
        TRY(keytab_add(&table, keys[order[i]], &pile->item[order[i]], error));
    pile->items = table.count;
    TRY_ALLOC(pile->texts = mem_zeroed(pile->items, sizeof *pile->texts), error);
    for (size_t i = pile->count; i-- > 0;)
        pile->texts[pile->item[order[i]]] = pile->records[order[i]].text;
done:
    keytab_free(&table);
    return status;
}

/* Members of every item beside each other: a counting sort, which keeps them rising. */
static film_status list_members(struct pile *pile, film_error *error)
{
    film_status status = FILM_OK;
    TRY_ALLOC(pile->start = mem_zeroed((size_t)pile->items + 2, sizeof *pile->start), error);
    TRY_ALLOC(pile->members = mem_array(pile->count, sizeof *pile->members), error);
    uint32_t *start = pile->start + 1; /* shifted by one while it is filled */
    for (size_t i = 0; i < pile->count; i++)
        if (pile->item[i] + 1 < pile->items) start[pile->item[i] + 1]++;
    for (uint32_t i = 1; i < pile->items; i++) start[i] += start[i - 1];
    for (uint32_t i = 0; i < pile->count; i++) pile->members[start[pile->item[i]]++] = i;
    pile->start[0] = 0;
done:
    return status;
}

film_status pile_group(struct pile *pile, const film_progress *progress, film_error *error)
{
    film_status status = FILM_OK;
    uint64_t *keys = NULL;
    uint32_t *order = NULL;
    if (pile->count >= UINT32_MAX)
        TRY(status_set(error, FILM_USAGE, "%zu records are more than can be compared",
                       pile->count));
    TRY_ALLOC(keys = mem_array(pile->count, sizeof *keys), error);
    TRY_ALLOC(order = mem_array(pile->count, sizeof *order), error);
    TRY_ALLOC(pile->item = mem_array(pile->count, sizeof *pile->item), error);
    TRY(pile_keys(pile, keys, progress, error));
    part_labelled(pile, keys);
    for (size_t i = 0; i < pile->count; i++) order[i] = (uint32_t)i;
    qsort_r(order, pile->count, sizeof *order, by_text, pile);
    TRY(number_items(pile, keys, order, error));
    TRY(list_members(pile, error));
done:
    mem_free(keys);
    mem_free(order);
    return status;
}
