/* Scalar quantisation of vectors to one byte per dimension, with a scale per row. codes_kernel.c
 * computes the products. */
#include "index/codes.h"
#include "base/threads.h"
#include "index/codes_kernel.h"

#include <math.h>
#include <string.h>

/* The best kernel of this machine is looked up at every call: a few loads against thousands of
 * products. Only the choice of a test is remembered. */
static const struct codes_kernel *chosen;

const struct codes_kernel *codes_kernel(void)
{
    const struct codes_kernel *set = __atomic_load_n(&chosen, __ATOMIC_RELAXED);
    if (set) return set;
    size_t at = 0;
    while (!codes_kernels[at].here()) at++;
    __atomic_store_n(&chosen, &codes_kernels[at], __ATOMIC_RELAXED);
    return &codes_kernels[at];
}

int codes_use_kernel(const char *name)
{
    for (size_t i = 0; i < codes_kernel_count; i++)
        if ((!*name || strcmp(codes_kernels[i].name, name) == 0) && codes_kernels[i].here()) {
            __atomic_store_n(&chosen, &codes_kernels[i], __ATOMIC_RELAXED);
            return 1;
        }
    return 0;
}

size_t codes_stride(size_t dim)
{
    size_t needed = dim + sizeof(float), lines = (needed + 63) / 64 * 64;
    return lines - needed <= needed / 4 ? lines : (needed + 15) / 16 * 16;
}

size_t codes_query_room(size_t dim)
{
    return (dim + 63) / 64 * 64;
}

/* The scale that maps the largest magnitude to 127, and its inverse (0 for a zero vector). */
static float scale_of(const float *vector, size_t dim, float *inverse)
{
    float largest = 0;
    for (size_t i = 0; i < dim; i++) {
        float magnitude = fabsf(vector[i]);
        if (magnitude > largest && isfinite(magnitude)) largest = magnitude;
    }
    /* A largest value so small that 127 / largest overflows counts as zero. */
    *inverse = largest > 1e-30f ? 127.0f / largest : 0.0f;
    return largest > 1e-30f ? largest / 127.0f : 0.0f;
}

static int code_of(float value, float inverse)
{
    if (!isfinite(value)) return 0;
    long code = lrintf(value * inverse);
    return code > 127 ? 127 : code < -127 ? -127 : (int)code;
}

float codes_encode_row(const float *vector, size_t dim, uint8_t *row)
{
    size_t stride = codes_stride(dim);
    float inverse, scale = scale_of(vector, dim, &inverse);
    double lost = 0;
    memset(row + dim, CODES_ZERO, stride - dim);
    for (size_t i = 0; i < dim; i++) {
        int code = code_of(vector[i], inverse);
        double rest = (isfinite(vector[i]) ? (double)vector[i] : 0.0) - (double)scale * code;
        lost += rest * rest;
        row[i] = (uint8_t)(code + CODES_ZERO);
    }
    memcpy(row + stride - sizeof scale, &scale, sizeof scale);
    return (float)sqrt(lost);
}

struct encoding {
    const float *rows;
    size_t dim;
    uint8_t *codes;
};

static film_status encode_some(struct threads_worker *worker, void *user, film_error *error)
{
    const struct encoding *job = user;
    size_t dim = job->dim, stride = codes_stride(dim), begin, end;
    (void)error;
    while (threads_next(worker, &begin, &end))
        for (size_t i = begin; i < end; i++)
            codes_encode_row(job->rows + i * dim, dim, job->codes + i * stride);
    return FILM_OK;
}

void codes_encode(const float *rows, size_t count, size_t dim, uint8_t *codes, int threads)
{
    enum { GRAIN = 1024 };
    struct encoding job = {rows, dim, codes};
    (void)threads_for(threads, count, GRAIN, encode_some, &job, NULL); /* cannot fail */
}

float codes_scale(const struct codes *codes, size_t row)
{
    float scale;
    memcpy(&scale, codes->rows + (row + 1) * codes->stride - sizeof scale, sizeof scale);
    return scale;
}

struct codes_query codes_query_of(const float *vector, size_t dim, int8_t *values)
{
    struct codes_query query = {values, 0, 0};
    float inverse;
    query.scale = scale_of(vector, dim, &inverse);
    memset(values, 0, codes_query_room(dim));
    for (size_t i = 0; i < dim; i++) {
        values[i] = (int8_t)code_of(vector[i], inverse);
        query.offset += values[i];
    }
    query.offset *= CODES_ZERO;
    return query;
}

struct codes_query codes_query_row(const struct codes *codes, size_t row, int8_t *values)
{
    struct codes_query query = {values, 0, codes_scale(codes, row)};
    const uint8_t *from = codes->rows + row * codes->stride;
    memset(values, 0, codes_query_room(codes->dim));
    for (size_t i = 0; i < codes->dim; i++) {
        values[i] = (int8_t)(from[i] - CODES_ZERO);
        query.offset += values[i];
    }
    query.offset *= CODES_ZERO;
    return query;
}

void codes_score(const struct codes *codes, const struct codes_query *query, const uint32_t *id,
                 size_t count, float *out)
{
    struct codes_rows rows = {codes->rows, codes->stride, codes->dim};
    codes_kernel()->score(&rows, query->values, query->offset, id, count, out);
}

void codes_score_range(const struct codes *codes, const struct codes_query *query, size_t first,
                       size_t count, float *out)
{
    struct codes_rows rows = {codes->rows + first * codes->stride, codes->stride, codes->dim};
    codes_kernel()->score(&rows, query->values, query->offset, NULL, count, out);
}

int codes_equal(const struct codes *codes, size_t a, size_t b)
{
    const uint8_t *left = codes->rows + a * codes->stride, *right = codes->rows + b * codes->stride;
    size_t scale = codes->stride - sizeof(float);
    return memcmp(left, right, codes->dim) == 0 &&
           memcmp(left + scale, right + scale, sizeof(float)) == 0;
}
