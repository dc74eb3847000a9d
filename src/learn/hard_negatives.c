/* Exact nearest neighbours within random chunks of the sentences. triplets.c, which knows the
 * clusters, decides which of them are negatives. */
#include "learn/hard_negatives.h"
#include "base/mem.h"
#include "base/rng.h"
#include "embed/vec.h"
#include "la/flat.h"

#include <string.h>

static void shuffle(uint32_t *ids, const uint32_t *order, size_t count, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    for (size_t i = 0; i < count; i++) ids[i] = order ? order[i] : (uint32_t)i;
    for (size_t i = count; i > 1; i--) {
        size_t j = rng_below(&rng, i);
        uint32_t swap = ids[i - 1];
        ids[i - 1] = ids[j];
        ids[j] = swap;
    }
}

struct searching {
    const struct corpus *corpus;
    const float *vectors; /* own sentences x dim */
    size_t dim, width;
    int threads;
    /* Of a chunk: this process's vectors; those of all, by process; those of all, in its order. */
    float *mine, *came, *rows;
    uint32_t *at; /* this process's positions in the chunk */
    uint32_t *found;
    size_t *sizes, *next; /* per process: bytes in the chunk; position of its next row in CAME */
};

static void chunk_search_free(struct searching *s)
{
    mem_free(s->mine);
    mem_free(s->came);
    mem_free_aligned(s->rows);
    mem_free(s->at);
    mem_free(s->found);
    mem_free(s->sizes);
    mem_free(s->next);
}

static film_status chunk_search_init(struct searching *s, size_t chunk, film_error *error)
{
    film_status status = FILM_OK;
    size_t processes = (size_t)s->corpus->comm->size, row = s->dim * sizeof(float);
    TRY_ALLOC((s->mine = mem_array(chunk, row)) && (s->came = mem_array(chunk, row)) &&
                  (s->rows = mem_aligned(chunk, row)) &&
                  (s->at = mem_array(chunk, sizeof *s->at)) &&
                  (s->found = mem_array(chunk * s->width, sizeof *s->found)) &&
                  (s->sizes = mem_array(processes, sizeof *s->sizes)) &&
                  (s->next = mem_array(processes, sizeof *s->next)),
              error);
done:
    return status;
}

/* Gathers the vectors of IDS[0 .. count), of which this process has *OWN. */
static film_status gather_vectors(struct searching *s, const uint32_t *ids, size_t count,
                                  size_t *own, film_error *error)
{
    const struct corpus *corpus = s->corpus;
    size_t dim = s->dim, processes = (size_t)corpus->comm->size;
    memset(s->sizes, 0, processes * sizeof *s->sizes);
    *own = 0;
    for (size_t i = 0; i < count; i++) {
        int owner = corpus_owner(corpus, ids[i]);
        s->sizes[owner] += dim * sizeof *s->mine;
        if (owner != corpus->comm->rank) continue;
        memcpy(s->mine + *own * dim, s->vectors + (ids[i] - corpus_first(corpus)) * dim,
               dim * sizeof *s->mine);
        s->at[(*own)++] = (uint32_t)i;
    }
    film_status status = comm_gather(corpus->comm, s->mine, s->came, s->sizes, error);
    if (status != FILM_OK) return status;
    s->next[0] = 0;
    for (size_t p = 1; p < processes; p++)
        s->next[p] = s->next[p - 1] + s->sizes[p - 1] / sizeof *s->came;
    for (size_t i = 0; i < count; i++) {
        size_t *next = &s->next[corpus_owner(corpus, ids[i])];
        memcpy(s->rows + i * dim, s->came + *next, dim * sizeof *s->rows);
        *next += dim;
    }
    return FILM_OK;
}

/* Finds the neighbours of this process's sentences in IDS[0 .. count) among all of them and writes
 * them to their rows of NEIGHBOURS. */
static film_status search_chunk(struct searching *s, const uint32_t *ids, size_t count,
                                uint32_t *neighbours, film_error *error)
{
    film_status status = FILM_OK;
    size_t width = s->width, own;
    TRY(gather_vectors(s, ids, count, &own, error));
    struct flat base = {s->rows, NULL, count, s->dim};
    struct flat_queries mine = {.id = s->at, .count = own};
    TRY(flat_search(&base, &mine, width, s->threads, NULL, &(struct nearest){s->found, NULL, 0},
                    error));
    for (size_t i = 0; i < own; i++) {
        uint32_t *to = neighbours + (ids[s->at[i]] - corpus_first(s->corpus)) * width;
        for (size_t j = 0; j < width; j++) {
            uint32_t id = s->found[i * width + j];
            to[j] = id == FLAT_NONE ? FLAT_NONE : ids[id];
        }
    }
done:
    return status;
}

film_status hard_negatives_find(const struct corpus *corpus, const struct hard_search *wanted,
                                float *vectors, uint32_t *neighbours, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = corpus_all(corpus), dim = wanted->dim;
    size_t chunk = wanted->chunk < count ? wanted->chunk : count;
    size_t chunks = chunk ? (count + chunk - 1) / chunk : 0;
    struct searching search = {.corpus = corpus,
                               .vectors = vectors,
                               .dim = dim,
                               .width = wanted->width,
                               .threads = wanted->threads};
    uint32_t *ids = mem_array(count, sizeof *ids);
    TRY_ALLOC(ids, error);
    TRY(chunk_search_init(&search, chunk, error));
    shuffle(ids, wanted->order, count, wanted->seed);
    for (size_t i = 0; i < corpus->sentences.count; i++) vec_normalise(vectors + i * dim, dim);
    for (size_t c = 0; c < chunks; c++) { /* of about equal size */
        size_t first = c * count / chunks, end = (c + 1) * count / chunks;
        TRY(search_chunk(&search, ids + first, end - first, neighbours, error));
        TRY(progress_report(wanted->progress, "hard negatives", (double)(c + 1), (double)chunks,
                            error));
    }
done:
    chunk_search_free(&search);
    mem_free(ids);
    return status;
}
