/* Assembles the page of a report: head, summary, warnings, contents, sections. */
#include "report/parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void begin_section(struct report *report, const char *id, const char *title,
                          const char *intro)
{
    report->section_at = report->body.length;
    report->contents_at = report->contents.length;
    /* A link to an element inside of <details> opens it. */
    if (report->folded)
        markup_print(&report->body,
                     "<section class=\"research\"><details><summary><h2>%s</h2></summary>"
                     "<div id=\"%s\">",
                     title, id);
    else
        markup_print(&report->body, "<section id=\"%s\"><h2>%s</h2>", id, title);
    markup_print(&report->contents, "<li><a href=\"#%s\">%s</a></li>", id, title);
    if (intro) markup_print(&report->body, "<p class=\"intro\">%s</p>\n", intro);
    report->content_at = report->body.length;
}

void section_begin(struct report *report, const char *id, const char *title, const char *intro)
{
    report->folded = 0;
    begin_section(report, id, title, intro);
}

void research_begin(struct report *report, const char *id, const char *title, const char *intro)
{
    report->folded = 1;
    begin_section(report, id, title, intro);
}

void section_end(struct report *report)
{
    if (report->body.length == report->content_at) {
        report->body.length = report->section_at;
        report->contents.length = report->contents_at;
        return;
    }
    markup_raw(&report->body, report->folded ? "</div></details></section>\n" : "</section>\n");
}

static const char row_of_plots[] = "<div class=\"plots\">\n";

void plots_begin(struct report *report)
{
    report->plots_at[report->plots_depth++] = report->body.length;
    markup_raw(&report->body, row_of_plots);
}

void plots_end(struct report *report)
{
    size_t at = report->plots_at[--report->plots_depth];
    if (report->body.length == at + strlen(row_of_plots))
        report->body.length = at;
    else
        markup_raw(&report->body, "</div>\n");
}

void not_shown(struct report *report, const char *what, const char *why)
{
    markup_print(&report->missing, "<li><b>%s</b>: %s</li>\n", what, why);
    report->missing_count++;
}

void warn(struct report *report, const char *section, const char *format, ...)
{
    char line[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (report->warning_count == REPORT_WARNINGS) return;
    markup_string(&report->warnings, line);
    report->warning[report->warning_count].section = section;
    report->warning[report->warning_count++].end = report->warnings.length;
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

void table_begin(struct markup *out, const char *id, const char *const *heads, size_t count)
{
    markup_print(out, "<div class=\"scroll\"><table id=\"%s\">\n<tr>", id);
    for (size_t i = 0; i < count; i++) markup_print(out, "<th>%s</th>", heads[i]);
    markup_raw(out, "</tr>\n");
}

void table_end(struct markup *out)
{
    markup_raw(out, "</table></div>\n");
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

static int contains(const struct markup *markup, const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i + length <= markup->length; i++)
        if (memcmp(markup->bytes + i, text, length) == 0) return 1;
    return 0;
}

static void write_warnings(const struct report *report, struct markup *page)
{
    if (!report->warning_count && !report->options->eval && !report->train.rows) return;
    if (!report->warning_count) {
        markup_raw(page, "<p class=\"fine\">No warnings about the data or the figures.</p>\n");
        return;
    }
    markup_print(page, "<div class=\"warnings\"><h2>%zu warning%s</h2><ul>\n",
                 report->warning_count, report->warning_count == 1 ? "" : "s");
    size_t at = 0;
    for (size_t i = 0; i < report->warning_count; i++) {
        char link[80];
        snprintf(link, sizeof link, "<a href=\"#%s\">", report->warning[i].section);
        markup_raw(page, "<li>");
        markup_bytes(page, report->warnings.bytes + at, report->warning[i].end - at);
        at = report->warning[i].end;
        /* A section without content is not on the page. */
        if (contains(&report->contents, link)) markup_print(page, " %smore</a>", link);
        markup_raw(page, "</li>\n");
    }
    markup_raw(page, "</ul></div>\n");
}

static void write_missing(const struct report *report, struct markup *page)
{
    if (!report->missing_count) return;
    markup_raw(page, "<section id=\"missing\" class=\"research\"><details><summary><h2>Not in this "
                     "report</h2></summary><ul>\n");
    markup_bytes(page, report->missing.bytes, report->missing.length);
    markup_raw(page, "</ul></details></section>\n");
}

void page_assemble(const struct report *report, struct markup *page)
{
    const struct markup *parts[] = {&report->summary, &report->contents, &report->warnings,
                                    &report->missing, &report->body};
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
    write_missing(report, page);
    markup_print(
        page,
        "<footer>Created by film %s. The CSV link of a plot downloads its values. Hover over a "
        "point to see what it represents. docs/explanation/report.md explains each "
        "section.</footer>"
        "</main></body></html>\n",
        film_version());
}
