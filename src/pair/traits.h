/* Traits: named numbers that say something about a pair, read off a comparison.
 *
 * Each is a function of its own with a line that says what it means; the boosted trees read them in
 * this order. None depends on which sentence comes first: what belongs to one sentence enters as
 * the smaller and the larger of the two. What word evidence says is not among them: it is the
 * margin the trees start from, and given to them once more it made unseen pairs worse (84.0 against
 * 84.4 % on Quora). */
#ifndef PAIR_TRAITS_H
#define PAIR_TRAITS_H

#include "pair/comparison.h"

/* Reasons that belong together, each with a title anybody can read. Every trait is in one of them;
 * the black box, memory and identity are families by themselves. */
#define FAMILY_LIST(FAMILY)                                              \
    FAMILY(LENGTH, "length", "Length")                                   \
    FAMILY(OVERLAP, "overlap", "Words in common")                        \
    FAMILY(ORDER, "order", "Order of the words")                         \
    FAMILY(QUESTION, "question", "Kind of question")                     \
    FAMILY(NUMBERS, "numbers", "Numbers and dates")                      \
    FAMILY(NEGATION, "negation", "Negation")                             \
    FAMILY(NAMES, "names", "Names")                                      \
    FAMILY(FORMS, "forms", "Short forms and compounds")                  \
    FAMILY(SPELLING, "spelling", "Spelling")                             \
    FAMILY(SIMILARITY, "similarity", "Similarity of wording")            \
    FAMILY(MEANING, "meaning", "Similarity of meaning")                  \
    FAMILY(BLACK_BOX, "black box", "A network that cannot be explained") \
    FAMILY(MEMORY, "memory", "Known from training")                      \
    FAMILY(IDENTITY, "identity", "Identical sentences")

#define FAMILY_NUMBER(family, name, title) FAMILY_##family,
enum family { FAMILY_LIST(FAMILY_NUMBER) FAMILIES };

const char *family_name(enum family family);
const char *family_title(enum family family);

struct trait {
    const char *name;  /* "numbers only one has": also how a reason is called */
    const char *about; /* one line for a user */
    enum family family;
    double (*measure)(const struct comparison *comparison);
};

/* Does it depend on what was learned from labels (the map)? */
int trait_is_learned(const struct trait *trait);

/* All traits, in the order in which models store them. */
size_t traits_count(void);
const struct trait *trait_at(size_t number);

/* OUT[number] for all of them; finite always. */
void traits_measure(const struct comparison *comparison, float *out);

#endif
