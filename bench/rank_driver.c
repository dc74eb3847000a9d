/* Compares the ranking loss on labelled pairs with TF-IDF cosine and BM25 in the same run.
 *
 *     rank_driver TRAIN.tsv DEV.tsv [name=value ...]       names: see `settings` below
 *
 * Features are fitted on TRAIN alone. accuracy: dev pairs, best cosine threshold. R@k and MRR: the
 * first 2,000 dev duplicates with different texts; question1 searches for question2 among all
 * distinct questions of both files, itself excluded, ties counted against. Dev pairs need 0/1.
 * sts=FILE: also Pearson's correlation of the cosine with that file's scores. */
#include "base/mem.h"
#include "base/clock.h"
#include "base/threads.h"
#include "learn/features_fit.h"
#include "embed/vec.h"
#include "learn/rank.h"
#include "learn/corpus.h"
#include "film_train.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { QUERIES = 2000, CHUNK = 4096, BLOCK = 250 };

struct settings {
    struct rank_options rank;
    size_t groups, min_df, peers, log;
    const char *sts;
};

struct data {
    struct corpus train, dev;
    struct strtab pool; /* distinct questions: those of train first, then those of dev */
    uint32_t *a, *b;    /* dev pairs as pool ids */
    uint32_t query[QUERIES], wanted[QUERIES];
    size_t queries;
    struct features features;
    struct csr x, pool_x; /* train rows; all rows */
};

static film_error error;

static void must(film_status status)
{
    if (status == FILM_OK) return;
    fprintf(stderr, "%s\n", error.message);
    exit(1);
}

/* ---- Data ---- */

static uint32_t pool_id(struct data *data, uint32_t dev_id)
{
    uint32_t id;
    film_text text = strtab_get(&data->dev.sentences, dev_id);
    must(strtab_add(&data->pool, text.bytes, text.length, &id, &error));
    return id;
}

static void read_data(struct data *data, char **paths)
{
    film_table_options table = {.size = sizeof table};
    const char *train = paths[0], *dev = paths[1];
    must(corpus_read(&data->train, &train, 1, &table, NULL, &error));
    must(corpus_read(&data->dev, &dev, 1, &table, NULL, &error));
    must(strtab_init(&data->pool, &error));
    for (uint32_t i = 0, id; i < data->train.sentences.count; i++) {
        film_text text = strtab_get(&data->train.sentences, i);
        must(strtab_add(&data->pool, text.bytes, text.length, &id, &error));
    }
    data->a = mem_array(data->dev.rows, sizeof *data->a);
    data->b = mem_array(data->dev.rows, sizeof *data->b);
    for (size_t i = 0; i < data->dev.rows; i++) {
        data->a[i] = pool_id(data, data->dev.a[i]);
        data->b[i] = pool_id(data, data->dev.b[i]);
        if (data->dev.label[i] < 0.5f || data->a[i] == data->b[i] || data->queries == QUERIES)
            continue;
        data->query[data->queries] = data->a[i];
        data->wanted[data->queries++] = data->b[i];
    }
}

/* Rows of all pool sentences: those of train exist already. */
static void fit(struct data *data, const struct settings *s, unsigned groups)
{
    struct tokenizer tokenizer;
    struct features_options options = {groups, s->min_df, 0, s->rank.threads, {0}, NULL};
    must(tokenizer_init(&tokenizer, NULL, NULL, &error));
    must(features_fit(&data->features, &tokenizer, &data->train.sentences, &options, &data->x,
                      &error));
}

static void transform(struct data *data)
{
    size_t train = data->x.rows, count = data->pool.count, used = data->x.start[train], room = used;
    struct feature_row row;
    must(csr_alloc(&data->pool_x, count, data->x.cols, used, &error));
    struct csr *out = &data->pool_x;
    memcpy(out->start, data->x.start, (train + 1) * sizeof *out->start);
    memcpy(out->col, data->x.col, used * sizeof *out->col);
    memcpy(out->val, data->x.val, used * sizeof *out->val);
    must(feature_row_init(&row, &data->features, &error));
    for (uint32_t i = (uint32_t)train; i < count; i++) {
        must(features_transform(&data->features, &row, strtab_get(&data->pool, i), &error));
        if (used + row.count > room) {
            room = room + room / 4 + row.count;
            out->col = mem_resize(out->col, room, sizeof *out->col);
            out->val = mem_resize(out->val, room, sizeof *out->val);
        }
        memcpy(out->col + used, row.id, row.count * sizeof *out->col);
        memcpy(out->val + used, row.value, row.count * sizeof *out->val);
        used += row.count;
        out->start[i + 1] = used;
    }
    feature_row_free(&row);
}

/* ---- Measures ---- */

struct scored {
    float score, label;
};

static int higher_first(const void *left, const void *right)
{
    float a = ((const struct scored *)left)->score, b = ((const struct scored *)right)->score;
    return a > b ? -1 : a < b;
}

static double best_accuracy(struct scored *pairs, size_t count)
{
    size_t negatives = 0, right, best;
    for (size_t i = 0; i < count; i++) negatives += pairs[i].label < 0.5f;
    qsort(pairs, count, sizeof *pairs, higher_first);
    right = best = negatives;
    for (size_t i = 0; i < count; i++) {
        right += pairs[i].label > 0.5f ? 1 : (size_t)-1;
        if ((i + 1 == count || pairs[i + 1].score < pairs[i].score) && right > best) best = right;
    }
    return 100.0 * (double)best / (double)count;
}

static void print_figures(const char *name, double accuracy, const size_t *rank, size_t count,
                          double wall, double cpu)
{
    double at[3] = {0}, mrr = 0.0, n = (double)count;
    for (size_t i = 0; i < count; i++) {
        at[0] += rank[i] <= 1;
        at[1] += rank[i] <= 10;
        at[2] += rank[i] <= 36;
        mrr += 1.0 / (double)rank[i];
    }
    printf("%-12s accuracy %.2f  R@1 %.4f  R@10 %.4f  R@36 %.4f  MRR %.4f  wall %.1f s  cpu %.1f "
           "s\n",
           name, accuracy, at[0] / n, at[1] / n, at[2] / n, mrr / n, wall, cpu);
    fflush(stdout);
}

/* Ranks by the cosine of dense vectors (pool x dim, length 1). */
static void dense_ranks(const struct data *data, const float *y, size_t dim, size_t *rank)
{
    size_t pool = data->pool.count;
    float *query = mem_array(data->queries * dim, sizeof *query);
    float *wanted = mem_array(data->queries, sizeof *wanted);
    float *scores = mem_array(BLOCK * (size_t)CHUNK, sizeof *scores);
    for (size_t q = 0; q < data->queries; q++) {
        memcpy(query + q * dim, y + data->query[q] * dim, dim * sizeof *query);
        rank[q] = 1;
    }
    for (size_t q = 0; q < data->queries; q += BLOCK) {
        size_t block = data->queries - q < BLOCK ? data->queries - q : BLOCK;
        /* The targets' scores come from the same product, so that equal vectors tie exactly. */
        for (int pass = 0; pass < 2; pass++)
            for (size_t first = 0; first < pool; first += CHUNK) {
                size_t chunk = pool - first < CHUNK ? pool - first : CHUNK;
                if (pass == 0) { /* only chunks that contain a target */
                    int any = 0;
                    for (size_t i = q; i < q + block; i++)
                        any |= data->wanted[i] >= first && data->wanted[i] < first + chunk;
                    if (!any) continue;
                }
                cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)block, (int)chunk,
                            (int)dim, 1.0f, query + q * dim, (int)dim, y + first * dim, (int)dim,
                            0.0f, scores, (int)chunk);
                for (size_t i = 0; i < block; i++) {
                    const float *row = scores + i * chunk;
                    size_t target = data->wanted[q + i], self = data->query[q + i];
                    if (pass == 0) {
                        if (target >= first && target < first + chunk)
                            wanted[q + i] = row[target - first] - 1e-6f;
                        continue;
                    }
                    size_t better = 0;
                    for (size_t j = 0; j < chunk; j++) better += row[j] >= wanted[q + i];
                    if (target >= first && target < first + chunk) better--;
                    if (self >= first && self < first + chunk) /* excludes the query itself */
                        better -= row[self - first] >= wanted[q + i];
                    rank[q + i] += better;
                }
            }
    }
    mem_free(query);
    mem_free(wanted);
    mem_free(scores);
}

static void measure_map(const struct data *data, const char *name, const float *map, size_t dim,
                        double wall, double cpu)
{
    size_t pool = data->pool.count, rank[QUERIES];
    float *y = mem_array(pool * dim, sizeof *y);
    struct scored *pairs = mem_array(data->dev.rows, sizeof *pairs);
    csr_times(&data->pool_x, map, dim, threads_count(0), y);
    for (size_t i = 0; i < pool; i++) vec_normalise(y + i * dim, dim);
    for (size_t i = 0; i < data->dev.rows; i++)
        pairs[i] = (struct scored){(float)vec_dot(y + data->a[i] * dim, y + data->b[i] * dim, dim),
                                   data->dev.label[i]};
    dense_ranks(data, y, dim, rank);
    print_figures(name, best_accuracy(pairs, data->dev.rows), rank, data->queries, wall, cpu);
    mem_free(y);
    mem_free(pairs);
}

/* ---- Baselines: sparse scores ---- */

static float sparse_dot(const struct csr *left, size_t i, const struct csr *right, size_t j)
{
    double sum = 0.0;
    size_t k = left->start[i], m = right->start[j];
    while (k < left->start[i + 1] && m < right->start[j + 1]) {
        if (left->col[k] < right->col[m])
            k++;
        else if (left->col[k] > right->col[m])
            m++;
        else
            sum += (double)left->val[k++] * (double)right->val[m++];
    }
    return (float)sum;
}

/* Scores are LEFT (queries) times RIGHT (documents), both pool x features. */
static void sparse_figures(const struct data *data, const char *name, const struct csr *left,
                           const struct csr *right)
{
    double wall = clock_read(CLOCK_MONOTONIC), cpu = clock_read(CLOCK_PROCESS_CPUTIME_ID);
    size_t pool = data->pool.count, rank[QUERIES];
    struct csr postings;
    struct scored *pairs = mem_array(data->dev.rows, sizeof *pairs);
    float *score = mem_array(pool, sizeof *score);
    must(csr_transpose(right, threads_count(0), &postings, &error));
    for (size_t i = 0; i < data->dev.rows; i++)
        pairs[i] =
            (struct scored){sparse_dot(left, data->a[i], right, data->b[i]), data->dev.label[i]};
    for (size_t q = 0; q < data->queries; q++) {
        memset(score, 0, pool * sizeof *score);
        for (size_t k = left->start[data->query[q]]; k < left->start[data->query[q] + 1]; k++)
            for (size_t e = postings.start[left->col[k]]; e < postings.start[left->col[k] + 1]; e++)
                score[postings.col[e]] += left->val[k] * postings.val[e];
        float limit = score[data->wanted[q]] - 1e-6f;
        rank[q] = 1;
        for (size_t j = 0; j < pool; j++)
            rank[q] += score[j] >= limit && j != data->wanted[q] && j != data->query[q];
    }
    print_figures(name, best_accuracy(pairs, data->dev.rows), rank, data->queries,
                  clock_read(CLOCK_MONOTONIC) - wall, clock_read(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    csr_free(&postings);
    mem_free(pairs);
    mem_free(score);
}

/* BM25 (k1 1.2, b 0.75) over the words; counts are recovered from 1 + log count, up to scale. */
static void measure_bm25(const struct data *data)
{
    const struct csr *x = &data->pool_x;
    size_t n = x->rows, entries = x->start[n];
    double *df = mem_zeroed(x->cols, sizeof *df), mean = (double)entries / (double)n;
    struct csr query = *x, document = *x;
    query.val = mem_array(entries, sizeof *query.val);
    document.val = mem_array(entries, sizeof *document.val);
    for (size_t k = 0; k < entries; k++) df[x->col[k]] += 1.0;
    for (size_t i = 0; i < n; i++) {
        double least = INFINITY, length = (double)(x->start[i + 1] - x->start[i]);
        for (size_t k = x->start[i]; k < x->start[i + 1]; k++)
            least = fmin(least, (double)(x->val[k] / data->features.idf[x->col[k]]));
        for (size_t k = x->start[i]; k < x->start[i + 1]; k++) {
            double tf = exp((double)(x->val[k] / data->features.idf[x->col[k]]) / least - 1.0);
            double idf = log(1.0 + ((double)n - df[x->col[k]] + 0.5) / (df[x->col[k]] + 0.5));
            query.val[k] = (float)idf;
            document.val[k] = (float)(tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / mean)));
        }
    }
    sparse_figures(data, "BM25", &query, &document);
    mem_free(query.val);
    mem_free(document.val);
    mem_free(df);
}

/* ---- Scores ---- */

static double pearson(const double *x, const float *y, size_t n)
{
    double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < n; i++) mx += x[i] / (double)n, my += (double)y[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        double dx = x[i] - mx, dy = (double)y[i] - my;
        xx += dx * dx, yy += dy * dy, xy += dx * dy;
    }
    return xy / sqrt(xx * yy);
}

static void measure_scores(const struct data *data, const char *path, const float *map, size_t dim)
{
    struct corpus corpus;
    film_table_options table = {.size = sizeof table};
    struct feature_row row[2];
    must(corpus_read(&corpus, &path, 1, &table, NULL, &error));
    double *cosine = mem_array(2 * corpus.rows, sizeof *cosine); /* of rows, of vectors */
    float *y = mem_array(2 * dim, sizeof *y);
    for (int side = 0; side < 2; side++)
        must(feature_row_init(&row[side], &data->features, &error));
    for (size_t i = 0; i < corpus.rows; i++) {
        memset(y, 0, 2 * dim * sizeof *y);
        for (int side = 0; side < 2; side++) {
            film_text text = strtab_get(&corpus.sentences, side ? corpus.b[i] : corpus.a[i]);
            must(features_transform(&data->features, &row[side], text, &error));
            for (size_t k = 0; k < row[side].count; k++)
                vec_add_scaled(y + side * dim, row[side].value[k], map + row[side].id[k] * dim,
                               dim);
            vec_normalise(y + side * dim, dim);
        }
        struct csr rows[2];
        size_t starts[2][2] = {{0, row[0].count}, {0, row[1].count}};
        for (int side = 0; side < 2; side++)
            rows[side] =
                (struct csr){1, data->x.cols, starts[side], row[side].id, row[side].value, NULL};
        cosine[i] = (double)sparse_dot(&rows[0], 0, &rows[1], 0);
        cosine[corpus.rows + i] = vec_dot(y, y + dim, dim);
    }
    printf("%s: Pearson, same features: TF-IDF %.4f, rank %.4f\n", path,
           pearson(cosine, corpus.label, corpus.rows),
           pearson(cosine + corpus.rows, corpus.label, corpus.rows));
    for (int side = 0; side < 2; side++) feature_row_free(&row[side]);
    mem_free(cosine);
    mem_free(y);
    corpus_free(&corpus);
}

/* ---- The run ---- */

static void set_option(struct settings *s, const char *text)
{
    struct {
        const char *name;
        size_t *whole;
        double *real;
    } names[] = {{"dim", &s->rank.dim, NULL},
                 {"batch", &s->rank.batch, NULL},
                 {"epochs", &s->rank.epochs, NULL},
                 {"hard", &s->rank.hard, NULL},
                 {"temperature", NULL, &s->rank.temperature},
                 {"rate", NULL, &s->rank.rate},
                 {"weight_rate", NULL, &s->rank.weight_rate},
                 {"decision", NULL, &s->rank.decision},
                 {"ground", NULL, &s->rank.ground},
                 {"dropout", NULL, &s->rank.dropout},
                 {"groups", &s->groups, NULL},
                 {"min_df", &s->min_df, NULL},
                 {"peers", &s->peers, NULL},
                 {"log", &s->log, NULL}};
    const char *value = strchr(text, '=');
    size_t length = value ? (size_t)(value - text) : 0;
    for (size_t i = 0; value && i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i].name) != length || strncmp(names[i].name, text, length) != 0) continue;
        if (names[i].whole) *names[i].whole = strtoul(value + 1, NULL, 10);
        if (names[i].real) *names[i].real = strtod(value + 1, NULL);
        return;
    }
    if (strncmp(text, "sts=", 4) == 0)
        s->sts = text + 4;
    else if (strncmp(text, "threads=", 8) == 0)
        s->rank.threads = atoi(text + 8);
    else if (strncmp(text, "seed=", 5) == 0)
        s->rank.seed = strtoull(text + 5, NULL, 10);
    else {
        fprintf(stderr, "what is '%s'?\n", text);
        exit(1);
    }
}

static struct rank_labels labels_of(const struct corpus *corpus)
{
    struct rank_pair *positive = mem_array(corpus->rows, sizeof *positive);
    struct rank_pair *negative = mem_array(corpus->rows, sizeof *negative);
    struct rank_labels labels = {positive, negative, 0, 0};
    for (size_t i = 0; i < corpus->rows; i++)
        if (corpus->label[i] > 0.5f)
            positive[labels.positives++] = (struct rank_pair){corpus->a[i], corpus->b[i]};
        else
            negative[labels.negatives++] = (struct rank_pair){corpus->a[i], corpus->b[i]};
    return labels;
}

static void measure_peers(struct data *data, const struct settings *settings)
{
    struct data words = *data;
    fit(&words, settings, FILM_WORD);
    transform(&words);
    sparse_figures(&words, "TF-IDF words", &words.pool_x, &words.pool_x);
    csr_free(&words.x);
    csr_free(&words.pool_x);
    features_free(&words.features);
    /* BM25 learns nothing from train: it gets every word of the pool, like a search engine. */
    struct tokenizer tokenizer;
    struct features_options all = {FILM_WORD, 1, 0, settings->rank.threads, {0}, NULL};
    must(tokenizer_init(&tokenizer, NULL, NULL, &error));
    must(features_fit(&words.features, &tokenizer, &data->pool, &all, &words.pool_x, &error));
    measure_bm25(&words);
    csr_free(&words.pool_x);
    features_free(&words.features);
}

int main(int count, char **arguments)
{
    static struct data data;
    struct settings settings = {.groups = FILM_WORD | FILM_CHAR, .min_df = 2, .peers = 1};
    rank_defaults(&settings.rank);
    if (count < 3) return fprintf(stderr, "rank_driver TRAIN DEV [name=value ...]\n"), 1;
    for (int i = 3; i < count; i++) set_option(&settings, arguments[i]);
    threads_count(settings.rank.threads);
    read_data(&data, arguments + 1);
    if (settings.peers) {
        printf("%zu train pairs, %u sentences in the pool, %zu queries\n", data.train.rows,
               data.pool.count, data.queries);
        measure_peers(&data, &settings);
    }
    struct rank_learned learned;
    double wall = clock_read(CLOCK_MONOTONIC), cpu = clock_read(CLOCK_PROCESS_CPUTIME_ID);
    fit(&data, &settings, (unsigned)settings.groups);
    double fitted = clock_read(CLOCK_MONOTONIC) - wall;
    struct rank_labels labels = labels_of(&data.train);
    must(rank_learn(&data.x, &labels, &settings.rank, &learned, &error));
    wall = clock_read(CLOCK_MONOTONIC) - wall;
    cpu = clock_read(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    if (settings.log) {
        printf("%zu features, %zu pairs, %zu clusters, %zu contradictions, %zu hard candidates; "
               "features %.1f s, border %.3f\n",
               learned.features, learned.pairs, learned.clusters, learned.contradictions,
               learned.labelled, fitted, learned.border);
        for (size_t i = 0; i < learned.history_count; i += settings.log)
            printf("  epoch %.2f loss %.4f\n", learned.history[i].epoch, learned.history[i].loss);
    }
    transform(&data);
    for (int i = 3; i < count; i++) printf("%s ", arguments[i]);
    measure_map(&data, "rank", learned.map, learned.dim, wall, cpu);
    if (settings.sts) measure_scores(&data, settings.sts, learned.map, learned.dim);
    rank_learned_free(&learned);
    return 0;
}
