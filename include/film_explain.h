/* film_explain.h - explain a pair, a word, a dimension or a model.
 *
 *     film_explanation why = {.size = sizeof why};
 *     if (film_explain_pair(context, film_string("I lost my card"),
 *                           film_string("what if my card is lost?"), &why, &error) == FILM_OK)
 *         for (size_t i = 0; i < why.group_count; i++)
 *             printf("%+.2f  %s\n", why.groups[i].weight, why.groups[i].title);
 *
 * A verdict of film.h has some hundred reasons. An explanation is the same sum, grouped for people:
 * the weight of each word of the two sentences, and the weights of a dozen named groups. Bias,
 * words and groups add up to the log-odds. docs/explanation/explanations.md describes the method.
 * film_types.h has the rules of all calls. This header is part of libfilm. */
#ifndef FILM_EXPLAIN_H
#define FILM_EXPLAIN_H

#include "film.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- A pair --------------------------------------------------------------------------------- */

/* A word of a sentence and its share of the log-odds. A reason that concerns several words gives
 * each of them an equal part. */
typedef struct film_word_share {
    /* A range of the sentence. */
    film_text text;
    /* 'a' or 'b', and the word's bytes in that sentence. */
    char side;
    size_t start, end;
    double weight;
    /* A model with a BERT encoder: how much the similarity changes when the word is left out. These
     * are trials and do not add up. Only the first 64 words of a long sentence are tried. */
    double left_out;
} film_word_share;

/* The reasons of one family that concern no single word: name "numbers", title "Numbers and dates".
 * A reason of two families is in both groups, with half of its weight in each. */
typedef struct film_reason_group {
    const char *id; /* stable, such as "black_box" */
    const char *name, *title;
    /* The sum of the weights of its reasons. */
    double weight;
    /* The strongest first. */
    const film_reason *reasons;
    size_t reason_count;
} film_reason_group;

/* A word of a and a word of b, as numbers in film_explanation.words, and what the two add to the
 * similarity of the vectors. The shares of all pairs of words add up to the similarity; in a
 * Euclidean model they add up to the product of the vectors. Only the first 64 words of a long
 * sentence are considered. */
typedef struct film_word_link {
    size_t a, b;
    double share;
} film_word_link;

/* A dimension of a BERT encoder and what it adds to the similarity of the vectors. The shares of
 * all dimensions add up as those of film_word_link do. */
typedef struct film_encoder_share {
    size_t dimension;
    double share;
} film_encoder_share;

/* A visible fact about the two sentences: name "numbers", text "numbers differ: 3 / 5". */
typedef struct film_fact {
    const char *name, *text;
} film_fact;

/* A labelled pair from the training data, stored in the model
 * (film_train_options.keep_examples). */
typedef struct film_example {
    film_text a, b;
    int same;
    /* The similarity to the explained pair: the mean over its two sentences. */
    double similarity;
} film_example;

/* A field of two records and its share of the log-odds: that of the words of its values, and that
 * of its traits, which are the reasons of the group "field NAME". A missing value is {NULL, 0}. */
typedef struct film_field_share {
    const char *name, *type;
    film_text a, b;
    double weight, words, traits;
} film_field_share;

/* A place where the sentences differ: words of a, words of b, or one of the two (the other range is
 * empty). The words are compared as the model reads them, so a capital letter is no difference.
 * Only the first 64 words after the common start are compared. Records differ field by field;
 * numbers, dates, codes and addresses of the web differ as whole values, and so does a value that
 * is missing in one record. */
typedef struct film_word_difference {
    film_text a, b;
    size_t a_start, a_end, b_start, b_end;
    /* The sum of the weights of its words; of a whole value, the weight of its field. */
    double weight;
    /* Records: the name of the field; otherwise {NULL, 0}. */
    film_text field;
} film_word_difference;

/* Words of one sentence that are deleted, or replaced by words of the other sentence: at most four
 * adjacent words by at most four. In a record these are words of one field, or its whole value is
 * deleted or replaced by that of the other record. A value that is missing has the empty range at
 * the end of the text. */
typedef struct film_text_edit {
    /* The sentence that is edited, 'a' or 'b', and the bytes that are replaced. */
    char side;
    size_t start, end;
    film_text text;
    /* The bytes of the other sentence that replace them; empty: the words are deleted. */
    film_text by;
    size_t by_start, by_end;
    /* Records: the name of the field, otherwise {NULL, 0}, and whether its whole value is
     * edited. */
    film_text field;
    int value;
} film_text_edit;

/* Edits that reverse the verdict. The edited pair was judged: A and B have PROBABILITY, on the
 * other side of the threshold. */
typedef struct film_reversal {
    /* At most three, those of a first, in the order of the text. None can be left out. */
    const film_text_edit *edits;
    size_t edit_count;
    /* The number of words changed: of each edit the larger of the words removed and inserted. The
     * value of a number, date, code or address of the web counts as one word. */
    size_t words;
    /* The edited sentences or records. */
    film_text a, b;
    double probability;
} film_reversal;

/* The words that cause the weight of a group, as numbers in film_explanation.words: deleting or
 * replacing them takes at least a third of the weight away. At most six; empty: the weight comes
 * from many words. */
typedef struct film_group_cause {
    const size_t *words;
    size_t word_count;
} film_group_cause;

/* The stored pairs of a model: their number, and pair I with the similarity 0. The texts belong to
 * the model. */
FILM_API size_t film_example_count(const film_model *model);
FILM_API film_status film_example_at(const film_model *model, size_t i, film_example *out,
                                     film_error *error);

/* An explanation. All its pointers belong to the context and are valid until its next call. */
typedef struct film_explanation {
    size_t size;
    film_text a, b;
    /* The verdict with all its reasons. */
    film_verdict verdict;
    /* The words of a, then those of b, in the order of the text. */
    const film_word_share *words;
    size_t word_count;
    /* The strongest first. */
    const film_reason_group *groups;
    size_t group_count;
    /* The strongest first, at most ten. Empty for a model with a BERT encoder. */
    const film_word_link *links;
    size_t link_count;
    /* The strongest first, at most ten. Empty without an encoder. */
    const film_encoder_share *encoder;
    size_t encoder_count;
    const film_fact *facts;
    size_t fact_count;
    /* The nearest first, at most three. Empty if the model stores no examples. */
    const film_example *examples;
    size_t example_count;
    /* The fields of records, the strongest first. Empty for a model of sentences. */
    const film_field_share *fields;
    size_t field_count;
    /* What speaks most for the verdict comes first. */
    const film_word_difference *differences;
    size_t difference_count;
    /* Filled by film_explain_reversals. At most three, all with the smallest number of words that
     * was found; empty: no reversal was found. */
    const film_reversal *reversals;
    size_t reversal_count;
    /* Filled by film_explain_reversals: one for each group, in the order of `groups`. */
    const film_group_cause *causes;
    /* The number of edited pairs that were judged. */
    size_t judgements;
} film_explanation;

FILM_API film_status film_explain_pair(film_context *context, film_text a, film_text b,
                                       film_explanation *out, film_error *error);

/* Adds to WHY, the last explanation of this context, what would change the verdict: reversals, and
 * the words that cause each group. It judges at most 200 edited pairs, fewer where the sentences
 * have more than 10,000 bytes together, and at most 60 with a BERT encoder. THRESHOLD is a
 * probability; 0: that of the model. */
FILM_API film_status film_explain_reversals(film_context *context, double threshold,
                                            film_explanation *why, film_error *error);

/* ---- As JSON -------------------------------------------------------------------------------- */

/* These calls return one NUL-terminated JSON value of *LENGTH bytes. LENGTH may be NULL. Free *JSON
 * with film_free. Texts must be valid UTF-8, as matched texts are. Weights have twelve decimals.
 * MOST limits the reasons (in an explanation: of each group) to the strongest. Lists begin with
 * what speaks for the verdict, the strongest first; what speaks against it follows. A reason
 * without a word has the id and the title of its group (group, title), beside its own id and
 * text. */
#define FILM_ALL_REASONS SIZE_MAX

/* {a, b, probability, same, similarity, log_odds, bias, reasons: [{kind, id, text, side, span,
 * weight}]}. Reasons that MOST leaves out, unless it is 0, are summed up in one last entry of the
 * kind "others": bias and weights still add up to the log-odds. */
FILM_API film_status film_verdict_json(film_text a, film_text b, const film_verdict *verdict,
                                       size_t most, char **json, size_t *length, film_error *error);

/* The reasons alone, as an array. */
FILM_API film_status film_reasons_json(const film_verdict *verdict, size_t most, char **json,
                                       size_t *length, film_error *error);

/* The reasons summed up by group: [{id, name, title, weight}]. All reasons about words are one
 * group with the id "words". With the bias, the weights add up to the log-odds if the verdict has
 * all of its reasons. */
FILM_API film_status film_groups_json(const film_verdict *verdict, char **json, size_t *length,
                                      film_error *error);

/* As film_verdict_json, from an explanation, and fields, differences, reversals and judgements as
 * in film_explanation_json. */
FILM_API film_status film_match_json(const film_explanation *explanation, size_t most, char **json,
                                     size_t *length, film_error *error);

/* {a, b, probability, same, similarity, log_odds, bias, words: [{text, side, span, weight}],
 * groups: [{id, name, title, weight, reasons}], links: [{a: {text, span}, b: {text, span}, share}],
 * facts: [{name, text}], examples: [{a, b, same, similarity}], differences: [{a: {text, span},
 * b: {text, span}, weight}]}. Records a and b are objects, and there are fields: [{name, type, a,
 * b, weight, words, traits}]; wherever there is a span, `field` names the field, and the span
 * counts the bytes of its value. With a BERT encoder there are also words[].left_out and encoder:
 * [{dimension, share}]. After film_explain_reversals there are also groups[].causes: [{text, side,
 * span}], judgements, and reversals: [{words, probability, a, b, edits: [{side, text, span, by,
 * by_span}]}]; edits of a whole value of a record have value: true. */
FILM_API film_status film_explanation_json(const film_explanation *explanation, size_t most,
                                           char **json, size_t *length, film_error *error);

/* ---- What a model learned ------------------------------------------------------------------- */

/* Each of these calls returns one JSON object; free it with film_free.
 * docs/explanation/explanations.md describes the fields. MOST is the length of each list, at most
 * 1000; 0: 10. */

/* Explains a dimension of the vectors: the words with the highest and lowest weights, how
 * concentrated it is on few words, and the stored examples at its ends. With FILM_ALL_FEATURES as
 * MOST, the list `features` has every weight of the dimension, in the order of the ids. FILM_USAGE:
 * the dimension does not exist. */
#define FILM_ALL_FEATURES SIZE_MAX
FILM_API film_status film_explain_dimension(const film_model *model, size_t dimension, size_t most,
                                            char **json, film_error *error);

/* Explains a word: the dimensions it drives, the words nearest to it, its weight as evidence.
 * FILM_USAGE: the model does not know the word. */
FILM_API film_status film_explain_word(const film_model *model, film_text word, size_t most,
                                       char **json, film_error *error);

/* Explains a model: the words with the lowest and highest learned weights, and the weights of the
 * traits. */
FILM_API film_status film_explain_model(const film_model *model, size_t most, char **json,
                                        film_error *error);

#ifdef __cplusplus
}
#endif
#endif
