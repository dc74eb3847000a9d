/* Finds the sentences of a set that the model remembers from its labels, grouped by the clusters of
 * its memory. Their pairs are judged besides the candidates (dedup_judge.c). */
#include "base/mem.h"
#include "base/sort.h"
#include "base/threads.h"
#include "dedup/candidates.h"

#include <string.h>

void known_items_free(struct known_items *known)
{
    mem_free(known->cluster);
    mem_free(known->items);
    memset(known, 0, sizeof *known);
}

struct recollection {
    const struct candidates *search;
    const film_text *texts;
    uint32_t *cluster;
};

static film_status recall_some(struct threads_worker *worker, void *user, film_error *error)
{
    film_status status = FILM_OK;
    const struct recollection *job = user;
    const struct decision *decision = &job->search->model->decision;
    const struct tokenizer *tokenizer = &decision->encoder->features->tokenizer;
    struct tokens tokens;
    size_t begin, end;
    TRY(tokens_init(&tokens, tokenizer, error));
    while (threads_next(worker, &begin, &end))
        for (size_t i = begin; status == FILM_OK && i < end; i++) {
            status = tokens_split(&tokens, tokenizer, job->texts[i], error);
            if (status == FILM_OK)
                job->cluster[i] = memory_cluster(&decision->memory, reading_hash(&tokens));
        }
    tokens_free(&tokens);
done:
    return status;
}

static int by_item_number(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Lists the known items cluster by cluster, without those that are alone. */
static film_status list_items(struct known_items *known, size_t count, film_error *error)
{
    film_status status = FILM_OK;
    uint64_t *sorted = mem_array(count, sizeof *sorted);
    size_t found = 0;
    TRY_ALLOC(sorted && (known->items = mem_array(count, sizeof *known->items)), error);
    for (size_t i = 0; i < count; i++)
        if (known->cluster[i] != CANDIDATES_NONE)
            sorted[found++] = (uint64_t)known->cluster[i] << 32 | i;
    sort_array(sorted, found, sizeof *sorted, by_item_number);
    for (size_t i = 0; i < found; i++)
        if ((i && sorted[i] >> 32 == sorted[i - 1] >> 32) ||
            (i + 1 < found && sorted[i] >> 32 == sorted[i + 1] >> 32))
            known->items[known->count++] = (uint32_t)sorted[i];
done:
    mem_free(sorted);
    return status;
}

film_status known_items_find(struct candidates *search, const film_text *texts, size_t count,
                             film_error *error)
{
    enum { GRAIN = 256 };
    film_status status = FILM_OK;
    struct known_items *known = &search->known;
    struct recollection job = {.search = search, .texts = texts};
    known_items_free(known);
    if (!search->rule.full || !search->rule.memory ||
        !memory_exists(&search->model->decision.memory))
        return FILM_OK;
    TRY_ALLOC(job.cluster = known->cluster = mem_array(count, sizeof *known->cluster), error);
    TRY(threads_for(search->threads, count, GRAIN, recall_some, &job, error));
    TRY(list_items(known, count, error));
done:
    if (status != FILM_OK) known_items_free(known);
    return status;
}
