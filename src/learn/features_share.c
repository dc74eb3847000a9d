/* Adds up the feature counts of several processes, each feature at its owner, and sends the
 * frequent ones to all. Counting within a process is features_fit.c. */
#include "learn/features_share.h"
#include "base/partition.h"
#include "base/mem.h"

#include <string.h>

/* Packs the owned features that are frequent enough: each string after its count. */
static film_status pack_kept(const struct strtab *owned, const uint32_t *df, size_t min_df,
                             struct string_pack *kept, film_error *error)
{
    film_status status = FILM_OK;
    for (uint32_t i = 0; i < owned->count; i++) {
        if (df[i] < min_df) continue;
        TRY(string_pack_add(kept, (film_text){(const char *)&df[i], sizeof df[i]}, error));
        TRY(string_pack_add(kept, strtab_get(owned, i), error));
    }
done:
    return status;
}

static film_status unpack_kept(const char *at, const char *end, struct strtab *all,
                               uint32_t **all_df, film_error *error)
{
    film_status status = FILM_OK;
    size_t capacity = 0;
    film_text count, text;
    uint32_t id;
    while (string_pack_next(&at, end, &count) && string_pack_next(&at, end, &text)) {
        TRY(strtab_add(all, text.bytes, text.length, &id, error));
        TRY_ALLOC(mem_grow((void **)all_df, &capacity, (size_t)id + 1, sizeof **all_df), error);
        memcpy(&(*all_df)[id], count.bytes, sizeof **all_df);
    }
done:
    return status;
}

film_status fit_share_counts(const struct comm *comm, const struct strtab *seen, const uint32_t *df,
                             size_t min_df, struct strtab *all, uint32_t **all_df,
                             film_error *error)
{
    film_status status = FILM_OK;
    struct partition partition = {0};
    struct strtab owned = {0};
    struct string_pack kept = {0};
    uint32_t *owned_df = NULL;
    void *everyones = NULL;
    size_t *sizes = NULL, total = 0;
    TRY(strtab_init(&owned, error));
    TRY(partition_strings(&partition, comm, seen, &owned, error));
    TRY_ALLOC(owned_df = mem_array(owned.count, sizeof *owned_df), error);
    TRY(partition_sum(&partition, df, owned_df, owned.count, error));
    TRY(pack_kept(&owned, owned_df, min_df, &kept, error));
    TRY(comm_gather_all(comm, kept.bytes, kept.size, &everyones, &sizes, error));
    for (int p = 0; p < comm->size; p++) total += sizes[p];
    TRY(unpack_kept(everyones, (const char *)everyones + total, all, all_df, error));
done:
    partition_free(&partition);
    strtab_free(&owned);
    mem_free(kept.bytes);
    mem_free(owned_df);
    mem_free(everyones);
    mem_free(sizes);
    return status;
}
