/* film_train.h - train a model from files, write a report, split files.
 *
 *     film_train_options options = {.size = sizeof options, .dev = "dev.tsv"};
 *     const char *files[] = {"pairs.tsv"};
 *     film_model *model = NULL;
 *     if (film_train(files, 1, &options, &model, &error) == FILM_OK)
 *         film_save(model, "pairs.film", &error);
 *     film_close(model);
 *
 * film_types.h has the rules of all calls. film_eval.h, which this header includes, measures
 * models. Both are part of libfilm-train.
 * */
#ifndef FILM_TRAIN_H
#define FILM_TRAIN_H

#include "film_eval.h"

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
    /* A convolutional network on the tokens of a BERT encoder or on the vectors of words, for
     * comparison. It cannot be explained (docs/explanation/black-box.md). */
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

typedef struct film_train_options {
    size_t size;
    film_table_options table;
    /* Labelled pairs in memory, such as those of a pool (film_pool_labelled_pairs). They follow the
     * rows of the files, or are the only rows. Method MFILM streams files and takes none. */
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
    /* How the encoder computes, here and in the model. OWN is FLOAT. */
    film_arithmetic arithmetic;
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
    film_progress progress;
    film_paper_options paper;
    /* A file of word vectors in the text format of word2vec, GloVe or fastText, plain or compressed
     * (docs/how-to/use-word-vectors.md). A sentence is then the idf-weighted mean of its words'
     * vectors, with a map on top (methods FILM and SVD) or none (TFIDF); method DEEP reads the
     * vectors in the order of the words. The model has the vectors of the words that occur in
     * training. NULL: vectors are learned from the sentences. */
    const char *vectors;
    /* Sentences in memory without labels, such as all those of a pool. Vocabulary, rarity and
     * vectors are learned from them too. Files without labels may also be mixed with labelled ones.
     * Method MFILM takes none. */
    const film_text *sentences;
    size_t sentence_count;
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
    /* A model whose edits (film_edit_model) are repeated on the trained model; NULL: none. Edits of
     * words that the new model does not know are skipped and logged. */
    const film_model *edits;
    /* Choose the method as for this number of labelled pairs, so that cross-validation trains the
     * kind of model that all pairs would give; 0: the number of pairs. */
    size_t plan_pairs;
    /* A model of other data to begin from. Its verdict is one term of the decision, whose weight
     * cross-validation on the own labels chooses: large with few of them, 0 where it does not help.
     * The trained model includes it. NULL: what the model of `edits` began from, or none. */
    const char *start;
    /* The share of duplicates among pairs drawn at random, where the labelled pairs were chosen
     * otherwise (film_review_estimate.share); 0: that of the labelled pairs. */
    double random_share;
} film_train_options;

/* *JSON = the fields that training would compare in the records of a file, with their guessed
 * types: [{"name": "title", "type": "text"}, ...]; [] for a file of sentences. At most 20,000 rows
 * are read. Free *JSON with film_free. */
FILM_API film_status film_guess_fields(const char *path, const film_table_options *options,
                                       char **json, film_error *error);

/* Learns a model from one or several files: labelled ones of the same layout, and files of plain
 * sentences. With fewer than 300 labelled pairs only the weights of the traits are learned from
 * them, shrunk towards the decision without labels.
 *
 * Tables of records (film_table_options.fields) are compared field by field. Unless an operating
 * point or a prior is given, their threshold is the best for F1 at the file's own share of
 * duplicates; 100 labelled pairs suffice to learn from.
 *
 * After an error, or when training is cancelled, *OUT is NULL. */
FILM_API film_status film_train(const char *const *paths, size_t count,
                                const film_train_options *options, film_model **out,
                                film_error *error);

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
