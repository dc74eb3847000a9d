/* Splits a sentence into words and the gaps between them, finds, removes and inserts words, and
 * joins them again. learn/edits.c decides what to change. */
#include "learn/edit_words.h"
#include "text/value.h"
#include "learn/edits.h"

#include <string.h>

static int is_edit_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 128;
}

int edit_words_split(film_text text, struct edit_words *out)
{
    size_t at = 0, from = 0;
    out->count = 0;
    while (at < text.length) {
        while (at < text.length && !is_edit_letter(text.bytes[at]) && !value_digit(text.bytes[at]))
            at++;
        if (at == text.length) break;
        if (out->count == EDIT_WORDS) return 0;
        size_t start = at;
        while (at < text.length &&
               (is_edit_letter(text.bytes[at]) || value_digit(text.bytes[at]) ||
                (strchr("'-.,", text.bytes[at]) && at + 1 < text.length &&
                 (is_edit_letter(text.bytes[at + 1]) || value_digit(text.bytes[at + 1])))))
            at++;
        out->gap[out->count] = (film_text){text.bytes + from, start - from};
        out->word[out->count++] = (film_text){text.bytes + start, at - start};
        from = at;
    }
    out->gap[out->count] = (film_text){text.bytes + from, text.length - from};
    return 1;
}

size_t edit_words_join(const struct edit_words *sentence, char *out)
{
    size_t length = 0;
    for (size_t i = 0; i <= sentence->count; i++) {
        const film_text parts[2] = {sentence->gap[i],
                                    i < sentence->count ? sentence->word[i] : (film_text){"", 0}};
        for (int p = 0; p < 2; p++) {
            if (length + parts[p].length >= EDIT_ROOM) return 0;
            memcpy(out + length, parts[p].bytes, parts[p].length);
            length += parts[p].length;
        }
    }
    return length;
}

int edit_words_equal(film_text a, const char *b)
{
    size_t length = strlen(b);
    if (a.length != length) return 0;
    for (size_t i = 0; i < length; i++)
        if ((a.bytes[i] >= 'A' && a.bytes[i] <= 'Z' ? a.bytes[i] | 32 : a.bytes[i]) != b[i])
            return 0;
    return 1;
}

int edit_words_find(film_text word, const char *const *list)
{
    for (int i = 0; list[i]; i++)
        if (edit_words_equal(word, list[i])) return i;
    return -1;
}

int edit_words_is_name(film_text word)
{
    return word.length > 1 && word.bytes[0] >= 'A' && word.bytes[0] <= 'Z';
}

size_t edit_words_draw(const struct edit_words *sentence, struct rng *rng, size_t first,
                       int (*fits)(film_text))
{
    size_t found = sentence->count, seen = 0;
    for (size_t i = first; i < sentence->count; i++)
        if (fits(sentence->word[i]) && rng_below(rng, ++seen) == 0) found = i;
    return found;
}

void edit_words_remove(struct edit_words *sentence, size_t at)
{
    for (size_t i = at; i + 1 < sentence->count; i++) sentence->word[i] = sentence->word[i + 1];
    for (size_t i = at + (at == 0); i < sentence->count; i++)
        sentence->gap[i] = sentence->gap[i + 1];
    sentence->count--;
}

int edit_words_insert(struct edit_words *sentence, size_t at, const char *word)
{
    if (sentence->count == EDIT_WORDS || at > sentence->count) return 0;
    for (size_t i = sentence->count; i > at; i--) sentence->word[i] = sentence->word[i - 1];
    for (size_t i = sentence->count + 1; i > at; i--) sentence->gap[i] = sentence->gap[i - 1];
    sentence->word[at] = film_string(word);
    sentence->gap[at] = film_string(at ? " " : "");
    sentence->count++;
    return 1;
}

film_text edit_words_lower(film_text word, char *room)
{
    for (size_t i = 0; i < word.length; i++)
        room[i] = word.bytes[i] >= 'A' && word.bytes[i] <= 'Z' ? (char)(word.bytes[i] | 32)
                                                               : word.bytes[i];
    return (film_text){room, word.length};
}

int edit_words_has_digit(film_text word)
{
    for (size_t i = 0; i < word.length; i++)
        if (value_digit(word.bytes[i])) return 1;
    return 0;
}
