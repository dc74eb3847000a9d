/* Candidate search in a job: every process sends its queries to all others, receives the nearest of
 * each share, and chooses. Scoring is in candidates.c. */
#include "base/mem.h"
#include "base/mailbox.h"
#include "base/threads.h"
#include "dedup/candidates.h"
#include "dedup/round_robin.h"

#include <string.h>

/* Limits of a round: results, and own queries. */
enum { ROOM = 1 << 16, LEAST = 16 };

struct round {
    const struct candidates *search;
    const struct index *index;
    const film_text *queries; /* of this process, in this round */
    size_t count, first;      /* `first`: local index of queries[0] */
    int own;
    size_t k, dim; /* k of a result, including the sentence itself */
    struct index_searcher **searchers;
    struct mailbox questions, answers;
    film_text *texts; /* of all processes, in this round */
    float *vectors;
    int *from;
    size_t all, texts_capacity, vectors_capacity, from_capacity;
    struct index_near *near; /* all x 2 k */
    size_t *found;
    size_t near_capacity, found_capacity;
    film_text *came; /* processes x count: struct index_near, as bytes */
    struct index_near *merged;
    struct index_candidate *chosen; /* by thread */
    uint32_t *lists;
};

static void round_free(struct round *round)
{
    for (int i = 0; round->searchers && i < round->search->threads; i++)
        index_searcher_free(round->searchers[i]);
    mem_free(round->searchers);
    mailbox_free(&round->questions);
    mailbox_free(&round->answers);
    mem_free(round->texts);
    mem_free(round->vectors);
    mem_free(round->from);
    mem_free(round->near);
    mem_free(round->found);
    mem_free(round->came);
    mem_free(round->merged);
    mem_free(round->chosen);
}

typedef film_status (*round_work)(struct round *round, int thread, size_t i, film_error *error);

struct round_loop {
    struct round *round;
    round_work work;
};

static film_status work_some(struct threads_worker *worker, void *user, film_error *error)
{
    const struct round_loop *loop = user;
    film_status status = FILM_OK;
    size_t begin, end;
    while (threads_next(worker, &begin, &end))
        for (size_t i = begin; i < end; i++) TRY(loop->work(loop->round, worker->number, i, error));
done:
    return status;
}

/* Runs WORK for 0 .. COUNT in parallel. */
static film_status for_all(struct round *round, size_t count, round_work work, film_error *error)
{
    struct round_loop loop = {round, work};
    return threads_for(round->search->threads, count, 16, work_some, &loop, error);
}

static film_status embed_query(struct round *round, int thread, size_t i, film_error *error)
{
    return index_vector(round->index, round->searchers[thread], round->queries[i],
                        round->vectors + i * round->dim, error);
}

static film_status search_share(struct round *round, int thread, size_t i, film_error *error)
{
    struct index_query query = {.text = round->texts[i],
                                .vector = round->dim ? round->vectors + i * round->dim : NULL,
                                .k = round->k};
    return index_near(round->index, round->searchers[thread], &query,
                      round->near + i * 2 * round->k, &round->found[i], error);
}

static film_status choose_nearest(struct round *round, int thread, size_t i, film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = round->search->comm;
    size_t k = round->search->k, count = 0, found = 0, taken = 0;
    struct index_near *merged = round->merged + (size_t)thread * 2 * round->k * (size_t)comm->size;
    struct index_candidate *chosen = round->chosen + (size_t)thread * round->k;
    uint32_t *list = round->lists + i * k;
    uint32_t self = round_robin_number(comm, comm->rank, round->first + i);
    for (int p = 0; p < comm->size; p++) {
        film_text came = round->came[(size_t)p * round->count + i];
        size_t some = came.length / sizeof *merged;
        if (some) memcpy(merged + count, came.bytes, came.length);
        for (size_t c = count; c < count + some; c++)
            merged[c].id = round_robin_number(comm, p, merged[c].id);
        count += some;
    }
    struct index_query query = {.text = round->queries[i], .k = round->k};
    TRY(index_choose(round->searchers[thread], &query, merged, count, chosen, &found, error));
    for (size_t c = 0; c < found && taken < k; c++)
        if (!round->own || chosen[c].id != self) list[taken++] = chosen[c].id;
    while (taken < k) list[taken++] = CANDIDATES_NONE;
done:
    return status;
}

static int reserve_round(struct round *round, size_t all)
{
    void *texts = round->texts, *vectors = round->vectors, *from = round->from, *near = round->near,
         *found = round->found;
    int there =
        mem_grow(&texts, &round->texts_capacity, all + 1, sizeof *round->texts) &&
        mem_grow(&vectors, &round->vectors_capacity, all * round->dim + 1,
                 sizeof *round->vectors) &&
        mem_grow(&from, &round->from_capacity, all + 1, sizeof *round->from) &&
        mem_grow(&near, &round->near_capacity, all * 2 * round->k + 1, sizeof *round->near) &&
        mem_grow(&found, &round->found_capacity, all + 1, sizeof *round->found);
    round->texts = texts;
    round->vectors = vectors;
    round->from = from;
    round->near = near;
    round->found = found;
    return there;
}

/* Sends the queries of this round to all processes, including this one, and receives theirs. */
static film_status send_queries_to_all(struct round *round, film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = round->search->comm;
    TRY_ALLOC(reserve_round(round, round->count), error);
    TRY(encoder_expect(&round->search->model->encoder, round->queries, round->count,
                       round->search->threads, error));
    if (round->dim) TRY(for_all(round, round->count, embed_query, error));
    for (int p = 0; p < comm->size; p++)
        for (size_t i = 0; i < round->count; i++) {
            TRY(mailbox_put_text(&round->questions, p, round->queries[i], error));
            TRY(mailbox_put(&round->questions, p, round->vectors + i * round->dim,
                            round->dim * sizeof *round->vectors, error));
        }
    TRY(mailbox_send(&round->questions, error));
    for (round->all = 0; mailbox_next(&round->questions); round->all++) {
        TRY_ALLOC(reserve_round(round, round->all + 1), error);
        round->from[round->all] = round->questions.from;
        round->texts[round->all] = mailbox_get_text(&round->questions);
        mailbox_get(&round->questions, round->vectors + round->all * round->dim,
                    round->dim * sizeof *round->vectors);
    }
done:
    return status;
}

static film_status return_results(struct round *round, film_error *error)
{
    film_status status = FILM_OK;
    TRY(for_all(round, round->all, search_share, error));
    for (size_t i = 0; i < round->all; i++) {
        const struct index_near *near = round->near + i * 2 * round->k;
        film_text bytes = {(const char *)near, round->found[i] * sizeof *near};
        TRY(mailbox_put_text(&round->answers, round->from[i], bytes, error));
    }
    TRY(mailbox_send(&round->answers, error));
    mem_free(round->came);
    TRY_ALLOC(round->came =
                  mem_array((size_t)round->search->comm->size * round->count, sizeof *round->came),
              error);
    for (size_t i = 0; mailbox_next(&round->answers); i++)
        round->came[i] = mailbox_get_text(&round->answers);
    TRY(for_all(round, round->count, choose_nearest, error));
done:
    return status;
}

static film_status round_start(struct round *round, film_error *error)
{
    film_status status = FILM_OK;
    const struct candidates *search = round->search;
    const struct encoder *encoder = &search->model->encoder;
    size_t threads = (size_t)search->threads, processes = (size_t)search->comm->size;
    round->k = search->k + (round->own != 0);
    round->dim = encoder_has_vectors(encoder) ? encoder_dim(encoder) : 0;
    TRY(mailbox_init(&round->questions, search->comm, error));
    TRY(mailbox_init(&round->answers, search->comm, error));
    TRY_ALLOC(round->searchers = mem_zeroed(threads, sizeof(struct index_searcher *)), error);
    for (size_t i = 0; i < threads; i++)
        TRY(index_searcher_new(round->index, &round->searchers[i], error));
    TRY_ALLOC(round->merged = mem_array(threads * 2 * round->k * processes, sizeof *round->merged),
              error);
    TRY_ALLOC(round->chosen = mem_array(threads * round->k, sizeof *round->chosen), error);
done:
    return status;
}

film_status candidates_find_in_job(const struct candidates *search, const struct index *index,
                                   const film_text *queries, size_t count, int own, uint32_t *lists,
                                   film_error *error)
{
    film_status status = FILM_OK;
    struct round round = {.search = search, .index = index, .own = own};
    size_t left = 1;
    TRY(round_start(&round, error));
    size_t some = ROOM / (2 * round.k * (size_t)search->comm->size) + LEAST;
    for (size_t first = 0; left; first += round.count) {
        round.first = first;
        round.queries = queries + first;
        round.lists = lists + first * search->k;
        round.count = count - first < some ? count - first : some;
        TRY(send_queries_to_all(&round, error));
        TRY(return_results(&round, error));
        if (own)
            TRY(progress_report(search->progress, "candidates", (double)(first + round.count),
                                (double)count, error));
        left = count - first - round.count;
        TRY(comm_sum_counts(search->comm, &left, 1, error));
    }
done:
    round_free(&round);
    return status;
}
