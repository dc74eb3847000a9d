/* What a model knows about words: the relations that training files name, and those of a language's
 * table that concern its vocabulary. */
#ifndef TRAIN_KNOWN_WORDS_H
#define TRAIN_KNOWN_WORDS_H

#include "embed/features.h"
#include "learn/training_log.h"
#include "text/relations.h"
#include "film_train.h"

/* Reads options->words and, if the vocabulary of FEATURES is of its language, options->language.
 * OUT is empty where there is neither. */
film_status known_words_read(const struct features *features, const film_train_options *options,
                             struct relations *out, struct training_log *log, film_error *error);

#endif
