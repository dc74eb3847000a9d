/* Saves an index as a safetensors file next to the pool, maps it and checks it. It is a cache: a
 * file that does not match is rebuilt by the caller. */
#include "index/index_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_VERSION "3"

/* ---- Writing ---- */

enum { MOST_TENSORS = 16 };

struct tensors {
    struct safetensors_tensor list[MOST_TENSORS];
    size_t count;
};

static void list_tensor(struct tensors *tensors, const char *name, enum safetensors_type type,
                        const void *data, uint64_t rows, uint64_t columns)
{
    tensors->list[tensors->count++] = (struct safetensors_tensor){.name = name,
                                                                  .type = type,
                                                                  .dims = columns ? 2 : 1,
                                                                  .shape = {rows, columns},
                                                                  .data = data};
}

static void put_dense(struct tensors *tensors, const struct graph_view *view)
{
    size_t count = view->codes.count;
    list_tensor(tensors, "dense.codes", SAFETENSORS_U8, view->codes.rows, count,
                view->codes.stride);
    list_tensor(tensors, "dense.state", SAFETENSORS_U8, view->state, count, 0);
    if (!view->degree) return;
    list_tensor(tensors, "dense.links", SAFETENSORS_U32, view->links, count, view->degree);
    size_t sketch = sketch_size(view->codes.dim, view->degree);
    if (sketch) list_tensor(tensors, "dense.sketch", SAFETENSORS_U8, view->sketch, count, sketch);
    list_tensor(tensors, "dense.twin", SAFETENSORS_U32, view->twin, count, 0);
    list_tensor(tensors, "dense.entry", SAFETENSORS_U32, view->entry, view->entries, 0);
}

static void put_lexical(struct tensors *tensors, const struct lexical_view *view)
{
    size_t slots = (size_t)view->terms.slot_mask + 1, terms = view->terms.count;
    list_tensor(tensors, "lexical.seed", SAFETENSORS_U64, &view->terms.seed, 1, 0);
    list_tensor(tensors, "lexical.keys", SAFETENSORS_U64, view->terms.keys, slots, 0);
    list_tensor(tensors, "lexical.number", SAFETENSORS_U32, view->terms.number, slots, 0);
    list_tensor(tensors, "lexical.start", SAFETENSORS_U64, view->start, terms + 1, 0);
    list_tensor(tensors, "lexical.most", SAFETENSORS_U16, view->most, terms, 0);
    list_tensor(tensors, "lexical.document", SAFETENSORS_U32, view->document, view->postings, 0);
    list_tensor(tensors, "lexical.weight", SAFETENSORS_U16, view->weight, view->postings, 0);
    list_tensor(tensors, "lexical.dead", SAFETENSORS_U8, view->dead, view->count, 0);
}

film_status index_file_save(const char *path, struct index *index, const int64_t *numbers,
                            const struct index_tie *tie, film_error *error)
{
    film_status status = FILM_OK;
    struct tensors tensors = {.count = 0};
    struct graph_view dense;
    struct lexical_view lexical;
    char change[32];
    TRY(index_settle(index, error));
    index_views(index, &dense, &lexical);
    if (dense.codes.count) put_dense(&tensors, &dense);
    put_lexical(&tensors, &lexical);
    list_tensor(&tensors, "numbers", SAFETENSORS_I64, numbers, index_count(index), 0);
    snprintf(change, sizeof change, "%llu", (unsigned long long)tie->change);
    const char *keys[] = {"film_index", "identity", "model", "change", "recent"},
               *values[] = {FORMAT_VERSION, tie->identity, tie->model, change, tie->recent};
    TRY(safetensors_write(path, tensors.list, tensors.count, keys, values, 5, error));
done:
    return status;
}

/* ---- Reading ---- */

static film_status need(const struct safetensors *file, const char *name,
                        enum safetensors_type type, uint64_t rows, uint64_t columns,
                        const struct safetensors_tensor **out, film_error *error)
{
    uint64_t shape[2] = {rows, columns};
    return safetensors_require(file, name, type, columns ? 2 : 1, shape, out, error);
}

static film_status read_dense(const struct safetensors *file, size_t dim, uint64_t count,
                              struct graph_view *view, film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *codes, *state, *links, *sketch, *twin, *entry;
    TRY(need(file, "dense.codes", SAFETENSORS_U8, count, codes_stride(dim), &codes, error));
    TRY(need(file, "dense.state", SAFETENSORS_U8, count, 0, &state, error));
    *view = (struct graph_view){.codes = {codes->data, (size_t)count, dim, (size_t)codes->shape[1]},
                                .state = state->data};
    if (!safetensors_find(file, "dense.links")) goto done;
    TRY(need(file, "dense.links", SAFETENSORS_U32, count, SAFETENSORS_ANY, &links, error));
    TRY(need(file, "dense.twin", SAFETENSORS_U32, count, 0, &twin, error));
    TRY(need(file, "dense.entry", SAFETENSORS_U32, SAFETENSORS_ANY, 0, &entry, error));
    size_t size = sketch_size(dim, (size_t)links->shape[1]);
    if (size) {
        TRY(need(file, "dense.sketch", SAFETENSORS_U8, count, size, &sketch, error));
        view->sketch = sketch->data;
    }
    view->links = links->data;
    view->twin = twin->data;
    view->entry = entry->data;
    view->degree = (size_t)links->shape[1];
    view->entries = (size_t)entry->shape[0];
    if (view->degree == 0) TRY(status_set(error, FILM_BAD_INPUT, "graph: no links"));
done:
    return status;
}

static film_status read_lexical(const struct safetensors *file, uint64_t count,
                                struct lexical_view *view, film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *seed, *keys, *number, *start, *most, *document, *weight, *dead;
    TRY(need(file, "lexical.seed", SAFETENSORS_U64, 1, 0, &seed, error));
    TRY(need(file, "lexical.keys", SAFETENSORS_U64, SAFETENSORS_ANY, 0, &keys, error));
    TRY(need(file, "lexical.number", SAFETENSORS_U32, keys->shape[0], 0, &number, error));
    TRY(need(file, "lexical.most", SAFETENSORS_U16, SAFETENSORS_ANY, 0, &most, error));
    TRY(need(file, "lexical.start", SAFETENSORS_U64, most->shape[0] + 1, 0, &start, error));
    TRY(need(file, "lexical.document", SAFETENSORS_U32, SAFETENSORS_ANY, 0, &document, error));
    TRY(need(file, "lexical.weight", SAFETENSORS_U16, document->shape[0], 0, &weight, error));
    TRY(need(file, "lexical.dead", SAFETENSORS_U8, count, 0, &dead, error));
    *view = (struct lexical_view){.start = start->data,
                                  .most = most->data,
                                  .document = document->data,
                                  .weight = weight->data,
                                  .dead = dead->data,
                                  .postings = (size_t)document->shape[0],
                                  .count = (size_t)count};
    TRY(keytab_map(&view->terms, keys->data, number->data, keys->shape[0], most->shape[0],
                   "lexical.keys", error));
    view->terms.seed = *(const uint64_t *)seed->data;
done:
    return status;
}

/* Checks that the file belongs to this pool and this model. */
static film_status check_tie(const struct safetensors *file, const struct index_tie *tie,
                             film_error *error)
{
    const char *version = safetensors_metadata(file, "film_index"),
               *identity = safetensors_metadata(file, "identity"),
               *model = safetensors_metadata(file, "model");
    if (!safetensors_is_checked(file) || !version)
        return status_set(error, FILM_BAD_INPUT, "it is not the index of a pool");
    if (strcmp(version, FORMAT_VERSION) != 0)
        return status_set(
            error, FILM_BAD_INPUT,
            "it is an index of version %.20s; this program reads version " FORMAT_VERSION
            "; the next search makes it again",
            version);
    if (!identity || strcmp(identity, tie->identity) != 0 || !model ||
        strcmp(model, tie->model) != 0)
        return status_set(error, FILM_BAD_INPUT, "it is the index of a different pool");
    return FILM_OK;
}

film_status index_file_open(const char *path, const struct encoder *encoder,
                            const struct index_tie *tie, int private, struct index_file *out,
                            film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *numbers;
    struct graph_view dense = {0};
    struct lexical_view lexical;
    *out = (struct index_file){0};
    TRY(safetensors_map(path, SAFETENSORS_UNVERIFIED | (private ? SAFETENSORS_PRIVATE : 0),
                        &out->file, error));
    TRY(check_tie(out->file, tie, error));
    TRY(need(out->file, "numbers", SAFETENSORS_I64, SAFETENSORS_ANY, 0, &numbers, error));
    if (encoder_has_vectors(encoder))
        TRY(read_dense(out->file, encoder_dim(encoder), numbers->shape[0], &dense, error));
    TRY(read_lexical(out->file, numbers->shape[0], &lexical, error));
    TRY(index_open(encoder, &dense, &lexical, &out->index, error));
    const char *change = safetensors_metadata(out->file, "change");
    out->numbers = numbers->data;
    out->count = (size_t)numbers->shape[0];
    out->change = change ? strtoull(change, NULL, 10) : 0;
    out->recent = safetensors_metadata(out->file, "recent");
done:
    if (status != FILM_OK) index_file_close(out);
    return status;
}

void index_file_close(struct index_file *file)
{
    index_free(file->index);
    safetensors_close(file->file);
    *file = (struct index_file){0};
}

film_status index_file_verify(const struct index_file *file, const char *path, film_error *error)
{
    struct safetensors *again = NULL;
    film_status status = safetensors_open(path, &again, error);
    safetensors_close(again);
    return status == FILM_OK ? index_check(file->index, error) : status;
}
