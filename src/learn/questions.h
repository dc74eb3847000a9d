/* Groups rows that share a question, so that a split never separates them.
 *
 * Questions are equal when their tokens are, so that "What is it ?" does not leak into the other
 * part as "what's it?". Rows connected through questions, directly or through other rows, form a
 * connected component; a component stays in one part. */
#ifndef LEARN_QUESTIONS_H
#define LEARN_QUESTIONS_H

#include "base/strtab.h"
#include "learn/corpus.h"
#include "text/tokens.h"

/* Numbers questions. It stores only 64-bit hashes of the tokens, not the text. */
struct questions {
    struct tokenizer tokenizer;
    struct tokens tokens;
    char *key; /* tokens of a question, each followed by a space */
    size_t key_capacity;
    struct strtab hashes;
};

film_status questions_init(struct questions *questions, film_error *error);
void questions_free(struct questions *questions);
/* The hash that identifies a question: the same tokens give the same hash. */
film_status questions_hash(struct questions *questions, film_text text, uint64_t *hash,
                           film_error *error);
film_status questions_number(struct questions *questions, film_text text, uint32_t *id,
                             film_error *error);

/* The question numbers of all sentences of a corpus, by sentence id; free *NUMBER with mem_free. */
film_status questions_number_all(const struct corpus *corpus, uint32_t **number, uint32_t *count,
                                 film_error *error);

enum { QUESTIONS_MOST_PARTS = 16 };

/* Rows as question numbers below QUESTIONS; missing questions of a row repeat its first. */
struct question_rows {
    const uint32_t (*row)[3];
    size_t count;
    uint32_t questions;
};

/* COUNT parts that take SHARE[part] of the rows each; the last part takes the remainder. */
struct partition_shares {
    const double *share;
    size_t count;
    uint64_t seed;
};

struct partition_result {
    size_t components, largest; /* LARGEST: rows of the largest component */
};

/* Assigns rows to parts: row i goes to PART[i]. The largest components come first, equal ones in
 * random order. Each goes to the part that lacks most rows, so that the shares hold even with one
 * giant component. */
film_status questions_partition(const struct question_rows *rows,
                                const struct partition_shares *shares, unsigned char *part,
                                struct partition_result *result, film_error *error);

#endif
