/* The state that a long computation needs to resume: a list of named arrays in its own memory.
 *
 * A learner lists its arrays once. The same list serves for saving and for loading. The learner
 * does not know where the arrays are stored (train/checkpoint.h writes a file), and the storage
 * does not know what they mean. Loading guarantees sizes and finite floats only. The file may
 * contain anything, so the learner must check ranges and relations itself. */
#ifndef BASE_CHECKPOINT_STATE_H
#define BASE_CHECKPOINT_STATE_H

#include "base/status.h"

#include <stdint.h>

enum state_type { STATE_U8, STATE_U32, STATE_SIZE, STATE_FLOAT, STATE_DOUBLE };

struct state_array {
    const char *name;
    enum state_type type;
    /* Saving only reads from it. */
    void *data;
    size_t count;
};

struct checkpointer {
    void *user;
    /* 1 when a checkpoint exists: the learner begins with load. */
    int going_on;
    /* Fills the arrays. A learner may call it several times: first for small arrays that contain
     * the sizes of the others. */
    film_status (*load)(void *user, const struct state_array *arrays, size_t count,
                        film_error *error);
    /* Returns whether it is time to save. Every process of a job calls it and gets the same
     * result. */
    int (*due)(void *user);
    /* Returns non-zero when saving failed. The learner then stops, as if cancelled, and `problem`
     * returns the reason. */
    int (*save)(void *user, const struct state_array *arrays, size_t count);
    /* Returns the status and the message of the last save that failed, or FILM_OK. May be NULL: the
     * reason is then unknown. */
    film_status (*problem)(void *user, film_error *error);
};

/* Where a learner gets its checkpointer once it knows its starting point. */
struct checkpointing {
    void *user;
    /* START is a hash of the starting point; a checkpoint with another hash is refused. *OUT lives
     * as long as the checkpointing. */
    film_status (*open)(void *user, uint64_t start, const struct checkpointer **out,
                        film_error *error);
};

/* Called after a step: returns 1 when the learner should save. CANCELLED: there will be no further
 * step. */
static inline int checkpoint_due(const struct checkpointer *checkpointer, int cancelled)
{
    return checkpointer && (cancelled || checkpointer->due(checkpointer->user));
}

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "STATE_SIZE is kept in 64 bits");

#endif
