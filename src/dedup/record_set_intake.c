/* Fills a record set: one process keeps what it reads; in a job, the hash of its words assigns
 * every record to a process. record_set_read.c reads the rows. */
#include "base/mem.h"
#include "dedup/record_set_parts.h"

#include <string.h>

/* In bytes: the send buffer is small compared with the records. */
enum { FULL = 1 << 20 };

film_status record_set_intake_open(struct record_set_intake *intake, struct record_set *set,
                                   film_error *error)
{
    film_status status = FILM_OK;
    *intake = (struct record_set_intake){.set = set};
    TRY(strtab_init(&intake->seen, error));
    TRY(record_set_key_init(&intake->maker, error));
    TRY(mailbox_init(&intake->mailbox, set->comm, error));
done:
    return status;
}

void record_set_intake_close(struct record_set_intake *intake)
{
    strtab_free(&intake->seen);
    record_set_key_free(&intake->maker);
    mailbox_free(&intake->mailbox);
}

static film_status keep_here(struct record_set_intake *intake, int paired, film_text id,
                             film_text text, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t known = intake->seen.count, number;
    if (paired) {
        TRY(strtab_add(&intake->seen, text.bytes, text.length, &number, error));
        if (number < known) goto done;
    }
    TRY(record_set_add(intake->set, id, text, error));
done:
    return status;
}

film_status record_set_intake_add(struct record_set_intake *intake, uint64_t order, int paired,
                                  film_text id, film_text text, film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = intake->set->comm;
    uint8_t flag = paired != 0;
    uint64_t key;
    if (comm->size == 1) return keep_here(intake, paired, id, text, error);
    TRY(record_set_key_make(&intake->maker, text, &key, error));
    int to = (int)(key % (uint64_t)comm->size);
    TRY(mailbox_put(&intake->mailbox, to, &order, sizeof order, error));
    TRY(mailbox_put(&intake->mailbox, to, &key, sizeof key, error));
    TRY(mailbox_put(&intake->mailbox, to, &flag, sizeof flag, error));
    TRY(mailbox_put_text(&intake->mailbox, to, id, error));
    TRY(mailbox_put_text(&intake->mailbox, to, text, error));
done:
    return status;
}

int record_set_intake_full(const struct record_set_intake *intake)
{
    return mailbox_waiting(&intake->mailbox) >= FULL;
}

static film_status take_sent(struct record_set *set, struct mailbox *mailbox, film_error *error)
{
    film_status status = FILM_OK;
    size_t i = set->count;
    void *order = set->order, *keys = set->keys, *paired = set->paired;
    int there = mem_grow(&order, &set->order_capacity, i + 1, sizeof *set->order);
    there = there && mem_grow(&keys, &set->key_capacity, i + 1, sizeof *set->keys);
    there = there && mem_grow(&paired, &set->paired_capacity, i + 1, sizeof *set->paired);
    set->order = order;
    set->keys = keys;
    set->paired = paired;
    TRY_ALLOC(there, error);
    mailbox_get(mailbox, &set->order[i], sizeof *set->order);
    mailbox_get(mailbox, &set->keys[i], sizeof *set->keys);
    mailbox_get(mailbox, &set->paired[i], sizeof *set->paired);
    film_text id = mailbox_get_text(mailbox);
    TRY(record_set_add(set, id, mailbox_get_text(mailbox), error));
done:
    return status;
}

film_status record_set_intake_send(struct record_set_intake *intake, int more, int *go_on,
                                   film_error *error)
{
    film_status status = FILM_OK;
    size_t left = more != 0;
    if (intake->set->comm->size > 1) {
        TRY(mailbox_send(&intake->mailbox, error));
        while (mailbox_next(&intake->mailbox)) TRY(take_sent(intake->set, &intake->mailbox, error));
        TRY(comm_sum_counts(intake->set->comm, &left, 1, error));
    }
    *go_on = left != 0;
done:
    return status;
}
