/* Exact nearest neighbours of rows that are partitioned over the processes of a job. */
#include "la/flat_share.h"
#include "base/mem.h"
#include "base/topk.h"

#include <string.h>

enum { BLOCK = 4096 }; /* queries per exchange */

/* ---- Neighbours ---- */

struct share_search {
    const struct flat_share *share;
    size_t k, *rows;  /* rows of each process */
    float *vectors;   /* BLOCK x dim: the queries */
    uint32_t *self;   /* BLOCK: their rows in this process */
    uint32_t *found;  /* message: BLOCK x k numbers, then their scores */
    uint32_t *came;   /* the messages of all processes */
    size_t *out, *in; /* bytes to and from each process */
    float *kept;      /* k */
};

static void share_search_free(struct share_search *search)
{
    mem_free(search->rows);
    mem_free_aligned(search->vectors);
    mem_free(search->self);
    mem_free(search->found);
    mem_free(search->came);
    mem_free(search->out);
    mem_free(search->in);
    mem_free(search->kept);
}

_Static_assert(sizeof(float) == sizeof(uint32_t), "scores travel behind numbers");

static film_status search_init(struct share_search *search, const struct flat_share *share,
                               size_t k, film_error *error)
{
    film_status status = FILM_OK;
    size_t processes = (size_t)share->comm->size, list = 2 * BLOCK * sizeof(uint32_t);
    *search = (struct share_search){.share = share, .k = k};
    TRY_ALLOC((search->rows = mem_zeroed(processes, sizeof(size_t))) &&
                  (search->out = mem_zeroed(processes, sizeof(size_t))) &&
                  (search->in = mem_zeroed(processes, sizeof(size_t))) &&
                  (search->vectors = mem_aligned(BLOCK * share->mine.dim, sizeof(float))) &&
                  (search->self = mem_array(BLOCK, sizeof(uint32_t))) &&
                  (search->found = mem_array(k, list)) &&
                  (search->came = mem_array(k * processes, list)) &&
                  (search->kept = mem_array(k, sizeof(float))),
              error);
    search->rows[share->comm->rank] = share->mine.count;
    status = comm_sum_counts(share->comm, search->rows, processes, error);
done:
    return status;
}

/* Writes the best results of all processes for HERE queries to ID. */
static void merge_results(struct share_search *search, size_t here, uint32_t *id)
{
    size_t k = search->k, processes = (size_t)search->share->comm->size;
    for (size_t i = 0; i < here; i++) {
        struct topk top = topk_over(search->kept, id + i * k, k);
        for (size_t p = 0; p < processes; p++) {
            const uint32_t *number = search->came + p * 2 * here * k + i * k;
            const uint32_t *bits = number + here * k;
            for (size_t j = 0; j < k && number[j] != FLAT_NONE; j++) {
                float score;
                memcpy(&score, &bits[j], sizeof score);
                topk_offer(&top, score, number[j]);
            }
        }
        topk_finish(&top);
        for (size_t j = top.count; j < k; j++) id[i * k + j] = FLAT_NONE;
    }
}

/* Searches for rows FIRST .. FIRST + HERE of process OWNER, which receives the results in ID. */
static film_status search_block(struct share_search *search, int owner, size_t first, size_t here,
                                int threads, uint32_t *id, film_error *error)
{
    film_status status = FILM_OK;
    const struct flat_share *share = search->share;
    const struct comm *comm = share->comm;
    size_t dim = share->mine.dim, k = search->k, bytes = 2 * here * k * sizeof(uint32_t);
    int is_mine = owner == comm->rank;
    if (is_mine)
        memcpy(search->vectors, share->mine.rows + first * dim, here * dim * sizeof(float));
    TRY(comm_broadcast(comm, search->vectors, here * dim * sizeof(float), owner, error));
    for (size_t i = 0; i < here; i++) search->self[i] = is_mine ? (uint32_t)(first + i) : FLAT_NONE;
    struct flat_queries queries = {.id = search->self, .count = here, .vectors = search->vectors};
    TRY(flat_search(
        &share->mine, &queries, k, threads, NULL,
        &(struct nearest){search->found, (float *)(void *)(search->found + here * k), 0}, error));
    for (size_t i = 0; i < here * k; i++)
        if (search->found[i] != FLAT_NONE)
            search->found[i] = flat_share_number(share, search->found[i]);
    for (int p = 0; p < comm->size; p++) {
        search->out[p] = p == owner ? bytes : 0;
        search->in[p] = is_mine ? bytes : 0;
    }
    TRY(comm_exchange(comm, search->found, search->out, search->came, search->in, error));
    if (is_mine) merge_results(search, here, id + first * k);
done:
    return status;
}

film_status flat_share_search(const struct flat_share *share, size_t k, int threads,
                              const film_progress *progress, uint32_t *id, film_error *error)
{
    film_status status = FILM_OK;
    struct share_search search;
    struct flat_queries all = {.count = share->mine.count};
    size_t done = 0, total = 0;
    if (share->comm->size == 1)
        return flat_search(&share->mine, &all, k, threads, progress, &(struct nearest){id, NULL, 0},
                           error);
    TRY(search_init(&search, share, k, error));
    for (int p = 0; p < share->comm->size; p++) total += search.rows[p];
    for (int owner = 0; owner < share->comm->size; owner++)
        for (size_t first = 0; first < search.rows[owner]; first += BLOCK) {
            size_t left = search.rows[owner] - first, here = left < BLOCK ? left : BLOCK;
            TRY(search_block(&search, owner, first, here, threads, id, error));
            done += here;
            TRY(progress_report(progress, "neighbours", (double)done, (double)total, error));
        }
done:
    share_search_free(&search);
    return status;
}

/* ---- Ranks ---- */

struct target_ranking {
    const struct flat_share *share;
    float *query, *target;                   /* BLOCK x dim */
    float *penalty;                          /* BLOCK: penalties of the targets */
    uint32_t *query_row, *target_row, *rank; /* BLOCK */
    size_t *better;
};

static void target_ranking_free(struct target_ranking *ranking)
{
    mem_free_aligned(ranking->query);
    mem_free_aligned(ranking->target);
    mem_free(ranking->penalty);
    mem_free(ranking->query_row);
    mem_free(ranking->target_row);
    mem_free(ranking->rank);
    mem_free(ranking->better);
}

static film_status target_ranking_init(struct target_ranking *ranking,
                                       const struct flat_share *share, film_error *error)
{
    film_status status = FILM_OK;
    size_t dim = share->mine.dim;
    *ranking = (struct target_ranking){.share = share};
    TRY_ALLOC((ranking->query = mem_aligned(BLOCK * dim, sizeof(float))) &&
                  (ranking->target = mem_aligned(BLOCK * dim, sizeof(float))) &&
                  (ranking->penalty = mem_array(BLOCK, sizeof(float))) &&
                  (ranking->query_row = mem_array(BLOCK, sizeof(uint32_t))) &&
                  (ranking->target_row = mem_array(BLOCK, sizeof(uint32_t))) &&
                  (ranking->rank = mem_array(BLOCK, sizeof(uint32_t))) &&
                  (ranking->better = mem_array(BLOCK, sizeof(size_t))),
              error);
done:
    return status;
}

/* Gives every process the vectors of HERE numbers: each process fills in its own among zeros, and
 * the sum is taken. PENALTY may be NULL. */
static film_status share_vectors(const struct flat_share *share, const uint32_t *number,
                                 size_t here, uint32_t *row, float *vectors, float *penalty,
                                 film_error *error)
{
    film_status status = FILM_OK;
    const struct flat *mine = &share->mine;
    memset(vectors, 0, here * mine->dim * sizeof *vectors);
    for (size_t i = 0; i < here; i++) {
        row[i] = flat_share_row(share, number[i]);
        if (penalty) penalty[i] = 0;
        if (row[i] == FLAT_NONE) continue;
        memcpy(vectors + i * mine->dim, mine->rows + row[i] * mine->dim,
               mine->dim * sizeof *vectors);
        if (penalty && mine->penalty) penalty[i] = mine->penalty[row[i]];
    }
    TRY(comm_sum_float(share->comm, vectors, here * mine->dim, error));
    if (penalty) TRY(comm_sum_float(share->comm, penalty, here, error));
done:
    return status;
}

film_status flat_share_rank(const struct flat_share *share, const struct flat_share_targets *wanted,
                            int threads, const film_progress *progress, uint32_t *rank,
                            film_error *error)
{
    film_status status = FILM_OK;
    struct target_ranking ranking;
    size_t count = wanted->count;
    if (share->comm->size == 1) {
        struct flat_queries queries = {.id = wanted->query, .count = wanted->count};
        struct flat_targets targets = {.id = wanted->target};
        return flat_rank(&share->mine, &queries, &targets, threads, progress, rank, error);
    }
    TRY(target_ranking_init(&ranking, share, error));
    for (size_t first = 0; first < count; first += BLOCK) {
        size_t here = count - first < BLOCK ? count - first : BLOCK;
        TRY(share_vectors(share, wanted->query + first, here, ranking.query_row, ranking.query,
                          NULL, error));
        TRY(share_vectors(share, wanted->target + first, here, ranking.target_row, ranking.target,
                          ranking.penalty, error));
        struct flat_queries queries = {ranking.query_row, here, ranking.query};
        struct flat_targets targets = {ranking.target_row, ranking.target, ranking.penalty};
        TRY(flat_rank(&share->mine, &queries, &targets, threads, NULL, ranking.rank, error));
        for (size_t i = 0; i < here; i++) ranking.better[i] = ranking.rank[i] - 1;
        TRY(comm_sum_counts(share->comm, ranking.better, here, error));
        for (size_t i = 0; i < here; i++) rank[first + i] = (uint32_t)ranking.better[i] + 1;
        TRY(progress_report(progress, "retrieval", (double)(first + here), (double)count, error));
    }
done:
    target_ranking_free(&ranking);
    return status;
}
