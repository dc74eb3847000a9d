/* The fingerprint of a training run as one JSON object: options, counts, and hashes of rows and
 * features. The hashes detect accidents, not attacks. */
#include "train/fingerprint.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "learn/packed_rows.h"
#include "base/checksum.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

#define NUMBERS "singular vectors, triplets or pairs"

static uint64_t hash_strings(const struct strtab *table)
{
    if (!table->count) return 0;
    size_t offsets = (table->count + (size_t)1) * sizeof *table->offsets;
    uint64_t hash = checksum_add(0, table->bytes, table->offsets[table->count]);
    return checksum_add(hash, table->offsets, offsets);
}

static uint64_t hash_rows(const struct corpus *corpus)
{
    size_t ids = corpus->rows * sizeof *corpus->a;
    uint64_t hash = hash_strings(&corpus->categories);
    hash = checksum_add(hash, corpus->a, ids);
    hash = checksum_add(hash, corpus->b, ids);
    hash = checksum_add(hash, corpus->c, ids);
    hash = checksum_add(hash, corpus->category, ids);
    return checksum_add(hash, corpus->label, corpus->rows * sizeof *corpus->label);
}

static uint64_t hash_dev(const struct corpus *dev)
{
    uint64_t hashes[2] = {hash_strings(&dev->sentences), hash_rows(dev)};
    return checksum_add(0, hashes, sizeof hashes);
}

static uint64_t hash_features(const struct csr *x)
{
    size_t entries = x->start[x->rows];
    uint64_t hash = checksum_add(0, x->start, (x->rows + 1) * sizeof *x->start);
    if (x->packed) {
        hash = checksum_add(hash, x->packed->bytes, x->packed->size);
        return checksum_add(hash, x->packed->features->idf, x->cols * sizeof(float));
    }
    hash = checksum_add(hash, x->col, entries * sizeof *x->col);
    return checksum_add(hash, x->val, entries * sizeof *x->val);
}

/* The options by their names on the command line. Omitted are the limit of FILM's iterations, which
 * may be raised, the operating point, which is chosen after training, and everything that the
 * hashes of the rows cover. */
static json_t *options_object(const struct training_identity *training)
{
    const film_train_options *o = training->options;
    const film_solver_options *s = &o->solver;
    const film_rank_options *r = &o->ranking;
    const film_deep_options *d = &o->deep;
    json_t *general = json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:s?, s:s?, s:f, s:I}", "method", training->method,
        "dim", (json_int_t)training->dim, "rank", (json_int_t)o->rank, "features",
        (json_int_t)training->groups, "sim", (json_int_t)o->similarity, "min-df",
        (json_int_t)o->min_df, "max-features", (json_int_t)o->max_features, "stem", o->stem, "stop",
        o->stop, "train share", o->train_share, "seed", (json_int_t)o->seed);
    json_t *solver = json_pack(
        "{s:f, s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:i, s:i, s:f, "
        "s:i}",
        "power", s->power, "inner", (json_int_t)s->inner, "init", (json_int_t)s->eigen, "margin",
        s->margin_ratio, "positives", (json_int_t)s->positives, "labelled", (json_int_t)s->labelled,
        "hard", (json_int_t)s->hard, "random", (json_int_t)s->random, "epsilon", s->epsilon,
        "least-change", s->least_change, "rho", s->rho, "gamma", s->gamma, "shrink", s->shrink,
        "first-step", s->first_tau, "weights", o->paper.weights, "keep", o->paper.keep,
        "margin_absolute", o->paper.margin, "damping", o->paper.damped);
    json_t *ranking =
        json_pack("{s:I, s:I, s:f, s:f}", "epochs", (json_int_t)o->epochs, "batch",
                  (json_int_t)o->batch, "rate", r->rate, "temperature", r->temperature);
    json_t *deep =
        json_pack("{s:I, s:[I, I, I, I], s:I, s:f, s:f}", "tokens", (json_int_t)d->tokens, "maps",
                  (json_int_t)d->maps[0], (json_int_t)d->maps[1], (json_int_t)d->maps[2],
                  (json_int_t)d->maps[3], "loss", (json_int_t)d->loss, "deep-margin", d->margin,
                  "dropout", d->dropout);
    int failed =
        !general || !solver || !ranking || !deep || json_object_update(general, solver) != 0 ||
        json_object_update(general, ranking) != 0 || json_object_update(general, deep) != 0;
    json_decref(solver);
    json_decref(ranking);
    json_decref(deep);
    if (!failed) return general;
    json_decref(general);
    return NULL;
}

/* Combines the hashes of what is split over processes: each has hashed its own part. */
static film_status hash_all(const struct comm *comm, uint64_t *hash, film_error *error)
{
    film_status status = FILM_OK;
    void *all = NULL;
    size_t *sizes = NULL;
    if (comm->size == 1) return FILM_OK;
    TRY(comm_gather_all(comm, hash, sizeof *hash, &all, &sizes, error));
    *hash = checksum_add(0, all, (size_t)comm->size * sizeof *hash);
done:
    mem_free(all);
    mem_free(sizes);
    return status;
}

/* Hashes by name. The message about a difference uses the name: "its NAME differ". */
static film_status content_object(const struct training_identity *training, uint64_t start,
                                  json_t **out, film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = training->corpus->comm;
    uint64_t sentences = hash_strings(&training->corpus->sentences),
             features = hash_features(training->x);
    TRY(hash_all(comm, &sentences, error));
    TRY(hash_all(comm, &features, error));
    TRY(hash_all(comm, &start, error));
    *out = json_pack("{s:s, s:s, s:s, s:s, s:s}", "sentences", checksum_print(sentences).digits,
                     "rows or labels", checksum_print(hash_rows(training->corpus)).digits,
                     "dev or held-out rows", checksum_print(hash_dev(training->dev)).digits,
                     "features", checksum_print(features).digits, NUMBERS,
                     checksum_print(start).digits);
    TRY_ALLOC(*out, error);
done:
    return status;
}

film_status fingerprint_make(const struct training_identity *training, uint64_t start, char **out,
                             film_error *error)
{
    film_status status = FILM_OK;
    json_t *object = NULL, *content = NULL;
    TRY(content_object(training, start, &content, error));
    object = json_pack("{s:{s:s}, s:o, s:{s:i, s:I, s:I}, s:o}", "program", "version",
                       film_version(), "option", options_object(training), "number", "processes",
                       training->corpus->comm->size, "rows", (json_int_t)training->corpus->rows,
                       "skipped rows", (json_int_t)training->corpus->skipped, "content", content);
    TRY(jsonfile_dump(object, JSON_COMPACT, out, error));
done:
    json_decref(object);
    return status;
}

/* ---- Comparing ---- */

static film_status differs(const char *path, const char *group, const char *key, json_t *then,
                           json_t *now, film_error *error)
{
    if (strcmp(group, "content") == 0)
        return status_set(
            error, FILM_BAD_INPUT,
            "%s belongs to a different run: its %s differ%s; use the same files, or start a new "
            "run without resuming",
            path, key, strcmp(key, NUMBERS) == 0 ? " (another machine or number of threads?)" : "");
    char *before = then ? json_dumps(then, JSON_ENCODE_ANY) : NULL;
    char *after = json_dumps(now, JSON_ENCODE_ANY);
    film_status status =
        status_set(error, FILM_BAD_INPUT,
                   "%s belongs to a different run: %s %s was %.100s, now it is %.100s; use the "
                   "same options, or start a new run without resuming",
                   path, group, key, before ? before : "missing", after ? after : "?");
    jsonfile_free_text(before);
    jsonfile_free_text(after);
    return status;
}

film_status fingerprint_compare(const char *then, const char *now, const char *path,
                                film_error *error)
{
    film_status status = FILM_OK;
    const char *group, *key;
    json_t *values, *value;
    json_error_t problem = {.text = ""};
    json_t *new = json_loads(now, 0, NULL), *old = NULL;
    TRY_ALLOC(new, error);
    old = json_loads(then, JSON_REJECT_DUPLICATES, &problem);
    if (!old && jsonfile_ran_out_of_memory(&problem, then, strlen(then)))
        TRY(status_no_memory(error));
    json_object_foreach(new, group, values)
    {
        json_object_foreach(values, key, value)
        {
            json_t *before = json_object_get(json_object_get(old, group), key);
            if (!before || !json_equal(before, value))
                TRY(differs(path, group, key, before, value, error));
        }
    }
done:
    json_decref(old);
    json_decref(new);
    return status;
}
