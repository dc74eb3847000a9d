/* An open model (film_open): everything needed for prediction, immutable.
 *
 * On disk a model is one safetensors file; docs/reference/model-file.md lists its tensors. Opened,
 * its large arrays stay in the mapped file, and hash tables are built; just trained, all arrays are
 * the model's own. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "base/safetensors.h"
#include "embed/encoder.h"
#include "model/classifier.h"
#include "model/examples.h"
#include "pair/decision.h"
#include "text/relations.h"
#include "film.h"

struct model_settings {
    char method[16]; /* the method that learned the map: "svd" */
    size_t min_df, max_features;
    uint64_t seed;
};

struct film_model {
    struct model_settings settings;
    struct features features;
    struct encoder encoder;      /* features, map and dim; network and its map */
    struct relations relations;  /* what is known about words, to which `encoder` points */
    struct record_fields fields; /* of records, to which `encoder` points; none: sentences */
    size_t rank;
    const float *sigma; /* rank singular values */
    struct decision decision;
    struct examples examples;
    struct classifier classifier; /* of a model trained on categories */
    char *figures;                /* training figures, a JSON object */
    char *edits;                  /* recorded edits, a JSON array; NULL: none */
    /* Duration of each phase of training, a JSON object; NULL in an opened model. It is not saved,
     * so that the same training gives the same bytes. */
    char *seconds;
    struct safetensors *file;   /* NULL when the arrays below own the memory */
    void *expanded;             /* the bytes of `file`, where those in memory were compressed */
    float *own_map, *own_sigma; /* the map only while it is learned: see model_round */
    struct network *network;    /* the BERT encoder, to which `encoder` points; may be NULL */
    float *own_network_map;
    int8_t *own_codes; /* the map */
    float *own_scales;
    /* The model that training began from (model/parent.h); NULL: none. */
    film_model *parent;
    const void *parent_bytes; /* of its file */
    uint64_t parent_size;
    void *own_parent;
    int is_parent; /* it may have none itself */
};

film_status model_open(const char *path, int private, film_model **out, film_error *error);
/* Opens the bytes of a model file, which may be compressed (NAME is for messages); they must
 * outlive the model. */
film_status model_parse(const void *bytes, size_t size, const char *name, film_model **out,
                        film_error *error);
/* The same for a model that another one began from. It is never compressed by itself: expanding
 * twice could turn a small file into all memory. */
film_status model_parse_parent(const void *bytes, size_t size, const char *name, film_model **out,
                               film_error *error);
/* How its encoder computes, and that of its parent. The model has no context yet. */
film_status model_set_arithmetic(film_model *model, film_arithmetic arithmetic, film_error *error);
/* Adds the relations of a user's file (text/relations_read.h). The model has no context yet. */
film_status model_add_words(film_model *model, const char *path, film_error *error);
/* The same from SOURCE, which is closed in any case. */
struct source;
film_status model_read_words(film_model *model, struct source *source, film_error *error);

/* Replaces what was just learned by what a file stores (round.c): the map and the weights of words
 * become bytes with scales. */
film_status model_round(film_model *model, film_error *error);

film_status model_save(const film_model *model, const char *path, film_error *error);
void model_free(film_model *model);

/* Returns one JSON object: settings, sizes, calibration, figures. */
film_status model_describe(const film_model *model, char **json, film_error *error);

#endif
