/* The lexical side of a search: an inverted index over weighted terms, the top k by inner product.
 *
 * A document is a set of terms (64-bit keys: hashes of words, so that words no model knows can be
 * found too) with weights, of length 1 at most. For each term there is the list of its documents,
 * rising, with the weights in 12 bits. Sums are of whole numbers: they depend neither on order nor
 * on machine, and of equal scores the lower id is better.
 *
 * A search goes through the terms by what they can contribute at most. Once what is left cannot
 * lift a new document into the best k, the long lists of common words are only looked into for the
 * few that are still in question. (Exact but for one shortcut with lists of more than 32,768
 * documents, see lexical_search.c.) New documents wait in a short tail that is read whole until it
 * is worth merging.
 *
 * The arrays are plain; those of a file are used where they lie, until the first change. A search
 * never leaves them whatever is in them (each number is looked at before it is followed);
 * lexical_check looks at all of them. One writer at a time. */
#ifndef INDEX_LEXICAL_H
#define INDEX_LEXICAL_H

#include "base/keytab.h"
#include "base/topk.h"

enum {
    LEXICAL_ONE = 4095,            /* the weight 1; a sum of products is exact in a float */
    LEXICAL_MOST_TERMS = 4096,     /* of a query or document; further ones are passed over */
    LEXICAL_MAX_COUNT = 0x7ffffffe /* documents */
};

/* All there is to store. */
struct lexical_view {
    struct keytab terms;
    const uint64_t *start;    /* terms + 1: list t is postings start[t] .. start[t + 1] */
    const uint16_t *most;     /* terms: the largest weight of each list */
    const uint32_t *document; /* postings */
    const uint16_t *weight;   /* postings, 1 .. LEXICAL_ONE */
    const uint8_t *dead;      /* count: 1 where removed */
    size_t postings, count;
};

/* Terms of one document or query, or of several one behind the other. Keys are not 0; weights that
 * are not above 0 do not count. */
struct lexical_terms {
    const uint64_t *key;
    const float *weight;
    size_t count;
};

struct lexical;

film_status lexical_new(struct lexical **out, film_error *error);

/* Over arrays of a file. Sizes alone are checked here. */
film_status lexical_open(const struct lexical_view *view, struct lexical **out, film_error *error);
void lexical_free(struct lexical *lexical);

/* Looks at every number. */
film_status lexical_check(const struct lexical_view *view, film_error *error);

size_t lexical_count(const struct lexical *lexical); /* the removed among them */
size_t lexical_removed(const struct lexical *lexical);

/* Adds one document with the id that comes next. After a failure the index is to be freed. */
film_status lexical_add(struct lexical *lexical, struct lexical_terms terms, film_error *error);

/* Marks documents as removed; ids that are out of range are passed over. */
film_status lexical_remove(struct lexical *lexical, const uint32_t *id, size_t count,
                           film_error *error);

/* Merges the tail; then the view is all there is. Valid until the next change. lexical_tidy merges
 * where the tail is long enough to slow a search down: for after adding. */
film_status lexical_settle(struct lexical *lexical, film_error *error);
film_status lexical_tidy(struct lexical *lexical, film_error *error);
struct lexical_view lexical_view(const struct lexical *lexical);

/* In how many lists of documents a term stands, the tail left out: for weights by rarity. */
size_t lexical_frequency(const struct lexical *lexical, uint64_t key);

/* ---- Searching (lexical_search.c) ---- */

/* What one thread needs; grows with the index. */
struct lexical_searcher;
film_status lexical_searcher_new(struct lexical_searcher **out, film_error *error);
void lexical_searcher_free(struct lexical_searcher *searcher);

/* The best K that share a term with QUERY, best first. SCORE is the inner product. MASK (a byte per
 * document; NULL: all): only those where it is not 0. */
film_status lexical_search(const struct lexical *lexical, struct lexical_searcher *searcher,
                           struct lexical_terms query, const uint8_t *mask, size_t k,
                           struct nearest *out, film_error *error);

#endif
