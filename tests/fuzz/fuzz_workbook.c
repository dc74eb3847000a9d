/* Fuzzes Excel workbooks: the bytes are a zip archive of XML parts. Besides memory errors it checks
 * that what is written are whole lines of UTF-8, and that a failure has a message. */
#include "base/utf8.h"
#include "cli/workbook.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)           \
    do {                           \
        if (!(condition)) abort(); \
    } while (0)

enum { MOST = 1 << 22 };

struct sheet {
    char bytes[MOST];
    size_t used;
};

static int put(void *to, const char *bytes, size_t count)
{
    struct sheet *sheet = to;
    if (count > MOST - sheet->used) return 1;
    memcpy(sheet->bytes + sheet->used, bytes, count);
    sheet->used += count;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sheet sheet;
    film_error error = {FILM_OK, ""};
    sheet.used = 0;
    film_status status = workbook_read(NULL, data, size, put, &sheet, &error);
    CHECK(status == FILM_OK || (error.status == status && strlen(error.message) > 5));
    CHECK(utf8_valid(sheet.bytes, sheet.used, NULL));
    CHECK(!memchr(sheet.bytes, '\r', sheet.used) && !memchr(sheet.bytes, 0, sheet.used));
    if (sheet.used) CHECK(sheet.bytes[sheet.used - 1] == '\n');
    return 0;
}
