/* Statistics of a labelled file: counts, contradictions, and leaks between two files. */
#ifndef REPORT_FILE_STATS_H
#define REPORT_FILE_STATS_H

#include "report/audit.h"
#include "report/parts.h"
#include "learn/questions.h"

/* A pair, identified by the numbers of its questions, the smaller first. */
struct pair_entry {
    uint64_t key;  /* smaller << 32 | larger */
    uint32_t pair; /* in the file */
    unsigned char same;
};

enum { FILE_STATS_SHOWN = 10 };

/* Why a label contradicts others. */
enum file_stats_odd { FILE_STATS_BOTH_LABELS, FILE_STATS_CONNECTED, FILE_STATS_IDENTICAL };

struct file_stats {
    const char *name;
    const struct corpus *corpus;
    struct labelled pairs;     /* sentence ids */
    uint32_t *number;          /* question number of each sentence */
    uint32_t *a, *b;           /* question numbers of the pairs */
    struct pair_entry *sorted; /* pairs sorted by key; only pairs labelled 0 or 1 */
    size_t count;              /* pairs */
    uint32_t sentences;        /* distinct sentences; these are the first ones of the corpus */
    size_t same;               /* pairs labelled the same */
    size_t repeated;           /* repeated pairs: rows after the first of each */
    size_t contradicting;      /* distinct pairs with both labels */
    size_t connected;          /* pairs labelled different, connected by a chain of "same" pairs */
    size_t identical;          /* pairs with identical words labelled different */
    size_t split;              /* sentences with more than one category */
    uint32_t odd[FILE_STATS_SHOWN]; /* the first contradicting pairs, to show */
    enum file_stats_odd odd_kind[FILE_STATS_SHOWN];
    size_t odd_count;
};

/* Computes the statistics of CORPUS. NUMBERS assigns each question a number that is the same in all
 * files; sentences with the same words are one question. */
film_status file_stats_make(struct file_stats *stats, const char *name, const struct corpus *corpus,
                            uint32_t sentences, struct questions *numbers,
                            const film_progress *progress, film_error *error);
void file_stats_free(struct file_stats *stats);

/* The categories of a corpus, the largest first; free *SIZES with mem_free. */
struct category_size {
    uint32_t category;
    size_t rows;
};
film_status categories_by_size(const struct corpus *corpus, struct category_size **sizes,
                               film_error *error);

/* The overlap of a file with another, such as the training file. */
struct leaks {
    size_t sentences;    /* sentences of the file that are in the other */
    size_t either, both; /* pairs with at least one, with two questions of the other file */
    size_t pair;         /* pairs that are in the other file */
    size_t opposed;      /* ... with the opposite label */
    /* Pairs without a question of the other file, and the correct decisions among them. */
    size_t clean, clean_right;
};
/* SAME: the decision on each pair; NULL: none. */
film_status leaks_find(struct leaks *leaks, const struct file_stats *file,
                       const struct file_stats *other, uint32_t questions,
                       const unsigned char *same, film_error *error);

#endif
