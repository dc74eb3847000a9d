/* Labelled files in memory: every distinct sentence once, rows as sentence ids. */
#ifndef LEARN_CORPUS_H
#define LEARN_CORPUS_H

#include "base/strtab.h"
#include "film_io.h"

struct corpus {
    film_labels labels;      /* the meaning of the rows; never FILM_LABELS_AUTO */
    struct strtab sentences; /* distinct, in order of appearance */
    size_t rows;
    uint32_t *a, *b, *c; /* sentence ids; STRTAB_NONE where a row has none */
    float *label;        /* 0 or 1, a score, or NaN */
    struct strtab categories;
    uint32_t *category;
    size_t a_capacity, b_capacity, c_capacity, label_capacity, category_capacity;
    uint64_t skipped; /* bad rows */
    size_t plain;     /* sentences beside the rows were read: corpus_add_plain */
    size_t records;   /* texts are records with fields (text/record_text.h) */
};

/* Initialises an empty corpus; adds a row to it and copies its sentences. */
film_status corpus_init(struct corpus *corpus, film_labels labels, film_error *error);
film_status corpus_add(struct corpus *corpus, const film_row *row, film_error *error);

/* Reserves space for ROWS rows. Returns 0 when out of memory. */
int corpus_reserve(struct corpus *corpus, size_t rows);

/* Adds the sentences of a row, but no row: they count for vocabulary, rarity and vectors. */
film_status corpus_add_plain(struct corpus *corpus, const film_row *row, film_error *error);

/* Sets the kind of labels of a corpus without labels. Its sentences stay, its rows do not. */
void corpus_begin_labels(struct corpus *corpus, film_labels labels);

/* Reads files with the same kind of labels, one after the other. Of files without labels beside
 * them the sentences are kept. */
film_status corpus_read(struct corpus *corpus, const char *const *paths, size_t count,
                        const film_table_options *options, const film_progress *progress,
                        film_error *error);

/* USED[id] = 1 for the sentences of rows, otherwise 0. */
void corpus_mark_used(const struct corpus *corpus, unsigned char *used);

/* OUT = the rows of FROM with PART[row] == WANTED, and their sentences. Part 0 also gets the
 * sentences of no row. */
film_status corpus_select(const struct corpus *from, const unsigned char *part,
                          unsigned char wanted, struct corpus *out, film_error *error);
void corpus_free(struct corpus *corpus);

#endif
