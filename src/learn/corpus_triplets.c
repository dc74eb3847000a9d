/* Converts the rows of a corpus to the input of triplets.c. In a job, draws use a sentence's
 * position in the rows, so that they are the same for every number of processes. */
#include "learn/corpus_triplets.h"
#include "base/mem.h"
#include "learn/corpus_share.h"
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

/* Sentences by their position in the rows (corpus_order), so that every job draws the same
 * triplets. All are NULL in a job of one process, where positions are the ids. */
struct positions {
    uint32_t *order;  /* id of the sentence at a position */
    uint32_t *number; /* position of a sentence */
    uint32_t *row;    /* of a position, for struct triplet_options */
};

static void positions_free(struct positions *places)
{
    mem_free(places->order);
    mem_free(places->number);
    mem_free(places->row);
}

static film_status positions_init(struct positions *places, const struct corpus *corpus,
                                  film_error *error)
{
    film_status status = FILM_OK;
    size_t all = corpus_all(corpus), first = corpus_first(corpus);
    if (!corpus->starts) return FILM_OK;
    TRY(corpus_order(corpus, &places->order, error));
    TRY_ALLOC((places->number = mem_array(all, sizeof(uint32_t))) &&
                  (places->row = mem_array(all, sizeof(uint32_t))),
              error);
    for (uint32_t i = 0; i < all; i++) {
        uint32_t id = places->order[i];
        int own = id >= first && id - first < corpus->sentences.count;
        places->number[id] = i;
        places->row[i] = own ? id - (uint32_t)first : TRIPLETS_NONE;
    }
done:
    return status;
}

static uint32_t position_of(const struct positions *places, uint32_t id)
{
    return places->number && id != TRIPLETS_NONE ? places->number[id] : id;
}

/* Converts positions back to ids and finds each anchor's index among those of all processes. */
static film_status to_numbers(const struct positions *places, const struct corpus *corpus,
                              struct triplets *t, film_error *error)
{
    film_status status = FILM_OK;
    void *all = NULL;
    size_t *sizes = NULL, total = 0;
    uint32_t *rank = NULL;
    if (!corpus->starts) return FILM_OK;
    TRY(comm_gather_all(corpus->comm, t->anchor, t->anchors * sizeof *t->anchor, &all, &sizes,
                        error));
    for (int p = 0; p < corpus->comm->size; p++) total += sizes[p] / sizeof *t->anchor;
    TRY_ALLOC((rank = mem_zeroed(corpus_all(corpus) + 1, sizeof *rank)) &&
                  (t->place = mem_array(t->anchors, sizeof *t->place)),
              error);
    for (size_t i = 0; i < total; i++) rank[((const uint32_t *)all)[i] + 1] = 1;
    for (size_t i = 0; i < corpus_all(corpus); i++) rank[i + 1] += rank[i];
    for (size_t a = 0; a < t->anchors; a++) {
        t->place[a] = rank[t->anchor[a]];
        t->anchor[a] = places->order[t->anchor[a]];
    }
    for (size_t i = 0; i < t->count; i++) {
        t->similar[i] = places->order[t->similar[i]];
        t->dissimilar[i] = places->order[t->dissimilar[i]];
    }
done:
    mem_free(all);
    mem_free(sizes);
    mem_free(rank);
    return status;
}

static film_status from_pairs(const struct corpus *corpus, const float range[2],
                              const struct positions *places, const struct triplet_options *options,
                              struct triplets *out, film_error *error)
{
    size_t count = 0;
    struct triplet_pair *pairs = mem_array(corpus->rows, sizeof *pairs);
    if (!pairs) return status_no_memory(error);
    for (size_t i = 0; i < corpus->rows; i++) {
        int same = corpus_same(corpus->labels, corpus->label[i], range);
        if (same >= 0)
            pairs[count++] =
                (struct triplet_pair){position_of(places, corpus->a[i]),
                                      position_of(places, corpus->b[i]), (uint32_t)same};
    }
    film_status status = triplets_from_pairs(corpus_all(corpus), pairs, count, options, out, error);
    mem_free(pairs);
    return status;
}

/* A sentence with two categories keeps the first; the others are counted. */
static film_status from_categories(const struct corpus *corpus, const struct positions *places,
                                   const struct triplet_options *options, struct triplets *out,
                                   film_error *error)
{
    size_t sentences = corpus_all(corpus), conflicts = 0;
    uint32_t *category = mem_array(sentences, sizeof *category);
    if (!category) return status_no_memory(error);
    for (size_t i = 0; i < sentences; i++) category[i] = TRIPLETS_NONE;
    for (size_t i = 0; i < corpus->rows; i++) {
        uint32_t *mine = &category[position_of(places, corpus->a[i])];
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

/* Takes the rows whose first sentence this process owns. */
static film_status from_triplets(const struct corpus *corpus, const struct positions *places,
                                 struct triplets *out, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = 0, first = corpus_first(corpus);
    uint32_t(*rows)[3] = mem_array(corpus->rows, sizeof *rows);
    TRY_ALLOC(rows, error);
    for (size_t i = 0; i < corpus->rows; i++) {
        if (corpus->a[i] < first || corpus->a[i] - first >= corpus->sentences.count) continue;
        rows[count][0] = position_of(places, corpus->a[i]);
        rows[count][1] = position_of(places, corpus->b[i]);
        rows[count++][2] = position_of(places, corpus->c[i]);
    }
    TRY(triplets_from_triplets(corpus_all(corpus), (const uint32_t(*)[3])rows, count, out, error));
    TRY(comm_sum_counts(corpus->comm, &out->contradictions, 1, error));
done:
    mem_free(rows);
    return status;
}

/* Neighbours by LSA: the rows of V Sigma, the first HARD_DIM columns. */
enum { HARD_DIM = 100, HARD_CHUNK = 16384, HARD_EXTRA = 8 };

static film_status find_hard(const struct corpus *corpus, const struct triplet_recipe *recipe,
                             const struct positions *places, struct triplet_options *options,
                             uint32_t **neighbours, film_error *error)
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
    struct hard_search search = {.order = places->order,
                                 .dim = dim,
                                 .chunk = HARD_CHUNK,
                                 .width = width,
                                 .seed = recipe->seed,
                                 .threads = recipe->threads,
                                 .progress = &recipe->progress};
    TRY(hard_negatives_find(corpus, &search, vectors, *neighbours, error));
    for (size_t i = 0; i < count * width; i++)
        (*neighbours)[i] = position_of(places, (*neighbours)[i]);
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
    struct positions places = {0};
    film_status status = FILM_OK;
    TRY(positions_init(&places, corpus, error));
    triplets_defaults(&options);
    options.positives = solver->positives;
    options.labelled = solver->labelled;
    options.hard = recipe->v ? solver->hard : 0;
    options.random = solver->random;
    options.seed = recipe->seed;
    options.row = places.row;
    if (options.hard && corpus->labels != FILM_LABELS_TRIPLETS)
        TRY(find_hard(corpus, recipe, &places, &options, &neighbours, error));
    if (corpus->labels == FILM_LABELS_CATEGORIES)
        TRY(from_categories(corpus, &places, &options, out, error));
    else if (corpus->labels == FILM_LABELS_TRIPLETS)
        TRY(from_triplets(corpus, &places, out, error));
    else
        TRY(from_pairs(corpus, recipe->range, &places, &options, out, error));
    TRY(to_numbers(&places, corpus, out, error));
done:
    positions_free(&places);
    mem_free(neighbours);
    return status;
}
