/* An open safetensors file, for the files of base that read it. */
#ifndef BASE_SAFETENSORS_FILE_H
#define BASE_SAFETENSORS_FILE_H

#include "base/file.h"
#include "base/jsonfile.h"
#include "base/safetensors.h"

struct tensor_entry {
    struct safetensors_tensor tensor;
    uint64_t begin; /* offset in the data */
    void *copy;     /* what was decoded, or an aligned copy of what is at an unaligned address */
};

struct safetensors {
    char *name; /* for messages */
    struct file_map map;
    const unsigned char *data; /* the bytes after the header */
    uint64_t data_size;
    json_t *header;   /* owns the names and the metadata strings */
    json_t *metadata; /* inside header, or NULL */
    struct tensor_entry *entries;
    size_t count;
    int checked;
};

/* A string of the file for a message: one line, truncated between characters. */
struct shown_name {
    char text[128];
};
struct shown_name show_name(const char *text);

/* Parses a JSON object of the header. */
film_status safetensors_load_json(const struct safetensors *file, const char *text, size_t length,
                                  json_t **out, film_error *error);

/* Read and check the type and the shape of a tensor. */
film_status safetensors_read_type(const struct safetensors *file, struct safetensors_tensor *tensor,
                                  const json_t *type, film_error *error);
film_status safetensors_read_shape(const struct safetensors *file,
                                   struct safetensors_tensor *tensor, const json_t *shape,
                                   film_error *error);

/* Restores the tensors that are coded (safetensors_coded.c). */
film_status safetensors_decode(struct safetensors *file, film_error *error);

#endif
