/* Divides two sentences into words that do not overlap, as a reader sees them, and maps tokens to
 * them. pair.c assigns the weights. */
#include "explain/words.h"
#include "base/sort.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void words_free(struct words *words)
{
    mem_free(words->list);
    memset(words, 0, sizeof *words);
}

static int by_start(const void *left, const void *right)
{
    const film_word_share *a = left, *b = right;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    return a->end < b->end ? -1 : a->end > b->end;
}

/* Merges overlapping words. Returns the number left. */
static size_t merge_shares(film_word_share *list, size_t count)
{
    size_t kept = 0;
    if (count) sort_array(list, count, sizeof *list, by_start);
    for (size_t i = 0; i < count; i++) {
        if (kept && list[i].start < list[kept - 1].end) {
            if (list[i].end > list[kept - 1].end) list[kept - 1].end = list[i].end;
        } else {
            list[kept++] = list[i];
        }
    }
    return kept;
}

/* Returns the first of COUNT words that ends after START. */
static size_t first_after(const film_word_share *list, size_t count, size_t start)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list[middle].end <= start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Appends the words of one sentence: its tokens except pairs of characters, then those pairs whose
 * characters are not tokens (stop words may have been removed). */
static film_status find_side(struct words *words, const struct reading_side *side, char letter,
                             size_t *end, film_error *error)
{
    const struct tokens *tokens = &side->row.grams.tokens;
    size_t first = *end;
    if (!mem_grow((void **)&words->list, &words->capacity, first + tokens->count + 1,
                  sizeof *words->list))
        return status_no_memory(error);
    film_word_share *list = words->list + first;
    size_t count = 0;
    for (int pairs = 0; pairs < 2; pairs++) {
        size_t before = count;
        for (size_t i = 0; i < tokens->count; i++) {
            const struct token *token = &tokens->items[i];
            if ((token->kind == TOKEN_PAIR) != pairs) continue;
            size_t at = pairs ? first_after(list, before, token->from) : before;
            if (at < before && list[at].start < token->to) continue;
            list[count++] =
                (film_word_share){.side = letter, .start = token->from, .end = token->to};
        }
        count = merge_shares(list, count);
    }
    for (size_t i = 0; i < count; i++)
        list[i].text = (film_text){side->text.bytes + list[i].start, list[i].end - list[i].start};
    *end = first + count;
    return FILM_OK;
}

film_status words_find(struct words *words, const struct reading *reading, film_error *error)
{
    film_status status = FILM_OK;
    int a = reading->swapped ? 1 : 0;
    size_t end = 0;
    words->first[0] = 0;
    TRY(find_side(words, &reading->side[a], 'a', &end, error));
    words->first[1] = end;
    TRY(find_side(words, &reading->side[!a], 'b', &end, error));
    words->first[2] = end;
done:
    return status;
}

void words_at(const struct words *words, int sentence, size_t start, size_t end, size_t *from,
              size_t *to)
{
    const film_word_share *list = words->list;
    size_t first = words->first[sentence], last = words->first[sentence + 1];
    *from = first + first_after(list + first, last - first, start);
    if (*from == last) *from = last - 1; /* a token without a byte of its own, at the end */
    for (*to = *from + 1; *to < last && list[*to].start < end;) ++*to;
}
