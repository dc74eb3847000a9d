/* Validation accuracy of a map during training, for early stopping. The pairs are projected into
 * the basis of the SVD once; each map then needs one small product. */
#include "learn/judge.h"
#include "base/mem.h"
#include "la/openmp.h"
#include "la/dense.h"
#include "la/spread.h"
#include "learn/calibrate_fit.h"
#include "learn/features_fit.h"

#include <math.h>

/* Lists the sentences of this process's pairs by ascending id; with one process, all of them. */
static film_status list_sentences(struct judge *judge, const struct strtab *texts, film_text **list,
                                  film_error *error)
{
    film_status status = FILM_OK;
    int alone = judge->comm->size == 1;
    TRY_ALLOC((*list = mem_array(texts->count, sizeof **list)) &&
                  (judge->place = mem_array(texts->count, sizeof *judge->place)),
              error);
    for (size_t i = 0; i < texts->count; i++) judge->place[i] = alone ? 0 : STRTAB_NONE;
    for (size_t i = judge->first; i < judge->first + judge->own; i++)
        judge->place[judge->pairs.a[i]] = judge->place[judge->pairs.b[i]] = 0;
    for (uint32_t i = 0; i < texts->count; i++) {
        if (judge->place[i] == STRTAB_NONE) continue;
        judge->place[i] = (uint32_t)judge->sentences;
        (*list)[judge->sentences++] = strtab_get(texts, i);
    }
done:
    return status;
}

/* v = U'x of the sentences. In a job no process has all of U. */
static film_status project_sentences(struct judge *judge, const struct learn_input *input,
                                     const struct svd *svd, const film_text *list,
                                     film_error *error)
{
    film_status status = FILM_OK;
    struct csr x = {0};
    struct encoder whole = learn_projection(input, svd);
    if (judge->comm->size == 1)
        return encoder_embed_all(&whole, list, judge->sentences, input->options->threads, judge->v,
                                 error);
    TRY(features_matrix(input->features, list, judge->sentences, &x, error));
    TRY(spread_times(judge->comm, &x, svd->u, judge->rank, judge->threads, judge->v, error));
done:
    csr_free(&x);
    return status;
}

film_status judge_init(struct judge *judge, const struct learn_input *input, const struct svd *svd,
                       size_t dim, film_error *error)
{
    film_status status = FILM_OK;
    const film_train_options *options = input->options;
    film_text *list = NULL;
    *judge = (struct judge){.comm = input->corpus->comm,
                            .rank = svd->rank,
                            .dim = dim,
                            .kind = options->similarity,
                            .threads = openmp_use(options->threads)};
    TRY(labels_to_pairs(input->dev, LABELS_DRAWN, options->seed, &judge->pairs, error));
    judge->first = spread_first(judge->comm, judge->pairs.count);
    judge->own = spread_rows(judge->comm, judge->pairs.count);
    TRY(list_sentences(judge, &input->dev->sentences, &list, error));
    TRY_ALLOC((judge->v = mem_array(judge->sentences * judge->rank, sizeof(float))) &&
                  (judge->map = mem_array(judge->rank * judge->dim, sizeof(float))) &&
                  (judge->y = mem_array(judge->sentences * judge->dim, sizeof(float))) &&
                  (judge->similarity = mem_array(judge->own, sizeof(float))) &&
                  (judge->all = mem_array(judge->pairs.count, sizeof(float))),
              error);
    TRY(project_sentences(judge, input, svd, list, error));
    for (size_t j = 0; j < judge->rank; j++) {
        float scale = (float)pow((double)svd->sigma[j], -options->solver.power);
        for (size_t i = 0; i < judge->sentences; i++) judge->v[i * judge->rank + j] *= scale;
    }
done:
    mem_free(list);
    return status;
}

void judge_free(struct judge *judge)
{
    labelled_pairs_free(&judge->pairs);
    mem_free(judge->place);
    mem_free(judge->v);
    mem_free(judge->map);
    mem_free(judge->y);
    mem_free(judge->similarity);
    mem_free(judge->all);
    *judge = (struct judge){.place = NULL};
}

double judge_map(struct judge *judge, const double *p, const double *s)
{
    struct encoder compare = {.dim = judge->dim, .similarity = judge->kind};
    size_t d = judge->dim;
    double threshold, accuracy;
    for (size_t i = 0; i < judge->rank * d; i++) judge->map[i] = (float)(p[i] * sqrt(s[i % d]));
    dense_rows_times((struct dense_shape){judge->sentences, d, judge->rank}, judge->v, judge->rank,
                     judge->map, judge->y, judge->threads);
    for (size_t i = 0; i < judge->own; i++) {
        const float *a = judge->y + judge->place[judge->pairs.a[judge->first + i]] * d;
        const float *b = judge->y + judge->place[judge->pairs.b[judge->first + i]] * d;
        judge->similarity[i] = (float)encoder_similarity(&compare, a, b);
    }
    if (spread_gather(judge->comm, judge->pairs.count, 1, judge->similarity, judge->all, NULL) !=
            FILM_OK ||
        calibrate_threshold(judge->all, judge->pairs.target, judge->pairs.count, &threshold,
                            &accuracy, NULL) != FILM_OK)
        return 0; /* out of memory: never the best */
    return accuracy;
}
