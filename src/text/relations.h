/* What is known about words: which mean the same, which are opposites, which belong together.
 *
 * A table of relations is compiled from WordNet (tools/wordnet_table.c), read from a user's own
 * file (relations_read), or stored in a model. It is plain arrays that can be mapped from a file:
 * the words, the links of each word, and the class of each word (words of one class are coordinate
 * terms: Leeds and Lyon are cities). Words are folded (text/fold.h); phrases have single spaces. A
 * lookup tries a word's base forms too: "allows" finds the links of "allow", "rose" those of
 * "rise". */
#ifndef TEXT_RELATIONS_H
#define TEXT_RELATIONS_H

#include "base/strtab.h"

/* How the second word relates to the first. The values are stored in files. */
enum relation {
    RELATION_NONE = 0,
    RELATION_SYNONYM,
    RELATION_OPPOSITE,
    RELATION_FORM,       /* another form of the same word: decide, decision */
    RELATION_SIMILAR,    /* an adjective near in meaning */
    RELATION_ONE_WAY,    /* the first may be replaced by the second */
    RELATION_BASE,       /* the first is an irregular form of the second: rose, rise */
    RELATION_COORDINATE, /* of one class; never stored as a link */
    RELATIONS
};

enum { RELATIONS_LONGEST = 64 }; /* bytes of a word or phrase; longer ones are in no table */

/* An immutable table. */
struct relations {
    struct strtab words;
    /* By word, words.count + 1: its links are links[offsets[w] .. offsets[w + 1]). */
    const uint32_t *offsets;
    /* relation << 29 | word, rising */
    const uint32_t *links;
    const uint32_t *classes; /* by word; 0: none */
    uint32_t *own;           /* offsets, links, classes, when built here; NULL when mapped */
};

/* A table under construction. */
struct relations_builder {
    struct strtab words;
    uint64_t *pairs; /* from << 32 | link */
    uint32_t *classes;
    size_t count, capacity, class_capacity;
};

film_status relations_builder_init(struct relations_builder *builder, film_error *error);
void relations_builder_free(struct relations_builder *builder);

/* Adds a relation. SYNONYM, OPPOSITE, FORM and SIMILAR hold in both directions. */
film_status relations_add(struct relations_builder *builder, film_text a, film_text b,
                          enum relation relation, film_error *error);
/* Sets the class of a word that has none yet; CLASS is not 0. */
film_status relations_add_class(struct relations_builder *builder, film_text word, uint32_t class,
                                film_error *error);

/* Adds what TABLE knows: all opposites, the other relations of words with WANTED[word], and the
 * classes of these words. */
film_status relations_add_table(struct relations_builder *builder, const struct relations *table,
                                const unsigned char *wanted, film_error *error);

/* Moves the contents of BUILDER, which becomes empty, to RELATIONS. */
film_status relations_build(struct relations_builder *builder, struct relations *relations,
                            film_error *error);
void relations_free(struct relations *relations);

/* Arrays of a file, to check and use in place: the words as in strtab_open. NAME is for
 * messages. */
struct relations_arrays {
    film_text bytes, lengths;
    const uint32_t *offsets, *links, *classes;
    uint64_t offset_count, link_count, class_count;
};
film_status relations_map(struct relations *relations, const struct relations_arrays *arrays,
                          const char *name, film_error *error);

/* A word as the table knows it: its id and those of its base forms. */
enum { RELATIONS_FORMS = 6 };
struct relations_word {
    film_text text;
    uint32_t id[RELATIONS_FORMS];
    size_t count;
    /* A bit per id, per linked word and class: two words may be related only where the bits of one
     * meet those of the other. */
    uint64_t own[4], near[4];
};

/* Looks a word or phrase up, for several comparisons. TEXT must outlive the result. */
struct relations_word relations_word(const struct relations *relations, film_text text);

/* Returns 0 where A has no link to B, and is not in its class. */
static inline int relations_reach(const struct relations_word *a, const struct relations_word *b)
{
    uint64_t meet = 0;
    for (int i = 0; i < 4; i++) meet |= a->near[i] & b->own[i];
    return meet != 0;
}

static inline int relations_meet(const struct relations_word *a, const struct relations_word *b)
{
    uint64_t meet[4];
    for (int i = 0; i < 4; i++) meet[i] = (a->near[i] & b->own[i]) | (b->near[i] & a->own[i]);
    return (meet[0] | meet[1] | meet[2] | meet[3]) != 0;
}

/* Returns 0 where relations_between will find none. A negated word is 2 to 4 letters longer than
 * the other one and begins with un or non. */
static inline int relations_may(const struct relations_word *a, const struct relations_word *b)
{
    size_t more = a->text.length > b->text.length ? a->text.length - b->text.length
                                                  : b->text.length - a->text.length;
    const char *longer = a->text.length > b->text.length ? a->text.bytes : b->text.bytes;
    return relations_meet(a, b) || (more >= 2 && more <= 4 && (*longer == 'u' || *longer == 'n'));
}

/* Returns the strongest relation of two words or phrases: opposite, synonym, form, one way (in
 * either direction), similar, coordinate, none. */
enum relation relations_between(const struct relations *relations, const struct relations_word *a,
                                const struct relations_word *b);

/* The same for texts. RELATIONS may be NULL or empty. */
enum relation relations_of(const struct relations *relations, film_text a, film_text b);

/* Fills OUT with at most MOST words that have RELATION to WORD itself (base forms are not tried).
 * Returns their number. The texts belong to RELATIONS. */
size_t relations_list(const struct relations *relations, film_text word, enum relation relation,
                      film_text *out, size_t most);

#endif
