/* Approximate nearest neighbours by inner product: a walk over a proximity graph.
 *
 * Every row is linked to rows near it, in several directions (a link is left out when another link
 * leads there; see graph_prune). A search starts from the best of some entry rows and goes on to
 * the best row not yet visited until nothing better turns up. Distances of the walk come from one
 * byte per dimension (index/codes.h), the best candidates are ranked with float vectors. One level
 * and many entries instead of the levels of HNSW: on our vectors the walk was not longer, and there
 * is one array of links.
 *
 * Rows should have length 1 (or 0): the rule that leaves links out reads a score as a distance.
 * Rows with the same codes are kept out of the graph but for one, and hang on it in a ring:
 * otherwise a pile of equal sentences links only to itself and becomes an island.
 *
 * The arrays are plain and without pointers: they can be stored and mapped as they are. Bytes from
 * a file go through graph_check before anything else. The same calls give the same bytes whatever
 * the number of threads. One writer at a time; searches only read a graph_view. */
#ifndef INDEX_GRAPH_H
#define INDEX_GRAPH_H

#include "base/topk.h"
#include "index/codes.h"

#define GRAPH_NONE UINT32_MAX

enum {
    GRAPH_MAX_ROWS = 0x7ffffffe, /* an id and a mark share 32 bits in the walk */
    GRAPH_MAX_DEGREE = 128,
    GRAPH_MAX_WIDTH = 65536
};

/* What a row is. */
enum graph_state { GRAPH_LINKED = 0, GRAPH_DEAD = 1, GRAPH_TWIN = 2 };

/* All there is to store: these arrays, the two counts and the dimension. */
struct graph_view {
    struct codes codes;
    const uint32_t *links; /* count x degree: ids of linked rows, then GRAPH_NONE */
    const uint32_t
        *twin; /* count: the next row with the same codes, in a ring; itself when alone */
    const uint8_t *state;  /* count: enum graph_state; only linked rows have or get links */
    const uint32_t *entry; /* entries: linked rows, rising; none only when no row is linked */
    size_t degree, entries;
};

struct graph_options {
    size_t dim;
    size_t degree; /* most links of a row (0: 32) */
    size_t width;  /* candidates looked at for the links of a new row (0: 200) */
    double spread; /* how much nearer another link must lead for one to be left out (0: 1) */
    uint64_t seed; /* of the choice of entry rows */
};

struct graph; /* one that can grow */

film_status graph_new(const struct graph_options *options, struct graph **out, film_error *error);

/* A graph that goes on from stored arrays, which are checked and copied. OPTIONS: as when it was
 * made; the degree is that of VIEW. */
film_status graph_open(const struct graph_view *view, const struct graph_options *options,
                       struct graph **out, film_error *error);
void graph_free(struct graph *graph);

/* Valid until the graph is changed. */
struct graph_view graph_view(const struct graph *graph);

/* Adds COUNT rows (floats) with the ids that come next. When it fails or is cancelled the rows that
 * were finished stay and are all of a valid graph; graph_view says how many. */
film_status graph_add(struct graph *graph, const float *rows, size_t count, int threads,
                      const film_progress *progress, film_error *error);

/* Removes rows; ids that are dead already are passed over. Rows that linked to one get links to
 * where it led. All lists of links are looked through: better many ids in one call than one by one.
 * Ids are not used again; a graph that is mostly dead is better made anew. */
film_status graph_remove(struct graph *graph, const uint32_t *id, size_t count, int threads,
                         film_error *error);

/* ---- Searching ---- */

/* What one thread needs for its walks; grows with the graph. */
struct graph_walker;
film_status graph_walker_new(struct graph_walker **out, film_error *error);
void graph_walker_free(struct graph_walker *walker);

struct graph_question {
    const float *vector;
    size_t k;
    /* Candidates kept on the way, at least k; larger finds more. For k = 10 of our vectors 64 finds
     * 97 % and 160 99 % of 184,000 rows; 96 and 448 find 95 and 99 % of a million. */
    size_t ef;
    const float *rows; /* count x dim for exact scores; NULL: those of the codes */
};

/* Fills ID and SCORE (k each), best first, of equal scores the lower id; *FOUND says how many. */
film_status graph_search(const struct graph_view *view, struct graph_walker *walker,
                         const struct graph_question *question, uint32_t *id, float *score,
                         size_t *found, film_error *error);

/* COUNT queries at once: OUT's id and score (may be NULL) are count x k, GRAPH_NONE and 0 where there are
 * fewer. QUESTION's vector is the first of them. */
film_status graph_search_many(const struct graph_view *view, const struct graph_question *question,
                              size_t count, int threads, const film_progress *progress,
                              const struct nearest *out, film_error *error);

/* ---- Checking ---- */

struct graph_report {
    size_t linked, dead, twins, links;
    size_t reached;    /* linked rows that can be reached from the entries */
    size_t most_twins; /* rows of the largest ring */
};

/* Only the sizes against each other: enough for a search to stay inside the arrays, whatever is in
 * them (each id is looked at before it is followed). For a new process that answers one question
 * from a file whose checksums were right; before a graph is changed it is checked whole. */
film_status graph_check_sizes(const struct graph_view *view, film_error *error);

/* Looks at every number of every array. FILM_BAD_INPUT and a message when one cannot be right or
 * when fewer than 19 of 20 linked rows can be reached: then build it again. REPORT may be NULL. */
film_status graph_check(const struct graph_view *view, struct graph_report *report,
                        film_error *error);

#endif
