/* What a long computation must remember to go on later: named arrays in its own memory.
 *
 * A learner lists its arrays once; the same list is written from and read back into. It does not
 * know where they are kept (train/checkpoint.h: a file), and whoever keeps them does not know what
 * they mean. What comes back has the right sizes and its floats are finite, no more: ranges and
 * relations are for the learner to check, since the file may be anything. */
#ifndef BASE_KEEP_H
#define BASE_KEEP_H

#include "base/status.h"

#include <stdint.h>

enum keep_type { KEEP_U8, KEEP_U32, KEEP_SIZE, KEEP_FLOAT, KEEP_DOUBLE };

struct keep {
    const char *name;
    enum keep_type type;
    void *data; /* only read from when saving */
    size_t count;
};

struct keeper {
    void *user;
    int going_on; /* something was kept: begin with load */
    /* Fills the arrays. May be called several times, small arrays that tell the size of others
     * first. */
    film_status (*load)(void *user, const struct keep *arrays, size_t count, film_error *error);
    /* Is it time to save? The same answer in every process of a job; all ask. */
    int (*due)(void *user);
    /* Non-zero when it could not be done: the learner stops, as if cancelled; the keeper knows why. */
    int (*save)(void *user, const struct keep *arrays, size_t count);
};

/* After a step: 1 when the learner should save. CANCELLED: this is the last chance. */
static inline int keep_now(const struct keeper *keeper, int cancelled)
{
    return keeper && (cancelled || keeper->due(keeper->user));
}

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "KEEP_SIZE is kept in 64 bits");

#endif
