/* film.h - decide whether two sentences mean the same, with reasons.
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
 * film_types.h has the rules of all calls: errors, memory, threads, text, options. The other
 * headers: film_explain.h (explanations), film_io.h (tables and files), film_pool.h (storing and
 * searching many sentences) and film_train.h (training and evaluating models). */
#ifndef FILM_H
#define FILM_H

#include "film_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- A model -------------------------------------------------------------------------------- */

/* A model never changes. It must outlive its contexts. */
typedef struct film_model film_model;

/* Opens a model file: maps it and checks its structure and checksums. It returns FILM_NEEDS_LIBRARY
 * if the model has a neural network and film_train_register (film_train.h) was not called. Do not
 * change the file in place while it is open; replacing it with another file is safe. */
FILM_API film_status film_open(const char *path, film_model **out, film_error *error);
/* The same, but copies the file into private memory, for servers: whatever happens to the file
 * later has no effect. */
FILM_API film_status film_open_private(const char *path, film_model **out, film_error *error);
/* Opens a model file that is already in memory. The SIZE bytes are used in place: they must neither
 * change nor be freed before film_close. Arrays that are not aligned for their type are copied. */
FILM_API film_status film_open_memory(const void *bytes, size_t size, film_model **out,
                                      film_error *error);
FILM_API void film_close(film_model *model);

/* Adds what is known about words to an open model, before it has a context: one relation per line,
 * as for film_train_options.words. The model need not be trained again; film_save keeps them. */
FILM_API film_status film_add_words(film_model *model, const char *path, film_error *error);

/* How a BERT encoder computes. 8 bits are several times as fast on processors that multiply bytes
 * (AVX-512 VNNI), and slower on others; vectors differ slightly (docs/explanation/bert.md). */
typedef enum film_arithmetic {
    FILM_ARITHMETIC_OWN = 0, /* as the model was trained */
    FILM_ARITHMETIC_FLOAT,
    FILM_ARITHMETIC_INT8
} film_arithmetic;

/* Chooses how the encoder of an open model computes, before the model has a context or is shared by
 * threads. It is not saved with the model. FILM_USAGE for a model without an encoder, unless the
 * choice is OWN. */
FILM_API film_status film_set_arithmetic(film_model *model, film_arithmetic arithmetic,
                                         film_error *error);

/* Sets a function that is called when a model needs an encoder and film_train_register was not
 * called yet. It may load libfilm-train and call film_train_register. Any thread may call it. */
FILM_API void film_set_encoder_loader(void (*load)(void *user), void *user);

/* Writes a model to a temporary file, syncs it and renames it. PATH is always a complete file,
 * either the old one or the new one. */
FILM_API film_status film_save(const film_model *model, const char *path, film_error *error);

/* ---- Editing -------------------------------------------------------------------------------- */

typedef enum film_edit_action {
    /* The weight becomes `weight`; a relation is added. */
    FILM_EDIT_SET = 0,
    /* `weight` is added to the weight; a relation is added. */
    FILM_EDIT_ADD,
    /* The weight becomes 0; a relation is removed. */
    FILM_EDIT_REMOVE,
    FILM_EDIT_ACTION_COUNT
} film_edit_action;

typedef struct film_edit {
    size_t size;
    film_edit_action action;
    /* What is edited:
     *     "alone:card"        the weight of a word that only one sentence has
     *     "shared:card"       the weight of a word that both have
     *     "stolen / damaged"  the weight of one word in one sentence, the other in the other
     *     "car = automobile"  a relation: they mean the same
     *     "open ! closed"     they are opposites
     *     "poodle > dog"      the second may replace the first
     * Words with a weight must be in the model's vocabulary. Relations take any phrases. */
    const char *what;
    /* In log-odds, as film_explain_word shows it, between -100 and 100. In a pair, words of one
     * kind share a total length of 1: a weight is the most that the word can add. */
    double weight;
    /* Recorded in the model and shown by film_describe; may be NULL. */
    const char *reason, *date;
} film_edit;

/* Edits a model in memory; film_save writes it. No context and no other thread may use the model.
 * FILM_USAGE: the word is unknown, the relation to remove is not listed. */
FILM_API film_status film_edit_model(film_model *model, const film_edit *edit, film_error *error);

/* The length of a sentence vector; 0 for a model of features alone. */
FILM_API size_t film_dim(const film_model *model);

/* Settings, sizes and training figures as one JSON object. Free it with film_free. */
FILM_API film_status film_describe(const film_model *model, char **json, film_error *error);

/* ---- A context ------------------------------------------------------------------------------ */

/* Scratch space for the calls of one thread. Free it before its model is closed. */
typedef struct film_context film_context;

FILM_API film_status film_context_new(const film_model *model, film_context **out,
                                      film_error *error);
FILM_API void film_context_free(film_context *context);

/* How a verdict is computed. */
typedef enum film_decision {
    /* FULL if the model has a full decision, otherwise THRESHOLD. */
    FILM_DECISION_AUTO = 0,
    /* Word evidence, traits and memory. */
    FILM_DECISION_FULL,
    /* The similarity of the two vectors alone. */
    FILM_DECISION_THRESHOLD,
    FILM_DECISION_COUNT
} film_decision;

/* A prior: the share of duplicates among the labelled pairs that chose the model's threshold. */
#define FILM_PRIOR_AUTO (-1.0)

typedef struct film_answer_options {
    size_t size;
    film_decision decision;
    /* The prior probability that two sentences mean the same, or FILM_PRIOR_AUTO; 0: 0.5. It shifts
     * the bias by log(prior / (1 - prior)). */
    double prior;
    /* Decision FULL: ignore which questions were labelled in training. */
    int no_memory;
    /* film_match: do not compute reasons, which is faster. */
    int no_reasons;
    /* film_match: return at most this number of reasons, the strongest; 0: all reasons, which add
     * up to the log-odds. */
    size_t most_reasons;
    /* Calls for many pairs: the number of threads; 0: all cores. */
    int threads;
    /* Reserved for later options; must be zero. */
    void *reserved[4];
} film_answer_options;

/* Sets the options of all later calls with this context. `threads` has no effect here. */
FILM_API film_status film_context_set(film_context *context, const film_answer_options *options,
                                      film_error *error);

/* ---- Records -------------------------------------------------------------------------------- */

/* A model trained on records compares field by field. A record is a text too, made by these calls,
 * and goes wherever a sentence does: film_match, film_embed, a pool. Fields that the model does not
 * have are compared as words of the record only; those that are missing count as missing. */

/* The number of fields of a model; 0: it compares sentences. */
FILM_API size_t film_field_count(const film_model *model);

/* The name and the type ("text", "money", ...) of a field, by its number; NULL: there is none. */
FILM_API const char *film_field_name(const film_model *model, size_t number);
FILM_API const char *film_field_type(const film_model *model, size_t number);

/* *TEXT = the record with these COUNT names and values, NUL-terminated; free it with film_free. */
FILM_API film_status film_record_text(const film_text *names, const film_text *values, size_t count,
                                      char **text, film_error *error);

/* The same from a JSON object, {"title": "...", "price": 10}. */
FILM_API film_status film_record_json(film_text json, char **text, film_error *error);

/* Reads the next field of a record; *AT starts at 0. Returns 0 after the last field, and at once
 * for a sentence. */
FILM_API int film_record_next(film_text text, size_t *at, film_text *name, film_text *value);

/* Checks a record before it is compared: FILM_BAD_INPUT if it has a field that MODEL does not
 * compare, or no value at all; the message lists the fields of the model. A model of sentences
 * takes every record, a model with 32 fields has more columns than it lists, and a sentence
 * passes. */
FILM_API film_status film_record_check(const film_model *model, film_text text, film_error *error);

/* ---- Vectors -------------------------------------------------------------------------------- */

/* How two vectors are compared. A model is trained for one of these. */
typedef enum film_similarity {
    FILM_COSINE = 0,
    FILM_DOT,
    /* Minus the squared distance. */
    FILM_EUCLIDEAN,
    FILM_SIMILARITY_COUNT
} film_similarity;

/* Fills OUT with the vector of a sentence, film_dim(model) floats. They are all zero when the model
 * knows no word of the sentence. */
FILM_API film_status film_embed(film_context *context, film_text text, float *out,
                                film_error *error);

/* The same for COUNT sentences in parallel; OUT is count x dim. THREADS 0: all cores. */
FILM_API film_status film_embed_batch(const film_model *model, const film_text *texts, size_t count,
                                      int threads, float *out, film_error *error);

/* ---- Verdicts ------------------------------------------------------------------------------- */

/* One reason of a verdict. The weights of all reasons and the bias of the verdict add up to its
 * log-odds. */
typedef struct film_reason {
    /* "word": a word that is shared or on one side only. "opposed", "beside", "replaced", ...: two
     * words or phrases together. "trait": a named fact or similarity, or two of them. "memory":
     * both questions are known. "start": the verdict of the model that training began from.
     * "identical": the same words in the same order. "guarantee": only
     * a number, a negation, an opposite or the roles of two words differ.
     * docs/explanation/how-it-decides.md explains each. */
    const char *kind;
    /* The word as the model reads it, or the title of a trait, which may change between versions.
     * It is not NUL-terminated. */
    const char *text;
    size_t text_length;
    /* The sentence that has the word, 'a' or 'b', and the word's bytes in it; 0: no sentence. */
    char side;
    size_t start, end;
    /* The second word or phrase. Where there is none, other_side is 0. */
    const char *other;
    size_t other_length;
    char other_side;
    size_t other_start, other_end;
    /* The reason's share of the log-odds. */
    double weight;
    /* The family of a reason without a word, such as "numbers" or "memory". For a reason with two
     * traits, other_family is the family of the second. NULL otherwise. */
    const char *family, *other_family;
    /* A stable id for programs, which no version changes. It is the id of a trait, such as
     * "unshared_numbers_max", or of a kind: "word", "replaced_after", "memory_same", "identical",
     * ... For a reason with two traits, other_id is the id of the second; otherwise it is NULL.
     * docs/explanation/how-it-decides.md lists all ids. */
    const char *id, *other_id;
} film_reason;

typedef struct film_verdict {
    /* The probability that the two sentences mean the same. */
    double probability;
    /* Whether the probability reaches the model's operating point (film_train.h). */
    int same;
    /* The similarity of the two vectors. */
    double similarity;
    double log_odds;
    double bias;
    /* The reasons, the strongest first. They belong to the context and are valid until its next
     * call. */
    const film_reason *reasons;
    size_t reason_count;
} film_verdict;

/* Decides whether two sentences mean the same. */
FILM_API film_status film_match(film_context *context, film_text a, film_text b,
                                film_verdict *verdict, film_error *error);

/* The same for COUNT pairs (a[i], b[i]) in parallel, without reasons. */
FILM_API film_status film_match_batch(const film_model *model, const film_text *a,
                                      const film_text *b, size_t count,
                                      const film_answer_options *options, film_verdict *verdicts,
                                      film_error *error);

/* The probabilities alone, those of film_match as float. */
FILM_API film_status film_score_batch(const film_model *model, const film_text *a,
                                      const film_text *b, size_t count,
                                      const film_answer_options *options, float *probability,
                                      film_error *error);

/* ---- Categories ----------------------------------------------------------------------------- */

/* The number of categories of a model trained on categories; 0: it has none. */
FILM_API size_t film_category_count(const film_model *model);

typedef struct film_classify_options {
    size_t size;
    /* The number of categories to return, the most probable first; 0: 1. */
    size_t top;
    /* The number of nearest examples to return; 0: 3. At most 30. */
    size_t examples;
    /* Answer "none" from this probability of none on; 0: the one learned in training, which answers
     * about 95 % of the sentences that have a category. */
    double threshold;
    /* film_classify_many: the number of threads; 0: all cores. */
    int threads;
    /* Never answer "none": the best category, however probable. Probabilities stay as they are. */
    int always;
    /* Reserved for later options; must be zero. */
    void *reserved[4];
} film_classify_options;

typedef struct film_category {
    film_text name;
    /* The probabilities of all categories and of none add up to 1. */
    double probability;
} film_category;

/* A word that speaks for the first category (weight above 0) or against it. The weights of all
 * words add up to the category's score by words, compared with the mean of all categories. */
typedef struct film_category_reason {
    film_text word;
    /* Its bytes in the sentence. */
    size_t start, end;
    double weight;
} film_category_reason;

/* A sentence of the training data. */
typedef struct film_category_example {
    film_text text, category;
    /* The cosine of the two sentence vectors. */
    double similarity;
} film_category_example;

typedef struct film_classification {
    /* Whether none of the categories applies. `categories` has the most probable even then. */
    int none;
    /* The probability that none applies. One query in ten is assumed to belong to none. */
    double none_probability;
    const film_category *categories;
    size_t category_count;
    /* At most 10, the strongest first. */
    const film_category_reason *reasons;
    size_t reason_count;
    /* The nearest first. There are none for a model without vectors. */
    const film_category_example *examples;
    size_t example_count;
    /* `none` is 1 from this none_probability on: the option, or what training chose. */
    double threshold;
} film_classification;

/* Called once per sentence, in their order, from the calling thread; NUMBER is counted from 0.
 * Everything that RESULT points to is valid during the call. Return non-zero to stop. */
typedef int (*film_classification_fn)(void *user, size_t number, const film_classification *result);

/* Returns the category of each of COUNT sentences, or none. FILM_USAGE for a model without
 * categories. */
FILM_API film_status film_classify_many(const film_model *model, const film_text *texts,
                                        size_t count, const film_classify_options *options,
                                        film_classification_fn call, void *user, film_error *error);

/* The results as one JSON object: category, probability, none, none_probability, threshold,
 * categories, reasons and examples. Free it with film_free. */
FILM_API film_status film_classification_json(const film_classification *result, char **json,
                                              film_error *error);

#ifdef __cplusplus
}
#endif
#endif
