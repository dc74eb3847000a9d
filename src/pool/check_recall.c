/* Measures the recall of the index of a pool: the nearest neighbours of samples are compared with
 * an exact scan over all vectors, in blocks. It evaluates the index only, not the decision. */
#include "pool/check.h"
#include "base/mem.h"
#include "base/threads.h"
#include "base/topk.h"
#include "embed/vec.h"
#include "pool/snapshot.h"

#include <math.h>
#include <string.h>

/* The NEAREST neighbours of each sample should be among the CANDIDATES of a search. One more, for
 * the sample itself. */
enum { NEAREST = 10, WIDE = NEAREST + 1, CANDIDATES = 100, BLOCK = 4096 };

/* One pass over all vectors of the pool, so that memory does not grow with it. */
struct exact {
    size_t dim, count; /* count: number of samples */
    int threads;
    float *query;    /* count x dim, of length 1 */
    int64_t *number; /* of the samples */
    float *score;    /* count x WIDE: the best so far; ids are positions in `seen` */
    uint32_t *id;
    struct topk *top;
    int64_t *seen; /* numbers in scan order */
    size_t seen_count, seen_capacity;
    float *block; /* BLOCK x dim */
    size_t blocked;
    film_status status;
    film_error *error;
};

/* Compares the vectors of the block with samples BEGIN .. END; each sample belongs to one
 * thread. */
static film_status offer_some(struct threads_worker *worker, void *user, film_error *error)
{
    struct exact *exact = user;
    size_t dim = exact->dim, first = exact->seen_count - exact->blocked, begin, end;
    (void)error;
    while (threads_next(worker, &begin, &end))
        for (size_t row = 0; row < exact->blocked; row++)
            for (size_t i = begin; i < end; i++) {
                double score = vec_dot(exact->query + i * dim, exact->block + row * dim, dim);
                topk_offer(&exact->top[i], (float)score, (uint32_t)(first + row));
            }
    return FILM_OK;
}

static film_status offer_block(struct exact *exact, film_error *error)
{
    enum { TILE = 8 }; /* samples that stay in the first-level cache during a block */
    film_status status = threads_for(exact->threads, exact->count, TILE, offer_some, exact, error);
    exact->blocked = 0;
    return status;
}

static int collect_vector(void *user, const struct store_change *change)
{
    struct exact *exact = user;
    void *seen = exact->seen;
    if (change->removed || !change->vector) return 0;
    if (!mem_grow(&seen, &exact->seen_capacity, exact->seen_count + 1, sizeof *exact->seen)) {
        exact->status = status_no_memory(exact->error);
        return 1;
    }
    exact->seen = seen;
    exact->seen[exact->seen_count++] = change->number;
    float *row = exact->block + exact->blocked++ * exact->dim;
    memcpy(row, change->vector, exact->dim * sizeof *row);
    vec_normalise(row, exact->dim);
    if (exact->blocked == BLOCK) exact->status = offer_block(exact, exact->error);
    return exact->status != FILM_OK;
}

static film_status exact_init(struct exact *exact, size_t samples, film_error *error)
{
    film_status status = FILM_OK;
    exact->error = error;
    TRY_ALLOC((exact->query = mem_array(samples, exact->dim * sizeof(float))) &&
                  (exact->number = mem_array(samples, sizeof *exact->number)) &&
                  (exact->score = mem_array(samples, WIDE * sizeof(float))) &&
                  (exact->id = mem_array(samples, WIDE * sizeof(uint32_t))) &&
                  (exact->top = mem_array(samples, sizeof *exact->top)) &&
                  (exact->block = mem_array(BLOCK, exact->dim * sizeof(float))),
              error);
    for (size_t i = 0; i < samples; i++)
        exact->top[i] = topk_over(exact->score + i * WIDE, exact->id + i * WIDE, WIDE);
done:
    return status;
}

static void exact_free(struct exact *exact)
{
    mem_free(exact->query);
    mem_free(exact->number);
    mem_free(exact->score);
    mem_free(exact->id);
    mem_free(exact->top);
    mem_free(exact->seen);
    mem_free(exact->block);
}

/* Draws samples spread over the pool; those without a known word have no neighbours. */
static film_status draw_queries(struct checking *checking, const struct pool_snapshot *snapshot,
                                size_t samples, struct exact *exact, film_error *error)
{
    film_status status = FILM_OK;
    struct store_sentence sentence;
    int found;
    for (size_t i = 0; i < samples; i++) {
        float *query = exact->query + exact->count * exact->dim;
        int64_t number = snapshot->numbers[i * snapshot->count / samples];
        TRY(store_find_number(checking->db, number, &sentence, &found, error));
        if (!found) continue;
        TRY(encoder_embed_all(&checking->model->encoder, &sentence.fields.text, 1, 1, query,
                              error));
        if (!(vec_normalise(query, exact->dim) > 0)) continue;
        exact->number[exact->count++] = number;
    }
done:
    return status;
}

/* Counts the nearest neighbours of sample I that the index finds, and WANTED, their number. */
static film_status count_found(const struct pool_snapshot *snapshot,
                               struct index_searcher *searcher, struct exact *exact, size_t i,
                               size_t *hits, size_t *wanted, film_error *error)
{
    uint32_t id[CANDIDATES];
    float score[CANDIDATES];
    size_t others = 0;
    struct nearest found = {id, score, 0};
    film_status status = index_nearest(snapshot->index, searcher, exact->query + i * exact->dim,
                                       CANDIDATES, &found, error);
    topk_finish(&exact->top[i]);
    for (size_t n = 0; n < exact->top[i].count && others < NEAREST && status == FILM_OK; n++) {
        int64_t number = exact->seen[exact->top[i].id[n]];
        if (number == exact->number[i]) continue;
        others++;
        ++*wanted;
        for (size_t f = 0; f < found.found; f++)
            if (snapshot->numbers[id[f]] == number) {
                ++*hits;
                break;
            }
    }
    return status;
}

film_status check_recall(struct checking *checking, film_error *error)
{
    film_status status = FILM_OK;
    const struct pool_snapshot *snapshot = NULL;
    const film_pool_check_options *options = checking->options;
    struct exact exact = {.dim = checking->dim, .threads = threads_count(options->threads)};
    struct index_searcher *searcher = NULL;
    struct db *db = NULL;
    uint64_t upto;
    size_t hits = 0, wanted = 0;
    checking->result->recall = 1;
    if (exact.dim == 0) return FILM_OK; /* words alone are searched exactly */
    TRY(pool_read(checking->pool, &db, error));
    checking->db = db;
    TRY(snapshot_begin(checking->pool, checking->learned, db, options->threads, &options->progress,
                       &snapshot, error));
    size_t samples = options->recall < snapshot->count ? options->recall : snapshot->count;
    TRY(exact_init(&exact, samples, error));
    TRY(draw_queries(checking, snapshot, samples, &exact, error));
    TRY(store_scan_vectors(db, exact.dim, 0, collect_vector, &exact, &upto, error));
    TRY(exact.status);
    TRY(offer_block(&exact, error));
    TRY(index_searcher_new(snapshot->index, &searcher, error));
    for (size_t i = 0; i < exact.count; i++)
        TRY(count_found(snapshot, searcher, &exact, i, &hits, &wanted, error));
    checking->result->sampled = exact.count;
    if (wanted) checking->result->recall = (double)hits / (double)wanted;
done:
    if (snapshot) snapshot_end(checking->learned);
    index_searcher_free(searcher);
    exact_free(&exact);
    pool_read_end(checking->pool, db);
    checking->db = NULL;
    return status;
}
