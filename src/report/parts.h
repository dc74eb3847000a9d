/* The state of a report under construction, and the writing of its data. Private to src/report.
 *
 * A report is data: one JSON object, described at the top of report.c. web/report.js draws it. */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include "base/jsonfile.h"
#include "base/writer.h"
#include "eval/eval.h"
#include "film_train.h"

#include <math.h>

/* Bytes kept of a user's sentence, and of any text. */
enum { REPORT_TEXT = 240, REPORT_LONGEST = 600 };

struct report {
    const film_model *model;
    const film_report_options *options;
    const char *name;    /* of the model */
    json_t *about;       /* the model, as film info --json prints it */
    struct corpus train; /* rows 0: no file, or no labels in it */
    char train_name[300];
    double claimed; /* accuracy of this model in the table of systems, percent; NaN: none */
    struct writer data;
    struct writer warnings; /* a list without its brackets */
};

/* ---- put.c ---- */

/* Members of an object, or values of a list with KEY NULL. */
void put_open(struct writer *to, const char *key, char bracket);
/* Takes the reference to VALUE. NULL, as json_pack returns it without memory, is a failure. */
void put_json(struct writer *to, const char *key, json_t *value);
/* Seven digits each; null if not finite. */
void put_numbers(struct writer *to, const char *key, const double *numbers, size_t count);

/* Values for json_pack. A number has seven digits, and is null if not finite. */
json_t *number_json(double number);
/* At most MOST bytes (up to REPORT_LONGEST), cut between characters. Invalid UTF-8 becomes U+FFFD.
 * Text without bytes (NULL) is null. */
json_t *text_json(film_text text, size_t most);
/* The last component of a path: a report must not disclose folders. NULL: null. */
json_t *file_json(const char *path);
/* A sentence as a text, a record as an object. */
json_t *sentence_json(film_text text);

/* Adds a warning to the top of the page, with a link to SECTION if the page has it. */
void warn(struct report *report, const char *section, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

const char *file_name(const char *path);

/* ---- page.c ---- */

/* Writes the page: web/report.html with its styles and scripts, and DATA. */
film_status page_write(const char *path, film_text data, film_error *error);

/* ---- systems.c ---- */

/* Writes the rows of a table as values of a list. Takes ownership of SOURCE. Every row must be
 * valid: a comparison with a missing system would mislead. */
struct source;
film_status systems_read(struct report *report, struct source *source, film_error *error);
/* Writes the table of the options as the member `others`; no rows without one. */
film_status systems_part(struct report *report, film_error *error);

/* ---- The parts of the data; VIEW is NULL without an evaluation ---- */

film_status quality_part(struct report *report, const struct eval_view *view, film_error *error);
film_status mistakes_part(struct report *report, const struct eval_view *view, film_error *error);
film_status reasons_part(struct report *report, const struct eval_view *view, film_error *error);
film_status data_part(struct report *report, const struct eval_view *view, film_error *error);
film_status shapes_part(struct report *report, const struct eval_view *view, film_error *error);
film_status dimensions_part(struct report *report, film_error *error);
film_status map_part(struct report *report, const struct eval_view *view, film_error *error);

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
