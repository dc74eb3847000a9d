/* The settings of a decision as JSON. */
#ifndef MODEL_DECISION_SETTINGS_H
#define MODEL_DECISION_SETTINGS_H

#include "pair/decision.h"

#include <jansson.h>

/* The numbers, and the ids of the traits, which are the columns of the tensors; null without a full
 * decision. Reading refuses traits that are not those of this program. */
json_t *decision_settings(const struct decision *decision);
film_status decision_settings_read(json_t *object, const char *path, struct decision *decision,
                                   const struct record_fields *fields, film_error *error);

json_t *line_settings(const struct calibration *line);
film_status line_settings_read(json_t *object, const char *path, struct calibration *line,
                               film_error *error);

#endif
