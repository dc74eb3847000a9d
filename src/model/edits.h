/* Edits of what a model believes: the weight of a word or of a pair of words, or a relation. An
 * edit changes the arrays of the model and is recorded in its settings. */
#ifndef MODEL_EDITS_H
#define MODEL_EDITS_H

#include "model/model.h"

enum { EDITS_LONGEST = 400, EDITS_MOST_RECORDS = 10000 };

/* See film_edit_model. */
film_status model_edit(film_model *model, const film_edit *edit, film_error *error);

/* Repeats the edits of OLD. *SKIPPED counts those that do not fit: unknown words, relations that
 * are not listed. */
film_status model_take_edits(film_model *model, const film_model *old, size_t *taken,
                             size_t *skipped, film_error *error);

/* Returns the feature of a single word, after folding and stemming. FILM_USAGE: it is not one word,
 * or unknown. */
film_status model_find_word(const film_model *model, film_text word, uint32_t *id,
                            film_error *error);

#endif
