/* The state of a report under construction, and the writing of its data. Private to src/report.
 *
 * A report is data: one JSON object, described at the top of report.c. web/report.js draws it. */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include "base/writer.h"
#include "eval/eval.h"
#include "report/systems.h"
#include "film_train.h"

#include <math.h>

/* Bytes kept of a user's sentence, and of any text. */
enum { REPORT_TEXT = 240, REPORT_LONGEST = 600 };

struct report {
    const film_model *model;
    const film_report_options *options;
    json_t *about;         /* the model, as film info --json prints it */
    struct corpus train;   /* rows 0: no file, or no labels in it */
    char train_name[300];
    struct systems others; /* count 0: no table */
    struct writer data;
    struct writer warnings; /* a list without its brackets */
};

/* ---- put.c: members of an object, or values of a list with KEY NULL ---- */

void put_open(struct writer *to, const char *key, char bracket);
void put_count(struct writer *to, const char *key, size_t count);
void put_truth(struct writer *to, const char *key, int truth);
/* Seven digits; null if not finite. */
void put_number(struct writer *to, const char *key, double number);
void put_numbers(struct writer *to, const char *key, const double *numbers, size_t count);
/* A list of COUNT numbers, as a value of a list of points. */
void put_point(struct writer *to, const double *numbers, size_t count);
/* At most MOST bytes (up to REPORT_LONGEST), cut between characters. Invalid UTF-8 becomes U+FFFD. */
void put_text(struct writer *to, const char *key, film_text text, size_t most);
void put_string(struct writer *to, const char *key, const char *text); /* NULL: null */
/* A sentence as a text, a record as an object. */
void put_sentence(struct writer *to, const char *key, film_text text);
film_status put_json(struct writer *to, const char *key, const json_t *value, int digits,
                     film_error *error);

/* Adds a warning to the top of the page, with a link to SECTION if the page has it. */
void warn(struct report *report, const char *section, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the last component of a path: a report must not disclose folders. */
const char *file_name(const char *path);

/* ---- page.c ---- */

/* Writes the page: web/report.html with its styles and scripts, and DATA. */
film_status page_write(const char *path, film_text data, film_error *error);

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
