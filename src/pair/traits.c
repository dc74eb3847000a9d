/* The table of traits: each is a named number computed from a comparison. Their weights are learned
 * elsewhere. */
#include "pair/traits.h"

#include <math.h>
#include <string.h>

/* The minimum and the maximum over the two sentences. */
#define LESS(field) smaller((double)c->side[0].field, (double)c->side[1].field)
#define MORE(field) larger_of((double)c->side[0].field, (double)c->side[1].field)

/* Without the care for NaN of fmin and fmax, which are calls. */
static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger_of(double a, double b)
{
    return a > b ? a : b;
}

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

/* TRAIT(id, family, name, about, value); C is the comparison. An id is stored in model files: it is
 * never changed and never used again for something else. A new trait goes to the end of its family
 * or anywhere else; models without it are refused by name. */
#define TRAITS(TRAIT)                                                                              \
    TRAIT(words_min, LENGTH, "number of words, shorter sentence",                                  \
          "number of words in the shorter sentence", LESS(words))                                  \
    TRAIT(words_max, LENGTH, "number of words, longer sentence",                                   \
          "number of words in the longer sentence", MORE(words))                                   \
    TRAIT(length_ratio, LENGTH, "length of the shorter relative to the longer",                    \
          "number of words in the shorter sentence divided by the number in the longer one",       \
          share(LESS(words), MORE(words)))                                                         \
    TRAIT(sentences_min, LENGTH, "sentences inside the text, fewer",                               \
          "full stops and question marks inside the text, smaller of the two counts", LESS(stops)) \
    TRAIT(sentences_max, LENGTH, "sentences inside the text, more",                                \
          "full stops and question marks inside the text, larger of the two counts", MORE(stops))  \
    TRAIT(words_log, LENGTH, "number of words, both sentences",                                    \
          "number of words in both sentences together, on a logarithmic scale",                    \
          log1p((double)(c->side[0].words + c->side[1].words)))                                    \
    TRAIT(rarity_mean, LENGTH, "average rarity of the words",                                      \
          "mean rarity of a word of the two sentences; a rare word has a high rarity",             \
          share(2 * c->shared_rarity + c->side[0].rarity + c->side[1].rarity,                      \
                (double)(2 * c->shared + c->side[0].alone + c->side[1].alone)))                    \
    TRAIT(question_mark_differs, QUESTION, "question mark in only one sentence",                   \
          "1 if only one of the two sentences has a question mark, otherwise 0",                   \
          (double)(c->side[0].question_mark != c->side[1].question_mark))                          \
    TRAIT(shared_words, OVERLAP, "number of shared words",                                         \
          "number of different words that both sentences have", (double)c->shared)                 \
    TRAIT(unshared_words_min, OVERLAP, "words only one sentence has, smaller side",                \
          "number of words that the other sentence does not have, smaller of the two",             \
          LESS(alone))                                                                             \
    TRAIT(unshared_words_max, OVERLAP, "words only one sentence has, larger side",                 \
          "number of words that the other sentence does not have, larger of the two", MORE(alone)) \
    TRAIT(words_jaccard, OVERLAP, "share of words in common",                                      \
          "shared words divided by all different words (Jaccard index)",                           \
          share((double)c->shared, (double)(c->shared + c->side[0].alone + c->side[1].alone)))     \
    TRAIT(shared_rarity, OVERLAP, "rarity of the shared words",                                    \
          "summed rarity of the words that both sentences have", c->shared_rarity)                 \
    TRAIT(unshared_rarity_min, OVERLAP, "rarity of unshared words, smaller side",                  \
          "summed rarity of the words that only one sentence has, smaller of the two",             \
          LESS(rarity))                                                                            \
    TRAIT(unshared_rarity_max, OVERLAP, "rarity of unshared words, larger side",                   \
          "summed rarity of the words that only one sentence has, larger of the two",              \
          MORE(rarity))                                                                            \
    TRAIT(rarity_jaccard, OVERLAP, "share of words in common, rare words count more",              \
          "rarity of the shared words divided by the rarity of all words",                         \
          share(c->shared_rarity, c->shared_rarity + c->side[0].rarity + c->side[1].rarity))       \
    TRAIT(coverage_min, OVERLAP, "part covered by the other sentence, smaller side",               \
          "share of a sentence's rarity that the other sentence has too, smaller of the two",      \
          fmin(covered(c, 0), covered(c, 1)))                                                      \
    TRAIT(coverage_max, OVERLAP, "part covered by the other sentence, larger side",                \
          "share of a sentence's rarity that the other sentence has too, larger of the two",       \
          fmax(covered(c, 0), covered(c, 1)))                                                      \
    TRAIT(sentence_coverage_min, OVERLAP, "least covered sentence inside the text",                \
          "share of a sentence's rarity that the other text has, lowest value of all sentences "   \
          "in both texts",                                                                         \
          LESS(least_covered))                                                                     \
    TRAIT(rarest_unshared_min, OVERLAP, "rarest unshared word, smaller side",                      \
          "rarity of the rarest word that only one sentence has, smaller of the two",              \
          LESS(rarest))                                                                            \
    TRAIT(rarest_unshared_max, OVERLAP, "rarest unshared word, larger side",                       \
          "rarity of the rarest word that only one sentence has, larger of the two", MORE(rarest)) \
    TRAIT(rarest_shared, OVERLAP, "rarest shared word",                                            \
          "rarity of the rarest word that both sentences have", c->shared_rarest)                  \
    TRAIT(unshared_content_min, OVERLAP, "unshared content words, smaller side",                   \
          "number of words that only one sentence has, without common words such as 'the', "       \
          "smaller of the two",                                                                    \
          LESS(content))                                                                           \
    TRAIT(unshared_content_max, OVERLAP, "unshared content words, larger side",                    \
          "number of words that only one sentence has, without common words such as 'the', "       \
          "larger of the two",                                                                     \
          MORE(content))                                                                           \
    TRAIT(rarest_words_shared, OVERLAP, "rarest word also in the other sentence",                  \
          "number of sentences, 0 to 2, whose rarest word is also in the other one",               \
          (double)(c->side[0].rarest_shared + c->side[1].rarest_shared))                           \
    TRAIT(shared_pairs, ORDER, "shared pairs of neighbouring words",                               \
          "number of word pairs that are neighbours in both sentences", (double)c->runs)           \
    TRAIT(shared_pairs_share, ORDER, "share of neighbouring words in common",                      \
          "shared pairs of neighbouring words divided by the pairs in the longer sentence",        \
          share((double)c->runs, MORE(words) - 1))                                                 \
    TRAIT(shared_pairs_rarity, ORDER, "rarity of shared pairs of neighbouring words",              \
          "summed rarity of the word pairs that are neighbours in both sentences", c->run_rarity)  \
    TRAIT(common_order_of_longer, ORDER, "words in the same order, share of the longer sentence",  \
          "longest common subsequence of words divided by the length of the longer sentence",      \
          share((double)c->common, MORE(words)))                                                   \
    TRAIT(common_order_of_shorter, ORDER,                                                          \
          "words in the same order, share of the shorter sentence",                                \
          "longest common subsequence of words divided by the length of the shorter sentence",     \
          share((double)c->common, LESS(words)))                                                   \
    TRAIT(shared_phrase_longest, ORDER, "longest shared phrase",                                   \
          "number of words in the longest phrase that both sentences have",                        \
          (double)c->longest_run)                                                                  \
    TRAIT(edits, ORDER, "words to change",                                                         \
          "number of words to insert, delete or replace to turn one sentence into the other",      \
          (double)c->edits)                                                                        \
    TRAIT(edits_share, ORDER, "share of words to change",                                          \
          "number of words to change divided by the number of words in the longer sentence",       \
          share((double)c->edits, MORE(words)))                                                    \
    TRAIT(out_of_order_rarity, ORDER, "rarity of shared words in a different order",               \
          "summed rarity of the shared words that are not in the same order",                      \
          c->shared_rarity - c->common_rarity)                                                     \
    TRAIT(same_beginning, ORDER, "number of same words at the beginning",                          \
          "number of words that are the same, counted from the start", (double)c->prefix)          \
    TRAIT(same_end, ORDER, "number of same words at the end",                                      \
          "number of words that are the same, counted from the end", (double)c->suffix)            \
    TRAIT(inversions, ORDER, "swapped words",                                                      \
          "number of pairs of shared words that are in the opposite order", (double)c->inversions) \
    TRAIT(inversions_share, ORDER, "share of swapped words",                                       \
          "pairs of shared words in the opposite order divided by all pairs of shared words",      \
          share((double)c->inversions, pairs_of(c->shared)))                                       \
    TRAIT(                                                                                         \
        last_unshared_place_min, ORDER, "position of the last unshared word, earlier",             \
        "position of the last word that only one sentence has (1 is the end), smaller of the two", \
        LESS(last_alone))                                                                          \
    TRAIT(                                                                                         \
        last_unshared_place_max, ORDER, "position of the last unshared word, later",               \
        "position of the last word that only one sentence has (1 is the end), larger of the two",  \
        MORE(last_alone))                                                                          \
    TRAIT(same_first_word, QUESTION, "same first word",                                            \
          "1 if both sentences begin with the same word, otherwise 0", (double)(c->prefix > 0))    \
    TRAIT(opening_min, QUESTION, "opening word, first in the list",                                \
          "which opening word (what, how, why, ...) one sentence begins with, smaller number in "  \
          "the list",                                                                              \
          LESS(opening))                                                                           \
    TRAIT(opening_max, QUESTION, "opening word, last in the list",                                 \
          "which opening word (what, how, why, ...) one sentence begins with, larger number in "   \
          "the list",                                                                              \
          MORE(opening))                                                                           \
    TRAIT(question_words_differ, QUESTION, "different question words",                             \
          "number of question words (what, how, why, which, who, when, where) that only one "      \
          "sentence has",                                                                          \
          bits(c->side[0].asking ^ c->side[1].asking))                                             \
    TRAIT(last_words_shared, QUESTION, "last word also in the other sentence",                     \
          "number of sentences, 0 to 2, whose last word is also in the other one",                 \
          (double)(c->side[0].last_shared + c->side[1].last_shared))                               \
    TRAIT(unshared_numbers_min, NUMBERS, "numbers that differ, smaller side",                      \
          "number of numbers that only one sentence has, smaller of the two", LESS(numbers))       \
    TRAIT(unshared_numbers_max, NUMBERS, "numbers that differ, larger side",                       \
          "number of numbers that only one sentence has, larger of the two", MORE(numbers))        \
    TRAIT(shared_numbers, NUMBERS, "shared numbers", "number of numbers that both sentences have", \
          (double)c->shared_numbers)                                                               \
    TRAIT(negation_differs, NEGATION, "negation in only one sentence",                             \
          "1 if only one sentence has a negation (not, no, never, without, ...), otherwise 0",     \
          (double)((c->side[0].negations > 0) != (c->side[1].negations > 0)))                      \
    TRAIT(unshared_names_min, NAMES, "names that differ, smaller side",                            \
          "number of capitalised words that only one sentence has, smaller of the two",            \
          LESS(names))                                                                             \
    TRAIT(unshared_names_max, NAMES, "names that differ, larger side",                             \
          "number of capitalised words that only one sentence has, larger of the two",             \
          MORE(names))                                                                             \
    TRAIT(shared_names_share, NAMES, "share of names in common",                                   \
          "shared capitalised words divided by all capitalised words; 1 if there are none",        \
          share_or_all((double)c->shared_names,                                                    \
                       (double)(c->shared_names + c->side[0].names + c->side[1].names)))           \
    TRAIT(shared_names, NAMES, "shared names",                                                     \
          "number of capitalised words that both sentences have", (double)c->shared_names)         \
    TRAIT(acronyms, FORMS, "acronyms spelled out in the other sentence",                           \
          "number of words that are the initials of words of the other sentence",                  \
          (double)c->acronyms)                                                                     \
    TRAIT(compounds, FORMS, "words written as two in the other sentence",                          \
          "number of words that the other sentence writes as two words", (double)c->compounds)     \
    TRAIT(opposites, NEGATION, "opposite words",                                                   \
          "number of words of one sentence whose opposite is in the other", (double)c->opposites)  \
    TRAIT(polarity_differs, NEGATION, "opposite polarity",                                         \
          "1 if negations and opposite words add up to an odd number, otherwise 0",                \
          (double)c->polarity)                                                                     \
    TRAIT(only_opposites, NEGATION, "an opposite word is the only difference",                     \
          "1 if the sentences differ in opposite words alone, otherwise 0",                        \
          (double)((c->only & ONLY_OPPOSITE) != 0))                                                \
    TRAIT(only_negation, NEGATION, "a negation is the only difference",                            \
          "1 if the sentences differ in a negation alone, otherwise 0",                            \
          (double)((c->only & ONLY_NEGATION) != 0))                                                \
    TRAIT(only_numbers, NUMBERS, "a number is the only difference",                                \
          "1 if the sentences differ in numbers, units or dates alone, otherwise 0",               \
          (double)((c->only & ONLY_NUMBER) != 0))                                                  \
    TRAIT(unshared_quantities_min, NUMBERS, "quantities that differ, smaller side",                \
          "number of quantities (numbers with units, dates) whose value the other sentence does "  \
          "not have, smaller of the two",                                                          \
          LESS(quantities))                                                                        \
    TRAIT(unshared_quantities_max, NUMBERS, "quantities that differ, larger side",                 \
          "number of quantities (numbers with units, dates) whose value the other sentence does "  \
          "not have, larger of the two",                                                           \
          MORE(quantities))                                                                        \
    TRAIT(shared_quantities, NUMBERS, "quantities of equal value",                                 \
          "number of quantities that both sentences have, by value", (double)c->shared_quantities) \
    TRAIT(rewritten_quantities, NUMBERS, "quantities of equal value in other words",               \
          "number of quantities of equal value that are written differently: 60 minutes, 1 hour",  \
          (double)c->rewritten_quantities)                                                         \
    TRAIT(unit_changes, NUMBERS, "same number with another unit",                                  \
          "number of numbers that have another unit in the other sentence: 5 mg, 5 g",             \
          (double)c->unit_changes)                                                                 \
    TRAIT(exchanged_roles, ORDER, "exchanged roles",                                               \
          "number of words (from, to, than, by, verbs) around which two others changed places",    \
          (double)c->exchanged)                                                                    \
    TRAIT(only_exchange, ORDER, "exchanged roles are the only difference",                         \
          "1 if two words or names changed places and all others did not, otherwise 0",            \
          (double)((c->only & ONLY_EXCHANGE) != 0))                                                \
    TRAIT(qualified_min, SCOPE, "restricting phrases, smaller side",                               \
          "summed rarity of words that only one sentence has, in phrases after a preposition (in " \
          "Italy, for children), smaller of the two",                                              \
          LESS(qualified))                                                                         \
    TRAIT(qualified_max, SCOPE, "restricting phrases, larger side",                                \
          "summed rarity of words that only one sentence has, in phrases after a preposition (in " \
          "Italy, for children), larger of the two",                                               \
          MORE(qualified))                                                                         \
    TRAIT(modified, SCOPE, "restricting words",                                                    \
          "summed rarity of words that only one sentence has before a shared word (electric car, " \
          "car), larger of the two",                                                               \
          MORE(modified))                                                                          \
    TRAIT(owners, SCOPE, "owners only one sentence has",                                           \
          "number of words with a possessive s that only one sentence has (my child's passport, "  \
          "my passport), larger of the two",                                                       \
          MORE(owners))                                                                            \
    TRAIT(limits_added, SCOPE, "quantifiers only one sentence has",                                \
          "number of words such as all, some, only, first, before that only one sentence has",     \
          (double)c->limits_added)                                                                 \
    TRAIT(limits_changed, SCOPE, "quantifiers that differ",                                        \
          "number of kinds of such words for which the sentences have different ones: all, some",  \
          (double)c->limits_changed)                                                               \
    TRAIT(synonyms, FORMS, "synonyms and word forms",                                              \
          "number of words with a synonym or another form in the other sentence",                  \
          (double)c->synonyms)                                                                     \
    TRAIT(coordinates, FORMS, "different words of one kind",                                       \
          "number of words with another word of the same kind in the other sentence: Leeds, Lyon", \
          (double)c->coordinates)                                                                  \
    TRAIT(known_share, FORMS, "share of words with a synonym or form",                             \
          "share of all rarity that shared words, synonyms and word forms explain",                \
          explained(c, c->side[0].unknown + c->side[1].unknown))                                   \
    TRAIT(known_rest_min, FORMS, "words without a synonym, smaller side",                          \
          "rarity of the unshared words without a synonym or form, smaller of the two",            \
          LESS(unknown))                                                                           \
    TRAIT(known_rest_max, FORMS, "words without a synonym, larger side",                           \
          "rarity of the unshared words without a synonym or form, larger of the two",             \
          MORE(unknown))                                                                           \
    TRAIT(known_worst_min, FORMS, "rarest word without a synonym, smaller side",                   \
          "rarity of the rarest unshared word without a synonym or form, smaller of the two",      \
          LESS(unknown_most))                                                                      \
    TRAIT(known_worst_max, FORMS, "rarest word without a synonym, larger side",                    \
          "rarity of the rarest unshared word without a synonym or form, larger of the two",       \
          MORE(unknown_most))                                                                      \
    TRAIT(spelling_share, SPELLING, "share of words with the same or a similar spelling",          \
          "share of all rarity that shared words and similarly spelled words explain",             \
          explained(c, c->side[0].unspelled + c->side[1].unspelled))                               \
    TRAIT(spelling_rest_min, SPELLING, "unexplained spelling, smaller side",                       \
          "rarity of the unshared words without a similarly spelled word, smaller of the two",     \
          LESS(unspelled))                                                                         \
    TRAIT(spelling_rest_max, SPELLING, "unexplained spelling, larger side",                        \
          "rarity of the unshared words without a similarly spelled word, larger of the two",      \
          MORE(unspelled))                                                                         \
    TRAIT(spelling_worst_min, SPELLING, "word with the least similar spelling, smaller side",      \
          "unexplained rarity of the unshared word that spelling explains least, smaller of the "  \
          "two",                                                                                   \
          LESS(unspelled_most))                                                                    \
    TRAIT(                                                                                         \
        spelling_worst_max, SPELLING, "word with the least similar spelling, larger side",         \
        "unexplained rarity of the unshared word that spelling explains least, larger of the two", \
        MORE(unspelled_most))                                                                      \
    TRAIT(spelling_best, SPELLING, "most similar spelling of two words",                           \
          "highest spelling similarity of two unshared words", c->spelled_best)                    \
    TRAIT(word_cosine, SIMILARITY, "similarity of the words", "TF-IDF cosine of the words",        \
          c->group[GROUP_WORD])                                                                    \
    TRAIT(char_cosine, SIMILARITY, "similarity of the letters",                                    \
          "TF-IDF cosine of the character n-grams", c->group[GROUP_CHAR])                          \
    TRAIT(vector_cosine, MEANING, "similarity of the meaning",                                     \
          "cosine of the two sentence vectors", c->similarity)                                     \
    TRAIT(vector_distance, MEANING, "distance of the meaning",                                     \
          "Euclidean distance of the two sentence vectors", c->distance)                           \
    TRAIT(vector_length_min, MEANING, "strength of the meaning, smaller side",                     \
          "length of the sentence vector, smaller of the two", LESS(length))                       \
    TRAIT(vector_length_max, MEANING, "strength of the meaning, larger side",                      \
          "length of the sentence vector, larger of the two", MORE(length))                        \
    TRAIT(usage_share, MEANING, "share of words with the same or a similar use",                   \
          "share of all rarity that shared words and words of similar use explain",                \
          explained(c, c->side[0].unlike + c->side[1].unlike))                                     \
    TRAIT(usage_rest_min, MEANING, "unexplained meaning, smaller side",                            \
          "rarity of the unshared words without a word of similar use, smaller of the two",        \
          LESS(unlike))                                                                            \
    TRAIT(usage_rest_max, MEANING, "unexplained meaning, larger side",                             \
          "rarity of the unshared words without a word of similar use, larger of the two",         \
          MORE(unlike))                                                                            \
    TRAIT(usage_worst_min, MEANING, "word with the least similar use, smaller side",               \
          "unexplained rarity of the unshared word that similar use explains least, smaller of "   \
          "the two",                                                                               \
          LESS(unlike_most))                                                                       \
    TRAIT(usage_worst_max, MEANING, "word with the least similar use, larger side",                \
          "unexplained rarity of the unshared word that similar use explains least, larger of "    \
          "the two",                                                                               \
          MORE(unlike_most))                                                                       \
    TRAIT(usage_best, MEANING, "most similar use of two words",                                    \
          "highest similarity of use of two unshared words", c->like_best)                         \
    TRAIT(rest_cosine, MEANING, "similarity of the unshared words",                                \
          "cosine of the summed vectors of the unshared words of both sides", c->rest_similarity)  \
    TRAIT(rest_length_min, MEANING, "strength of the unshared words, smaller side",                \
          "length of the summed vectors of the unshared words, smaller of the two",                \
          LESS(rest_length))                                                                       \
    TRAIT(rest_length_max, MEANING, "strength of the unshared words, larger side",                 \
          "length of the summed vectors of the unshared words, larger of the two",                 \
          MORE(rest_length))

#define FUNCTION(id, family, name, about, ...)             \
    static double measure_##id(const struct comparison *c) \
    {                                                      \
        return __VA_ARGS__;                                \
    }
TRAITS(FUNCTION)

#define ENTRY(id, family, name, about, ...) {#id, name, about, FAMILY_##family, measure_##id, NULL},
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

const char *trait_family(const struct trait *trait)
{
    return trait->field ? trait->field : family_name(trait->family);
}

int family_named(const char *name)
{
    int family = 0;
    while (family < FAMILIES && (!name || strcmp(families[family].name, name) != 0)) family++;
    return family;
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
    /* Without calls: the table's functions are known here. */
#define MEASURE(id, family, name, about, ...) *out++ = (float)measure_##id(comparison);
    TRAITS(MEASURE)
}
