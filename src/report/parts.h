/* The state of a report under construction, shared by its sections. Private to src/report. */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include "eval/eval.h"
#include "plot/plot.h"
#include "report/systems.h"
#include "film_train.h"

#include <math.h>

enum { REPORT_TEXT = 240, REPORT_WARNINGS = 40 }; /* bytes shown of a user's sentence; warnings */

struct report {
    const film_model *model;
    const char *model_name;
    const film_report_options *options;
    json_t *about;         /* the model, as film info --json prints it */
    struct corpus train;   /* rows 0: no file, or no labels in it */
    struct systems others; /* count 0: no table */
    struct markup summary; /* above the sections */
    struct markup body;    /* the sections */
    struct markup contents;
    struct markup missing; /* what is not in this report, and why */
    struct markup warnings;
    struct {
        size_t end; /* of its text */
        const char *section;
    } warning[REPORT_WARNINGS];
    size_t warning_count, missing_count;
    /* Where the open section and the open rows of plots begin. They are removed if they stay
     * empty. */
    size_t section_at, content_at, contents_at, plots_at[2], plots_depth;
    int folded;
};

/* ---- page.c ---- */

void section_begin(struct report *report, const char *id, const char *title, const char *intro);
/* The same for a section that is folded away until the reader opens it. */
void research_begin(struct report *report, const char *id, const char *title, const char *intro);
/* Ends either of them. A section without content is removed. */
void section_end(struct report *report);

/* Puts plots next to each other, as many as fit. A row without plots is removed. */
void plots_begin(struct report *report);
void plots_end(struct report *report);

/* Adds WHAT to the list at the end of the page: not in this report. WHY is a sentence. */
void not_shown(struct report *report, const char *what, const char *why);

/* Adds a warning to the summary, with a link to SECTION if the page has it. */
void warn(struct report *report, const char *section, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a figure to the summary: "84.6 %", "accuracy", "correct decisions; 95 % CI ...". */
void card(struct report *report, const char *value, const char *name, const char *note);

/* Writes a row of a table with two columns, both escaped. */
void fact(struct markup *out, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the last component of a path: a report must not disclose folders. */
const char *file_name(const char *path);

/* Writes the cells of a table with a head: each text is escaped. */
void table_begin(struct markup *out, const char *id, const char *const *heads, size_t count);
void table_end(struct markup *out);

/* Writes the whole page: head, style, summary, contents, sections. */
void page_assemble(const struct report *report, struct markup *page);

/* The style sheet. */
extern const char *const page_style;

/* ---- Sections; VIEW is NULL without an evaluation ---- */

film_status quality_section(struct report *report, const struct eval_view *view, film_error *error);
film_status mistakes_section(struct report *report, const struct eval_view *view,
                             film_error *error);
film_status sweep_section(struct report *report, const struct eval_view *view, film_error *error);
film_status others_section(struct report *report, const struct eval_view *view, film_error *error);
film_status data_section(struct report *report, const struct eval_view *view, film_error *error);
film_status reasons_section(struct report *report, const struct eval_view *view, film_error *error);
film_status training_section(struct report *report, film_error *error);
film_status shapes_section(struct report *report, const struct eval_view *view, film_error *error);
film_status dimensions_section(struct report *report, film_error *error);
film_status map_section(struct report *report, const struct eval_view *view, film_error *error);

/* The pairs of a corpus: its own, or two per triplet. A corpus of categories has none. */
struct labelled {
    uint32_t *a, *b; /* sentence ids of the corpus */
    float *label;
    size_t count;
};
film_status labelled_take(struct labelled *pairs, const struct corpus *corpus, film_error *error);
void labelled_free(struct labelled *pairs);

static inline int has_pairs(const struct corpus *corpus)
{
    return corpus->labels == FILM_LABELS_PAIRS || corpus->labels == FILM_LABELS_TRIPLETS;
}

static inline double json_value(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

#endif
