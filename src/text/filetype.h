/* Names files that are no tables of sentences. */
#ifndef TEXT_FILETYPE_H
#define TEXT_FILETYPE_H

#include "film_types.h"

/* Returns what the file is and what to do instead, or NULL where BEGINNING may be a table. */
const char *filetype_problem(film_text beginning);

#endif
