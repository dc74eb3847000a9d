/* Assembles the page of a report: head, summary, warnings, contents, sections. */
#include "report/parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void section_begin(struct report *report, const char *id, const char *title, const char *intro)
{
    markup_print(&report->body, "<section id=\"%s\"><h2>%s</h2>", id, title);
    markup_print(&report->contents, "<li><a href=\"#%s\">%s</a></li>", id, title);
    if (intro) markup_print(&report->body, "<p class=\"intro\">%s</p>\n", intro);
}

void section_end(struct report *report)
{
    markup_raw(&report->body, "</section>\n");
}

void plots_begin(struct report *report)
{
    markup_raw(&report->body, "<div class=\"plots\">\n");
}

void plots_end(struct report *report)
{
    markup_raw(&report->body, "</div>\n");
}

void not_shown(struct report *report, const char *what, const char *why)
{
    markup_print(&report->body, "<p class=\"none\">%s: not shown. %s</p>\n", what, why);
}

void warn(struct report *report, const char *section, const char *format, ...)
{
    char line[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    markup_raw(&report->warnings, "<li>");
    markup_string(&report->warnings, line);
    markup_print(&report->warnings, " <a href=\"#%s\">more</a></li>\n", section);
    report->warning_count++;
}

void card(struct report *report, const char *value, const char *name, const char *note)
{
    markup_raw(&report->summary, "<div class=\"card\"><b>");
    markup_string(&report->summary, value);
    markup_raw(&report->summary, "</b><span>");
    markup_string(&report->summary, name);
    markup_raw(&report->summary, "</span><small>");
    markup_string(&report->summary, note);
    markup_raw(&report->summary, "</small></div>\n");
}

void fact(struct markup *out, const char *name, const char *format, ...)
{
    char line[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    markup_raw(out, "<tr><th>");
    markup_string(out, name);
    markup_raw(out, "</th><td>");
    markup_string(out, line);
    markup_raw(out, "</td></tr>\n");
}

const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static void write_page_head(const struct report *report, struct markup *page)
{
    markup_raw(page,
               "<!DOCTYPE html>\n<html lang=\"en\"><head>"
               "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
               "content=\"width=device-width, initial-scale=1\"/>\n<meta name=\"color-scheme\" "
               "content=\"light dark\"/>\n<meta http-equiv=\"Content-Security-Policy\" "
               "content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n<title>");
    markup_string(page, report->model_name);
    markup_raw(page, " - FILM report</title>\n<style>");
    markup_raw(page, page_style);
    markup_raw(page, "</style></head>\n<body><main>\n");
}

static void write_warnings(const struct report *report, struct markup *page)
{
    if (!report->warning_count) {
        markup_raw(page, "<p class=\"fine\">No warnings about the data or the figures.</p>\n");
        return;
    }
    markup_print(page, "<div class=\"warnings\"><h2>%zu warning%s</h2><ul>\n",
                 report->warning_count, report->warning_count == 1 ? "" : "s");
    markup_bytes(page, report->warnings.bytes, report->warnings.length);
    markup_raw(page, "</ul></div>\n");
}

void page_assemble(const struct report *report, struct markup *page)
{
    const struct markup *parts[] = {&report->summary, &report->contents, &report->warnings,
                                    &report->body};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) page->failed |= parts[i]->failed;
    write_page_head(report, page);
    markup_raw(page, "<header id=\"summary\"><p class=\"kind\">FILM report</p><h1><bdi>");
    markup_string(page, report->model_name);
    markup_raw(page, "</bdi></h1>\n");
    markup_bytes(page, report->summary.bytes, report->summary.length);
    write_warnings(report, page);
    markup_raw(page, "<nav aria-label=\"Contents\"><ol>");
    markup_bytes(page, report->contents.bytes, report->contents.length);
    markup_raw(page, "</ol></nav></header>\n");
    markup_bytes(page, report->body.bytes, report->body.length);
    markup_print(
        page,
        "<footer>Created by film %s. The CSV link of a plot downloads its values. Hover over a "
        "point to see what it represents. docs/explanation/report.md explains each "
        "section.</footer>"
        "</main></body></html>\n",
        film_version());
}
