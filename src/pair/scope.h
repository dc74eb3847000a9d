/* Scope: what restricts one sentence and not the other. "In Italy", "my child's passport", "all",
 * "only". */
#ifndef PAIR_SCOPE_H
#define PAIR_SCOPE_H

#include "pair/knowledge.h"

/* Fills qualified, modified and owners of both sides, and limits_added and limits_changed. UNITS
 * are those of both sides. */
void compare_scope(struct comparison *comparison, const struct knowledge_side *units);

#endif
