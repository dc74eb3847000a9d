/* Records by number, from whichever process has them. */
#include "base/mem.h"
#include "pool/pile.h"

#include <string.h>

/* Of this process. */
static uint32_t record_of(const struct pile *pile, struct pile_ref ref)
{
    uint32_t place = turns_place(pile->comm, ref.item);
    return pile->members ? pile->members[pile->start[place] + ref.member] : place;
}

static int reserve(struct pile_found *found, size_t count)
{
    void *records = found->records, *at = found->at;
    int there = mem_grow(&records, &found->records_capacity, count + 1, sizeof *found->records) &&
                mem_grow(&at, &found->at_capacity, count + 1, sizeof *found->at);
    found->records = records;
    found->at = at;
    return there;
}

void pile_found_free(struct pile_found *found)
{
    mem_free(found->records);
    mem_free(found->at);
    if (found->asked.comm) post_free(&found->asked);
    if (found->answered.comm) post_free(&found->answered);
    memset(found, 0, sizeof *found);
}

/* Answers, in the order of the questions, those of each process to it. */
static film_status answer(const struct pile *pile, struct pile_found *found, film_error *error)
{
    film_status status = FILM_OK;
    while (post_next(&found->asked)) {
        struct pile_ref ref;
        int to = found->asked.from;
        post_get(&found->asked, &ref, sizeof ref);
        uint32_t record = record_of(pile, ref);
        TRY(post_put(&found->answered, to, &pile->at[record], sizeof *pile->at, error));
        TRY(post_put_text(&found->answered, to, pile->records[record].id, error));
        TRY(post_put_text(&found->answered, to, pile->records[record].text, error));
    }
done:
    return status;
}

film_status pile_fetch(const struct pile *pile, const struct pile_ref *refs, size_t count,
                       struct pile_found *found, film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = pile->comm;
    TRY_ALLOC(reserve(found, count), error);
    for (size_t i = 0; comm->size == 1 && i < count; i++) {
        found->at[i] = record_of(pile, refs[i]);
        found->records[i] = pile->records[found->at[i]];
    }
    if (comm->size == 1) goto done;
    if (!found->asked.comm) TRY(post_init(&found->asked, comm, error));
    if (!found->answered.comm) TRY(post_init(&found->answered, comm, error));
    for (size_t i = 0; i < count; i++)
        TRY(post_put(&found->asked, turns_owner(comm, refs[i].item), &refs[i], sizeof *refs,
                     error));
    TRY(post_send(&found->asked, error));
    TRY(answer(pile, found, error));
    TRY(post_send(&found->answered, error));
    /* Each process's answers belong to the questions that went there, in their order. */
    int from = -1;
    size_t i = 0;
    while (post_next(&found->answered)) {
        i = found->answered.from == from ? i + 1 : 0;
        from = found->answered.from;
        while (turns_owner(comm, refs[i].item) != from) i++;
        post_get(&found->answered, &found->at[i], sizeof *found->at);
        found->records[i].id = post_get_text(&found->answered);
        found->records[i].text = post_get_text(&found->answered);
    }
done:
    return status;
}
