/* What film_open gives: everything needed to answer, in one immutable piece.
 *
 * On disk a model is one safetensors file; docs/reference/model-file.md lists its tensors. Opened,
 * its arrays stay in the mapped file; just trained, they are the model's own. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "base/safetensors.h"
#include "embed/encoder.h"
#include "model/examples.h"
#include "pair/decision.h"
#include "film.h"

struct model_settings {
    char method[16]; /* how the map was learned: "svd" */
    size_t min_df, max_features;
    uint64_t seed;
};

struct film_model {
    struct model_settings settings;
    struct features features;
    struct encoder encoder; /* features, map and dim; network and its map */
    size_t rank;
    const float *sigma; /* rank singular values */
    struct decision decision;
    struct examples examples;
    char *figures; /* training figures, a JSON object */
    char *seconds; /* how long each phase of the training took, a JSON object; NULL when opened. Not
                      saved: the same training gives the same bytes */
    struct safetensors *file; /* NULL when the arrays below own the memory */
    float *own_map, *own_sigma;
    struct network *network; /* NULL, or the BERT encoder, of which the encoder is a view */
    float *own_network_map;
};

film_status model_open(const char *path, film_model **out, film_error *error);
/* The bytes of a model file in memory (NAME is for messages); they must outlive the model. */
film_status model_parse(const void *bytes, size_t size, const char *name, film_model **out,
                        film_error *error);
film_status model_save(const film_model *model, const char *path, film_error *error);
void model_free(film_model *model);

/* One JSON object: settings, sizes, calibration, figures. */
film_status model_describe(const film_model *model, char **json, film_error *error);

#endif
