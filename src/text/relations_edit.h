/* A table of relations with one relation more, or one less. */
#ifndef TEXT_RELATIONS_EDIT_H
#define TEXT_RELATIONS_EDIT_H

#include "text/relations.h"

/* TO = FROM with RELATION between A and B, which are folded. */
film_status relations_with(const struct relations *from, film_text a, film_text b,
                           enum relation relation, struct relations *to, film_error *error);

/* TO = FROM without RELATION between A and B. SYNONYM: without forms and similar adjectives too,
 * which also count as the same. *REMOVED is the number of links that were left out; FROM lists each
 * symmetric relation twice. */
film_status relations_without(const struct relations *from, film_text a, film_text b,
                              enum relation relation, struct relations *to, size_t *removed,
                              film_error *error);

#endif
