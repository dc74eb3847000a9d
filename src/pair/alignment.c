/* Compares word order (longest common subsequence, edit distance, inversions) and aligns different
 * words by spelling (Dice coefficient of letter bigrams) and by vector. Single words are in
 * comparison.c. */
#include "pair/alignment.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "embed/vec.h"

#include <math.h>
#include <string.h>

enum { MOST = COMPARISON_MOST };

/* ---- Order ---- */

/* Without the care for NaN of fmax, which is a call. */
static double greater(double a, double b)
{
    return a > b ? a : b;
}

/* The words of the second sentence that equal word AT of the first, a bit for each. */
static uint64_t equal_words(const struct comparison *comparison, size_t at)
{
    const struct reading *reading = comparison->reading;
    const struct reading_word *b = reading->side[1].words;
    uint32_t number = reading->side[0].words[at].number;
    uint64_t equal = 0;
    for (size_t j = reading->first[1][number]; j < comparison->side[1].words; j++)
        equal |= (uint64_t)(b[j].number == number) << j;
    return equal;
}

/* Computes the edit distance by bits (Myers 1999): rises and falls between rows of the table. */
static size_t count_edits(const uint64_t *equal, size_t n, size_t m)
{
    uint64_t rises = ~UINT64_C(0), falls = 0;
    size_t edits = m;
    for (size_t i = 0; m && i < n; i++) {
        uint64_t down = equal[i] | falls,
                 across = (((equal[i] & rises) + rises) ^ rises) | equal[i];
        uint64_t up = falls | ~(across | rises), less = rises & across;
        edits += up >> (m - 1) & 1;
        edits -= less >> (m - 1) & 1;
        up = up << 1 | 1;
        rises = less << 1 | ~(down | up);
        falls = up & down;
    }
    return m ? edits : n;
}

/* Computes the length of the longest common subsequence by bits (Crochemore et al. 2001). */
static size_t count_common(const uint64_t *equal, size_t n)
{
    uint64_t row = ~UINT64_C(0);
    for (size_t i = 0; i < n; i++) {
        uint64_t both = row & equal[i];
        row = (row + both) | (row - both);
    }
    return (size_t)__builtin_popcountll(~row);
}

/* Computes the length of the longest common run of words. */
static size_t find_longest_run(const uint64_t *equal, size_t n)
{
    unsigned char run[2][MOST];
    uint64_t before = 0;
    size_t longest = 0;
    for (size_t i = 0; i < n; before = equal[i++])
        for (uint64_t bits = equal[i]; bits; bits &= bits - 1) {
            size_t j = (size_t)__builtin_ctzll(bits), length = 1;
            if (j && before >> (j - 1) & 1) length += run[!(i % 2)][j - 1];
            run[i % 2][j] = (unsigned char)length;
            longest = length > longest ? length : longest;
        }
    return longest;
}

/* Computes the rarity of the heaviest common subsequence, row by row of its table. A word that the
 * second sentence does not have leaves a row as it is, unless rounding made it fall somewhere. */
static double find_common_rarity(const struct comparison *comparison, const uint64_t *equal)
{
    const struct reading_word *a = comparison->reading->side[0].words;
    size_t n = comparison->side[0].words, m = comparison->side[1].words;
    float row[MOST + 1] = {0};
    int rises = 1;
    for (size_t i = 0; i < n; i++) {
        if (!equal[i] && rises) continue;
        float before = row[0], rarity = a[i].rarity;
        rises = 1;
        for (size_t j = 0; j < m; j++) {
            float above = row[j + 1];
            if (equal[i] >> j & 1) {
                row[j + 1] = before + rarity;
                rises &= row[j + 1] >= row[j];
            } else {
                row[j + 1] = above > row[j] ? above : row[j];
            }
            before = above;
        }
    }
    return (double)row[m];
}

/* Returns whether the adjacent words at AT of A are also adjacent in B; EQUAL is that of AT. */
static int occurs_in(const struct reading_word *a, size_t at, uint64_t equal,
                     const struct reading_word *b, size_t count)
{
    for (; equal; equal &= equal - 1) {
        size_t j = (size_t)__builtin_ctzll(equal);
        if (j + 1 < count && b[j + 1].number == a[at + 1].number) return 1;
    }
    return 0;
}

static void count_inversions(struct comparison *comparison)
{
    const struct reading *reading = comparison->reading;
    uint32_t place[MOST];
    size_t count = 0;
    /* Numbers ascend with the first position in side 0. */
    for (uint32_t number = 0; number < reading->numbers; number++) {
        uint32_t here = reading->first[0][number], there = reading->first[1][number];
        if (here >= MOST || there >= MOST) continue;
        for (size_t k = 0; k < count; k++) comparison->inversions += place[k] > there;
        place[count++] = there;
    }
}

void compare_order(struct comparison *comparison)
{
    const struct reading *reading = comparison->reading;
    const struct reading_word *a = reading->side[0].words, *b = reading->side[1].words;
    size_t n = comparison->side[0].words, m = comparison->side[1].words, shorter = n < m ? n : m;
    uint64_t equal[MOST];
    for (size_t i = 0; i < n; i++) equal[i] = equal_words(comparison, i);
    comparison->common = count_common(equal, n);
    comparison->common_rarity = find_common_rarity(comparison, equal);
    comparison->longest_run = find_longest_run(equal, n);
    comparison->edits = count_edits(equal, n, m);
    for (size_t i = 0; i + 1 < n; i++)
        if (occurs_in(a, i, equal[i], b, m)) {
            comparison->runs++;
            comparison->run_rarity += (double)a[i].rarity + (double)a[i + 1].rarity;
        }
    size_t *prefix = &comparison->prefix, *suffix = &comparison->suffix;
    while (*prefix < shorter && a[*prefix].number == b[*prefix].number) ++*prefix;
    while (*suffix < shorter && a[n - 1 - *suffix].number == b[m - 1 - *suffix].number) ++*suffix;
    count_inversions(comparison);
}

/* ---- Different words ---- */

film_status alignment_init(struct alignment *alignment, const struct encoder *encoder,
                           film_error *error)
{
    film_status status = FILM_OK;
    alignment->encoder = encoder;
    for (int s = 0; s < 2 && word_map_exists(&encoder->map); s++)
        TRY_ALLOC(alignment->rest[s] = mem_aligned(encoder->dim, sizeof(float)), error);
done:
    if (status != FILM_OK) alignment_free(alignment);
    return status;
}

void alignment_free(struct alignment *alignment)
{
    for (int s = 0; s < 2; s++) {
        mem_free_aligned(alignment->rest[s]);
        alignment->rest[s] = NULL;
    }
}

/* Dice coefficient of the letter pairs: 2 |A and B| / (|A| + |B|). Most words have none in
 * common, as their bits tell. */
static double spelled_alike(const struct lexeme *a, const struct lexeme *b)
{
    size_t i = 0, j = 0, both = 0, n = a->pair_count, m = b->pair_count;
    if (!((a->pair_bits[0] & b->pair_bits[0]) | (a->pair_bits[1] & b->pair_bits[1]))) return 0;
    while (i < n && j < m) {
        uint16_t left = a->pairs[i], right = b->pairs[j];
        both += left == right;
        i += left <= right;
        j += right <= left;
    }
    return 2.0 * (double)both / (double)(n + m);
}

/* Lists the unshared words of one side that have a vector; computes the lengths and the sum of
 * these. */
static void prepare_side(struct comparison *comparison, struct alignment *alignment, int s)
{
    const struct reading *reading = comparison->reading;
    const struct comparison_side *side = &comparison->side[s];
    const struct word_map *map = &alignment->encoder->map;
    struct alignment_words *known = &alignment->known[s];
    float ones[MOST];
    size_t dim = alignment->encoder->dim;
    int has_sums = encoder_has_sums(alignment->encoder);
    known->count = 0;
    if (!alignment->rest[s]) return;
    for (size_t i = 0; i < side->alone; i++) {
        const struct reading_word *word = &reading->side[s].words[side->place[i]];
        uint32_t id = word->id;
        if (id == READING_NONE) continue;
        known->length[known->count] =
            has_sums ? word->lexeme->length : sqrt(word_map_product(map, id, id, dim));
        known->place[known->count] = (uint32_t)i;
        ones[known->count] = 1.0f;
        known->id[known->count++] = id;
    }
    word_map_sum(map, known->id, ones, known->count, alignment->rest[s], dim);
}

/* Finds the most similar vector of the other side for every unshared word. */
static void find_like_words(struct comparison *comparison, const struct alignment *alignment,
                            double like[2][MOST])
{
    const struct alignment_words *a = &alignment->known[0], *b = &alignment->known[1];
    const struct encoder *encoder = alignment->encoder;
    double product[MOST];
    for (size_t i = 0; i < a->count; i++) {
        word_map_products(&encoder->map, a->id[i], b->id, b->count, encoder->dim, product);
        double *best = &like[0][a->place[i]];
        for (size_t j = 0; j < b->count; j++) {
            double lengths = a->length[i] * b->length[j];
            double alike = lengths > 0 ? product[j] / lengths : 0;
            *best = greater(*best, alike);
            like[1][b->place[j]] = greater(like[1][b->place[j]], alike);
        }
        comparison->like_best = greater(comparison->like_best, *best);
    }
}

/* Sums up what the best partners leave unexplained. */
static void sum_up(struct comparison_side *side, const struct reading_word *words,
                   const double *spelled, const double *like)
{
    for (size_t i = 0; i < side->alone; i++) {
        double rarity = (double)words[side->place[i]].rarity;
        double unspelled = rarity * (1 - spelled[i]), unlike = rarity * (1 - like[i]);
        side->unspelled += unspelled;
        side->unspelled_most = greater(side->unspelled_most, unspelled);
        side->unlike += unlike;
        side->unlike_most = greater(side->unlike_most, unlike);
    }
}

static void align_vectors(struct comparison *comparison, const struct alignment *alignment)
{
    const struct reading_side *side = comparison->reading->side;
    size_t dim = alignment->encoder->dim;
    if (!word_map_exists(&alignment->encoder->map)) {
        comparison->similarity =
            encoder_sparse_similarity(&(struct encoder){.features = alignment->encoder->features},
                                      &side[0].row, &side[1].row);
        return;
    }
    double product = comparison->reading->product;
    const double *squares = comparison->reading->squares;
    double rest = vec_dot(alignment->rest[0], alignment->rest[1], dim), lengths = 1;
    for (int s = 0; s < 2; s++) {
        comparison->side[s].length = sqrt(squares[s]);
        comparison->side[s].rest_length =
            sqrt(vec_dot(alignment->rest[s], alignment->rest[s], dim));
        lengths *= comparison->side[s].rest_length;
    }
    double both = sqrt(squares[0] * squares[1]);
    comparison->similarity = both > 0 ? product / both : 0;
    comparison->distance = sqrt(greater(0, squares[0] + squares[1] - 2 * product));
    comparison->rest_similarity = lengths > 0 ? rest / lengths : 0;
}

/* ---- Acronyms and compounds ---- */

/* How the words of a sentence begin: their first byte, 0 without any. And a bit for each first byte
 * and for the length of each two words in a row, modulo 64: most words find none of theirs. */
struct beginnings {
    char first[MOST];
    uint64_t firsts, lengths;
    size_t count;
};

static uint64_t bit_of(size_t number)
{
    return UINT64_C(1) << number % 64;
}

static void list_beginnings(const struct comparison *comparison, int s, struct beginnings *out)
{
    size_t before = 0;
    out->count = comparison->side[s].words;
    out->firsts = out->lengths = 0;
    for (size_t i = 0; i < out->count; i++) {
        film_text word = reading_text(comparison->reading, s, i);
        out->first[i] = word.length ? *word.bytes : '\0';
        out->firsts |= bit_of((unsigned char)out->first[i]);
        if (i) out->lengths |= bit_of(before + word.length);
        before = word.length;
    }
}

static int begins_with(film_text word, film_text letter)
{
    return word.length >= letter.length && memcmp(word.bytes, letter.bytes, letter.length) == 0;
}

/* Returns whether WORD consists of the first letters of consecutive words of the other sentence.
 * Letters are characters, not bytes. */
static int is_acronym(const struct reading *reading, film_text word, int other,
                      const struct beginnings *there)
{
    enum { SHORTEST = 2, LONGEST = 5 };
    film_text letter[LONGEST];
    size_t letters = 0, ascii = 0;
    while (ascii < word.length && ascii <= LONGEST && (unsigned char)word.bytes[ascii] < 128)
        ascii++;
    if (ascii > LONGEST || !word.length) return 0; /* most words */
    if (!(there->firsts & bit_of((unsigned char)*word.bytes))) return 0;
    for (size_t at = 0, next; at < word.length; at = next) {
        if (letters == LONGEST) return 0;
        next = utf8_next(word.bytes, word.length, at);
        letter[letters++] = (film_text){word.bytes + at, next - at};
    }
    if (letters < SHORTEST) return 0;
    for (size_t start = 0; start + letters <= there->count; start++) {
        size_t i = 0;
        if (there->first[start] != *word.bytes) continue;
        while (i < letters && begins_with(reading_text(reading, other, start + i), letter[i])) i++;
        if (i == letters) return 1;
    }
    return 0;
}

/* Returns whether WORD is two consecutive words of the other sentence, written as one. */
static int is_compound(const struct reading *reading, film_text word, int other,
                       const struct beginnings *there)
{
    if (!(there->lengths & bit_of(word.length))) return 0;
    for (size_t i = 0; i + 1 < there->count; i++) {
        film_text left = reading_text(reading, other, i),
                  right = reading_text(reading, other, i + 1);
        if (left.length + right.length != word.length) continue;
        if (memcmp(word.bytes, left.bytes, left.length) == 0 &&
            memcmp(word.bytes + left.length, right.bytes, right.length) == 0)
            return 1;
    }
    return 0;
}

/* Counts the unshared words of a side that the other sentence writes in another way. */
static void find_rewritten(struct comparison *comparison, int s)
{
    const struct reading *reading = comparison->reading;
    const struct comparison_side *side = &comparison->side[s];
    struct beginnings there;
    list_beginnings(comparison, !s, &there);
    for (size_t i = 0; i < side->alone; i++) {
        film_text word = reading_text(reading, s, side->place[i]);
        comparison->acronyms += (size_t)is_acronym(reading, word, !s, &there);
        comparison->compounds += (size_t)is_compound(reading, word, !s, &there);
    }
}

void align_words(struct comparison *comparison, struct alignment *alignment)
{
    double spelled[2][MOST], like[2][MOST];
    const struct reading *reading = comparison->reading;
    const struct reading_word *words[2] = {reading->side[0].words, reading->side[1].words};
    const struct comparison_side *a = &comparison->side[0], *b = &comparison->side[1];
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < comparison->side[s].alone; i++) spelled[s][i] = like[s][i] = 0;
    prepare_side(comparison, alignment, 0);
    prepare_side(comparison, alignment, 1);
    for (size_t i = 0; i < a->alone; i++)
        for (size_t j = 0; j < b->alone; j++) {
            double letters =
                spelled_alike(words[0][a->place[i]].lexeme, words[1][b->place[j]].lexeme);
            spelled[0][i] = greater(spelled[0][i], letters);
            spelled[1][j] = greater(spelled[1][j], letters);
            comparison->spelled_best = greater(comparison->spelled_best, letters);
        }
    find_like_words(comparison, alignment, like);
    for (int s = 0; s < 2; s++) {
        sum_up(&comparison->side[s], reading->side[s].words, spelled[s], like[s]);
        find_rewritten(comparison, s);
    }
    align_vectors(comparison, alignment);
}
