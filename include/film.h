/* film.h - decide whether two sentences mean the same, and say why.
 *
 * The shortest useful program:
 *
 *     film_error error;
 *     film_model *model = NULL;
 *     film_context *context = NULL;
 *     film_verdict verdict;
 *     if (film_open("faq.film", &model, &error) != FILM_OK ||
 *         film_context_new(model, &context, &error) != FILM_OK ||
 *         film_match(context, film_string("I lost my card"),
 *                    film_string("my card is gone"), &verdict, &error) != FILM_OK)
 *         puts(error.message);
 *     else
 *         printf("%s, p = %.2f\n", verdict.same ? "same" : "different", verdict.probability);
 *     film_context_free(context);
 *     film_close(model);
 *
 * Rules that hold for every call, said once:
 *
 * Errors    A call that can fail returns a film_status. When it is not FILM_OK, the caller's
 *           film_error holds one line that says what is wrong, where (file:line) and what to do.
 *           The error argument may be NULL. The library never prints, exits or aborts.
 * Memory    What a call hands out is a handle (free it with the matching call, NULL is fine) or
 *           goes into the caller's arrays. Where a string is handed out, free it with film_free.
 * Threads   A film_model never changes after it was opened or trained; any number of threads may
 *           share it. A film_context is scratch space: one per thread.
 * Text      UTF-8, pointer + length, no terminating NUL needed. Invalid UTF-8 is refused.
 * Results   Same input, options, seed and thread count: the same bytes out.
 */
#ifndef FILM_H
#define FILM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FILM_VERSION_MAJOR 0
#define FILM_VERSION_MINOR 1
#define FILM_VERSION_PATCH 0

#if defined(__GNUC__)
#define FILM_API __attribute__((visibility("default")))
#else
#define FILM_API
#endif

/* ---- Status and errors ---------------------------------------------------------------- */

typedef enum film_status {
    FILM_OK = 0,
    FILM_USAGE = 1,     /* an argument or option makes no sense */
    FILM_BAD_INPUT = 2, /* a file's content is not what it should be */
    FILM_IO = 3,        /* could not read or write */
    FILM_CANCELLED = 4, /* the progress callback said stop; nothing half-written is left */
    FILM_NO_MEMORY = 5,
    FILM_END = 6 /* film_table_next: no more rows; not an error */
} film_status;

typedef struct film_error {
    film_status status;
    char message[1000];
} film_error;

/* The library's version, "0.1.0". */
FILM_API const char *film_version(void);

/* A piece of text; film_string makes one from a C string. */
typedef struct film_text {
    const char *bytes;
    size_t length;
} film_text;
FILM_API film_text film_string(const char *text);

/* Frees a string handed out by the library. */
FILM_API void film_free(void *memory);

/* Called from time to time by long calls, from the calling thread: what is being done, how much of
 * it (total 0: not known). Return non-zero to cancel. */
typedef int (*film_progress_fn)(void *user, const char *phase, double done, double total);
typedef struct film_progress {
    film_progress_fn call; /* may be NULL */
    void *user;
    /* One line about the step just done (objective, gradient, loss, ...), before `call` is told of it.
     * May be NULL. */
    void (*note)(void *user, const char *line);
} film_progress;

/* ---- Using a model --------------------------------------------------------------------- */

typedef struct film_model film_model;
typedef struct film_context film_context;

/* Maps a model file, checks all of it (structure and checksums) and makes it ready. */
FILM_API film_status film_open(const char *path, film_model **out, film_error *error);
FILM_API void film_close(film_model *model);

/* Writes a model: to a temporary file, synced, then renamed, so that PATH is old or new, never
 * half. */
FILM_API film_status film_save(const film_model *model, const char *path, film_error *error);

/* The length of a sentence vector. */
FILM_API size_t film_dim(const film_model *model);

/* Settings, sizes and training figures as one JSON object. Free with film_free. */
FILM_API film_status film_describe(const film_model *model, char **json, film_error *error);

FILM_API film_status film_context_new(const film_model *model, film_context **out,
                                      film_error *error);
FILM_API void film_context_free(film_context *context);

/* The vector of a sentence, film_dim(model) floats. All zeros when no word of it is known. */
FILM_API film_status film_embed(film_context *context, film_text text, float *out,
                                film_error *error);

/* The same for COUNT sentences in parallel; OUT is count x dim. THREADS 0: all cores. */
FILM_API film_status film_embed_batch(const film_model *model, const film_text *texts, size_t count,
                                      int threads, float *out, film_error *error);

/* Why: the parts of a verdict. Their weights and the verdict's bias add up to its log-odds. */
typedef struct film_reason {
    const char *kind; /* "word" */
    char side;        /* 'a', 'b', or 0 when it belongs to both */
    const char *text; /* the word as the model reads it; not NUL-terminated */
    size_t text_length;
    size_t start, end; /* where it stands in that sentence, in bytes */
    double weight;     /* its share of the log-odds */
} film_reason;

typedef struct film_verdict {
    double probability; /* that the two mean the same */
    int same;           /* probability at or above the model's operating point (film_operating) */
    double similarity;  /* of the two vectors */
    double log_odds;
    double bias;
    const film_reason *reasons; /* strongest first; owned by the context, until its next call */
    size_t reason_count;
} film_verdict;

/* How likely two sentences are to mean the same before they are read; 0.5 unless set. It shifts the
 * bias of this context's verdicts by log(prior / (1 - prior)). */
FILM_API film_status film_context_set_prior(film_context *context, double prior, film_error *error);

FILM_API film_status film_match(film_context *context, film_text a, film_text b,
                                film_verdict *verdict, film_error *error);

/* The same for COUNT pairs (a[i], b[i]) in parallel, without reasons. PRIOR: 0.5 unless the two answers
 * are not equally likely. THREADS 0: all cores. */
FILM_API film_status film_match_batch(const film_model *model, const film_text *a,
                                      const film_text *b, size_t count, double prior, int threads,
                                      film_verdict *verdicts, film_error *error);

/* The probabilities alone, those of film_match as float. */
FILM_API film_status film_score_batch(const film_model *model, const film_text *a,
                                      const film_text *b, size_t count, double prior, int threads,
                                      float *probability, film_error *error);

/* ---- Training a model ------------------------------------------------------------------ */

/* What a file's labels say. FILM_LABELS_AUTO reads it off the columns. */
typedef enum film_labels {
    FILM_LABELS_AUTO = 0,
    FILM_LABELS_NONE,       /* sentences or pairs without labels */
    FILM_LABELS_PAIRS,      /* two sentences and 0 or 1 */
    FILM_LABELS_SCORES,     /* two sentences and a degree of similarity */
    FILM_LABELS_TRIPLETS,   /* anchor, similar, dissimilar */
    FILM_LABELS_CATEGORIES, /* a sentence and its category */
    FILM_LABELS_COUNT
} film_labels;

enum { FILM_WORD = 1, FILM_BIGRAM = 2, FILM_CHAR = 4 }; /* feature groups, a bit set */

/* How to read a table; zero-initialised means: find out. */
typedef struct film_table_options {
    const char *format;  /* NULL (find out), "tsv", "csv", "jsonl", "lines" */
    const char *columns; /* NULL, or names in file order: "label,a,b"; "-" passes one over */
    film_labels labels;
    int skip_bad; /* count and pass over bad rows instead of stopping at the first */
} film_table_options;

/* How the map from features to vectors is learned. docs/methods.md compares them. */
typedef enum film_method {
    FILM_METHOD_AUTO = 0, /* RANK with labels, SVD without */
    FILM_METHOD_TFIDF,    /* the features alone, no map: sentences have no dense vectors */
    FILM_METHOD_SVD,      /* truncated SVD alone: needs no labels */
    FILM_METHOD_FILM,     /* the paper's: SVD, then a subspace learned from triplets, full batch */
    FILM_METHOD_MFILM,    /* the same in mini-batches, in constant memory */
    FILM_METHOD_RANK,     /* a map learned on the features themselves by a ranking loss */
    FILM_METHOD_COUNT
} film_method;

typedef enum film_similarity {
    FILM_COSINE = 0,
    FILM_DOT,
    FILM_EUCLIDEAN, /* minus the squared distance */
    FILM_SIMILARITY_COUNT
} film_similarity;

/* Methods FILM and MFILM (docs/methods.md has the mathematics). */
typedef struct film_solver_options {
    double power;        /* p of Sigma^-p; 1 in the paper */
    int eigen;           /* start from eigenvectors instead of at random */
    double margin_ratio; /* margin over the mean squared length of a vector */
    size_t positives, labelled, hard,
        random;          /* per anchor: most positives, negatives of each kind */
    size_t iterations;   /* limit */
    size_t inner;        /* FILM: steps between two looks at which hinges are active: more bring the
                   * objective down faster, and unseen pairs no better */
    double epsilon;      /* stop when the gradient is shorter */
    double least_change; /* stop when the objective's relative change stays smaller */
    double rho, gamma, shrink, first_tau; /* of the line search */
    int batch_basis; /* MFILM: an SVD of every batch, as published; for comparison only */
    size_t sample;   /* MFILM: most sentences the vocabulary and the SVD are made from */
} film_solver_options;

/* Method RANK. */
typedef struct film_rank_options {
    double rate, temperature; /* of the steps; of the softmax; 0: the default */
} film_rank_options;

/* What the operating point, the threshold from which two sentences are the same, is chosen by. */
typedef enum film_criterion {
    FILM_ACCURACY = 0,
    FILM_F1,
    FILM_PRECISION, /* the lowest threshold whose precision is at least the target, if there is one */
    FILM_RECALL,    /* the highest threshold whose recall is at least the target */
    FILM_CRITERION_COUNT
} film_criterion;
typedef struct film_operating {
    film_criterion criterion;
    double target; /* of precision or recall: above 0, up to 1 */
} film_operating;

typedef struct film_train_options {
    film_table_options table;
    const char *dev;          /* a labelled file to choose the threshold on, or NULL */
    film_operating operating; /* what it is chosen by */
    double prior;        /* the share of duplicates it is chosen for, whatever the file's; 0.5 */
    double train_share;  /* without dev: learn from this share of the rows, choose on the others */
    unsigned features;   /* FILM_WORD | FILM_BIGRAM | FILM_CHAR; 0: what suits the method */
    size_t min_df;       /* keep features that occur in at least so many sentences */
    size_t max_features; /* keep the most frequent so many of each group; 0: all */
    const char *stem;    /* Snowball language ("english"), or NULL */
    const char *stop;    /* "english", a file with a word per line, or NULL */
    film_method method;
    film_similarity similarity;
    size_t rank;   /* of the SVD */
    size_t dim;    /* length of a sentence vector; 0: what suits the method */
    size_t epochs; /* RANK: passes over the pairs, 0: 2. MFILM: over the files, 0: one, or as many
                    * as `solver.iterations` batches take */
    size_t batch;  /* RANK: pairs per step, 0: 1024. MFILM: anchors per batch, 0: 8192 */
    film_solver_options solver;
    film_rank_options ranking;
    uint64_t seed;
    int threads; /* 0: all cores */
    film_progress progress;
    /* Methods FILM and RANK. A file in which learning writes down where it stands, atomically: when
     * it is cancelled, and from time to time so that a crash loses little. It stays when training
     * is complete: remove it when the model was saved. NULL: none. */
    const char *checkpoint;
    double checkpoint_every; /* seconds; 60; 0: only when cancelled */
    /* Go on from the checkpoint. Files and options are the same as then, but for threads, progress,
     * operating, prior, checkpoint_every and more solver.iterations; others are FILM_BAD_INPUT, as is
     * a missing or damaged checkpoint. The model becomes that of a training without pause, byte by byte. */
    int resume;
} film_train_options;

FILM_API void film_train_defaults(film_train_options *options);

/* Learns from one or several files of the same layout.
 *
 * Cancelled while a map was being learned, it returns FILM_CANCELLED and sets *OUT: the best model
 * so far, calibrated and ready to save and use; the message says how far it came ("stopped after 7
 * of 20 iterations"). The same with FILM_IO when a checkpoint could not be written. In all other
 * cases of an error *OUT is NULL. */
FILM_API film_status film_train(const char *const *paths, size_t count,
                                const film_train_options *options, film_model **out,
                                film_error *error);

/* ---- Measuring a model ----------------------------------------------------------------- */

typedef struct film_eval_options {
    film_table_options table;
    size_t k_first, k_last; /* the sweep of pairwise kNN, 1 to 55; k_last 0: none */
    const char *knn;        /* NULL or "mutual": each among the other's k nearest; "either" */
    const char *decision;   /* NULL or "threshold"; "knn": the rule with the best k of the sweep */
    double prior;           /* as film_context_set_prior; 0.5. The knn decision does not use it */
    double threshold;       /* the probability from which pairs are the same; 0: the model's own */
    const film_operating *operating; /* tell what threshold this file would choose; NULL: do not */
    const film_model *against;       /* a second model, compared on the same rows, or NULL */
    const char *names[2]; /* what to call the two; NULL: "the first model", "the second" */
    const char *pool;     /* a file whose sentences are searched for duplicates, or NULL */
    film_table_options pool_table;
    size_t pool_queries; /* search for the first so many duplicates; 0: all */
    size_t bootstrap;    /* resamples for the confidence intervals, 1000; 0: none */
    uint64_t seed;
    int threads; /* 0: all cores */
    film_progress progress;
} film_eval_options;

#define FILM_PRIOR_AUTO (-1.0) /* film_eval_options.prior: the share of duplicates in the file */
FILM_API void film_eval_defaults(film_eval_options *options);

/* Compares a model with a labelled file. *JSON is one object (free it with film_free): rows, accuracy,
 * best_accuracy, best_threshold, log_loss, f1, auc, average_precision, ece, brier, pearson, spearman,
 * knn, best_k, elbow_k, knn_variant, ci, retrieval, operating, against, ...; null where a figure does
 * not apply to the file's labels. docs/eval.md says what each means. */
FILM_API film_status film_eval(const film_model *model, const char *path,
                               const film_eval_options *options, char **json, film_error *error);

/* ---- Reading tables -------------------------------------------------------------------- */

/* TSV, CSV (RFC 4180), JSON lines or plain lines; plain, gzip or zstd; "-" is standard input.
 * Memory does not grow with the file. */
typedef struct film_table film_table;

typedef struct film_row {
    uint64_t line; /* where the row starts, counted from 1 */
    /* A column the file does not have is {NULL, 0}; an empty field is not NULL. */
    film_text a;  /* first sentence, the only one, or the anchor */
    film_text b;  /* second sentence, or the one similar to the anchor */
    film_text c;  /* the one dissimilar to the anchor */
    film_text id; /* the user's own id */
    film_text category;
    double label;            /* 0 or 1, or the score; NaN when there is none */
    film_text raw;           /* the record as it stands in the file, without its line end */
    const film_text *fields; /* every column, in file order */
    size_t field_count;
} film_row;

FILM_API film_status film_table_open(const char *path, const film_table_options *options,
                                     film_table **out, film_error *error);
FILM_API void film_table_close(film_table *table);

/* The next row; its texts live until the next call. FILM_END after the last. A bad row is an error
 * that names its line; with skip_bad it is passed over and counted. */
FILM_API film_status film_table_next(film_table *table, film_row *row, film_error *error);

FILM_API film_labels film_table_labels(const film_table *table); /* never FILM_LABELS_AUTO */
FILM_API uint64_t film_table_skipped(const film_table *table);
FILM_API const char *film_table_format(const film_table *table); /* "tsv", ... */
FILM_API double film_table_progress(const film_table *table);    /* bytes read / size, or -1 */

/* The header line as it stands in the file; empty when there is none. And column names. */
FILM_API film_text film_table_header(const film_table *table);
FILM_API size_t film_table_columns(const film_table *table);
FILM_API film_text film_table_column(const film_table *table, size_t index);

/* ---- Splitting a file ------------------------------------------------------------------ */

typedef struct film_split_options {
    film_table_options table;
    double train_share; /* 0.8 for 4:1 */
    uint64_t seed;
    film_progress progress;
} film_split_options;

typedef struct film_split_result {
    uint64_t train_rows, dev_rows, components, largest_component, skipped;
} film_split_result;

/* Two files that share no question: rows whose questions are connected stay together. The parts
 * are written to TRAIN_PATH and DEV_PATH in the input's own format. */
FILM_API film_status film_split(const char *path, const char *train_path, const char *dev_path,
                                const film_split_options *options, film_split_result *result,
                                film_error *error);

/* ---- Writing files --------------------------------------------------------------------- */

/* A file that appears under its name only when complete; "-" is standard output. */
typedef struct film_output film_output;

FILM_API film_status film_output_open(const char *path, film_output **out, film_error *error);
FILM_API film_status film_output_write(film_output *output, const void *bytes, size_t count,
                                       film_error *error);
/* Overwrites bytes written before (not on a pipe). */
FILM_API film_status film_output_patch(film_output *output, uint64_t offset, const void *bytes,
                                       size_t count, film_error *error);
FILM_API film_status film_output_commit(film_output *output, film_error *error); /* frees it too */
FILM_API void film_output_discard(film_output *output);

/* ---- Hooks ----------------------------------------------------------------------------- */

/* Replaces malloc, realloc and free for the whole library. Call before anything else. */
typedef struct film_allocator {
    void *(*allocate)(size_t size);
    void *(*reallocate)(void *memory, size_t size);
    void (*release)(void *memory);
} film_allocator;
FILM_API void film_set_allocator(const film_allocator *allocator);

#ifdef __cplusplus
}
#endif
#endif
