/* Made-up sentences, which stand for queries about something else. */
#ifndef LEARN_MADE_UP_H
#define LEARN_MADE_UP_H

#include "base/rng.h"
#include "film_types.h"

/* Writes words of random TEXTS to OUT: as many as a sentence has, or one or two. Half of the
 * sentences have unknown words in between: words spelled backwards. Returns the length, at most
 * ROOM. TEXT_COUNT is not 0. */
size_t made_up(const film_text *texts, size_t text_count, struct rng *rng, char *out, size_t room);

#endif
