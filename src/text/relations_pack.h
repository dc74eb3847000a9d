/* Relations as one string of bytes, a fifth of the size of their arrays, for packed models. */
#ifndef TEXT_RELATIONS_PACK_H
#define TEXT_RELATIONS_PACK_H

#include "text/relations.h"

/* Fills *BYTES, which the caller frees. The same relations give the same bytes. */
film_status relations_pack(const struct relations *relations, uint8_t **bytes, size_t *length,
                           film_error *error);

/* Restores the arrays. NAME is for messages. */
film_status relations_unpack(struct relations *relations, const uint8_t *bytes, size_t length,
                             const char *name, film_error *error);

#endif
