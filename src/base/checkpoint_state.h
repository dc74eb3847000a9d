/* What a long computation must remember to go on later: named arrays in its own memory.
 *
 * A learner lists its arrays once; the same list is written from and read back into. It does not
 * know where they are kept (train/checkpoint.h: a file), and whoever keeps them does not know what
 * they mean. What comes back has the right sizes and its floats are finite, no more: ranges and
 * relations are for the learner to check, since the file may be anything. */
#ifndef BASE_CHECKPOINT_STATE_H
#define BASE_CHECKPOINT_STATE_H

#include "base/status.h"

#include <stdint.h>

enum state_type { STATE_U8, STATE_U32, STATE_SIZE, STATE_FLOAT, STATE_DOUBLE };

struct state_array {
    const char *name;
    enum state_type type;
    void *data; /* only read from when saving */
    size_t count;
};

struct checkpointer {
    void *user;
    int going_on; /* something was kept: begin with load */
    /* Fills the arrays. May be called several times, small arrays that tell the size of others
     * first. */
    film_status (*load)(void *user, const struct state_array *arrays, size_t count,
                        film_error *error);
    /* Is it time to save? The same answer in every process of a job; all ask. */
    int (*due)(void *user);
    /* Non-zero when it could not be done: the learner stops, as if cancelled; the checkpointer
     * knows why. */
    int (*save)(void *user, const struct state_array *arrays, size_t count);
};

/* After a step: 1 when the learner should save. CANCELLED: this is the last chance. */
static inline int checkpoint_due(const struct checkpointer *checkpointer, int cancelled)
{
    return checkpointer && (cancelled || checkpointer->due(checkpointer->user));
}

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "STATE_SIZE is kept in 64 bits");

#endif
