/* Word vectors as the input of the black box: a sentence becomes the matrix of its words' vectors,
 * in order. It takes the place of a BERT encoder's last layer. Words without a vector are skipped,
 * so the matrix does not depend on them. */
#ifndef BERT_DEEP_WORDS_H
#define BERT_DEEP_WORDS_H

#include "bert/bert.h"
#include "embed/features.h"

struct deep_words {
    const struct features *features; /* the model's, words only; NULL: there are no word vectors */
    const float *rows;               /* features x width; zeros for words without a vector */
    size_t width;
    float *own; /* the same rows where they are not stored elsewhere, or NULL */
};

void deep_words_free(struct deep_words *words);

/* The matrices of TEXTS: at most out->most words of each. */
film_status deep_words_encode(const struct deep_words *words, const film_text *texts, size_t count,
                              int threads, const struct bert_states *out, film_error *error);

/* As part of a model file: one tensor, F32 [features, width]. Reading checks everything; the rows
 * stay in the file. NAME is used in messages. */
void deep_words_tensor(const struct deep_words *words, struct safetensors_tensor *out);
film_status deep_words_from_file(struct deep_words *words, const struct safetensors *file,
                                 const struct features *features, const char *name,
                                 film_error *error);

#endif
