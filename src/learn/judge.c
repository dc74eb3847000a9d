/* Validation accuracy of a map during training, for early stopping. The pairs are projected into
 * the basis of the SVD once; each map then needs one small product. */
#include "learn/judge.h"
#include "base/mem.h"
#include "base/threads.h"
#include "la/dense.h"
#include "learn/calibrate_fit.h"

#include <math.h>

/* v = Sigma^-p U'x of all sentences. */
static film_status project_sentences(struct judge *judge, const struct learn_input *input,
                                     const struct svd *svd, film_error *error)
{
    film_status status = FILM_OK;
    const struct strtab *texts = &input->dev->sentences;
    struct encoder encoder = learn_projection(input, svd);
    film_text *list = mem_array(texts->count, sizeof *list);
    TRY_ALLOC(list, error);
    for (uint32_t i = 0; i < texts->count; i++) list[i] = strtab_get(texts, i);
    TRY(encoder_embed_all(&encoder, list, texts->count, input->options->threads, judge->v, error));
    for (size_t j = 0; j < judge->rank; j++) {
        float scale = (float)pow((double)svd->sigma[j], -input->options->solver.power);
        for (size_t i = 0; i < judge->sentences; i++) judge->v[i * judge->rank + j] *= scale;
    }
done:
    mem_free(list);
    return status;
}

film_status judge_init(struct judge *judge, const struct learn_input *input, const struct svd *svd,
                       size_t dim, film_error *error)
{
    film_status status = FILM_OK;
    const film_train_options *options = input->options;
    *judge = (struct judge){.sentences = input->dev->sentences.count,
                            .rank = svd->rank,
                            .dim = dim,
                            .kind = options->similarity,
                            .threads = threads_count(options->threads)};
    TRY(labels_to_pairs(input->dev, LABELS_DRAWN, options->seed, &judge->pairs, error));
    TRY_ALLOC((judge->v = mem_array(judge->sentences * judge->rank, sizeof(float))) &&
                  (judge->map = mem_array(judge->rank * judge->dim, sizeof(float))) &&
                  (judge->y = mem_array(judge->sentences * judge->dim, sizeof(float))) &&
                  (judge->similarity = mem_array(judge->pairs.count, sizeof(float))),
              error);
    TRY(project_sentences(judge, input, svd, error));
done:
    return status;
}

void judge_free(struct judge *judge)
{
    labelled_pairs_free(&judge->pairs);
    mem_free(judge->v);
    mem_free(judge->map);
    mem_free(judge->y);
    mem_free(judge->similarity);
    *judge = (struct judge){.v = NULL};
}

double judge_map(struct judge *judge, const double *p, const double *s)
{
    struct encoder compare = {.dim = judge->dim, .similarity = judge->kind};
    size_t d = judge->dim;
    double threshold, accuracy;
    for (size_t i = 0; i < judge->rank * d; i++) judge->map[i] = (float)(p[i] * sqrt(s[i % d]));
    dense_rows_times((struct dense_shape){judge->sentences, d, judge->rank}, judge->v, judge->rank,
                     judge->map, judge->y, judge->threads);
    for (size_t i = 0; i < judge->pairs.count; i++) {
        const float *a = judge->y + judge->pairs.a[i] * d, *b = judge->y + judge->pairs.b[i] * d;
        judge->similarity[i] = (float)encoder_similarity(&compare, a, b);
    }
    if (calibrate_threshold(judge->similarity, judge->pairs.target, judge->pairs.count, &threshold,
                            &accuracy, NULL) != FILM_OK)
        return 0; /* out of memory: never the best */
    return accuracy;
}
