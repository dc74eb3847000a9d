/* Codes bytes by their frequencies, and restores them. Reading trusts nothing: a damaged table, a
 * stream that ends early and one that does not end in the initial state are refused. */
#include "base/rans.h"
#include "base/varint.h"

#include <string.h>

enum {
    VALUES = 256,
    BITS = 14, /* frequencies sum to 2^BITS */
    TOTAL = 1 << BITS,
    STATES = 4,
    LOWEST = 1 << 16, /* a state is at least this: then it takes no word */
    MAP = VALUES / 8  /* bytes that say which values occur */
};

struct rans_table {
    uint32_t frequency[VALUES], start[VALUES];
};

size_t rans_bound(size_t count)
{
    return MAP + (size_t)VALUES * VARINT_MOST + STATES * sizeof(uint32_t) + VARINT_MOST +
           count * sizeof(uint16_t);
}

static void find_starts(struct rans_table *table)
{
    uint32_t start = 0;
    for (int v = 0; v < VALUES; v++) {
        table->start[v] = start;
        start += table->frequency[v];
    }
}

/* Shares of 2^BITS, at least 1 for each value that occurs. What rounding leaves is taken from the
 * most frequent values, or given to them. */
static void share_frequencies(const size_t *seen, size_t count, struct rans_table *table)
{
    int64_t left = TOTAL;
    for (int v = 0; v < VALUES; v++) {
        uint64_t share = (uint64_t)((double)seen[v] / (double)count * TOTAL);
        table->frequency[v] = (uint32_t)(share || !seen[v] ? share : 1);
        left -= table->frequency[v];
    }
    while (left) {
        int most = 0, change = left < 0 ? -1 : 1;
        for (int v = 1; v < VALUES; v++)
            if (table->frequency[v] > table->frequency[most]) most = v;
        table->frequency[most] = (uint32_t)((int64_t)table->frequency[most] + change);
        left -= change;
    }
    find_starts(table);
}

static size_t put_rans_table(const struct rans_table *table, uint8_t *out)
{
    size_t length = MAP;
    memset(out, 0, MAP);
    for (int v = 0; v < VALUES; v++) {
        if (!table->frequency[v]) continue;
        out[v / 8] |= (uint8_t)(1 << v % 8);
        length += varint_put(out + length, table->frequency[v]);
    }
    return length;
}

/* Values are coded from the last to the first, so that they are read from the first to the last;
 * words are therefore written from the end of ROOM. Returns the first. */
static uint8_t *put_streams(const struct rans_table *table, const uint8_t *bytes, size_t count,
                            size_t stride, uint32_t state[STATES], uint8_t *room)
{
    for (int s = 0; s < STATES; s++) state[s] = LOWEST;
    for (size_t i = count; i-- > 0;) {
        uint32_t *x = &state[i % STATES], f = table->frequency[bytes[i * stride]];
        if (*x >= (uint64_t)f << (32 - BITS)) {
            uint16_t word = (uint16_t)*x;
            memcpy(room -= sizeof word, &word, sizeof word);
            *x >>= 16;
        }
        *x = (*x / f << BITS) + *x % f + table->start[bytes[i * stride]];
    }
    return room;
}

size_t rans_encode(const uint8_t *bytes, size_t count, size_t stride, uint8_t *out)
{
    struct rans_table table;
    size_t seen[VALUES] = {0};
    uint32_t state[STATES];
    if (!count) return 0;
    for (size_t i = 0; i < count; i++) seen[bytes[i * stride]]++;
    share_frequencies(seen, count, &table);
    size_t length = put_rans_table(&table, out);
    uint8_t *end = out + rans_bound(count);
    uint8_t *words = put_streams(&table, bytes, count, stride, state, end);
    memcpy(out + length, state, sizeof state);
    length += sizeof state;
    memmove(out + length, words, (size_t)(end - words));
    return length + (size_t)(end - words);
}

/* ---- Decoding ---- */

static int get_rans_table(const uint8_t **at, const uint8_t *end, struct rans_table *table)
{
    const uint8_t *map = *at;
    uint64_t sum = 0;
    if (end - *at < MAP) return 0;
    *at += MAP;
    memset(table->frequency, 0, sizeof table->frequency);
    for (int v = 0; v < VALUES; v++) {
        if (!(map[v / 8] >> v % 8 & 1)) continue;
        if (!varint_get(at, end, &table->frequency[v]) || !table->frequency[v]) return 0;
        sum += table->frequency[v];
    }
    find_starts(table);
    return sum == TOTAL;
}

/* What is read while values are restored. */
struct rans_reader {
    struct rans_table table;
    uint8_t value[TOTAL]; /* by the lower bits of a state */
    const uint8_t *at, *end;
};

/* Returns the next value of a state. A stream that ends early gives a state that cannot be the
 * last. */
static inline uint8_t next_value(struct rans_reader *reader, uint32_t *state)
{
    uint32_t low = *state & (TOTAL - 1);
    uint8_t v = reader->value[low];
    *state = reader->table.frequency[v] * (*state >> BITS) + low - reader->table.start[v];
    if (*state < LOWEST && reader->end - reader->at >= 2) {
        *state = *state << 16 | (uint32_t)reader->at[1] << 8 | reader->at[0];
        reader->at += 2;
    }
    return v;
}

int rans_decode(const uint8_t **at, const uint8_t *end, uint8_t *out, size_t count, size_t stride)
{
    struct rans_reader reader = {.at = *at, .end = end};
    uint32_t state[STATES];
    size_t i = 0;
    if (!count) return 1;
    if (!get_rans_table(&reader.at, end, &reader.table)) return 0;
    if ((size_t)(end - reader.at) < sizeof state) return 0;
    for (int v = 0; v < VALUES; v++)
        memset(reader.value + reader.table.start[v], v, reader.table.frequency[v]);
    memcpy(state, reader.at, sizeof state);
    reader.at += sizeof state;
    for (; count - i >= STATES; i += STATES)
        for (size_t s = 0; s < STATES; s++) out[(i + s) * stride] = next_value(&reader, &state[s]);
    for (; i < count; i++) out[i * stride] = next_value(&reader, &state[i % STATES]);
    *at = reader.at;
    for (int s = 0; s < STATES; s++)
        if (state[s] != LOWEST) return 0;
    return 1;
}
