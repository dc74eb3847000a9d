/* film_train.h - train a model from files, evaluate it, write a report, split files.
 *
 *     film_train_options options = {.size = sizeof options, .dev = "dev.tsv"};
 *     const char *files[] = {"pairs.tsv"};
 *     film_model *model = NULL;
 *     if (film_train(files, 1, &options, &model, &error) == FILM_OK)
 *         film_save(model, "pairs.film", &error);
 *     film_close(model);
 *
 * film_types.h has the rules of all calls. This header is part of libfilm-train.
 */
#ifndef FILM_TRAIN_H
#define FILM_TRAIN_H

#include "film.h"
#include "film_io.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Training a model ----------------------------------------------------------------------- */

/* Feature groups, a bit set: words, pairs of neighbouring words, character n-grams. */
enum { FILM_WORD = 1, FILM_BIGRAM = 2, FILM_CHAR = 4 };

/* How the map from features to vectors is learned. docs/explanation/methods.md compares the
 * methods. */
typedef enum film_method {
    /* RANK with labels, SVD without. */
    FILM_METHOD_AUTO = 0,
    /* Only the features, without a map: sentences have no dense vectors. */
    FILM_METHOD_TFIDF,
    /* Only a truncated SVD, which needs no labels. */
    FILM_METHOD_SVD,
    /* The method of the paper: an SVD, then a subspace learned from triplets, full batch. */
    FILM_METHOD_FILM,
    /* The same in mini-batches, in constant memory. */
    FILM_METHOD_MFILM,
    /* A map learned on the features themselves by a ranking loss. */
    FILM_METHOD_RANK,
    /* A convolutional network on the tokens of a BERT encoder, for comparison. It cannot be
     * explained (docs/explanation/black-box.md). */
    FILM_METHOD_DEEP,
    FILM_METHOD_COUNT
} film_method;

/* Options of methods FILM and MFILM. docs/explanation/methods.md has the mathematics. */
typedef struct film_solver_options {
    /* p of Sigma^-p, which is 1 in the paper; 0: 0.5. */
    double power;
    /* The starting subspace. 1: eigenvectors. 2: uniformly random, with random weights, as in the
     * paper. 3: a random rotation of the strongest directions. 0: 3, or 2 with `paper`. */
    int eigen;
    /* The margin over the mean squared length of a vector; 0: 0.5. */
    double margin_ratio;
    /* For each anchor: at most this number of positives; 0: 5. */
    size_t positives;
    /* For each anchor: at most this number of labelled, hard and random negatives; 0: 5, 3, 5. */
    size_t labelled, hard, random;
    /* At most this number of iterations; 0: 12. */
    size_t iterations;
    /* FILM: steps between two updates of the active hinges; 0: 1. */
    size_t inner;
    /* Stop when the gradient is shorter; 0: 1e-5. */
    double epsilon;
    /* Stop when the relative change of the objective stays smaller; 0: 1e-7. */
    double least_change;
    /* The line search: the share of the slope that a step must gain (0: 1e-4), the memory of the
     * non-monotone search (0: 0.85), the factor of a shortened step (0: 0.2), the length of the
     * first step (0: 1e-3). */
    double rho, gamma, shrink, first_tau;
    /* MFILM: an SVD of every batch, as in the public code of FLRML; for comparison only. */
    int batch_basis;
    /* MFILM: at most this number of sentences for the vocabulary and the SVD; 0: 200,000. */
    size_t sample;
} film_solver_options;

/* More options of methods FILM and MFILM, about the letter of the paper
 * (docs/explanation/paper.md). */
typedef struct film_paper_options {
    /* Every option that is 0 gets the value of the paper instead of the default: power 1, min_df 1,
     * hinge weights, uniform start, absolute margin, at most 500 iterations, the last iterate, and
     * a threshold as decision. */
    int letter;
    /* The weights of the columns. 1: log(1 + e^k), 2: max(0, k), as in the paper; 0: 1. */
    int weights;
    /* The iterate to return. 1: the best on the dev or held-out pairs, 2: the last; 0: 1. */
    int keep;
    /* The margin itself. 0: `margin_ratio` determines it. */
    double margin;
    /* FILM: average the active hinges over the iterations, which makes training converge. */
    int damped;
} film_paper_options;

/* Options of methods RANK and DEEP. */
typedef struct film_rank_options {
    /* The first step size; 0: 0.05 for RANK, 0.001 for DEEP. */
    double rate;
    /* The sharpness of the softmax, up to 40; 0: 14. */
    double temperature;
} film_rank_options;

typedef enum film_loss { FILM_LOSS_TRIPLET = 0, FILM_LOSS_NPAIR, FILM_LOSS_COUNT } film_loss;

/* Options of method DEEP. */
typedef struct film_deep_options {
    /* The number of tokens read of a sentence, 32 to 512; 0: 32. */
    size_t tokens;
    /* The maps of the four layers; 0: 16, 32, 32, 16. Hoffer & Ailon have 64, 128, 256, 128. */
    size_t maps[4];
    film_loss loss;
    /* The margin of the triplet loss, between cosines; 0: 0.3. */
    double margin;
    /* The share of the last layer's inputs that training leaves out; 0: 0.1. */
    double dropout;
} film_deep_options;

/* How the operating point is chosen, which is the threshold for "same". */
typedef enum film_criterion {
    FILM_ACCURACY = 0,
    FILM_F1,
    /* The lowest threshold whose precision is at least the target with 95 % confidence. Pairs of
     * the same sentence count as dependent. If there is none, the strictest threshold. */
    FILM_PRECISION,
    /* The highest threshold whose recall is at least the target with 95 % confidence. */
    FILM_RECALL,
    FILM_CRITERION_COUNT
} film_criterion;

typedef struct film_operating {
    film_criterion criterion;
    /* The precision or recall to reach: above 0, up to 1. */
    double target;
} film_operating;

typedef struct film_train_options {
    size_t size;
    film_table_options table;
    /* Labelled pairs in memory, such as those of a pool (film_pool_labelled_pairs). They follow the
     * rows of the files, or are the only rows. Method MFILM streams files and takes none. In a job
     * the pairs of the first process count. */
    const film_pair *pairs;
    size_t pair_count;
    /* A labelled file to choose the threshold on; NULL: rows held out from training. */
    const char *dev;
    film_operating operating;
    /* The share of duplicates that the threshold is chosen for. FILM_PRIOR_AUTO: the share in the
     * file that chooses it. 0: 0.5, but FILM_PRIOR_AUTO for a precision or recall. */
    double prior;
    /* Without `dev` and without a full decision: learn from this share of the rows and choose the
     * threshold on the others; 0: 0.8. */
    double train_share;
    /* FULL: learn word evidence and traits on top of the map. THRESHOLD: one threshold on the
     * similarity. AUTO: FULL where there are enough labels. */
    film_decision decision;
    /* FULL: do not store which questions were labelled. */
    int no_memory;
    /* Store this number of labelled pairs, drawn at random, in the model. Explanations
     * (film_explain.h) show the nearest. At most 10,000; 0: none. */
    size_t keep_examples;
    /* FILM_WORD | FILM_BIGRAM | FILM_CHAR; 0: the default of the method. */
    unsigned features;
    /* Keep features that occur in at least this number of sentences; 0: 2, or 1 with `vectors`. */
    size_t min_df;
    /* Keep this number of features of each group, the most frequent; 0: all. */
    size_t max_features;
    /* A Snowball language ("english"); NULL: words are not stemmed. */
    const char *stem;
    /* Words to leave out: "english", or a file with a word per line; NULL: none. */
    const char *stop;
    /* A Hugging Face folder with a BERT encoder (docs/explanation/bert.md). Sentence vectors then
     * come from the encoder, with a map on top (methods FILM and SVD) or a network on top (DEEP).
     * The encoder becomes part of the model. A full decision learns the weight of the vectors on
     * the dev file, which should contain nothing that the encoder was trained on; without a dev
     * file, on held-out rows. NULL: vectors are made from words. */
    const char *bert;
    /* A folder that caches the vectors of the encoder for the next training; NULL: no cache. */
    const char *cache;
    film_method method;
    film_similarity similarity;
    /* The rank of the SVD; 0: 256. */
    size_t rank;
    /* The length of a sentence vector; 0: 200 for RANK, 100 for FILM, otherwise the rank. */
    size_t dim;
    /* RANK, DEEP: passes over the pairs; 0: 2 and 1. MFILM: passes over the files; 0: one, or as
     * many as `solver.iterations` batches need. */
    size_t epochs;
    /* RANK, DEEP: pairs per step; 0: 1024 and 64. MFILM: anchors per batch; 0: 8192. */
    size_t batch;
    film_solver_options solver;
    film_rank_options ranking;
    film_deep_options deep;
    uint64_t seed;
    int threads;
    /* Processes that train together. Each gets a model, but only the first one's is complete: save
     * that one. NULL: this process alone. */
    film_job *job;
    film_progress progress;
    /* Methods FILM, RANK and DEEP: a checkpoint file, written atomically when training is cancelled
     * and every `checkpoint_every` seconds. It remains when training is complete: remove it after
     * the model was saved. NULL: none. */
    const char *checkpoint;
    /* Seconds between two checkpoints; 0: 60. */
    double checkpoint_every;
    /* Write the checkpoint only when training is cancelled. */
    int checkpoint_only_when_cancelled;
    /* Continue from the checkpoint. Files and options must be those of the cancelled run, except
     * for threads, progress, operating, prior, keep_examples, the two options above and more
     * solver.iterations. Anything else is FILM_BAD_INPUT, as is a missing or damaged checkpoint.
     * The model is byte-for-byte identical to that of an uninterrupted run. */
    int resume;
    film_paper_options paper;
    /* A file of word vectors in the text format of word2vec, GloVe or fastText, plain or compressed
     * (docs/how-to/use-word-vectors.md). A sentence is then the idf-weighted mean of its words'
     * vectors, with a map on top (methods FILM and SVD) or none (TFIDF). The model has the vectors
     * of the words that occur in training. NULL: vectors are learned from the sentences. */
    const char *vectors;
    /* FULL: a text file of word relations, one per line: "a = b" (the same), "a ! b" (opposites),
     * "a > b" (b may replace a); words or phrases of any language. NULL: none. */
    const char *words;
    /* FULL: the installed table of a language (share/film/english.words). It is used where the
     * sentences are in this language; the model has what concerns its words, and all opposites.
     * NULL: none. */
    const char *language;
    /* FULL: do not learn from edited sentences, which show near misses such as an opposite, a
     * negation or another number. */
    int no_made_up;
} film_train_options;

/* Learns a model from one or several files of the same layout.
 *
 * When training is cancelled while a map or the decision is learned, it returns FILM_CANCELLED and
 * sets *OUT to the best model so far, with a threshold instead of a decision, calibrated and ready
 * to save and use. The message contains the progress ("stopped after 7 of 20 iterations"). The same
 * happens with FILM_IO when a checkpoint cannot be written. After any other error *OUT is NULL. */
FILM_API film_status film_train(const char *const *paths, size_t count,
                                const film_train_options *options, film_model **out,
                                film_error *error);

/* ---- Measuring a model ---------------------------------------------------------------------- */

/* How pairs are decided when a model is evaluated. */
typedef enum film_eval_decision {
    /* These three are those of film_decision. */
    FILM_EVAL_AUTO = 0,
    FILM_EVAL_FULL,
    FILM_EVAL_THRESHOLD,
    /* The rule of the paper: pairwise kNN with the best k of the sweep. */
    FILM_EVAL_KNN,
    FILM_EVAL_DECISION_COUNT
} film_eval_decision;

/* "auto", "full", "threshold" or "knn". */
FILM_API const char *film_eval_decision_name(film_eval_decision decision);

/* When pairwise kNN calls two sentences similar. */
typedef enum film_knn {
    /* Each is among the other's k nearest. */
    FILM_KNN_MUTUAL = 0,
    /* One is among the other's k nearest. */
    FILM_KNN_EITHER,
    FILM_KNN_COUNT
} film_knn;

/* "mutual" or "either". */
FILM_API const char *film_knn_name(film_knn knn);

typedef struct film_eval_options {
    size_t size;
    film_table_options table;
    /* The sweep of pairwise kNN over k; 0, 0: 1 to 55. */
    size_t k_first, k_last;
    /* Skip the sweep. */
    int no_knn;
    film_knn knn;
    film_eval_decision decision;
    /* As in film_answer_options, but FILM_PRIOR_AUTO is the share of duplicates in this file. The
     * kNN decision does not use the prior. */
    int no_memory;
    double prior;
    /* The probability at which pairs are the same; 0: the model's own operating point. */
    double threshold;
    /* Also choose an operating point on this file; NULL: do not. Without a prior, a precision or
     * recall is that of the share of duplicates in the file. */
    const film_operating *operating;
    /* A second model, compared on the same rows; NULL: none. */
    const film_model *against;
    /* The names of the two models; NULL: "the first model", "the second model". */
    const char *names[2];
    /* A file whose sentences are searched for duplicates, and how to read it; NULL: none. */
    const char *pool;
    film_table_options pool_table;
    /* Search for this number of duplicates, the first of the file; 0: all. */
    size_t pool_queries;
    /* Resamples for the confidence intervals; 0: 1000; FILM_NONE: no intervals. */
    size_t bootstrap;
    uint64_t seed;
    int threads;
    /* Processes that share the work. The first one has the figures. NULL: this process alone. */
    film_job *job;
    film_progress progress;
} film_eval_options;

/* A figure and its 95 % bootstrap interval. Each is NaN where it does not apply. */
typedef struct film_figure {
    double value, low, high;
} film_figure;

/* Pairwise kNN with one k: counts and rates. A rate is NaN where the file has no such pairs. */
typedef struct film_knn_point {
    size_t k;
    uint64_t true_positives, false_positives, true_negatives, false_negatives;
    double cross_entropy, accuracy;
    double true_positive_rate, true_negative_rate, false_positive_rate, false_negative_rate;
} film_knn_point;

/* What the rule "same when the probability is at least `threshold`" gives when a share of
 * film_eval_result.prior of the pairs are duplicates. A share is NaN where it is not defined. */
typedef struct film_threshold_point {
    double threshold;
    double precision, recall;
    /* The share of all pairs that are called the same. */
    double called_same;
    /* Whether this is the threshold of the decisions. */
    int used;
} film_threshold_point;

/* The operating point that a file chooses. */
typedef struct film_operating_point {
    film_operating wanted;
    double threshold;
    /* Whether the target is reached with 95 % confidence. */
    int reached;
    double accuracy, precision, recall, f1;
    /* Bounds of the wanted precision or recall, each with 95 % confidence, and the number of pairs
     * it is a share of; NaN and 0 for the other criteria. */
    double low, high;
    uint64_t pairs;
    /* The share of duplicates that the figures hold for. */
    double prior;
} film_operating_point;

/* A figure of two models, and the first minus the second with its 95 % interval. */
typedef struct film_difference {
    double first, second, difference, low, high;
} film_difference;

/* Two models on the same rows. */
typedef struct film_comparison {
    const char *first, *second;
    film_difference accuracy, f1, log_loss, auc, brier, pearson, spearman;
    /* McNemar's test over decisions: the rows that only the first and only the second got right.
     * Scores have no decisions: mcnemar_p is then NaN. The statistic is the chi-square; it is NaN
     * where the exact binomial test was used. */
    uint64_t only_first_right, only_second_right;
    int mcnemar_exact;
    double mcnemar_statistic, mcnemar_p;
    /* 1: the first is better, -1: the second is better, 0: no significant difference. */
    int better;
    /* The conclusion as a sentence. */
    const char *sentence;
} film_comparison;

/* Search quality: the share of queries whose duplicate is among the first 1, 10 and 36 answers, and
 * the mean reciprocal rank. */
typedef struct film_retrieval {
    uint64_t queries, pool;
    double recall_1, recall_10, recall_36, mean_reciprocal_rank;
} film_retrieval;

/* A category of a model on a file. */
typedef struct film_class_figure {
    const char *category;
    /* Rows of the file that have it. */
    uint64_t rows;
    double precision, recall, f1;
} film_class_figure;

/* Rows of CATEGORY that got the category ANSWERED. */
typedef struct film_confusion {
    const char *category, *answered;
    uint64_t count;
} film_confusion;

/* The number of confusions that a result lists at most. */
enum { FILM_CONFUSIONS = 20 };

/* Categories as film_classify_many answers them, before "none" is said. */
typedef struct film_class_result {
    /* The mean F1 of the categories that occur in the file. */
    double macro_f1;
    const film_class_figure *classes;
    size_t class_count;
    /* The most frequent first. */
    const film_confusion *confusions;
    size_t confusion_count;
    /* Rows whose category the model does not have: "none" is right for them. */
    uint64_t unknown_rows;
    /* The area under the ROC curve of the probability of none; NaN without such rows. */
    double none_auroc;
    /* The share of the other rows that are not answered with "none", and the share of unknown rows
     * that are. */
    double answered, refused;
} film_class_result;

/* The result of film_eval (docs/reference/measures.md). Free it with film_eval_result_free. */
typedef struct film_eval_result {
    size_t size;
    /* The memory of the pointers below. */
    void *owned;
    uint64_t rows, sentences, skipped;
    film_labels labels;
    /* The decision that was used; never AUTO. */
    film_eval_decision decision;
    double prior;
    /* The threshold of the options; NaN: the model's own operating point. */
    double threshold;
    /* Labelled pairs and triplets. */
    film_figure accuracy, best_accuracy, log_loss, f1, auc, average_precision, ece, brier;
    double best_threshold;
    film_figure triplet_accuracy;
    /* Scores. */
    film_figure pearson, spearman;
    double pearson_log_odds;
    /* Categories, decided by the nearest 1, 5 and 10 sentences. */
    film_figure category_accuracy[3];
    /* The sweep of pairwise kNN, by rising k. Without a sweep the counts and k are 0. */
    film_knn knn;
    const film_knn_point *knn_points;
    size_t knn_point_count, best_k, elbow_k;
    /* NULL unless the options request it. */
    const film_operating_point *operating;
    const film_comparison *against;
    const film_retrieval *retrieval;
    /* Labelled pairs and triplets: precision and recall of the decisions, and the decisions
     * counted. They are those of the file, with its own share of duplicates. */
    film_figure precision, recall;
    uint64_t true_positives, false_positives, true_negatives, false_negatives;
    /* What other thresholds give at `prior`, by rising threshold. Empty for the kNN decision. */
    const film_threshold_point *thresholds;
    size_t threshold_count;
    /* Categories, for a model that was trained on categories; `accuracy` is theirs then. NULL
     * otherwise. */
    const film_class_result *classes;
} film_eval_result;

/* Measures a model on a labelled file. */
FILM_API film_status film_eval(const film_model *model, const char *path,
                               const film_eval_options *options, film_eval_result *result,
                               film_error *error);
FILM_API void film_eval_result_free(film_eval_result *result);

/* A result as one JSON object: rows, accuracy, best_accuracy, log_loss, f1, precision, ..., ci,
 * confusion, thresholds, knn, retrieval, operating, against; null where a figure does not apply.
 * Free it with film_free. */
FILM_API film_status film_eval_json(const film_eval_result *result, char **json, film_error *error);

/* ---- The paper's decision for new pairs ----------------------------------------------------- */

typedef struct film_neighbour_options {
    size_t size;
    film_table_options table;
    /* Two sentences are the same when they are among each other's k nearest; 0: 36, as the paper
     * chose. */
    size_t k;
    film_knn knn;
    /* A file whose sentences are possible neighbours too, and how to read it; NULL: only those of
     * the pairs. */
    const char *pool;
    film_table_options pool_table;
    int threads;
    film_progress progress;
} film_neighbour_options;

/* Decides the pairs of a file by pairwise kNN. *DEPTH receives one number per row: the smallest k
 * from which its sentences count as the same, 0 for two equal sentences, and the options' k + 1
 * where they do not count as the same. Neighbours are searched exactly, by the model's
 * similarity, among the distinct sentences of the file and the pool. Free *DEPTH with film_free.
 * Returns FILM_USAGE for a model without vectors. */
FILM_API film_status film_neighbours(const film_model *model, const char *path,
                                     const film_neighbour_options *options, uint32_t **depth,
                                     size_t *rows, film_error *error);
/* ---- Categories of another file ------------------------------------------------------------- */

typedef struct film_reference_options {
    size_t size;
    film_table_options table;
    int threads;
    film_progress progress;
} film_reference_options;

/* Replaces the categories that film_classify_many (film.h) chooses from by those of a file of
 * sentences with categories. It learns them in seconds; the map of the model stays. Call it before
 * anything else uses MODEL. */
FILM_API film_status film_set_reference(film_model *model, const char *path,
                                        const film_reference_options *options, film_error *error);

/* ---- A report ------------------------------------------------------------------------------- */

typedef struct film_report_options {
    size_t size;
    /* The name of the model; NULL: "model". */
    const char *name;
    /* A labelled file to measure the model on; NULL: none. */
    const char *eval;
    /* The files it was trained on; NULL: not given. */
    const char *const *train;
    size_t train_count;
    /* A file whose sentences are searched for duplicates; NULL: none. */
    const char *pool;
    /* A CSV of other systems to show beside the model (docs/explanation/report.md); NULL: none. */
    const char *compare;
    film_table_options eval_table, train_table, pool_table;
    uint64_t seed;
    int threads;
    film_progress progress;
} film_report_options;

/* Writes one self-contained HTML file; "-" is standard output. It shows how the model learned, how
 * good it is, what it gets wrong, what it looks at, and what is wrong with the data. A section that
 * needs other files explains what is missing. docs/explanation/report.md explains each section. */
FILM_API film_status film_report(const film_model *model, const film_report_options *options,
                                 const char *path, film_error *error);

/* ---- Splitting a file ----------------------------------------------------------------------- */

typedef struct film_split_options {
    size_t size;
    film_table_options table;
    /* The share of the rows that goes to the training file; 0: 0.8. */
    double train_share;
    uint64_t seed;
    film_progress progress;
    /* Split rows at random, as published splits of Quora are: questions then recur in both files,
     * and having seen a question helps to predict its label. 0: the files share no question. */
    int by_rows;
} film_split_options;

typedef struct film_split_result {
    size_t size;
    uint64_t train_rows, dev_rows;
    /* Groups of connected questions, and the rows of the largest. */
    uint64_t components, largest_component;
    /* Bad rows, with table.skip_bad. */
    uint64_t skipped;
} film_split_result;

/* Splits a file into two files that share no question: rows with connected questions stay together.
 * Both files have the format of the input. RESULT may be NULL. */
FILM_API film_status film_split(const char *path, const char *train_path, const char *dev_path,
                                const film_split_options *options, film_split_result *result,
                                film_error *error);

/* ---- BERT encoders and black boxes ----------------------------------------------------- */

/* Enables film_open to open models with a BERT encoder or a black box. Call it before you open such
 * a model; film_train calls it itself. Any thread may call it, any number of times. */
FILM_API void film_train_register(void);

/* A pretrained BERT encoder, read from a downloaded Hugging Face folder. It maps sentences to
 * vectors and learns nothing from your data. docs/explanation/bert.md lists the supported models.
 * Threads may share it. */
typedef struct film_bert film_bert;

FILM_API film_status film_bert_open(const char *folder, film_bert **out, film_error *error);
/* Quantizes the weights to 8 bits. Call it once, before the first use. It is faster on machines
 * with AVX-512 VNNI and changes the vectors slightly. */
FILM_API film_status film_bert_round(film_bert *bert, film_error *error);
FILM_API void film_bert_close(film_bert *bert);
FILM_API size_t film_bert_dim(const film_bert *bert);

/* Returns the settings of the encoder as one JSON object. Free it with film_free. */
FILM_API film_status film_bert_describe(const film_bert *bert, char **json, film_error *error);

/* Fills OUT (count x dim) with the vectors of TEXTS, pooled as the folder specifies. THREADS 0: all
 * cores. */
FILM_API film_status film_bert_embed(const film_bert *bert, const film_text *texts, size_t count,
                                     int threads, float *out, film_error *error);

#ifdef __cplusplus
}
#endif
#endif
