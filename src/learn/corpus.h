/* Labelled files in memory: every distinct sentence once, rows as ids. */
#ifndef LEARN_CORPUS_H
#define LEARN_CORPUS_H

#include "base/comm.h"
#include "base/strtab.h"
#include "film_io.h"

struct corpus {
    film_labels labels; /* what the rows mean; never FILM_LABELS_AUTO */
    struct strtab
        sentences; /* distinct, in order of appearance; of a shared corpus (corpus_share.h)
                              * those this process owns */
    const struct comm *comm; /* comm_single unless shared */
    size_t *starts; /* shared: process p owns the numbers starts[p] .. starts[p + 1]; else NULL */
    size_t rows;
    uint32_t *a, *b, *c; /* sentence numbers; STRTAB_NONE where a row has none */
    float *label;        /* 0 or 1, a score, or NaN */
    struct strtab categories;
    uint32_t *category;
    size_t a_capacity, b_capacity, c_capacity, label_capacity, category_capacity;
    uint64_t skipped; /* bad rows passed over */
};

/* Sentences of all processes; the number of this process's first; whose a number is. */
static inline size_t corpus_all(const struct corpus *corpus)
{
    return corpus->starts ? corpus->starts[corpus->comm->size] : corpus->sentences.count;
}
static inline size_t corpus_first(const struct corpus *corpus)
{
    return corpus->starts ? corpus->starts[corpus->comm->rank] : 0;
}
static inline int corpus_owner(const struct corpus *corpus, uint32_t id)
{
    int owner = 0;
    while (corpus->starts && id >= corpus->starts[owner + 1]) owner++;
    return owner;
}

/* An empty corpus, and a row added to it: the sentences are copied. */
film_status corpus_init(struct corpus *corpus, film_labels labels, film_error *error);
film_status corpus_add(struct corpus *corpus, const film_row *row, film_error *error);

int corpus_reserve(struct corpus *corpus, size_t rows); /* 0: no memory */

/* Reads files of the same kind of labels, one behind the other. */
film_status corpus_read(struct corpus *corpus, const char *const *paths, size_t count,
                        const film_table_options *options, const film_progress *progress,
                        film_error *error);

/* The rows of FROM with PART[row] == WANTED, and their sentences. */
film_status corpus_select(const struct corpus *from, const unsigned char *part,
                          unsigned char wanted, struct corpus *out, film_error *error);
void corpus_free(struct corpus *corpus);

#endif
