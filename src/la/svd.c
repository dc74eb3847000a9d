/* Truncated SVD of a sparse matrix by block Krylov iteration on its shorter side. Small or dense
 * cases are in svd_dense.c. */
#include "la/svd.h"

#include "base/mem.h"
#include "base/threads.h"
#include "la/blas.h"
#include "la/dense.h"
#include "la/krylov.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { DEFAULT_BLOCK = 16, ROWS_AT_ONCE = 256 };

/* Singular values below SMALLEST times the first are noise. If the last requested one is below
 * GRADED times the first, squaring (A = X'X in float) has cost too many digits, and polish runs. */
static const double SMALLEST = 1e-5, GRADED = 0.05;

struct svd_job {
    const struct csr *x;
    struct csr t; /* its transpose */
    int threads;
    int cols_side; /* 1: fewer columns than rows, A = X'X; 0: A = XX' */
    float *middle; /* longer side x block */
};

/* block = A block. */
static void apply(void *self, float *block, size_t width)
{
    struct svd_job *job = self;
    const struct csr *first = job->cols_side ? job->x : &job->t;
    const struct csr *second = job->cols_side ? &job->t : job->x;
    csr_times(first, block, width, job->threads, job->middle);
    csr_times(second, job->middle, width, job->threads, block);
}

/* Chooses sizes that the matrix allows. The defaults were measured on the 165,497 x 25,799 word
 * matrix of Quora. Largest relative error of a singular value against ARPACK:
 *     rank 500, block 16: basis 1000 2.8e-2, 1252 1.6e-4, 1346 3e-7 (float's rounding)
 *               block 32: basis 1250 8.0e-4, 1500 4.0e-7; block 8: 1000 2.5e-2
 *     rank 256, block 16: basis 512 3.7e-2, 640 2.7e-3, 704 2.4e-4, 768 3e-6
 *               block 32: basis 704 2.2e-3, 768 1.8e-4; block 8: 640 1.0e-3
 * Block 32 is some 10 % faster for the same basis, which does not make up for the larger basis it
 * needs. Block 8 wastes half of every cache line it fetches. */
static void choose_method(const struct svd_job *job, const struct svd_options *options,
                          struct krylov *krylov)
{
    size_t most = job->cols_side ? job->x->cols : job->x->rows;
    krylov->rank = options->rank < most ? options->rank : most;
    krylov->block = options->block ? options->block : DEFAULT_BLOCK;
    if (krylov->block > ORTHO_WIDEST) krylov->block = ORTHO_WIDEST;
    krylov->basis = options->basis;
    if (krylov->basis == 0) krylov->basis = krylov->rank * 9 / 4 + 8 * krylov->block;
    if (krylov->basis < krylov->rank) krylov->basis = krylov->rank;
    if (krylov->basis > most) krylov->basis = most;
    if (krylov->block > krylov->basis) krylov->block = krylov->basis;
}

/* Computes the singular vectors of the shorter side: NEAR (rows or cols x rank). */
static film_status solve(struct svd_job *job, const struct svd_options *options, struct svd *out,
                         double *values, struct krylov *krylov, float **near, film_error *error)
{
    film_status status = FILM_OK;
    size_t cols = job->x->cols, rows = job->x->rows, width = krylov->block * sizeof(float);
    double *residual = mem_array(krylov->rank, sizeof *residual);
    TRY_ALLOC(residual, error);
    TRY(csr_transpose(job->x, job->threads, &job->t, error));
    TRY_ALLOC(job->middle = mem_aligned(job->cols_side ? rows : cols, width), error);
    TRY(ortho_init(&krylov->side,
                   (struct ortho_room){job->cols_side ? cols : rows, krylov->basis, krylov->block},
                   options->seed, job->threads, error));
    krylov->progress = options->progress;
    krylov->apply = apply;
    krylov->self = job;
    TRY(krylov_top(krylov, values, residual, near, error));
    out->basis = krylov->basis;
    out->residual = 0.0;
    for (size_t i = 0; i < krylov->rank && values[0] > 0.0; i++)
        if (residual[i] / values[0] > out->residual) out->residual = residual[i] / values[0];
done:
    mem_free(residual);
    ortho_free(&krylov->side);
    mem_free_aligned(job->middle);
    job->middle = NULL;
    return status;
}

/* ---- From one side to the other ---- */

struct subspaces {
    size_t near_rows, far_rows, rank;
    float *near, *far; /* rows x rank, orthonormal; far = X near or X' near, normalised */
};

/* far = X near or X' near */
static film_status cross(const struct svd_job *job, struct subspaces *pair, film_error *error)
{
    pair->far = mem_array(pair->far_rows, pair->rank * sizeof *pair->far);
    if (!pair->far) return status_no_memory(error);
    csr_times(job->cols_side ? job->x : &job->t, pair->near, pair->rank, job->threads, pair->far);
    return FILM_OK;
}

/* LENGTHS (rank) of the columns of far. */
static void column_lengths(const struct subspaces *pair, double *lengths)
{
    size_t rank = pair->rank;
    for (size_t j = 0; j < rank; j++) lengths[j] = 0.0;
    for (size_t i = 0; i < pair->far_rows; i++)
        for (size_t j = 0; j < rank; j++)
            lengths[j] += (double)pair->far[i * rank + j] * (double)pair->far[i * rank + j];
    for (size_t j = 0; j < rank; j++) lengths[j] = sqrt(lengths[j]);
}

struct column_rotation {
    float *matrix; /* rows x rank */
    size_t rank;
    const float *rotation; /* rank x rank */
};

/* matrix = matrix * rotation. */
static film_status rotate_rows(struct threads_worker *worker, void *user, film_error *error)
{
    const struct column_rotation *job = user;
    size_t at, end, rank = job->rank;
    float *copy = mem_array(ROWS_AT_ONCE, rank * sizeof *copy);
    if (!copy) return status_no_memory(error);
    while (threads_next(worker, &at, &end)) {
        float *matrix = job->matrix + at * rank;
        memcpy(copy, matrix, (end - at) * rank * sizeof *copy);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)(end - at), (int)rank,
                    (int)rank, 1.0f, copy, (int)rank, job->rotation, (int)rank, 0.0f, matrix,
                    (int)rank);
    }
    mem_free(copy);
    return FILM_OK;
}

/* Improves small singular values. far = X near is exact to float rounding relative to the first
 * singular value; A near has that precision only for the squares. The Gram matrix of far in double
 * is W S^2 W'. It rotates both sides: near W, far W S^-1. Then far is orthonormal down to 1e-5 of
 * the first singular value. The cost is rank^2 * rows. The flat spectrum of text does not need
 * it. */
static film_status polish(const struct svd_job *job, struct subspaces *pair, double *sigma,
                          film_error *error)
{
    size_t rank = pair->rank;
    double *gram = mem_zeroed(rank, rank * sizeof *gram);
    double *squares = mem_array(rank, sizeof *squares);
    float *rotation = mem_array(rank, rank * sizeof *rotation);
    film_status status = FILM_OK;
    TRY_ALLOC(gram && squares && rotation, error);
    TRY(dense_add_gram(pair->far, pair->far_rows, rank, job->threads, gram, error));
    TRY(krylov_small(gram, rank, squares, error));
    for (size_t j = 0; j < rank; j++) {
        double square = squares[rank - 1 - j];
        sigma[j] = square > 0.0 ? sqrt(square) : 0.0;
        for (size_t i = 0; i < rank; i++)
            rotation[i * rank + j] = (float)gram[(rank - 1 - j) * rank + i];
    }
    TRY(threads_for(job->threads, pair->near_rows, ROWS_AT_ONCE, rotate_rows,
                    &(struct column_rotation){pair->near, rank, rotation}, error));
    TRY(threads_for(job->threads, pair->far_rows, ROWS_AT_ONCE, rotate_rows,
                    &(struct column_rotation){pair->far, rank, rotation}, error));
    column_lengths(pair, sigma); /* of the rotated far */
done:
    mem_free(gram);
    mem_free(squares);
    mem_free(rotation);
    return status;
}

/* Keeps the first KEEP columns. */
static void cut_columns(float **matrix, size_t rows, size_t rank, size_t keep)
{
    if (keep == rank) return;
    for (size_t i = 0; i < rows; i++)
        memmove(*matrix + i * keep, *matrix + i * rank, keep * sizeof **matrix);
    float *smaller = mem_resize(*matrix, rows * keep, sizeof **matrix);
    if (smaller) *matrix = smaller;
}

/* matrix (rows x rank): column j times scale[j]. */
static void scale_columns(float *matrix, size_t rows, size_t rank, const float *scale)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < rank; j++) matrix[i * rank + j] *= scale[j];
}

/* scale (rank) = +1 or -1, so that the entry of largest magnitude in each column of u (rows x rank)
 * becomes positive; the first of equal ones. */
static void find_signs(const float *u, size_t rows, size_t rank, float *scale)
{
    for (size_t j = 0; j < rank; j++) scale[j] = 0.0f;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < rank; j++) {
            float value = u[i * rank + j];
            if (fabsf(value) > fabsf(scale[j])) scale[j] = value;
        }
    for (size_t j = 0; j < rank; j++) scale[j] = scale[j] < 0.0f ? -1.0f : 1.0f;
}

/* Computes the other side, the singular values, the numerical rank and the signs. */
static film_status finish_factors(const struct svd_job *job, struct subspaces *pair,
                                  struct svd *out, double *sigma, film_error *error)
{
    film_status status = FILM_OK;
    float *scale = mem_array(pair->rank, sizeof *scale);
    out->sigma = mem_array(pair->rank, sizeof *out->sigma);
    TRY_ALLOC(scale && out->sigma, error);
    TRY(cross(job, pair, error));
    column_lengths(pair, sigma);
    if (sigma[pair->rank - 1] < GRADED * sigma[0]) TRY(polish(job, pair, sigma, error));
    size_t keep = 0;
    while (keep < pair->rank && sigma[keep] > SMALLEST * sigma[0]) keep++;
    if (keep == 0) {
        status = status_set(
            error, FILM_BAD_INPUT,
            "SVD: the matrix is zero, because no sentence has a feature; give more text");
        goto done;
    }
    cut_columns(&pair->near, pair->near_rows, pair->rank, keep);
    cut_columns(&pair->far, pair->far_rows, pair->rank, keep);
    out->rank = pair->rank = keep;
    /* Values that are equal up to rounding may be in the wrong order. */
    for (size_t j = 0; j < keep; j++)
        out->sigma[j] = (float)(j > 0 && sigma[j] > sigma[j - 1] ? sigma[j - 1] : sigma[j]);
    find_signs(job->cols_side ? pair->near : pair->far, job->x->cols, keep, scale);
    scale_columns(pair->near, pair->near_rows, keep, scale);
    for (size_t j = 0; j < keep; j++) scale[j] = (float)((double)scale[j] / sigma[j]);
    scale_columns(pair->far, pair->far_rows, keep, scale);
done:
    mem_free(scale);
    return status;
}

film_status svd_compute(const struct csr *x, const struct svd_options *options, struct svd *out,
                        film_error *error)
{
    struct svd_job job = {.x = x, .cols_side = x->cols <= x->rows};
    struct krylov krylov = {0};
    struct subspaces pair = {0};
    double *values = NULL;
    film_status status = FILM_OK;
    memset(out, 0, sizeof *out);
    job.threads = threads_count(options->threads);
    if (options->rank == 0) return status_set(error, FILM_USAGE, "rank must be at least 1");
    if (x->rows == 0 || x->cols == 0)
        return status_set(error, FILM_BAD_INPUT,
                          "SVD: empty matrix of %zu sentences and %zu features", x->rows, x->cols);
    blas_begin();
    choose_method(&job, options, &krylov);
    values = mem_array(krylov.rank, sizeof *values);
    TRY_ALLOC(values, error);
    TRY(solve(&job, options, out, values, &krylov, &pair.near, error));
    pair.rank = krylov.rank;
    pair.near_rows = job.cols_side ? x->cols : x->rows;
    pair.far_rows = job.cols_side ? x->rows : x->cols;
    TRY(finish_factors(&job, &pair, out, values, error));
done:
    blas_end();
    out->u = job.cols_side ? pair.near : pair.far;
    out->v = job.cols_side ? pair.far : pair.near;
    csr_free(&job.t);
    mem_free(values);
    if (status != FILM_OK) svd_free(out);
    return status;
}

void svd_free(struct svd *svd)
{
    mem_free(svd->sigma);
    mem_free(svd->u);
    mem_free(svd->v);
    memset(svd, 0, sizeof *svd);
}
