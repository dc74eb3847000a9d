/* The SVD of a dense matrix with few columns, from the eigenvectors of its Gram matrix in double.
 * FILM-BERT uses it on the encoder's vectors. */
#include "base/mem.h"
#include "la/blas.h"
#include "la/dense.h"
#include "la/svd.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Counts the sigmas above 1e-5 of the first; smaller ones are rounding. EIGEN is ascending. */
static size_t count_rank(const double *eigen, size_t cols, size_t wanted)
{
    size_t rank = 0;
    double least = 1e-10 * eigen[cols - 1];
    while (rank < cols && rank < wanted && eigen[cols - 1 - rank] > least) rank++;
    return rank;
}

/* Takes the j-th largest of VECTORS (eigenvectors as columns, ascending), with its largest entry
 * positive. */
static void take_column(const double *vectors, size_t cols, size_t j, struct svd *out)
{
    size_t from = cols - 1 - j, largest = 0;
    for (size_t i = 1; i < cols; i++)
        if (fabs(vectors[i * cols + from]) > fabs(vectors[largest * cols + from])) largest = i;
    double sign = vectors[largest * cols + from] < 0 ? -1 : 1;
    for (size_t i = 0; i < cols; i++)
        out->u[i * out->rank + j] = (float)(sign * vectors[i * cols + from]);
}

/* The matrix that is decomposed. */
struct tall {
    const float *values;
    size_t rows, cols;
};

static film_status take_factors(const struct tall *x, const double *eigen, const double *vectors,
                                int threads, struct svd *out, film_error *error)
{
    film_status status = FILM_OK;
    size_t rows = x->rows, cols = x->cols;
    float *scaled = mem_array(cols * out->rank, sizeof *scaled); /* U Sigma^-1 */
    TRY_ALLOC(scaled && (out->sigma = mem_array(out->rank, sizeof *out->sigma)) &&
                  (out->u = mem_array(cols * out->rank, sizeof *out->u)) &&
                  (out->v = mem_array(rows, out->rank * sizeof *out->v)),
              error);
    for (size_t j = 0; j < out->rank; j++) {
        out->sigma[j] = (float)sqrt(eigen[cols - 1 - j]);
        take_column(vectors, cols, j, out);
    }
    for (size_t i = 0; i < cols * out->rank; i++) scaled[i] = out->u[i] / out->sigma[i % out->rank];
    dense_rows_times((struct dense_shape){rows, out->rank, cols}, x->values, cols, scaled, out->v,
                     threads);
done:
    mem_free(scaled);
    return status;
}

film_status svd_dense(const float *x, size_t rows, size_t cols, const struct svd_options *options,
                      struct svd *out, film_error *error)
{
    film_status status = FILM_OK;
    double *gram = NULL, *eigen = NULL;
    memset(out, 0, sizeof *out);
    TRY_ALLOC((gram = mem_zeroed(cols * cols, sizeof *gram)) &&
                  (eigen = mem_array(cols, sizeof *eigen)),
              error);
    blas_begin();
    status = dense_add_gram(x, rows, cols, options->threads, gram, error);
    int failed = status == FILM_OK && LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'U', (lapack_int)cols,
                                                     gram, (lapack_int)cols, eigen) != 0;
    blas_end();
    if (status != FILM_OK) goto done;
    if (failed)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "SVD: no convergence; check that all values are finite"));
    out->rank = count_rank(eigen, cols, options->rank);
    out->basis = cols;
    if (out->rank == 0)
        TRY(status_set(error, FILM_BAD_INPUT, "SVD: the vectors of all sentences are zero"));
    TRY(take_factors(&(struct tall){x, rows, cols}, eigen, gram, options->threads, out, error));
done:
    if (status != FILM_OK) svd_free(out);
    mem_free(gram);
    mem_free(eigen);
    return status;
}
