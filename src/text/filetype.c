/* Recognises web pages, models, pools, archives, pictures and documents by their first bytes, so
 * that a message can name them. Compressed tables are recognised in source.c. */
#include "text/filetype.h"

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
    size_t at;
    const char *bytes;
    size_t length;
    const char *message;
} kinds[] = {
    {68, "FILM", 4, "a pool, not a table; export its sentences or labels first"},
    {0, "SQLite format 3", 16, "an SQLite database, not a table; export its rows as CSV"},
    {0, "\x89PNG\r\n", 6, "a picture (PNG), not a table"},
    {0, "\xff\xd8\xff", 3, "a picture (JPEG), not a table"},
    {0, "GIF8", 4, "a picture (GIF), not a table"},
    {0, "%PDF-", 5, "a PDF document, not a table; copy its text into a CSV file"},
    {0, "{\\rtf", 5, "an RTF document, not a table; save it as CSV or plain text"},
    {0, "\xd0\xcf\x11\xe0", 4,
     "an old or encrypted Office document; save it as .xlsx without a password, or as CSV"},
    {0, "7z\xbc\xaf\x27\x1c", 6, "a 7z archive; unpack it"},
    {0, "Rar!\x1a\x07", 6, "a RAR archive; unpack it"},
    {257, "ustar", 5, "a tar archive; unpack it with tar -xf"},
    {0, "PAR1", 4, "a Parquet file; convert it to CSV or JSON lines"},
    {0, "ARROW1", 6, "an Arrow file; convert it to CSV or JSON lines"},
    {0, "\x80\x04\x95", 3, "a Python pickle; convert it to CSV or JSON lines"},
    {0, "\x93NUMPY", 6, "a NumPy array, not a table"},
    {0, "\177ELF", 4, "a program, not a table"},
};

/* The length of a JSON header in 8 bytes, then the header: the safetensors format of our models. */
static int is_safetensors(film_text beginning)
{
    const unsigned char *bytes = (const unsigned char *)beginning.bytes;
    return beginning.length > 9 && bytes[5] == 0 && bytes[6] == 0 && bytes[7] == 0 &&
           bytes[8] == '{' && bytes[9] == '"';
}

/* Returns whether the text begins with TAG, in any case. */
static int begins(film_text text, const char *tag)
{
    size_t length = strlen(tag);
    return text.length >= length && strncasecmp(text.bytes, tag, length) == 0;
}

const char *filetype_problem(film_text beginning)
{
    int database = beginning.length > 16 && memcmp(beginning.bytes, "SQLite format 3", 16) == 0;
    for (size_t i = database ? 0 : 1; i < sizeof kinds / sizeof *kinds; i++)
        if (beginning.length >= kinds[i].at + kinds[i].length &&
            memcmp(beginning.bytes + kinds[i].at, kinds[i].bytes, kinds[i].length) == 0)
            return kinds[i].message;
    if (is_safetensors(beginning)) return "a model (safetensors), not a table";
    while (beginning.length && isspace((unsigned char)*beginning.bytes)) {
        beginning.bytes++;
        beginning.length--;
    }
    if (begins(beginning, "<!doctype html") || begins(beginning, "<html"))
        return "a web page (HTML), not a table; download the file itself, or save the table as CSV";
    if (begins(beginning, "<?xml") || begins(beginning, "<!doctype"))
        return "an XML document, not a table; convert it to CSV or JSON lines";
    return NULL;
}

int filetype_not_model(film_text beginning, char *message, size_t room)
{
    const char *problem = is_safetensors(beginning) ? NULL : filetype_problem(beginning);
    if (!beginning.length) problem = "an empty file";
    if (!problem && memchr(beginning.bytes, 0, beginning.length)) return 0;
    if (problem) /* "a picture, not a table" */
        snprintf(message, room, "%.*s, not a model; name the file that training wrote",
                 (int)strcspn(problem, ",;"), problem);
    else
        snprintf(message, room, "a table or another text, not a model; train a model from it");
    return 1;
}
