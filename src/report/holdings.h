/* What a labelled file holds, and what is wrong with it. */
#ifndef REPORT_HOLDINGS_H
#define REPORT_HOLDINGS_H

#include "report/audit.h"
#include "report/parts.h"
#include "learn/questions.h"

/* A pair by the numbers of its questions, the smaller first. */
struct holding {
    uint64_t key;  /* smaller << 32 | larger */
    uint32_t pair; /* in the file */
    unsigned char same;
};

enum { HOLDINGS_SHOWN = 10 };

struct holdings {
    const char *name;
    const struct corpus *corpus;
    struct labelled pairs;  /* sentence ids */
    uint32_t *number;       /* of each sentence's question */
    uint32_t *a, *b;        /* those of the pairs */
    struct holding *sorted; /* pairs by key; of pairs labelled 0 or 1 alone */
    size_t count;           /* of pairs */
    uint32_t sentences;     /* distinct ones: the first so many of the corpus are the file's own */
    size_t same;            /* labelled so */
    size_t repeated; /* pairs that stand in the file more than once: the rows beyond the first */
    size_t contradicting; /* distinct pairs with both labels */
    size_t connected;     /* pairs labelled different whose questions a chain of "same" connects */
    size_t identical;     /* pairs of the same words labelled different */
    size_t split;         /* categories: sentences under more than one */
    uint32_t odd[HOLDINGS_SHOWN]; /* pairs behind these counts, to show: the first of them */
    size_t odd_count;
};

/* NUMBERS gives each question a number, the same in every file; two sentences of the same words are
 * one question. */
film_status holdings_make(struct holdings *holdings, const char *name, const struct corpus *corpus,
                          uint32_t sentences, struct questions *numbers,
                          const film_progress *progress, film_error *error);
void holdings_free(struct holdings *holdings);

/* How much of one file another knows already. */
struct leaks {
    size_t sentences;    /* of the file that the other has */
    size_t either, both; /* pairs with a question, with both questions of the other file */
    size_t pair;         /* that stand in it as they are */
    size_t opposed;      /* of these, with the other label */
};
film_status leaks_find(struct leaks *leaks, const struct holdings *file,
                       const struct holdings *other, uint32_t questions, film_error *error);

#endif
