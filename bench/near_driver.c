/* Measures nearest neighbours with our scans and graph on vectors from files. Checks results first,
 * then prints single-threaded measures; writes the exact results for bench/near_rivals.cpp.
 * bench/near.sh runs both.
 *     near_driver BASE.f32 QUERIES.f32 DIM GOLD [degree width spread [threads]] */
#include "base/mem.h"
#include "base/clock.h"
#include "embed/vec.h"
#include "la/flat.h"
#include "index/graph.h"
#include "index/scan.h"

#include "../tests/lib/recall.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { K = 10 };

static film_error error;
static size_t dim, count, asked;
static float *base, *queries;
static uint32_t *gold_id;
static float *gold_score;

/* CPU time of this process, because the machine may be shared. There is one thread, so it is the
 * time that matters. */
static double now(void)
{
    return clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

static void must(film_status status)
{
    if (status == FILM_OK) return;
    fprintf(stderr, "near_driver: %s\n", error.message);
    exit(1);
}

static void require(int condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "near_driver: wrong result: %s\n", what);
    exit(1);
}

static float *load(const char *path, size_t *rows)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    size_t bytes = (size_t)ftell(file);
    rewind(file);
    *rows = bytes / (dim * sizeof(float));
    float *data = mem_aligned(bytes, 1);
    if (!data || fread(data, 1, bytes, file) != bytes) exit(1);
    fclose(file);
    return data;
}

/* This core's memory bandwidth in GB/s, the bound of a scan: sums 64-bit words over 512 MB. */
static double stream_bandwidth(void)
{
    size_t words = (size_t)64 << 20;
    uint64_t *data = mem_aligned(words, sizeof *data), sum = 0;
    double best = 1e9;
    for (size_t i = 0; i < words; i++) data[i] = i;
    for (int repeat = 0; repeat < 5; repeat++) {
        double start = now();
        uint64_t a = 0, b = 0, c = 0, d = 0;
        for (size_t i = 0; i < words; i += 32)
            for (size_t j = 0; j < 32; j += 4)
                a += data[i + j], b += data[i + j + 1], c += data[i + j + 2], d += data[i + j + 3];
        sum += a + b + c + d;
        double seconds = now() - start;
        if (seconds < best) best = seconds;
    }
    require(sum != 0, "the sum of the stream test");
    mem_free_aligned(data);
    return (double)words * 8 / best / 1e9;
}

/* Exact results by matrix products, and the byte scan against them. */
static void exact_scans(const struct codes *codes, int threads)
{
    struct flat flat = {base, NULL, count, dim};
    struct flat_queries foreign = {.count = asked, .vectors = queries};
    struct scan scan;
    struct scan_counts counts;
    uint32_t *id = malloc(asked * K * sizeof *id);
    float *score = malloc(asked * K * sizeof *score);
    double start = now();
    must(flat_search(&flat, &foreign, K, threads, NULL, &(struct nearest){gold_id, gold_score, 0},
                     &error));
    printf("exact, float GEMM, %zu queries, %d thread(s): %.0f queries/s\n", asked, threads,
           (double)asked / (now() - start));
    must(scan_init(&scan, *codes, base, NULL, threads, &error));
    start = now();
    must(scan_search(&scan, &(struct scan_queries){queries, asked, K}, threads, NULL,
                     &(struct nearest){id, score, 0}, &counts, &error));
    double seconds = now() - start;
    size_t wanted, found = recall_count(gold_id, gold_score, id, score, asked, K, &wanted);
    require(found == wanted, "the byte scan is exact");
    printf(
        "exact, int8 scan, %zu queries, %d thread(s): %.0f queries/s (%zu of them scanned twice)\n",
        asked, threads, (double)asked / seconds, counts.again);
    double best = 1e9;
    for (int repeat = 0; repeat < 5; repeat++) {
        size_t some = 20;
        start = now();
        for (size_t q = 0; q < some; q++)
            must(scan_search(&scan, &(struct scan_queries){queries + q * dim, 1, K}, 1, NULL,
                             &(struct nearest){id, score, 0}, &counts, &error));
        seconds = (now() - start) / (double)some;
        if (seconds < best) best = seconds;
    }
    double stream = stream_bandwidth(), bytes = (double)(count * codes->stride);
    printf("exact, int8 scan, one query at a time: %.2f ms, %.1f queries/s, %.1f GB/s; stream %.1f "
           "GB/s: %.0f %%\n",
           1e3 * best, 1 / best, bytes / best / 1e9, stream, 100 * bytes / best / 1e9 / stream);
    free(id);
    free(score);
}

static void sweep(const struct graph_view *view)
{
    static const size_t efs[] = {10,  12,  16,  20,  24,  28,  32,  36,  40,  48,
                                 56,  64,  72,  80,  96,  112, 128, 144, 160, 192,
                                 224, 256, 320, 384, 448, 512, 640, 768, 1024};
    uint32_t *id = malloc(asked * K * sizeof *id);
    float *score = malloc(asked * K * sizeof *score);
    struct graph_walker *walker = NULL;
    must(graph_walker_new(&walker, &error));
    for (size_t e = 0; e < sizeof efs / sizeof *efs; e++) {
        double best = 1e9, share = 0;
        for (int repeat = 0; repeat < 3; repeat++) {
            double start = now();
            for (size_t q = 0; q < asked; q++) {
                struct graph_question question = {
                    .vector = queries + q * dim, .k = K, .ef = efs[e], .rows = base};
                size_t found;
                must(graph_search(view, walker, &question, id + q * K, score + q * K, &found,
                                  &error));
                for (size_t i = found; i < K; i++) id[q * K + i] = GRAPH_NONE;
            }
            double seconds = now() - start;
            if (seconds < best) best = seconds;
        }
        size_t wanted;
        share = (double)recall_count(gold_id, gold_score, id, score, asked, K, &wanted);
        share /= (double)wanted;
        printf("point film ef=%zu %.4f %.0f\n", efs[e], share, (double)asked / best);
        if (share > 0.995) break;
    }
    graph_walker_free(walker);
    free(id);
    free(score);
}

/* The cost of changing a graph: rows added one by one, a hundred removed at once, one removed. */
static void changes(struct graph *graph)
{
    enum { SOME = 100 };
    uint32_t gone[SOME], id[K];
    float score[K];
    double start = now();
    for (size_t i = 0; i < SOME; i++) must(graph_add(graph, queries + i * dim, 1, 1, NULL, &error));
    double added = (now() - start) / SOME;
    size_t missed = 0;
    for (size_t i = 0; i < SOME; i++) {
        /* Among ten: by codes alone a longer row may score higher than the row itself. */
        struct graph_view view = graph_view(graph);
        struct graph_question question = {.vector = queries + i * dim, .k = K, .ef = 100};
        must(graph_search_many(&view, &question, 1, 1, NULL, &(struct nearest){id, score, 0},
                               &error));
        gone[i] = (uint32_t)(count + i);
        size_t place = 0;
        while (place < K && id[place] != gone[i]) place++;
        missed += place == K;
    }
    require(missed <= SOME / 50, "rows that were added are found");
    start = now();
    must(graph_remove(graph, gone, SOME - 1, 1, &error));
    double many = now() - start;
    start = now();
    must(graph_remove(graph, gone + SOME - 1, 1, 1, &error));
    double one = now() - start;
    struct graph_view view = graph_view(graph);
    for (size_t i = 0; i < SOME; i++) {
        struct graph_question question = {.vector = queries + i * dim, .k = K, .ef = 100};
        must(graph_search_many(&view, &question, 1, 1, NULL, &(struct nearest){id, score, 0},
                               &error));
        for (size_t j = 0; j < K; j++)
            require(id[j] < count, "a row that was removed is not found");
    }
    start = now();
    must(graph_check(&view, NULL, &error));
    printf("film graph: %.2f ms to add a row, %.0f ms to remove %d at once, %.0f ms one, %.0f ms "
           "to check all\n",
           1e3 * added, 1e3 * many, SOME - 1, 1e3 * one, 1e3 * (now() - start));
}

static double peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static void save_gold(const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(gold_score, sizeof(float), asked * K, file) != asked * K) exit(1);
    fclose(file);
}

int main(int argc, char **argv)
{
    if (argc < 5) return 1;
    dim = (size_t)atol(argv[3]);
    base = load(argv[1], &count);
    queries = load(argv[2], &asked);
    gold_id = malloc(asked * K * sizeof *gold_id);
    gold_score = malloc(asked * K * sizeof *gold_score);
    struct graph_options options = {.dim = dim, .seed = 1};
    int threads = argc > 8 ? atoi(argv[8]) : 1;
    if (argc > 7) {
        options.degree = (size_t)atol(argv[5]);
        options.width = (size_t)atol(argv[6]);
        options.spread = atof(argv[7]);
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("%zu rows, %zu queries, d = %zu\n", count, asked, dim);
    struct graph *graph = NULL;
    must(graph_new(&options, &graph, &error));
    double before = peak(), start = now();
    must(graph_add(graph, base, count, threads, NULL, &error));
    double seconds = now() - start;
    struct graph_view view = graph_view(graph);
    struct graph_report report;
    must(graph_check(&view, &report, &error));
    printf("film graph: %.1f s of processor to build, %d thread(s), %.0f MiB more at the peak "
           "(%.0f MiB of "
           "arrays); %zu of %zu reached, "
           "%zu twins, %.1f links\n",
           seconds, threads, peak() - before,
           (double)(count *
                    (view.codes.stride + sketch_size(dim, view.degree) + 4 * view.degree + 6)) /
               1048576,
           report.reached, report.linked, report.twins,
           (double)report.links / (double)report.linked);
    if (argc > 9) { /* the exact results exist already: for trying settings */
        FILE *file = fopen(argv[4], "rb");
        if (!file || fread(gold_score, sizeof(float), asked * K, file) != asked * K) return 1;
        memset(gold_id, 0, asked * K * sizeof *gold_id);
    } else {
        exact_scans(&view.codes, 1);
        save_gold(argv[4]);
    }
    sweep(&view);
    if (asked >= 100) changes(graph);
    graph_free(graph);
    return 0;
}
