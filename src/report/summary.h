/* What stands at the top: one sentence, a few figures, and what needs looking at. */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include "report/parts.h"

/* The sentence and the figures, with warnings about them. */
void summary_begin(struct report *report, const struct eval_view *view);

/* Closes the figures; sections may have added some. */
void summary_end(struct report *report);

#endif
