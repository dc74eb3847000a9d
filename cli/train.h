/* The values of film train's options, and the tables that define them (train_options.c). */
#ifndef CLI_TRAIN_H
#define CLI_TRAIN_H

#include "json.h"

struct train_values {
    film_train_options train;
    const char *model; /* output path */
    struct option_texts pools;
    const char *cache;
    const char *edits; /* the model whose edits are repeated */
    int no_language;   /* leave out the installed table of words */
};

/* Prints "precision 95.5 %, 89 to 98 on 161 pairs, " for an operating point whose precision or
 * recall is promised; nothing for others. */
void print_promise(FILE *to, const json_t *point);

/* Prints what the threshold for a precision does with near misses, as whole lines; nothing for
 * another operating point. */
void print_near_misses(FILE *to, const json_t *point);

extern const struct option train_options[], train_settings[];

#endif
