/* Compresses bytes for tests, into malloc'ed memory. */
#ifndef PACKING_H
#define PACKING_H

#include "testing.h"

#include <zlib.h>
#include <zstd.h>

struct packed {
    char *bytes;
    size_t size;
};

static inline struct packed pack_gzip(const char *bytes, size_t size)
{
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&stream, size) + 64;
    char *out = malloc(room);
    assert_non_null(out);
    stream.next_in = (unsigned char *)(uintptr_t)bytes;
    stream.avail_in = (unsigned)size;
    stream.next_out = (unsigned char *)out;
    stream.avail_out = (unsigned)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    struct packed packed = {out, room - stream.avail_out};
    deflateEnd(&stream);
    return packed;
}

static inline struct packed pack_zstd(const char *bytes, size_t size)
{
    size_t room = ZSTD_compressBound(size);
    struct packed packed = {malloc(room), 0};
    assert_non_null(packed.bytes);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    packed.size = ZSTD_compress2(context, packed.bytes, room, bytes, size);
    ZSTD_freeCCtx(context);
    assert_false(ZSTD_isError(packed.size));
    return packed;
}

/* Concatenates A and B; frees both. */
static inline struct packed pack_join(struct packed a, struct packed b)
{
    struct packed both = {malloc(a.size + b.size), a.size + b.size};
    memcpy(both.bytes, a.bytes, a.size);
    memcpy(both.bytes + a.size, b.bytes, b.size);
    free(a.bytes);
    free(b.bytes);
    return both;
}

#endif
