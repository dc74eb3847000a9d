/* Normalises text: NFKC and case folding, by utf8proc. ASCII is mapped byte by byte. Other text is
 * divided into segments that normalise independently: a character and what can combine with it
 * (marks, conjoining Hangul, half-width voice marks). Every character that can be the second half
 * of a canonical composition belongs to its segment, so the result equals the normalisation of the
 * whole (a property test compares the two), and each output byte has a source range no wider than
 * its segment. A segment has at most FOLD_MARKS marks, as in the stream-safe text format of UAX
 * #15: utf8proc sorts marks in quadratic time, and no written language has more than a few. */
#include "text/fold.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <string.h>
#include <sys/types.h>
#include <utf8proc.h>

static const utf8proc_option_t OPTIONS =
    UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD;

/* Curly and other apostrophes, and characters typed in their place. */
static int is_apostrophe(int32_t c)
{
    return c == 0x2018 || c == 0x2019 || c == 0x201b || c == 0x2bc || c == 0xb4 || c == 0x2032 ||
           c == 0xff07;
}

static int is_double_quote(int32_t c)
{
    return c == 0x201c || c == 0x201d || c == 0x201f || c == 0x2033;
}

/* Returns whether C can combine with the character before it. */
static int continues_segment(int32_t c)
{
    if (c < 0x300) return 0;
    if (c >= 0x1160 && c <= 0x11ff) return 1; /* Hangul vowels and finals */
    if (c == 0xff9e || c == 0xff9f) return 1; /* half-width voice marks */
    utf8proc_category_t category = utf8proc_category(c);
    return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC ||
           category == UTF8PROC_CATEGORY_ME;
}

size_t fold_segment_end(const uint8_t *bytes, size_t start, size_t length)
{
    int32_t c;
    size_t at = start + (size_t)utf8proc_iterate(bytes + start, (ssize_t)(length - start), &c);
    for (int marks = continues_segment(c); at < length && bytes[at] >= 0x80 && marks < FOLD_MARKS;
         marks++) {
        size_t step = (size_t)utf8proc_iterate(bytes + at, (ssize_t)(length - at), &c);
        if (!continues_segment(c)) break;
        at += step;
    }
    return at;
}

/* Reserves COUNT more bytes and, outside ASCII, their source ranges. */
static int make_room(struct fold *fold, size_t count)
{
    size_t needed = fold->length + count;
    return mem_grow((void **)&fold->bytes, &fold->capacity, needed, 1) &&
           (fold->ascii ||
            (mem_grow((void **)&fold->from, &fold->from_capacity, needed, sizeof *fold->from) &&
             mem_grow((void **)&fold->to, &fold->to_capacity, needed, sizeof *fold->to)));
}

static void append_byte(struct fold *fold, char byte, size_t from, size_t to)
{
    fold->from[fold->length] = (uint32_t)from;
    fold->to[fold->length] = (uint32_t)to;
    fold->bytes[fold->length++] = byte;
}

static film_status append_segment(struct fold *fold, const uint8_t *bytes, size_t from, size_t to,
                                  film_error *error)
{
    int32_t first;
    utf8proc_iterate(bytes + from, (ssize_t)(to - from), &first);
    if (is_apostrophe(first) || is_double_quote(first)) {
        if (!make_room(fold, 1)) return status_no_memory(error);
        append_byte(fold, is_apostrophe(first) ? '\'' : '"', from, to);
        return FILM_OK;
    }
    ssize_t count;
    for (;;) { /* the first call may report that the scratch array is too small */
        count = utf8proc_decompose(bytes + from, (ssize_t)(to - from), fold->scratch,
                                   (ssize_t)fold->scratch_capacity, OPTIONS);
        if (count < 0) return status_set(error, FILM_BAD_INPUT, "the text cannot be normalized");
        if ((size_t)count < fold->scratch_capacity) break;
        if (!mem_grow((void **)&fold->scratch, &fold->scratch_capacity, (size_t)count + 16,
                      sizeof *fold->scratch))
            return status_no_memory(error);
    }
    count = utf8proc_normalize_utf32(fold->scratch, count, OPTIONS);
    if (count < 0) return status_set(error, FILM_BAD_INPUT, "the text cannot be normalized");
    if (!make_room(fold, (size_t)count * 4)) return status_no_memory(error);
    for (ssize_t i = 0; i < count; i++) {
        uint8_t encoded[4];
        ssize_t length = utf8proc_encode_char(fold->scratch[i], encoded);
        for (ssize_t j = 0; j < length; j++) append_byte(fold, (char)encoded[j], from, to);
    }
    return FILM_OK;
}

static char lower(uint8_t byte)
{
    return (char)(byte >= 'A' && byte <= 'Z' ? byte + 32 : byte);
}

/* Copies bytes in lower case; returns all of their bits. A loop without calls and conditions, so
 * that it vectorises. */
static uint8_t lower_all(const uint8_t *restrict bytes, size_t length, char *restrict out)
{
    uint8_t seen = 0;
    for (size_t i = 0; i < length; i++) {
        uint8_t byte = bytes[i], is_capital = (uint8_t)(byte - 'A') < 26;
        seen |= byte;
        out[i] = (char)(byte + is_capital * 32);
    }
    return seen;
}

static film_status fold_unicode(struct fold *fold, const uint8_t *bytes, size_t length,
                                film_error *error)
{
    size_t at = 0;
    while (at < length) {
        /* An ASCII byte is a segment unless a mark follows it. */
        if (bytes[at] < 0x80 && (at + 1 == length || bytes[at + 1] < 0x80)) {
            if (!make_room(fold, 1)) return status_no_memory(error);
            append_byte(fold, lower(bytes[at]), at, at + 1);
            at++;
            continue;
        }
        size_t end = fold_segment_end(bytes, at, length);
        film_status status = append_segment(fold, bytes, at, end, error);
        if (status != FILM_OK) return status;
        at = end;
    }
    return FILM_OK;
}

film_status fold_text(struct fold *fold, film_text text, film_error *error)
{
    const uint8_t *bytes = (const uint8_t *)text.bytes;
    fold->length = 0;
    fold->ascii = 1;
    if (text.length >= UINT32_MAX)
        return status_set(error, FILM_BAD_INPUT, "a sentence of %zu bytes is too long",
                          text.length);
    if (!make_room(fold, text.length)) return status_no_memory(error);
    if (lower_all(bytes, text.length, fold->bytes) < 0x80) {
        fold->length = text.length;
        return FILM_OK;
    }
    fold->ascii = 0;
    size_t bad;
    if (!utf8_valid(text.bytes, text.length, &bad))
        return status_set(error, FILM_BAD_INPUT, "the text is not valid UTF-8 at byte %zu", bad);
    return fold_unicode(fold, bytes, text.length, error);
}

void fold_free(struct fold *fold)
{
    mem_free(fold->bytes);
    mem_free(fold->from);
    mem_free(fold->to);
    mem_free(fold->scratch);
    memset(fold, 0, sizeof *fold);
}
