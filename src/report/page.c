/* Puts a report's data into web/report.html, with the style sheets and the scripts of web/: one
 * file, which loads nothing. The assembler copies the files into the library, as in
 * server/assets.c. The scripts are modules; together they are one, without imports and exports. */
#include "report/parts.h"

#include <string.h>

#define COPY(name, file)                                                                          \
    __asm__(".pushsection .rodata\n"                                                              \
            "report_" #name ":\n.incbin \"" FILM_ROOT "/web/" file "\"\n.byte 0\n.popsection\n"); \
    extern const char report_##name[]
COPY(page, "report.html");
COPY(base_style, "page.css");
COPY(own_style, "report.css");
COPY(dom, "dom.js");
COPY(csv, "csv.js");
COPY(sum, "sum.js");
COPY(scale, "scale.js");
COPY(curves, "curves.js");
COPY(charts, "charts.js");
COPY(report, "report.js");

static film_status put_bytes(film_output *output, const char *from, const char *end,
                             film_error *error)
{
    return film_output_write(output, from, (size_t)(end - from), error);
}

static film_status put_module(film_output *output, const char *at, film_error *error)
{
    static const char import[] = "import ", export[] = "export ";
    film_status status = FILM_OK;
    while (*at && status == FILM_OK) {
        const char *end = at + strcspn(at, "\n") + 1;
        if (strncmp(at, export, sizeof export - 1) == 0) at += sizeof export - 1;
        if (strncmp(at, import, sizeof import - 1) != 0) status = put_bytes(output, at, end, error);
        at = end;
    }
    return status;
}

/* In a string of JSON, "<" can be written as an escape. Then no text can end the element. */
static film_status put_data(film_output *output, film_text data, film_error *error)
{
    film_status status = FILM_OK;
    const char *at = data.bytes, *end = data.bytes + data.length, *sign;
    while ((sign = memchr(at, '<', (size_t)(end - at))) && status == FILM_OK) {
        status = put_bytes(output, at, sign, error);
        if (status == FILM_OK) status = film_output_write(output, "\\u003c", 6, error);
        at = sign + 1;
    }
    return status == FILM_OK ? put_bytes(output, at, end, error) : status;
}

static film_status put_part(film_output *output, const char *mark, film_text data,
                            film_error *error)
{
    const char *const styles[] = {report_base_style, report_own_style};
    const char *const modules[] = {report_dom,    report_csv,    report_sum,   report_scale,
                                   report_curves, report_charts, report_report};
    film_status status = FILM_OK;
    if (strncmp(mark, "@DATA@", 6) == 0) return put_data(output, data, error);
    if (strncmp(mark, "@STYLE@", 7) == 0)
        for (size_t i = 0; i < sizeof styles / sizeof *styles && status == FILM_OK; i++)
            status = film_output_write(output, styles[i], strlen(styles[i]), error);
    else
        for (size_t i = 0; i < sizeof modules / sizeof *modules && status == FILM_OK; i++)
            status = put_module(output, modules[i], error);
    return status;
}

film_status page_write(const char *path, film_text data, film_error *error)
{
    film_status status = FILM_OK;
    film_output *output = NULL;
    const char *at = report_page;
    TRY(film_output_open(path, &output, error));
    while (*at) { /* the marks are on lines of their own */
        const char *end = at + strcspn(at, "\n") + 1;
        TRY(*at == '@' ? put_part(output, at, data, error) : put_bytes(output, at, end, error));
        if (*at == '@') TRY(film_output_write(output, "\n", 1, error));
        at = end;
    }
    status = film_output_commit(output, error);
    output = NULL;
done:
    film_output_discard(output);
    return status;
}
