/* Hash partitioning: assigns strings to processes by hash, numbers them there, and looks up values
 * that other processes own. It does not store the strings of other processes. */
#include "base/partition.h"
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

void partition_free(struct partition *partition)
{
    mem_free(partition->order);
    mem_free(partition->out);
    mem_free(partition->in);
    mem_free(partition->id_of_received);
    memset(partition, 0, sizeof *partition);
}

static uint64_t hash_of(const struct strtab *table, uint32_t id)
{
    film_text text = strtab_get(table, id);
    return strtab_hash(text.bytes, text.length);
}

/* Counts the strings of each owner and sorts the ids by owner. */
static film_status sort_by_owner(struct partition *partition, const struct strtab *mine,
                                 film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = partition->comm;
    size_t processes = (size_t)comm->size;
    size_t *next = mem_zeroed(processes + 1, sizeof *next);
    TRY_ALLOC(next && (partition->order = mem_array(mine->count, sizeof *partition->order)) &&
                  (partition->out = mem_zeroed(processes, sizeof *partition->out)) &&
                  (partition->in = mem_zeroed(processes, sizeof *partition->in)),
              error);
    for (uint32_t i = 0; i < mine->count; i++) next[partition_owner(comm, hash_of(mine, i)) + 1]++;
    for (size_t p = 0; p < processes; p++) {
        partition->out[p] = next[p + 1] * sizeof(uint32_t);
        next[p + 1] += next[p];
    }
    for (uint32_t i = 0; i < mine->count; i++)
        partition->order[next[partition_owner(comm, hash_of(mine, i))]++] = i;
done:
    mem_free(next);
    return status;
}

/* Packs the strings in that order, and computes the bytes for each process. */
static film_status pack(const struct partition *partition, const struct strtab *mine,
                        struct string_pack *message, size_t *sizes, film_error *error)
{
    size_t at = 0;
    for (int p = 0; p < partition->comm->size; p++) {
        size_t before = message->size;
        for (size_t left = partition->out[p] / sizeof(uint32_t); left > 0; left--) {
            film_status status =
                string_pack_add(message, strtab_get(mine, partition->order[at++]), error);
            if (status != FILM_OK) return status;
        }
        sizes[p] = message->size - before;
    }
    return FILM_OK;
}

/* Numbers the received strings, sender by sender. */
static film_status unpack(struct partition *partition, const char *bytes, const size_t *sizes,
                          struct strtab *owned, film_error *error)
{
    film_status status = FILM_OK;
    size_t capacity = 0;
    film_text text;
    for (int p = 0; p < partition->comm->size; p++) {
        const char *end = bytes + sizes[p];
        size_t before = partition->received;
        while (string_pack_next(&bytes, end, &text)) {
            TRY_ALLOC(mem_grow((void **)&partition->id_of_received, &capacity,
                               partition->received + 1, sizeof *partition->id_of_received),
                      error);
            TRY(strtab_add(owned, text.bytes, text.length,
                           &partition->id_of_received[partition->received++], error));
        }
        partition->in[p] = (partition->received - before) * sizeof(uint32_t);
    }
done:
    return status;
}

film_status partition_strings(struct partition *partition, const struct comm *comm,
                              const struct strtab *mine, struct strtab *owned, film_error *error)
{
    film_status status = FILM_OK;
    struct string_pack message = {0};
    size_t *sizes = NULL, *received_sizes = NULL;
    void *received = NULL;
    *partition = (struct partition){.comm = comm, .strings = mine->count};
    TRY_ALLOC(sizes = mem_zeroed((size_t)comm->size, sizeof *sizes), error);
    TRY(sort_by_owner(partition, mine, error));
    TRY(pack(partition, mine, &message, sizes, error));
    TRY(comm_exchange_all(comm, message.bytes, sizes, &received, &received_sizes, error));
    mem_free(message.bytes);
    message.bytes = NULL;
    TRY(unpack(partition, received, received_sizes, owned, error));
done:
    mem_free(message.bytes);
    mem_free(sizes);
    mem_free(received_sizes);
    mem_free(received);
    if (status != FILM_OK) partition_free(partition);
    return status;
}

film_status partition_sum(const struct partition *partition, const uint32_t *mine, uint32_t *owned,
                          size_t owned_count, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t *out = mem_array(partition->strings, sizeof *out);
    uint32_t *in = mem_array(partition->received, sizeof *in);
    TRY_ALLOC(out && in, error);
    for (size_t i = 0; i < partition->strings; i++) out[i] = mine[partition->order[i]];
    TRY(comm_exchange(partition->comm, out, partition->out, in, partition->in, error));
    memset(owned, 0, owned_count * sizeof *owned);
    for (size_t i = 0; i < partition->received; i++) owned[partition->id_of_received[i]] += in[i];
done:
    mem_free(out);
    mem_free(in);
    return status;
}

film_status partition_lookup(const struct partition *partition, const uint32_t *owned,
                             uint32_t *mine, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t *out = mem_array(partition->received, sizeof *out);
    uint32_t *in = mem_array(partition->strings, sizeof *in);
    TRY_ALLOC(out && in, error);
    for (size_t i = 0; i < partition->received; i++) out[i] = owned[partition->id_of_received[i]];
    TRY(comm_exchange(partition->comm, out, partition->in, in, partition->out, error));
    for (size_t i = 0; i < partition->strings; i++) mine[partition->order[i]] = in[i];
done:
    mem_free(out);
    mem_free(in);
    return status;
}
