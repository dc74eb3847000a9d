#include "base/deal.h"
#include "base/mem.h"

#include <string.h>

film_status string_pack_add(struct string_pack *pack, film_text text, film_error *error)
{
    uint32_t length = (uint32_t)text.length;
    if (text.length > UINT32_MAX)
        return status_set(error, FILM_BAD_INPUT, "a sentence of %zu bytes is too long",
                          text.length);
    if (!mem_grow((void **)&pack->bytes, &pack->capacity, pack->size + sizeof length + length, 1))
        return status_no_memory(error);
    memcpy(pack->bytes + pack->size, &length, sizeof length);
    if (length) memcpy(pack->bytes + pack->size + sizeof length, text.bytes, length);
    pack->size += sizeof length + length;
    return FILM_OK;
}

int string_pack_next(const char **at, const char *end, film_text *text)
{
    uint32_t length;
    if ((size_t)(end - *at) < sizeof length) return 0;
    memcpy(&length, *at, sizeof length);
    *text = (film_text){*at + sizeof length, length};
    *at += sizeof length + length;
    return 1;
}

void deal_free(struct deal *deal)
{
    mem_free(deal->order);
    mem_free(deal->out);
    mem_free(deal->in);
    mem_free(deal->id_of_came);
    memset(deal, 0, sizeof *deal);
}

static uint64_t hash_of(const struct strtab *table, uint32_t id)
{
    film_text text = strtab_get(table, id);
    return strtab_hash(text.bytes, text.length);
}

/* Counts the strings of each owner and puts their ids in order. */
static film_status put_in_order(struct deal *deal, const struct strtab *mine, film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = deal->comm;
    size_t processes = (size_t)comm->size;
    size_t *next = mem_zeroed(processes + 1, sizeof *next);
    TRY_ALLOC(next && (deal->order = mem_array(mine->count, sizeof *deal->order)) &&
                  (deal->out = mem_zeroed(processes, sizeof *deal->out)) &&
                  (deal->in = mem_zeroed(processes, sizeof *deal->in)),
              error);
    for (uint32_t i = 0; i < mine->count; i++) next[deal_owner(comm, hash_of(mine, i)) + 1]++;
    for (size_t p = 0; p < processes; p++) {
        deal->out[p] = next[p + 1] * sizeof(uint32_t);
        next[p + 1] += next[p];
    }
    for (uint32_t i = 0; i < mine->count; i++)
        deal->order[next[deal_owner(comm, hash_of(mine, i))]++] = i;
done:
    mem_free(next);
    return status;
}

/* The strings in that order, and the bytes for each process. */
static film_status pack(const struct deal *deal, const struct strtab *mine,
                        struct string_pack *message, size_t *sizes, film_error *error)
{
    size_t at = 0;
    for (int p = 0; p < deal->comm->size; p++) {
        size_t before = message->size;
        for (size_t left = deal->out[p] / sizeof(uint32_t); left > 0; left--) {
            film_status status =
                string_pack_add(message, strtab_get(mine, deal->order[at++]), error);
            if (status != FILM_OK) return status;
        }
        sizes[p] = message->size - before;
    }
    return FILM_OK;
}

/* Numbers what came, process by process. */
static film_status unpack(struct deal *deal, const char *bytes, const size_t *sizes,
                          struct strtab *owned, film_error *error)
{
    film_status status = FILM_OK;
    size_t capacity = 0;
    film_text text;
    for (int p = 0; p < deal->comm->size; p++) {
        const char *end = bytes + sizes[p];
        size_t before = deal->came;
        while (string_pack_next(&bytes, end, &text)) {
            TRY_ALLOC(mem_grow((void **)&deal->id_of_came, &capacity, deal->came + 1,
                               sizeof *deal->id_of_came),
                      error);
            TRY(strtab_add(owned, text.bytes, text.length, &deal->id_of_came[deal->came++], error));
        }
        deal->in[p] = (deal->came - before) * sizeof(uint32_t);
    }
done:
    return status;
}

film_status deal_strings(struct deal *deal, const struct comm *comm, const struct strtab *mine,
                         struct strtab *owned, film_error *error)
{
    film_status status = FILM_OK;
    struct string_pack message = {0};
    size_t *sizes = NULL, *came_sizes = NULL;
    void *came = NULL;
    *deal = (struct deal){.comm = comm, .strings = mine->count};
    TRY_ALLOC(sizes = mem_zeroed((size_t)comm->size, sizeof *sizes), error);
    TRY(put_in_order(deal, mine, error));
    TRY(pack(deal, mine, &message, sizes, error));
    TRY(comm_exchange_all(comm, message.bytes, sizes, &came, &came_sizes, error));
    mem_free(message.bytes);
    message.bytes = NULL;
    TRY(unpack(deal, came, came_sizes, owned, error));
done:
    mem_free(message.bytes);
    mem_free(sizes);
    mem_free(came_sizes);
    mem_free(came);
    if (status != FILM_OK) deal_free(deal);
    return status;
}

film_status deal_sum(const struct deal *deal, const uint32_t *mine, uint32_t *owned,
                     size_t owned_count, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t *out = mem_array(deal->strings, sizeof *out);
    uint32_t *in = mem_array(deal->came, sizeof *in);
    TRY_ALLOC(out && in, error);
    for (size_t i = 0; i < deal->strings; i++) out[i] = mine[deal->order[i]];
    TRY(comm_exchange(deal->comm, out, deal->out, in, deal->in, error));
    memset(owned, 0, owned_count * sizeof *owned);
    for (size_t i = 0; i < deal->came; i++) owned[deal->id_of_came[i]] += in[i];
done:
    mem_free(out);
    mem_free(in);
    return status;
}

film_status deal_answer(const struct deal *deal, const uint32_t *owned, uint32_t *mine,
                        film_error *error)
{
    film_status status = FILM_OK;
    uint32_t *out = mem_array(deal->came, sizeof *out);
    uint32_t *in = mem_array(deal->strings, sizeof *in);
    TRY_ALLOC(out && in, error);
    for (size_t i = 0; i < deal->came; i++) out[i] = owned[deal->id_of_came[i]];
    TRY(comm_exchange(deal->comm, out, deal->in, in, deal->out, error));
    for (size_t i = 0; i < deal->strings; i++) mine[deal->order[i]] = in[i];
done:
    mem_free(out);
    mem_free(in);
    return status;
}
