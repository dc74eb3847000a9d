/* Filling a pile: one process keeps what it reads; in a job every record goes to the process to which its
 * words belong. */
#include "base/mem.h"
#include "pool/pile_parts.h"

#include <string.h>

enum { FULL = 1 << 20 }; /* bytes: what waits to be sent is small beside what is kept */

film_status pile_intake_open(struct pile_intake *intake, struct pile *pile, film_error *error)
{
    film_status status = FILM_OK;
    *intake = (struct pile_intake){.pile = pile};
    TRY(strtab_init(&intake->seen, error));
    TRY(pile_key_init(&intake->maker, error));
    TRY(post_init(&intake->post, pile->comm, error));
done:
    return status;
}

void pile_intake_close(struct pile_intake *intake)
{
    strtab_free(&intake->seen);
    pile_key_free(&intake->maker);
    post_free(&intake->post);
}

static film_status keep_here(struct pile_intake *intake, int paired, film_text id, film_text text,
                             film_error *error)
{
    film_status status = FILM_OK;
    uint32_t known = intake->seen.count, number;
    if (paired) {
        TRY(strtab_add(&intake->seen, text.bytes, text.length, &number, error));
        if (number < known) goto done;
    }
    TRY(pile_add(intake->pile, id, text, error));
done:
    return status;
}

film_status pile_intake_add(struct pile_intake *intake, uint64_t order, int paired, film_text id,
                            film_text text, film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = intake->pile->comm;
    uint8_t flag = paired != 0;
    uint64_t key;
    if (comm->size == 1) return keep_here(intake, paired, id, text, error);
    TRY(pile_key_make(&intake->maker, text, &key, error));
    int to = (int)(key % (uint64_t)comm->size);
    TRY(post_put(&intake->post, to, &order, sizeof order, error));
    TRY(post_put(&intake->post, to, &key, sizeof key, error));
    TRY(post_put(&intake->post, to, &flag, sizeof flag, error));
    TRY(post_put_text(&intake->post, to, id, error));
    TRY(post_put_text(&intake->post, to, text, error));
done:
    return status;
}

int pile_intake_full(const struct pile_intake *intake)
{
    return post_waiting(&intake->post) >= FULL;
}

static film_status take(struct pile *pile, struct post *post, film_error *error)
{
    film_status status = FILM_OK;
    size_t i = pile->count;
    void *order = pile->order, *keys = pile->keys, *paired = pile->paired;
    int there = mem_grow(&order, &pile->order_capacity, i + 1, sizeof *pile->order);
    there = there && mem_grow(&keys, &pile->key_capacity, i + 1, sizeof *pile->keys);
    there = there && mem_grow(&paired, &pile->paired_capacity, i + 1, sizeof *pile->paired);
    pile->order = order;
    pile->keys = keys;
    pile->paired = paired;
    TRY_ALLOC(there, error);
    post_get(post, &pile->order[i], sizeof *pile->order);
    post_get(post, &pile->keys[i], sizeof *pile->keys);
    post_get(post, &pile->paired[i], sizeof *pile->paired);
    film_text id = post_get_text(post);
    TRY(pile_add(pile, id, post_get_text(post), error));
done:
    return status;
}

film_status pile_intake_send(struct pile_intake *intake, int more, int *go_on, film_error *error)
{
    film_status status = FILM_OK;
    size_t left = more != 0;
    if (intake->pile->comm->size > 1) {
        TRY(post_send(&intake->post, error));
        while (post_next(&intake->post)) TRY(take(intake->pile, &intake->post, error));
        TRY(comm_sum_counts(intake->pile->comm, &left, 1, error));
    }
    *go_on = left != 0;
done:
    return status;
}
