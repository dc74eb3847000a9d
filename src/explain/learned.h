/* What a model learned, as JSON (film_explain.h, docs/explanation/explanations.md). MOST is above
 * 0. */
#ifndef EXPLAIN_LEARNED_H
#define EXPLAIN_LEARNED_H

#include "model/model.h"
#include "film.h"

/* ALL: adds the list of every weight. */
film_status explain_dimension(const film_model *model, size_t dimension, size_t most, int all,
                              char **json, film_error *error);
film_status explain_word(const film_model *model, film_text word, size_t most, char **json,
                         film_error *error);
film_status explain_model(const film_model *model, size_t most, char **json, film_error *error);

#endif
