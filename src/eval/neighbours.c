/* Decides new pairs by pairwise kNN (Tang & Aw 2020): similar when each sentence is among the
 * other's k nearest. Neighbours come from the file itself and from a pool. It needs no labels;
 * knn.c measures the rule on labelled pairs. */
#include "base/mem.h"
#include "base/sized.h"
#include "base/strtab.h"
#include "base/threads.h"
#include "la/flat.h"
#include "model/model.h"
#include "text/table.h"
#include "film_train.h"

enum { CHUNK = 16384 }; /* sentences between two reports of progress */

struct neighbourhood {
    const film_neighbour_options *options;
    struct strtab sentences; /* distinct: those of the pairs, then those of the pool */
    uint32_t queries;        /* sentences of the pairs */
    uint32_t (*pair)[2];     /* by row */
    size_t rows, capacity;
    float *vectors;    /* sentences x dim, ready for inner products */
    float *penalty;    /* sentences */
    uint32_t *nearest; /* queries x k */
    size_t k;          /* at most the number of other sentences */
};

static void neighbourhood_free(struct neighbourhood *n)
{
    strtab_free(&n->sentences);
    mem_free(n->pair);
    mem_free_aligned(n->vectors);
    mem_free(n->penalty);
    mem_free(n->nearest);
}

static film_status add_row(struct neighbourhood *n, const char *path, const film_row *row,
                           film_error *error)
{
    film_status status = FILM_OK;
    if (!row->b.bytes)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s has one sentence per row, but pairs need two; name the columns", path));
    TRY_ALLOC(mem_grow((void **)&n->pair, &n->capacity, n->rows + 1, sizeof *n->pair), error);
    TRY(strtab_add(&n->sentences, row->a.bytes, row->a.length, &n->pair[n->rows][0], error));
    TRY(strtab_add(&n->sentences, row->b.bytes, row->b.length, &n->pair[n->rows][1], error));
    n->rows++;
done:
    return status;
}

static film_status add_row_sentences(struct neighbourhood *n, const film_row *row,
                                     film_error *error)
{
    film_status status = FILM_OK;
    const film_text texts[] = {row->a, row->b, row->c};
    uint32_t id;
    for (int i = 0; i < 3; i++)
        if (texts[i].bytes)
            TRY(strtab_add(&n->sentences, texts[i].bytes, texts[i].length, &id, error));
done:
    return status;
}

/* Reads pairs, or the sentences of the pool. */
static film_status read_neighbour_file(struct neighbourhood *n, const char *path,
                                       const film_table_options *how, int pairs, film_error *error)
{
    film_status status = FILM_OK;
    film_table *table = NULL;
    film_row row;
    uint64_t rows = 0;
    TRY(table_open(path, how, &table, error));
    while ((status = film_table_next(table, &row, error)) == FILM_OK) {
        TRY(pairs ? add_row(n, path, &row, error) : add_row_sentences(n, &row, error));
        if (++rows % 65536 == 0)
            TRY(progress_report(&n->options->progress, "reading", film_table_progress(table), 1,
                                error));
    }
    if (status == FILM_END) status = FILM_OK;
done:
    film_table_close(table);
    return status;
}

static film_status embed(struct neighbourhood *n, const struct encoder *encoder, film_error *error)
{
    film_status status = FILM_OK;
    size_t dim = encoder_dim(encoder), count = n->sentences.count;
    int threads = threads_count(n->options->threads);
    film_text *texts = mem_array(CHUNK, sizeof *texts);
    TRY_ALLOC(texts && count <= SIZE_MAX / dim, error);
    TRY_ALLOC(n->vectors = mem_aligned(count * dim, sizeof *n->vectors), error);
    TRY_ALLOC(n->penalty = mem_zeroed(count, sizeof *n->penalty), error);
    for (size_t first = 0; first < count; first += CHUNK) {
        size_t here = count - first < CHUNK ? count - first : CHUNK;
        float *out = n->vectors + first * dim;
        for (size_t i = 0; i < here; i++)
            texts[i] = strtab_get(&n->sentences, (uint32_t)(first + i));
        TRY(encoder_embed_all(encoder, texts, here, threads, out, error));
        encoder_prepare(encoder, out, here, threads, n->penalty + first);
        TRY(progress_report(&n->options->progress, "embedding", (double)(first + here),
                            (double)count, error));
    }
done:
    mem_free(texts);
    return status;
}

static film_status search(struct neighbourhood *n, size_t dim, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = n->sentences.count, others = count ? count - 1 : 0;
    uint32_t *ids = mem_array(n->queries, sizeof *ids);
    n->k = n->options->k < others ? n->options->k : others;
    TRY_ALLOC(ids && (n->nearest = mem_array(n->queries * n->k, sizeof *n->nearest)), error);
    for (uint32_t i = 0; i < n->queries; i++) ids[i] = i;
    struct flat flat = {n->vectors, n->penalty, count, dim};
    if (n->k)
        TRY(flat_search(&flat, &(struct flat_queries){.id = ids, .count = n->queries}, n->k,
                        n->options->threads, &n->options->progress,
                        &(struct nearest){.id = n->nearest}, error));
done:
    mem_free(ids);
    return status;
}

/* The place of B among the neighbours of A, from 1; MOST when it is not there. */
static uint32_t neighbour_place(const struct neighbourhood *n, uint32_t a, uint32_t b,
                                uint32_t most)
{
    for (size_t i = 0; i < n->k; i++)
        if (n->nearest[a * n->k + i] == b) return (uint32_t)(i + 1);
    return most;
}

static uint32_t depth_of(const struct neighbourhood *n, uint32_t a, uint32_t b)
{
    uint32_t never = (uint32_t)n->options->k + 1;
    if (a == b) return 0;
    uint32_t forth = neighbour_place(n, a, b, never), back = neighbour_place(n, b, a, never);
    int larger = n->options->knn == FILM_KNN_MUTUAL ? forth > back : forth < back;
    return larger ? forth : back;
}

static film_status decide(struct neighbourhood *n, const film_model *model, const char *path,
                          uint32_t **depth, film_error *error)
{
    film_status status = FILM_OK;
    const film_neighbour_options *options = n->options;
    TRY(strtab_init(&n->sentences, error));
    TRY(read_neighbour_file(n, path, &options->table, 1, error));
    n->queries = n->sentences.count;
    if (options->pool) TRY(read_neighbour_file(n, options->pool, &options->pool_table, 0, error));
    TRY(embed(n, &model->encoder, error));
    TRY(search(n, encoder_dim(&model->encoder), error));
    TRY_ALLOC(*depth = mem_array(n->rows, sizeof **depth), error);
    for (size_t i = 0; i < n->rows; i++) (*depth)[i] = depth_of(n, n->pair[i][0], n->pair[i][1]);
done:
    return status;
}

film_status film_neighbours(const film_model *model, const char *path,
                            const film_neighbour_options *options, uint32_t **depth, size_t *rows,
                            film_error *error)
{
    enum { PAPER_K = 36, MOST_K = 10000 };
    film_neighbour_options with = {0};
    struct neighbourhood n = {.options = &with};
    if (!model || !path || !depth || !rows)
        return status_set(error, FILM_USAGE, "model, path, depth or rows is NULL");
    *depth = NULL;
    film_status status =
        sized_options(&with, sizeof with, options, "film_neighbour_options", error);
    if (status != FILM_OK) return status;
    if (!with.k) with.k = PAPER_K;
    if (with.k > MOST_K || with.knn >= FILM_KNN_COUNT)
        return status_set(error, FILM_USAGE, "k %zu: choose a number from 1 to %d", with.k, MOST_K);
    if (!encoder_dim(&model->encoder))
        return status_set(error, FILM_USAGE,
                          "neighbours need vectors, and this model has none; train it with another "
                          "method than tfidf");
    status = decide(&n, model, path, depth, error);
    *rows = n.rows;
    neighbourhood_free(&n);
    return status;
}
