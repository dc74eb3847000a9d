/* A frame of zstd announces the memory that it needs, up to 128 MB, and zstd allocates it at once.
 * A search refuses frames of more than 64 KB: with the sanitizer's malloc the others took most of
 * its time. Replays read all of them. Linked by -Wl,--wrap. */
#include <stddef.h>
#include <zstd.h>

ZSTD_DStream *__real_ZSTD_createDStream(void);
ZSTD_DStream *__wrap_ZSTD_createDStream(void);

ZSTD_DStream *__wrap_ZSTD_createDStream(void)
{
    ZSTD_DStream *stream = __real_ZSTD_createDStream();
    if (stream) ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, 16);
    return stream;
}
