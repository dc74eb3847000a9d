// Measures hnswlib and, where it is installed, FAISS on the vectors of bench/near.sh, with the queries and the recall of bench/near_driver.c,
// single-threaded. It is C++ because both are; the library contains nothing of it.
//   near_rivals BASE.f32 QUERIES.f32 DIM GOLD THREADS [hnswlib|faiss|ivf ...]     THREADS: for building
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include <sys/resource.h>

#if __has_include(<faiss/IndexFlat.h>)
#define FAISS 1
#include <faiss/IndexFlat.h>
#include <faiss/IndexHNSW.h>
#include <faiss/IndexIVFFlat.h>
#include <faiss/IndexScalarQuantizer.h>
#endif
#include <hnswlib/hnswlib.h>
#include <omp.h>

static const size_t K = 10;
static size_t dim, rows, asked;
static int threads; // of building; searching has one
static std::vector<float> base, queries, gold;

// Processor time of this process: the machine may be shared.
static double now()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double peak()
{
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static std::vector<float> load(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    std::vector<float> data((size_t)ftell(file) / sizeof(float));
    rewind(file);
    if (fread(data.data(), sizeof(float), data.size(), file) != data.size()) exit(1);
    fclose(file);
    return data;
}

// As recall_count of src/index/recall.c: found when the true score is as good as the k-th exact one.
static double recall(const std::vector<int64_t> &id)
{
    size_t found = 0;
    for (size_t q = 0; q < asked; q++) {
        float least = gold[q * K + K - 1];
        least -= 1e-6f * std::fabs(least);
        for (size_t i = 0; i < K; i++) {
            int64_t row = id[q * K + i];
            if (row < 0) continue;
            double score = 0;
            for (size_t d = 0; d < dim; d++)
                score += (double)queries[q * dim + d] * base[(size_t)row * dim + d];
            found += (float)score >= least;
        }
    }
    return (double)found / (double)(asked * K);
}

// Settings from fast to good until the recall is enough; best of three.
static void sweep(const char *name, const std::vector<int> &settings,
                  const std::function<void(int)> &set,
                  const std::function<void(size_t, int64_t *)> &search)
{
    std::vector<int64_t> id(asked * K);
    for (int setting : settings) {
        double best = 1e9;
        set(setting);
        for (int repeat = 0; repeat < 3; repeat++) {
            double start = now();
            for (size_t q = 0; q < asked; q++) search(q, &id[q * K]);
            best = std::min(best, now() - start);
        }
        double share = recall(id);
        printf("point %s %d %.4f %.0f\n", name, setting, share, (double)asked / best);
        if (share > 0.995) break;
    }
}

static const std::vector<int> efs = {10,  16,  24,  32,  40,  48,  56,  64,  80,
                                     96,  112, 128, 144, 160, 192, 224, 256, 288,
                                     320, 384, 448, 512, 576, 640, 768, 896, 1024};

static void built(const char *name, double start, double before)
{
    printf("%s: %.1f s of processor to build, %d thread(s), %.0f MiB more at the peak\n", name,
           now() - start, threads, peak() - before);
    omp_set_num_threads(1);
}

static void run_hnswlib(int m, int width)
{
    double before = peak(), start = now();
    std::string name = "hnswlib-M" + std::to_string(m) + "-" + std::to_string(width);
    hnswlib::InnerProductSpace space(dim);
    hnswlib::HierarchicalNSW<float> index(&space, rows, (size_t)m, (size_t)width);
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
    for (size_t i = 0; i < rows; i++) index.addPoint(&base[i * dim], i);
    built(name.c_str(), start, before);
    sweep(
        name.c_str(), efs, [&](int ef) { index.setEf((size_t)ef); },
        [&](size_t q, int64_t *id) {
            auto top = index.searchKnn(&queries[q * dim], K);
            for (size_t i = 0; i < K; i++) id[i] = -1;
            for (size_t i = 0; !top.empty(); top.pop()) id[i++] = (int64_t)top.top().second;
        });
}

#ifdef FAISS
static void run_faiss(const char *name, faiss::IndexHNSW &index, int width)
{
    double before = peak(), start = now();
    index.hnsw.efConstruction = width;
    omp_set_num_threads(threads);
    index.train((int64_t)rows, base.data());
    index.add((int64_t)rows, base.data());
    built(name, start, before);
    std::vector<float> score(K);
    sweep(
        name, efs, [&](int ef) { index.hnsw.efSearch = ef; },
        [&](size_t q, int64_t *id) { index.search(1, &queries[q * dim], K, score.data(), id); });
}

static void run_ivf()
{
    double before = peak(), start = now();
    faiss::IndexFlatIP coarse((int64_t)dim);
    size_t lists = (size_t)(4 * std::sqrt((double)rows)) / 64 * 64;
    faiss::IndexIVFFlat index(&coarse, dim, lists, faiss::METRIC_INNER_PRODUCT);
    index.cp.niter = 8;
    omp_set_num_threads(threads);
    index.train((int64_t)rows, base.data());
    index.add((int64_t)rows, base.data());
    built("faiss-IVF", start, before);
    std::vector<float> score(K);
    sweep(
        "faiss-IVF", {1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512},
        [&](int lists_read) { index.nprobe = (size_t)lists_read; },
        [&](size_t q, int64_t *id) { index.search(1, &queries[q * dim], K, score.data(), id); });
}
#endif

int main(int argc, char **argv)
{
    if (argc < 6) return 1;
    dim = (size_t)atol(argv[3]);
    base = load(argv[1]);
    queries = load(argv[2]);
    gold = load(argv[4]);
    rows = base.size() / dim;
    asked = queries.size() / dim;
    threads = atoi(argv[5]);
    setvbuf(stdout, NULL, _IOLBF, 0);
    auto wanted = [&](const char *name) {
        if (argc == 6) return true;
        for (int i = 6; i < argc; i++)
            if (strcmp(argv[i], name) == 0) return true;
        return false;
    };
    if (wanted("hnswlib")) run_hnswlib(16, 200);
    if (wanted("hnswlib-large")) run_hnswlib(32, 400);
#ifdef FAISS
    if (wanted("faiss")) {
        faiss::IndexHNSWFlat index((int)dim, 16, faiss::METRIC_INNER_PRODUCT);
        run_faiss("faiss-HNSW", index, 200);
    }
    if (wanted("faiss-sq")) {
        faiss::IndexHNSWSQ index((int)dim, faiss::ScalarQuantizer::QT_8bit, 16,
                                 faiss::METRIC_INNER_PRODUCT);
        run_faiss("faiss-HNSW-SQ8", index, 200);
    }
    if (wanted("ivf")) run_ivf();
#endif
    return 0;
}
