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
 *                    film_string("what if my card is lost?"), &verdict, &error) != FILM_OK)
 *         puts(error.message);
 *     else
 *         printf("%s, p = %.2f\n", verdict.same ? "same" : "different", verdict.probability);
 *     film_context_free(context);
 *     film_close(model);
 *
 * Training and measuring models is in film_train.h.
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
    FILM_END = 6,          /* film_table_next: no more rows; not an error */
    FILM_DENIED = 7,       /* a database's user may not do this */
    FILM_NEEDS_LIBRARY = 8 /* the model needs another library of FILM's */
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

/* Two sentences and what is known about them: 1, they mean the same; 0, they do not. */
typedef struct film_pair {
    film_text a, b;
    double label;
} film_pair;

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

/* Maps a model file, checks all of it (structure and checksums) and makes it ready.
 * FILM_NEEDS_LIBRARY for a model with a BERT encoder, unless film_train_register (film_train.h) was
 * called. */
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
    /* "word": what a word weighs, shared or on one side only. Two words or phrases together: "opposed",
     * "beside", "replaced", ... "trait": a named fact or similarity, or two of them. "memory": both
     * questions are known. "identical": the same words in the same order. docs/decision.md says what each means. */
    const char *kind;
    const char *text; /* the word as the model reads it, or a trait's name; not NUL-terminated */
    size_t text_length;
    char side;         /* the sentence it stands in, 'a' or 'b'; 0: in none */
    size_t start, end; /* where, in bytes */
    /* The second word or phrase, where there is one: other_side is 0 otherwise. */
    const char *other;
    size_t other_length;
    char other_side;
    size_t other_start, other_end;
    double weight; /* its share of the log-odds */
    /* What it belongs to when it stands on no word: "numbers", "memory", ... Of two traits, that of the
     * second too; NULL otherwise. */
    const char *family, *other_family;
} film_reason;

typedef struct film_verdict {
    double probability; /* that the two mean the same */
    int same;           /* probability at or above the model's operating point (film_train.h) */
    double similarity;  /* of the two vectors */
    double log_odds;
    double bias;
    const film_reason *reasons; /* strongest first; owned by the context, until its next call */
    size_t reason_count;
} film_verdict;

/* How a verdict is found. */
typedef enum film_decision {
    FILM_DECISION_AUTO = 0,  /* FULL where the model has it */
    FILM_DECISION_FULL,      /* word evidence, traits and memory: the default of film_train */
    FILM_DECISION_THRESHOLD, /* the similarity of the two vectors alone */
    FILM_DECISION_COUNT
} film_decision;

typedef struct film_answer_options {
    film_decision decision;
    double prior;        /* how likely two sentences are to mean the same before they are read; 0.5.
                    * It shifts the bias by log(prior / (1 - prior)). */
    int no_memory;       /* FULL: as if no question were known */
    int no_reasons;      /* film_match: the verdict alone, which is faster */
    size_t most_reasons; /* film_match: only so many, the strongest; 0: all, which add up */
    int threads;         /* of the calls for many pairs; 0: all cores */
} film_answer_options;

FILM_API void film_answer_defaults(film_answer_options *options);

/* For the matches of this context from now on. */
FILM_API film_status film_context_set(film_context *context, const film_answer_options *options,
                                      film_error *error);

FILM_API film_status film_match(film_context *context, film_text a, film_text b,
                                film_verdict *verdict, film_error *error);

/* The same for COUNT pairs (a[i], b[i]) in parallel, without reasons. OPTIONS may be NULL. */
FILM_API film_status film_match_batch(const film_model *model, const film_text *a,
                                      const film_text *b, size_t count,
                                      const film_answer_options *options, film_verdict *verdicts,
                                      film_error *error);

/* The probabilities alone, those of film_match as float. */
FILM_API film_status film_score_batch(const film_model *model, const film_text *a,
                                      const film_text *b, size_t count,
                                      const film_answer_options *options, float *probability,
                                      film_error *error);

/* ---- Reading tables -------------------------------------------------------------------- */

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

/* How to read a table; zero-initialised means: find out. */
typedef struct film_table_options {
    const char *format;  /* NULL (find out), "tsv", "csv", "jsonl", "lines" */
    const char *columns; /* NULL, or names in file order: "label,a,b"; "-" passes one over */
    film_labels labels;
    int skip_bad; /* count and pass over bad rows instead of stopping at the first */
    /* Only stretch PART (from 0) of PARTS of the file's bytes, cut at row ends: each row is in exactly one part.
     * A compressed file is not cut: part 0 has it all. 0, 0: the whole file. */
    int part, parts;
} film_table_options;

/* TSV, CSV (RFC 4180), JSON lines or plain lines; plain, gzip or zstd; "-" is standard input.
 * Memory does not grow with the file. */
typedef struct film_table film_table;

typedef struct film_row {
    uint64_t line; /* where the row starts, counted from 1; of a part, film_table_line */
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

/* The line of the file in which a row starts. It is row->line, except in a part of a file, where row->line counts
 * from its beginning: what is before it is read, once, when this is first asked (or a message needs it). */
FILM_API film_status film_table_line(film_table *table, const film_row *row, uint64_t *line,
                                     film_error *error);

FILM_API film_labels film_table_labels(const film_table *table); /* never FILM_LABELS_AUTO */
FILM_API uint64_t film_table_skipped(const film_table *table);
FILM_API const char *film_table_format(const film_table *table); /* "tsv", ... */
FILM_API double film_table_progress(const film_table *table);    /* bytes read / size, or -1 */

/* The header line as it stands in the file; empty when there is none. And column names. */
FILM_API film_text film_table_header(const film_table *table);
FILM_API size_t film_table_columns(const film_table *table);
FILM_API film_text film_table_column(const film_table *table, size_t index);

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

/* ---- Several processes as one ---------------------------------------------------------- */

/* A job: the same program started several times, as by `mpirun -n 4 film train ...`. Where options have a
 * `job`, the processes share the work: each makes the same call with the same arguments. NULL: this
 * process alone. docs/scale.md says what is split and what it costs. */
typedef struct film_job film_job;

/* Joins the job this process was started in. *OUT is NULL, without an error, where there is none or it has one
 * process only. In a library built without MPI, a job is FILM_USAGE. Once in a process, before other threads
 * are started; calls with a job are made by the thread that joined. */
FILM_API film_status film_job_join(film_job **out, film_error *error);
FILM_API int film_job_rank(const film_job *job); /* 0, 1, ...; 0 for NULL */
FILM_API int film_job_size(const film_job *job); /* 1 for NULL */

/* Adds up COUNT numbers (below 2^53) over all processes; each has the sums. */
FILM_API film_status film_job_sum(film_job *job, uint64_t *values, size_t count, film_error *error);

/* As film_output_open; what the processes write comes one behind the other, in their order. Only the first touches
 * PATH; what each writes waits in a temporary file (in TMPDIR) until film_output_commit, which all call. Patching is
 * the first one's. */
FILM_API film_status film_output_open_job(film_job *job, const char *path, film_output **out,
                                          film_error *error);

/* The end, when all went well: waits for the others. */
FILM_API void film_job_leave(film_job *job);

/* The end, when this process failed: ends the others too, with this exit code. They would wait for it
 * forever. Does not return, the one call that does not (for NULL it does). */
FILM_API void film_job_abort(film_job *job, int code);

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
