/* The black box's network in a model file: writes shape and tensors, reads and validates them. */
#include "base/mem.h"
#include "base/jsonfile.h"
#include "bert/deep.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[DEEP_LAYERS][2] = {{"deep.0.weight", "deep.0.bias"},
                                                  {"deep.1.weight", "deep.1.bias"},
                                                  {"deep.2.weight", "deep.2.bias"},
                                                  {"deep.3.weight", "deep.3.bias"}};

/* filter x filter x input maps x output maps. */
static void weight_shape(const struct deep_conv *conv, uint64_t shape[4])
{
    shape[0] = shape[1] = conv->filter;
    shape[2] = conv->in.maps;
    shape[3] = conv->out.maps;
}

film_status deep_settings(const struct deep *deep, char **json, film_error *error)
{
    const struct deep_shape *shape = &deep->shape;
    json_t *object = json_pack("{s:I, s:[I, I, I, I]}", "tokens", (json_int_t)shape->tokens, "maps",
                               (json_int_t)shape->maps[0], (json_int_t)shape->maps[1],
                               (json_int_t)shape->maps[2], (json_int_t)shape->maps[3]);
    film_status status = jsonfile_dump(object, JSON_COMPACT, json, error);
    json_decref(object);
    return status;
}

void deep_tensors(const struct deep *deep, struct safetensors_tensor *out)
{
    for (int l = 0; l < DEEP_LAYERS; l++, out += 2) {
        out[0] = (struct safetensors_tensor){
            .name = names[l][0], .type = SAFETENSORS_F32, .dims = 4, .data = deep->weight[l]};
        weight_shape(&deep->conv[l], out[0].shape);
        out[1] = (struct safetensors_tensor){.name = names[l][1],
                                             .type = SAFETENSORS_F32,
                                             .dims = 1,
                                             .shape = {deep->conv[l].out.maps},
                                             .data = deep->bias[l]};
    }
}

/* ---- Reading ---- */

static film_status read_deep_shape(const char *settings, const char *name, struct deep_shape *shape,
                                   film_error *error)
{
    json_int_t tokens, maps[DEEP_LAYERS];
    json_error_t problem;
    json_t *root = json_loads(settings, JSON_REJECT_DUPLICATES, &problem);
    int bad = !root || json_unpack_ex(root, &problem, 0, "{s:I, s:[IIII!]}", "tokens", &tokens,
                                      "maps", &maps[0], &maps[1], &maps[2], &maps[3]) != 0;
    json_decref(root);
    if (bad) return status_set(error, FILM_BAD_INPUT, "%s: %s", name, problem.text);
    shape->tokens = (size_t)tokens; /* a negative number becomes far too large */
    for (int l = 0; l < DEEP_LAYERS; l++) shape->maps[l] = (size_t)maps[l];
    return FILM_OK;
}

static film_status take_tensor(const struct safetensors *file, const char *tensor_name, size_t dims,
                               const uint64_t *shape, const char *name, const float **out,
                               film_error *error)
{
    const struct safetensors_tensor *tensor;
    film_status status =
        safetensors_require(file, tensor_name, SAFETENSORS_F32, dims, shape, &tensor, error);
    if (status != FILM_OK) return status;
    *out = tensor->data;
    for (uint64_t i = 0; i < tensor->bytes / sizeof(float); i++)
        if (!isfinite((*out)[i]))
            return status_set(error, FILM_BAD_INPUT,
                              "%s: %s has a value that is not finite; the file is damaged", name,
                              tensor_name);
    return FILM_OK;
}

film_status deep_from_file(struct deep *deep, const struct safetensors *file, const char *settings,
                           size_t dim, const char *name, film_error *error)
{
    film_status status = FILM_OK;
    struct deep_shape shape = {.dim = dim};
    film_error problem;
    TRY(read_deep_shape(settings, name, &shape, error));
    if (deep_plan(deep, &shape, &problem) != FILM_OK)
        TRY(status_set(error, FILM_BAD_INPUT, "%s: %s", name, problem.message));
    for (int l = 0; l < DEEP_LAYERS; l++) {
        uint64_t weight[4], bias[1] = {deep->conv[l].out.maps};
        weight_shape(&deep->conv[l], weight);
        TRY(take_tensor(file, names[l][0], 4, weight, name, &deep->weight[l], error));
        TRY(take_tensor(file, names[l][1], 1, bias, name, &deep->bias[l], error));
    }
done:
    return status;
}
