/* The struct that film train's options fill, and their tables (train_options.c). */
#ifndef CLI_TRAIN_H
#define CLI_TRAIN_H

#include "cli.h"

struct train_values {
    film_train_options train;
    const char *model; /* where to write it */
    struct option_texts pools;
    const char *cache;
};

extern const struct option train_options[], train_settings[];

#endif
