/* Makes the sketches of links and the tables of queries. All sums are integers, so that every
 * machine makes the same bytes. codes_kernel.c compares. */
#include "index/sketch.h"
#include "embed/vec.h"
#include "index/codes_kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FROM_DIM = 64, GROUP = 8, TABLE_MOST = 63 }; /* 4 * 63 fits one byte */

/* Number of times that the dimensions are folded, and what is left of them. */
static size_t folds_of(size_t dim)
{
    size_t needed = (dim + SKETCH_MOST_SIGNS - 1) / SKETCH_MOST_SIGNS;
    return needed < 2 ? 2 : needed;
}

static size_t signs_of(size_t dim)
{
    size_t folds = folds_of(dim);
    return dim < FROM_DIM ? 0 : ((dim + folds - 1) / folds + GROUP - 1) / GROUP * GROUP;
}

static size_t sketch_block_size(size_t dim)
{
    size_t signs = signs_of(dim);
    return signs ? signs * SKETCH_LINKS / 8 + 2 * SKETCH_LINKS * sizeof(uint16_t) : 0;
}

size_t sketch_size(size_t dim, size_t degree)
{
    return (degree + SKETCH_LINKS - 1) / SKETCH_LINKS * sketch_block_size(dim);
}

/* ---- Queries ---- */

void sketch_query_make(struct sketch_query *sketch, const struct codes_query *query, size_t dim)
{
    size_t signs = signs_of(dim);
    int32_t folded[SKETCH_MOST_SIGNS] = {0}, most = 1, all = 0;
    sketch->signs = signs;
    sketch->block = sketch_block_size(dim);
    if (!signs) return;
    for (size_t first = 0; first < dim; first += signs)
        for (size_t i = 0; i < signs && first + i < dim; i++) folded[i] += query->values[first + i];
    for (size_t i = 0; i < signs; i++)
        if (abs(folded[i]) > most) most = abs(folded[i]);
    for (size_t i = 0; i < signs; i += 4) {
        uint8_t *sum = sketch->table + 4 * i;
        int32_t value[4], least = 0;
        for (size_t j = 0; j < 4; j++) {
            value[j] = (int32_t)lrintf((float)(folded[i + j] * TABLE_MOST) / (float)most);
            all += abs(value[j]);
            if (value[j] < 0) least -= value[j];
        }
        /* A sign that agrees with the query adds the magnitude of the query's value. */
        sum[0] = (uint8_t)least;
        for (size_t j = 0; j < 4; j++)
            for (size_t c = 0; c < (size_t)1 << j; c++)
                sum[c | (size_t)1 << j] = (uint8_t)(sum[c] + value[j]);
    }
    float unit = (float)most / TABLE_MOST;
    sketch->step = 2 * unit;
    sketch->base = -unit * (float)all;
    sketch->unit = query->scale > 0 ? 1 / query->scale : 0;
}

uint32_t sketch_pass(const struct sketch_query *query, const uint8_t *block, float score,
                     float least)
{
    return codes_kernel()->pass(query, block, score, least);
}

/* ---- Links ---- */

/* Sums over one link; products and folded differences of codes. */
struct link_sums {
    int64_t product; /* row . target */
    int64_t length;  /* target . target */
    int64_t spread;  /* sum of the magnitudes of the folded difference */
    int64_t toward;  /* signs . folded row */
};

VEC_KERNEL static void fold_row(const uint8_t *row, size_t dim, size_t signs, int32_t *folded)
{
    memset(folded, 0, signs * sizeof *folded);
    for (size_t first = 0; first < dim; first += signs) {
        size_t some = dim - first < signs ? dim - first : signs;
        for (size_t i = 0; i < some; i++) folded[i] += row[first + i] - CODES_ZERO;
    }
}

/* 65536 dimensions of at most 127 * 127 fit 32 bits. */
VEC_KERNEL static int32_t product_of(const uint8_t *a, const uint8_t *b, size_t dim)
{
    int32_t sum = 0;
    for (size_t i = 0; i < dim; i++)
        sum += (int16_t)(a[i] - CODES_ZERO) * (int16_t)(b[i] - CODES_ZERO);
    return sum;
}

/* Signs of FAR * target - NEAR * row, one byte each, and their sums. FAR and NEAR are so small that
 * 32 bits are enough. */
VEC_KERNEL static void signs_of_link(const int32_t *row, const int32_t *target, size_t signs,
                                     const int32_t scale[2], uint8_t *sign, struct link_sums *sums)
{
    int32_t spread = 0, toward = 0, near = scale[0], far = scale[1];
    for (size_t i = 0; i < signs; i++) {
        int32_t away = far * target[i] - near * row[i];
        spread += away > 0 ? away : -away;
        toward += away > 0 ? row[i] : -row[i];
        sign[i] = away > 0;
    }
    sums->spread = spread;
    sums->toward = toward;
}

/* The upper half of a float, rounded. */
static uint16_t short_float(double value)
{
    float number = (float)value;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return (uint16_t)((bits + 0x8000u) >> 16);
}

/* Four bytes of 0 or 1 become four bits. */
static uint8_t four_signs(const uint8_t *sign)
{
    return (uint8_t)(sign[0] | sign[1] << 1 | sign[2] << 2 | sign[3] << 3);
}

void sketch_make(const struct codes *codes, size_t row, const uint32_t *links, size_t count,
                 uint8_t *out)
{
    size_t dim = codes->dim, signs = signs_of(dim), block = sketch_block_size(dim);
    const uint8_t *own = codes->rows + row * codes->stride;
    int32_t folded[SKETCH_MOST_SIGNS], target[SKETCH_MOST_SIGNS];
    uint8_t sign[SKETCH_MOST_SIGNS] = {0};
    double near = (double)codes_scale(codes, row);
    if (!signs) return;
    for (size_t l = 0; l < count; l++)
        for (size_t i = 0; i < codes->stride; i += 64)
            __builtin_prefetch(codes->rows + (size_t)links[l] * codes->stride + i);
    fold_row(own, dim, signs, folded);
    int32_t length = product_of(own, own, dim);
    for (size_t l = 0; l < count; l++) {
        const uint8_t *other = codes->rows + (size_t)links[l] * codes->stride;
        uint8_t *at = out + l / SKETCH_LINKS * block;
        uint16_t *numbers = (uint16_t *)(void *)(at + signs * SKETCH_LINKS / 8);
        size_t slot = l % SKETCH_LINKS, shift = slot / 16 * 4;
        double far = (double)codes_scale(codes, links[l]), most = near > far ? near : far;
        if (!(most > 0)) continue;
        double unit = most * (double)folds_of(dim) / 8192;
        int32_t scale[2] = {(int32_t)lrint(near / unit), (int32_t)lrint(far / unit)};
        struct link_sums sums;
        fold_row(other, dim, signs, target);
        signs_of_link(folded, target, signs, scale, sign, &sums);
        for (size_t i = 0; i < signs; i += 4)
            at[i * 4 + slot % 16] |= (uint8_t)(four_signs(sign + i) << shift);
        double product = near * far * product_of(own, other, dim);
        double inside = product - near * near * length; /* row . (target - row) */
        double apart = far * far * product_of(other, other, dim) - product - inside;
        double slope = sums.spread > 0 ? apart / (unit * (double)sums.spread) : 0;
        numbers[slot] = short_float(inside - slope * near * (double)sums.toward);
        numbers[SKETCH_LINKS + slot] = short_float(slope);
    }
}
