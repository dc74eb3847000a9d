/* film_pool.h - store many sentences and search them: "has this been asked before?"
 *
 * A pool is one file: an SQLite database that holds a model, sentences under the user's own ids,
 * their vectors, and labels that people gave to pairs of them. Creating a pool:
 *
 *     film_error error;
 *     film_pool *pool = NULL;
 *     film_pool_added added = {.size = sizeof added};
 *     const char *files[] = {"questions.tsv"};
 *     if (film_pool_create("faq.pool", "faq.film", &error) != FILM_OK ||
 *         film_pool_open("faq.pool", &pool, &error) != FILM_OK ||
 *         film_pool_add_files(pool, files, 1, NULL, &added, &error) != FILM_OK)
 *         puts(error.message);
 *     else
 *         printf("%llu added\n", (unsigned long long)added.added);
 *     film_pool_close(pool);
 *
 * The rules of film_types.h hold. This header is part of libfilm-pool. In addition:
 *
 * Threads   Any number of threads may share a film_pool and make every call but film_pool_close. A
 *           call that reads sees a consistent snapshot, even while others write. Calls that write
 *           wait for each other.
 * Processes Any number of processes may use a pool at once. Writers wait for each other, at most
 *           the time set with film_pool_set_wait.
 * Crashes   A call that writes stores all or nothing (film_pool_add_files: whole batches). An
 *           acknowledged write is on disk: kill -9 and a power cut lose at most the current batch.
 * Callbacks Texts passed to a callback are valid until it returns. It must not write to the pool.
 */
#ifndef FILM_POOL_H
#define FILM_POOL_H

#include "film_dedup.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- A pool --------------------------------------------------------------------------------- */

typedef struct film_pool film_pool;

/* Returns whether PATH is the URI of a pool in PostgreSQL: postgresql://USER@HOST:PORT/DATABASE,
 * with everything that libpq accepts except a password (docs/how-to/share-a-pool.md).
 *
 * Every call takes files and URIs. A database is read through a local copy, which is updated first;
 * changes of the last 0.1 s may be missing. While the database is unreachable, calls that read use
 * the copy as it is, and calls that write fail with FILM_IO and write nothing. */
FILM_API int film_pool_is_uri(const char *path);

/* Creates a pool with a copy of the model at MODEL_PATH inside. The file appears when it is
 * complete. An existing file is never overwritten. */
FILM_API film_status film_pool_create(const char *path, const char *model_path, film_error *error);

/* Opens a pool. If the file or its folder is not writable, the pool is read-only. */
FILM_API film_status film_pool_open(const char *path, film_pool **out, film_error *error);

/* Closes a pool. No other thread may be using it. */
FILM_API void film_pool_close(film_pool *pool);

/* Returns whether the file at PATH has been replaced since POOL was opened there. POOL can then
 * still be read, but not written. Close POOL and remove the old log before you open the new file
 * (docs/reference/pool-file.md). */
FILM_API int film_pool_replaced(const film_pool *pool, const char *path);

/* Called with one line to log. */
typedef void (*film_tell_fn)(void *user, const char *line);

/* For servers, before the first search: the index file is copied into memory instead of mapped, and
 * a thread follows a pool in PostgreSQL, so that readers do not query the database. Readers use the
 * last known state while it is unreachable. TELL (may be NULL) gets a line when that changes. */
FILM_API film_status film_pool_follow(film_pool *pool, film_tell_fn tell, void *user,
                                      film_error *error);

/* Sets how many seconds a call waits for another writer; the default is 10. */
FILM_API void film_pool_set_wait(film_pool *pool, double seconds);

/* Stores the words of a file (film_add_words) in the pool, in place of those it has; a file without
 * relations removes them. They are added to what its model knows; nothing is trained again. Other
 * processes use them from their next call on. *WORDS, the number of words, may be NULL. */
FILM_API film_status film_pool_store_words(film_pool *pool, const char *path, uint64_t *words,
                                           film_error *error);

/* *TEXT is what film_pool_store_words stored, or empty. Free it with film_free. */
FILM_API film_status film_pool_words(film_pool *pool, char **text, film_error *error);

/* Lets the models of this open pool know the words of a file (film_add_words), which is read when a
 * model is loaded. They are added to the words that the pool stores. Call it before the first model
 * is loaded; nothing is stored in the pool. */
FILM_API film_status film_pool_set_words(film_pool *pool, const char *path, film_error *error);

/* Chooses how the encoders of this open pool's models compute (film_set_arithmetic). Call it before
 * the first model is loaded. Vectors in the pool stay those of the model as it was trained: a pool
 * opened like this refuses to add, check and repair sentences, unless the choice is OWN. */
FILM_API film_status film_pool_set_arithmetic(film_pool *pool, film_arithmetic arithmetic,
                                              film_error *error);

/* Returns the model of the pool. The first call loads it; it is valid until the pool is closed. */
FILM_API film_status film_pool_model(film_pool *pool, const film_model **model, film_error *error);

typedef struct film_pool_description {
    size_t size;
    uint64_t sentences, labels;
    /* Groups of sentences that labels of "same" connect. */
    uint64_t clusters;
    /* The number of the last change, as film_pool_changes returns it. */
    uint64_t changes;
    /* The length of a sentence vector, and the size of the model. */
    uint64_t dim, model_bytes;
    /* NUL-terminated; empty where the pool has none: the checksum of the model, when the pool was
     * created (UTC), and a random number that copies of the pool share. */
    char model_checksum[64], created[64], identity[64];
    /* The stored threshold (film_pool_set_threshold); 0: none. */
    double threshold;
} film_pool_description;

/* Describes a pool. */
FILM_API film_status film_pool_describe(film_pool *pool, film_pool_description *result,
                                        film_error *error);

/* The same as one JSON object, with the version of the library. Free it with film_free. */
FILM_API film_status film_pool_describe_json(film_pool *pool, char **json, film_error *error);

/* The number of the last change. Every sentence added, replaced or removed and every label takes
 * the next number, so a reader needs one comparison to check whether it is up to date. */
FILM_API film_status film_pool_changes(film_pool *pool, uint64_t *last, film_error *error);

/* ---- Sentences ------------------------------------------------------------------------------ */

typedef struct film_sentence {
    /* The user's own id, unique in the pool. {NULL, 0}: a hash of the text. */
    film_text id;
    film_text text;
    /* {NULL, 0} or empty: none. */
    film_text category, answer, url;
    /* Further fields of the user: a JSON object, or {NULL, 0}. */
    film_text more;
} film_sentence;

/* The length of the longest id in bytes. An id has no control characters. */
enum { FILM_POOL_ID_BYTES = 1000 };

typedef struct film_pool_added {
    size_t size;
    uint64_t added, replaced;
    /* Sentences whose id and text were in the pool already. */
    uint64_t present;
    /* Those of them whose other fields differ. These fields were not changed. */
    uint64_t differ;
    /* Blank lines of a file of plain lines, and bad rows, with table.skip_bad. */
    uint64_t blank, skipped;
} film_pool_added;

typedef struct film_pool_add_options {
    size_t size;
    /* How to read files; `labels` is ignored. */
    film_table_options table;
    /* Replace text and fields of an id that is in the pool, instead of failing. */
    int replace;
    /* Files: rows per transaction; 0: 4096. */
    size_t batch;
    int threads;
    film_progress progress;
    /* Files: called after every batch that is safe on disk, with the counts so far. May be NULL. */
    void (*committed)(void *user, const film_pool_added *so_far);
    void *committed_user;
    /* Maximum size of a text in bytes; 0: 65536. */
    size_t max_sentence;
} film_pool_add_options;

/* Adds COUNT sentences, all or none. ADDED may be NULL. */
FILM_API film_status film_pool_add(film_pool *pool, const film_sentence *sentences, size_t count,
                                   const film_pool_add_options *options, film_pool_added *added,
                                   film_error *error);

/* Adds the rows of tables (film_io.h): columns id, text, category, answer and url; other columns go
 * to `more`. Rows are added in batches, each committed before the next is read. After a failure
 * ADDED counts what was stored. Calling again continues from there and adds nothing twice. */
FILM_API film_status film_pool_add_files(film_pool *pool, const char *const *paths, size_t count,
                                         const film_pool_add_options *options,
                                         film_pool_added *added, film_error *error);

/* Removes sentences with their labels, all or none. An unknown id is FILM_BAD_INPUT unless
 * IGNORE_MISSING. REMOVED may be NULL. */
FILM_API film_status film_pool_remove(film_pool *pool, const film_text *ids, size_t count,
                                      int ignore_missing, uint64_t *removed, film_error *error);

/* Called once per sentence; return non-zero to stop. */
typedef int (*film_sentence_fn)(void *user, const film_sentence *sentence);

/* Looks up the sentence with id ID. FILM_END: there is none, which is not an error. */
FILM_API film_status film_pool_get(film_pool *pool, film_text id, film_sentence_fn call, void *user,
                                   film_error *error);

/* A condition: FIELD (id, text, category, answer, url or a name in `more`) is VALUE. */
typedef struct film_pool_where {
    film_text field, value;
} film_pool_where;

typedef struct film_pool_filter {
    size_t size;
    /* All of these must hold. */
    const film_pool_where *where;
    size_t where_count;
    /* At most this number of sentences; 0: all. */
    uint64_t limit;
} film_pool_filter;

/* Lists sentences in the order in which they were added. FILTER may be NULL. */
FILM_API film_status film_pool_list(film_pool *pool, const film_pool_filter *filter,
                                    film_sentence_fn call, void *user, film_error *error);

/* Writes all sentences as TSV, CSV or JSON lines. film_pool_add_files recreates the same pool from
 * the file. FILM_FORMAT_AUTO: by the file's name, otherwise TSV. TSV cannot hold line ends and
 * tabs: FILM_BAD_INPUT when there are any. WRITTEN may be NULL. */
FILM_API film_status film_pool_export(film_pool *pool, const char *path, film_format format,
                                      const film_progress *progress, uint64_t *written,
                                      film_error *error);

/* Writes all labels with the ids and texts of their sentences: columns same, id_a, id_b, text_a,
 * text_b, when, origin. A pool can import the table (film_pool_label_many), and a model can be
 * trained on it. Format and WRITTEN are as for film_pool_export. */
FILM_API film_status film_pool_export_labels(film_pool *pool, const char *path, film_format format,
                                             uint64_t *written, film_error *error);

/* Replaces the model of a pool by the model in MODEL_PATH, a model file or another pool. Sentences,
 * labels and clusters stay; all vectors are computed again. Other processes can read the pool all
 * the time. Calls that have begun finish with the old model, later ones use the new model; models
 * from film_pool_model stay valid until the pool is closed. SENTENCES may be NULL. */
FILM_API film_status film_pool_update(film_pool *pool, const char *model_path, int threads,
                                      const film_progress *progress, uint64_t *sentences,
                                      film_error *error);

/* Returns whether MODEL, from film_pool_model, has been replaced in the pool since, or the pool has
 * got another threshold. */
FILM_API int film_pool_outdated(film_pool *pool, const film_model *model);

/* ---- Searching ------------------------------------------------------------------------------ */

/* "Has this been asked before?" An index over vectors and words finds candidates, and the best of
 * them are judged as film_match judges a pair. The first search builds the index. A large pool
 * stores it in a file next to the pool (POOL.index), a cache that you may delete at any time. */
typedef struct film_search_options {
    size_t size;
    /* The number of answers; 0: 10. */
    size_t k;
    /* Candidates judged; 0: five for two answers, 25 to 100. More candidates find more answers and
     * take longer. */
    size_t candidates;
    /* Search only sentences for which all of these hold. */
    const film_pool_where *where;
    size_t where_count;
    /* Only answers of at least this probability; 0: all. */
    double least;
    /* Compute reasons too. */
    int explain;
    film_answer_options answer; /* `answer.threads` also holds for several queries */
    film_progress progress;     /* reports building the index, and many queries */
    int answered_only;          /* nothing for a query whose first answer has `answers` 0 */
} film_search_options;

typedef struct film_found {
    /* The number of the query and the place of the answer, from 0. */
    size_t query, place;
    film_sentence sentence;
    /* The verdict for the query (a) and the sentence (b). It has reasons only with `explain`. */
    film_verdict verdict;
    double score;    /* what answers are sorted by; docs/how-to/search.md has the formula */
    double answered; /* the probability that it answers the query at all; -1: not learned */
    int answers;     /* `answered` is -1 or reaches the threshold that training chose */
} film_found;

/* Called once per answer, the best first; return non-zero to stop. */
typedef int (*film_found_fn)(void *user, const film_found *found);

/* Searches a pool. A sentence of the pool finds itself. */
FILM_API film_status film_pool_search(film_pool *pool, film_text query,
                                      const film_search_options *options, film_found_fn call,
                                      void *user, film_error *error);

/* The same for COUNT queries in parallel. CALL receives the answers in the order of the queries,
 * from the calling thread. */
FILM_API film_status film_pool_search_many(film_pool *pool, const film_text *queries, size_t count,
                                           const film_search_options *options, film_found_fn call,
                                           void *user, film_error *error);

/* ---- Labels and clusters -------------------------------------------------------------------- */

typedef struct film_pool_label_row {
    /* The ids of two sentences. */
    film_text a, b;
    /* 1: they mean the same; 0: they do not. */
    int same;
    /* When it was given (UTC, "2025-06-01T12:00:00Z") and who or what gave it. */
    film_text when, origin;
} film_pool_label_row;

/* Labels a pair of sentences. A new label of a pair replaces the old one. ORIGIN NULL: "user". */
FILM_API film_status film_pool_label(film_pool *pool, film_text a, film_text b, int same,
                                     const char *origin, film_error *error);

/* Adds COUNT labels, all or none; `when` of the rows is ignored. ORIGIN NULL: the origin of each
 * row, or "user" where it has none. CHANGED (may be NULL) counts those that were new. */
FILM_API film_status film_pool_label_many(film_pool *pool, const film_pool_label_row *labels,
                                          size_t count, const char *origin, uint64_t *changed,
                                          film_error *error);

/* Removes the labels of COUNT pairs, all or none: an answer that was given by mistake. Only the ids
 * of the rows are read; a pair without a label is skipped. REMOVED may be NULL. */
FILM_API film_status film_pool_unlabel(film_pool *pool, const film_pool_label_row *labels,
                                       size_t count, uint64_t *removed, film_error *error);

/* Called once per label; return non-zero to stop. */
typedef int (*film_label_fn)(void *user, const film_pool_label_row *label);
FILM_API film_status film_pool_labels(film_pool *pool, film_label_fn call, void *user,
                                      film_error *error);

/* The texts of all labelled pairs, in the order in which their sentences were added: what
 * film_train_options.pairs takes. Texts are valid during the call; return non-zero to stop. */
typedef int (*film_pair_fn)(void *user, const film_pair *pair);
FILM_API film_status film_pool_labelled_pairs(film_pool *pool, film_pair_fn call, void *user,
                                              film_error *error);

/* Lists known duplicates: sentences that labels of "same" connect, directly or through others. CALL
 * receives every member of each cluster of two or more, cluster by cluster. CLUSTER is the id of
 * its oldest member. */
typedef int (*film_cluster_fn)(void *user, film_text cluster, film_text id);
FILM_API film_status film_pool_clusters(film_pool *pool, film_cluster_fn call, void *user,
                                        film_error *error);

/* ---- Duplicates ----------------------------------------------------------------------------- */

/* film_dedup (film_dedup.h) of a snapshot of the sentences of a pool, with its model and its
 * labels. */
FILM_API film_status film_pool_dedup(film_pool *pool, const film_dedup_options *options,
                                     film_dedup_result *result, film_error *error);

/* ---- Checking ------------------------------------------------------------------------------- */

typedef struct film_pool_check_options {
    size_t size;
    /* Compare every vector with its text, instead of a sample of 1000. */
    int full;
    /* Recompute what can be recomputed: vectors, indexes, counters. Damaged user data is
     * reported and never changed. */
    int repair;
    /* Measure the recall of the index on this number of sentences; 0: do not. */
    size_t recall;
    int threads;
    film_progress progress;
    /* Called once per problem. May be NULL. */
    void (*problem)(void *user, const char *line);
    void *problem_user;
} film_pool_check_options;

typedef struct film_pool_checked {
    size_t size;
    uint64_t sentences, vectors, labels;
    /* Vectors compared with their text. */
    uint64_t compared;
    /* Problems found, and how many of them were repaired. */
    uint64_t problems, repaired;
    /* With options.recall: sentences whose neighbours were searched, and the share of their 10
     * nearest neighbours by vector that the index finds. */
    uint64_t sampled;
    double recall;
    /* Pairs labelled "different" that labels of "same" connect. This is not damage. */
    uint64_t contradictions;
} film_pool_checked;

/* Checks the database itself, the model, every sentence's checksum, every vector, the counters and
 * the labels. It returns FILM_OK when the check itself ran; the result counts the problems. */
FILM_API film_status film_pool_check(film_pool *pool, const film_pool_check_options *options,
                                     film_pool_checked *result, film_error *error);

/* ---- Memory --------------------------------------------------------------------------------- */

/* Makes SQLite allocate through ALLOCATOR, for a program that owns the whole process; NULL restores
 * SQLite's own. Call it before the process first uses SQLite: later it is FILM_USAGE. ALLOCATOR
 * must accept calls from several threads. film_set_process_allocator (film_types.h) does the same
 * for the JSON library. */
FILM_API film_status film_pool_set_process_allocator(const film_allocator *allocator,
                                                     film_error *error);

#ifdef __cplusplus
}
#endif

#include "film_review.h"

#endif
