/* Blocking: candidates of the records of a large set, in bounded time for each.
 *
 * Every word and key of a field (index/terms.h) is a term with a list of its records, and so are
 * every two short values. A search sums the information of the shared terms, log(records /
 * frequency), beginning with the rarest, until BLOCKING_POSTINGS records were visited: common words
 * (first names, cities) are not searched by.
 * The best of them are compared field by field with a quick score: the information that the terms
 * of a field share, and how alike its spelling is (the character pairs of a value, hashed into 64
 * bits). Its weights are fitted to verdicts of the model, which are known for a sample (logistic
 * regression; Fellegi and Sunter, 1969, weigh agreement and disagreement of fields alike). */
#ifndef DEDUP_BLOCKING_H
#define DEDUP_BLOCKING_H

#include "base/topk.h"
#include "embed/encoder.h"

enum { BLOCKING_POSTINGS = 4096, BLOCKING_WIDE = 16384 };

struct blocking;

/* TEXTS are records with the fields of ENCODER; without fields, sentences. */
film_status blocking_new(const struct encoder *encoder, const film_text *texts, size_t count,
                         int threads, struct blocking **out, film_error *error);
void blocking_free(struct blocking *blocking);

/* A pair with a known verdict. */
struct blocking_example {
    uint32_t a, b;
    int same;
};

/* Fits the weights of the score. */
film_status blocking_learn(struct blocking *blocking, const struct blocking_example *examples,
                           size_t count, film_error *error);

/* The score of two records, from 0 to 1. */
float blocking_score(const struct blocking *blocking, uint32_t a, uint32_t b);

/* From now on, searches visit BLOCKING_WIDE records: they find more and take longer. */
void blocking_widen(struct blocking *blocking);

/* Scratch space of one thread. */
struct blocking_searcher;
film_status blocking_searcher_new(const struct blocking *blocking, struct blocking_searcher **out,
                                  film_error *error);
void blocking_searcher_free(struct blocking_searcher *searcher);

/* Finds up to K other records with a score of at least LEAST, best first. OUT has room for K. */
void blocking_search(const struct blocking *blocking, struct blocking_searcher *searcher,
                     uint32_t record, float least, size_t k, struct nearest *out);

#endif
