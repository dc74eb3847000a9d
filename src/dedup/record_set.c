/* A set of sentences in memory; those with the same words become one item. record_set_read.c reads
 * files.
 *
 * The key of a record is a hash of its words in order, and of signs that change a word (C, C++,
 * 5 %). It ignores case and punctuation. */
#include "dedup/record_set.h"
#include "base/keytab.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/strtab.h"
#include "text/tokens.h"

#include <string.h>

enum { BLOCK = 1 << 20 };

struct record_set_block {
    struct record_set_block *next;
    size_t used, size;
    char bytes[];
};

void record_set_free(struct record_set *set)
{
    while (set->blocks) {
        struct record_set_block *next = set->blocks->next;
        mem_free(set->blocks);
        set->blocks = next;
    }
    mem_free(set->own);
    mem_free(set->keys);
    mem_free(set->labels);
    mem_free(set->chosen);
    mem_free(set->start);
    mem_free(set->members);
    mem_free(set->texts);
    others_free(&set->others);
    *set = (struct record_set){0};
}

/* ---- Filling ---- */

/* Blocks instead of one growing array: addresses stay valid. */
static int copy_into_set(struct record_set *set, film_text *text)
{
    struct record_set_block *block = set->blocks;
    if (!text->bytes) return 1;
    if (!block || block->size - block->used < text->length) {
        size_t size = text->length > BLOCK ? text->length : BLOCK;
        block = mem_array(sizeof *block + size, 1);
        if (!block) return 0;
        *block = (struct record_set_block){.next = set->blocks, .size = size};
        set->blocks = block;
    }
    char *bytes = block->bytes + block->used;
    memcpy(bytes, text->bytes, text->length);
    block->used += text->length;
    text->bytes = bytes;
    return 1;
}

film_status record_set_add(struct record_set *set, film_text id, film_text text, film_error *error)
{
    film_record record = {id, text};
    void *own = set->own;
    int grown = mem_grow(&own, &set->capacity, set->count + 1, sizeof *set->own);
    set->own = own;
    set->records = own;
    if (!grown || !copy_into_set(set, &record.id) || !copy_into_set(set, &record.text))
        return status_no_memory(error);
    set->own[set->count++] = record;
    return FILM_OK;
}

film_status record_set_label(struct record_set *set, size_t a, size_t b, int same,
                             film_error *error)
{
    void *labels = set->labels;
    if (a >= set->count || b >= set->count)
        return status_set(error, FILM_USAGE,
                          "label: record %zu is out of range; there are %zu records", a > b ? a : b,
                          set->count);
    if (a == b) return FILM_OK;
    int grown = mem_grow(&labels, &set->label_capacity, set->label_count + 1, sizeof *set->labels);
    set->labels = labels;
    if (!grown) return status_no_memory(error);
    set->labels[set->label_count++] =
        (struct record_set_label){(uint32_t)a, (uint32_t)b, same != 0};
    return FILM_OK;
}

film_status record_set_choose(struct record_set *set, size_t at, uint64_t rank, film_error *error)
{
    void *chosen = set->chosen;
    int grown =
        mem_grow(&chosen, &set->chosen_capacity, set->chosen_count + 1, sizeof *set->chosen);
    set->chosen = chosen;
    if (!grown) return status_no_memory(error);
    set->chosen[set->chosen_count++] = (struct record_set_chosen){(uint32_t)at, rank};
    return FILM_OK;
}

uint64_t record_set_rank(const struct record_set *set, uint32_t at)
{
    size_t low = 0, high = set->chosen_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set->chosen[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < set->chosen_count && set->chosen[low].at == at ? set->chosen[low].rank : 0;
}

/* ---- Keys ---- */

struct key_maker {
    /* Without stemming and stop words: the same words, not similar ones. */
    struct tokenizer tokenizer;
    struct tokens tokens;
    char *key;
    size_t capacity;
};

/* Signs that change the meaning of a word (C, C++, C#; 5, 5 %, $5), unlike sentence punctuation. */
static size_t add_signs(char *key, size_t length, film_text text)
{
    for (size_t i = 0; i < text.length; i++)
        if (memchr("+#%$&@*/=<>^~", text.bytes[i], 13)) key[length++] = text.bytes[i];
    return length;
}

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
    /* Without any word, the text itself is hashed: "?" differs from "!". */
    if (length == 0)
        *out = ~strtab_hash(text.bytes, text.length);
    else
        *out = strtab_hash(maker->key, add_signs(maker->key, length, text));
    if (*out == 0) *out = 1; /* no key of a table */
done:
    return status;
}

film_status record_set_make_keys(struct record_set *set, const film_progress *progress,
                                 film_error *error)
{
    film_status status = FILM_OK;
    struct key_maker maker = {.key = NULL};
    if (set->count >= UINT32_MAX)
        TRY(status_set(error, FILM_USAGE, "%zu records are too many", set->count));
    TRY(tokenizer_init(&maker.tokenizer, NULL, NULL, error));
    maker.tokenizer.plain = 1; /* make_key adds the signs */
    TRY(tokens_init(&maker.tokens, &maker.tokenizer, error));
    TRY_ALLOC(set->keys = mem_array(set->count, sizeof *set->keys), error);
    for (size_t i = 0; i < set->count; i++) {
        TRY(make_key(&maker, set->records[i].text, &set->keys[i], error));
        if (i % 16384 == 0)
            TRY(progress_report(progress, "identical", (double)i, (double)set->count, error));
    }
done:
    tokens_free(&maker.tokens);
    tokenizer_free(&maker.tokenizer);
    mem_free(maker.key);
    return status;
}

/* ---- Items ---- */

/* Gives new keys to records with the same words that are labelled "different". */
static void part_labelled(const struct record_set *set)
{
    for (size_t i = 0; i < set->label_count; i++) {
        const struct record_set_label *label = &set->labels[i];
        if (label->same || set->keys[label->a] != set->keys[label->b]) continue;
        set->keys[label->a] = strtab_hash((const char *)&label->a, sizeof label->a) | 1;
        set->keys[label->b] = strtab_hash((const char *)&label->b, sizeof label->b) | 1;
    }
}

/* Compares two records by text; equal texts by position. */
static int by_text(const void *left, const void *right, void *user)
{
    const struct record_set *set = user;
    uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
    film_text a = set->records[i].text, b = set->records[j].text;
    int order = memcmp(a.bytes, b.bytes, a.length < b.length ? a.length : b.length);
    if (order) return order;
    if (a.length != b.length) return a.length < b.length ? -1 : 1;
    return i < j ? -1 : i > j;
}

/* Numbers the items by their first texts. ITEM: by record. */
static film_status number_items(struct record_set *set, uint32_t *item, film_error *error)
{
    film_status status = FILM_OK;
    struct keytab table = {0};
    uint32_t *order = NULL;
    TRY_ALLOC(order = mem_array(set->count, sizeof *order), error);
    for (size_t i = 0; i < set->count; i++) order[i] = (uint32_t)i;
    sort_array_r(order, set->count, sizeof *order, by_text, set);
    TRY(keytab_init(&table, error));
    for (size_t i = 0; i < set->count; i++)
        TRY(keytab_add(&table, set->keys[order[i]], &item[order[i]], error));
    set->items = table.count;
    TRY_ALLOC(set->texts = mem_array(set->items, sizeof *set->texts), error);
    for (size_t i = set->count; i-- > 0;) /* the first text of an item comes last */
        set->texts[item[order[i]]] = set->records[order[i]].text;
done:
    keytab_free(&table);
    mem_free(order);
    return status;
}

/* Sorts the records by item: a counting sort, which is stable. */
static film_status list_members(struct record_set *set, const uint32_t *item, film_error *error)
{
    film_status status = FILM_OK;
    TRY_ALLOC(set->start = mem_zeroed((size_t)set->items + 2, sizeof *set->start), error);
    TRY_ALLOC(set->members = mem_array(set->count, sizeof *set->members), error);
    uint32_t *start = set->start;
    for (size_t i = 0; i < set->count; i++) start[item[i] + 2]++;
    for (size_t i = 2; i < (size_t)set->items + 2; i++) start[i] += start[i - 1];
    for (uint32_t i = 0; i < set->count; i++) set->members[start[item[i] + 1]++] = i;
done:
    return status;
}

film_status record_set_group(struct record_set *set, const film_progress *progress,
                             film_error *error)
{
    film_status status = FILM_OK;
    uint32_t *item = NULL;
    TRY(record_set_make_keys(set, progress, error));
    part_labelled(set);
    TRY_ALLOC(item = mem_array(set->count, sizeof *item), error);
    TRY(number_items(set, item, error));
    mem_free(set->keys);
    set->keys = NULL;
    TRY(list_members(set, item, error));
    for (size_t i = 0; i < set->label_count; i++) {
        set->labels[i].a = item[set->labels[i].a];
        set->labels[i].b = item[set->labels[i].b];
    }
done:
    mem_free(item);
    return status;
}
