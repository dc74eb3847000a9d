/* Builds memory from labels by union-find: sentences labelled the same form a cluster, and pairs of
 * clusters with a negative label are stored as different. Weights are fitted to pairs that memory
 * was built without. */
#include "learn/memory_build.h"
#include "base/rng.h"
#include "base/mem.h"
#include "base/union_find.h"
#include "pair/calibrate.h"

#include <math.h>
#include <string.h>

/* A sentence without words is not a question, and a row without a label is not used. */
static int is_used(const struct memory_row *row, const unsigned char *part, size_t i,
                   unsigned char left_out)
{
    return row->a && row->b && (row->same == 0 || row->same == 1) && (!part || part[i] != left_out);
}

film_status memory_build(struct memory *memory, const struct memory_row *rows, size_t count,
                         const unsigned char *part, unsigned char left_out, film_error *error)
{
    film_status status = FILM_OK;
    struct union_find clusters = {0};
    uint32_t a, b, number;
    memset(memory, 0, sizeof *memory);
    TRY(keytab_init_seeded(&memory->questions, rng_entropy(), error));
    TRY(keytab_init(&memory->different, error));
    for (size_t i = 0; i < count; i++)
        if (is_used(&rows[i], part, i, left_out)) {
            TRY(keytab_add(&memory->questions, rows[i].a, &a, error));
            TRY(keytab_add(&memory->questions, rows[i].b, &b, error));
        }
    TRY(union_find_init(&clusters, memory->questions.count, error));
    for (size_t i = 0; i < count; i++)
        if (is_used(&rows[i], part, i, left_out) && rows[i].same == 1)
            union_find_join(&clusters, keytab_find(&memory->questions, rows[i].a),
                            keytab_find(&memory->questions, rows[i].b));
    TRY_ALLOC(memory->own_cluster = mem_array(memory->questions.count, sizeof(uint32_t)), error);
    for (uint32_t i = 0; i < memory->questions.count; i++)
        memory->own_cluster[i] = union_find_root(&clusters, i);
    memory->cluster = memory->own_cluster;
    for (size_t i = 0; i < count; i++) {
        if (!is_used(&rows[i], part, i, left_out) || rows[i].same != 0) continue;
        a = memory->cluster[keytab_find(&memory->questions, rows[i].a)];
        b = memory->cluster[keytab_find(&memory->questions, rows[i].b)];
        /* A negative label inside a cluster is ignored: the positive labels outnumber it. */
        if (a != b) TRY(keytab_add(&memory->different, memory_clusters(a, b), &number, error));
    }
done:
    union_find_free(&clusters);
    if (status != FILM_OK) memory_free(memory);
    return status;
}

void memory_mark_matched(struct memory *memory)
{
    uint32_t *cluster = memory->own_cluster;
    for (uint32_t i = 0; i < memory->questions.count; i++) {
        uint32_t root = cluster[i] & ~MEMORY_MATCHED;
        if (root == i) continue;
        cluster[i] |= MEMORY_MATCHED;
        cluster[root] |= MEMORY_MATCHED;
    }
}

double memory_weigh(const double *margin, const float *target, const float *weight, size_t count)
{
    enum { ROUNDS = 50 };
    /* A prior of one right and one wrong result: a weight fitted to three pairs stays small. */
    double total = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double p = calibrate_probability(total), slope = 2 * p - 1, bend = 2 * p * (1 - p);
        for (size_t i = 0; i < count; i++) {
            p = calibrate_probability(margin[i] + total);
            slope += (double)weight[i] * (p - (double)target[i]);
            bend += (double)weight[i] * p * (1 - p);
        }
        double step = slope / bend;
        total -= fmax(-2, fmin(2, step));
        if (fabs(step) < 1e-9) break;
    }
    return total;
}
