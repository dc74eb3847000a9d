/* Messages of many small things between the processes of a job: what is put for a process arrives,
 * with all that the others put for it, when all send. A process may write to itself.
 *
 *     mailbox_put(&mailbox, owner, &thing, sizeof thing, error) ... mailbox_send(&mailbox, error)
 *     while (mailbox_next(&mailbox)) // what came from mailbox.from
 *         mailbox_get(&mailbox, &thing, sizeof thing);
 *
 * Things are copied as they are: all processes run the same program on the same kind of machine. */
#ifndef BASE_MAILBOX_H
#define BASE_MAILBOX_H

#include "base/comm.h"

struct mailbox_message {
    char *bytes;
    size_t size, capacity;
};

struct mailbox {
    const struct comm *comm;
    struct mailbox_message *to; /* one per process */
    char *came;
    size_t *came_sizes;
    size_t at, end; /* what is being read, and where the sender's bytes end */
    int from;       /* the sender of what is read next */
};

film_status mailbox_init(struct mailbox *mailbox, const struct comm *comm, film_error *error);
void mailbox_free(struct mailbox *mailbox);

film_status mailbox_put(struct mailbox *mailbox, int to, const void *bytes, size_t size,
                        film_error *error);
/* {NULL, 0} arrives as that. */
film_status mailbox_put_text(struct mailbox *mailbox, int to, film_text text, film_error *error);

/* Bytes put for all processes since the last sending. */
size_t mailbox_waiting(const struct mailbox *mailbox);

/* All processes call it. What came the last time is gone. */
film_status mailbox_send(struct mailbox *mailbox, film_error *error);

/* Is there more to read? Senders come in order, each one's things in the order they were put. */
int mailbox_next(struct mailbox *mailbox);
void mailbox_get(struct mailbox *mailbox, void *bytes, size_t size);
/* Lies in the message: until the next mailbox_send. */
film_text mailbox_get_text(struct mailbox *mailbox);

#endif
