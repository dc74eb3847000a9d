/* Reads bytes of a file or standard input, decompresses gzip (zlib) and zstd, and converts other
 * encodings to UTF-8. Workbooks are converted by a function of the program. It does not know
 * rows. */
#include "text/source.h"
#include "base/mem.h"
#include "film_io.h"
#include "text/workbook.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { INPUT_BYTES = 1 << 17, CONVERTED_BYTES = 1 << 14 };

enum packing { PLAIN, GZIP, ZSTD, WORKBOOK };

struct source {
    char *name;
    int fd; /* -1: bytes in memory */
    const unsigned char *bytes;
    size_t bytes_size, chunk;
    double size;       /* of the file; -1: unknown */
    uint64_t consumed; /* bytes read from the file or from memory */

    /* Bytes of the file not used yet; input_end < INPUT_BYTES does not mean the end. */
    unsigned char *input;
    size_t input_start, input_end;
    int input_over; /* the file is at its end */

    enum packing packing;
    z_stream gzip;
    int gzip_ready;
    ZSTD_DStream *zstd;
    int inside; /* inside an incomplete gzip member or zstd frame */

    enum encoding encoding;
    char *converted; /* text not returned yet: [converted_start, converted_end) */
    size_t converted_start, converted_end;
    char *sheet; /* the rows of a workbook, which are the bytes */

    film_error failure; /* status FILM_OK: no failure */
};

/* ---- interruption ---- */

/* Set once, before other threads start. */
static int (*interrupt_call)(void *user);
static void *interrupt_user;

void film_set_interrupt(int (*call)(void *user), void *user)
{
    interrupt_call = call;
    interrupt_user = user;
}

static int interrupted_call(void)
{
    return interrupt_call && interrupt_call(interrupt_user);
}

/* ---- raw bytes ------------------------------------------------------------------------- */

static film_status read_raw(struct source *source, void *buffer, size_t capacity, size_t *got,
                            film_error *error)
{
    if (source->chunk && capacity > source->chunk) capacity = source->chunk;
    if (capacity > SSIZE_MAX) capacity = SSIZE_MAX;
    if (source->fd < 0) {
        size_t left = source->bytes_size - (size_t)source->consumed;
        *got = left < capacity ? left : capacity;
        if (*got) memcpy(buffer, source->bytes + source->consumed, *got);
    } else {
        ssize_t count;
        do {
            /* A row may never end, and a pipe may never send. */
            if (interrupted_call())
                return status_set(error, FILM_CANCELLED, "stopped during reading");
            count = read(source->fd, buffer, capacity);
        } while (count < 0 && errno == EINTR);
        if (count < 0) return status_errno(error, "cannot read %s", source->name);
        *got = (size_t)count;
    }
    source->consumed += *got;
    if (*got == 0) source->input_over = 1;
    return FILM_OK;
}

/* Appends the result of one read to the input buffer. */
static film_status refill(struct source *source, film_error *error)
{
    size_t got = 0;
    if (source->input_start == source->input_end) source->input_start = source->input_end = 0;
    film_status status = read_raw(source, source->input + source->input_end,
                                  INPUT_BYTES - source->input_end, &got, error);
    if (status == FILM_OK) source->input_end += got;
    return status;
}

/* ---- what kind of file ------------------------------------------------------------------ */

static const struct magic {
    const char *bytes;
    size_t length;
    int packing;         /* -1: refused */
    const char *message; /* the reason, and what to do */
} magics[] = {
    {"\x1f\x8b", 2, GZIP, NULL},
    {"\x28\xb5\x2f\xfd", 4, ZSTD, NULL},
    {"\xfd\x37zXZ", 5, -1, "compressed with xz; unpack it with xz -d"},
    {"BZh91AY&SY", 10, -1, "compressed with bzip2; unpack it with bzip2 -d"},
    {"PK\x03\x04", 4, WORKBOOK, NULL},
};

/* Zstd's skippable frames (files of pzstd begin with one): 5? 2a 4d 18. */
static int is_skippable(const unsigned char *input, size_t length)
{
    static const unsigned char rest[] = {0x2a, 0x4d, 0x18};
    return length > 0 && (input[0] & 0xf0) == 0x50 &&
           memcmp(input + 1, rest, length - 1 < 3 ? length - 1 : 3) == 0;
}

/* Reads until the first bytes decide. Stops as soon as no magic number fits: on a terminal, "a\n"
 * must be processed without waiting for a third byte. */
static film_status find_packing(struct source *source, film_error *error)
{
    for (;;) {
        int could_be = 0;
        size_t length = source->input_end;
        for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
            const struct magic *magic = &magics[i];
            size_t compared = length < magic->length ? length : magic->length;
            if (memcmp(source->input, magic->bytes, compared) != 0) continue;
            if (compared < magic->length) {
                could_be = 1;
            } else if (magic->packing < 0) {
                return status_set(error, FILM_BAD_INPUT, "%s: %s", source->name, magic->message);
            } else {
                source->packing = (enum packing)magic->packing;
                return FILM_OK;
            }
        }
        if (is_skippable(source->input, length)) {
            if (length >= 4) {
                source->packing = ZSTD;
                return FILM_OK;
            }
            could_be = 1;
        }
        if (!could_be || source->input_over) return FILM_OK;
        film_status status = refill(source, error);
        if (status != FILM_OK) return status;
    }
}

static void *zlib_allocate(void *opaque, unsigned count, unsigned size)
{
    (void)opaque;
    return mem_array(count, size);
}

static void zlib_release(void *opaque, void *memory)
{
    (void)opaque;
    mem_free(memory);
}

/* Reads the whole file, lets the program convert it, and continues with the rows in memory. */
static film_status open_workbook(struct source *source, film_error *error)
{
    film_status status = FILM_OK;
    struct workbook_bytes file = {0};
    while (!source->input_over) {
        TRY(workbook_append(&file, source->input, source->input_end, source->name, error));
        source->input_end = 0;
        TRY(refill(source, error));
    }
    TRY(workbook_convert(&file, source->name, &source->sheet, &source->bytes_size, error));
    if (source->fd >= 0 && source->fd != STDIN_FILENO) close(source->fd);
    source->fd = -1;
    source->bytes = (const unsigned char *)source->sheet;
    source->size = (double)source->bytes_size;
    source->consumed = 0;
    source->input_over = 0;
    source->packing = PLAIN;
done:
    mem_free(file.bytes);
    return status;
}

static film_status start_unpacking(struct source *source, film_error *error)
{
    if (source->packing == WORKBOOK) return open_workbook(source, error);
    if (source->packing == GZIP) {
        source->gzip.zalloc = zlib_allocate;
        source->gzip.zfree = zlib_release;
        if (inflateInit2(&source->gzip, 15 + 16) != Z_OK) return status_no_memory(error);
        source->gzip_ready = 1;
        source->inside = 1;
    } else if (source->packing == ZSTD) {
        /* Zstd uses its own memory: custom allocators are not in its stable interface. Its window
         * limit (128 MiB) is unchanged. */
        source->zstd = ZSTD_createDStream();
        if (!source->zstd || ZSTD_isError(ZSTD_initDStream(source->zstd)))
            return status_no_memory(error);
    }
    return FILM_OK;
}

/* ---- opening and closing ----------------------------------------------------------------- */

static film_status open_source_file(struct source *source, const char *path, film_error *error)
{
    struct stat about;
    if (strcmp(path, "-") == 0) {
        source->fd = STDIN_FILENO;
        return FILM_OK;
    }
    source->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (source->fd < 0) return status_errno(error, "cannot open %s", path);
    if (fstat(source->fd, &about) != 0) return status_errno(error, "cannot read %s", path);
    if (S_ISDIR(about.st_mode))
        return status_set(error, FILM_IO, "%s is a directory, not a file", path);
    if (S_ISREG(about.st_mode)) source->size = (double)about.st_size;
    return FILM_OK;
}

/* PATH NULL: bytes in memory. */
static film_status open_any(const char *path, const void *bytes, size_t size, const char *name,
                            size_t chunk, struct source **out, film_error *error)
{
    film_status status = FILM_OK;
    *out = NULL;
    struct source *source = mem_zeroed(1, sizeof *source);
    if (!source) return status_no_memory(error);
    source->fd = -1;
    source->size = path ? -1 : (double)size;
    source->bytes = bytes;
    source->bytes_size = size;
    source->chunk = chunk;
    TRY_ALLOC(source->name = mem_string(name, strlen(name)), error);
    TRY_ALLOC(source->input = mem_array(INPUT_BYTES, 1), error);
    if (path) TRY(open_source_file(source, path, error));
    TRY(refill(source, error));
    TRY(find_packing(source, error));
    TRY(start_unpacking(source, error));
    *out = source;
done:
    if (status != FILM_OK) source_close(source);
    return status;
}

film_status source_open(const char *path, struct source **out, film_error *error)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    return open_any(path, NULL, 0, name, 0, out, error);
}

film_status source_open_bytes(const void *bytes, size_t size, const char *name, size_t chunk,
                              struct source **out, film_error *error)
{
    return open_any(NULL, bytes, size, name, chunk, out, error);
}

void source_close(struct source *source)
{
    if (!source) return;
    if (source->fd >= 0 && source->fd != STDIN_FILENO) close(source->fd);
    if (source->gzip_ready) inflateEnd(&source->gzip);
    ZSTD_freeDStream(source->zstd);
    mem_free(source->converted);
    mem_free(source->sheet);
    mem_free(source->input);
    mem_free(source->name);
    mem_free(source);
}

/* ---- reading ------------------------------------------------------------------------------ */

static film_status damaged_input(struct source *source, const char *why, film_error *error)
{
    return status_set(error, FILM_BAD_INPUT, "%s: compressed data is damaged (%s)", source->name,
                      why ? why : "no reason given");
}

static film_status cut_short(struct source *source, film_error *error)
{
    return status_set(error, FILM_BAD_INPUT,
                      "%s: compressed data ends early; the file is truncated", source->name);
}

static film_status read_plain(struct source *source, void *buffer, size_t capacity, size_t *got,
                              film_error *error)
{
    size_t ready = source->input_end - source->input_start;
    if (ready == 0)
        return source->input_over ? FILM_OK : read_raw(source, buffer, capacity, got, error);
    *got = ready < capacity ? ready : capacity;
    memcpy(buffer, source->input + source->input_start, *got);
    source->input_start += *got;
    return FILM_OK;
}

/* Between two members: zeros are padding (tapes, some tools); another member may follow. */
static film_status next_member(struct source *source, film_error *error)
{
    while (source->input_start < source->input_end && source->input[source->input_start] == 0)
        source->input_start++;
    if (source->input_start == source->input_end) return FILM_OK;
    if (source->input[source->input_start] != 0x1f)
        return damaged_input(source, "trailing bytes are not gzip", error);
    inflateReset(&source->gzip);
    source->inside = 1;
    return FILM_OK;
}

static film_status read_gzip(struct source *source, void *buffer, size_t capacity, size_t *got,
                             film_error *error)
{
    z_stream *gzip = &source->gzip;
    film_status status = FILM_OK;
    unsigned room = capacity > UINT_MAX ? UINT_MAX : (unsigned)capacity;
    gzip->next_out = buffer;
    gzip->avail_out = room;
    while (gzip->avail_out == room) {
        if (source->input_start == source->input_end && !source->input_over)
            TRY(refill(source, error));
        if (source->input_start == source->input_end) {
            if (!source->input_over) continue;
            return source->inside ? cut_short(source, error) : FILM_OK;
        }
        if (!source->inside) TRY(next_member(source, error));
        if (!source->inside) continue;
        gzip->next_in = source->input + source->input_start;
        gzip->avail_in = (unsigned)(source->input_end - source->input_start);
        int result = inflate(gzip, Z_NO_FLUSH);
        source->input_start = source->input_end - gzip->avail_in;
        if (result == Z_STREAM_END)
            source->inside = 0;
        else if (result == Z_MEM_ERROR)
            return status_no_memory(error);
        else if (result != Z_OK && result != Z_BUF_ERROR)
            return damaged_input(source, gzip->msg, error);
    }
    *got = room - gzip->avail_out;
done:
    return status;
}

static film_status read_zstd(struct source *source, void *buffer, size_t capacity, size_t *got,
                             film_error *error)
{
    ZSTD_outBuffer output = {buffer, capacity, 0};
    while (output.pos == 0) {
        if (source->input_start == source->input_end && !source->input_over) {
            film_status status = refill(source, error);
            if (status != FILM_OK) return status;
        }
        int at_end = source->input_start == source->input_end && source->input_over;
        if (at_end && !source->inside) break;
        ZSTD_inBuffer input = {source->input, source->input_end, source->input_start};
        size_t result = ZSTD_decompressStream(source->zstd, &output, &input);
        source->input_start = input.pos;
        if (ZSTD_isError(result)) {
            if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
                return status_no_memory(error);
            return damaged_input(source, ZSTD_getErrorName(result), error);
        }
        source->inside = result != 0;
        /* At the end, the decoder may still hold output; if there is none, bytes are missing. */
        if (at_end && source->inside && output.pos == 0) return cut_short(source, error);
    }
    *got = output.pos;
    return FILM_OK;
}

static film_status read_bytes(struct source *source, void *buffer, size_t capacity, size_t *got,
                              film_error *error)
{
    film_status status = source->failure.status;
    *got = 0;
    if (status == FILM_OK && source->packing == PLAIN)
        status = read_plain(source, buffer, capacity, got, &source->failure);
    else if (status == FILM_OK && source->packing == GZIP)
        status = read_gzip(source, buffer, capacity, got, &source->failure);
    else if (status == FILM_OK)
        status = read_zstd(source, buffer, capacity, got, &source->failure);
    if (status != FILM_OK && error) *error = source->failure;
    return status;
}

film_status source_set_encoding(struct source *source, enum encoding encoding, film_error *error)
{
    if (encoding == ENCODING_UTF8 || source->sheet) return FILM_OK;
    source->converted = mem_array(CONVERTED_BYTES, 3);
    if (!source->converted) return status_no_memory(error);
    source->encoding = encoding;
    return FILM_OK;
}

static film_status read_converted(struct source *source, void *buffer, size_t capacity, size_t *got,
                                  film_error *error)
{
    unsigned char bytes[CONVERTED_BYTES];
    size_t count;
    if (source->converted_start == source->converted_end) {
        film_status status = read_bytes(source, bytes, sizeof bytes, &count, error);
        if (status != FILM_OK) return status;
        source->converted_start = 0;
        source->converted_end = encoding_to_utf8(source->encoding, bytes, count, source->converted);
    }
    *got = source->converted_end - source->converted_start;
    if (*got > capacity) *got = capacity;
    memcpy(buffer, source->converted + source->converted_start, *got);
    source->converted_start += *got;
    return FILM_OK;
}

film_status source_read(struct source *source, void *buffer, size_t capacity, size_t *got,
                        film_error *error)
{
    *got = 0;
    film_status status = source->converted ? read_converted(source, buffer, capacity, got, error)
                                           : read_bytes(source, buffer, capacity, got, error);
    return status;
}

int source_is_workbook(const struct source *source)
{
    return source->sheet != NULL;
}

const char *source_name(const struct source *source)
{
    return source->name;
}

double source_progress(const struct source *source)
{
    if (source->size < 0) return -1;
    double used = (double)(source->consumed - (source->input_end - source->input_start));
    return used < source->size ? used / source->size : 1;
}
