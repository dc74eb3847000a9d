/* What the JSON of verdicts and of explanations shares. */
#ifndef EXPLAIN_ANSWER_JSON_H
#define EXPLAIN_ANSWER_JSON_H

#include "base/writer.h"
#include "film_explain.h"

void write_side(struct writer *to, char side);
void write_key_text(struct writer *to, const char *key, film_text text);

/* Writes a sentence as a string, a record as an object. */
void write_key_record(struct writer *to, const char *key, film_text text);

/* The field that has a byte of a record, and where its value begins; no field in a sentence. */
struct json_place {
    film_text field;
    size_t start;
};

/* Returns the place of byte START of a sentence or record. */
struct json_place json_place(film_text sentence, size_t start);

/* Writes the bytes START .. END of a text; those of a record are counted from where the value
 * begins, beside the name of the field. */
void write_span(struct writer *to, const struct json_place *place, size_t start, size_t end);

/* Returns whether a weight speaks for the verdict. */
int supports(double weight, int same);

void write_verdict(struct writer *to, film_text a, film_text b, const film_verdict *verdict);

/* Writes the first MOST reasons, the strongest ones: those for the verdict, then the others.
 * SENTENCES are both, for the fields of records; NULL: spans count the bytes of the whole text. */
void write_reasons(struct writer *to, const film_text *sentences, const film_reason *reasons,
                   size_t count, size_t most, int same);
/* The reasons of a verdict. Those that MOST (not 0) leaves out are one last entry, their sum. */
void write_strongest(struct writer *to, const film_text *sentences, const film_verdict *verdict,
                     size_t most);

/* Opens the object of a group. */
void write_group_head(struct writer *to, const film_reason_group *group);

#endif
