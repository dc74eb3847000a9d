/* Makes blocks of columns orthonormal, to each other and to a basis, by repeated Cholesky QR. */
#include "la/ortho.h"

#include "base/mem.h"
#include "base/rng.h"
#include "base/threads.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { ROWS_AT_ONCE = 256, MOST_PASSES = 8 };

/* If a projection leaves less than LOST of a column's length, the remainder is rounding. Below WEAK
 * it is real, but in float only roughly orthogonal to the basis. A column that was projected again
 * has length 1: below HALF of it is weak, because rounding was most of the column. Where a matrix
 * has a smaller rank than the basis, such columns would otherwise grow into copies of the first
 * ones. */
static const double LOST = 1e-6, WEAK = 1e-3, HALF = 0.5;

film_status ortho_init(struct ortho *side, struct ortho_room room, uint64_t seed, int threads,
                       film_error *error)
{
    memset(side, 0, sizeof *side);
    side->rows = room.rows;
    side->threads = threads;
    side->seed = seed;
    side->most = room.most;
    side->sums = mem_aligned(room.most, ORTHO_PARTS * room.width * sizeof *side->sums);
    side->factor = mem_aligned(room.most, room.width * sizeof *side->factor);
    side->gram = mem_aligned(ORTHO_PARTS + 1, room.width * room.width * sizeof *side->gram);
    if (side->sums && side->factor && side->gram) return FILM_OK;
    ortho_free(side);
    return status_no_memory(error);
}

void ortho_free(struct ortho *side)
{
    mem_free_aligned(side->sums);
    mem_free_aligned(side->factor);
    mem_free_aligned(side->gram);
    memset(side, 0, sizeof *side);
}

/* ---- Parts, the same for every thread count ---- */

static size_t part_count(const struct ortho *side)
{
    size_t parts = side->rows / ROWS_AT_ONCE;
    return parts < 1 ? 1 : parts > ORTHO_PARTS ? ORTHO_PARTS : parts;
}

static size_t part_begin(const struct ortho *side, size_t part)
{
    size_t parts = part_count(side);
    return side->rows / parts * part + side->rows % parts * part / parts;
}

/* ---- Random blocks ---- */

struct random_rows {
    uint64_t seed;
    float *block;
    size_t ld, width;
};

static void fill_rows(size_t i, size_t end, void *user)
{
    const struct random_rows *job = user;
    for (; i < end; i++) {
        struct rng rng;
        rng_seed_part(&rng, job->seed, i);
        for (size_t j = 0; j < job->width; j++)
            job->block[i * job->ld + j] = (float)rng_normal(&rng);
    }
}

static void fill_random(struct ortho *side, float *block, size_t ld, size_t width)
{
    uint64_t seed = side->seed + 0x9e3779b97f4a7c15u * ++side->draws;
    threads_each(side->threads, side->rows, ROWS_AT_ONCE, fill_rows,
                 &(struct random_rows){seed, block, ld, width});
}

void ortho_random(struct ortho *side, float *block, size_t width)
{
    fill_random(side, block, width, width);
}

/* ---- Products with the basis ---- */

/* A block of the side's rows x width, by parts. */
struct block_parts {
    const struct ortho *side;
    const struct ortho_basis *basis; /* of a projection */
    float *block;
    size_t width;
    const float *matrix; /* width x width, of a product */
};

/* side->sums (count x width each) = the part of basis' block. */
static void multiply_basis(size_t part, size_t end, void *user)
{
    const struct block_parts *job = user;
    const struct ortho_basis *basis = job->basis;
    size_t count = basis->count, ld = basis->ld, width = job->width;
    for (; part < end; part++) {
        size_t first = part_begin(job->side, part), rows = part_begin(job->side, part + 1) - first;
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)count, (int)width, (int)rows,
                    1.0f, basis->values + first * ld, (int)ld, job->block + first * width,
                    (int)width, 0.0f, job->side->sums + part * count * width, (int)width);
    }
}

/* side->factor = the sum of side->sums over the parts. */
static void sum_parts(size_t begin, size_t end, void *user)
{
    const struct block_parts *job = user;
    size_t parts = part_count(job->side), size = job->basis->count * job->width;
    for (size_t k = begin; k < end; k++) {
        double sum = 0.0;
        for (size_t part = 0; part < parts; part++) sum += (double)job->side->sums[part * size + k];
        job->side->factor[k] = (float)sum;
    }
}

/* block -= basis side->factor */
static void subtract_basis(size_t part, size_t end, void *user)
{
    const struct block_parts *job = user;
    const struct ortho_basis *basis = job->basis;
    size_t ld = basis->ld, width = job->width;
    for (; part < end; part++) {
        size_t first = part_begin(job->side, part), rows = part_begin(job->side, part + 1) - first;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)width,
                    (int)basis->count, -1.0f, basis->values + first * ld, (int)ld,
                    job->side->factor, (int)width, 1.0f, job->block + first * width, (int)width);
    }
}

/* Dividing these tall and thin products ourselves was 10 to 50 % faster than OpenBLAS's threads. */
void ortho_project(struct ortho *side, const struct ortho_basis *basis, float *block, size_t width)
{
    struct block_parts job = {.side = side, .basis = basis, .block = block, .width = width};
    size_t parts = part_count(side), size = basis->count * width;
    if (size == 0) return;
    threads_each(side->threads, parts, 1, multiply_basis, &job);
    threads_each(side->threads, size, 4096, sum_parts, &job);
    threads_each(side->threads, parts, 1, subtract_basis, &job);
}

/* gram (width x width) of rows BEGIN .. END, in double. 32 rows at a time are converted, so that
 * they stay in the first-level cache. */
static void gram_rows(const float *block, size_t width, size_t begin, size_t end, double *gram)
{
    double wide[32 * ORTHO_WIDEST];
    memset(gram, 0, width * width * sizeof *gram);
    for (size_t at = begin; at < end; at += 32) {
        size_t rows = end - at < 32 ? end - at : 32;
        for (size_t k = 0; k < rows * width; k++) wide[k] = (double)block[at * width + k];
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)width, (int)width, (int)rows, 1.0,
                    wide, (int)width, wide, (int)width, 1.0, gram, (int)width);
    }
}

struct gram_job {
    const struct ortho *side;
    const float *block;
    size_t width;
};

static void gram_parts(size_t part, size_t end, void *user)
{
    const struct gram_job *job = user;
    const struct ortho *side = job->side;
    for (; part < end; part++)
        gram_rows(job->block, job->width, part_begin(side, part), part_begin(side, part + 1),
                  side->gram + part * job->width * job->width);
}

void ortho_gram(struct ortho *side, const float *block, size_t width, double *gram)
{
    struct gram_job job = {side, block, width};
    size_t parts = part_count(side), size = width * width;
    threads_each(side->threads, parts, 1, gram_parts, &job);
    for (size_t k = 0; k < size; k++) {
        double sum = 0.0;
        for (size_t part = 0; part < parts; part++) sum += side->gram[part * size + k];
        gram[k] = sum;
    }
}

/* ---- Cholesky QR ---- */

struct factored {
    unsigned char dependent[ORTHO_WIDEST];
    int any_dependent, weak;
};

/* gram = upper' upper, in place (row-major, upper triangle). Not by LAPACK: dependent columns
 * must be found one by one. The row and column of a
 * dependent column become those of the identity. */
static struct factored cholesky(double *gram, size_t width, double scale, double weak)
{
    struct factored found = {{0}, 0, 0};
    for (size_t j = 0; j < width; j++) {
        double square = gram[j * width + j], length = sqrt(square), rest = square;
        for (size_t k = 0; k < j; k++) rest -= gram[k * width + j] * gram[k * width + j];
        double limit = scale > length ? scale : length;
        double pivot = rest > 0.0 ? sqrt(rest) : 0.0;
        found.dependent[j] = pivot <= LOST * limit;
        found.weak |= found.dependent[j] || pivot < weak * limit;
        found.any_dependent |= found.dependent[j];
        if (found.dependent[j]) {
            for (size_t k = 0; k < j; k++) gram[k * width + j] = 0.0;
            for (size_t k = j + 1; k < width; k++) gram[j * width + k] = 0.0;
            gram[j * width + j] = 1.0;
            continue;
        }
        gram[j * width + j] = pivot;
        for (size_t i = j + 1; i < width; i++) {
            double sum = gram[j * width + i];
            for (size_t k = 0; k < j; k++) sum -= gram[k * width + j] * gram[k * width + i];
            gram[j * width + i] = sum / pivot;
        }
    }
    return found;
}

/* inverse = upper^-1, column by column. */
static void invert_upper(const double *upper, size_t width, float *inverse)
{
    double column[ORTHO_WIDEST];
    for (size_t j = 0; j < width; j++) {
        for (size_t i = j + 1; i-- > 0;) {
            double sum = i == j ? 1.0 : 0.0;
            for (size_t k = i + 1; k <= j; k++) sum -= upper[i * width + k] * column[k];
            column[i] = sum / upper[i * width + i];
        }
        for (size_t i = 0; i < width; i++)
            inverse[i * width + j] = i <= j ? (float)column[i] : 0.0f;
    }
}

/* block = block * matrix, a few rows at a time in a small copy. */
static void multiply_parts(size_t part, size_t end, void *user)
{
    const struct block_parts *job = user;
    size_t width = job->width, last = part_begin(job->side, end), rows;
    float copy[64 * ORTHO_WIDEST];
    for (size_t at = part_begin(job->side, part); at < last; at += rows) {
        rows = last - at < 64 ? last - at : 64;
        memcpy(copy, job->block + at * width, rows * width * sizeof *copy);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)width, (int)width,
                    1.0f, copy, (int)width, job->matrix, (int)width, 0.0f, job->block + at * width,
                    (int)width);
    }
}

static void times_small(const struct ortho *side, float *block, size_t width, const float *matrix)
{
    struct block_parts job = {.side = side, .block = block, .width = width, .matrix = matrix};
    threads_each(side->threads, part_count(side), 1, multiply_parts, &job);
}

/* Returns the distance of block' block from the identity. */
static double distance_from_identity(const double *gram, size_t width)
{
    double largest = 0.0;
    for (size_t i = 0; i < width; i++)
        for (size_t j = 0; j < width; j++) {
            double distance = fabs(gram[i * width + j] - (i == j ? 1.0 : 0.0));
            if (!isfinite(distance)) return distance;
            if (distance > largest) largest = distance;
        }
    return largest;
}

/* Each pass divides by the Cholesky factor of the Gram matrix. The Gram matrix is exact (double),
 * but the division is not: columns that were nearly dependent are only roughly orthogonal after it
 * and need another pass. An ordinary block needs one pass. */
film_status ortho_block(struct ortho *side, const struct ortho_basis *basis, float *block,
                        size_t width, double scale, film_error *error)
{
    double gram[ORTHO_WIDEST * ORTHO_WIDEST];
    float inverse[ORTHO_WIDEST * ORTHO_WIDEST];
    int again = 0;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        if (again) ortho_project(side, basis, block, width);
        ortho_gram(side, block, width, gram);
        double distance = distance_from_identity(gram, width);
        if (!isfinite(distance))
            return status_set(error, FILM_BAD_INPUT, "matrix: a value is too large or not finite");
        if (!again && distance < 1e-6) return FILM_OK;
        struct factored found = cholesky(gram, width, pass == 0 ? scale : 1.0, again ? HALF : WEAK);
        invert_upper(gram, width, inverse);
        times_small(side, block, width, inverse);
        for (size_t j = 0; j < width; j++)
            if (found.dependent[j]) fill_random(side, block + j, width, 1);
        again = found.weak; /* a dependent column is weak too */
    }
    /* What remains is rounding: after 8 passes the distance is 1e-5 or less. */
    return FILM_OK;
}
