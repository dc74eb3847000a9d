/* The table of word relations: built from pairs of words, mapped from arrays, searched. Which
 * relations exist is decided by whoever builds it. */
#include "text/relations.h"
#include "base/sort.h"
#include "base/mem.h"
#include "text/base_forms.h"

#include <stdlib.h>
#include <string.h>

enum { SHIFT = 29 };
#define WORD_MASK ((UINT32_C(1) << SHIFT) - 1)

/* ---- Building ---- */

film_status relations_builder_init(struct relations_builder *builder, film_error *error)
{
    *builder = (struct relations_builder){.pairs = NULL};
    return strtab_init(&builder->words, error);
}

void relations_builder_free(struct relations_builder *builder)
{
    strtab_free(&builder->words);
    mem_free(builder->pairs);
    mem_free(builder->classes);
    *builder = (struct relations_builder){.pairs = NULL};
}

/* Adds WORD to the words, without a class. */
static film_status add_related_word(struct relations_builder *builder, film_text word, uint32_t *id,
                                    film_error *error)
{
    uint32_t before = builder->words.count;
    film_status status = strtab_add(&builder->words, word.bytes, word.length, id, error);
    if (status != FILM_OK || builder->words.count == before) return status;
    if (*id > WORD_MASK) return status_set(error, FILM_BAD_INPUT, "too many words");
    if (!mem_grow((void **)&builder->classes, &builder->class_capacity, before + (size_t)1,
                  sizeof *builder->classes))
        return status_no_memory(error);
    builder->classes[before] = 0;
    return FILM_OK;
}

static film_status add_link(struct relations_builder *builder, uint32_t from, uint32_t to,
                            enum relation relation, film_error *error)
{
    if (!mem_grow((void **)&builder->pairs, &builder->capacity, builder->count + 1,
                  sizeof *builder->pairs))
        return status_no_memory(error);
    builder->pairs[builder->count++] = (uint64_t)from << 32 | (uint32_t)relation << SHIFT | to;
    return FILM_OK;
}

film_status relations_add(struct relations_builder *builder, film_text a, film_text b,
                          enum relation relation, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t from, to;
    if (!a.length || !b.length || a.length > RELATIONS_LONGEST || b.length > RELATIONS_LONGEST)
        return FILM_OK;
    TRY(add_related_word(builder, a, &from, error));
    TRY(add_related_word(builder, b, &to, error));
    if (from == to) return FILM_OK;
    TRY(add_link(builder, from, to, relation, error));
    if (relation != RELATION_ONE_WAY && relation != RELATION_BASE)
        TRY(add_link(builder, to, from, relation, error));
done:
    return status;
}

film_status relations_add_class(struct relations_builder *builder, film_text word, uint32_t class,
                                film_error *error)
{
    uint32_t id;
    if (!word.length || word.length > RELATIONS_LONGEST) return FILM_OK;
    film_status status = add_related_word(builder, word, &id, error);
    if (status == FILM_OK && !builder->classes[id]) builder->classes[id] = class;
    return status;
}

film_status relations_add_table(struct relations_builder *builder, const struct relations *table,
                                const unsigned char *wanted, film_error *error)
{
    film_status status = FILM_OK;
    for (uint32_t w = 0; w < table->words.count; w++) {
        film_text word = strtab_get(&table->words, w);
        for (uint32_t i = table->offsets[w]; i < table->offsets[w + 1]; i++) {
            uint32_t to = table->links[i] & WORD_MASK;
            enum relation relation = (enum relation)(table->links[i] >> SHIFT);
            if (relation == RELATION_OPPOSITE || wanted[w] || wanted[to])
                TRY(relations_add(builder, word, strtab_get(&table->words, to), relation, error));
        }
        if (wanted[w] && table->classes[w])
            TRY(relations_add_class(builder, word, table->classes[w], error));
    }
done:
    return status;
}

/* Fills the links of each word, rising and without repetitions, and the offsets. NEXT has room for
 * a number per word; the pairs are lost. Links are counted per word before they are sorted: a model
 * has many words with few links each. */
static void list_links(struct relations_builder *builder, uint32_t *offsets, uint32_t *list,
                       uint32_t *next)
{
    uint32_t words = builder->words.count, start = 0;
    size_t links = 0;
    memset(offsets, 0, (words + (size_t)1) * sizeof *offsets);
    for (size_t i = 0; i < builder->count; i++) offsets[(builder->pairs[i] >> 32) + 1]++;
    for (uint32_t w = 0; w < words; w++) {
        offsets[w + 1] += offsets[w];
        next[w] = offsets[w];
    }
    for (size_t i = 0; i < builder->count; i++)
        list[next[builder->pairs[i] >> 32]++] = (uint32_t)builder->pairs[i];
    for (uint32_t w = 0; w < words; w++) {
        uint32_t end = offsets[w + 1];
        if (end > start) sort_ids(list + start, (uint32_t *)builder->pairs, end - start);
        offsets[w] = (uint32_t)links;
        for (uint32_t i = start; i < end; i++)
            if (i == start || list[i] != list[links - 1]) list[links++] = list[i];
        start = end;
    }
    offsets[words] = (uint32_t)links;
}

film_status relations_build(struct relations_builder *builder, struct relations *relations,
                            film_error *error)
{
    film_status status = FILM_OK;
    uint32_t words = builder->words.count;
    *relations = (struct relations){.own = NULL};
    uint32_t *own = mem_array(2 * (size_t)words + 1 + builder->count, sizeof *own);
    TRY_ALLOC(own, error);
    uint32_t *offsets = own, *list = own + words + 1, *classes = list + builder->count;
    list_links(builder, offsets, list, classes);
    if (words) memcpy(classes, builder->classes, words * sizeof *classes);
    *relations = (struct relations){builder->words, offsets, list, classes, own};
    builder->words = (struct strtab){.count = 0};
    relations_builder_free(builder);
done:
    return status;
}

void relations_free(struct relations *relations)
{
    strtab_free(&relations->words);
    mem_free(relations->own);
    *relations = (struct relations){.own = NULL};
}

/* ---- Mapping ---- */

film_status relations_map(struct relations *relations, const struct relations_arrays *arrays,
                          const char *name, film_error *error)
{
    film_status status = FILM_OK;
    *relations = (struct relations){.own = NULL};
    TRY(strtab_open(&relations->words, arrays->bytes, arrays->lengths, name, error));
    uint64_t words = relations->words.count;
    if (arrays->offset_count != words + 1 || arrays->class_count != words ||
        arrays->offsets[0] != 0 || arrays->offsets[words] != arrays->link_count)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: relations: the arrays do not fit %llu words; the file is damaged", name,
                       (unsigned long long)words));
    for (uint64_t w = 0; w < words; w++) {
        uint32_t from = arrays->offsets[w], to = arrays->offsets[w + 1];
        int wrong = from > to || to > arrays->link_count;
        for (uint32_t i = from; !wrong && i < to; i++)
            wrong = (arrays->links[i] & WORD_MASK) >= words || arrays->links[i] >> SHIFT == 0 ||
                    (i > from && arrays->links[i] <= arrays->links[i - 1]);
        if (wrong)
            TRY(status_set(error, FILM_BAD_INPUT,
                           "%s: relations: invalid links of word %llu; the file is damaged", name,
                           (unsigned long long)w));
    }
    relations->offsets = arrays->offsets;
    relations->links = arrays->links;
    relations->classes = arrays->classes;
done:
    if (status != FILM_OK) relations_free(relations);
    return status;
}

/* ---- Searching ---- */

/* Returns the first link of WORD that is not below LINK, or the end of its links. */
static uint32_t first_relation(const struct relations *relations, uint32_t word, uint32_t link)
{
    uint32_t low = relations->offsets[word], high = relations->offsets[word + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (relations->links[middle] < link)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void set_bit_of(uint64_t bits[4], uint32_t id)
{
    uint32_t bit = id * UINT32_C(2654435761) >> 24;
    bits[bit / 64] |= UINT64_C(1) << bit % 64;
}

static void add_form(const struct relations *relations, struct relations_word *word, uint32_t id)
{
    if (id == STRTAB_NONE || word->count == RELATIONS_FORMS) return;
    word->id[word->count++] = id;
    set_bit_of(word->own, id);
    if (relations->classes[id]) set_bit_of(word->own, ~relations->classes[id]);
    for (int i = 0; i < 4; i++) word->near[i] |= word->own[i];
    for (uint32_t i = relations->offsets[id]; i < relations->offsets[id + 1]; i++)
        set_bit_of(word->near, relations->links[i] & WORD_MASK);
}

struct relations_word relations_word(const struct relations *relations, film_text text)
{
    struct relations_word word = {.text = text};
    char bases[BASE_FORMS][BASE_FORMS_ROOM];
    if (!relations || !relations->words.count || !text.length || text.length > RELATIONS_LONGEST)
        return word;
    uint32_t id = strtab_find(&relations->words, text.bytes, text.length);
    add_form(relations, &word, id);
    if (id != STRTAB_NONE)
        for (uint32_t i = first_relation(relations, id, (uint32_t)RELATION_BASE << SHIFT);
             i < relations->offsets[id + 1] && relations->links[i] >> SHIFT == RELATION_BASE; i++)
            add_form(relations, &word, relations->links[i] & WORD_MASK);
    size_t tried = base_forms(text, bases);
    for (size_t i = 0; i < tried; i++)
        add_form(relations, &word, strtab_find(&relations->words, bases[i], strlen(bases[i])));
    return word;
}

/* From the strongest to the weakest. */
static const unsigned char strength[RELATIONS] = {
    [RELATION_OPPOSITE] = 7, [RELATION_SYNONYM] = 6, [RELATION_FORM] = 5,      [RELATION_BASE] = 4,
    [RELATION_ONE_WAY] = 3,  [RELATION_SIMILAR] = 2, [RELATION_COORDINATE] = 1};

/* The strongest link from one word to another. Words have few links, so all are read. */
static enum relation link_between(const struct relations *relations, uint32_t from, uint32_t to)
{
    enum relation best = RELATION_NONE;
    for (uint32_t i = relations->offsets[from]; i < relations->offsets[from + 1]; i++) {
        enum relation relation = (enum relation)(relations->links[i] >> SHIFT);
        if ((relations->links[i] & WORD_MASK) == to && strength[relation] > strength[best])
            best = relation;
    }
    if (best == RELATION_NONE && relations->classes[from] &&
        relations->classes[from] == relations->classes[to])
        best = RELATION_COORDINATE;
    return best;
}

/* Returns whether B is A with a prefix that turns its meaning around: safe, unsafe. Other prefixes
 * (dis, in) start too many words of their own; the table has those. */
static int is_negated(film_text a, film_text b)
{
    static const char *const prefixes[] = {"un", "non", "non-", "non "};
    enum { SHORTEST = 4, LONGEST_PREFIX = 4 };
    if (b.length <= a.length || b.length > a.length + LONGEST_PREFIX) return 0;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);
        if (a.length >= SHORTEST && b.length == a.length + length &&
            memcmp(b.bytes, prefixes[i], length) == 0 &&
            memcmp(b.bytes + length, a.bytes, a.length) == 0)
            return 1;
    }
    return 0;
}

enum relation relations_between(const struct relations *relations, const struct relations_word *a,
                                const struct relations_word *b)
{
    enum relation best = RELATION_NONE;
    if (is_negated(a->text, b->text) || is_negated(b->text, a->text)) return RELATION_OPPOSITE;
    int there = relations_reach(a, b), back = relations_reach(b, a);
    for (size_t i = 0; (there || back) && i < a->count; i++)
        for (size_t j = 0; j < b->count; j++) {
            enum relation relation = RELATION_NONE;
            if (a->id[i] == b->id[j])
                relation = RELATION_FORM;
            else if (there)
                relation = link_between(relations, a->id[i], b->id[j]);
            if (strength[relation] > strength[best]) best = relation;
            if (!back || (relation != RELATION_NONE && relation != RELATION_COORDINATE)) continue;
            relation = link_between(relations, b->id[j], a->id[i]);
            if (strength[relation] > strength[best]) best = relation;
        }
    return best == RELATION_BASE ? RELATION_FORM : best;
}

enum relation relations_of(const struct relations *relations, film_text a, film_text b)
{
    if (!relations || !relations->words.count) return RELATION_NONE;
    struct relations_word left = relations_word(relations, a), right = relations_word(relations, b);
    return relations_between(relations, &left, &right);
}

size_t relations_list(const struct relations *relations, film_text word, enum relation relation,
                      film_text *out, size_t most)
{
    size_t count = 0;
    if (!relations || !relations->words.count) return 0;
    uint32_t id = strtab_find(&relations->words, word.bytes, word.length);
    if (id == STRTAB_NONE) return 0;
    for (uint32_t i = first_relation(relations, id, (uint32_t)relation << SHIFT);
         count < most && i < relations->offsets[id + 1] &&
         relations->links[i] >> SHIFT == (uint32_t)relation;
         i++)
        out[count++] = strtab_get(&relations->words, relations->links[i] & WORD_MASK);
    return count;
}
