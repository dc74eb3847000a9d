/* Pretrained word vectors in the text format of word2vec, GloVe and fastText, plain or compressed.
 *
 * The idf-weighted sum of a sentence's word vectors is linear in its TF-IDF row: e = E'x, with a
 * row of E per word. So E, or E times a map learned on top of it, is an ordinary map of a model,
 * and everything that works with maps (explanations, pools) works with it. */
#ifndef LEARN_WORD_VECTORS_H
#define LEARN_WORD_VECTORS_H

#include "embed/features.h"
#include "text/source.h"

struct word_vectors {
    float *rows;  /* E, features x width; zeros for words without a vector */
    size_t width; /* numbers per vector, up to 4,096 */
    size_t found; /* words with a vector */
};

/* Reads the vectors of the words of FEATURES, which must be words only. A line is a word and its
 * numbers, separated by spaces or tabs; a first line of two whole numbers is a heading. A word of
 * the file that is not in the vocabulary as it is written is looked up as a sentence's word would
 * be (case folding, stemming); the exact spelling has priority, then the first line.
 *
 * Closes SOURCE. FILM_BAD_INPUT with file and line for a bad line, and for a file without any of
 * the words. */
film_status word_vectors_read(struct word_vectors *out, struct source *source,
                              const struct features *features, film_error *error);
void word_vectors_free(struct word_vectors *vectors);

#endif
