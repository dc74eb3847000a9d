/* Collects small messages per receiver and exchanges them all at once (all-to-all). It does not
 * interpret them. */
#include "base/mailbox.h"
#include "base/mem.h"

#include <string.h>

enum { NO_TEXT = UINT32_MAX };

film_status mailbox_init(struct mailbox *mailbox, const struct comm *comm, film_error *error)
{
    film_status status = FILM_OK;
    *mailbox = (struct mailbox){.comm = comm};
    TRY_ALLOC(mailbox->to = mem_zeroed((size_t)comm->size, sizeof *mailbox->to), error);
done:
    return status;
}

void mailbox_free(struct mailbox *mailbox)
{
    for (int i = 0; mailbox->to && i < mailbox->comm->size; i++) mem_free(mailbox->to[i].bytes);
    mem_free(mailbox->to);
    mem_free(mailbox->received);
    mem_free(mailbox->received_sizes);
    memset(mailbox, 0, sizeof *mailbox);
}

film_status mailbox_put(struct mailbox *mailbox, int to, const void *bytes, size_t size,
                        film_error *error)
{
    struct mailbox_message *letter = &mailbox->to[to];
    void *grown = letter->bytes;
    int there = mem_grow(&grown, &letter->capacity, letter->size + size, 1);
    letter->bytes = grown;
    if (!there) return status_no_memory(error);
    if (size) memcpy(letter->bytes + letter->size, bytes, size);
    letter->size += size;
    return FILM_OK;
}

film_status mailbox_put_text(struct mailbox *mailbox, int to, film_text text, film_error *error)
{
    uint32_t length = text.bytes ? (uint32_t)text.length : (uint32_t)NO_TEXT;
    if (text.length >= NO_TEXT)
        return status_set(error, FILM_BAD_INPUT, "a text of %zu bytes is too long", text.length);
    film_status status = mailbox_put(mailbox, to, &length, sizeof length, error);
    return status == FILM_OK && text.bytes
               ? mailbox_put(mailbox, to, text.bytes, text.length, error)
               : status;
}

size_t mailbox_waiting(const struct mailbox *mailbox)
{
    size_t sum = 0;
    for (int i = 0; i < mailbox->comm->size; i++) sum += mailbox->to[i].size;
    return sum;
}

/* Concatenates the messages; each is freed when it is copied. */
static film_status concatenate(struct mailbox *mailbox, char **out, size_t *sizes,
                               film_error *error)
{
    size_t at = 0;
    *out = mem_array(mailbox_waiting(mailbox), 1);
    if (!*out) return status_no_memory(error);
    for (int i = 0; i < mailbox->comm->size; i++) {
        struct mailbox_message *letter = &mailbox->to[i];
        if (letter->size) memcpy(*out + at, letter->bytes, letter->size);
        at += sizes[i] = letter->size;
        mem_free(letter->bytes);
        *letter = (struct mailbox_message){0};
    }
    return FILM_OK;
}

film_status mailbox_send(struct mailbox *mailbox, film_error *error)
{
    film_status status = FILM_OK;
    char *out = NULL;
    size_t *sizes = NULL;
    void *received = NULL;
    mem_free(mailbox->received);
    mem_free(mailbox->received_sizes);
    mailbox->received = NULL;
    mailbox->received_sizes = NULL;
    mailbox->at = mailbox->end = 0;
    mailbox->from = -1;
    TRY_ALLOC(sizes = mem_array((size_t)mailbox->comm->size, sizeof *sizes), error);
    TRY(concatenate(mailbox, &out, sizes, error));
    if (mailbox->comm->size == 1) { /* sending to itself only */
        mailbox->received = out;
        mailbox->received_sizes = sizes;
        out = NULL;
        sizes = NULL;
    } else {
        status = comm_exchange_all(mailbox->comm, out, sizes, &received, &mailbox->received_sizes,
                                   error);
        mailbox->received = received;
    }
done:
    mem_free(out);
    mem_free(sizes);
    return status;
}

int mailbox_next(struct mailbox *mailbox)
{
    while (mailbox->at == mailbox->end) {
        if (!mailbox->received_sizes || mailbox->from + 1 >= mailbox->comm->size) return 0;
        mailbox->end += mailbox->received_sizes[++mailbox->from];
    }
    return 1;
}

void mailbox_get(struct mailbox *mailbox, void *bytes, size_t size)
{
    if (size) memcpy(bytes, mailbox->received + mailbox->at, size);
    mailbox->at += size;
}

film_text mailbox_get_text(struct mailbox *mailbox)
{
    uint32_t length;
    mailbox_get(mailbox, &length, sizeof length);
    if (length == NO_TEXT) return (film_text){NULL, 0};
    film_text text = {mailbox->received + mailbox->at, length};
    mailbox->at += length;
    return text;
}
