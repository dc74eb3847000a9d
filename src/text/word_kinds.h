/* What a word is, by its letters alone: a number, a negation, a question word, an article. The
 * lists are short and of the most likely languages; words of other languages have no kind. */
#ifndef TEXT_WORD_KINDS_H
#define TEXT_WORD_KINDS_H

#include "film_types.h"

enum {
    WORD_NUMBER = 1,      /* has a digit */
    WORD_NEGATION = 2,    /* not, no, never, without, ... */
    WORD_QUESTION = 4,    /* what, how, why, ... */
    WORD_NAME = 8,        /* capitalised, though not at the start: not seen by word_kinds */
    WORD_FLAGS = 15,      /* all of the above */
    WORD_SMALL = 16,      /* articles, possessives and auxiliaries: they have no role */
    WORD_PRONOUN = 32,    /* i, you, me, it */
    WORD_DIRECTED = 64,   /* the next word has a role of its own: from, to */
    WORD_SYMMETRIC = 128, /* the words around it have the same role: and, or */
    WORD_MUTUAL = 256,    /* sentences about it mean the same in both directions: distance */
    WORD_ASKING = 512,    /* question words without a role */
    WORD_DOING = 1024,    /* do, does, did */
    WORD_BEING = 2048,    /* is, are, was, ... */
    WORD_ARTICLE = 4096,  /* a, the, my, ... */
    WORD_WHOSE = 8192,    /* who, whom, which, what */
    WORD_BY = 16384       /* by */
};

/* Returns the kinds of a folded word, and the two numbers below. */
unsigned word_kinds(film_text word);

enum { WORD_PERSON_SHIFT = 16, WORD_PERSON_MASK = 7, WORD_OPENING_SHIFT = 20, WORD_OPENINGS = 31 };

/* The number of a person: I and me have one, who and whom another; 0: none. */
static inline unsigned word_person(unsigned kinds)
{
    return kinds >> WORD_PERSON_SHIFT & WORD_PERSON_MASK;
}

/* The number of a usual first word of a question, question words first; 0: another word. */
static inline unsigned word_opening(unsigned kinds)
{
    return kinds >> WORD_OPENING_SHIFT & WORD_OPENINGS;
}

#endif
