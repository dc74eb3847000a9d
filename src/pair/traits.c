/* The table of traits: each a named number computed from a comparison. Their weights are learned
 * elsewhere. */
#include "pair/traits.h"

#include <math.h>

/* The smaller and the larger of what the two sentences have. */
#define LESS(field) fmin((double)c->side[0].field, (double)c->side[1].field)
#define MORE(field) fmax((double)c->side[0].field, (double)c->side[1].field)

/* A / B, and 0 where there is nothing. */
static double share(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* Of the rarity of one sentence, how much the other has. */
static double covered(const struct comparison *c, int s)
{
    return share(c->shared_rarity, c->shared_rarity + c->side[s].rarity);
}

static double share_or_all(double a, double b)
{
    return b > 0 ? a / b : 1;
}

/* Of the rarity of both sentences, what is left when so much is not explained. */
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

/* TRAIT(function, family, name, about, value); C is the comparison. */
#define TRAITS(TRAIT)                                                                             \
    TRAIT(fewer_words, LENGTH, "words of the shorter", "how many words the shorter sentence has", \
          LESS(words))                                                                            \
    TRAIT(more_words, LENGTH, "words of the longer", "how many words the longer sentence has",    \
          MORE(words))                                                                            \
    TRAIT(length_ratio, LENGTH, "ratio of lengths",                                               \
          "words of the shorter over words of the longer", share(LESS(words), MORE(words)))       \
    TRAIT(stops_less, LENGTH, "sentences of the simpler",                                         \
          "full stops and question marks inside the text, smaller of the two", LESS(stops))       \
    TRAIT(stops_more, LENGTH, "sentences of the richer",                                          \
          "full stops and question marks inside the text, larger of the two", MORE(stops))        \
    TRAIT(all_words, LENGTH, "words of both", "words of both sentences, on a logarithmic scale",  \
          log1p((double)(c->side[0].words + c->side[1].words)))                                   \
    TRAIT(mean_rarity, LENGTH, "mean rarity", "rarity of a word of the two sentences on average", \
          share(2 * c->shared_rarity + c->side[0].rarity + c->side[1].rarity,                     \
                (double)(2 * c->shared + c->side[0].alone + c->side[1].alone)))                   \
    TRAIT(question_marks, QUESTION, "question mark on one side",                                  \
          "1 when only one of the two has a question mark",                                       \
          (double)(c->side[0].question_mark != c->side[1].question_mark))                         \
    TRAIT(shared_words, OVERLAP, "shared words", "how many different words both have",            \
          (double)c->shared)                                                                      \
    TRAIT(alone_less, OVERLAP, "unshared words, fewer side",                                      \
          "words the other does not have, smaller of the two numbers", LESS(alone))               \
    TRAIT(alone_more, OVERLAP, "unshared words, more side",                                       \
          "words the other does not have, larger of the two numbers", MORE(alone))                \
    TRAIT(jaccard, OVERLAP, "share of words shared", "shared words over all different words",     \
          share((double)c->shared, (double)(c->shared + c->side[0].alone + c->side[1].alone)))    \
    TRAIT(shared_rarity, OVERLAP, "rarity shared", "summed rarity of the shared words",           \
          c->shared_rarity)                                                                       \
    TRAIT(alone_rarity_less, OVERLAP, "rarity unshared, lighter side",                            \
          "summed rarity of the words only one has, smaller of the two", LESS(rarity))            \
    TRAIT(alone_rarity_more, OVERLAP, "rarity unshared, heavier side",                            \
          "summed rarity of the words only one has, larger of the two", MORE(rarity))             \
    TRAIT(rarity_jaccard, OVERLAP, "share of rarity shared",                                      \
          "rarity of the shared words over that of all",                                          \
          share(c->shared_rarity, c->shared_rarity + c->side[0].rarity + c->side[1].rarity))      \
    TRAIT(covered_less, OVERLAP, "coverage, less covered side",                                   \
          "share of a sentence's rarity that the other has, smaller of the two",                  \
          fmin(covered(c, 0), covered(c, 1)))                                                     \
    TRAIT(covered_more, OVERLAP, "coverage, more covered side",                                   \
          "share of a sentence's rarity that the other has, larger of the two",                   \
          fmax(covered(c, 0), covered(c, 1)))                                                     \
    TRAIT(least_covered, OVERLAP, "least covered sentence",                                       \
          "of all sentences inside the two texts: the share of rarity that the other text has, "  \
          "least",                                                                                \
          LESS(least_covered))                                                                    \
    TRAIT(rarest_alone_less, OVERLAP, "rarest unshared word, lower",                              \
          "rarity of the rarest word only one has, smaller of the two", LESS(rarest))             \
    TRAIT(rarest_alone_more, OVERLAP, "rarest unshared word",                                     \
          "rarity of the rarest word only one has", MORE(rarest))                                 \
    TRAIT(shared_rarest, OVERLAP, "rarest shared word", "rarity of the rarest word both have",    \
          c->shared_rarest)                                                                       \
    TRAIT(content_less, OVERLAP, "unshared content words, fewer",                                 \
          "words only one has that are not common ones, smaller of the two", LESS(content))       \
    TRAIT(content_more, OVERLAP, "unshared content words, more",                                  \
          "words only one has that are not common ones, larger of the two", MORE(content))        \
    TRAIT(rarest_shared, OVERLAP, "rarest word of each shared",                                   \
          "of the rarest words of the two sentences, how many the other has too",                 \
          (double)(c->side[0].rarest_shared + c->side[1].rarest_shared))                          \
    TRAIT(runs, ORDER, "shared word pairs", "neighbouring words that are neighbours in both",     \
          (double)c->runs)                                                                        \
    TRAIT(run_share, ORDER, "share of word pairs shared",                                         \
          "shared neighbouring pairs over those of the longer sentence",                          \
          share((double)c->runs, MORE(words) - 1))                                                \
    TRAIT(run_rarity, ORDER, "rarity of shared word pairs",                                       \
          "summed rarity of neighbouring words shared as a pair", c->run_rarity)                  \
    TRAIT(common_more, ORDER, "common order, of the longer",                                      \
          "longest common sequence of words over the longer sentence",                            \
          share((double)c->common, MORE(words)))                                                  \
    TRAIT(common_less, ORDER, "common order, of the shorter",                                     \
          "longest common sequence of words over the shorter sentence",                           \
          share((double)c->common, LESS(words)))                                                  \
    TRAIT(longest_run, ORDER, "longest shared phrase", "most words in a row that both have",      \
          (double)c->longest_run)                                                                 \
    TRAIT(edits, ORDER, "edits", "words to insert, delete or replace to turn one into the other", \
          (double)c->edits)                                                                       \
    TRAIT(edit_share, ORDER, "share of words edited",                                             \
          "edits over the words of the longer sentence", share((double)c->edits, MORE(words)))    \
    TRAIT(out_of_order, ORDER, "rarity out of order",                                             \
          "rarity of shared words that stand in another order",                                   \
          c->shared_rarity - c->common_rarity)                                                    \
    TRAIT(prefix, ORDER, "same beginning", "words that are the same from the start",              \
          (double)c->prefix)                                                                      \
    TRAIT(suffix, ORDER, "same end", "words that are the same from the end", (double)c->suffix)   \
    TRAIT(inversions, ORDER, "swapped words", "pairs of shared words in opposite order",          \
          (double)c->inversions)                                                                  \
    TRAIT(inversion_share, ORDER, "share of swapped words",                                       \
          "pairs of shared words in opposite order, of all pairs",                                \
          share((double)c->inversions, pairs_of(c->shared)))                                      \
    TRAIT(last_alone_less, ORDER, "place of the last unshared word, earlier",                     \
          "where the last word only one has stands (1: at the end), smaller of the two",          \
          LESS(last_alone))                                                                       \
    TRAIT(last_alone_more, ORDER, "place of the last unshared word, later",                       \
          "where the last word only one has stands (1: at the end), larger of the two",           \
          MORE(last_alone))                                                                       \
    TRAIT(same_opening, QUESTION, "same first word", "1 when both begin with the same word",      \
          (double)(c->prefix > 0))                                                                \
    TRAIT(opening_low, QUESTION, "kind of opening, first",                                        \
          "which usual word (what, how, why, ...) opens one of them", LESS(opening))              \
    TRAIT(opening_high, QUESTION, "kind of opening, second",                                      \
          "which usual word (what, how, why, ...) opens the other", MORE(opening))                \
    TRAIT(asking, QUESTION, "question words that differ",                                         \
          "of what, how, why, which, who, when, where: how many only one has",                    \
          bits(c->side[0].asking ^ c->side[1].asking))                                            \
    TRAIT(last_shared, QUESTION, "last word of each shared",                                      \
          "of the two last words, how many the other sentence has too",                           \
          (double)(c->side[0].last_shared + c->side[1].last_shared))                              \
    TRAIT(numbers_less, NUMBERS, "numbers on both sides that differ",                             \
          "numbers only one has, smaller of the two counts", LESS(numbers))                       \
    TRAIT(numbers_more, NUMBERS, "numbers only one has",                                          \
          "numbers only one has, larger of the two counts", MORE(numbers))                        \
    TRAIT(shared_numbers, NUMBERS, "shared numbers", "numbers both have",                         \
          (double)c->shared_numbers)                                                              \
    TRAIT(negation, NEGATION, "negation on one side",                                             \
          "1 when only one sentence has not, no, never, without, ...",                            \
          (double)((c->side[0].negations > 0) != (c->side[1].negations > 0)))                     \
    TRAIT(names_less, NAMES, "names on both sides that differ",                                   \
          "capitalised words only one has, smaller of the two counts", LESS(names))               \
    TRAIT(names_more, NAMES, "names only one has",                                                \
          "capitalised words only one has, larger of the two counts", MORE(names))                \
    TRAIT(name_share, NAMES, "share of names shared",                                             \
          "capitalised words both have, of all; 1 without any",                                   \
          share_or_all((double)c->shared_names,                                                   \
                       (double)(c->shared_names + c->side[0].names + c->side[1].names)))          \
    TRAIT(shared_names, NAMES, "shared names", "capitalised words both have",                     \
          (double)c->shared_names)                                                                \
    TRAIT(acronyms, FORMS, "acronyms spelled out",                                                \
          "words that are the initials of words of the other sentence", (double)c->acronyms)      \
    TRAIT(compounds, FORMS, "words written together",                                             \
          "words that the other sentence writes as two", (double)c->compounds)                    \
    TRAIT(spelled_share, SPELLING, "share of rarity spelled alike",                               \
          "rarity that shared words and similar spelling explain, of all",                        \
          explained(c, c->side[0].unspelled + c->side[1].unspelled))                              \
    TRAIT(unspelled_less, SPELLING, "misspelled rest, lighter side",                              \
          "rarity of unshared words that no similarly spelled word explains, smaller of the two", \
          LESS(unspelled))                                                                        \
    TRAIT(unspelled_more, SPELLING, "misspelled rest, heavier side",                              \
          "rarity of unshared words that no similarly spelled word explains, larger of the two",  \
          MORE(unspelled))                                                                        \
    TRAIT(unspelled_most_less, SPELLING, "most misspelled word, lighter side",                    \
          "the unshared word that spelling explains least, smaller of the two",                   \
          LESS(unspelled_most))                                                                   \
    TRAIT(unspelled_most_more, SPELLING, "most misspelled word, heavier side",                    \
          "the unshared word that spelling explains least, larger of the two",                    \
          MORE(unspelled_most))                                                                   \
    TRAIT(spelled_best, SPELLING, "best spelled match",                                           \
          "the most similar spelling of two unshared words", c->spelled_best)                     \
    TRAIT(word_cosine, SIMILARITY, "similarity of words", "TF-IDF cosine of words",               \
          c->group[GROUP_WORD])                                                                   \
    TRAIT(char_cosine, SIMILARITY, "similarity of letters", "TF-IDF cosine of character n-grams", \
          c->group[GROUP_CHAR])                                                                   \
    TRAIT(cosine, MEANING, "similarity of vectors", "cosine of the two sentence vectors",         \
          c->similarity)                                                                          \
    TRAIT(distance, MEANING, "distance of vectors",                                               \
          "length of the difference of the two sentence vectors", c->distance)                    \
    TRAIT(vector_less, MEANING, "length of the shorter vector",                                   \
          "smaller length of the two sentence vectors", LESS(length))                             \
    TRAIT(vector_more, MEANING, "length of the longer vector",                                    \
          "larger length of the two sentence vectors", MORE(length))                              \
    TRAIT(like_share, MEANING, "share of rarity used alike",                                      \
          "rarity that shared words and similar use explain, of all",                             \
          explained(c, c->side[0].unlike + c->side[1].unlike))                                    \
    TRAIT(unlike_less, MEANING, "unexplained rest, lighter side",                                 \
          "rarity of unshared words that no word of similar use explains, smaller of the two",    \
          LESS(unlike))                                                                           \
    TRAIT(unlike_more, MEANING, "unexplained rest, heavier side",                                 \
          "rarity of unshared words that no word of similar use explains, larger of the two",     \
          MORE(unlike))                                                                           \
    TRAIT(unlike_most_less, MEANING, "least explained word, lighter side",                        \
          "the unshared word that similar use explains least, smaller of the two",                \
          LESS(unlike_most))                                                                      \
    TRAIT(unlike_most_more, MEANING, "least explained word, heavier side",                        \
          "the unshared word that similar use explains least, larger of the two",                 \
          MORE(unlike_most))                                                                      \
    TRAIT(like_best, MEANING, "best match of use", "the most similar use of two unshared words",  \
          c->like_best)                                                                           \
    TRAIT(rest_cosine, MEANING, "similarity of the rest",                                         \
          "cosine of what the unshared words of either side add up to", c->rest_similarity)       \
    TRAIT(rest_less, MEANING, "weight of the rest, lighter side",                                 \
          "length of what the unshared words add up to, smaller of the two", LESS(rest_length))   \
    TRAIT(rest_more, MEANING, "weight of the rest, heavier side",                                 \
          "length of what the unshared words add up to, larger of the two", MORE(rest_length))

#define FUNCTION(function, family, name, about, ...)   \
    static double function(const struct comparison *c) \
    {                                                  \
        return __VA_ARGS__;                            \
    }
TRAITS(FUNCTION)

#define ENTRY(function, family, name, about, ...) {name, about, FAMILY_##family, function},
static const struct trait traits[] = {TRAITS(ENTRY)};

enum { COUNT = sizeof traits / sizeof *traits };

#define FAMILY_TEXTS(family, name, title) {name, title},
static const struct {
    const char *name, *title;
} families[FAMILIES] = {FAMILY_LIST(FAMILY_TEXTS)};

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

void traits_measure(const struct comparison *comparison, float *out)
{
    for (size_t i = 0; i < COUNT; i++) out[i] = (float)traits[i].measure(comparison);
}
