/* EXPERIMENT */
#include "base/mem.h"
#include "base/threads.h"
#include "model/model.h"
#include "near/terms.h"
#include "text/corpus.h"
#include "pair/score.h"
#include "near/flat.h"
#include "la/vec.h"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
enum { QUERIES = 2000 };
extern double X_gain, X_pair, X_idf, X_unk;
static film_error error;
static void must(film_status status)
{
    if (status == FILM_OK) return;
    fprintf(stderr, "%s\n", error.message);
    exit(1);
}
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static struct strtab pool;
static uint32_t query[QUERIES], wanted[QUERIES];
static size_t queries;
static void read_data(const char *train, const char *dev)
{
    film_table_options table = {0};
    struct corpus a = {0}, b = {0};
    must(corpus_read(&a, &train, 1, &table, NULL, &error));
    must(corpus_read(&b, &dev, 1, &table, NULL, &error));
    must(strtab_init(&pool, &error));
    for (uint32_t i = 0, id; i < a.sentences.count; i++) {
        film_text text = strtab_get(&a.sentences, i);
        must(strtab_add(&pool, text.bytes, text.length, &id, &error));
    }
    for (size_t i = 0; i < b.rows; i++) {
        uint32_t x, y;
        film_text t = strtab_get(&b.sentences, b.a[i]);
        must(strtab_add(&pool, t.bytes, t.length, &x, &error));
        t = strtab_get(&b.sentences, b.b[i]);
        must(strtab_add(&pool, t.bytes, t.length, &y, &error));
        if (b.label[i] < 0.5f || x == y || queries == QUERIES) continue;
        query[queries] = x;
        wanted[queries++] = y;
    }
    fprintf(stderr, "pool %u queries %zu\n", pool.count, queries);
}
static void figures(const char *name, const uint32_t *rank)
{
    double r1 = 0, r10 = 0, r36 = 0, r100=0, mrr = 0;
    for (size_t i = 0; i < queries; i++) {
        r1 += rank[i] <= 1;
        r10 += rank[i] <= 10;
        r36 += rank[i] <= 36;
        r100 += rank[i] <= 100;
        mrr += 1.0 / rank[i];
    }
    printf("%-40s R@1 %.3f R@10 %.3f R@36 %.3f R@100 %.3f MRR %.3f\n", name, r1 / queries, r10 / queries, r36 / queries, r100/queries, mrr / queries);
    fflush(stdout);
}
enum { K = 200 };
static uint32_t lid[QUERIES * K], did[QUERIES * K];
static float lsc[QUERIES * K], dsc[QUERIES * K];
static void lexical_variant(const struct encoder *enc, const char *name)
{
    struct lexical *lex;
    struct terms terms;
    struct lexical_terms t;
    static uint32_t rank[QUERIES];
    must(lexical_new(&lex, &error));
    must(terms_init(&terms, enc, &error));
    double t0 = now();
    for (uint32_t i = 0; i < pool.count; i++) {
        must(terms_make(&terms, strtab_get(&pool, i), &t, &error));
        must(lexical_add(lex, t, &error));
    }
    must(lexical_settle(lex, &error));
    double t1 = now();
    struct lexical_searcher *s;
    must(lexical_searcher_new(&s, &error));
    for (size_t q = 0; q < queries; q++) {
        size_t found;
        must(terms_make(&terms, strtab_get(&pool, query[q]), &t, &error));
        must(lexical_search(lex, s, t, NULL, K, lid + q * K, lsc + q * K, &found, &error));
        for (size_t i = found; i < K; i++) lid[q * K + i] = UINT32_MAX, lsc[q * K + i] = 0;
        float target = -1;
        for (size_t i = 0; i < found; i++)
            if (lid[q * K + i] == wanted[q]) target = lsc[q * K + i];
        rank[q] = 1;
        for (size_t i = 0; i < found; i++)
            rank[q] += lid[q * K + i] != wanted[q] && lid[q * K + i] != query[q] && lsc[q * K + i] >= target;
        if (target < 0) rank[q] = 1000;
    }
    double t2 = now();
    struct lexical_view v = lexical_view(lex);
    fprintf(stderr, "build %.1fs postings %.1fM query %.3f ms\n", t1 - t0, v.postings / 1e6, 1e3 * (t2 - t1) / queries);
    figures(name, rank);
    lexical_searcher_free(s);
    terms_free(&terms);
    lexical_free(lex);
}
int main(int argc, char **argv)
{
    film_model *model;
    (void)argc;
    read_data(argv[1], argv[2]);
    must(model_open(argv[3], &model, &error));
    if (strcmp(argv[4], "lex") == 0) {
        for (int i = 5; i < argc; i++) {
            sscanf(argv[i], "%lf,%lf,%lf,%lf", &X_gain, &X_pair, &X_idf, &X_unk);
            lexical_variant(&model->encoder, argv[i]);
        }
        return 0;
    }
    sscanf(argv[5], "%lf,%lf,%lf,%lf", &X_gain, &X_pair, &X_idf, &X_unk);
    lexical_variant(&model->encoder, argv[5]);
    size_t dim = model->encoder.dim;
    float *y = mem_array(pool.count, dim * 4);
    film_text *texts = mem_array(pool.count, sizeof *texts);
    for (uint32_t i = 0; i < pool.count; i++) texts[i] = strtab_get(&pool, i);
    must(encoder_embed_all(&model->encoder, texts, pool.count, 0, y, &error));
    for (uint32_t i = 0; i < pool.count; i++) vec_normalise(y + i * dim, dim);
    struct flat flat = {y, NULL, pool.count, dim};
    struct flat_queries fq = {query, queries, NULL};
    must(flat_search(&flat, &fq, K, 0, NULL, did, dsc, &error));

    enum { TOP = 150, F = 12 };
    FILE *f = fopen(argv[6], "wb");
    struct match_rule rule;
    must(match_rule(&rule, &model->decision, NULL, &error));
    float *feat = mem_zeroed(QUERIES * TOP * F, 4);
    uint32_t *ids = mem_array(QUERIES * TOP, 4);
    memset(ids, 0xff, QUERIES * TOP * 4);
    const double var[4][2] = {{0.5, 0}, {0.5, 0.5}, {0, 0}, {1, 0}};
#pragma omp parallel num_threads(2)
    {
        struct match m;
        film_error e;
        match_init(&m, &model->decision, &rule, &e);
        struct { uint32_t id; float d, l; } c[2 * K];
#pragma omp for schedule(dynamic, 8)
        for (size_t q = 0; q < queries; q++) {
            size_t n = 0;
            for (size_t i = 0; i < K; i++) if (did[q*K+i] != query[q]) c[n].id = did[q*K+i], c[n].d = dsc[q*K+i], c[n].l = 0, n++;
            for (size_t i = 0; i < K; i++) {
                if (lid[q*K+i] == UINT32_MAX || lid[q*K+i] == query[q]) continue;
                size_t j = 0;
                while (j < n && c[j].id != lid[q*K+i]) j++;
                if (j == n) c[n].id = lid[q*K+i], c[n].d = (float)vec_dot(y + (size_t)query[q]*dim, y + (size_t)lid[q*K+i]*dim, dim), n++;
                c[j].l = lsc[q*K+i];
            }
            for (size_t t = 0; t < TOP && t < n; t++) {
                size_t best = t;
                for (size_t j = t + 1; j < n; j++) if (c[j].d + 0.1f*c[j].l > c[best].d + 0.1f*c[best].l) best = j;
                __typeof__(c[0]) tmp = c[t]; c[t] = c[best]; c[best] = tmp;
                float *o = feat + (q * TOP + t) * F;
                film_verdict v;
                match_score(&m, texts[query[q]], texts[c[t].id], &v, &e);
                ids[q * TOP + t] = c[t].id;
                o[0] = c[t].d; o[1] = c[t].l; o[2] = (float)v.log_odds;
                const struct comparison *cmp = &m.survey.comparison;
                o[3] = (float)cmp->group[0]; o[4] = (float)cmp->group[2]; o[5] = (float)cmp->rest_similarity;
                o[6] = (float)(cmp->side[0].words); o[7] = (float)(cmp->side[1].words);
                if (m.survey.reading.swapped) { float z = o[6]; o[6] = o[7]; o[7] = z; }
            }
        }
        match_free(&m);
    }
    for (int w = 0; w < 4; w++) {
        X_gain = var[w][0]; X_pair = var[w][1];
        struct terms ta, tb; struct lexical_terms A, B;
        must(terms_init(&ta, &model->encoder, &error)); must(terms_init(&tb, &model->encoder, &error));
        for (size_t q = 0; q < queries; q++) {
            must(terms_make(&ta, texts[query[q]], &A, &error));
            for (size_t t = 0; t < TOP; t++) {
                if (ids[q*TOP+t] == UINT32_MAX) continue;
                must(terms_make(&tb, texts[ids[q*TOP+t]], &B, &error));
                double sum = 0;
                for (size_t i = 0; i < A.count; i++) for (size_t j = 0; j < B.count; j++) if (A.key[i] == B.key[j]) sum += A.weight[i] * B.weight[j];
                feat[(q*TOP+t)*F + 8 + w] = (float)sum;
            }
        }
    }
    fwrite(wanted, 4, QUERIES, f);
    fwrite(ids, 4, QUERIES * TOP, f);
    fwrite(feat, 4, QUERIES * TOP * F, f);
    fclose(f);
    return 0;
}
