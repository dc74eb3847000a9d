/* Tables of labels to check and of the worst categories. */
#ifndef REPORT_LABELS_H
#define REPORT_LABELS_H

#include "report/file_stats.h"

/* Writes the suspicious labels of a file of pairs. VIEW: its evaluation; NULL: only contradictions
 * among the labels. ID is the table's. */
film_status labels_of_pairs(struct report *report, const struct eval_view *view,
                            const struct file_stats *file, const char *id, film_error *error);

/* Writes the worst categories of an evaluation, and sentences whose category is suspicious. */
film_status labels_of_categories(struct report *report, const struct eval_view *view,
                                 film_error *error);

#endif
