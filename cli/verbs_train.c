/* The verbs that need libfilm-train: they train and evaluate models. Each has its own file. */
#include "cli.h"

extern const struct verb verb_train, verb_eval, verb_split, verb_report;

const struct verb *const train_verbs[] = {&verb_train, &verb_eval, &verb_split, &verb_report, NULL};
