/* film_pool.h - many sentences, kept: "has this been asked before?"
 *
 * A pool is one file: an SQLite database that holds a model, sentences under the user's own ids, their
 * vectors, and what people said about pairs of them. From nothing to a pool:
 *
 *     film_error error;
 *     film_pool *pool = NULL;
 *     film_pool_added added;
 *     const char *files[] = {"questions.tsv"};
 *     if (film_pool_create("faq.pool", "faq.film", &error) != FILM_OK ||
 *         film_pool_open("faq.pool", &pool, &error) != FILM_OK ||
 *         film_pool_add_files(pool, files, 1, NULL, &added, &error) != FILM_OK)
 *         puts(error.message);
 *     else
 *         printf("%llu added\n", (unsigned long long)added.added);
 *     film_pool_close(pool);
 *
 * The rules of film.h hold. In addition:
 *
 * Threads   Any number of threads may share a film_pool and call anything but film_pool_close. Each
 *           call that reads sees the pool as it was at one moment, whoever writes meanwhile; calls that
 *           write take turns.
 * Processes Any number of processes may use a pool at once. One that wants to write waits for the
 *           other, at most so long as film_pool_set_wait says.
 * Crashes   A call that writes has written all or nothing (film_pool_add_files: whole batches). What
 *           was acknowledged is on disk: kill -9 and a power cut lose the batch being written at most.
 * Callbacks The texts handed to a callback live until it returns. It must not write to the pool.
 */
#ifndef FILM_POOL_H
#define FILM_POOL_H

#include "film.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- A pool ----------------------------------------------------------------------------- */

typedef struct film_pool film_pool;

/* A pool lies in a file, or in PostgreSQL: PATH is then a URI, postgresql://USER@HOST:PORT/DATABASE, with all that libpq
 * knows of but a password (docs/postgresql.md). Every call takes both. What is read of a database is read from a copy on
 * this machine, which is brought up to date first (it may lack what others wrote in the last tenth of a second). While the
 * database cannot be reached the copy answers as it is, and calls that write fail with FILM_IO and have written
 * nothing. */
FILM_API int film_pool_is_uri(const char *path);

/* Makes a pool with a copy of the model at MODEL_PATH inside. The file appears when complete; one
 * that is there already is never overwritten. */
FILM_API film_status film_pool_create(const char *path, const char *model_path, film_error *error);

/* A file that cannot be written, or lies where nothing can, is opened for reading. */
FILM_API film_status film_pool_open(const char *path, film_pool **out, film_error *error);
FILM_API void film_pool_close(film_pool *pool);

/* Does PATH lead to where POOL's file was when it was opened, and to another file now? POOL can still be read, but
 * nothing is written to it any more; what is there now must not be opened before POOL is closed and
 * the old log removed (docs/pool.md). */
FILM_API int film_pool_replaced(const film_pool *pool, const char *path);

/* A pool in PostgreSQL that is used for long, by a server: a thread takes over what others write as soon as they have
 * written it, and readers ask the database no more. TELL (may be NULL) gets a line when the database cannot be reached any more and
 * when it can be again, from that thread; the pool is read as it was meanwhile. Of a pool in a file: nothing to
 * do. Ends with film_pool_close. */
typedef void (*film_tell_fn)(void *user, const char *line);
FILM_API film_status film_pool_follow(film_pool *pool, film_tell_fn tell, void *user,
                                      film_error *error);

/* How many seconds to wait for another process that writes; 10 unless set. */
FILM_API void film_pool_set_wait(film_pool *pool, double seconds);

/* The pool's model, loaded at the first call and freed with the pool. */
FILM_API film_status film_pool_model(film_pool *pool, const film_model **model, film_error *error);

/* One JSON object: sentences, labels, clusters, changes, dim, model (its checksum and size), ...
 * Free with film_free. */
FILM_API film_status film_pool_describe(film_pool *pool, char **json, film_error *error);

/* The number of the last change. Every sentence added, replaced or removed and every label takes
 * the next number, so a reader knows by one comparison whether it is up to date. */
FILM_API film_status film_pool_changes(film_pool *pool, uint64_t *last, film_error *error);

/* ---- Sentences ---------------------------------------------------------------------------- */

typedef struct film_sentence {
    film_text
        id; /* the user's own, unique in the pool; {NULL, 0}: made from the text when added, so
                   * that the same text is added once */
    film_text text;
    film_text category, answer, url; /* {NULL, 0} or empty: none */
    film_text more;                  /* what else the user keeps: a JSON object, or {NULL, 0} */
} film_sentence;

enum { FILM_POOL_ID_BYTES = 1000 }; /* the longest id; it has no control characters */

typedef struct film_pool_added {
    uint64_t added, replaced;
    uint64_t present; /* id and text were there already */
    uint64_t differ;  /* of these: the other fields are not the same, and stayed as they were */
    uint64_t blank;   /* blank lines of a file of plain lines */
    uint64_t skipped; /* bad rows, with table.skip_bad */
} film_pool_added;

typedef struct film_pool_add_options {
    film_table_options table; /* of files; `labels` is not looked at */
    int replace;              /* an id that is there takes the new text and fields; else an error */
    size_t batch;             /* of files: rows per transaction; 0: 4096 */
    int threads;              /* 0: all cores */
    film_progress progress;
    /* Files: called after every batch that is safe on disk, with the counts up to there. */
    void (*committed)(void *user, const film_pool_added *so_far);
    void *committed_user;
} film_pool_add_options;

/* Adds COUNT sentences, all or none. OPTIONS and ADDED may be NULL. */
FILM_API film_status film_pool_add(film_pool *pool, const film_sentence *sentences, size_t count,
                                   const film_pool_add_options *options, film_pool_added *added,
                                   film_error *error);

/* Adds the rows of tables (TSV, CSV, JSON lines, plain lines; gzip, zstd; "-" is standard input):
 * columns id, text, category, answer and url, the others go to `more`. In batches, each committed
 * before the next is read. After a failure ADDED says what is in the pool; the same call made again
 * goes on from there and adds nothing twice. */
FILM_API film_status film_pool_add_files(film_pool *pool, const char *const *paths, size_t count,
                                         const film_pool_add_options *options,
                                         film_pool_added *added, film_error *error);

/* Removes sentences with their labels, all or none. An id that is not there is FILM_BAD_INPUT unless
 * IGNORE_MISSING. REMOVED may be NULL. */
FILM_API film_status film_pool_remove(film_pool *pool, const film_text *ids, size_t count,
                                      int ignore_missing, uint64_t *removed, film_error *error);

/* Gets each sentence; return non-zero to stop. */
typedef int (*film_sentence_fn)(void *user, const film_sentence *sentence);

/* The sentence called ID; FILM_END when there is none, which is not an error. */
FILM_API film_status film_pool_get(film_pool *pool, film_text id, film_sentence_fn call, void *user,
                                   film_error *error);

/* FIELD is id, text, category, answer, url or a name in `more`. */
typedef struct film_pool_where {
    film_text field, value;
} film_pool_where;

typedef struct film_pool_filter {
    const film_pool_where *where; /* all of them have to hold */
    size_t where_count;
    uint64_t limit; /* at most so many; 0: all */
} film_pool_filter;

/* Sentences in the order in which they were added. FILTER may be NULL. */
FILM_API film_status film_pool_list(film_pool *pool, const film_pool_filter *filter,
                                    film_sentence_fn call, void *user, film_error *error);

/* Writes all sentences as "tsv", "csv" or "jsonl" (NULL: by the name's ending, else tsv), so that
 * film_pool_add_files makes the same pool of it. TSV cannot hold line ends and tabs: FILM_BAD_INPUT
 * when there are any. WRITTEN may be NULL. */
FILM_API film_status film_pool_export(film_pool *pool, const char *path, const char *format,
                                      const film_progress *progress, uint64_t *written,
                                      film_error *error);

/* ---- Searching ----------------------------------------------------------------------------- */

/* "Has this been asked before?" Candidates come from an index over vectors and words, the best of them are
 * judged as film_match judges a pair. The first search makes the index; a large pool keeps it in a file
 * beside it (POOL.index, a cache: delete it whenever you like). */
typedef struct film_search_options {
    size_t k;                     /* answers wanted; 10 */
    size_t candidates;            /* judged; 100. More finds more and takes longer */
    const film_pool_where *where; /* only sentences for which all of them hold */
    size_t where_count;
    double least;               /* only answers of at least this probability; 0: all */
    int explain;                /* with reasons */
    film_answer_options answer; /* `threads` also for several queries */
    film_progress progress;     /* of making the index, and of many queries */
} film_search_options;

FILM_API void film_search_defaults(film_search_options *options);

typedef struct film_found {
    size_t query; /* which of the queries, and which of its answers, from 0 */
    size_t place;
    film_sentence sentence;
    film_verdict verdict; /* of the query (a) and the sentence (b); reasons only with `explain` */
    double score;         /* what answers are sorted by; docs/pool.md says how it is made */
} film_found;

/* Gets each answer, best first; return non-zero to stop. */
typedef int (*film_found_fn)(void *user, const film_found *found);

/* OPTIONS may be NULL. A sentence of the pool that is searched for finds itself. */
FILM_API film_status film_pool_search(film_pool *pool, film_text query,
                                      const film_search_options *options, film_found_fn call,
                                      void *user, film_error *error);

/* The same for COUNT queries in parallel; answers come in the order of the queries, from the calling
 * thread. */
FILM_API film_status film_pool_search_many(film_pool *pool, const film_text *queries, size_t count,
                                           const film_search_options *options, film_found_fn call,
                                           void *user, film_error *error);

/* ---- Labels and clusters ------------------------------------------------------------------- */

typedef struct film_pool_label_row {
    film_text a, b;   /* ids */
    int same;         /* 1: they mean the same; 0: they do not */
    film_text when;   /* UTC, "2025-06-01T12:00:00Z" */
    film_text origin; /* who or what said so */
} film_pool_label_row;

/* Notes that two sentences mean the same or do not. A later word about the same pair replaces an
 * earlier one. ORIGIN may be NULL: "user". */
FILM_API film_status film_pool_label(film_pool *pool, film_text a, film_text b, int same,
                                     const char *origin, film_error *error);

/* COUNT labels at once, all or none; `when` and `origin` of the rows are not looked at. CHANGED (may be
 * NULL) counts those that were not there already. */
FILM_API film_status film_pool_label_many(film_pool *pool, const film_pool_label_row *labels,
                                          size_t count, const char *origin, uint64_t *changed,
                                          film_error *error);

typedef int (*film_label_fn)(void *user, const film_pool_label_row *label);
FILM_API film_status film_pool_labels(film_pool *pool, film_label_fn call, void *user,
                                      film_error *error);

/* The texts of all labelled pairs, in the order in which their sentences were added: what
 * film_train_options.pairs takes. Texts are valid during the call; return non-zero to stop. */
typedef int (*film_pair_fn)(void *user, const film_pair *pair);
FILM_API film_status film_pool_labelled_pairs(film_pool *pool, film_pair_fn call, void *user,
                                              film_error *error);

/* Known duplicates: what labels of "same" connect, directly or through others. Called for every
 * member of a cluster of two or more, cluster by cluster; CLUSTER is the id of its oldest member. */
typedef int (*film_cluster_fn)(void *user, film_text cluster, film_text id);
FILM_API film_status film_pool_clusters(film_pool *pool, film_cluster_fn call, void *user,
                                        film_error *error);

/* ---- Duplicates ------------------------------------------------------------------------------ */

typedef struct film_record {
    film_text id; /* the user's own; {NULL, 0}: none */
    film_text text;
} film_record;

/* Two records and how likely they are to mean the same. */
typedef struct film_duplicate {
    size_t a, b; /* positions in what was given (a pool: in the order of film_pool_list), from 0 */
    film_record first, second;
    double probability; /* 1 where the words are the same or a label says so */
} film_duplicate;
typedef int (*film_duplicate_fn)(void *user, const film_duplicate *pair);

/* A record in its cluster. */
typedef struct film_member {
    size_t cluster; /* from 1 on, in the order of their first records */
    size_t size;    /* records of the cluster */
    size_t at;      /* position of the record */
    film_record record;
    double probability; /* that it means the same as the representative; 1 for itself */
    int representative; /* the record with the highest mean probability to the others; of equal ones
                         * the shortest, then the first */
} film_member;
typedef int (*film_member_fn)(void *user, const film_member *member);

typedef struct film_dedup_label {
    size_t a, b; /* positions */
    int same;
} film_dedup_label;

typedef struct film_dedup_options {
    film_answer_options answer; /* how a pair is judged; threads */
    double threshold;           /* the same from this probability on; 0: the default, 0.9 */
    size_t candidates; /* of each sentence, the most promising so many others are judged; 0: 20 */
    size_t review;     /* tell `borderline` the so many pairs nearest to the threshold */
    int singles;       /* tell `member` also of records that are alone */
    const film_dedup_label
        *labels; /* what is known (film_dedup): same is joined, different never */
    size_t label_count;
    film_table_options table; /* film_dedup_file; `labels` is not looked at */
    film_job *job; /* processes that share the work; the first alone calls what is below */
    film_progress progress;
    /* Each may be NULL; called from the calling thread; non-zero cancels the call. */
    film_duplicate_fn
        pair; /* every pair found, as soon as it is: of records of the same words, each with
                             * the first of them; of others, the first records of their words */
    film_duplicate_fn borderline; /* pairs without label, the nearest to the threshold first */
    film_member_fn
        member; /* at the end, cluster by cluster, the representative first, then by falling
                            * probability. NULL: no clusters are made */
    void *user;
} film_dedup_options;

/* A prior for lists in which few sentences have a duplicate: most candidates are then different, and of what is found
 * with the default prior, 0.5, much is false. */
#define FILM_RARE 0.05

typedef struct film_dedup_result {
    uint64_t records, distinct; /* distinct: by their words */
    uint64_t compared;          /* pairs judged */
    uint64_t pairs;             /* at or above the threshold, those of the same words among them */
    uint64_t sure;              /* of these, those that stay when duplicates are rare: FILM_RARE */
    uint64_t clusters;          /* of two or more records */
    uint64_t clustered;         /* records in them */
    uint64_t largest;           /* records of the largest */
    uint64_t connected;         /* distinct sentences that pairs connect at most: what joining every
                                 * pair would make one cluster */
    uint64_t
        contradictions; /* labels of "same" left out: they would join a pair labelled different */
    uint64_t skipped;   /* bad rows, with table.skip_bad */
    double threshold;   /* the one used */
    uint64_t sent;      /* bytes that the processes of a job handed to each other */
} film_dedup_result;

FILM_API void film_dedup_defaults(film_dedup_options *options);

/* Which of COUNT records mean the same, without comparing all pairs: candidates come from an index, the
 * full pair decision judges them, and clusters are made by a rule that does not chain (docs/pool.md).
 * The same result whatever the order of the records and the number of threads. OPTIONS and RESULT may be NULL. */
FILM_API film_status film_dedup(const film_model *model, const film_record *records, size_t count,
                                const film_dedup_options *options, film_dedup_result *result,
                                film_error *error);

/* The rows of a table; a file of pairs: its distinct sentences. Ids are those of the file, or its lines. */
FILM_API film_status film_dedup_file(const film_model *model, const char *path,
                                     const film_dedup_options *options, film_dedup_result *result,
                                     film_error *error);

/* The sentences of a pool as they are at one moment, with its model and its labels. */
FILM_API film_status film_pool_dedup(film_pool *pool, const film_dedup_options *options,
                                     film_dedup_result *result, film_error *error);

/* ---- Linking two files ------------------------------------------------------------------------- */

/* A record of A and one of B; where nothing in B reaches the threshold, b is FILM_NO_MATCH. */
#define FILM_NO_MATCH SIZE_MAX
typedef struct film_link_match {
    size_t a, b;
    film_record first, second;
    double probability;
} film_link_match;
typedef int (*film_link_fn)(void *user, const film_link_match *match);

typedef struct film_link_options {
    film_answer_options answer;
    double threshold;  /* 0: the default, 0.9 */
    size_t candidates; /* judged for each record of A; 0: 20 */
    size_t most;       /* matches of each record of A; 0: 1 */
    int unique; /* no record is matched twice: the likeliest match first, then the next whose two
                        * records are free */
    film_table_options table; /* film_link_files, both */
    film_job *job;            /* processes that share the work; the first alone calls `match` */
    film_progress progress;
    film_link_fn match; /* in the order of A, the likeliest first; non-zero cancels */
    void *user;
} film_link_options;

typedef struct film_link_result {
    uint64_t a, b;     /* records */
    uint64_t compared; /* pairs judged */
    uint64_t matched;  /* records of A with a match */
    uint64_t skipped;  /* bad rows */
    double threshold;
    uint64_t sent; /* bytes that the processes of a job handed to each other */
} film_link_result;

FILM_API void film_link_defaults(film_link_options *options);

FILM_API film_status film_link(const film_model *model, const film_record *a, size_t a_count,
                               const film_record *b, size_t b_count,
                               const film_link_options *options, film_link_result *result,
                               film_error *error);
FILM_API film_status film_link_files(const film_model *model, const char *path_a,
                                     const char *path_b, const film_link_options *options,
                                     film_link_result *result, film_error *error);

/* ---- Is it whole? ---------------------------------------------------------------------------- */

typedef struct film_pool_check_options {
    int full;      /* compare every vector with its text, not only a sample of 1000 */
    int repair;    /* compute again what can be: vectors, indexes, counters. What the user gave is
                 * reported when it is damaged, and never changed */
    size_t recall; /* measure what the index finds of so many sentences' neighbours; 0: do not */
    int threads;
    film_progress progress;
    void (*problem)(void *user, const char *line); /* one call per problem; may be NULL */
    void *problem_user;
} film_pool_check_options;

typedef struct film_pool_checked {
    uint64_t sentences, vectors, labels;
    uint64_t compared; /* vectors held against their text */
    uint64_t problems; /* found */
    uint64_t repaired; /* of these */
    uint64_t sampled;  /* sentences whose neighbours were looked for (options.recall) */
    double recall;     /* share of their 10 nearest by vector that the index finds; 1: all */
    uint64_t
        contradictions; /* pairs labelled "different" that others of "same" connect; no damage */
} film_pool_checked;

/* Checks the database itself, the model, every sentence's checksum, every vector, the counters and the
 * labels. FILM_OK when it could be checked: the result says whether there are problems. OPTIONS may
 * be NULL. */
FILM_API film_status film_pool_check(film_pool *pool, const film_pool_check_options *options,
                                     film_pool_checked *result, film_error *error);

#ifdef __cplusplus
}
#endif
#endif
