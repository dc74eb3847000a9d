/* The public functions of film_io.h for outputs, formats and opening tables: they check the
 * arguments and call the internal function. The other functions of a table are in table.c. */
#include "base/file.h"
#include "base/sized.h"
#include "text/format.h"
#include "text/table.h"
#include "text/workbook.h"

const char *film_format_name(film_format format)
{
    unsigned number = (unsigned)format;
    if (number == FILM_FORMAT_AUTO) return "auto";
    return number < FILM_FORMAT_COUNT ? format_names[number - FILM_FORMAT_TSV] : "unknown";
}

film_status table_check_options(const film_table_options *options, film_error *error)
{
    if ((unsigned)options->format >= FILM_FORMAT_COUNT)
        return status_set(error, FILM_USAGE, "unknown format %d", (int)options->format);
    if ((unsigned)options->labels >= FILM_LABELS_COUNT)
        return status_set(error, FILM_USAGE, "unknown kind of labels %d", (int)options->labels);
    return sized_reserved(options->reserved, sizeof options->reserved / sizeof *options->reserved,
                          "film_table_options", error);
}

film_status film_table_open(const char *path, const film_table_options *options, film_table **out,
                            film_error *error)
{
    film_table_options with = {0};
    if (!path || !out) return status_missing(error, path ? "out" : "path");
    *out = NULL;
    film_status status = sized_options(&with, sizeof with, options, "film_table_options", error);
    return status == FILM_OK ? table_open(path, &with, out, error) : status;
}

void film_set_workbook_reader(film_workbook_fn call, void *user)
{
    workbook_set_reader(call, user);
}

film_status film_output_open(const char *path, film_output **out, film_error *error)
{
    if (!path || !out) return status_missing(error, path ? "out" : "path");
    return output_open(path, out, error);
}

film_status film_output_write(film_output *output, const void *bytes, size_t count,
                              film_error *error)
{
    if (!output || (count && !bytes)) return status_missing(error, output ? "bytes" : "output");
    return output_write(output, bytes, count, error);
}

film_status film_output_patch(film_output *output, uint64_t offset, const void *bytes, size_t count,
                              film_error *error)
{
    if (!output || (count && !bytes)) return status_missing(error, output ? "bytes" : "output");
    return output_patch(output, offset, bytes, count, error);
}

film_status film_output_commit(film_output *output, film_error *error)
{
    return output ? output_commit(output, error) : status_missing(error, "output");
}

void film_output_discard(film_output *output)
{
    output_discard(output);
}
