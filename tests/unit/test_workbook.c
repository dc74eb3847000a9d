/* The reader of workbooks stays inside of its memory: every block that it allocates ends at a page
 * that nobody may read, and what it has not written is full of digits. */
#include "testing.h"
#include "cli/workbook.h"

#include <sys/mman.h>

/* ---- Memory that ends at a guard page ---- */

enum { MOST_BLOCKS = 16 };
static struct block {
    char *at;
    size_t size;
    void *pages;
    size_t length;
} blocks[MOST_BLOCKS];
static int guarding;

void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __real_free(void *memory);
void __wrap_free(void *memory);

static struct block *block_of(const void *memory)
{
    for (int i = 0; i < MOST_BLOCKS; i++)
        if (blocks[i].at == memory) return &blocks[i];
    return NULL;
}

static char *guarded_block(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (size + page - 1) / page * page;
    struct block *block = block_of(NULL);
    assert_non_null(block);
    char *pages =
        mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED && mprotect(pages + room, page, PROT_NONE) == 0);
    memset(pages, '0', room);
    *block = (struct block){pages + room - size, size, pages, room + page};
    return block->at;
}

void __wrap_free(void *memory)
{
    struct block *block = memory ? block_of(memory) : NULL;
    if (!block) {
        __real_free(memory);
        return;
    }
    munmap(block->pages, block->length);
    *block = (struct block){.at = NULL};
}

void *__wrap_realloc(void *memory, size_t size)
{
    const struct block *old = memory ? block_of(memory) : NULL;
    if (!guarding || (memory && !old)) return __real_realloc(memory, size);
    char *larger = guarded_block(size);
    if (old) memcpy(larger, old->at, old->size < size ? old->size : size);
    __wrap_free(memory);
    return larger;
}

/* ---- A workbook in memory ---- */

struct archive {
    char *bytes;
    size_t used;
    char directory[600];
    size_t directory_used;
    unsigned entries;
};

static void put_number(char *at, size_t number, int bytes)
{
    for (int i = 0; i < bytes; i++) at[i] = (char)(number >> 8 * i & 255);
}

/* Adds a stored file of a zip archive. */
static void add_part(struct archive *archive, const char *name, const char *text, size_t length)
{
    char header[30] = "PK\3\4", entry[46] = "PK\1\2";
    size_t name_length = strlen(name);
    put_number(header + 26, name_length, 2);
    put_number(entry + 20, length, 4);
    put_number(entry + 24, length, 4);
    put_number(entry + 28, name_length, 2);
    put_number(entry + 42, archive->used, 4);
    archive->bytes = realloc(archive->bytes, archive->used + sizeof header + name_length + length);
    assert_non_null(archive->bytes);
    char *to = archive->bytes + archive->used;
    memcpy(to, header, sizeof header);
    memcpy(to + sizeof header, name, name_length);
    memcpy(to + sizeof header + name_length, text, length);
    archive->used += sizeof header + name_length + length;
    to = archive->directory + archive->directory_used;
    memcpy(to, entry, sizeof entry);
    memcpy(to + sizeof entry, name, name_length);
    archive->directory_used += sizeof entry + name_length;
    archive->entries++;
}

/* Adds the directory and the record at the end. */
static void end_archive(struct archive *archive)
{
    char end[22] = "PK\5\6";
    put_number(end + 10, archive->entries, 2);
    put_number(end + 16, archive->used, 4);
    archive->bytes = realloc(archive->bytes, archive->used + archive->directory_used + sizeof end);
    assert_non_null(archive->bytes);
    memcpy(archive->bytes + archive->used, archive->directory, archive->directory_used);
    memcpy(archive->bytes + archive->used + archive->directory_used, end, sizeof end);
    archive->used += archive->directory_used + sizeof end;
}

/* A workbook with one cell: the shared string whose number is written with DIGITS zeros and END. */
static struct archive one_cell(size_t digits, const char *end)
{
    static const char book[] = "<workbook><sheets><sheet r:id='a'/></sheets></workbook>";
    static const char relations[] = "<Relationships><Relationship Id='a' "
                                    "Target='worksheets/sheet1.xml'/></Relationships>";
    static const char strings[] = "<sst><si><t>first</t></si><si><t>second</t></si></sst>";
    static const char before[] = "<worksheet><row><c t='s'><v>",
                      after[] = "</v></c></row></worksheet>";
    struct archive archive = {.bytes = NULL};
    char *sheet = malloc(digits + 200);
    assert_non_null(sheet);
    size_t length = sizeof before - 1;
    memcpy(sheet, before, length);
    memset(sheet + length, '0', digits);
    length += digits;
    length += (size_t)sprintf(sheet + length, "%s%s", end, after);
    add_part(&archive, "xl/workbook.xml", book, sizeof book - 1);
    add_part(&archive, "xl/_rels/workbook.xml.rels", relations, sizeof relations - 1);
    add_part(&archive, "xl/sharedStrings.xml", strings, sizeof strings - 1);
    add_part(&archive, "xl/worksheets/sheet1.xml", sheet, length);
    free(sheet);
    end_archive(&archive);
    return archive;
}

static int keep_rows(void *to, const char *bytes, size_t count)
{
    char *rows = to;
    size_t used = strlen(rows);
    if (count > 63 - used) return 1;
    memcpy(rows + used, bytes, count);
    rows[used + count] = 0;
    return 0;
}

/* Reads the workbook: ROWS, or the message. */
static film_status read_cell(size_t digits, const char *end, char rows[64], film_error *error)
{
    struct archive archive = one_cell(digits, end);
    memset(rows, 0, 64);
    guarding = 1;
    film_status status = workbook_read(NULL, archive.bytes, archive.used, keep_rows, rows, error);
    guarding = 0;
    free(archive.bytes);
    return status;
}

/* ---- Tests ---- */

enum { LONGEST = 1 << 24 }; /* bytes of a cell */

static void the_number_of_a_string_may_fill_the_longest_cell(void **state)
{
    film_error error = {.message = ""};
    char rows[64];
    (void)state;
    assert_ok(read_cell(LONGEST, "", rows, &error));
    assert_string_equal(rows, "first\n");
    assert_ok(read_cell(LONGEST - 1, "1", rows, &error));
    assert_string_equal(rows, "second\n");
    assert_int_equal(read_cell(LONGEST - 1, "2", rows, &error), FILM_BAD_INPUT);
    assert_string_equal(error.message, "a damaged Excel workbook (shared string); save it again");
    assert_int_equal(read_cell(LONGEST, "1", rows, &error), FILM_BAD_INPUT);
    assert_string_equal(error.message, "a cell or row is too long; save it as CSV");
}

static void the_number_of_a_string_is_decimal(void **state)
{
    static const struct {
        const char *number, *rows;
    } cases[] = {{"0", "first\n"},
                 {"1", "second\n"},
                 {" 1 ", "second\n"},
                 {"2", NULL},
                 {"", ""},
                 {" ", NULL},
                 {"x", NULL},
                 {"-1", NULL},
                 {"4294967297", NULL},
                 {"18446744073709551616", NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        film_error error = {.message = ""};
        char rows[64];
        film_status status = read_cell(0, cases[i].number, rows, &error);
        assert_int_equal(status, cases[i].rows ? FILM_OK : FILM_BAD_INPUT);
        if (cases[i].rows) assert_string_equal(rows, cases[i].rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_number_of_a_string_may_fill_the_longest_cell),
        cmocka_unit_test(the_number_of_a_string_is_decimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
