/* Packed models: the same model in a quarter to a seventh of the bytes.
 *
 * Rows of the map become codes (embed/word_map.h). With 8 bits every row has its own scale, and the
 * file is used as it is. With fewer all rows have one step, and the tensors of the file are entropy
 * coded (base/rans.h): they are bytes again in memory. Word evidence becomes bytes
 * (pair/item_table.h), memory becomes sets of numbers (base/keyset.h), strings lose their hash
 * tables. Trees, line, idf, classifier, examples and encoders keep their values. */
#ifndef MODEL_PACKED_H
#define MODEL_PACKED_H

#include "model/model.h"

static inline int packed_bits_exist(unsigned bits)
{
    return bits == 8 || bits == 6 || bits == 4;
}

/* Returns whether the tensors of the file are coded. */
static inline int model_is_coded(const film_model *model)
{
    return model->bits && model->bits < 8;
}

/* Makes *OUT a packed copy of MODEL with rows of BITS bits, 8, 6 or 4 (not more than it has). It
 * borrows what does not change from MODEL, which must outlive it. */
film_status model_pack(const film_model *model, unsigned bits, film_model *out, film_error *error);
/* Frees what model_pack made. */
void model_pack_free(film_model *packed);

/* Replaces the arrays of a model that was just trained by packed ones. */
film_status model_shrink(film_model *model, unsigned bits, film_error *error);

/* Rounds the CODES (features x dim) of character n-grams again, so that the sum of the n-grams of
 * each word keeps its value (pack_grams.c). */
enum { PACKED_MOST = 127 }; /* the largest code */
film_status pack_grams(const film_model *model, const float *scales, int8_t *codes,
                       film_error *error);

/* ---- The file (packed_file.c) ---- */

enum { PACKED_TENSORS = 20 + 2 * GROUPS };

/* Arrays that exist only while a packed model is saved. */
struct packed_arrays {
    uint8_t *lengths[GROUPS], *relations;
    char names[2 * GROUPS][24];
};
void packed_arrays_free(struct packed_arrays *arrays);

/* Appends the tensors in which a packed model differs to TENSORS; *COUNT grows. */
film_status packed_tensors(const film_model *model, struct packed_arrays *arrays,
                           struct safetensors_tensor *tensors, size_t *count, film_error *error);

/* Open and check these tensors: a group of features, the relations, the map, and of a full decision
 * evidence and memory. */
film_status packed_open_group(film_model *model, int group, const char *path, film_error *error);
film_status packed_open_relations(film_model *model, const char *path, film_error *error);
film_status packed_open_map(film_model *model, const char *path, film_error *error);
film_status packed_open_evidence(struct decision *decision, const struct safetensors *file,
                                 const char *path, film_error *error);
film_status packed_open_memory(struct memory *memory, const struct safetensors *file,
                               const char *path, film_error *error);

#endif
