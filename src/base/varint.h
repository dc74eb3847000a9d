/* Small numbers in few bytes: 7 bits in each, the lowest first; the top bit says that more follow
 * (LEB128). Reading trusts nothing. */
#ifndef BASE_VARINT_H
#define BASE_VARINT_H

#include <stddef.h>
#include <stdint.h>

enum { VARINT_MOST = 5 }; /* bytes of a number */

/* Returns the number of bytes. */
static inline size_t varint_put(uint8_t *out, uint32_t number)
{
    size_t length = 0;
    for (; number >= 128; number >>= 7) out[length++] = (uint8_t)(number | 128);
    out[length++] = (uint8_t)number;
    return length;
}

/* Reads a number at *AT, and moves *AT behind it. Returns 0 if it does not end before END, or
 * exceeds 32 bits. */
static inline int varint_get(const uint8_t **at, const uint8_t *end, uint32_t *number)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 7 * VARINT_MOST && *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *number = (uint32_t)value;
            return value <= UINT32_MAX;
        }
    }
    return 0;
}

#endif
