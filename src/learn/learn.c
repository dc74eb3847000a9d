/* The table of methods, and code shared by the methods on top of an SVD. LSA (Deerwester et al.
 * 1990), the simplest map, is here too. train/train.c chooses the method and the rows. */
#include "learn/learn.h"
#include "base/mem.h"
#include "la/openmp.h"
#include "base/threads.h"
#include "la/spread.h"

#include <string.h>

void learned_map_free(struct learned_map *learned)
{
    mem_free(learned->map);
    mem_free(learned->sigma);
    *learned = (struct learned_map){0};
}

film_status learn_checkpointer(const struct learn_input *input, uint64_t start,
                               const struct checkpointer **out, film_error *error)
{
    const struct checkpointing *checkpointing = input->checkpointing;
    *out = NULL;
    return checkpointing ? checkpointing->open(checkpointing->user, start, out, error) : FILM_OK;
}

void learned_map_stopped(struct learned_map *learned, const struct checkpointer *checkpointer,
                         size_t done, size_t total, const char *steps)
{
    film_error why = {.message = ""};
    film_status failed = checkpointer && checkpointer->problem
                             ? checkpointer->problem(checkpointer->user, &why)
                             : FILM_OK;
    learned->interrupted = failed ? failed : FILM_CANCELLED;
    status_set(&learned->interruption, learned->interrupted, "stopped after %zu of %zu %s%s%s",
               done, total, steps, failed ? ": " : "", failed ? why.message : "");
}

/* ---- Singular value decomposition ---- */

size_t learn_inputs(const struct learn_input *input)
{
    return input->network ? input->network->dim : input->x->cols;
}

struct encoder learn_projection(const struct learn_input *input, const struct svd *svd)
{
    struct encoder words = {.features = input->features, .map = svd->u, .dim = svd->rank};
    struct encoder network = {.features = input->features,
                              .network = input->network,
                              .network_map = svd->u,
                              .network_dim = svd->rank};
    return input->network ? network : words;
}

film_status learn_factorise(const struct learn_input *input, struct svd *svd,
                            struct learned_map *out, film_error *error)
{
    film_status status = FILM_OK;
    const film_train_options *options = input->options;
    struct svd_options wanted = {.rank = options->rank,
                                 .seed = options->seed,
                                 .threads = openmp_use(options->threads),
                                 .progress = options->progress,
                                 .comm = input->corpus->comm};
    TRY(input->network ? svd_dense(input->encoded, input->corpus->sentences.count,
                                   learn_inputs(input), &wanted, svd, error)
                       : svd_compute(input->x, &wanted, svd, error));
    TRY_ALLOC(out->sigma = mem_array(svd->rank, sizeof *out->sigma), error);
    memcpy(out->sigma, svd->sigma, svd->rank * sizeof *out->sigma);
    out->rank = svd->rank;
    out->dim = input->dim < svd->rank ? input->dim : svd->rank;
    training_log_count(input->log, "svd_basis", svd->basis);
    training_log_note(input->log, "svd_residual", json_real(svd->residual));
    training_log_phase(input->log, "svd");
done:
    return status;
}

/* LSA: L = U', the projection onto the strongest directions of the text. */
film_status learn_svd(const struct learn_input *input, struct learned_map *out, film_error *error)
{
    film_status status = FILM_OK;
    struct svd svd = {0};
    float *mine = NULL;
    TRY(learn_factorise(input, &svd, out, error));
    size_t features = learn_inputs(input), dim = out->dim;
    TRY_ALLOC((out->map = mem_array(features * dim, sizeof(float))) &&
                  (mine = mem_array(svd.u_rows * dim, sizeof *mine)),
              error);
    for (size_t i = 0; i < svd.u_rows; i++)
        memcpy(mine + i * dim, svd.u + i * svd.rank, dim * sizeof *mine);
    TRY(spread_gather(input->corpus->comm, features, dim, mine, out->map, error));
done:
    svd_free(&svd);
    mem_free(mine);
    return status;
}

/* No map: the features are the vectors. */
film_status learn_tfidf(const struct learn_input *input, struct learned_map *out, film_error *error)
{
    (void)input;
    (void)out;
    (void)error;
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
    /* Options were checked before, so FILM_USAGE here means unsuitable labels. */
    return status == FILM_USAGE ? FILM_BAD_INPUT : status;
}
