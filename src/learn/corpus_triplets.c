/* Converts the rows of a corpus to the input of triplets.c. */
#include "learn/corpus_triplets.h"
#include "base/mem.h"
#include "learn/hard_negatives.h"

#include <math.h>

void corpus_score_range(const struct corpus *corpus, float range[2])
{
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (size_t i = 0; i < corpus->rows; i++) {
        range[0] = fminf(range[0], corpus->label[i]);
        range[1] = fmaxf(range[1], corpus->label[i]);
    }
}

int corpus_same(film_labels labels, float label, const float range[2])
{
    if (labels != FILM_LABELS_SCORES) return label >= 0.5f;
    float share = range[1] > range[0] ? (label - range[0]) / (range[1] - range[0]) : 0.0f;
    return share >= 0.8f ? 1 : share <= 0.5f ? 0 : -1;
}

static film_status from_pairs(const struct corpus *corpus, const float range[2],
                              const struct triplet_options *options, struct triplets *out,
                              film_error *error)
{
    size_t count = 0;
    struct triplet_pair *pairs = mem_array(corpus->rows, sizeof *pairs);
    if (!pairs) return status_no_memory(error);
    for (size_t i = 0; i < corpus->rows; i++) {
        int same = corpus_same(corpus->labels, corpus->label[i], range);
        if (same >= 0)
            pairs[count++] = (struct triplet_pair){corpus->a[i], corpus->b[i], (uint32_t)same};
    }
    film_status status =
        triplets_from_pairs(corpus->sentences.count, pairs, count, options, out, error);
    mem_free(pairs);
    return status;
}

/* A sentence with two categories keeps the first; the others are counted. */
static film_status from_categories(const struct corpus *corpus,
                                   const struct triplet_options *options, struct triplets *out,
                                   film_error *error)
{
    size_t sentences = corpus->sentences.count, conflicts = 0;
    uint32_t *category = mem_array(sentences, sizeof *category);
    if (!category) return status_no_memory(error);
    for (size_t i = 0; i < sentences; i++) category[i] = TRIPLETS_NONE;
    for (size_t i = 0; i < corpus->rows; i++) {
        uint32_t *mine = &category[corpus->a[i]];
        if (*mine == TRIPLETS_NONE)
            *mine = corpus->category[i];
        else
            conflicts += *mine != corpus->category[i];
    }
    film_status status = triplets_from_categories(sentences, category, options, out, error);
    out->contradictions += conflicts;
    mem_free(category);
    return status;
}

static film_status from_triplets(const struct corpus *corpus, struct triplets *out,
                                 film_error *error)
{
    uint32_t(*rows)[3] = mem_array(corpus->rows, sizeof *rows);
    if (!rows) return status_no_memory(error);
    for (size_t i = 0; i < corpus->rows; i++) {
        rows[i][0] = corpus->a[i];
        rows[i][1] = corpus->b[i];
        rows[i][2] = corpus->c[i];
    }
    film_status status = triplets_from_triplets(corpus->sentences.count, (const uint32_t(*)[3])rows,
                                                corpus->rows, out, error);
    mem_free(rows);
    return status;
}

/* Neighbours by LSA: the rows of V Sigma, the first HARD_DIM columns. */
enum { HARD_DIM = 100, HARD_CHUNK = 16384, HARD_EXTRA = 8 };

static film_status find_hard(const struct corpus *corpus, const struct triplet_recipe *recipe,
                             struct triplet_options *options, uint32_t **neighbours,
                             film_error *error)
{
    film_status status = FILM_OK;
    size_t count = corpus->sentences.count, rank = recipe->rank;
    size_t dim = rank < HARD_DIM ? rank : HARD_DIM;
    /* Some of the nearest are in the anchor's own cluster and are skipped. */
    size_t width = options->hard + HARD_EXTRA;
    float *vectors = mem_array(count * dim, sizeof *vectors);
    TRY_ALLOC(vectors && (*neighbours = mem_array(count * width, sizeof **neighbours)), error);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < dim; j++)
            vectors[i * dim + j] = recipe->v[i * rank + j] * recipe->sigma[j];
    struct hard_search search = {.dim = dim,
                                 .chunk = HARD_CHUNK,
                                 .width = width,
                                 .seed = recipe->seed,
                                 .threads = recipe->threads,
                                 .progress = &recipe->progress};
    TRY(hard_negatives_find(&search, vectors, count, *neighbours, error));
    options->neighbours = *neighbours;
    options->neighbour_width = width;
done:
    mem_free(vectors);
    return status;
}

film_status corpus_triplets(const struct corpus *corpus, const struct triplet_recipe *recipe,
                            struct triplets *out, film_error *error)
{
    const film_solver_options *solver = recipe->solver;
    struct triplet_options options;
    uint32_t *neighbours = NULL;
    film_status status = FILM_OK;
    triplets_defaults(&options);
    options.positives = solver->positives;
    options.labelled = solver->labelled;
    options.hard = recipe->v ? solver->hard : 0;
    options.random = solver->random;
    options.seed = recipe->seed;
    if (options.hard && corpus->labels != FILM_LABELS_TRIPLETS)
        TRY(find_hard(corpus, recipe, &options, &neighbours, error));
    if (corpus->labels == FILM_LABELS_CATEGORIES)
        TRY(from_categories(corpus, &options, out, error));
    else if (corpus->labels == FILM_LABELS_TRIPLETS)
        TRY(from_triplets(corpus, out, error));
    else
        TRY(from_pairs(corpus, recipe->range, &options, out, error));
done:
    mem_free(neighbours);
    return status;
}
