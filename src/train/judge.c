#include "train/judge.h"
#include "base/mem.h"
#include "base/threads.h"
#include "la/dense.h"

#include <math.h>

film_status judge_init(struct judge *judge, const struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    const struct strtab *texts = &run->dev.sentences;
    struct encoder project = run_project(run);
    film_text *list = mem_array(texts->count, sizeof *list);
    judge->sentences = texts->count;
    judge->rank = run->svd.rank;
    judge->dim = run->dim;
    judge->kind = run->options->similarity;
    judge->threads = threads_use(run->options->threads);
    TRY_ALLOC(list, error);
    TRY(labels_to_pairs(&run->dev, LABELS_DRAWN, run->options->seed, &judge->pairs, error));
    TRY_ALLOC((judge->v = mem_array(judge->sentences * judge->rank, sizeof(float))) &&
                  (judge->map = mem_array(judge->rank * judge->dim, sizeof(float))) &&
                  (judge->y = mem_array(judge->sentences * judge->dim, sizeof(float))) &&
                  (judge->similarity = mem_array(judge->pairs.count, sizeof(float))),
              error);
    for (uint32_t i = 0; i < texts->count; i++) list[i] = strtab_get(texts, i);
    TRY(encoder_embed_all(&project, list, texts->count, run->options->threads, judge->v, error));
    for (size_t j = 0; j < judge->rank; j++) {
        float scale = (float)pow((double)run->svd.sigma[j], -run->options->solver.power);
        for (size_t i = 0; i < judge->sentences; i++) judge->v[i * judge->rank + j] *= scale;
    }
done:
    mem_free(list);
    return status;
}

void judge_free(struct judge *judge)
{
    labelled_pairs_free(&judge->pairs);
    mem_free(judge->v);
    mem_free(judge->map);
    mem_free(judge->y);
    mem_free(judge->similarity);
}

double judge_map(struct judge *judge, const double *p, const double *s)
{
    struct encoder compare = {.dim = judge->dim, .similarity = judge->kind};
    size_t d = judge->dim;
    double threshold, accuracy;
    for (size_t i = 0; i < judge->rank * d; i++) judge->map[i] = (float)(p[i] * sqrt(s[i % d]));
    dense_rows_times(judge->sentences, d, judge->rank, judge->v, judge->rank, judge->map, judge->y,
                     judge->threads);
    for (size_t i = 0; i < judge->pairs.count; i++)
        judge->similarity[i] = (float)encoder_similarity(&compare, judge->y + judge->pairs.a[i] * d,
                                                         judge->y + judge->pairs.b[i] * d);
    if (calibrate_threshold(judge->similarity, judge->pairs.target, judge->pairs.count, &threshold,
                            &accuracy, NULL) != FILM_OK)
        return 0; /* no memory: never the best */
    return accuracy;
}
