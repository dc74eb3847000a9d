/* Relations in few bytes. The words are sorted, and each stores what differs from the one before
 * (front coding). A link is the distance to the other word; of a link in both directions, only that
 * to the later word is stored. docs/reference/model-file.md describes the bytes. */
#include "text/relations_pack.h"
#include "base/mem.h"
#include "base/varint.h"

#include <stdlib.h>
#include <string.h>

enum { SHIFT = 29, KIND_BITS = 3, SHORT = 16 };
#define WORD_MASK ((UINT32_C(1) << SHIFT) - 1)

static int goes_both_ways(uint32_t relation)
{
    return relation != RELATION_ONE_WAY && relation != RELATION_BASE;
}

/* ---- Packing ---- */

struct sorted_word {
    film_text text;
    uint32_t id;
};

static int by_word_text(const void *a, const void *b)
{
    film_text x = ((const struct sorted_word *)a)->text, y = ((const struct sorted_word *)b)->text;
    size_t common = x.length < y.length ? x.length : y.length;
    int order = common ? memcmp(x.bytes, y.bytes, common) : 0;
    return order ? order : (x.length > y.length) - (x.length < y.length);
}

static int by_word_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The common prefix and the rest, in one byte if both are short. */
static size_t put_word(uint8_t *out, film_text before, film_text word)
{
    size_t same = 0, length = 0;
    while (same < before.length && same < word.length && before.bytes[same] == word.bytes[same])
        same++;
    size_t rest = word.length - same;
    if (same < SHORT && rest < SHORT) {
        out[length++] = (uint8_t)(same << 4 | rest); /* the rest is never 0 */
    } else {
        out[length++] = 0;
        length += varint_put(out + length, (uint32_t)same);
        length += varint_put(out + length, (uint32_t)rest);
    }
    memcpy(out + length, word.bytes + same, rest);
    return length + rest;
}

/* Distances may be negative: 0, -1, 1, -2, ... become 0, 1, 2, 3, ... */
static uint32_t from_signed(int64_t distance)
{
    return (uint32_t)(distance < 0 ? -2 * distance - 1 : 2 * distance);
}

/* The number of links that word FROM stores, then the links in rising order. LIST is scratch. */
static size_t put_relation_links(uint8_t *out, const struct relations *relations, uint32_t id,
                                 uint32_t from, const uint32_t *place, uint32_t *list)
{
    size_t count = 0, length = 0;
    for (uint32_t i = relations->offsets[id]; i < relations->offsets[id + 1]; i++) {
        uint32_t relation = relations->links[i] >> SHIFT;
        uint32_t to = place[relations->links[i] & WORD_MASK];
        if (to < from && goes_both_ways(relation)) continue;
        list[count++] = from_signed((int64_t)to - from) << KIND_BITS | relation;
    }
    qsort(list, count, sizeof *list, by_word_number);
    length += varint_put(out, (uint32_t)count);
    for (size_t i = 0; i < count; i++) length += varint_put(out + length, list[i]);
    return length;
}

film_status relations_pack(const struct relations *relations, uint8_t **bytes, size_t *length,
                           film_error *error)
{
    film_status status = FILM_OK;
    uint32_t count = relations->words.count, links = relations->offsets[count];
    size_t room = (size_t)relations->words.offsets[count] + count * (size_t)(4 * VARINT_MOST) +
                  links * (size_t)VARINT_MOST + VARINT_MOST;
    struct sorted_word *words = mem_array(count, sizeof *words);
    uint32_t *place = mem_array(count, sizeof *place), *list = mem_array(links, sizeof *list);
    uint8_t *out = mem_array(room, 1);
    TRY_ALLOC(words && place && list && out, error);
    if (count > WORD_MASK >> (KIND_BITS + 1))
        TRY(status_set(error, FILM_USAGE, "too many words with relations to pack"));
    for (uint32_t w = 0; w < count; w++)
        words[w] = (struct sorted_word){strtab_get(&relations->words, w), w};
    qsort(words, count, sizeof *words, by_word_text);
    for (uint32_t w = 0; w < count; w++) place[words[w].id] = w;
    size_t at = varint_put(out, count);
    film_text before = {"", 0};
    for (uint32_t w = 0; w < count; w++) {
        at += put_word(out + at, before, words[w].text);
        at += varint_put(out + at, relations->classes[words[w].id]);
        at += put_relation_links(out + at, relations, words[w].id, w, place, list);
        before = words[w].text;
    }
    *bytes = out;
    *length = at;
    out = NULL;
done:
    mem_free(words);
    mem_free(place);
    mem_free(list);
    mem_free(out);
    return status;
}

/* ---- Unpacking: nothing is trusted ---- */

/* What is being restored. */
struct unpacking {
    const uint8_t *at, *end;
    struct strtab words;
    uint32_t *classes;
    uint64_t *pairs; /* from << 32 | link, as in relations_builder */
    size_t count, capacity;
    char word[RELATIONS_LONGEST];
    size_t length;
};

static int read_packed_word(struct unpacking *in)
{
    uint32_t same, rest;
    if (in->at == in->end) return 0;
    uint8_t both = *in->at++;
    same = both >> 4;
    rest = both & (SHORT - 1);
    if (!both && !(varint_get(&in->at, in->end, &same) && varint_get(&in->at, in->end, &rest)))
        return 0;
    if (!rest || same > in->length || rest > sizeof in->word - same ||
        rest > (size_t)(in->end - in->at))
        return 0;
    memcpy(in->word + same, in->at, rest);
    in->at += rest;
    in->length = same + rest;
    return 1;
}

static int64_t to_signed(uint32_t number)
{
    return number & 1 ? -(int64_t)(number / 2) - 1 : (int64_t)(number / 2);
}

static int add_relation_pair(struct unpacking *in, uint32_t from, uint32_t to, uint32_t relation)
{
    if (!mem_grow((void **)&in->pairs, &in->capacity, in->count + 1, sizeof *in->pairs)) return 0;
    in->pairs[in->count++] = (uint64_t)from << 32 | relation << SHIFT | to;
    return 1;
}

/* Returns 0 if the bytes are wrong; sets *NO_MEMORY if that is the reason. */
static int read_links(struct unpacking *in, uint32_t from, uint32_t words, int *no_memory)
{
    uint32_t count, link;
    if (!varint_get(&in->at, in->end, &count)) return 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!varint_get(&in->at, in->end, &link)) return 0;
        uint32_t relation = link & ((1u << KIND_BITS) - 1);
        int64_t to = from + to_signed(link >> KIND_BITS);
        if (relation == RELATION_NONE || relation >= RELATION_COORDINATE || to < 0 || to >= words ||
            to == from)
            return 0;
        if (!add_relation_pair(in, from, (uint32_t)to, relation) ||
            (goes_both_ways(relation) && !add_relation_pair(in, (uint32_t)to, from, relation))) {
            *no_memory = 1;
            return 0;
        }
    }
    return 1;
}

static film_status read_relations(struct unpacking *in, const char *name, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t count, id;
    int no_memory = 0, fine = varint_get(&in->at, in->end, &count);
    /* Every word has at least four bytes. */
    fine = fine && count <= (size_t)(in->end - in->at) / 4 && count <= WORD_MASK;
    TRY(strtab_init(&in->words, error));
    TRY_ALLOC(in->classes = mem_array(fine ? count : 0, sizeof *in->classes), error);
    for (uint32_t w = 0; fine && w < count; w++) {
        fine = read_packed_word(in);
        if (!fine) break;
        TRY(strtab_add(&in->words, in->word, in->length, &id, error));
        fine = id == w && varint_get(&in->at, in->end, &in->classes[w]) &&
               read_links(in, w, count, &no_memory);
    }
    if (no_memory) TRY(status_no_memory(error));
    if (!fine || in->at != in->end)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: relations: invalid bytes after word %u; the file is damaged", name,
                       in->words.count));
done:
    return status;
}

film_status relations_unpack(struct relations *relations, const uint8_t *bytes, size_t length,
                             const char *name, film_error *error)
{
    film_status status = FILM_OK;
    struct unpacking in = {.at = bytes, .end = bytes + length};
    *relations = (struct relations){.own = NULL};
    TRY(read_relations(&in, name, error));
    struct relations_builder builder = {.words = in.words,
                                        .pairs = in.pairs,
                                        .classes = in.classes,
                                        .count = in.count,
                                        .capacity = in.capacity,
                                        .class_capacity = in.words.count};
    memset(&in, 0, sizeof in);
    status = relations_build(&builder, relations, error);
    if (status != FILM_OK) relations_builder_free(&builder);
done:
    strtab_free(&in.words);
    mem_free(in.classes);
    mem_free(in.pairs);
    return status;
}
