/* Collects the records with a known match (pair/known_matches.h). */
#ifndef LEARN_KNOWN_MATCHES_BUILD_H
#define LEARN_KNOWN_MATCHES_BUILD_H

#include "learn/memory_build.h"
#include "pair/known_matches.h"

/* Returns in *ONE whether the pairs are of one table: at least a tenth of the records of either
 * side are also on the other. */
film_status known_matches_one_table(const struct memory_row *rows, size_t count, int *one,
                                    film_error *error);

/* TEXTS: the two records of each row that is the same, in their order. */
film_status known_matches_build(struct known_matches *matches, const struct memory_row *rows,
                                size_t count, const film_text *texts, film_error *error);

#endif
