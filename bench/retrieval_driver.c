/* Measures retrieval of a question's duplicate from a pool, by film search and by its parts.
 *
 *     retrieval_driver POOL DEV.tsv
 *
 * The first 2,000 dev duplicates with different texts: question1 searches for question2 among all
 * sentences of POOL, itself excluded. Ranks are among the 100 best of each ranking (a missing
 * partner has rank 1000); ties count against us. Times are single-threaded wall-clock times. */
#include "base/mem.h"
#include "base/clock.h"
#include "pool/snapshot.h"
#include "learn/corpus.h"
#include "index/terms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUERIES = 2000, K = 101, RANKINGS = 4 };
static const char *const names[RANKINGS] = {"words alone", "vectors alone", "merged",
                                            "merged + pair decision"};

static film_error error;
static struct corpus dev;
static film_text query[QUERIES], wanted[QUERIES];
static size_t queries;
static size_t rank_of[RANKINGS][QUERIES];

static void must(film_status status)
{
    if (status == FILM_OK) return;
    fprintf(stderr, "%s\n", error.message);
    exit(1);
}

static int same(film_text a, film_text b)
{
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

static void read_queries(const char *path)
{
    film_table_options table = {.size = sizeof table};
    must(corpus_read(&dev, &path, 1, &table, NULL, &error));
    for (size_t i = 0; i < dev.rows && queries < QUERIES; i++) {
        if (dev.label[i] < 0.5f || dev.a[i] == dev.b[i]) continue;
        query[queries] = strtab_get(&dev.sentences, dev.a[i]);
        wanted[queries++] = strtab_get(&dev.sentences, dev.b[i]);
    }
}

/* The rank of the partner in a list of (text, score), which is read twice: first to find it, then
 * to count those with at least its score. */
struct list {
    film_text text[K];
    double score[K];
    size_t count;
    char *bytes;
};

static void note(int ranking, size_t q, const struct list *list)
{
    size_t rank = 1000;
    for (size_t i = 0; i < list->count; i++)
        if (same(list->text[i], wanted[q])) {
            rank = 1;
            for (size_t j = 0; j < list->count; j++)
                rank +=
                    j != i && !same(list->text[j], query[q]) && list->score[j] >= list->score[i];
        }
    rank_of[ranking][q] = rank;
}

static void print(int ranking, double seconds)
{
    double r1 = 0, r10 = 0, r36 = 0, mrr = 0, n = (double)queries;
    for (size_t i = 0; i < queries; i++) {
        size_t rank = rank_of[ranking][i];
        r1 += rank <= 1;
        r10 += rank <= 10;
        r36 += rank <= 36;
        mrr += 1.0 / (double)rank;
    }
    printf("%-24s R@1 %.3f  R@10 %.3f  R@36 %.3f  MRR %.3f  %6.2f ms a query\n", names[ranking],
           r1 / n, r10 / n, r36 / n, mrr / n, 1e3 * seconds / n);
    fflush(stdout);
}

/* The texts of ids, from the pool. */
static void fill(struct list *list, struct db *db, const struct pool_snapshot *snapshot,
                 const uint32_t *id, const float *score, size_t count)
{
    struct store_sentence sentence;
    int found;
    for (size_t i = 0; i < list->count; i++) free((void *)list->text[i].bytes);
    list->count = 0;
    for (size_t i = 0; i < count; i++) {
        must(store_find_number(db, snapshot->numbers[id[i]], &sentence, &found, &error));
        if (!found) continue;
        film_text text = sentence.fields.text;
        list->text[list->count] = (film_text){strndup(text.bytes, text.length), text.length};
        list->score[list->count++] = (double)score[i];
    }
}

static void measure_parts(film_pool *pool)
{
    const struct pool_snapshot *snapshot;
    struct db *db;
    struct index_searcher *hybrid;
    static struct list list;
    struct index_candidate found[K];
    uint32_t id[K];
    float score[K];
    double seconds[RANKINGS] = {0};
    struct pool_learned *learned;
    must(pool_read(pool, &db, &error));
    must(pool_learned(pool, db, &learned, &error));
    const film_model *model = learned->model;
    must(snapshot_begin(pool, learned, db, 0, NULL, &snapshot, &error));
    must(index_searcher_new(snapshot->index, &hybrid, &error));
    float *vector = mem_array(learned->dim + 1, sizeof *vector);
    struct lexical *lexical = NULL;
    struct lexical_searcher *searcher = NULL;
    struct terms terms;
    struct graph_view dense_arrays;
    struct lexical_view lexical_arrays;
    index_views(snapshot->index, &dense_arrays, &lexical_arrays);
    must(lexical_open(&lexical_arrays, &lexical, &error));
    must(lexical_searcher_new(&searcher, &error));
    must(terms_init(&terms, &model->encoder, &error));
    for (size_t q = 0; q < queries; q++) {
        struct lexical_terms words;
        size_t count;
        struct nearest out = {id, score, 0};
        double start = clock_seconds();
        must(terms_make(&terms, query[q], &words, &error));
        must(lexical_search(lexical, searcher, words, NULL, K, &out, &error));
        seconds[0] += clock_seconds() - start;
        fill(&list, db, snapshot, id, score, out.found);
        note(0, q, &list);
        if (learned->dim) {
            start = clock_seconds();
            must(encoder_embed_all(&model->encoder, &query[q], 1, 1, vector, &error));
            must(index_nearest(snapshot->index, hybrid, vector, K, &out, &error));
            seconds[1] += clock_seconds() - start;
            fill(&list, db, snapshot, id, score, out.found);
            note(1, q, &list);
        }
        start = clock_seconds();
        must(index_candidates_text(snapshot->index, hybrid, query[q], K, found, &count, &error));
        seconds[2] += clock_seconds() - start;
        for (size_t i = 0; i < count; i++) {
            id[i] = found[i].id;
            score[i] = found[i].score;
        }
        fill(&list, db, snapshot, id, score, out.found);
        note(2, q, &list);
    }
    for (int i = 0; i < 3; i++) print(i, seconds[i]);
    terms_free(&terms);
    lexical_searcher_free(searcher);
    lexical_free(lexical);
    index_searcher_free(hybrid);
    snapshot_end(learned);
    pool_read_end(pool, db);
    mem_free(vector);
}

static int keep_answer(void *user, const film_found *found)
{
    struct list *list = user;
    list->text[list->count] =
        (film_text){strndup(found->sentence.text.bytes, found->sentence.text.length),
                    found->sentence.text.length};
    list->score[list->count++] = found->score;
    return 0;
}

static void measure_search(film_pool *pool)
{
    static struct list list;
    film_search_options options;
    double seconds = 0;
    options = (film_search_options){.size = sizeof options};
    options.k = options.candidates = K;
    for (size_t q = 0; q < queries; q++) {
        for (size_t i = 0; i < list.count; i++) free((void *)list.text[i].bytes);
        list.count = 0;
        double start = clock_seconds();
        must(film_pool_search(pool, query[q], &options, keep_answer, &list, &error));
        seconds += clock_seconds() - start;
        note(3, q, &list);
    }
    print(3, seconds);
}

int main(int count, char **words)
{
    film_pool *pool;
    if (count != 3) return 1;
    read_queries(words[2]);
    must(film_pool_open(words[1], &pool, &error));
    printf("%zu queries\n", queries);
    measure_parts(pool);
    measure_search(pool);
    film_pool_close(pool);
    return 0;
}
