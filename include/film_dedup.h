/* film_dedup.h - find duplicates in a list or a file, and link two of them.
 *
 *     film_dedup_options options = {.size = sizeof options, .member = print_member};
 *     film_status status = film_dedup_file(model, "questions.tsv", &options, NULL, &error);
 *
 * film_types.h has the rules of all calls. This header is part of libfilm-pool; film_pool.h
 * includes it.
 * */
#ifndef FILM_DEDUP_H
#define FILM_DEDUP_H

#include "film.h"
#include "film_io.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Duplicates ----------------------------------------------------------------------------- */

/* Called once per file, or for a pool, before any result: the names of its COUNT other columns,
 * those that are neither the text nor the id. FILE is 0, or 1 for the second file of
 * film_link_files. Results then have their values. */
typedef void (*film_columns_fn)(void *user, int file, const film_text *names, size_t count);

typedef struct film_record {
    /* The user's own id ({NULL, 0}: none) and the text. */
    film_text id, text;
} film_record;

/* Two records and the probability that they mean the same: 1 where their words are identical or a
 * label says so. A and B are positions in the input, from 0; for a pool, positions in the order of
 * film_pool_list. */
typedef struct film_duplicate {
    size_t a, b;
    film_record first, second;
    double probability;
    /* The other columns of both, as named by film_columns_fn; NULL: none. */
    const film_text *first_others, *second_others;
} film_duplicate;
typedef int (*film_duplicate_fn)(void *user, const film_duplicate *pair);

/* A record in its cluster. */
typedef struct film_member {
    /* The number of the cluster, from 1, in the order of first records, and how many it has. */
    size_t cluster, cluster_size;
    /* The position of the record. */
    size_t at;
    film_record record;
    /* The probability that it means the same as the representative, which has 1. */
    double probability;
    /* Whether this is the record with the highest mean probability to the others, or one that a
     * person chose (film_pool_edit_clusters). Ties go to the shortest, then to the first. */
    int representative;
    /* Its other columns, as named by film_columns_fn; NULL: none. */
    const film_text *others;
} film_member;
typedef int (*film_member_fn)(void *user, const film_member *member);

/* A known label of the records at two positions. */
typedef struct film_dedup_label {
    size_t a, b;
    int same;
} film_dedup_label;

/* A prior for lists in which few sentences have a duplicate. Most candidates are then different,
 * and the default prior, 0.5, finds many false pairs. */
#define FILM_RARE 0.05

typedef struct film_dedup_options {
    size_t size;
    /* How a pair is judged, and the threads. */
    film_answer_options answer;
    /* The probability at which two records are duplicates; 0: 0.9, or the threshold stored in a
     * pool. */
    double threshold;
    /* The number of candidates judged for each sentence; 0: 20. */
    size_t candidates;
    /* Report this number of pairs nearest to the threshold to `borderline`; 0: none. */
    size_t review;
    /* Report records without a duplicate to `member` too. */
    int singles;
    /* film_dedup: known labels. Pairs labelled the same are joined, different ones never are. */
    const film_dedup_label *labels;
    size_t label_count;
    /* film_dedup_file: how to read the file; `labels` is ignored. */
    film_table_options table;
    film_progress progress;
    /* The callbacks may be NULL. They are called from the calling thread; non-zero cancels. `pair`
     * is called once per duplicate pair, in the order of the records. Records with identical text
     * are each paired with the first of them. */
    film_duplicate_fn pair;
    /* Called with pairs without a label, the nearest to the threshold first. */
    film_duplicate_fn borderline;
    /* Called at the end, cluster by cluster, the representative first, then by decreasing
     * probability. NULL: no clusters are computed. */
    film_member_fn member;
    void *user;
    /* Called with the names of the other columns. NULL: they are not kept. */
    film_columns_fn columns;
    /* Estimate the share of duplicates that are candidates (film_dedup_result.completeness). */
    int recall;
} film_dedup_options;

typedef struct film_dedup_result {
    size_t size;
    /* Records, and how many of them have distinct words. */
    uint64_t records, distinct;
    /* Pairs judged, and those at or above the threshold, including pairs with identical words. */
    uint64_t compared, pairs;
    /* Those of them that remain with the prior FILM_RARE. */
    uint64_t sure;
    /* Clusters of two or more records, the records in them, and the records of the largest. */
    uint64_t clusters, clustered, largest;
    /* The largest cluster, in distinct sentences, if every pair were joined. */
    uint64_t connected;
    /* Labels of "same" that were ignored because they would join a pair labelled different. */
    uint64_t contradictions;
    /* Bad rows, with table.skip_bad. */
    uint64_t skipped;
    double threshold;
    /* Reduction ratio: the share of all pairs of distinct records that was not judged. */
    double reduction;
    /* With `recall`: a random sample of distinct records, the number of others that each was
     * compared with (all of them, or its 500 nearest), the pairs at or above the threshold, and
     * those of them that are candidates. */
    uint64_t sampled, sampled_against, sampled_pairs, sampled_found;
    /* Pair completeness: sampled_found / sampled_pairs with its 95 % interval; NaN without a
     * pair. */
    double completeness, completeness_low, completeness_high;
} film_dedup_result;

/* Finds which of COUNT records mean the same, without comparing all pairs: an index finds
 * candidates, the full pair decision judges them, and clusters are formed by a rule that does not
 * chain (docs/how-to/find-duplicates.md). The result depends neither on the order of the records
 * nor on the number of threads. RESULT may be NULL. */
FILM_API film_status film_dedup(const film_model *model, const film_record *records, size_t count,
                                const film_dedup_options *options, film_dedup_result *result,
                                film_error *error);

/* The same for the rows of a table. A file of pairs contributes its distinct sentences. Ids are
 * those of the file, or the numbers of its rows. */
FILM_API film_status film_dedup_file(const film_model *model, const char *path,
                                     const film_dedup_options *options, film_dedup_result *result,
                                     film_error *error);

/* ---- Linking two files ---------------------------------------------------------------------- */

/* film_link_match.b where no record of B reaches the threshold. */
#define FILM_NO_MATCH SIZE_MAX

/* A record of A and one of B, as positions and texts. */
typedef struct film_link_match {
    size_t a, b;
    film_record first, second;
    double probability;
    /* The other columns of both, as named by film_columns_fn; NULL: none. */
    const film_text *first_others, *second_others;
} film_link_match;
typedef int (*film_link_fn)(void *user, const film_link_match *match);

typedef struct film_link_options {
    size_t size;
    film_answer_options answer;
    /* The probability at which two records match; 0: 0.9. With 0, B's record must also answer A's
     * at all, by the threshold that film_pool_search uses, where training learned one. A pair of
     * probability 0.9995 or more always does. */
    double threshold;
    /* For each record of A: candidates judged, 0: 20; matches at most, 0: 1. */
    size_t candidates, most;
    /* Match no record twice: greedy, the likeliest match first. */
    int unique;
    /* film_link_files: how to read both files. */
    film_table_options table;
    film_progress progress;
    /* Called in the order of A, the likeliest match first; non-zero cancels. */
    film_link_fn match;
    void *user;
    /* film_link_files: called with the names of the other columns. NULL: they are not kept. */
    film_columns_fn columns;
} film_link_options;

typedef struct film_link_result {
    size_t size;
    /* Records of A and B, pairs judged, and records of A with a match. */
    uint64_t a, b, compared, matched;
    /* Bad rows, with table.skip_bad. */
    uint64_t skipped;
    double threshold;
    /* Pairs that reach the threshold and are no matches, as they do not answer the record. */
    uint64_t unanswered;
} film_link_result;

/* Finds for each record of A the records of B that mean the same. RESULT may be NULL. */
FILM_API film_status film_link(const film_model *model, const film_record *a, size_t a_count,
                               const film_record *b, size_t b_count,
                               const film_link_options *options, film_link_result *result,
                               film_error *error);
FILM_API film_status film_link_files(const film_model *model, const char *path_a,
                                     const char *path_b, const film_link_options *options,
                                     film_link_result *result, film_error *error);

#ifdef __cplusplus
}
#endif
#endif
