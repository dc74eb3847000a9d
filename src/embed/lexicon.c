/* Computes what is known of a word and keeps it for the words of the vocabulary. It reads no
 * sentences; features.c does. */
#include "embed/lexicon.h"
#include "base/mem.h"
#include "base/sort.h"
#include "embed/features.h"

#include <math.h>
#include <string.h>

enum { PHRASE_BITS = 19 };

/* The bit of a phrase by the hashes of its words; SECOND is 0 for any. */
static uint32_t phrase_bit(uint64_t first, uint64_t second)
{
    return (uint32_t)((first + second * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - PHRASE_BITS));
}

static int has_phrase_bit(const struct lexicon *lexicon, uint64_t first, uint64_t second)
{
    uint32_t bit = phrase_bit(first, second);
    return (int)(lexicon->phrase_bits[bit / 64] >> bit % 64 & 1);
}

int lexicon_may_have_phrase(const struct lexicon *lexicon, const struct lexeme *first,
                            const struct lexeme *second)
{
    for (uint32_t i = 0; i < second->second_count; i++)
        if (has_phrase_bit(lexicon, first->hash, second->second[i])) return 1;
    return 0;
}

/* Marks the phrases of two words, and their first words. */
static void mark_phrases(const struct relations *relations, uint64_t *bits)
{
    for (uint32_t w = 0; w < relations->words.count; w++) {
        film_text text = strtab_get(&relations->words, w);
        const char *space = text.length ? memchr(text.bytes, ' ', text.length) : NULL;
        if (!space) continue;
        size_t length = (size_t)(space - text.bytes);
        film_text second = {space + 1, text.length - length - 1};
        if (second.length && memchr(second.bytes, ' ', second.length)) continue;
        uint64_t first = strtab_hash(text.bytes, length),
                 hash[2] = {0, strtab_hash(second.bytes, second.length)};
        for (int i = 0; i < 2; i++) {
            uint32_t bit = phrase_bit(first, hash[i]);
            bits[bit / 64] |= UINT64_C(1) << bit % 64;
        }
    }
}

film_status lexicon_new(const struct features *features, const struct relations *relations,
                        struct lexicon **out, film_error *error)
{
    film_status status = FILM_OK;
    struct lexicon *lexicon = mem_zeroed(1, sizeof *lexicon);
    *out = NULL;
    TRY_ALLOC(lexicon, error);
    lexicon->relations = relations;
    lexicon->count = features->first[GROUP_WORD + 1];
    TRY_ALLOC(lexicon->words = mem_zeroed(lexicon->count + (size_t)1, sizeof *lexicon->words),
              error);
    TRY_ALLOC(lexicon->phrase_bits = mem_zeroed((1u << PHRASE_BITS) / 64, sizeof(uint64_t)), error);
    if (relations) mark_phrases(relations, lexicon->phrase_bits);
    *out = lexicon;
done:
    if (status != FILM_OK) lexicon_free(lexicon);
    return status;
}

void lexicon_free(struct lexicon *lexicon)
{
    if (!lexicon) return;
    for (uint32_t w = 0; lexicon->words && w < lexicon->count; w++) mem_free(lexicon->words[w]);
    mem_free(lexicon->words);
    mem_free(lexicon->phrase_bits);
    mem_free(lexicon);
}

film_status lexicon_renew(struct features *features, const struct relations *relations,
                          film_error *error)
{
    struct word_map map = {0};
    size_t dim = 0;
    if (features->lexicon) {
        map = features->lexicon->map;
        dim = features->lexicon->dim;
    }
    lexicon_free(features->lexicon);
    film_status status = lexicon_new(features, relations, &features->lexicon, error);
    if (status == FILM_OK) lexicon_set_map(features, &map, dim);
    return status;
}

void lexicon_set_map(struct features *features, const struct word_map *map, size_t dim)
{
    if (!(features->groups & GROUP_BIT(GROUP_CHAR))) return;
    features->lexicon->map = *map;
    features->lexicon->dim = dim;
}

/* ---- A word ---- */

static void find_letter_pairs(film_text word, struct lexeme *out)
{
    size_t length = word.length < LEXEME_LETTERS ? word.length : LEXEME_LETTERS;
    unsigned before = ' ';
    uint16_t *pairs = out->pairs;
    for (size_t i = 0; i <= length; i++) {
        unsigned letter = i < length ? (unsigned char)word.bytes[i] : ' ';
        uint16_t pair = (uint16_t)(before << 8 | letter);
        unsigned bit = pair * UINT32_C(2654435761) >> 25;
        size_t at = i;
        for (; at > 0 && pairs[at - 1] > pair; at--) pairs[at] = pairs[at - 1];
        pairs[at] = pair;
        out->pair_bits[bit / 64] |= UINT64_C(1) << bit % 64;
        before = letter;
    }
    out->pair_count = (uint32_t)length + 1;
}

/* Computes what the map says of a word; SUM has room for a vector. */
static void apply_map(const struct features *features, struct lexeme *out, float *sum)
{
    enum { SOME = 64 };
    const struct lexicon *lexicon = features->lexicon;
    float idf[SOME];
    if (out->id != STRTAB_NONE)
        out->length = sqrt(word_map_product(&lexicon->map, out->id, out->id, lexicon->dim));
    memset(sum, 0, lexicon->dim * sizeof *sum);
    for (uint32_t first = 0; first < out->gram_count; first += SOME) {
        uint32_t here = out->gram_count - first < SOME ? out->gram_count - first : SOME;
        for (uint32_t i = 0; i < here; i++) idf[i] = features->idf[out->gram[first + i]];
        word_map_add_rows(&lexicon->map, out->gram + first, idf, here, sum, lexicon->dim);
    }
    out->sum = sum;
}

/* Lists what a word may be as the second word of a phrase. Base forms are those of the phrase,
 * which its first word does not change. */
static void list_second_forms(film_text word, struct lexeme *out)
{
    char phrase[BASE_FORMS_ROOM] = "a ", bases[BASE_FORMS][BASE_FORMS_ROOM];
    size_t count = 0;
    out->second[0] = out->hash;
    if (word.length + 2 < sizeof phrase) {
        memcpy(phrase + 2, word.bytes, word.length);
        count = base_forms((film_text){phrase, word.length + 2}, bases);
    }
    out->second_count = 1;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(bases[i]);
        if (length > 2) out->second[out->second_count++] = strtab_hash(bases[i] + 2, length - 2);
    }
}

/* Fills OUT, which has room for all grams and a vector, from the grams of WORD. */
static void fill_lexeme(const struct features *features, film_text word,
                        const struct gram_list *grams, struct lexeme *out)
{
    const struct lexicon *lexicon = features->lexicon;
    uint32_t id = out->id;
    memset(out, 0, sizeof *out);
    out->id = id;
    out->hash = strtab_hash(word.bytes, word.length);
    out->kinds = word_kinds(word);
    out->limits = word_limits(word);
    find_letter_pairs(word, out);
    for (size_t i = 0; i < grams->count; i++) {
        film_text text = gram_text(grams, &grams->items[i]);
        uint32_t gram = strtab_find(&features->vocabulary[GROUP_CHAR], text.bytes, text.length);
        if (gram == STRTAB_NONE) continue;
        uint32_t at = out->gram_count++;
        for (gram += features->first[GROUP_CHAR]; at > 0 && out->gram[at - 1] > gram; at--)
            out->gram[at] = out->gram[at - 1];
        out->gram[at] = gram;
    }
    if (!lexicon) return;
    out->begins_phrase = has_phrase_bit(lexicon, out->hash, 0);
    list_second_forms(word, out);
    out->related = relations_word(lexicon->relations, word);
    out->related.text = (film_text){NULL, 0};
    if (word_map_exists(&lexicon->map))
        apply_map(features, out, (float *)(out->gram + grams->count));
}

/* Publishes LEXEME, or frees it where another thread was first; returns the one that is kept. */
static const struct lexeme *publish(struct lexicon *lexicon, struct lexeme *lexeme)
{
    struct lexeme *there = NULL;
    if (__atomic_compare_exchange_n(&lexicon->words[lexeme->id], &there, lexeme, 0,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return lexeme;
    mem_free(lexeme);
    return there;
}

film_status lexicon_word(const struct features *features, film_text word, uint32_t id,
                         struct grams *grams, struct lexeme_room *room, const struct lexeme **out,
                         film_error *error)
{
    film_status status = FILM_OK;
    struct lexicon *lexicon = features->lexicon;
    int kept = lexicon && id < lexicon->count;
    if ((*out = lexicon_kept(lexicon, id))) return FILM_OK;
    const struct gram_list *list = &grams->group[GROUP_CHAR];
    if (features->groups & GROUP_BIT(GROUP_CHAR)) TRY(grams_of_word(grams, word, error));
    size_t count = features->groups & GROUP_BIT(GROUP_CHAR) ? list->count : 0;
    struct gram_list own = {.items = list->items, .count = count, .bytes = list->bytes};
    size_t dim = lexicon && word_map_exists(&lexicon->map) ? lexicon->dim : 0;
    size_t size = sizeof(struct lexeme) + count * sizeof(uint32_t) + dim * sizeof(float);
    struct lexeme *lexeme = kept ? mem_array(size, 1) : room->lexeme;
    if (!kept) {
        TRY_ALLOC(mem_grow((void **)&room->lexeme, &room->size, size, 1), error);
        lexeme = room->lexeme;
    }
    TRY_ALLOC(lexeme, error);
    lexeme->id = id;
    fill_lexeme(features, word, &own, lexeme);
    *out = kept ? publish(lexicon, lexeme) : lexeme;
done:
    return status;
}
