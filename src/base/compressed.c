/* Expands a frame of zstd, all at once, into memory of the size that it announces. Tables of text,
 * which may be larger than memory, are read as streams (text/source.c). */
#include "base/compressed.h"
#include "base/mem.h"

#include <stdint.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

/* Models become a fifth smaller, tables of words a third as large. */
enum { MOST_GROWTH = 100 };

/* Expands the only frame of the file. */
static film_status expand_frame(const void *bytes, size_t size, const char *name, void *out,
                                size_t out_size, film_error *error)
{
    size_t frame = ZSTD_findFrameCompressedSize(bytes, size);
    size_t got = ZSTD_isError(frame) ? frame : ZSTD_decompress(out, out_size, bytes, frame);
    if (ZSTD_isError(got) && ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
        return status_no_memory(error);
    if (ZSTD_isError(got))
        return status_set(error, FILM_BAD_INPUT, "%s: %s (zstd); the file is cut off or damaged",
                          name, ZSTD_getErrorName(got));
    if (frame != size || got != out_size)
        return status_set(error, FILM_BAD_INPUT,
                          "%s: other bytes follow what zstd compressed; compress one file", name);
    return FILM_OK;
}

film_status compressed_expand(const void *bytes, size_t size, const char *name, void **out,
                              size_t *out_size, film_error *error)
{
    film_status status = FILM_OK;
    static const char magic[4] = "\x28\xb5\x2f\xfd";
    *out = NULL;
    if (size < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0) return FILM_OK;
    unsigned long long all = ZSTD_getFrameContentSize(bytes, size);
    if (all == ZSTD_CONTENTSIZE_UNKNOWN)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: zstd was not told the size; compress the file, not a pipe", name));
    if (all == ZSTD_CONTENTSIZE_ERROR)
        TRY(status_set(error, FILM_BAD_INPUT, "%s: invalid zstd header; the file is damaged",
                       name));
    if (all / MOST_GROWTH > size || all > PTRDIFF_MAX)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: %zu bytes would become %llu, more than %d times as many; the file is "
                       "damaged, or made to take all memory",
                       name, size, all, MOST_GROWTH));
    TRY_ALLOC(*out = mem_aligned((size_t)all, 1), error);
    *out_size = (size_t)all;
    TRY(expand_frame(bytes, size, name, *out, *out_size, error));
done:
    if (status != FILM_OK) {
        mem_free_aligned(*out);
        *out = NULL;
    }
    return status;
}
