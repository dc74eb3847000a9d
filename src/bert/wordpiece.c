/* WordPiece tokenization like BERT's own tokenizer (Devlin et al. 2019): clean, fold, split, then
 * greedy longest match. bert_tokenizer.c reads the tables. */
#include "bert/wordpiece.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "text/fold.h"

#include <string.h>
#include <utf8proc.h>

enum { LARGEST_POINT_BYTES = 4 };

struct wordpiece_rules wordpiece_default_rules(void)
{
    return (struct wordpiece_rules){1, 1, 1, 1, 100, "##"};
}

/* ---- Characters ---- */

/* Unicode's White_Space property. */
static int is_space(int32_t c)
{
    return (c >= 0x9 && c <= 0xD) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
           c == 0x205F || c == 0x3000;
}

/* Control characters, including unassigned and private-use code points. */
static int is_control(int32_t c)
{
    if (c == '\t' || c == '\n' || c == '\r') return 0;
    switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CS:
        return 1;
    default:
        return 0;
    }
}

/* All ASCII characters except letters, digits and space count, including $ and ^, which Unicode
 * calls symbols. */
static int is_punctuation(int32_t c)
{
    if (c < 0x80)
        return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
               (c >= 123 && c <= 126);
    utf8proc_category_t category = utf8proc_category(c);
    return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

/* Only the blocks of ideographs: Kana and Hangul are written with spaces or combine like
 * letters. */
static int is_cjk(int32_t c)
{
    static const int32_t range[][2] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},
                                       {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F},
                                       {0x2B820, 0x2CEAF}, {0x2F800, 0x2FA1F}};
    for (size_t i = 0; i < sizeof range / sizeof *range; i++)
        if (c >= range[i][0] && c <= range[i][1]) return 1;
    return 0;
}

/* ---- Words to pieces ---- */

struct writing {
    const struct wordpiece *wordpiece;
    struct wordpiece_scratch *scratch;
    size_t length, characters; /* of the word so far */
    uint32_t *ids;
    size_t count, room;
};

/* Splits the word greedily into the longest pieces from the left; the whole word is unknown when
 * one part is. There is room for the prefix in front of the word; the prefix then overwrites the
 * part already matched. */
static void cut_word(struct writing *writing)
{
    const struct wordpiece *wordpiece = writing->wordpiece;
    size_t prefix = strlen(wordpiece->rules.prefix), length = writing->length;
    size_t before = writing->count;
    char *word = writing->scratch->word + WORDPIECE_MOST_PREFIX;
    int known = writing->characters <= wordpiece->rules.longest_word;
    for (size_t start = 0; known && start < length;) {
        size_t front = start ? prefix : 0, end = length;
        size_t longest = wordpiece->longest_piece > front ? wordpiece->longest_piece - front : 0;
        const char *piece = word + start - front;
        if (front) memcpy(word + start - front, wordpiece->rules.prefix, front);
        if (end - start > longest) end = start + longest;
        uint32_t id = STRTAB_NONE;
        for (; end > start; end--) {
            if (end < length && utf8_continues(word[end])) continue; /* inside a character */
            id = strtab_find(&wordpiece->vocabulary, piece, end - start + front);
            if (id != STRTAB_NONE) break;
        }
        known = id != STRTAB_NONE;
        if (known && writing->count < writing->room) writing->ids[writing->count++] = id;
        start = end;
    }
    if (!known) {
        writing->count = before;
        if (writing->count < writing->room) writing->ids[writing->count++] = wordpiece->unknown;
    }
}

static void end_word(struct writing *writing)
{
    if (writing->characters) cut_word(writing);
    writing->length = writing->characters = 0;
}

/* A word longer than the limit is only counted. */
static film_status add_character(struct writing *writing, int32_t c, film_error *error)
{
    struct wordpiece_scratch *scratch = writing->scratch;
    if (++writing->characters > writing->wordpiece->rules.longest_word) return FILM_OK;
    if (!mem_grow((void **)&scratch->word, &scratch->word_capacity,
                  WORDPIECE_MOST_PREFIX + writing->length + LARGEST_POINT_BYTES, 1))
        return status_no_memory(error);
    utf8proc_uint8_t *at =
        (utf8proc_uint8_t *)scratch->word + WORDPIECE_MOST_PREFIX + writing->length;
    writing->length += (size_t)utf8proc_encode_char(c, at);
    return FILM_OK;
}

static film_status add_lower(struct writing *writing, int32_t c, film_error *error)
{
    enum { DOTTED_I = 0x130, DOT_ABOVE = 0x307 }; /* the only letter with a two-letter lower case */
    if (!writing->wordpiece->rules.lowercase) return add_character(writing, c, error);
    film_status status = add_character(writing, c == DOTTED_I ? 'i' : utf8proc_tolower(c), error);
    if (status == FILM_OK && c == DOTTED_I) status = add_character(writing, DOT_ABOVE, error);
    return status;
}

static film_status add_code_point(struct writing *writing, int32_t c, film_error *error)
{
    const struct wordpiece_rules *rules = &writing->wordpiece->rules;
    film_status status = FILM_OK;
    if (rules->clean && (c == 0 || c == 0xFFFD || is_control(c))) return FILM_OK;
    if (is_space(c)) {
        end_word(writing);
    } else if (rules->strip_accents && utf8proc_category(c) == UTF8PROC_CATEGORY_MN) {
        return FILM_OK;
    } else if ((rules->space_cjk && is_cjk(c)) || is_punctuation(c)) {
        end_word(writing);
        status = add_lower(writing, c, error);
        if (status == FILM_OK) end_word(writing);
    } else {
        status = add_lower(writing, c, error);
    }
    return status;
}

/* ---- Text to words ---- */

/* Decodes the characters of a segment, decomposed when accents are stripped. */
static film_status decode_segment(struct wordpiece_scratch *scratch, film_text text, int decompose,
                                  size_t *count, film_error *error)
{
    utf8proc_option_t options = decompose ? UTF8PROC_DECOMPOSE : 0;
    for (;;) {
        utf8proc_ssize_t needed =
            utf8proc_decompose((const utf8proc_uint8_t *)text.bytes, (utf8proc_ssize_t)text.length,
                               scratch->points, (utf8proc_ssize_t)scratch->capacity, options);
        if (needed < 0)
            return status_set(error, FILM_BAD_INPUT, "the text cannot be normalized: %s",
                              utf8proc_errmsg(needed));
        *count = (size_t)needed;
        if (*count <= scratch->capacity) return FILM_OK;
        if (!mem_grow((void **)&scratch->points, &scratch->capacity, *count,
                      sizeof *scratch->points))
            return status_no_memory(error);
    }
}

/* Segment by segment, because utf8proc sorts the marks of a long run in quadratic time. */
static film_status append_text(struct writing *writing, film_text text, film_error *error)
{
    film_status status = FILM_OK;
    const uint8_t *bytes = (const uint8_t *)text.bytes;
    for (size_t at = 0, end; at < text.length && writing->count < writing->room; at = end) {
        size_t count = 0;
        end = fold_segment_end(bytes, at, text.length);
        if (end == at + 1) { /* ASCII */
            TRY(add_code_point(writing, bytes[at], error));
            continue;
        }
        TRY(decode_segment(writing->scratch, (film_text){text.bytes + at, end - at},
                           writing->wordpiece->rules.strip_accents, &count, error));
        for (size_t i = 0; i < count && writing->count < writing->room; i++)
            TRY(add_code_point(writing, writing->scratch->points[i], error));
    }
    end_word(writing);
done:
    return status;
}

/* Returns the longest special token that starts at TEXT. */
static uint32_t special_at(const struct wordpiece *wordpiece, film_text text, size_t *length)
{
    uint32_t found = STRTAB_NONE;
    *length = 0;
    for (size_t i = 0; i < wordpiece->special_count; i++) {
        film_text token = strtab_get(&wordpiece->vocabulary, wordpiece->special[i]);
        if (token.length <= *length || token.length > text.length ||
            memcmp(token.bytes, text.bytes, token.length) != 0)
            continue;
        *length = token.length;
        found = wordpiece->special[i];
    }
    return found;
}

/* The length up to the next special token or to the end. */
static size_t plain_length(const struct wordpiece *wordpiece, film_text text, uint32_t *special,
                           size_t *special_length)
{
    for (size_t at = 0; at < text.length; at++) {
        film_text rest = {text.bytes + at, text.length - at};
        *special = special_at(wordpiece, rest, special_length);
        if (*special != STRTAB_NONE) return at;
    }
    *special = STRTAB_NONE;
    *special_length = 0;
    return text.length;
}

film_status wordpiece_encode(const struct wordpiece *wordpiece, struct wordpiece_scratch *scratch,
                             film_text text, size_t most, uint32_t *ids, size_t *count,
                             film_error *error)
{
    film_status status = FILM_OK;
    size_t bad;
    if (!utf8_valid(text.bytes, text.length, &bad))
        return status_set(error, FILM_BAD_INPUT, "the text is not valid UTF-8 at byte %zu", bad);
    struct writing writing = {wordpiece, scratch, 0, 0, ids, 1, most - 1};
    ids[0] = wordpiece->first;
    while (text.length && writing.count < writing.room) {
        uint32_t special;
        size_t special_length;
        size_t plain = plain_length(wordpiece, text, &special, &special_length);
        TRY(append_text(&writing, (film_text){text.bytes, plain}, error));
        if (special != STRTAB_NONE && writing.count < writing.room) ids[writing.count++] = special;
        text.bytes += plain + special_length;
        text.length -= plain + special_length;
    }
    ids[writing.count++] = wordpiece->last;
    *count = writing.count;
done:
    return status;
}

/* ---- Construction ---- */

film_status wordpiece_add_special(struct wordpiece *wordpiece, const char *token, uint32_t *id,
                                  film_error *error)
{
    *id = *token ? strtab_find(&wordpiece->vocabulary, token, strlen(token)) : STRTAB_NONE;
    if (*id == STRTAB_NONE) return FILM_OK;
    for (size_t i = 0; i < wordpiece->special_count; i++)
        if (wordpiece->special[i] == *id) return FILM_OK;
    if (!mem_grow((void **)&wordpiece->special, &wordpiece->special_capacity,
                  wordpiece->special_count + 1, sizeof *wordpiece->special))
        return status_no_memory(error);
    wordpiece->special[wordpiece->special_count++] = *id;
    return FILM_OK;
}

static film_status need_special(struct wordpiece *wordpiece, const char *token, const char *name,
                                uint32_t *id, film_error *error)
{
    film_status status = wordpiece_add_special(wordpiece, token, id, error);
    if (status == FILM_OK && *id == STRTAB_NONE)
        status = status_set(error, FILM_BAD_INPUT, "%s: token \"%.60s\" is missing", name, token);
    return status;
}

film_status wordpiece_finish(struct wordpiece *wordpiece, const char *unknown, const char *first,
                             const char *last, const char *name, film_error *error)
{
    film_status status = FILM_OK;
    wordpiece->longest_piece = 0;
    for (uint32_t i = 0; i < wordpiece->vocabulary.count; i++) {
        size_t length = strtab_get(&wordpiece->vocabulary, i).length;
        if (length > wordpiece->longest_piece) wordpiece->longest_piece = length;
    }
    TRY(need_special(wordpiece, unknown, name, &wordpiece->unknown, error));
    TRY(need_special(wordpiece, first, name, &wordpiece->first, error));
    TRY(need_special(wordpiece, last, name, &wordpiece->last, error));
done:
    return status;
}

void wordpiece_free(struct wordpiece *wordpiece)
{
    strtab_free(&wordpiece->vocabulary);
    mem_free(wordpiece->special);
    memset(wordpiece, 0, sizeof *wordpiece);
}

void wordpiece_scratch_free(struct wordpiece_scratch *scratch)
{
    mem_free(scratch->points);
    mem_free(scratch->word);
    memset(scratch, 0, sizeof *scratch);
}
