/* The losses of the black box, triplet hinge (32) and N-pair softmax (Sohn 2016), and their
 * gradients with respect to the vectors. Batches and weights are in deep_learn.c. */
#include "learn/deep_loss.h"
#include "base/mem.h"
#include "embed/vec.h"
#include "la/blas.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

struct loss_buffers {
    float *unit;    /* rows x dim: the normalised vectors */
    double *length; /* rows */
    float *anchors; /* count x dim: the anchors' unit vectors */
    /* count x rows: cosine of each anchor with each row, and the gradient of the loss. */
    float *cosine, *slope;
    float *d_anchors; /* count x dim */
};

static film_status loss_buffers_init(struct loss_buffers *work, const struct deep_batch *batch,
                                     film_error *error)
{
    film_status status = FILM_OK;
    size_t dim = batch->dim;
    TRY_ALLOC((work->unit = mem_array(batch->rows, dim * sizeof(float))) &&
                  (work->length = mem_array(batch->rows, sizeof(double))) &&
                  (work->anchors = mem_array(batch->count, dim * sizeof(float))) &&
                  (work->d_anchors = mem_array(batch->count, dim * sizeof(float))) &&
                  (work->cosine = mem_array(batch->count, batch->rows * sizeof(float))) &&
                  (work->slope = mem_zeroed(batch->count, batch->rows * sizeof(float))),
              error);
    memcpy(work->unit, batch->vectors, batch->rows * dim * sizeof(float));
    for (size_t r = 0; r < batch->rows; r++)
        work->length[r] = vec_normalise(work->unit + r * dim, dim);
    for (size_t t = 0; t < batch->count; t++)
        memcpy(work->anchors + t * dim, work->unit + batch->triplets[t].anchor * dim,
               dim * sizeof(float));
done:
    return status;
}

static void loss_buffers_free(struct loss_buffers *work)
{
    mem_free(work->unit);
    mem_free(work->length);
    mem_free(work->anchors);
    mem_free(work->d_anchors);
    mem_free(work->cosine);
    mem_free(work->slope);
}

/* Returns the nearest negative row; DEEP_NO_ROW when all rows are duplicates of the anchor. */
static uint32_t nearest(const struct deep_batch *batch, size_t t, const float *cosine)
{
    uint32_t own = batch->cluster[batch->triplets[t].anchor], best = DEEP_NO_ROW;
    for (uint32_t r = 0; r < batch->rows; r++)
        if (batch->cluster[r] != own && (best == DEEP_NO_ROW || cosine[r] > cosine[best])) best = r;
    return best;
}

static double hinge(const struct deep_batch *batch, size_t t, double margin, const float *cosine,
                    float *slope)
{
    const struct deep_triplet *triplet = &batch->triplets[t];
    uint32_t negative = triplet->negative;
    if (negative == DEEP_NO_ROW) negative = nearest(batch, t, cosine);
    if (negative == DEEP_NO_ROW) return 0;
    double loss = (double)cosine[negative] + margin - (double)cosine[triplet->positive];
    if (!(loss > 0)) return 0;
    float share = 1 / (float)batch->count;
    slope[negative] += share;
    slope[triplet->positive] -= share;
    return loss / (double)batch->count;
}

static double n_pair(const struct deep_batch *batch, size_t t, double temperature,
                     const float *cosine, float *slope)
{
    const struct deep_triplet *triplet = &batch->triplets[t];
    uint32_t own = batch->cluster[triplet->anchor];
    double sum = 1, positive = (double)cosine[triplet->positive];
    for (size_t r = 0; r < batch->rows; r++)
        if (batch->cluster[r] != own) sum += exp(temperature * ((double)cosine[r] - positive));
    double share = temperature / (double)batch->count;
    for (size_t r = 0; r < batch->rows; r++)
        if (batch->cluster[r] != own)
            slope[r] += (float)(share * exp(temperature * ((double)cosine[r] - positive)) / sum);
    slope[triplet->positive] += (float)(share * (1 / sum - 1));
    return log(sum) / (double)batch->count;
}

/* GRADIENT with respect to the unit vectors: slope' anchors, and slope unit for the anchors. */
static void spread_gradient(const struct deep_batch *batch, struct loss_buffers *work,
                            float *gradient)
{
    int rows = (int)batch->rows, count = (int)batch->count, dim = (int)batch->dim;
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, rows, dim, count, 1.0f, work->slope, rows,
                work->anchors, dim, 0.0f, gradient, dim);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, count, dim, rows, 1.0f, work->slope,
                rows, work->unit, dim, 0.0f, work->d_anchors, dim);
    for (size_t t = 0; t < batch->count; t++)
        vec_add_scaled(gradient + batch->triplets[t].anchor * batch->dim, 1.0f,
                       work->d_anchors + t * batch->dim, batch->dim);
}

film_status deep_loss(const struct deep_batch *batch, const struct deep_loss_options *options,
                      double *loss, float *gradient, film_error *error)
{
    film_status status = FILM_OK;
    struct loss_buffers work = {0};
    blas_begin(); /* the result must not depend on the number of threads */
    int rows = (int)batch->rows, dim = (int)batch->dim;
    TRY(loss_buffers_init(&work, batch, error));
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)batch->count, rows, dim, 1.0f,
                work.anchors, dim, work.unit, dim, 0.0f, work.cosine, rows);
    *loss = 0;
    for (size_t t = 0; t < batch->count; t++) {
        const float *cosine = work.cosine + t * batch->rows;
        float *slope = work.slope + t * batch->rows;
        *loss += options->n_pair ? n_pair(batch, t, options->temperature, cosine, slope)
                                 : hinge(batch, t, options->margin, cosine, slope);
    }
    spread_gradient(batch, &work, gradient);
    for (size_t r = 0; r < batch->rows; r++) { /* backward through the normalisation */
        float *row = gradient + r * batch->dim;
        const float *unit = work.unit + r * batch->dim;
        vec_add_scaled(row, (float)-vec_dot(row, unit, batch->dim), unit, batch->dim);
        vec_scale(row, work.length[r] > 0 ? (float)(1 / work.length[r]) : 0.0f, batch->dim);
    }
done:
    blas_end();
    loss_buffers_free(&work);
    return status;
}
