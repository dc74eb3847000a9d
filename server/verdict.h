/* Verdicts and reasons as JSON. */
#ifndef SERVER_VERDICT_H
#define SERVER_VERDICT_H

#include "bytes.h"

/* "reasons": [...], the MOST strongest of them. */
void verdict_reasons(struct bytes *out, const film_verdict *verdict, size_t most);

#endif
