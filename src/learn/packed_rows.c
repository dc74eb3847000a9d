/* Packs rows of counts, and reads them with their TF-IDF values. features_fit.c writes them,
 * rank_batch.c reads them. */
#include "learn/packed_rows.h"
#include "base/mem.h"
#include "base/varint.h"

#include <string.h>

void packed_rows_free(struct packed_rows *packed)
{
    mem_free(packed->bytes);
    mem_free(packed->start);
    memset(packed, 0, sizeof *packed);
}

/* A number is twice the difference to the preceding id, plus 1 if a count above 1 follows. */
size_t packed_rows_put(uint8_t *out, const struct gram_count *entries, size_t count)
{
    uint8_t *to = out;
    uint32_t before = 0;
    for (size_t i = 0; i < count; before = entries[i++].id) {
        uint32_t often = entries[i].count > 1;
        to += varint_put(to, 2 * (entries[i].id - before) + often);
        if (often) to += varint_put(to, entries[i].count);
    }
    return (size_t)(to - out);
}

static inline uint32_t take_number(const uint8_t **at)
{
    uint32_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint32_t byte = *(*at)++;
        number |= (byte & 127) << shift;
        if (byte < 128) return number;
    }
}

const uint8_t *packed_rows_get(const uint8_t *at, struct gram_count *entries, size_t count)
{
    uint32_t id = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t number = take_number(&at);
        id += number / 2;
        entries[i] = (struct gram_count){id, number & 1 ? take_number(&at) : 1};
    }
    return at;
}

void packed_rows_read(const struct packed_rows *packed, size_t row, size_t count, uint32_t *col,
                      float *val)
{
    const uint8_t *at = packed->bytes + packed->start[row];
    uint32_t id = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t number = take_number(&at);
        col[i] = id += number / 2;
        val[i] = number & 1 ? features_tf(take_number(&at)) : 1.0f;
    }
    features_weigh(packed->features, col, val, count);
}
