/* The settings of a decision as JSON. */
#ifndef MODEL_DECISION_SETTINGS_H
#define MODEL_DECISION_SETTINGS_H

#include "model/trait_columns.h"
#include "pair/decision.h"

#include <jansson.h>

/* The numbers, and which traits the columns of the tensors are; null without a full decision. */
json_t *decision_settings(const struct decision *decision);
film_status decision_settings_read(json_t *object, const char *path, struct decision *decision,
                                   const struct record_fields *fields,
                                   struct trait_columns *columns, film_error *error);

json_t *line_settings(const struct calibration *line);
film_status line_settings_read(json_t *object, const char *path, struct calibration *line,
                               film_error *error);

#endif
