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

/* Reasons that belong together: FAMILY(number, id, name, title). The id is for programs and never
 * changes; the title can be read by anybody and may. Every trait is in one of them; the black box,
 * memory and identity are families by themselves. */
#define FAMILY_LIST(FAMILY)                                                         \
    FAMILY(LENGTH, length, "length", "Length of the sentences")                     \
    FAMILY(OVERLAP, overlap, "overlap", "Words in common")                          \
    FAMILY(ORDER, order, "order", "Shared phrases and word order")                  \
    FAMILY(QUESTION, question, "question", "Type of question")                      \
    FAMILY(NUMBERS, numbers, "numbers", "Numbers and dates")                        \
    FAMILY(NEGATION, negation, "negation", "Negation in only one sentence")         \
    FAMILY(NAMES, names, "names", "Names")                                          \
    FAMILY(FORMS, forms, "forms", "Abbreviations and compound words")               \
    FAMILY(SPELLING, spelling, "spelling", "Similar spelling")                      \
    FAMILY(SIMILARITY, similarity, "similarity", "Similar wording")                 \
    FAMILY(MEANING, meaning, "meaning", "Similar meaning")                          \
    FAMILY(BLACK_BOX, black_box, "black box", "A network that cannot be explained") \
    FAMILY(MEMORY, memory, "memory", "Known from training")                         \
    FAMILY(IDENTITY, identity, "identity", "Identical sentences")

#define FAMILY_NUMBER(family, id, name, title) FAMILY_##family,
enum family { FAMILY_LIST(FAMILY_NUMBER) FAMILIES };

const char *family_id(enum family family);
const char *family_name(enum family family);
const char *family_title(enum family family);

struct trait {
    const char *id;    /* "unshared_numbers_max": what models store and JSON sends; never changes */
    const char *name;  /* "numbers only one has": also how a reason is called */
    const char *about; /* one line for a user */
    enum family family;
    double (*measure)(const struct comparison *comparison);
};

/* Does it depend on what was learned from labels (the map)? */
int trait_is_learned(const struct trait *trait);

/* All traits, in the order in which this program measures them. A model file may have others, and
 * in another order: model/trait_columns.h finds them by their ids. */
size_t traits_count(void);
const struct trait *trait_at(size_t number);

/* The number of the trait with that id, or TRAIT_NONE. */
#define TRAIT_NONE SIZE_MAX
size_t trait_find(const char *id);

/* OUT[number] for all of them; finite always. */
void traits_measure(const struct comparison *comparison, float *out);

#endif
