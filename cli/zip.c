/* Finds files by the directory at the end of a zip archive and unpacks them with zlib. No zip64, no
 * encryption: workbooks need neither. */
#include "zip.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include <zlib.h>

enum { END_BYTES = 22, ENTRY_BYTES = 46, LOCAL_BYTES = 30, MOST_ENTRIES = 65535 };

static size_t get16(const unsigned char *at)
{
    return (size_t)at[0] | (size_t)at[1] << 8;
}

static size_t get32(const unsigned char *at)
{
    return get16(at) | get16(at + 2) << 16;
}

enum zip_result zip_open(struct zip *zip, const void *bytes, size_t size)
{
    *zip = (struct zip){.bytes = bytes, .size = size};
    if (size < END_BYTES) return ZIP_DAMAGED;
    /* The end record is followed by a comment of at most 65535 bytes. */
    size_t first = size > END_BYTES + 65535 ? size - END_BYTES - 65535 : 0;
    for (size_t at = size - END_BYTES + 1; at-- > first;) {
        const unsigned char *end = zip->bytes + at;
        if (memcmp(end, "PK\5\6", 4) != 0 || get16(end + 20) > size - END_BYTES - at) continue;
        zip->entries = get16(end + 10);
        zip->directory = get32(end + 16);
        return zip->directory <= at ? ZIP_OK : ZIP_DAMAGED;
    }
    return ZIP_DAMAGED;
}

struct entry {
    size_t method, packed, data; /* data: offset of the bytes */
};

/* Checks the header in front of the bytes. */
static enum zip_result locate(const struct zip *zip, size_t local, struct entry *entry)
{
    if (local > zip->size || zip->size - local < LOCAL_BYTES) return ZIP_DAMAGED;
    const unsigned char *header = zip->bytes + local;
    if (memcmp(header, "PK\3\4", 4) != 0 || (get16(header + 6) & 1)) return ZIP_DAMAGED;
    entry->data = local + LOCAL_BYTES + get16(header + 26) + get16(header + 28);
    if (entry->data > zip->size || zip->size - entry->data < entry->packed) return ZIP_DAMAGED;
    return entry->method == 0 || entry->method == 8 ? ZIP_OK : ZIP_DAMAGED;
}

static enum zip_result find_entry(const struct zip *zip, const char *name, struct entry *entry)
{
    size_t at = zip->directory, wanted = strlen(name);
    for (size_t i = 0; i < zip->entries; i++) {
        if (at > zip->size || zip->size - at < ENTRY_BYTES) return ZIP_DAMAGED;
        const unsigned char *header = zip->bytes + at;
        size_t length = get16(header + 28);
        if (memcmp(header, "PK\1\2", 4) != 0 || zip->size - at - ENTRY_BYTES < length)
            return ZIP_DAMAGED;
        if (length == wanted &&
            strncasecmp((const char *)header + ENTRY_BYTES, name, length) == 0) {
            *entry = (struct entry){.method = get16(header + 10), .packed = get32(header + 20)};
            return locate(zip, get32(header + 42), entry);
        }
        at += ENTRY_BYTES + length + get16(header + 30) + get16(header + 32);
    }
    return ZIP_MISSING;
}

static enum zip_result unpack_entry(const struct zip *zip, const struct entry *entry, zip_fn call,
                                    void *user)
{
    enum { OUT = 1 << 16 };
    unsigned char out[OUT];
    size_t total = 0;
    int code = Z_OK;
    enum zip_result result = ZIP_OK;
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)(zip->bytes + entry->data),
                       .avail_in = (uInt)entry->packed}; /* 32 bits in the archive */
    if (inflateInit2(&stream, -15) != Z_OK) return ZIP_NO_MEMORY;
    while (result == ZIP_OK && code != Z_STREAM_END) {
        stream.next_out = out;
        stream.avail_out = OUT;
        code = inflate(&stream, Z_NO_FLUSH);
        size_t count = OUT - stream.avail_out;
        if (code == Z_MEM_ERROR)
            result = ZIP_NO_MEMORY;
        else if ((code != Z_OK && code != Z_STREAM_END) || (count == 0 && code != Z_STREAM_END))
            result = ZIP_DAMAGED;
        else if (count > ZIP_MOST - total)
            result = ZIP_TOO_LARGE;
        else if (call(user, (const char *)out, count))
            result = ZIP_STOPPED;
        total += count;
    }
    inflateEnd(&stream);
    return result;
}

enum zip_result zip_read(const struct zip *zip, const char *name, zip_fn call, void *user)
{
    struct entry entry;
    enum zip_result result = find_entry(zip, name, &entry);
    if (result != ZIP_OK) return result;
    if (entry.method == 8) return unpack_entry(zip, &entry, call, user);
    if (entry.packed > ZIP_MOST) return ZIP_TOO_LARGE;
    return call(user, (const char *)zip->bytes + entry.data, entry.packed) ? ZIP_STOPPED : ZIP_OK;
}
