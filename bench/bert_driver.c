/* The C part of bench/bert.py: measures bert_encode, and the machine's sgemm in the same run.
 *
 *     bert_driver FOLDER SENTENCES THREADS ROUNDS OUT [int8]
 *
 * Writes the vectors to OUT.vectors (float) and the tokens to OUT.ids (uint32: length, ids, length,
 * ids, ...). Prints the wall and CPU seconds of the best round, the number of tokens, and the
 * GFLOP/s of a 1024 x 1024 x 1024 product. */
#include "base/mem.h"
#include "base/clock.h"
#include "base/threads.h"
#include "bert/bert.h"
#include "la/blas.h"

#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int fail(const char *message)
{
    fprintf(stderr, "bert_driver: %s\n", message);
    return 1;
}

/* The fastest of several products, in GFLOP/s, added to *USER. */
static film_status multiply(struct threads_worker *worker, void *user, film_error *error)
{
    enum { N = 1024, ROUNDS = 8 };
    double best = 1e9, *total = user;
    float *a = mem_zeroed(N * N, sizeof *a), *b = mem_zeroed(N * N, sizeof *b);
    float *c = mem_zeroed(N * N, sizeof *c);
    (void)error;
    for (int i = 0; a && b && c && i < ROUNDS; i++) {
        double start = clock_read(CLOCK_THREAD_CPUTIME_ID);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, a, N, b, N, 0, c, N);
        double seconds = clock_read(CLOCK_THREAD_CPUTIME_ID) - start;
        if (seconds < best) best = seconds;
    }
    threads_lock(worker);
    *total += 2.0 * N * N * N / best / 1e9;
    threads_unlock(worker);
    mem_free(a);
    mem_free(b);
    mem_free(c);
    return FILM_OK;
}

/* Each thread computes its own products, as in the encoder. */
static double peak(int threads)
{
    double total = 0;
    blas_begin();
    (void)threads_for(threads, (size_t)threads, 1, multiply, &total, NULL);
    blas_end();
    return total;
}

static size_t write_ids(const struct bert *bert, const film_text *texts, size_t count,
                        const char *path)
{
    FILE *file = fopen(path, "wb");
    uint32_t *ids = malloc((bert_most_tokens(bert) + 1) * sizeof *ids);
    size_t total = 0;
    for (size_t i = 0; file && ids && i < count; i++) {
        size_t length = 0;
        bert_tokenize(bert, texts[i], bert_most_tokens(bert), ids + 1, &length, NULL);
        ids[0] = (uint32_t)length;
        fwrite(ids, sizeof *ids, length + 1, file);
        total += length;
    }
    free(ids);
    if (file) fclose(file);
    return total;
}

int main(int argc, char **argv)
{
    film_error error;
    struct bert *bert;
    if (argc != 6 && argc != 7) return fail("FOLDER SENTENCES THREADS ROUNDS OUT [int8]");
    if (bert_open(argv[1], &bert, &error) != FILM_OK) return fail(error.message);
    if (argc == 7 && bert_round(bert, 1, &error) != FILM_OK) return fail(error.message);
    FILE *file = fopen(argv[2], "r");
    if (!file) return fail("cannot open the sentences");
    film_text *texts = NULL;
    size_t count = 0, capacity = 0, room = 0;
    char *line = NULL, path[4096];
    for (ssize_t got; (got = getline(&line, &room, file)) >= 0; count++) {
        if (!mem_grow((void **)&texts, &capacity, count + 1, sizeof *texts)) return fail("memory");
        if (got && line[got - 1] == '\n') got--;
        texts[count] = (film_text){mem_string(line, (size_t)got), (size_t)got};
    }
    free(line);
    fclose(file);
    int threads = atoi(argv[3]), rounds = atoi(argv[4]);
    float *out = mem_array(count * bert_dim(bert), sizeof *out);
    double best = 1e9, processor = 0;
    for (int i = 0; i <= rounds; i++) { /* the first warms up */
        double start = clock_read(CLOCK_MONOTONIC), used = clock_read(CLOCK_PROCESS_CPUTIME_ID);
        if (bert_encode(bert, texts, count, threads, out, &error) != FILM_OK)
            return fail(error.message);
        double seconds = clock_read(CLOCK_MONOTONIC) - start;
        used = clock_read(CLOCK_PROCESS_CPUTIME_ID) - used;
        if (i && seconds < best) best = seconds, processor = used;
    }
    snprintf(path, sizeof path, "%s.vectors", argv[5]);
    file = fopen(path, "wb");
    if (!file || fwrite(out, sizeof *out, count * bert_dim(bert), file) == 0)
        return fail("cannot write the vectors");
    fclose(file);
    snprintf(path, sizeof path, "%s.ids", argv[5]);
    size_t tokens = write_ids(bert, texts, count, path);
    printf("{\"seconds\": %.4f, \"processor\": %.4f, \"tokens\": %zu, \"peak\": %.1f}\n", best,
           processor, tokens, peak(threads));
    for (size_t i = 0; i < count; i++) mem_free((void *)(uintptr_t)texts[i].bytes);
    mem_free(texts);
    mem_free(out);
    bert_free(bert);
    return 0;
}
