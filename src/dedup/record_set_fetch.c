/* Fetches records by number from the processes that own them: one exchange of requests, one of
 * replies. It caches nothing. */
#include "base/mem.h"
#include "dedup/record_set.h"

#include <string.h>

/* The record of a reference, in this process. */
static uint32_t record_of(const struct record_set *set, struct record_set_ref ref)
{
    uint32_t place = round_robin_place(set->comm, ref.item);
    return set->members ? set->members[set->start[place] + ref.member] : place;
}

static int reserve_found(struct record_set_found *found, size_t count)
{
    void *records = found->records, *at = found->at;
    int there = mem_grow(&records, &found->records_capacity, count + 1, sizeof *found->records) &&
                mem_grow(&at, &found->at_capacity, count + 1, sizeof *found->at);
    found->records = records;
    found->at = at;
    return there;
}

void record_set_found_free(struct record_set_found *found)
{
    mem_free(found->records);
    mem_free(found->at);
    if (found->requests.comm) mailbox_free(&found->requests);
    if (found->responses.comm) mailbox_free(&found->responses);
    memset(found, 0, sizeof *found);
}

/* Replies to the requests of each process, in their order. */
static film_status answer(const struct record_set *set, struct record_set_found *found,
                          film_error *error)
{
    film_status status = FILM_OK;
    while (mailbox_next(&found->requests)) {
        struct record_set_ref ref;
        int to = found->requests.from;
        mailbox_get(&found->requests, &ref, sizeof ref);
        uint32_t record = record_of(set, ref);
        TRY(mailbox_put(&found->responses, to, &set->at[record], sizeof *set->at, error));
        TRY(mailbox_put_text(&found->responses, to, set->records[record].id, error));
        TRY(mailbox_put_text(&found->responses, to, set->records[record].text, error));
    }
done:
    return status;
}

film_status record_set_fetch(const struct record_set *set, const struct record_set_ref *refs,
                             size_t count, struct record_set_found *found, film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = set->comm;
    TRY_ALLOC(reserve_found(found, count), error);
    for (size_t i = 0; comm->size == 1 && i < count; i++) {
        found->at[i] = record_of(set, refs[i]);
        found->records[i] = set->records[found->at[i]];
    }
    if (comm->size == 1) goto done;
    if (!found->requests.comm) TRY(mailbox_init(&found->requests, comm, error));
    if (!found->responses.comm) TRY(mailbox_init(&found->responses, comm, error));
    for (size_t i = 0; i < count; i++)
        TRY(mailbox_put(&found->requests, round_robin_owner(comm, refs[i].item), &refs[i],
                        sizeof *refs, error));
    TRY(mailbox_send(&found->requests, error));
    TRY(answer(set, found, error));
    TRY(mailbox_send(&found->responses, error));
    /* The replies of a process are in the order of the requests to it. */
    int from = -1;
    size_t i = 0;
    while (mailbox_next(&found->responses)) {
        i = found->responses.from == from ? i + 1 : 0;
        from = found->responses.from;
        while (round_robin_owner(comm, refs[i].item) != from) i++;
        mailbox_get(&found->responses, &found->at[i], sizeof *found->at);
        found->records[i].id = mailbox_get_text(&found->responses);
        found->records[i].text = mailbox_get_text(&found->responses);
    }
done:
    return status;
}
