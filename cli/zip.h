/* Reads files in a zip archive in memory. Every length and offset is checked: the bytes are
 * untrusted. */
#ifndef CLI_ZIP_H
#define CLI_ZIP_H

#include <stddef.h>

enum zip_result {
    ZIP_OK,
    ZIP_MISSING, /* no such file */
    ZIP_DAMAGED, /* also: a method or size that is not supported */
    ZIP_TOO_LARGE,
    ZIP_NO_MEMORY,
    ZIP_STOPPED /* by the callback */
};

/* The most bytes that one file of an archive may have when unpacked. A small archive can hold
 * petabytes of zeros; unpacking stops here. */
enum { ZIP_MOST = 1 << 29 };

struct zip {
    const unsigned char *bytes;
    size_t size;
    size_t directory; /* offset of the first entry */
    size_t entries;
};

enum zip_result zip_open(struct zip *zip, const void *bytes, size_t size);

/* Unpacks the file called NAME (in any case) and calls CALL with its bytes, chunk by chunk. A
 * non-zero result of CALL stops. */
typedef int (*zip_fn)(void *user, const char *bytes, size_t count);
enum zip_result zip_read(const struct zip *zip, const char *name, zip_fn call, void *user);

#endif
