/* The fields of the records in a corpus and their types. */
#ifndef TRAIN_FIELD_GUESS_H
#define TRAIN_FIELD_GUESS_H

#include "learn/corpus.h"
#include "learn/training_log.h"
#include "pair/record_fields.h"

/* Fills FIELDS from the records of the corpus; it stays empty where there are sentences only.
 * GIVEN, "title,price:number" or NULL, overrides guessed types. The most filled fields are used
 * where there are more than RECORD_FIELDS_MOST. */
film_status field_guess(const struct corpus *corpus, const char *given,
                        struct record_fields *fields, struct training_log *log, film_error *error);

#endif
