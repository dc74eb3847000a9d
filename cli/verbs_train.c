/* The verbs that need libfilm-train: models made and measured. Each is a file of its own; main.c
 * has their names. */
#include "cli.h"

extern const struct verb verb_train, verb_eval, verb_split, verb_report;

const struct verb *const train_verbs[] = {&verb_train, &verb_eval, &verb_split, &verb_report, NULL};
