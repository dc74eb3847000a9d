/* Parses JSON files with jansson, and tells syntax errors from lack of memory. base/writer.c writes
 * JSON. */
#include "base/jsonfile.h"
#include "base/file.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

/* When out of memory, jansson (2.14) mostly returns no reason. The exception: a string that was
 * read to its closing quote but could not be stored is reported as a syntax error, which a complete
 * string never is. */
int jsonfile_ran_out_of_memory(const json_error_t *problem, const char *text, size_t length)
{
    if (!problem->text[0] || json_error_code(problem) == json_error_out_of_memory) return 1;
    return problem->position > 0 && (size_t)problem->position <= length &&
           text[problem->position - 1] == '"' &&
           (strncmp(problem->text, "invalid token", 13) == 0 ||
            strncmp(problem->text, "string or '}' expected", 22) == 0);
}

/* Makes the reason fit for a message: one line of ASCII (it may quote the file). */
static void make_plain(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || (unsigned char)*text > 0x7e) *text = '?';
}

film_status jsonfile_parse(const void *bytes, size_t size, const char *name, json_t **out,
                           film_error *error)
{
    json_error_t problem;
    *out = json_loadb(bytes, size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &problem);
    if (*out) return FILM_OK;
    if (jsonfile_ran_out_of_memory(&problem, bytes, size)) return status_no_memory(error);
    make_plain(problem.text);
    return status_set(error, FILM_BAD_INPUT, "%s:%d: not JSON: %s", name, problem.line,
                      problem.text);
}

film_status jsonfile_read(const char *path, json_t **out, film_error *error)
{
    struct file_map map;
    *out = NULL;
    film_status status = file_map_open(path, &map, error);
    if (status == FILM_OK) status = jsonfile_parse(map.bytes, map.size, path, out, error);
    file_map_close(&map);
    return status;
}

static _Thread_local int failed;

int jsonfile_put(json_t *object, const char *key, json_t *value)
{
    int code = json_object_set_new(object, key, value);
    failed = failed || code != 0;
    return code;
}

int jsonfile_append(json_t *array, json_t *value)
{
    int code = json_array_append_new(array, value);
    failed = failed || code != 0;
    return code;
}

json_t *jsonfile_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

int jsonfile_failed(void)
{
    int before = failed;
    failed = 0;
    return before;
}

film_status jsonfile_dump(const json_t *object, size_t flags, char **out, film_error *error)
{
    /* jansson uses its own allocator; the result is copied to memory of the library. */
    char *text = !jsonfile_failed() && object ? json_dumps(object, flags) : NULL;
    *out = text ? mem_string(text, strlen(text)) : NULL;
    jsonfile_free_text(text);
    return *out ? FILM_OK : status_no_memory(error);
}

void jsonfile_free_text(char *text)
{
    json_free_t release;
    json_get_alloc_funcs(NULL, &release);
    if (text) release(text);
}
