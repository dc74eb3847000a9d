/* The values of film train's options, and the tables that define them (train_options.c). */
#ifndef CLI_TRAIN_H
#define CLI_TRAIN_H

#include "cli.h"

struct train_values {
    film_train_options train;
    const char *model; /* output path */
    struct option_texts pools;
    const char *cache;
};

extern const struct option train_options[], train_settings[];

#endif
