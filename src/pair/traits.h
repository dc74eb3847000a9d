/* Traits: named numeric features of a pair, computed from a comparison.
 *
 * Each trait is a function with a line that explains it. The boosted trees read them in this order.
 * No trait depends on the order of the sentences: a property of one sentence enters as the minimum
 * and the maximum of both. Word evidence is not a trait. It is the margin that the trees start
 * from; adding it as a trait made unseen pairs worse (84.0 against 84.4 % on Quora). */
#ifndef PAIR_TRAITS_H
#define PAIR_TRAITS_H

#include "pair/comparison.h"

/* Families of reasons: FAMILY(number, id, name, title). The id is for programs and never changes;
 * the title is for users and may change. Every trait belongs to one family. The black box, the
 * start model, memory and identity are families of their own. */
#define FAMILY_LIST(FAMILY)                                                         \
    FAMILY(LENGTH, length, "length", "Length of the sentences")                     \
    FAMILY(OVERLAP, overlap, "overlap", "Words in common")                          \
    FAMILY(ORDER, order, "order", "Shared phrases and word order")                  \
    FAMILY(QUESTION, question, "question", "Type of question")                      \
    FAMILY(NUMBERS, numbers, "numbers", "Numbers and dates")                        \
    FAMILY(NEGATION, negation, "negation", "Negation in only one sentence")         \
    FAMILY(SCOPE, scope, "scope", "Restrictions and quantifiers")                   \
    FAMILY(NAMES, names, "names", "Names")                                          \
    FAMILY(FORMS, forms, "forms", "Abbreviations and compound words")               \
    FAMILY(SPELLING, spelling, "spelling", "Similar spelling")                      \
    FAMILY(SIMILARITY, similarity, "similarity", "Similar wording")                 \
    FAMILY(MEANING, meaning, "meaning", "Similar meaning")                          \
    FAMILY(FIELDS, fields, "fields", "Fields of the records")                       \
    FAMILY(CODES, codes, "codes", "Model numbers and measurements")                 \
    FAMILY(BLACK_BOX, black_box, "black box", "A network that cannot be explained") \
    FAMILY(START, start, "start model", "The model that training began from")       \
    FAMILY(MEMORY, memory, "memory", "Known from training")                         \
    FAMILY(IDENTITY, identity, "identity", "Identical sentences")

#define FAMILY_NUMBER(family, id, name, title) FAMILY_##family,
enum family { FAMILY_LIST(FAMILY_NUMBER) FAMILIES };

const char *family_id(enum family family);
const char *family_name(enum family family);
const char *family_title(enum family family);

/* Returns the family with this name, or FAMILIES. NAME may be NULL. */
int family_named(const char *name);

struct trait {
    const char *id;    /* "unshared_numbers_max": in model files and JSON; never changes */
    const char *name;  /* "numbers only one has": also the name of its reason */
    const char *about; /* one line for a user */
    enum family family;
    double (*measure)(const struct comparison *comparison); /* NULL for traits of records */
    /* "field title" for a trait of one field (pair/record_fields.h); NULL: of the whole text. */
    const char *field;
};

/* The family of the trait's reasons: its field, where it belongs to one. */
const char *trait_family(const struct trait *trait);

/* Returns whether the trait depends on what was learned from labels (the map). */
int trait_is_learned(const struct trait *trait);

/* All traits of sentences, in the order of this program. Records have more
 * (pair/record_fields.h). A model file may have other traits in another order:
 * model/trait_columns.h finds them by id. */
size_t traits_count(void);
const struct trait *trait_at(size_t number);

/* Returns the number of the trait with this id, or TRAIT_NONE. */
#define TRAIT_NONE SIZE_MAX
size_t trait_find(const char *id);

/* Computes OUT[number] of all traits; the values are always finite. */
void traits_measure(const struct comparison *comparison, float *out);

#endif
