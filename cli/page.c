/* film page: writes one HTML file with a model inside, which compares, explains and deduplicates in
 * a browser, without a server. The template comes from wasm/build; the model is put into it
 * compressed (zstd) and as base64. */
#include "modules.h"
#include "server/private_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct values {
    const char *output;
};

static const char marker[] = "@MODEL@";

static film_status fail(film_error *error, film_status status, const char *what, const char *name)
{
    error->status = status;
    snprintf(error->message, sizeof error->message, "%.500s%s", name, what);
    return status;
}

/* Reads a whole file, with a NUL after it; the caller frees it. */
static film_status read_file(const char *path, char **bytes, size_t *size, film_error *error)
{
    FILE *file = fopen(path, "rb");
    size_t capacity = 1 << 20;
    *size = 0;
    *bytes = file ? malloc(capacity + 1) : NULL;
    while (*bytes) {
        size_t got = fread(*bytes + *size, 1, capacity - *size, file);
        *size += got;
        if (*size < capacity) break;
        capacity *= 2;
        char *grown = realloc(*bytes, capacity + 1);
        if (!grown) free(*bytes);
        *bytes = grown;
    }
    int good = file && *bytes && !ferror(file);
    if (file) fclose(file);
    if (good) {
        (*bytes)[*size] = '\0';
        return FILM_OK;
    }
    free(*bytes);
    *bytes = NULL;
    return fail(error, FILM_IO, ": cannot read the file", path);
}

/* Writes a copy of the model of a file or pool to COPY. Only what a page can use is put into
 * one. */
static film_status copy_model(const char *path, const char *copy, film_error *error)
{
    film_model *model = NULL;
    film_status status = open_model(path, FILM_ARITHMETIC_OWN, &model, error);
    if (status == FILM_OK) status = film_save(model, copy, error);
    close_model(model);
    if (status != FILM_NEEDS_LIBRARY) return status;
    return fail(error, FILM_BAD_INPUT,
                " has a neural network, which a page cannot run; use a model without one", path);
}

/* Reads the bytes of that copy; the caller frees them. */
static film_status read_copy(const char *path, char **bytes, size_t *size, film_error *error)
{
    struct private_file copy;
    film_status status = private_file_create(&copy, "model.film", error);
    if (status == FILM_OK) status = copy_model(path, copy.path, error);
    if (status == FILM_OK) status = read_file(copy.path, bytes, size, error);
    private_file_remove(&copy);
    return status;
}

/* Compresses BYTES as a frame of zstd, which film_open_memory opens; the caller frees it. */
static film_status compress_bytes(const char *bytes, size_t size, unsigned char **out,
                                  size_t *length, film_error *error)
{
    enum { LEVEL = 19 };
    size_t room = ZSTD_compressBound(size);
    *out = malloc(room);
    *length = *out ? ZSTD_compress(*out, room, bytes, size, LEVEL) : 0;
    return *out && !ZSTD_isError(*length) ? FILM_OK
                                          : fail(error, FILM_NO_MEMORY, "out of memory", "");
}

static film_status put_base64(film_output *output, const unsigned char *bytes, size_t size,
                              film_error *error)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    film_status status = FILM_OK;
    for (size_t i = 0; i < size && status == FILM_OK; i += 3) {
        size_t rest = size - i;
        unsigned group = (unsigned)bytes[i] << 16 | (rest > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                         (rest > 2 ? bytes[i + 2] : 0);
        char four[4] = {digits[group >> 18], digits[group >> 12 & 63],
                        rest > 1 ? digits[group >> 6 & 63] : '=',
                        rest > 2 ? digits[group & 63] : '='};
        status = film_output_write(output, four, sizeof four, error);
    }
    return status;
}

static film_status write_offline_page(const char *template, const char *bytes, size_t size,
                                      const char *path, film_error *error)
{
    char *page = NULL;
    unsigned char *packed = NULL;
    size_t page_size = 0, length = 0;
    film_output *output = NULL;
    film_status status = read_file(template, &page, &page_size, error);
    char *at = page ? strstr(page, marker) : NULL;
    if (status == FILM_OK && !at)
        status =
            fail(error, FILM_BAD_INPUT, " is not the template of a page; reinstall FILM", template);
    if (status == FILM_OK) status = compress_bytes(bytes, size, &packed, &length, error);
    if (status == FILM_OK) status = film_output_open(path, &output, error);
    if (status == FILM_OK) status = film_output_write(output, page, (size_t)(at - page), error);
    if (status == FILM_OK) status = put_base64(output, packed, length, error);
    if (status == FILM_OK) {
        const char *after = at + strlen(marker);
        status = film_output_write(output, after, page_size - (size_t)(after - page), error);
    }
    if (status == FILM_OK && interrupted()) status = stopped(error);
    if (status == FILM_OK) {
        status = film_output_commit(output, error);
        output = NULL;
    }
    film_output_discard(output);
    free(page);
    free(packed);
    return status;
}

static const struct option options[] = {{.name = "output",
                                         .letter = 'o',
                                         .kind = OPTION_FILE,
                                         .at = offsetof(struct values, output),
                                         .argument = "PAGE.html",
                                         .help = "the page to write; - is standard output"},
                                        END_OF_OPTIONS};

static int run(const struct command *command, void *given)
{
    const struct values *values = given;
    const char *model = command->words[0], *output = values->output;
    char template[PATH_MAX], *bytes = NULL;
    size_t size = 0;
    film_error error;
    if (!output) return usage_error(command->verb, "-o PAGE.html is missing");
    progress_start(1); /* after Ctrl-C, the copy of the model is removed */
    film_status status = read_copy(model, &bytes, &size, &error);
    if (status == FILM_OK && interrupted()) status = stopped(&error);
    if (status == FILM_OK && !find_data("offline.html", template))
        status =
            fail(&error, FILM_IO,
                 "offline.html, the template of pages, is not installed; run wasm/build in the "
                 "sources of FILM, or install the package film",
                 "");
    if (status == FILM_OK) status = write_offline_page(template, bytes, size, output, &error);
    free(bytes);
    return report_page(command, status, &error, "page", output);
}

const struct verb verb_page = {
    VERB_PAGE,
    .arguments = "MODEL -o PAGE.html",
    .page = "docs/how-to/browser.md",
    .min_words = 1,
    .max_words = 1,
    .options = options,
    .size = sizeof(struct values),
    .run = run,
    .details = "The page is one HTML file with the model inside. It compares, explains and finds\n"
               "duplicates in the browser, without a server and without a network.\n\n"
               "examples:\n"
               "  film page faq.film -o faq.html\n"};
