/* Minimal edits of a sentence with a known effect on its meaning, as training examples of near
 * misses: people rarely label "turn on" beside "turn off", but that is what they type first. */
#ifndef LEARN_EDITS_H
#define LEARN_EDITS_H

#include "base/rng.h"
#include "text/relations.h"

enum edit_kind {
    /* These change the meaning. */
    EDIT_OPPOSITE,  /* a word becomes its opposite */
    EDIT_NEGATION,  /* "not" is added or removed */
    EDIT_NUMBER,    /* a digit of a number, a unit or a date changes */
    EDIT_EXCHANGE,  /* two words around a directed word, or two names, change places */
    EDIT_NAME,      /* a name becomes a name of another sentence */
    EDIT_QUALIFIER, /* the end of another sentence is added: "in Italy" */
    EDIT_MODIFIER,  /* a word of another sentence is added before a word: "electric" car */
    EDIT_LIMIT,     /* all becomes some, "only" is added */
    EDIT_QUESTION,  /* how becomes why, when becomes where */
    /* These keep it. */
    EDIT_SYNONYM, /* a synonym, or another form of the word */
    EDIT_TYPO,
    EDIT_POLITE,      /* please, could you tell me */
    EDIT_CONTRACTION, /* what is, what's */
    EDIT_PLAIN,       /* lower case, without punctuation and articles */
    EDIT_WRITTEN,     /* 7 becomes seven, 1,000 becomes 1000 */
    EDIT_DOUBLE,      /* "safe" becomes "not dangerous" */
    EDIT_ORDER,       /* "A and B" becomes "B and A" */
    EDIT_KINDS
};

enum { EDIT_ROOM = 400 }; /* bytes of an edited sentence */

/* Whether the edited sentence means the same. */
static inline int edit_keeps_meaning(enum edit_kind kind)
{
    return kind >= EDIT_SYNONYM;
}

/* Edits TEXT into OUT (EDIT_ROOM bytes); OTHER is a sentence to borrow words from. Returns the
 * length, or 0 where this kind of edit does not apply. */
size_t edit_make(enum edit_kind kind, struct rng *rng, const struct relations *relations,
                 film_text text, film_text other, char *out);

#endif
