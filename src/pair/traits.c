/* The table of traits: each is a named number computed from a comparison. Their weights are learned
 * elsewhere. */
#include "pair/traits.h"

#include <math.h>
#include <string.h>

/* The minimum and the maximum over the two sentences. */
#define LESS(field) fmin((double)c->side[0].field, (double)c->side[1].field)
#define MORE(field) fmax((double)c->side[0].field, (double)c->side[1].field)

/* A / B, or 0 when B is 0. */
static double share(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* The share of the rarity of one sentence that the other contains. */
static double covered(const struct comparison *c, int s)
{
    return share(c->shared_rarity, c->shared_rarity + c->side[s].rarity);
}

static double share_or_all(double a, double b)
{
    return b > 0 ? a / b : 1;
}

/* The share of the rarity of both sentences that is explained. */
static double explained(const struct comparison *c, double unexplained)
{
    double all = 2 * c->shared_rarity + c->side[0].rarity + c->side[1].rarity;
    return share(all - unexplained, all);
}

static double bits(unsigned set)
{
    return (double)__builtin_popcount(set);
}

static double pairs_of(size_t count)
{
    return 0.5 * (double)count * (double)(count - (count > 0));
}

/* TRAIT(id, family, name, about, value); C is the comparison. Model files store the id: it never
 * changes and is never reused. A new trait may be added anywhere; older models open as before. */
#define TRAITS(TRAIT)                                                                             \
    TRAIT(words_min, LENGTH, "words of the shorter", "how many words the shorter sentence has",   \
          LESS(words))                                                                            \
    TRAIT(words_max, LENGTH, "words of the longer", "how many words the longer sentence has",     \
          MORE(words))                                                                            \
    TRAIT(length_ratio, LENGTH, "ratio of lengths",                                               \
          "words of the shorter over words of the longer", share(LESS(words), MORE(words)))       \
    TRAIT(sentences_min, LENGTH, "sentences of the simpler",                                      \
          "full stops and question marks inside the text, smaller of the two", LESS(stops))       \
    TRAIT(sentences_max, LENGTH, "sentences of the richer",                                       \
          "full stops and question marks inside the text, larger of the two", MORE(stops))        \
    TRAIT(words_log, LENGTH, "words of both", "words of both sentences, on a logarithmic scale",  \
          log1p((double)(c->side[0].words + c->side[1].words)))                                   \
    TRAIT(rarity_mean, LENGTH, "mean rarity", "rarity of a word of the two sentences on average", \
          share(2 * c->shared_rarity + c->side[0].rarity + c->side[1].rarity,                     \
                (double)(2 * c->shared + c->side[0].alone + c->side[1].alone)))                   \
    TRAIT(question_mark_differs, QUESTION, "question mark on one side",                           \
          "1 when only one of the two has a question mark",                                       \
          (double)(c->side[0].question_mark != c->side[1].question_mark))                         \
    TRAIT(shared_words, OVERLAP, "shared words", "how many different words both have",            \
          (double)c->shared)                                                                      \
    TRAIT(unshared_words_min, OVERLAP, "unshared words, fewer side",                              \
          "words the other does not have, smaller of the two numbers", LESS(alone))               \
    TRAIT(unshared_words_max, OVERLAP, "unshared words, more side",                               \
          "words the other does not have, larger of the two numbers", MORE(alone))                \
    TRAIT(words_jaccard, OVERLAP, "share of words shared",                                        \
          "shared words over all different words",                                                \
          share((double)c->shared, (double)(c->shared + c->side[0].alone + c->side[1].alone)))    \
    TRAIT(shared_rarity, OVERLAP, "rarity shared", "summed rarity of the shared words",           \
          c->shared_rarity)                                                                       \
    TRAIT(unshared_rarity_min, OVERLAP, "rarity unshared, lighter side",                          \
          "summed rarity of the words only one has, smaller of the two", LESS(rarity))            \
    TRAIT(unshared_rarity_max, OVERLAP, "rarity unshared, heavier side",                          \
          "summed rarity of the words only one has, larger of the two", MORE(rarity))             \
    TRAIT(rarity_jaccard, OVERLAP, "share of rarity shared",                                      \
          "rarity of the shared words over that of all",                                          \
          share(c->shared_rarity, c->shared_rarity + c->side[0].rarity + c->side[1].rarity))      \
    TRAIT(coverage_min, OVERLAP, "coverage, less covered side",                                   \
          "share of a sentence's rarity that the other has, smaller of the two",                  \
          fmin(covered(c, 0), covered(c, 1)))                                                     \
    TRAIT(coverage_max, OVERLAP, "coverage, more covered side",                                   \
          "share of a sentence's rarity that the other has, larger of the two",                   \
          fmax(covered(c, 0), covered(c, 1)))                                                     \
    TRAIT(sentence_coverage_min, OVERLAP, "least covered sentence",                               \
          "of all sentences inside the two texts: the share of rarity that the other text has, "  \
          "least",                                                                                \
          LESS(least_covered))                                                                    \
    TRAIT(rarest_unshared_min, OVERLAP, "rarest unshared word, lower",                            \
          "rarity of the rarest word only one has, smaller of the two", LESS(rarest))             \
    TRAIT(rarest_unshared_max, OVERLAP, "rarest unshared word",                                   \
          "rarity of the rarest word only one has", MORE(rarest))                                 \
    TRAIT(rarest_shared, OVERLAP, "rarest shared word", "rarity of the rarest word both have",    \
          c->shared_rarest)                                                                       \
    TRAIT(unshared_content_min, OVERLAP, "unshared content words, fewer",                         \
          "words only one has that are not common ones, smaller of the two", LESS(content))       \
    TRAIT(unshared_content_max, OVERLAP, "unshared content words, more",                          \
          "words only one has that are not common ones, larger of the two", MORE(content))        \
    TRAIT(rarest_words_shared, OVERLAP, "rarest word of each shared",                             \
          "of the rarest words of the two sentences, how many the other has too",                 \
          (double)(c->side[0].rarest_shared + c->side[1].rarest_shared))                          \
    TRAIT(shared_pairs, ORDER, "shared word pairs",                                               \
          "neighbouring words that are neighbours in both", (double)c->runs)                      \
    TRAIT(shared_pairs_share, ORDER, "share of word pairs shared",                                \
          "shared neighbouring pairs over those of the longer sentence",                          \
          share((double)c->runs, MORE(words) - 1))                                                \
    TRAIT(shared_pairs_rarity, ORDER, "rarity of shared word pairs",                              \
          "summed rarity of neighbouring words shared as a pair", c->run_rarity)                  \
    TRAIT(common_order_of_longer, ORDER, "common order, of the longer",                           \
          "longest common sequence of words over the longer sentence",                            \
          share((double)c->common, MORE(words)))                                                  \
    TRAIT(common_order_of_shorter, ORDER, "common order, of the shorter",                         \
          "longest common sequence of words over the shorter sentence",                           \
          share((double)c->common, LESS(words)))                                                  \
    TRAIT(shared_phrase_longest, ORDER, "longest shared phrase",                                  \
          "most words in a row that both have", (double)c->longest_run)                           \
    TRAIT(edits, ORDER, "edits", "words to insert, delete or replace to turn one into the other", \
          (double)c->edits)                                                                       \
    TRAIT(edits_share, ORDER, "share of words edited",                                            \
          "edits over the words of the longer sentence", share((double)c->edits, MORE(words)))    \
    TRAIT(out_of_order_rarity, ORDER, "rarity out of order",                                      \
          "rarity of shared words that stand in another order",                                   \
          c->shared_rarity - c->common_rarity)                                                    \
    TRAIT(same_beginning, ORDER, "same beginning", "words that are the same from the start",      \
          (double)c->prefix)                                                                      \
    TRAIT(same_end, ORDER, "same end", "words that are the same from the end", (double)c->suffix) \
    TRAIT(inversions, ORDER, "swapped words", "pairs of shared words in opposite order",          \
          (double)c->inversions)                                                                  \
    TRAIT(inversions_share, ORDER, "share of swapped words",                                      \
          "pairs of shared words in opposite order, of all pairs",                                \
          share((double)c->inversions, pairs_of(c->shared)))                                      \
    TRAIT(last_unshared_place_min, ORDER, "place of the last unshared word, earlier",             \
          "where the last word only one has stands (1: at the end), smaller of the two",          \
          LESS(last_alone))                                                                       \
    TRAIT(last_unshared_place_max, ORDER, "place of the last unshared word, later",               \
          "where the last word only one has stands (1: at the end), larger of the two",           \
          MORE(last_alone))                                                                       \
    TRAIT(same_first_word, QUESTION, "same first word", "1 when both begin with the same word",   \
          (double)(c->prefix > 0))                                                                \
    TRAIT(opening_min, QUESTION, "kind of opening, first",                                        \
          "which usual word (what, how, why, ...) opens one of them", LESS(opening))              \
    TRAIT(opening_max, QUESTION, "kind of opening, second",                                       \
          "which usual word (what, how, why, ...) opens the other", MORE(opening))                \
    TRAIT(question_words_differ, QUESTION, "question words that differ",                          \
          "of what, how, why, which, who, when, where: how many only one has",                    \
          bits(c->side[0].asking ^ c->side[1].asking))                                            \
    TRAIT(last_words_shared, QUESTION, "last word of each shared",                                \
          "of the two last words, how many the other sentence has too",                           \
          (double)(c->side[0].last_shared + c->side[1].last_shared))                              \
    TRAIT(unshared_numbers_min, NUMBERS, "numbers on both sides that differ",                     \
          "numbers only one has, smaller of the two counts", LESS(numbers))                       \
    TRAIT(unshared_numbers_max, NUMBERS, "numbers only one has",                                  \
          "numbers only one has, larger of the two counts", MORE(numbers))                        \
    TRAIT(shared_numbers, NUMBERS, "shared numbers", "numbers both have",                         \
          (double)c->shared_numbers)                                                              \
    TRAIT(negation_differs, NEGATION, "negation on one side",                                     \
          "1 when only one sentence has not, no, never, without, ...",                            \
          (double)((c->side[0].negations > 0) != (c->side[1].negations > 0)))                     \
    TRAIT(unshared_names_min, NAMES, "names on both sides that differ",                           \
          "capitalised words only one has, smaller of the two counts", LESS(names))               \
    TRAIT(unshared_names_max, NAMES, "names only one has",                                        \
          "capitalised words only one has, larger of the two counts", MORE(names))                \
    TRAIT(shared_names_share, NAMES, "share of names shared",                                     \
          "capitalised words both have, of all; 1 without any",                                   \
          share_or_all((double)c->shared_names,                                                   \
                       (double)(c->shared_names + c->side[0].names + c->side[1].names)))          \
    TRAIT(shared_names, NAMES, "shared names", "capitalised words both have",                     \
          (double)c->shared_names)                                                                \
    TRAIT(acronyms, FORMS, "acronyms spelled out",                                                \
          "words that are the initials of words of the other sentence", (double)c->acronyms)      \
    TRAIT(compounds, FORMS, "words written together",                                             \
          "words that the other sentence writes as two", (double)c->compounds)                    \
    TRAIT(spelling_share, SPELLING, "share of rarity spelled alike",                              \
          "rarity that shared words and similar spelling explain, of all",                        \
          explained(c, c->side[0].unspelled + c->side[1].unspelled))                              \
    TRAIT(spelling_rest_min, SPELLING, "misspelled rest, lighter side",                           \
          "rarity of unshared words that no similarly spelled word explains, smaller of the two", \
          LESS(unspelled))                                                                        \
    TRAIT(spelling_rest_max, SPELLING, "misspelled rest, heavier side",                           \
          "rarity of unshared words that no similarly spelled word explains, larger of the two",  \
          MORE(unspelled))                                                                        \
    TRAIT(spelling_worst_min, SPELLING, "most misspelled word, lighter side",                     \
          "the unshared word that spelling explains least, smaller of the two",                   \
          LESS(unspelled_most))                                                                   \
    TRAIT(spelling_worst_max, SPELLING, "most misspelled word, heavier side",                     \
          "the unshared word that spelling explains least, larger of the two",                    \
          MORE(unspelled_most))                                                                   \
    TRAIT(spelling_best, SPELLING, "best spelled match",                                          \
          "the most similar spelling of two unshared words", c->spelled_best)                     \
    TRAIT(word_cosine, SIMILARITY, "similarity of words", "TF-IDF cosine of words",               \
          c->group[GROUP_WORD])                                                                   \
    TRAIT(char_cosine, SIMILARITY, "similarity of letters", "TF-IDF cosine of character n-grams", \
          c->group[GROUP_CHAR])                                                                   \
    TRAIT(vector_cosine, MEANING, "similarity of vectors", "cosine of the two sentence vectors",  \
          c->similarity)                                                                          \
    TRAIT(vector_distance, MEANING, "distance of vectors",                                        \
          "length of the difference of the two sentence vectors", c->distance)                    \
    TRAIT(vector_length_min, MEANING, "length of the shorter vector",                             \
          "smaller length of the two sentence vectors", LESS(length))                             \
    TRAIT(vector_length_max, MEANING, "length of the longer vector",                              \
          "larger length of the two sentence vectors", MORE(length))                              \
    TRAIT(usage_share, MEANING, "share of rarity used alike",                                     \
          "rarity that shared words and similar use explain, of all",                             \
          explained(c, c->side[0].unlike + c->side[1].unlike))                                    \
    TRAIT(usage_rest_min, MEANING, "unexplained rest, lighter side",                              \
          "rarity of unshared words that no word of similar use explains, smaller of the two",    \
          LESS(unlike))                                                                           \
    TRAIT(usage_rest_max, MEANING, "unexplained rest, heavier side",                              \
          "rarity of unshared words that no word of similar use explains, larger of the two",     \
          MORE(unlike))                                                                           \
    TRAIT(usage_worst_min, MEANING, "least explained word, lighter side",                         \
          "the unshared word that similar use explains least, smaller of the two",                \
          LESS(unlike_most))                                                                      \
    TRAIT(usage_worst_max, MEANING, "least explained word, heavier side",                         \
          "the unshared word that similar use explains least, larger of the two",                 \
          MORE(unlike_most))                                                                      \
    TRAIT(usage_best, MEANING, "best match of use", "the most similar use of two unshared words", \
          c->like_best)                                                                           \
    TRAIT(rest_cosine, MEANING, "similarity of the rest",                                         \
          "cosine of what the unshared words of either side add up to", c->rest_similarity)       \
    TRAIT(rest_length_min, MEANING, "weight of the rest, lighter side",                           \
          "length of what the unshared words add up to, smaller of the two", LESS(rest_length))   \
    TRAIT(rest_length_max, MEANING, "weight of the rest, heavier side",                           \
          "length of what the unshared words add up to, larger of the two", MORE(rest_length))

#define FUNCTION(id, family, name, about, ...)             \
    static double measure_##id(const struct comparison *c) \
    {                                                      \
        return __VA_ARGS__;                                \
    }
TRAITS(FUNCTION)

#define ENTRY(id, family, name, about, ...) {#id, name, about, FAMILY_##family, measure_##id},
static const struct trait traits[] = {TRAITS(ENTRY)};

enum { COUNT = sizeof traits / sizeof *traits };

#define FAMILY_TEXTS(family, id, name, title) {#id, name, title},
static const struct {
    const char *id, *name, *title;
} families[FAMILIES] = {FAMILY_LIST(FAMILY_TEXTS)};

const char *family_id(enum family family)
{
    return families[family].id;
}

const char *family_name(enum family family)
{
    return families[family].name;
}

const char *family_title(enum family family)
{
    return families[family].title;
}

int trait_is_learned(const struct trait *trait)
{
    return trait->family == FAMILY_MEANING;
}

size_t traits_count(void)
{
    return COUNT;
}

const struct trait *trait_at(size_t number)
{
    return &traits[number];
}

size_t trait_find(const char *id)
{
    size_t number = 0;
    while (number < COUNT && strcmp(traits[number].id, id) != 0) number++;
    return number < COUNT ? number : TRAIT_NONE;
}

void traits_measure(const struct comparison *comparison, float *out)
{
    for (size_t i = 0; i < COUNT; i++) out[i] = (float)traits[i].measure(comparison);
}
