/* A small model with a full decision, trained on every eighth row of the FAQ example. */
#ifndef FAQ_MODEL_H
#define FAQ_MODEL_H

#include "testing.h"

#include "base/rng.h"
#include "model/model.h"

#include <fcntl.h>
#include <sys/file.h>

enum { FAQ_MOST = 700, FAQ_EVERY = 8 };

static film_error error;
static struct faq_row {
    char a[400], b[400];
    int label;
} faq[FAQ_MOST];
static size_t faq_count;

/* Reads the rows and writes the sampled ones to PATH. */
static inline void faq_sample(const char *path)
{
    film_table *table;
    film_row row;
    film_table_options options = {.size = sizeof options};
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "label\tquestion1\tquestion2\n");
    assert_ok(film_table_open(FILM_ROOT "/examples/faq/train.tsv", &options, &table, &error));
    faq_count = 0;
    for (size_t i = 0; film_table_next(table, &row, &error) == FILM_OK; i++) {
        if (i % FAQ_EVERY || faq_count == FAQ_MOST) continue;
        struct faq_row *kept = &faq[faq_count++];
        snprintf(kept->a, sizeof kept->a, "%.*s", (int)row.a.length, row.a.bytes);
        snprintf(kept->b, sizeof kept->b, "%.*s", (int)row.b.length, row.b.bytes);
        kept->label = row.label >= 0.5;
        fprintf(out, "%d\t%s\t%s\n", kept->label, kept->a, kept->b);
    }
    film_table_close(table);
    assert_int_equal(fclose(out), 0);
    assert_true(faq_count > 500);
}

static inline void faq_options(film_train_options *options)
{
    *options = (film_train_options){.size = sizeof *options};
    options->dim = 12;
    options->threads = 2;
}

static inline film_model *faq_train(const film_train_options *options)
{
    const char *path = scratch("faq.tsv");
    film_model *model = NULL;
    faq_sample(path);
    assert_ok(film_train(&path, 1, options, &model, &error));
    unlink(path);
    return model;
}

/* The model of faq_options. The programs of one tests/run share it, in $FILM_SHARED: the first to
 * ask trains it, the others wait. */
static inline film_model *faq_shared(void)
{
    const char *folder = getenv("FILM_SHARED"), *rows = scratch("faq.tsv");
    char path[400], lock[420];
    film_train_options options;
    film_model *model = NULL;
    faq_options(&options);
    if (!folder) return faq_train(&options);
    snprintf(path, sizeof path, "%s/faq-sample.film", folder);
    snprintf(lock, sizeof lock, "%s.lock", path);
    int held = open(lock, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    assert_true(held >= 0 && flock(held, LOCK_EX) == 0);
    if (access(path, R_OK) != 0) {
        model = faq_train(&options);
        assert_ok(film_save(model, path, &error));
        film_close(model);
    } else {
        faq_sample(rows);
        unlink(rows);
    }
    close(held);
    assert_ok(film_open(path, &model, &error));
    return model;
}

#endif
