/* Block Lanczos with full reorthogonalisation: the largest eigenvalues of an operator that is known
 * only by its products. */
#include "la/krylov.h"

#include "base/mem.h"
#include "base/threads.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

struct krylov_work {
    float *basis;     /* rows x count, LD floats per row */
    size_t ld, count; /* row stride; number of vectors */
    size_t last;      /* width of the newest block */
    float *block;     /* rows x block: A times the newest block, then the next one */
    double *small;    /* basis' A basis, basis x basis; block tridiagonal */
    double *gram;     /* block x block: Gram matrix of the last remainder */
};

static void krylov_work_free(struct krylov_work *work)
{
    mem_free_aligned(work->basis);
    mem_free_aligned(work->block);
    mem_free(work->small);
    mem_free(work->gram);
}

static film_status work_init(const struct krylov *job, struct krylov_work *work, film_error *error)
{
    memset(work, 0, sizeof *work);
    work->ld = (job->basis + 15) / 16 * 16;
    /* With a stride that is a multiple of the cache's set size, rows would evict each other. */
    if (work->ld % 256 == 0) work->ld += 16;
    work->basis = mem_aligned(job->side.rows, work->ld * sizeof *work->basis);
    work->block = mem_aligned(job->side.rows, job->block * sizeof *work->block);
    work->small = mem_zeroed(job->basis, job->basis * sizeof *work->small);
    work->gram = mem_zeroed(job->block, job->block * sizeof *work->gram);
    int missing = !work->basis || !work->block || !work->small || !work->gram;
    return missing ? status_no_memory(error) : FILM_OK;
}

/* Appends rows BEGIN .. END of the block (rows x last) to the basis. */
static void append_rows(size_t begin, size_t end, void *user)
{
    const struct krylov_work *work = user;
    for (size_t i = begin; i < end; i++)
        memcpy(work->basis + i * work->ld + work->count, work->block + i * work->last,
               work->last * sizeof *work->block);
}

static void append_block(const struct krylov *job, struct krylov_work *work, size_t width)
{
    work->last = width;
    threads_each(job->side.threads, job->side.rows, 4096, append_rows, work);
    work->count += width;
}

/* Adds the inner products of the newest block's image with the basis vectors from FIRST on (the
 * newest block and the preceding one) to the small matrix. Called twice: the second, full
 * projection gives small corrections. side.factor begins with vector BEGIN. */
static void collect_products(const struct krylov *job, struct krylov_work *work, size_t begin,
                             size_t first)
{
    size_t columns = work->count - work->last;
    for (size_t j = 0; j < work->last; j++)
        for (size_t i = first; i < work->count; i++)
            work->small[(columns + j) * job->basis + i] +=
                (double)job->side.factor[(i - begin) * work->last + j];
}

/* Returns the length of the longest projection on the basis (side.factor, count x width). */
static double longest(const struct krylov *job, size_t count, size_t width)
{
    double largest = 0.0;
    for (size_t j = 0; j < width; j++) {
        double square = 0.0;
        for (size_t i = 0; i < count; i++) {
            double value = (double)job->side.factor[i * width + j];
            square += value * value;
        }
        if (square > largest) largest = square;
    }
    return sqrt(largest);
}

/* One step: A times the newest block, made orthogonal to the basis. In exact arithmetic only the
 * last two blocks matter. After they are subtracted, so little remains along the others that one
 * full projection reaches full orthogonality. (A second one would double the cost of the most
 * expensive part.) SCALE is the length of the image along the basis; compared with it, a remainder
 * of rounding is recognised. After a random block, the part along the first blocks is larger. */
static void krylov_step(struct krylov *job, struct krylov_work *work, double *scale)
{
    size_t width = work->last, near = work->count;
    if (near > width + job->block) near = width + job->block;
    size_t first = work->count - near;
    job->apply(job->self, work->block, width);
    ortho_project(&job->side, &(struct ortho_basis){work->basis + first, work->ld, near},
                  work->block, width);
    collect_products(job, work, first, first);
    *scale = longest(job, near, width);
    ortho_project(&job->side, &(struct ortho_basis){work->basis, work->ld, work->count},
                  work->block, width);
    collect_products(job, work, 0, first);
    double rest = longest(job, work->count, width);
    if (rest > *scale) *scale = rest;
}

/* Keeps the first WIDTH columns of the remainder as the next block. There are fewer only when the
 * basis is about to span everything; then the choice does not matter. */
static void narrow(const struct krylov *job, struct krylov_work *work, size_t width)
{
    if (width == work->last) return;
    for (size_t i = 0; i < job->side.rows; i++)
        memmove(work->block + i * width, work->block + i * work->last, width * sizeof *work->block);
}

static film_status build(struct krylov *job, struct krylov_work *work, film_error *error)
{
    struct ortho *side = &job->side;
    film_status status = FILM_OK;
    double scale = 0.0;
    /* Starting with A times a random block costs one product and saves a step. */
    ortho_random(side, work->block, job->block);
    job->apply(job->self, work->block, job->block);
    TRY(ortho_block(side, &(struct ortho_basis){work->basis, work->ld, 0}, work->block, job->block,
                    0.0, error));
    append_block(job, work, job->block);
    for (;;) {
        TRY(progress_report(&job->progress, "svd", (double)work->count, (double)job->basis, error));
        krylov_step(job, work, &scale);
        size_t left = job->basis - work->count;
        if (left == 0) break;
        size_t width = left < job->block ? left : job->block;
        narrow(job, work, width);
        TRY(ortho_block(side, &(struct ortho_basis){work->basis, work->ld, work->count},
                        work->block, width, scale, error));
        append_block(job, work, width);
    }
    ortho_gram(side, work->block, work->last, work->gram);
done:
    return status;
}

film_status krylov_small(double *matrix, size_t size, double *values, film_error *error)
{
    lapack_int n = (lapack_int)size, integers = 3 + 5 * n;
    size_t doubles = 1 + 6 * size + 2 * size * size;
    double *space = mem_array(doubles, sizeof *space);
    lapack_int *more = mem_array((size_t)integers, sizeof *more);
    film_status status = FILM_OK;
    TRY_ALLOC(space && more, error);
    if (doubles > INT32_MAX) {
        status = status_set(
            error, FILM_USAGE,
            "SVD: a basis of %zu vectors is too large for LAPACK; choose a smaller rank", size);
        goto done;
    }
    lapack_int info = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', n, matrix, n, values, space,
                                          (lapack_int)doubles, more, integers);
    if (info != 0)
        status = status_set(error, FILM_BAD_INPUT,
                            "SVD: eigenvalues of the projected matrix did not converge (%d); check "
                            "that all values are finite",
                            (int)info);
done:
    mem_free(space);
    mem_free(more);
    return status;
}

/* TOP (basis x rank) = the RANK largest eigenvectors of the small matrix, largest first. A residual
 * is the remainder of the last step, weighted by the vector's share in the last block. */
static void take_top(const struct krylov *job, const struct krylov_work *work,
                     const double *all_values, double *values, double *residual, float *top)
{
    size_t size = job->basis, last = work->last;
    for (size_t j = 0; j < job->rank; j++) {
        const double *vector = work->small + (size - 1 - j) * size, *share = vector + size - last;
        double square = 0.0;
        for (size_t i = 0; i < size; i++) top[i * job->rank + j] = (float)vector[i];
        for (size_t i = 0; i < last; i++)
            for (size_t k = 0; k < last; k++)
                square += share[i] * work->gram[i * last + k] * share[k];
        values[j] = all_values[size - 1 - j];
        residual[j] = square > 0.0 ? sqrt(square) : 0.0;
    }
}

struct combination {
    const struct krylov *job;
    const struct krylov_work *work;
    const float *top; /* count x rank */
    float *vectors;
};

/* vectors (rows x rank) = basis (rows x count) * top: rows BEGIN .. END. */
static void combine_rows(size_t begin, size_t end, void *user)
{
    const struct combination *c = user;
    size_t rank = c->job->rank;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)(end - begin), (int)rank,
                (int)c->job->basis, 1.0f, c->work->basis + begin * c->work->ld, (int)c->work->ld,
                c->top, (int)rank, 0.0f, c->vectors + begin * rank, (int)rank);
}

film_status krylov_top(struct krylov *job, double *values, double *residual, float **vectors,
                       film_error *error)
{
    struct krylov_work work;
    double *all_values = NULL;
    float *top = NULL;
    film_status status = FILM_OK;
    *vectors = NULL;
    TRY(work_init(job, &work, error));
    TRY(build(job, &work, error));
    all_values = mem_array(job->basis, sizeof *all_values);
    top = mem_array(job->basis, job->rank * sizeof *top);
    *vectors = mem_array(job->side.rows, job->rank * sizeof **vectors);
    TRY_ALLOC(all_values && top && *vectors, error);
    TRY(krylov_small(work.small, job->basis, all_values, error));
    take_top(job, &work, all_values, values, residual, top);
    threads_each(job->side.threads, job->side.rows, 256, combine_rows,
                 &(struct combination){job, &work, top, *vectors});
done:
    krylov_work_free(&work);
    mem_free(all_values);
    mem_free(top);
    if (status != FILM_OK) {
        mem_free(*vectors);
        *vectors = NULL;
    }
    return status;
}
