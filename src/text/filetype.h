/* Names files that are no tables of sentences, or no models. */
#ifndef TEXT_FILETYPE_H
#define TEXT_FILETYPE_H

#include "film_types.h"

/* Returns what the file is and what to do instead, or NULL where BEGINNING may be a table. */
const char *filetype_problem(film_text beginning);

/* Writes what a file that is no model is, and what to do instead. Returns 0 where BEGINNING may be
 * that of a damaged model. */
int filetype_not_model(film_text beginning, char *message, size_t room);

#endif
