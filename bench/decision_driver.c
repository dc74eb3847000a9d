/* Writes the inputs of the decision's trees as matrices for numpy (read by
 * bench/decision_parts.py).
 *
 *     decision_driver --traits      family, name, meaning and id of every trait, as TSV
 *     decision_driver TRAIN.tsv DEV.tsv FOLDER [THREADS]
 *
 * Learns map and evidence on TRAIN with the defaults of `film train`, computes the traits of TRAIN
 * out-of-fold and those of DEV with the whole model, and writes into FOLDER
 * {train,dev}-{x,y,base,similarity}.npy, train-weight.npy, train-fold.npy and traits.tsv. The
 * program has no option to exclude traits, on purpose: users should not have to choose. The value
 * of each part is measured on these matrices instead. */
#include "train/options.h"
#include "base/mem.h"
#include "film_train.h"
#include "learn/learn.h"
#include "learn/out_of_fold.h"
#include "model/model.h"
#include "learn/features_fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static film_error error;

static void must(film_status status)
{
    if (status == FILM_OK) return;
    fprintf(stderr, "decision_driver: %s\n", error.message);
    exit(1);
}

static void *some(size_t count, size_t size)
{
    void *memory = mem_array(count, size);
    if (!memory) must(status_no_memory(&error));
    return memory;
}

/* ---- Files ---- */

static FILE *create(const char *folder, const char *part, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", folder, part, name);
    FILE *file = fopen(path, "wb");
    if (!file) {
        fprintf(stderr, "decision_driver: cannot write %s\n", path);
        exit(3);
    }
    return file;
}

/* Writes ROWS x COLUMNS floats; COLUMNS 0: a vector. NumPy's format, version 1: the header is
 * padded to 128 bytes. */
static void write_npy(const char *folder, const char *part, const char *name, const float *data,
                      size_t rows, size_t columns)
{
    enum { HEAD = 128, BEFORE = 10 };
    char head[HEAD + 1], shape[64];
    FILE *file = create(folder, part, name);
    snprintf(shape, sizeof shape, columns ? "(%zu, %zu)" : "(%zu,)", rows, columns);
    memcpy(head, "\x93NUMPY\x01\x00\x76\x00", BEFORE); /* 0x76 = 118 bytes follow */
    int used = snprintf(head + BEFORE, HEAD - BEFORE + 1,
                        "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }", shape);
    memset(head + BEFORE + used, ' ', HEAD - BEFORE - (size_t)used);
    head[HEAD - 1] = '\n';
    size_t count = rows * (columns ? columns : 1);
    if (fwrite(head, 1, HEAD, file) != HEAD || fwrite(data, sizeof *data, count, file) != count ||
        fclose(file) != 0)
        exit(3);
}

static void write_traits(FILE *file)
{
    for (size_t i = 0; i < traits_count(); i++)
        fprintf(file, "%s\t%s\t%s\t%s\n", family_name(trait_at(i)->family), trait_at(i)->name,
                trait_at(i)->about, trait_at(i)->id);
}

static void write_train(const char *folder, const struct out_of_fold *held)
{
    size_t count = held->pairs.count;
    float *fold = some(count, sizeof *fold);
    for (size_t i = 0; i < count; i++)
        fold[i] = (float)folds_of_pair(&held->folds, held->pairs.a[i], held->pairs.b[i]);
    write_npy(folder, "train", "-x.npy", held->x, count, traits_count());
    write_npy(folder, "train", "-y.npy", held->pairs.target, count, 0);
    write_npy(folder, "train", "-base.npy", held->base, count, 0);
    write_npy(folder, "train", "-similarity.npy", held->similarity, count, 0);
    write_npy(folder, "train", "-weight.npy", held->weight, count, 0);
    write_npy(folder, "train", "-fold.npy", fold, count, 0);
    mem_free(fold);
}

/* ---- The steps of film train ---- */

/* Learns features and map of MODEL; INPUT receives what they were learned from. */
static void learn_model(film_model *model, struct learn_input *input, struct corpus *corpus,
                        struct csr *x)
{
    static const struct corpus no_dev = {.rows = 0};
    const film_train_options *options = input->options;
    struct tokenizer tokenizer;
    struct learned_map learned = {0};
    model->features.groups = learn_defaults(input->method)->features;
    struct features_options wanted = {
        model->features.groups, options->min_df, 0, options->threads, {0}, NULL};
    must(tokenizer_init(&tokenizer, NULL, NULL, &error));
    must(features_fit(&model->features, &tokenizer, &corpus->sentences, &wanted, x, &error));
    input->dim = learn_defaults(input->method)->dim;
    input->corpus = corpus;
    input->dev = &no_dev;
    input->features = &model->features;
    input->x = x;
    must(learn_map(input, &learned, &error));
    model->own_map = learned.map;
    model->encoder = (struct encoder){.features = &model->features,
                                      .map.rows = model->own_map,
                                      .dim = learned.dim,
                                      .similarity = options->similarity};
    model->decision.encoder = &model->encoder;
}

/* Computes DEV as `film predict` would. */
static void survey_dev(const film_model *model, const char *path, const char *folder)
{
    struct corpus dev;
    struct survey survey;
    film_table_options table = {.size = sizeof table};
    must(corpus_read(&dev, &path, 1, &table, NULL, &error));
    size_t count = dev.rows, traits = traits_count();
    float *x = some(count, traits * sizeof *x), *base = some(count, sizeof *base),
          *similarity = some(count, sizeof *similarity);
    must(survey_init(&survey, &model->encoder, &error));
    for (size_t i = 0; i < count; i++) {
        must(survey_make(&survey, &model->decision.evidence, strtab_get(&dev.sentences, dev.a[i]),
                         strtab_get(&dev.sentences, dev.b[i]), &error));
        memcpy(x + i * traits, survey.traits, traits * sizeof *x);
        base[i] = (float)(survey.margin + linear_sum(&model->decision.line, survey.traits));
        similarity[i] = (float)survey_similarity(&survey);
    }
    write_npy(folder, "dev", "-x.npy", x, count, traits);
    write_npy(folder, "dev", "-y.npy", dev.label, count, 0);
    write_npy(folder, "dev", "-base.npy", base, count, 0);
    write_npy(folder, "dev", "-similarity.npy", similarity, count, 0);
    survey_free(&survey);
    mem_free(x);
    mem_free(base);
    mem_free(similarity);
    corpus_free(&dev);
}

int main(int count, char **arguments)
{
    if (count == 2 && strcmp(arguments[1], "--traits") == 0) {
        write_traits(stdout);
        return 0;
    }
    if (count < 4) {
        fprintf(stderr, "usage: decision_driver TRAIN.tsv DEV.tsv FOLDER [THREADS] | --traits\n");
        return 2;
    }
    const char *folder = arguments[3];
    film_train_options options;
    struct out_of_fold held;
    must(options_complete(&options, NULL, &error));
    options.threads = count > 4 ? atoi(arguments[4]) : 0;
    film_model *model = mem_zeroed(1, sizeof *model);
    if (!model) must(status_no_memory(&error));
    struct learn_input input = {.method = FILM_METHOD_RANK, .options = &options};
    struct corpus corpus;
    struct csr x;
    must(
        corpus_read(&corpus, (const char *const[]){arguments[1]}, 1, &options.table, NULL, &error));
    learn_model(model, &input, &corpus, &x);
    must(out_of_fold_gather(&input, &model->decision, &held, &error));
    write_train(folder, &held);
    survey_dev(model, arguments[2], folder);
    FILE *file = create(folder, "", "traits.tsv");
    write_traits(file);
    fclose(file);
    out_of_fold_free(&held);
    csr_free(&x);
    corpus_free(&corpus);
    model_free(model);
    return 0;
}
