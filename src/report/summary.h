/* The head of a report: a summary in words, a few figures, warnings about them. */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include "report/parts.h"

/* Writes the summary and the figures, and adds warnings about them. */
void summary_begin(struct report *report, const struct eval_view *view);

/* Closes the list of figures. Sections may have added some before. */
void summary_end(struct report *report);

#endif
