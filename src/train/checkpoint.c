/* Checkpoints as safetensors files: written atomically, read back only by the same training run. It
 * decides when to save; the learner decides what to save. */
#include "train/checkpoint.h"
#include "base/mem.h"
#include "base/safetensors.h"
#include "base/clock.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define FORMAT "film checkpoint"
#define FORMAT_VERSION "1"

enum { MOST_ARRAYS = 64 };

static enum safetensors_type file_type(enum state_type type)
{
    static const enum safetensors_type types[] = {[STATE_U8] = SAFETENSORS_U8,
                                                  [STATE_U32] = SAFETENSORS_U32,
                                                  [STATE_SIZE] = SAFETENSORS_U64,
                                                  [STATE_FLOAT] = SAFETENSORS_F32,
                                                  [STATE_DOUBLE] = SAFETENSORS_F64};
    return types[type];
}

/* ---- Writing ---- */

/* Returns whether a checkpoint is due. In a job the first process's clock decides for all, because
 * split arrays must be gathered. */
static int due(void *user)
{
    const struct checkpoint *checkpoint = user;
    int now = checkpoint->every > 0 && clock_seconds() - checkpoint->written >= checkpoint->every;
    if (checkpoint->every > 0)
        comm_broadcast(checkpoint->comm, &now, sizeof now, 0, NULL); /* fails only with the job */
    return now;
}

static film_status write_arrays(const struct checkpoint *checkpoint,
                                const struct state_array *arrays, size_t count, film_error *error)
{
    struct safetensors_tensor tensors[MOST_ARRAYS];
    const char *keys[] = {"format", "format_version", "fingerprint"};
    const char *values[] = {FORMAT, FORMAT_VERSION, checkpoint->fingerprint};
    if (count > MOST_ARRAYS)
        return status_set(error, FILM_USAGE, "a checkpoint has at most %d arrays", MOST_ARRAYS);
    for (size_t i = 0; i < count; i++)
        tensors[i] = (struct safetensors_tensor){.name = arrays[i].name,
                                                 .type = file_type(arrays[i].type),
                                                 .dims = 1,
                                                 .shape = {arrays[i].count},
                                                 .data = arrays[i].data};
    return safetensors_write(checkpoint->path, tensors, count, keys, values, 3, error);
}

static int save_checkpoint(void *user, const struct state_array *arrays, size_t count)
{
    struct checkpoint *checkpoint = user;
    if (checkpoint->comm->rank > 0) return 0;
    checkpoint->failed = write_arrays(checkpoint, arrays, count, &checkpoint->error);
    checkpoint->written = clock_seconds();
    return checkpoint->failed != FILM_OK;
}

/* ---- Reading ---- */

static int all_finite(const struct state_array *array)
{
    const float *floats = array->data;
    const double *doubles = array->data;
    int good = 1;
    if (array->type == STATE_FLOAT)
        for (size_t i = 0; i < array->count; i++) good &= isfinite(floats[i]) != 0;
    if (array->type == STATE_DOUBLE)
        for (size_t i = 0; i < array->count; i++) good &= isfinite(doubles[i]) != 0;
    return good;
}

static film_status load_checkpoint(void *user, const struct state_array *arrays, size_t count,
                                   film_error *error)
{
    film_status status = FILM_OK;
    const struct checkpoint *checkpoint = user;
    const struct safetensors_tensor *tensor;
    for (size_t i = 0; i < count; i++) {
        const struct state_array *array = &arrays[i];
        uint64_t shape[1] = {array->count};
        TRY(safetensors_require(checkpoint->file, array->name, file_type(array->type), 1, shape,
                                &tensor, error));
        if (array->count) memcpy(array->data, tensor->data, tensor->bytes);
        if (!all_finite(array))
            TRY(status_set(
                error, FILM_BAD_INPUT,
                "%s: %s has a value that is not a number; start a new run without resuming",
                checkpoint->path, array->name));
    }
done:
    return status;
}

static film_status open_checkpoint(struct checkpoint *checkpoint, film_error *error)
{
    film_status status = FILM_OK;
    const char *path = checkpoint->path;
    TRY(safetensors_open(path, &checkpoint->file, error));
    const char *format = safetensors_metadata(checkpoint->file, "format");
    const char *version = safetensors_metadata(checkpoint->file, "format_version");
    const char *then = safetensors_metadata(checkpoint->file, "fingerprint");
    if (!format || strcmp(format, FORMAT) != 0 || !version || !then)
        TRY(status_set(error, FILM_BAD_INPUT, "%s is not a checkpoint", path));
    if (strcmp(version, FORMAT_VERSION) != 0)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s has format version %.20s; this library reads version " FORMAT_VERSION
                       "; start a new run without resuming",
                       path, version));
    if (!safetensors_is_checked(checkpoint->file))
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: the checksums are missing; start a new run without resuming", path));
    TRY(fingerprint_compare(then, checkpoint->fingerprint, path, error));
done:
    return status;
}

/* ---- Interface ---- */

film_status checkpoint_check(const film_train_options *options, film_error *error)
{
    if (!(options->checkpoint_every >= 0))
        return status_set(error, FILM_USAGE,
                          "the time between checkpoints must be above 0 seconds");
    if (!options->resume) return FILM_OK;
    if (!options->checkpoint)
        return status_set(error, FILM_USAGE, "nothing to resume; name a checkpoint file");
    /* A job that was killed before it came that far begins again: its restart need not ask how
     * far it was. */
    if (access(options->checkpoint, F_OK) != 0 && comm_of(options->job)->size == 1)
        return status_set(error, FILM_BAD_INPUT, "nothing to resume: %s does not exist",
                          options->checkpoint);
    return FILM_OK;
}

static film_status problem(void *user, film_error *error)
{
    const struct checkpoint *checkpoint = user;
    *error = checkpoint->error;
    return checkpoint->failed;
}

static film_status open_for(void *user, uint64_t start, const struct checkpointer **out,
                            film_error *error)
{
    film_status status = FILM_OK;
    struct checkpoint *checkpoint = user;
    const film_train_options *options = checkpoint->training.options;
    int resume = options->resume && access(checkpoint->path, F_OK) == 0;
    checkpoint->written = clock_seconds();
    checkpoint->checkpointer =
        (struct checkpointer){checkpoint, resume, load_checkpoint, due, save_checkpoint, problem};
    TRY(comm_broadcast(checkpoint->comm, &checkpoint->checkpointer.going_on, sizeof(int), 0,
                       error));
    TRY(fingerprint_make(&checkpoint->training, start, &checkpoint->fingerprint, error));
    if (checkpoint->checkpointer.going_on) TRY(open_checkpoint(checkpoint, error));
    *out = &checkpoint->checkpointer;
done:
    return status;
}

const struct checkpointing *checkpoint_prepare(struct checkpoint *checkpoint,
                                               const struct training_identity *training)
{
    *checkpoint = (struct checkpoint){.training = *training,
                                      .path = training->options->checkpoint,
                                      .comm = training->corpus->comm,
                                      .every = training->options->checkpoint_every,
                                      .checkpointing = {checkpoint, open_for}};
    return checkpoint->path ? &checkpoint->checkpointing : NULL;
}

void checkpoint_free(struct checkpoint *checkpoint)
{
    mem_free(checkpoint->fingerprint);
    safetensors_close(checkpoint->file);
    *checkpoint = (struct checkpoint){0};
}
