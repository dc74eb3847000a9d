/* How well a model finds the category of a sentence: accuracy, precision and recall of each
 * category, confusions, and whether sentences of other categories are recognised as none. */
#ifndef EVAL_CLASSES_H
#define EVAL_CLASSES_H

#include "eval/evaluation.h"

#include <jansson.h>

/* Sets result.accuracy and result.classes. Does nothing for a model without categories. */
film_status classes_measure(struct evaluation *evaluation, const film_model *model,
                            film_error *error);

/* Adds macro_f1, classes, confusions, none_auroc, answered and refused to ANSWER; null without
 * classes. */
void classes_put(json_t *answer, const film_class_result *classes);

#endif
