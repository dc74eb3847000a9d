/* Labels to check, and the worst categories. */
#ifndef REPORT_LABELS_H
#define REPORT_LABELS_H

#include "report/file_stats.h"

/* Writes the suspicious labels of a file of pairs as the members `suspicious` and
 * `more_suspicious`. VIEW: its evaluation; NULL: only contradictions among the labels. */
film_status labels_of_pairs(struct writer *to, const struct eval_view *view,
                            const struct file_stats *file, film_error *error);

/* Writes the members `worst`, the worst categories by the votes of the neighbours, and `odd`,
 * sentences whose category is suspicious. */
film_status labels_of_categories(struct writer *to, const struct eval_view *view,
                                 film_error *error);

#endif
