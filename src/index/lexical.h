/* The lexical side of a search: an inverted index over weighted terms, top k by inner product.
 *
 * A document is a set of weighted terms of total length at most 1. Terms are 64-bit hashes of
 * words, so that words outside the model's vocabulary can be found too. Each term has a posting
 * list of its documents, ascending, with weights in 12 bits. Sums are integers: they depend neither
 * on order nor on the machine. Equal scores are ordered by ascending id.
 *
 * A search processes the terms by decreasing maximum contribution (MaxScore, Turtle and Flood).
 * Once the remaining terms cannot lift a new document into the top k, the long lists of common
 * words are probed only for the few remaining documents. (Exact except for one shortcut with lists
 * of common words, see lexical_search.c.) New documents are appended to a short tail that is
 * scanned completely until it is worth merging.
 *
 * The arrays are plain; those of a file are used in place until the first change. A search stays
 * inside them whatever they contain (each number is checked before it is followed); lexical_check
 * checks all of them. There is one writer at a time. */
#ifndef INDEX_LEXICAL_H
#define INDEX_LEXICAL_H

#include "base/keytab.h"
#include "base/topk.h"

enum {
    LEXICAL_ONE = 4095,            /* the weight 1; a sum of products is exact in a float */
    LEXICAL_MOST_TERMS = 4096,     /* limit per query or document; further terms are skipped */
    LEXICAL_MAX_COUNT = 0x7ffffffe /* maximum number of documents */
};

/* All that is stored. */
struct lexical_view {
    struct keytab terms;
    const uint64_t *start;    /* terms + 1: list t is postings start[t] .. start[t + 1] */
    const uint16_t *most;     /* terms: the maximum weight of each list */
    const uint32_t *document; /* postings */
    const uint16_t *weight;   /* postings, 1 .. LEXICAL_ONE */
    const uint8_t *dead;      /* count: 1 for removed documents */
    size_t postings, count;
};

/* Terms of one document or query, or of several, concatenated. Keys must not be 0. Weights that are
 * not positive are ignored. */
struct lexical_terms {
    const uint64_t *key;
    const float *weight;
    size_t count;
};

struct lexical;

film_status lexical_new(struct lexical **out, film_error *error);

/* Opens an index over arrays of a file. Only sizes are checked here. */
film_status lexical_open(const struct lexical_view *view, struct lexical **out, film_error *error);
void lexical_free(struct lexical *lexical);

/* Checks every value. */
film_status lexical_check(const struct lexical_view *view, film_error *error);

size_t lexical_count(const struct lexical *lexical); /* including removed documents */
size_t lexical_removed(const struct lexical *lexical);

/* Adds one document with the next id. After a failure the index must be freed. */
film_status lexical_add(struct lexical *lexical, struct lexical_terms terms, film_error *error);

/* Marks documents as removed; ids out of range are skipped. */
film_status lexical_remove(struct lexical *lexical, const uint32_t *id, size_t count,
                           film_error *error);

/* lexical_settle merges the tail; then the view is complete, until the next change. lexical_tidy
 * merges only if the tail is long enough to slow a search down: call it after adding. */
film_status lexical_settle(struct lexical *lexical, film_error *error);
film_status lexical_tidy(struct lexical *lexical, film_error *error);
struct lexical_view lexical_view(const struct lexical *lexical);

/* Number of documents with a term, without the tail: for weights by rarity. */
size_t lexical_frequency(const struct lexical *lexical, uint64_t key);

/* ---- Searching (lexical_search.c) ---- */

/* Scratch space of one thread; grows with the index. */
struct lexical_searcher;
film_status lexical_searcher_new(struct lexical_searcher **out, film_error *error);
void lexical_searcher_free(struct lexical_searcher *searcher);

/* Finds the best K documents that share a term with QUERY, best first. SCORE is the inner product.
 * MASK (a byte per document; NULL: all) selects the documents. */
film_status lexical_search(const struct lexical *lexical, struct lexical_searcher *searcher,
                           struct lexical_terms query, const uint8_t *mask, size_t k,
                           struct nearest *out, film_error *error);

#endif
