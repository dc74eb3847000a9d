/* Base forms of English words by their endings: "cities" -> city, "stopped" -> stop, stoppe. The
 * caller keeps those that its table has. Irregular forms are links of the table. */
#ifndef TEXT_BASE_FORMS_H
#define TEXT_BASE_FORMS_H

#include "film_types.h"

enum { BASE_FORMS = 4, BASE_FORMS_ROOM = 66 };

/* Fills OUT with possible base forms of WORD (at most 64 bytes), NUL-terminated; returns their
 * number. */
size_t base_forms(film_text word, char out[BASE_FORMS][BASE_FORMS_ROOM]);

#endif
