/* Messages of many small things between the processes of a job: what is put for a process arrives, with all
 * that the others put for it, when all send. A process may write to itself.
 *
 *     post_put(&post, owner, &thing, sizeof thing, error) ... post_send(&post, error)
 *     while (post_next(&post)) post_get(&post, &thing, sizeof thing);     what came from post.from
 *
 * Things are copied as they are: all processes run the same program on the same kind of machine. */
#ifndef BASE_POST_H
#define BASE_POST_H

#include "base/comm.h"

struct post_letter {
    char *bytes;
    size_t size, capacity;
};

struct post {
    const struct comm *comm;
    struct post_letter *to; /* one per process */
    char *came;
    size_t *came_sizes;
    size_t at, end; /* what is being read, and where the sender's bytes end */
    int from;       /* the sender of what is read next */
};

film_status post_init(struct post *post, const struct comm *comm, film_error *error);
void post_free(struct post *post);

film_status post_put(struct post *post, int to, const void *bytes, size_t size, film_error *error);
/* {NULL, 0} arrives as that. */
film_status post_put_text(struct post *post, int to, film_text text, film_error *error);

/* Bytes put for all processes since the last sending. */
size_t post_waiting(const struct post *post);

/* All processes call it. What came the last time is gone. */
film_status post_send(struct post *post, film_error *error);

/* Is there more to read? Senders come in order, each one's things in the order they were put. */
int post_next(struct post *post);
void post_get(struct post *post, void *bytes, size_t size);
/* Lies in the message: until the next post_send. */
film_text post_get_text(struct post *post);

#endif
