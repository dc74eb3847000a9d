/* Labelled training pairs stored in a model, to show next to its results. They do not influence any
 * decision. */
#ifndef MODEL_EXAMPLES_H
#define MODEL_EXAMPLES_H

#include "base/safetensors.h"

struct examples {
    size_t count; /* number of pairs; may be 0 */
    const char *bytes;
    const uint64_t *offsets;   /* 2 count + 1: sentence s of pair i is number 2 i + s */
    const unsigned char *same; /* 1 same, 0 different */
    char *own_bytes;           /* NULL when mapped, like the following */
    uint64_t *own_offsets;
    unsigned char *own_same;
};

enum { EXAMPLES_MOST = 10000, EXAMPLES_TENSORS = 3 };

/* Copies COUNT pairs. PAIR sets the texts of pair I and returns whether they are the same. */
film_status examples_make(struct examples *examples, size_t count,
                          int (*pair)(const void *user, size_t i, film_text *a, film_text *b),
                          const void *user, film_error *error);
void examples_free(struct examples *examples);

film_text examples_text(const struct examples *examples, size_t pair, int sentence);

/* Appends the tensors to TENSORS and returns their number; 0 without examples. */
size_t examples_tensors(const struct examples *examples, struct safetensors_tensor *tensors);

/* Finds and checks the tensors, if the file has them: the texts are valid UTF-8. */
film_status examples_open(struct examples *examples, const struct safetensors *file,
                          const char *path, film_error *error);

#endif
