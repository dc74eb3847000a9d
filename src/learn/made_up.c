/* Makes up sentences about nothing: words of other sentences in random order, some spelled
 * backwards. */
#include "learn/made_up.h"

/* Returns word NUMBER of TEXT, separated by spaces; an empty text after the last. */
static film_text word_of(film_text text, size_t number)
{
    size_t start = 0, end;
    for (;;) {
        while (start < text.length && text.bytes[start] == ' ') start++;
        for (end = start; end < text.length && text.bytes[end] != ' ';) end++;
        if (number-- == 0 || start == text.length)
            return (film_text){text.bytes + start, end - start};
        start = end;
    }
}

/* The first words of a long text: each word of a made-up sentence reads a whole text. */
static film_text opening(film_text text)
{
    enum { MOST = 1024 };
    if (text.length <= MOST) return text;
    size_t end = MOST;
    while (end > 0 && text.bytes[end] != ' ') end--;
    return (film_text){text.bytes, end ? end : film_text_cut(text, MOST)};
}

static size_t count_words(film_text text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.length; i++)
        count += text.bytes[i] != ' ' && (i == 0 || text.bytes[i - 1] == ' ');
    return count;
}

size_t made_up(const film_text *texts, size_t text_count, struct rng *rng, char *out, size_t room)
{
    size_t kind = (size_t)rng_below(rng, 4), length = 0;
    size_t words = kind == 0 ? 1 + (size_t)rng_below(rng, 2)
                             : count_words(opening(texts[rng_below(rng, text_count)]));
    for (size_t w = 0; w < words; w++) {
        film_text from = opening(texts[rng_below(rng, text_count)]);
        size_t count = count_words(from);
        if (!count) continue;
        film_text word = word_of(from, (size_t)rng_below(rng, count));
        if (length + word.length + 1 > room) break;
        int backwards = kind >= 2 && rng_below(rng, 2);
        for (size_t i = 0; i < word.length; i++) backwards &= (unsigned char)word.bytes[i] < 0x80;
        for (size_t i = 0; i < word.length; i++) {
            unsigned char last = (unsigned char)word.bytes[word.length - 1 - i];
            out[length++] = backwards ? (char)last : word.bytes[i];
        }
        out[length++] = ' ';
    }
    return length;
}
