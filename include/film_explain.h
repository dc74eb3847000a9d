/* film_explain.h - why: of a pair, of a word, of a dimension, of a model.
 *
 *     film_explanation why;
 *     if (film_explain_pair(context, film_string("I lost my card"),
 *                           film_string("what if my card is lost?"), &why, &error) == FILM_OK)
 *         for (size_t i = 0; i < why.group_count; i++)
 *             printf("%+.2f  %s\n", why.groups[i].weight, why.groups[i].title);
 *
 * A verdict of film.h has some hundred reasons. An explanation is the same sum, put together so that it can
 * be read: what each word of the two sentences weighs, and what a dozen named groups weigh. Nothing is left
 * out: bias, words and groups add up to the log-odds. docs/explain.md says how. The rules of film.h hold. */
#ifndef FILM_EXPLAIN_H
#define FILM_EXPLAIN_H

#include "film.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- A pair ----------------------------------------------------------------------------- */

/* A word as it stands in a sentence, and its share of the log-odds: of every reason that stands on words,
 * an equal part goes to each of these. */
typedef struct film_word_share {
    film_text text; /* a piece of the sentence */
    char side;      /* 'a' or 'b' */
    size_t start, end;
    double weight;
    /* Of a model with a BERT encoder: by how much the similarity changes when the word is left out. A trial,
     * no share: these do not add up to anything. (Of very long sentences the first 64 words are tried.) */
    double left_out;
} film_word_share;

/* What stands on no single word, by family: "numbers", "Numbers". A reason of two families is in both, with
 * half of its weight in each. */
typedef struct film_reason_group {
    const char *id; /* "black_box": no version changes it */
    const char *name, *title;
    double weight;              /* the sum of its reasons */
    const film_reason *reasons; /* strongest first */
    size_t reason_count;
} film_reason_group;

/* A word of a, a word of b, and what the two add to the similarity of the vectors: the shares of all
 * pairs of words add up to it. (Of Euclidean models: to the product of the vectors. Of very long sentences the
 * first 64 words are looked at.) */
typedef struct film_word_link {
    size_t a, b; /* film_explanation.words[a], words[b] */
    double share;
} film_word_link;

/* Of a model with a BERT encoder: what a dimension of the encoder adds to the similarity of the vectors. The
 * shares of all dimensions add up to it (of Euclidean models: to the product of the vectors). */
typedef struct film_encoder_share {
    size_t dimension;
    double share;
} film_encoder_share;

/* Something to be seen in the sentences themselves: "numbers", "numbers differ: 3 / 5". */
typedef struct film_fact {
    const char *name, *text;
} film_fact;

/* A labelled pair that the model kept from its training (film_train_options.keep_examples). */
typedef struct film_example {
    film_text a, b;
    int same;
    double similarity; /* to the pair asked about: the mean over its two sentences */
} film_example;

/* Owned by the context, until its next call. */
typedef struct film_explanation {
    film_text a, b;
    film_verdict verdict;         /* with all its reasons */
    const film_word_share *words; /* those of a, then those of b, in the order of the text */
    size_t word_count;
    const film_reason_group *groups; /* strongest first */
    size_t group_count;
    const film_word_link *links; /* strongest first, ten at most; none where a BERT encoder makes
                                  * the vectors */
    size_t link_count;
    const film_encoder_share *encoder; /* strongest first, ten at most; none without an encoder */
    size_t encoder_count;
    const film_fact *facts;
    size_t fact_count;
    const film_example
        *examples; /* nearest first, three at most; none where the model keeps none */
    size_t example_count;
} film_explanation;

FILM_API film_status film_explain_pair(film_context *context, film_text a, film_text b,
                                       film_explanation *out, film_error *error);

/* ---- As JSON ---------------------------------------------------------------------------- */

/* One object each, NUL-terminated, *LENGTH bytes before it (LENGTH may be NULL); free with film_free. Texts
 * must be valid UTF-8, as those are that were matched. Weights have twelve decimals. MOST: so many reasons
 * at most, the strongest (of an explanation: in each group); FILM_ALL_REASONS: all. */
#define FILM_ALL_REASONS SIZE_MAX

/* {a, b, probability, same, similarity, log_odds, bias, reasons: [{kind, id, text, side, span, weight}]};
 * other_id where a reason is of two traits */
FILM_API film_status film_verdict_json(film_text a, film_text b, const film_verdict *verdict,
                                       size_t most, char **json, size_t *length, film_error *error);

/* The reasons alone, an array. */
FILM_API film_status film_reasons_json(const film_verdict *verdict, size_t most, char **json,
                                       size_t *length, film_error *error);

/* {a, b, probability, same, similarity, log_odds, bias, words: [{text, side, span, weight}],
 * groups: [{id, name, title, weight, reasons}], links: [{a: {text, span}, b: {text, span}, share}],
 * (with a BERT encoder also words[].left_out and encoder: [{dimension, share}])
 * facts: [{name, text}], examples: [{a, b, same, similarity}]} */
FILM_API film_status film_explanation_json(const film_explanation *explanation, size_t most,
                                           char **json, size_t *length, film_error *error);

/* ---- What a model learned ---------------------------------------------------------------- */

/* One JSON object each; free with film_free. docs/explain.md lists what is in them. MOST: so many words,
 * dimensions, ... in each list, 1000 at most; 0: 10. */

/* A dimension of the vectors: the words that pull it up and down, how concentrated it is on few words, and the
 * kept examples that lie farthest out. FILM_USAGE: no such dimension. */
FILM_API film_status film_explain_dimension(const film_model *model, size_t dimension, size_t most,
                                            char **json, film_error *error);

/* A word: the dimensions it drives, the words nearest to it, what it weighs as evidence. FILM_USAGE: the
 * model does not know it. */
FILM_API film_status film_explain_word(const film_model *model, film_text word, size_t most,
                                       char **json, film_error *error);

/* The model: words it learned to ignore and to insist on, what its traits weigh. */
FILM_API film_status film_explain_model(const film_model *model, size_t most, char **json,
                                        film_error *error);

#ifdef __cplusplus
}
#endif
#endif
