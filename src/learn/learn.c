/* The table of methods, and code shared by the methods on top of an SVD. LSA (Deerwester et al.
 * 1990), the simplest map, is here too. train/train.c chooses the method and the rows. */
#include "learn/learn.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "base/threads.h"
#include "la/dense.h"

#include <math.h>
#include <string.h>

void learned_map_free(struct learned_map *learned)
{
    mem_free(learned->map);
    mem_free(learned->sigma);
    *learned = (struct learned_map){0};
}

/* ---- Singular value decomposition ---- */

size_t learn_inputs(const struct learn_input *input)
{
    return input->network ? input->network->dim : input->x->cols;
}

struct encoder learn_projection(const struct learn_input *input, const struct svd *svd)
{
    struct encoder words = {.features = input->features, .map.rows = svd->u, .dim = svd->rank};
    struct encoder network = {.features = input->features,
                              .network = input->network,
                              .network_map = svd->u,
                              .network_dim = svd->rank};
    return input->network ? network : words;
}

/* The SVD of the sentences' mean vectors X E, with U as a map of the words: E U. */
static film_status factorise_means(const struct learn_input *input,
                                   const struct svd_options *wanted, struct svd *svd,
                                   film_error *error)
{
    film_status status = FILM_OK;
    const struct word_vectors *words = input->word_vectors;
    size_t features = input->x->cols, width = words->width;
    float *means = mem_array(input->x->rows, width * sizeof *means), *u = NULL;
    TRY_ALLOC(means, error);
    csr_times(input->x, words->rows, width, wanted->threads, means);
    TRY(svd_dense(means, input->x->rows, width, wanted, svd, error));
    TRY_ALLOC(u = mem_array(features, svd->rank * sizeof *u), error);
    dense_rows_times((struct dense_shape){features, svd->rank, width}, words->rows, width, svd->u,
                     u, wanted->threads);
    mem_free(svd->u);
    svd->u = u;
done:
    mem_free(means);
    return status;
}

film_status learn_factorise(const struct learn_input *input, struct svd *svd,
                            struct learned_map *out, film_error *error)
{
    film_status status = FILM_OK;
    const film_train_options *options = input->options;
    struct svd_options wanted = {.rank = options->rank,
                                 .seed = options->seed,
                                 .threads = threads_count(options->threads),
                                 .progress = options->progress};
    if (input->network)
        TRY(svd_dense(input->encoded, input->corpus->sentences.count, learn_inputs(input), &wanted,
                      svd, error));
    else
        TRY(input->word_vectors ? factorise_means(input, &wanted, svd, error)
                                : svd_compute(input->x, &wanted, svd, error));
    TRY_ALLOC(out->sigma = mem_array(svd->rank, sizeof *out->sigma), error);
    memcpy(out->sigma, svd->sigma, svd->rank * sizeof *out->sigma);
    out->rank = svd->rank;
    out->dim = input->dim < svd->rank ? input->dim : svd->rank;
    training_log_count(input->log, "svd_basis", svd->basis);
    training_log_note(input->log, "svd_residual", jsonfile_number(svd->residual));
    training_log_phase(input->log, "svd");
done:
    return status;
}

/* LSA: L = U', the projection onto the strongest directions of the text. */
film_status learn_svd(const struct learn_input *input, struct learned_map *out, film_error *error)
{
    film_status status = FILM_OK;
    struct svd svd = {0};
    TRY(learn_factorise(input, &svd, out, error));
    size_t features = learn_inputs(input), dim = out->dim;
    TRY_ALLOC(out->map = mem_array(features * dim, sizeof(float)), error);
    for (size_t i = 0; i < features; i++)
        memcpy(out->map + i * dim, svd.u + i * svd.rank, dim * sizeof *out->map);
done:
    svd_free(&svd);
    return status;
}

/* No map: the features are the vectors. With vectors of the words: their weighted mean. */
film_status learn_tfidf(const struct learn_input *input, struct learned_map *out, film_error *error)
{
    const struct word_vectors *words = input->word_vectors;
    if (!words) return FILM_OK;
    size_t bytes = input->x->cols * words->width * sizeof *words->rows;
    out->map = mem_array(bytes, 1);
    out->dim = words->width;
    if (!out->map) return status_no_memory(error);
    memcpy(out->map, words->rows, bytes);
    return FILM_OK;
}

/* ---- The table of methods ---- */

static const struct {
    struct learn_defaults defaults;
    learn_method learn;
} methods[FILM_METHOD_COUNT] = {
    [FILM_METHOD_TFIDF] = {{"tfidf", FILM_WORD, 0}, learn_tfidf},
    [FILM_METHOD_SVD] = {{"svd", FILM_WORD, 0}, learn_svd},
    [FILM_METHOD_FILM] = {{"film", FILM_WORD, 100}, learn_film},
    [FILM_METHOD_MFILM] = {{"mfilm", FILM_WORD, 100}, learn_mfilm},
    [FILM_METHOD_RANK] = {{"rank", FILM_WORD | FILM_CHAR, 200}, learn_rank},
    [FILM_METHOD_DEEP] = {{"deep", FILM_WORD, 0}, learn_deep},
};

const struct learn_defaults *learn_defaults(film_method method)
{
    return &methods[method].defaults;
}

int learn_uses_labels(film_method method)
{
    return method == FILM_METHOD_RANK || method == FILM_METHOD_FILM;
}

film_status learn_map(const struct learn_input *input, struct learned_map *out, film_error *error)
{
    film_status status = methods[input->method].learn(input, out, error);
    size_t values = out->map ? learn_inputs(input) * out->dim : 0;
    for (size_t i = 0; status == FILM_OK && i < values; i++)
        if (!isfinite(out->map[i]))
            return status_set(error, FILM_BAD_INPUT,
                              "training diverged: the map has values that are not finite; train "
                              "again with other options");
    /* Options were checked before, so FILM_USAGE here means unsuitable labels. */
    return status == FILM_USAGE ? FILM_BAD_INPUT : status;
}
