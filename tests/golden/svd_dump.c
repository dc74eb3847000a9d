/* svd_dump X.bin RESULT.bin rank [threads [block [basis [repeats]]]]: the SVD of a matrix in a raw
 * file, for the Python scripts that compare it with ARPACK (tests/golden/svd_arpack.py) and time it
 * (bench/svd.py).
 *
 * X.bin: rows, cols, entries as uint64; then start (rows + 1, uint64), col (uint32), val (float).
 * RESULT.bin: rank as uint64, sigma, u (cols x rank), v (rows x rank) as float. Prints one line of
 * JSON: the shortest time in seconds, peak memory, what was used. */
#include "la/svd.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static int read_matrix(const char *path, struct csr *x)
{
    film_error error;
    uint64_t size[3];
    FILE *file = fopen(path, "rb");
    int good = file && fread(size, sizeof *size, 3, file) == 3 &&
               csr_alloc(x, size[0], size[1], size[2], &error) == FILM_OK &&
               fread(x->start, sizeof *x->start, size[0] + 1, file) == size[0] + 1 &&
               fread(x->col, sizeof *x->col, size[2], file) == size[2] &&
               fread(x->val, sizeof *x->val, size[2], file) == size[2] && csr_valid(x);
    if (file) fclose(file);
    return good;
}

static int write_result(const char *path, const struct csr *x, const struct svd *svd)
{
    FILE *file = fopen(path, "wb");
    uint64_t rank = svd->rank;
    int good = file && fwrite(&rank, sizeof rank, 1, file) == 1 &&
               fwrite(svd->sigma, sizeof(float), rank, file) == rank &&
               fwrite(svd->u, sizeof(float), x->cols * rank, file) == x->cols * rank &&
               fwrite(svd->v, sizeof(float), x->rows * rank, file) == x->rows * rank;
    return file && fclose(file) == 0 && good;
}

int main(int count, char **words)
{
    struct csr x = {0};
    struct svd svd = {0};
    film_error error;
    if (count < 4 || !read_matrix(words[1], &x)) {
        fprintf(stderr,
                "usage: svd_dump X.bin RESULT.bin rank [threads [block [basis [repeats]]]]\n");
        return 1;
    }
    struct svd_options options = {.rank = strtoul(words[3], NULL, 10), .seed = 1};
    options.threads = count > 4 ? atoi(words[4]) : 0;
    options.block = count > 5 ? strtoul(words[5], NULL, 10) : 0;
    options.basis = count > 6 ? strtoul(words[6], NULL, 10) : 0;
    int repeats = count > 7 ? atoi(words[7]) : 1;
    double best = 1e300;
    for (int i = 0; i < repeats; i++) {
        svd_free(&svd);
        double begin = clock_seconds();
        if (svd_compute(&x, &options, &svd, &error) != FILM_OK) {
            fprintf(stderr, "svd_dump: %s\n", error.message);
            return 1;
        }
        if (clock_seconds() - begin < best) best = clock_seconds() - begin;
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"seconds\": %.4f, \"peak_mb\": %.1f, \"rank\": %zu, \"basis\": %zu, "
           "\"residual\": %.3e}\n",
           best, (double)usage.ru_maxrss / 1024.0, svd.rank, svd.basis, svd.residual);
    int good = write_result(words[2], &x, &svd);
    svd_free(&svd);
    csr_free(&x);
    return good ? 0 : 1;
}
