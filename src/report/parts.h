/* A report under construction: what its sections share. Inside src/report only. */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include "eval/eval.h"
#include "plot/plot.h"
#include "report/systems.h"
#include "film_train.h"

#include <math.h>

enum { REPORT_TEXT = 240 }; /* bytes of a user's sentence that are shown, at most */

struct report {
    const film_model *model;
    const char *model_name;
    const film_report_options *options;
    json_t *about;         /* the model, as film info --json tells it */
    struct corpus train;   /* rows 0: no file was given, or it holds nothing to learn from */
    struct systems others; /* count 0: no table was given */
    struct markup summary; /* what stands above the sections */
    struct markup body;    /* the sections */
    struct markup contents, warnings;
    size_t warning_count;
};

/* ---- page.c ---- */

void section_begin(struct report *report, const char *id, const char *title, const char *intro);
void section_end(struct report *report);

/* Plots beside each other, as many as there is room for. */
void plots_begin(struct report *report);
void plots_end(struct report *report);

/* Why something is not shown, in one line. */
void not_shown(struct report *report, const char *what, const char *why);

/* A line in the summary's list, with a link to the section SECTION. */
void warn(struct report *report, const char *section, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A figure in the summary: "84.6 %", "accuracy", "right decisions; 95 % interval ...". */
void card(struct report *report, const char *value, const char *name, const char *note);

/* A row of a table of two columns, both escaped. */
void fact(struct markup *out, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The last part of a path: where a file lies is nobody's business. */
const char *file_name(const char *path);

/* The whole page: head, style, summary, contents, sections. */
void page_assemble(const struct report *report, struct markup *page);

/* The style sheet. */
extern const char *const page_style;

/* ---- Sections; VIEW is NULL where there is nothing to measure on ---- */

film_status quality_section(struct report *report, const struct eval_view *view, film_error *error);
film_status mistakes_section(struct report *report, const struct eval_view *view,
                             film_error *error);
film_status sweep_section(struct report *report, const struct eval_view *view, film_error *error);
film_status others_section(struct report *report, const struct eval_view *view, film_error *error);
film_status data_section(struct report *report, const struct eval_view *view, film_error *error);
film_status training_section(struct report *report, film_error *error);
film_status shapes_section(struct report *report, const struct eval_view *view, film_error *error);
film_status dimensions_section(struct report *report, film_error *error);
film_status map_section(struct report *report, const struct eval_view *view, film_error *error);

/* The pairs of a corpus: its own, or two of each triplet. None of sentences and categories. */
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

static inline double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

#endif
