/* film_train.h - learn a model from files, measure it, split files. film.h has the rules of all calls.
 *
 *     film_train_options options;
 *     film_train_defaults(&options);
 *     const char *files[] = {"pairs.tsv"};
 *     if (film_train(files, 1, &options, &model, &error) == FILM_OK)
 *         film_save(model, "pairs.film", &error);
 */
#ifndef FILM_TRAIN_H
#define FILM_TRAIN_H

#include "film.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Training a model ------------------------------------------------------------------ */

enum { FILM_WORD = 1, FILM_BIGRAM = 2, FILM_CHAR = 4 }; /* feature groups, a bit set */

/* How the map from features to vectors is learned. docs/methods.md compares them. */
typedef enum film_method {
    FILM_METHOD_AUTO = 0, /* RANK with labels, SVD without */
    FILM_METHOD_TFIDF,    /* the features alone, no map: sentences have no dense vectors */
    FILM_METHOD_SVD,      /* truncated SVD alone: needs no labels */
    FILM_METHOD_FILM,     /* the paper's: SVD, then a subspace learned from triplets, full batch */
    FILM_METHOD_MFILM,    /* the same in mini-batches, in constant memory */
    FILM_METHOD_RANK,     /* a map learned on the features themselves by a ranking loss */
    FILM_METHOD_DEEP, /* a convolutional network on the tokens of a BERT encoder, to compare with: it
                           * cannot be explained (docs/blackbox.md) */
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

typedef enum film_loss { FILM_LOSS_TRIPLET = 0, FILM_LOSS_NPAIR, FILM_LOSS_COUNT } film_loss;

/* Method DEEP; rate and temperature are those of film_rank_options. */
typedef struct film_deep_options {
    size_t tokens; /* of a sentence that are read: 32 to 512; 32 */
    size_t
        maps[4]; /* of the four layers: 16, 32, 32, 16; those of the paper are 64, 128, 256, 128 */
    film_loss loss;
    double margin;  /* of the triplet loss, between cosines */
    double dropout; /* share of the last layer's inputs that are left out in training */
} film_deep_options;

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
    /* Labelled pairs in memory, such as those of a pool (film_pool_labelled_pairs): rows after those
     * of the files, or alone. Not with MFILM, which streams. In a job the first process's are
     * taken. */
    const film_pair *pairs;
    size_t pair_count;
    const char *dev;          /* a labelled file to choose the threshold on, or NULL */
    film_operating operating; /* what it is chosen by */
    double prior;       /* the share of duplicates it is chosen for, whatever the file's; 0.5 */
    double train_share; /* without dev, where no full decision is learned: learn from this share of
                         * the rows, choose the threshold on the others */
    film_decision
        decision;  /* FULL (AUTO, with enough labels): learn word evidence and traits on top of
                             * the map; THRESHOLD: one threshold on the similarity */
    int no_memory; /* FULL: do not keep which questions were labelled */
    size_t
        keep_examples;   /* keep so many labelled pairs, drawn at random, in the model: explanations
                           * (film_explain.h) show the nearest. At most 10,000; 0: none */
    unsigned features;   /* FILM_WORD | FILM_BIGRAM | FILM_CHAR; 0: what suits the method */
    size_t min_df;       /* keep features that occur in at least so many sentences */
    size_t max_features; /* keep the most frequent so many of each group; 0: all */
    const char *stem;    /* Snowball language ("english"), or NULL */
    const char *stop;    /* "english", a file with a word per line, or NULL */
    /* A folder with a BERT encoder as Hugging Face has them (docs/bert.md): sentence vectors become those of
     * the encoder with a map on top, which `method` (FILM, SVD) makes, or of a network on top (DEEP). The encoder becomes part of the model. A
     * full decision learns what the vectors are worth beside the words on the dev file, which should have
     * nothing the encoder was trained on; without one, on rows held out. NULL: vectors are made from words. */
    const char *bert;
    const char
        *cache; /* a folder for the encoder's vectors, so that the next training need not encode
                        * again; NULL: none */
    film_method method;
    film_similarity similarity;
    size_t rank; /* of the SVD */
    size_t dim;  /* length of a sentence vector; 0: what suits the method */
    size_t
        epochs; /* RANK, DEEP: passes over the pairs, 0: 2 and 1. MFILM: over the files, 0: one, or as many
                    * as `solver.iterations` batches take */
    size_t
        batch; /* RANK, DEEP: pairs per step, 0: 1024 and 64. MFILM: anchors per batch, 0: 8192 */
    film_solver_options solver;
    film_rank_options ranking;
    film_deep_options deep;
    uint64_t seed;
    int threads; /* 0: all cores */
    film_job *
        job; /* processes that train together; the model is handed out in each of them, complete in the first
                    * alone: save that one. NULL: this one */
    film_progress progress;
    /* Methods FILM, RANK and DEEP. A file in which learning writes down where it stands, atomically: when
     * it is cancelled, and from time to time so that a crash loses little. It stays when training
     * is complete: remove it when the model was saved. NULL: none. */
    const char *checkpoint;
    double checkpoint_every; /* seconds; 60; 0: only when cancelled */
    /* Go on from the checkpoint. Files and options are the same as then, but for threads, progress,
     * operating, prior, keep_examples, checkpoint_every and more solver.iterations; others are FILM_BAD_INPUT, as is
     * a missing or damaged checkpoint. The model becomes that of a training without pause, byte by byte. */
    int resume;
} film_train_options;

FILM_API void film_train_defaults(film_train_options *options);

/* Learns from one or several files of the same layout.
 *
 * Cancelled while a map or the decision was being learned, it returns FILM_CANCELLED and sets *OUT: the
 * best model so far (with a threshold instead of a decision), calibrated and ready to save and use; the message says how far it came ("stopped after 7
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
    const char
        *decision;    /* NULL or "auto", "full", "threshold" as film_decision; "knn": the paper's
                           * rule with the best k of the sweep */
    int no_memory;    /* as in film_answer_options */
    double prior;     /* likewise; 0.5. The knn decision does not use it */
    double threshold; /* the probability from which pairs are the same; 0: the model's own */
    const film_operating *operating; /* tell what threshold this file would choose; NULL: do not */
    const film_model *against;       /* a second model, compared on the same rows, or NULL */
    const char *names[2]; /* what to call the two; NULL: "the first model", "the second" */
    const char *pool;     /* a file whose sentences are searched for duplicates, or NULL */
    film_table_options pool_table;
    size_t pool_queries; /* search for the first so many duplicates; 0: all */
    size_t bootstrap;    /* resamples for the confidence intervals, 1000; 0: none */
    uint64_t seed;
    int threads; /* 0: all cores */
    film_job
        *job; /* processes that share the work; the figures are the first one's. NULL: this one */
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

/* ---- A report -------------------------------------------------------------------------- */

typedef struct film_report_options {
    const char *name;         /* what to call the model; NULL: "model" */
    const char *eval;         /* a labelled file to measure it on, or NULL */
    const char *const *train; /* the files it was trained on, or NULL */
    size_t train_count;
    const char *pool;    /* a file whose sentences are searched for duplicates, or NULL */
    const char *compare; /* a CSV of other systems to show beside it (docs/report.md), or NULL */
    film_table_options eval_table, train_table, pool_table;
    uint64_t seed; /* 1 */
    int threads;   /* 0: all cores */
    film_progress progress;
} film_report_options;

FILM_API void film_report_defaults(film_report_options *options);

/* Writes one HTML file that needs nothing else, "-": to standard output. It shows how the model
 * learned, how good it is, what it gets wrong, what it looks at, and what is wrong with the data; what the
 * files given do not allow is said in a line. docs/report.md explains each part. OPTIONS may be NULL. */
FILM_API film_status film_report(const film_model *model, const film_report_options *options,
                                 const char *path, film_error *error);

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

/* ---- BERT encoders and black boxes ----------------------------------------------------- */

/* Lets film_open open models with a BERT encoder or a black box. Call once before opening;
 * film_train does it itself. Any thread, any number of times. */
FILM_API void film_train_register(void);

/* A network somebody else trained, in a Hugging Face folder as downloaded: sentences to vectors,
 * without anything learned from your data. docs/bert.md says which can be read. Never changes when used. */
typedef struct film_bert film_bert;

FILM_API film_status film_bert_open(const char *folder, film_bert **out, film_error *error);
/* Rounds it to 8 bits, once, before it is used: faster on machines with AVX-512 VNNI, slightly
 * different vectors. */
FILM_API film_status film_bert_round(film_bert *bert, film_error *error);
FILM_API void film_bert_close(film_bert *bert);
FILM_API size_t film_bert_dim(const film_bert *bert);

/* What was read, as one JSON object. Free with film_free. */
FILM_API film_status film_bert_describe(const film_bert *bert, char **json, film_error *error);

/* OUT (count x dim) = the vectors of TEXTS, pooled as the folder says. THREADS 0: all cores. */
FILM_API film_status film_bert_embed(const film_bert *bert, const film_text *texts, size_t count,
                                     int threads, float *out, film_error *error);

#ifdef __cplusplus
}
#endif
#endif
