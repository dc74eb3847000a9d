/* Approximate nearest neighbours by inner product: best-first search in a proximity graph.
 *
 * Every row is linked to near rows in several directions; a link is pruned when another link leads
 * there (graph_prune). A search starts from the best of some entry rows and expands the best row
 * not yet visited, until nothing better is found. Sketches beside the links (index/sketch.h) select
 * the linked rows that are worth a score. Scores use one byte per dimension (index/codes.h); the
 * best candidates are then ranked with float vectors. There is one level with many entries, as in
 * Vamana (DiskANN), instead of the levels of HNSW (Malkov and Yashunin): on our vectors searches
 * were not longer, and there is only one array of links.
 *
 * Rows should have length 1 (or 0): the pruning rule reads a score as a distance. Of rows with
 * equal codes, only one is in the graph; the others form a ring with it. Otherwise many equal
 * sentences would link only to each other and become an island.
 *
 * The arrays are plain and without pointers: they can be stored and mapped as they are. Arrays from
 * a file must pass graph_check first. The same calls give the same bytes, whatever the number of
 * threads. There is one writer at a time; searches only read a graph_view. */
#ifndef INDEX_GRAPH_H
#define INDEX_GRAPH_H

#include "base/topk.h"
#include "index/sketch.h"

#define GRAPH_NONE UINT32_MAX

enum {
    /* In a search, an id and a mark share 32 bits. */
    GRAPH_MAX_ROWS = 0x7ffffffe,
    GRAPH_MAX_DEGREE = 128,
    GRAPH_MAX_WIDTH = 65536
};

/* State of a row. */
enum graph_state { GRAPH_LINKED = 0, GRAPH_DEAD = 1, GRAPH_TWIN = 2 };

/* All that is stored: these arrays, the two counts and the dimension. */
struct graph_view {
    struct codes codes;
    const uint32_t *links; /* count x degree: ids of linked rows, then GRAPH_NONE */
    const uint8_t *sketch; /* count x sketch_size: estimates the scores of the linked rows */
    /* count: the next row with the same codes, in a ring; the row itself when it is alone. */
    const uint32_t *twin;
    const uint8_t *state;  /* count: enum graph_state; only linked rows have or get links */
    const uint32_t *entry; /* entries: linked rows, ascending; empty only when no row is linked */
    size_t degree, entries;
};

struct graph_options {
    size_t dim;
    size_t degree; /* maximum number of links of a row (0: 32) */
    size_t width;  /* candidates examined for the links of a new row (0: 200) */
    double spread; /* how much nearer another link must lead for one to be pruned (0: 1) */
    uint64_t seed; /* seed for the choice of entry rows */
};

/* A graph that can grow. */
struct graph;

film_status graph_new(const struct graph_options *options, struct graph **out, film_error *error);

/* A growable graph from stored arrays, which are checked and copied. OPTIONS: as when it was made;
 * the degree is that of VIEW. */
film_status graph_open(const struct graph_view *view, const struct graph_options *options,
                       struct graph **out, film_error *error);
void graph_free(struct graph *graph);

/* Valid until the graph changes. */
struct graph_view graph_view(const struct graph *graph);

/* Adds COUNT rows (floats) with the next ids. After a failure or cancellation, the finished rows
 * stay and form a valid graph; graph_view returns their number. */
film_status graph_add(struct graph *graph, const float *rows, size_t count, int threads,
                      const film_progress *progress, film_error *error);

/* Removes rows; ids that are already dead are skipped. Rows that linked to a removed one get links
 * to its neighbours. The call scans all lists of links, so pass many ids in one call. Ids are not
 * reused; rebuild a graph that is mostly dead. */
film_status graph_remove(struct graph *graph, const uint32_t *id, size_t count, int threads,
                         film_error *error);

/* ---- Searching ---- */

/* Scratch space of one thread; grows with the graph. */
struct graph_walker;
film_status graph_walker_new(struct graph_walker **out, film_error *error);
void graph_walker_free(struct graph_walker *walker);

struct graph_question {
    const float *vector;
    size_t k;
    /* Number of candidates kept during the search, at least k; larger finds more. For k = 10 on our
     * vectors, 48 finds 95 % and 256 finds 99 % of the exact neighbours among 184,000 rows. */
    size_t ef;
    const float *rows; /* count x dim, for exact scores; NULL: scores of the codes */
};

/* Fills ID and SCORE (k each), best first, equal scores by ascending id; *FOUND is their number. */
film_status graph_search(const struct graph_view *view, struct graph_walker *walker,
                         const struct graph_question *question, uint32_t *id, float *score,
                         size_t *found, film_error *error);

/* COUNT queries at once: OUT's id and score (may be NULL) are count x k, GRAPH_NONE and 0 where
 * there are fewer. QUESTION's vector is the first of them. */
film_status graph_search_many(const struct graph_view *view, const struct graph_question *question,
                              size_t count, int threads, const film_progress *progress,
                              const struct nearest *out, film_error *error);

/* ---- Checking ---- */

struct graph_report {
    size_t linked, dead, twins, links;
    size_t reached;    /* linked rows that are reachable from the entries */
    size_t most_twins; /* size of the largest ring */
};

/* Checks only the consistency of the sizes. That is enough for a search to stay inside the arrays,
 * whatever they contain, because each id is checked before it is followed. It serves a new process
 * that runs one search on a file with valid checksums. A change checks the whole graph first. */
film_status graph_check_sizes(const struct graph_view *view, film_error *error);

/* Checks every value of every array. Fails with FILM_BAD_INPUT when one is invalid, or when fewer
 * than 19 of 20 linked rows are reachable: rebuild the graph then. REPORT may be NULL. */
film_status graph_check(const struct graph_view *view, struct graph_report *report,
                        film_error *error);

#endif
