/* Measures the cost of FILM's training by phase, and its objective:
 *
 *     film_driver TRAIN.tsv ROWS RANK DIM ITERATIONS INNER POWER DUMP|- [THREADS]
 *
 * Reads the first ROWS rows (0: all), words with min_df 2, SVD, triplets (5 positives, 5 labelled
 * and 5 random negatives), then makes ITERATIONS of film_learn from P = [I; 0]. Prints one line of
 * JSON. With DUMP, a folder, it writes the inputs of the plain numpy version in bench/film.py: V,
 * triplets, sigma, margin; and our P. */
#include "base/mem.h"
#include "base/clock.h"
#include "learn/features_fit.h"
#include "la/svd.h"
#include "learn/film.h"
#include "learn/corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static film_error error;

static void must(film_status status)
{
    if (status == FILM_OK) return;
    fprintf(stderr, "film_driver: %s\n", error.message);
    exit(1);
}

static void dump(const char *folder, const char *name, const void *data, size_t size, size_t count)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, size, count, file) != count || fclose(file) != 0) exit(3);
}

static void read_rows(const char *path, size_t rows, struct corpus *corpus)
{
    struct corpus all;
    film_table_options table = {.size = sizeof table};
    must(corpus_read(&all, &path, 1, &table, NULL, &error));
    if (rows == 0 || rows > all.rows) rows = all.rows;
    unsigned char *part = calloc(all.rows, 1);
    memset(part, 1, rows);
    must(corpus_select(&all, part, 1, corpus, &error));
    free(part);
    corpus_free(&all);
}

static void make_triplets(const struct corpus *corpus, struct triplets *triplets)
{
    struct triplet_options options;
    struct triplet_pair *pairs = malloc(corpus->rows * sizeof *pairs);
    for (size_t i = 0; i < corpus->rows; i++)
        pairs[i] = (struct triplet_pair){corpus->a[i], corpus->b[i], corpus->label[i] >= 0.5f};
    triplets_defaults(&options);
    options.hard = 0;
    must(triplets_from_pairs(corpus->sentences.count, pairs, corpus->rows, &options, triplets,
                             &error));
    free(pairs);
}

static void dump_problem(const char *folder, const struct svd *svd, size_t rows,
                         const struct triplets *t, const struct film_learned *learned)
{
    uint64_t shape[4] = {rows, svd->rank, learned->dim, t->count};
    uint32_t *ijk = malloc(3 * t->count * sizeof *ijk);
    for (size_t a = 0; a < t->anchors; a++)
        for (size_t q = t->start[a]; q < t->start[a + 1]; q++) {
            ijk[3 * q] = t->anchor[a];
            ijk[3 * q + 1] = t->similar[q];
            ijk[3 * q + 2] = t->dissimilar[q];
        }
    dump(folder, "shape.u64", shape, sizeof *shape, 4);
    dump(folder, "v.f32", svd->v, sizeof *svd->v, rows * svd->rank);
    dump(folder, "sigma.f32", svd->sigma, sizeof *svd->sigma, svd->rank);
    dump(folder, "triplets.u32", ijk, sizeof *ijk, 3 * t->count);
    dump(folder, "p.f64", learned->p, sizeof *learned->p, svd->rank * learned->dim);
    dump(folder, "margin.f64", &learned->margin, sizeof learned->margin, 1);
    free(ijk);
}

int main(int argc, char **argv)
{
    if (argc < 9) return 1;
    struct corpus corpus;
    struct tokenizer tokenizer;
    struct features features;
    struct csr x;
    struct svd svd;
    struct triplets triplets;
    struct film_learned learned;
    struct film_learn_options options;
    int threads = argc > 9 ? atoi(argv[9]) : 2;
    read_rows(argv[1], (size_t)atol(argv[2]), &corpus);
    must(tokenizer_init(&tokenizer, NULL, NULL, &error));
    struct features_options words = {.groups = 1, .min_df = 2, .threads = threads};
    double t0 = clock_seconds();
    must(features_fit(&features, &tokenizer, &corpus.sentences, &words, &x, &error));
    double t1 = clock_seconds();
    struct svd_options factor = {.rank = (size_t)atol(argv[3]), .seed = 1, .threads = threads};
    must(svd_compute(&x, &factor, &svd, &error));
    double t2 = clock_seconds();
    make_triplets(&corpus, &triplets);
    double t3 = clock_seconds();
    film_learn_defaults(&options);
    options.dim = (size_t)atol(argv[4]);
    options.solver.iterations = (size_t)atol(argv[5]);
    options.solver.refresh_every = (size_t)atol(argv[6]);
    options.power = atof(argv[7]);
    options.threads = threads;
    double *start = calloc(svd.rank * options.dim, sizeof *start);
    for (size_t c = 0; c < options.dim; c++) start[c * options.dim + c] = 1.0;
    options.start_p = start;
    must(film_learn(svd.v, svd.rank, svd.sigma, &triplets, &options, &learned, &error));
    double t4 = clock_seconds(), best = learned.f;
    for (size_t i = 0; i < learned.solver.iterations; i++) {
        const struct film_iteration *now = &learned.history[i];
        if (now->f < best) best = now->f;
        if (getenv("FILM_DRIVER_LOG"))
            fprintf(stderr, "%3zu f %.6g |F| %.4g tau %.3g active %.0f backtracks %.0f\n", i + 1,
                    now->f, now->gradient, now->tau, now->active, now->backtracks);
    }
    printf(
        "{\"sentences\": %u, \"anchors\": %zu, \"triplets\": %zu, \"rank\": %zu, \"dim\": %zu, "
        "\"features_s\": %.4f, \"svd_s\": %.4f, \"triplets_s\": %.4f, \"film_s\": %.4f, "
        "\"iterations\": %zu, \"objective\": %.9g, \"best_objective\": %.9g, \"margin\": %.9g}\n",
        corpus.sentences.count, triplets.anchors, triplets.count, svd.rank, options.dim, t1 - t0,
        t2 - t1, t3 - t2, t4 - t3, learned.solver.iterations, learned.f, best, learned.margin);
    if (strcmp(argv[8], "-") != 0) dump_problem(argv[8], &svd, x.rows, &triplets, &learned);
    film_learned_free(&learned);
    triplets_free(&triplets);
    svd_free(&svd);
    csr_free(&x);
    features_free(&features);
    corpus_free(&corpus);
    free(start);
    return 0;
}
