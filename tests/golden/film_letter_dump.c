/* film_letter_dump FOLDER: reads a small problem that film_letter.py made and writes what FILM
 * computes at the given P and S: hinges, K, k, objective, gradient, weights, Cayley step, loss; and
 * what it learns from there. */
#include "la/stiefel.h"
#include "learn/film.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *folder;
static void *owned[32]; /* everything that is allocated; needed until the end */
static int owned_count;

static void *own(void *memory)
{
    return owned[owned_count++] = memory;
}

static void *read_array(const char *name, size_t bytes)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    void *data = own(malloc(bytes));
    FILE *file = fopen(path, "rb");
    if (!data || !file || fread(data, 1, bytes, file) != bytes) exit(2);
    fclose(file);
    return data;
}

static void write_array(const char *name, const double *values, size_t count)
{
    char path[512];
    snprintf(path, sizeof path, "%s/out_%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(values, sizeof *values, count, file) != count) exit(2);
    fclose(file);
}

static void check(film_status status, const film_error *error)
{
    if (status == FILM_OK) return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

/* Learns from the given P with margin m; writes P, s and the last gradient norm under NAME. */
static void learn(const char *name, size_t dim, const float *v, size_t rank,
                  const struct triplets *triplets, double margin, int damped)
{
    struct film_learn_options options;
    struct film_learned learned;
    film_error error;
    char file[64];
    film_learn_defaults(&options);
    options.dim = dim;
    options.power = 1.0;
    options.start = FILM_START_UNIFORM;
    options.seed = 7;
    options.margin = margin;
    options.hinge_weights = 1;
    options.damped = damped;
    options.threads = 1;
    options.solver.iterations = damped ? 3000 : 500;
    options.solver.epsilon = damped ? 0 : 1e-7;
    options.solver.least_change = 0;
    check(film_learn(v, rank, NULL, triplets, &options, &learned, &error), &error);
    snprintf(file, sizeof file, "%s_p", name);
    write_array(file, learned.p, rank * dim);
    snprintf(file, sizeof file, "%s_s", name);
    write_array(file, learned.s, dim);
    film_learned_free(&learned);
}

int main(int count, char **arguments)
{
    if (count != 2) return 2;
    folder = arguments[1];
    const uint64_t *shape = read_array("shape", 5 * sizeof *shape);
    size_t n = shape[0], r = shape[1], d = shape[2], anchors = shape[3], all = shape[4];
    double *p = read_array("p", r * d * sizeof *p);
    double *s = read_array("s", d * sizeof *s), *m = read_array("m", 3 * sizeof *m);
    const float *v = read_array("v", n * r * sizeof *v);
    struct triplets triplets = {.sentences = n,
                                .anchors = anchors,
                                .count = all,
                                .anchor = read_array("anchor", anchors * 4),
                                .start = read_array("start", (anchors + 1) * 8),
                                .similar = read_array("similar", all * 4),
                                .dissimilar = read_array("dissimilar", all * 4)};
    struct film_problem q;
    film_error error;
    check(
        film_problem_init(&q, &(struct film_space){r, d, NULL, 1.0, 1, 1}, v, r, &triplets, &error),
        &error);
    q.margin = m[0];
    memcpy(q.s, s, d * sizeof *s);
    q.given_s = 1;
    film_problem_refresh(&q, p);
    double *active = own(calloc(anchors, sizeof *active)),
           *gradient = own(calloc(r * d, sizeof *gradient));
    double *k = own(calloc(d, sizeof *k)), *next = own(calloc(r * d, sizeof *next)), loss[2];
    for (size_t a = 0; a < anchors; a++) active[a] = q.active[a];
    write_array("lambda", active, anchors);
    write_array("h", q.h, r * r);
    double f = film_problem_value(&q, p, gradient);
    write_array("f", &f, 1);
    write_array("gradient", gradient, r * d);
    film_problem_k(&q, p, k);
    write_array("k", k, d);
    check(
        stiefel_cayley(r, d, &(struct stiefel_line){p, gradient, 0.3}, STIEFEL_SMALL, next, &error),
        &error);
    write_array("cayley", next, r * d);
    check(film_hinge_loss_measure(&q, p, s, &loss[0], &loss[1], &error), &error);
    write_array("loss", loss, 2);
    film_problem_refresh(&q, p); /* s from k, before Lambda */
    write_array("s", q.s, d);
    film_problem_free(&q);
    learn("letter", d, v, r, &triplets, m[1], 0);
    learn("damped", r, v, r, &triplets, m[2], 1);
    learn("undamped", r, v, r, &triplets, m[2], 0);
    return 0;
}
