/* Messages between the processes of a job, made of many small items. mailbox_send delivers to every
 * process all items that any process has put for it. A process may send to itself.
 *
 *       mailbox_put(&mailbox, owner, &item, sizeof item, error) ... mailbox_send(&mailbox, error)
 *       while (mailbox_next(&mailbox)) // received from mailbox.from
 *           mailbox_get(&mailbox, &item, sizeof item);
 *
 * Items are copied as raw memory: all processes run the same program on the same kind of
 * machine. */
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
    char *received;
    size_t *received_sizes;
    size_t at, end; /* next byte to read; end of the sender's bytes */
    int from;       /* the sender of the next item */
};

film_status mailbox_init(struct mailbox *mailbox, const struct comm *comm, film_error *error);
void mailbox_free(struct mailbox *mailbox);

film_status mailbox_put(struct mailbox *mailbox, int to, const void *bytes, size_t size,
                        film_error *error);
/* {NULL, 0} is received as {NULL, 0}. */
film_status mailbox_put_text(struct mailbox *mailbox, int to, film_text text, film_error *error);

/* Bytes put for all processes since the last mailbox_send. */
size_t mailbox_waiting(const struct mailbox *mailbox);

/* Delivers the items. All processes call it. It discards what was received before. */
film_status mailbox_send(struct mailbox *mailbox, film_error *error);

/* Returns whether there is another item. Senders come in rank order, the items of each in the order
 * in which they were put. */
int mailbox_next(struct mailbox *mailbox);
void mailbox_get(struct mailbox *mailbox, void *bytes, size_t size);
/* The text points into the received message and is valid until the next mailbox_send. */
film_text mailbox_get_text(struct mailbox *mailbox);

#endif
