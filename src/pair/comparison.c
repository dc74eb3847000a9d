/* Compares two sentences word by word: shared and unshared words, rarity, numbers, names, negation,
 * vectors. It does not decide; traits.c derives traits from it. */
#include "pair/comparison.h"
#include "base/mem.h"
#include "pair/alignment.h"
#include "pair/knowledge.h"

#include <math.h>
#include <string.h>

enum { MOST = COMPARISON_MOST };
#define COMMON_WORD 0.35f /* rarer words carry content */

struct comparison_scratch {
    struct alignment alignment;
    struct knowledge knowledge;
};

film_status comparison_init(struct comparison *comparison, const struct encoder *encoder,
                            film_error *error)
{
    film_status status = FILM_OK;
    memset(comparison, 0, sizeof *comparison);
    TRY_ALLOC(comparison->scratch = mem_zeroed(1, sizeof *comparison->scratch), error);
    TRY(alignment_init(&comparison->scratch->alignment, encoder, error));
done:
    if (status != FILM_OK) comparison_free(comparison);
    return status;
}

void comparison_free(struct comparison *comparison)
{
    if (comparison->scratch) alignment_free(&comparison->scratch->alignment);
    mem_free(comparison->scratch);
    memset(comparison, 0, sizeof *comparison);
}

/* ---- Shared and unshared words ---- */

/* Without the care for NaN of fmax, which is a call. */
static double larger(double most, float rarity)
{
    return (double)rarity > most ? (double)rarity : most;
}

static void add_alone(struct comparison_side *side, const struct reading_word *words, uint32_t at)
{
    const struct reading_word *word = &words[at];
    side->place[side->alone++] = at;
    side->rarity += (double)word->rarity;
    side->rarest = larger(side->rarest, word->rarity);
    side->content += word->rarity > COMMON_WORD;
    side->numbers += (word->flags & WORD_NUMBER) != 0;
    side->names += (word->flags & WORD_NAME) != 0;
}

static void sort_words(struct comparison *comparison, const struct reading *reading)
{
    for (uint32_t number = 0; number < reading->numbers; number++) {
        uint32_t place[2] = {reading->first[0][number], reading->first[1][number]};
        int inside[2] = {place[0] < MOST, place[1] < MOST};
        if (inside[0] != inside[1]) {
            int s = inside[1];
            add_alone(&comparison->side[s], reading->side[s].words, place[s]);
        } else if (inside[0]) {
            const struct reading_word *word = &reading->side[0].words[place[0]];
            comparison->shared++;
            comparison->shared_rarity += (double)word->rarity;
            comparison->shared_rarest = larger(comparison->shared_rarest, word->rarity);
            comparison->shared_numbers += (word->flags & WORD_NUMBER) != 0;
            comparison->shared_names += (word->flags & WORD_NAME) != 0;
        }
    }
}

/* ---- Each sentence by itself ---- */

static int is_stop(char c)
{
    return c == '.' || c == '?' || c == '!';
}

static size_t count_stops(film_text text)
{
    size_t stops = 0, end = text.length;
    while (end && (is_stop(text.bytes[end - 1]) || text.bytes[end - 1] == ' ' ||
                   text.bytes[end - 1] == '\0'))
        end--;
    for (const char *stop = ".?!"; *stop; stop++) /* most texts have none: memchr is faster */
        for (size_t at = 0; at + 1 < end; at++) {
            const char *found = memchr(text.bytes + at, *stop, end - 1 - at);
            if (!found) break;
            at = (size_t)(found - text.bytes);
            stops += found[1] == ' ';
        }
    return stops;
}

/* A text of several sentences asks for several things: returns the coverage of the sentence that
 * the other text covers least. */
static double least_covered(const struct reading *reading, int s, size_t count)
{
    const struct reading_side *side = &reading->side[s];
    const struct token *tokens = side->row.grams.tokens.items;
    double least = 1, all = 0, shared = 0;
    for (size_t i = 0; i < count; i++) {
        const struct reading_word *word = &side->words[i];
        all += (double)word->rarity;
        if (reading_is_shared(reading, word->number)) shared += (double)word->rarity;
        size_t from = tokens[i].to, to = i + 1 < count ? tokens[i + 1].from : from;
        int ends = i + 1 == count;
        for (size_t at = from; at < to && !ends; at++) ends = is_stop(side->text.bytes[at]);
        if (!ends) continue;
        if (all > 0) least = fmin(least, shared / all);
        all = shared = 0;
    }
    return count ? least : 0;
}

static void look_at_side(struct comparison *comparison, const struct reading *reading, int s)
{
    enum { WH_WORDS = 7 };
    struct comparison_side *side = &comparison->side[s];
    const struct reading_word *words = reading->side[s].words;
    size_t rarest = 0;
    side->stops = count_stops(reading->side[s].text);
    side->least_covered = least_covered(reading, s, side->words);
    side->question_mark =
        reading->side[s].text.length &&
        memchr(reading->side[s].text.bytes, '?', reading->side[s].text.length) != NULL;
    for (size_t i = 0; i < side->words; i++) {
        side->negations += (words[i].flags & WORD_NEGATION) != 0;
        if (words[i].rarity >= words[rarest].rarity) rarest = i;
        if (words[i].flags & WORD_QUESTION) {
            unsigned which = word_opening(words[i].lexeme->kinds);
            if (which && which <= WH_WORDS) side->asking |= 1u << which;
        }
        if (!reading_is_shared(reading, words[i].number))
            side->last_alone = (double)(i + 1) / (double)side->words;
    }
    if (!side->words) return;
    side->opening = word_opening(words[0].lexeme->kinds);
    side->rarest_shared = reading_is_shared(reading, words[rarest].number);
    side->last_shared = reading_is_shared(reading, words[side->words - 1].number);
}

/* ---- Vectors ---- */

/* The squares of the values of a row at FROM .. TO. */
static double sum_squares(const struct feature_row *row, size_t from, size_t to)
{
    double sum = 0;
    for (size_t i = from; i < to; i++) sum += (double)row->value[i] * (double)row->value[i];
    return sum;
}

/* TF-IDF cosine of two rows, group by group. */
static void compare_groups(struct comparison *comparison, const struct reading *reading)
{
    const struct feature_row *a = &reading->side[0].row, *b = &reading->side[1].row;
    const struct reading_features *both = &reading->features;
    for (int g = 0; g < GROUPS; g++) {
        double product = 0, squares_a = sum_squares(a, both->from[0][g], both->from[0][g + 1]),
               squares_b = sum_squares(b, both->from[1][g], both->from[1][g + 1]);
        for (size_t k = both->first_shared[g]; k < both->first_shared[g + 1]; k++)
            product += (double)a->value[both->shared[0][k]] * (double)b->value[both->shared[1][k]];
        double lengths = sqrt(squares_a * squares_b);
        comparison->group[g] = lengths > 0 ? product / lengths : 0;
    }
}

void comparison_start(struct comparison *comparison, const struct reading *reading)
{
    struct comparison_scratch *scratch = comparison->scratch;
    memset(comparison, 0, sizeof *comparison);
    comparison->scratch = scratch;
    comparison->reading = reading;
    compare_groups(comparison, reading);
    for (int s = 0; s < 2; s++) {
        size_t count = reading->side[s].count;
        comparison->side[s].words = count < MOST ? count : MOST;
        comparison->cut |= count > MOST;
    }
    sort_words(comparison, reading);
}

void comparison_finish(struct comparison *comparison)
{
    struct comparison_scratch *scratch = comparison->scratch;
    const struct reading *reading = comparison->reading;
    look_at_side(comparison, reading, 0);
    look_at_side(comparison, reading, 1);
    compare_order(comparison);
    align_words(comparison, &scratch->alignment);
    compare_knowledge(comparison, &scratch->knowledge);
}
