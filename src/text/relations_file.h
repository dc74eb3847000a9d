/* Relations in files: a compiled table, or the relations stored in a model. */
#ifndef TEXT_RELATIONS_FILE_H
#define TEXT_RELATIONS_FILE_H

#include "base/safetensors.h"
#include "text/relations.h"

enum { RELATIONS_TENSORS = 5 };

/* Appends the tensors of a table that is not empty; *COUNT grows. *LENGTHS, which one of them uses,
 * is freed by the caller, also after an error. */
film_status relations_tensors(const struct relations *relations, uint8_t **lengths,
                              struct safetensors_tensor *tensors, size_t *count, film_error *error);

/* Maps and checks the relations of an open file; an empty table where it has none. The file must
 * outlive them. PATH is for messages. */
film_status relations_from(const struct safetensors *file, const char *path,
                           struct relations *relations, film_error *error);

/* Writes and opens a compiled table. The caller closes *FILE after it freed the relations. */
film_status relations_save(const struct relations *relations, const char *path, film_error *error);
film_status relations_open(const char *path, struct safetensors **file, struct relations *relations,
                           film_error *error);

#endif
