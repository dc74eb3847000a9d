/* Measures how often the paper's pairwise kNN decides the same with the approximate index as with
 * exact search.
 *     knn_driver MODEL PAIRS.tsv [k, default 36]
 * All distinct sentences of the file are the neighbours; a pair is similar when each is among the
 * other's k nearest. Exact neighbours by la/flat.h, approximate ones by index/graph.h at several
 * widths. */
#include "base/mem.h"
#include "embed/encoder.h"
#include "model/model.h"
#include "la/flat.h"
#include "index/graph.h"
#include "learn/corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static film_error error;

static void must(film_status status)
{
    if (status == FILM_OK) return;
    fprintf(stderr, "knn_driver: %s\n", error.message);
    exit(1);
}

static int is_among(const uint32_t *list, size_t k, uint32_t id)
{
    for (size_t i = 0; i < k; i++)
        if (list[i] == id) return 1;
    return 0;
}

/* LISTS: per sentence, K ids. */
static void decide(const struct corpus *corpus, const uint32_t *lists, size_t k,
                   unsigned char *same)
{
    for (size_t i = 0; i < corpus->rows; i++) {
        uint32_t a = corpus->a[i], b = corpus->b[i];
        same[i] = a == b || (is_among(lists + a * k, k, b) && is_among(lists + b * k, k, a));
    }
}

static double share(const struct corpus *corpus, const unsigned char *same,
                    const unsigned char *other)
{
    double equal = 0;
    for (size_t i = 0; i < corpus->rows; i++)
        equal += other ? same[i] == other[i] : same[i] == (corpus->label[i] >= 0.5f);
    return 100 * equal / (double)corpus->rows;
}

/* The K nearest others: requests one more, because a sentence is its own nearest neighbour. */
static void search_graph(const struct graph_view *view, const float *rows, size_t count, size_t k,
                         size_t ef, uint32_t *lists)
{
    uint32_t *found = malloc(count * (k + 1) * sizeof *found);
    struct graph_question question = {.vector = rows, .k = k + 1, .ef = ef, .rows = rows};
    must(graph_search_many(view, &question, count, 0, NULL, &(struct nearest){found, NULL, 0},
                           &error));
    for (size_t i = 0; i < count; i++) {
        size_t kept = 0;
        for (size_t j = 0; j <= k && kept < k; j++)
            if (found[i * (k + 1) + j] != i) lists[i * k + kept++] = found[i * (k + 1) + j];
        while (kept < k) lists[i * k + kept++] = GRAPH_NONE;
    }
    free(found);
}

int main(int argc, char **argv)
{
    static const size_t widths[] = {64, 128, 256, 512};
    if (argc < 3) return 1;
    size_t k = argc > 3 ? strtoul(argv[3], NULL, 10) : 36;
    film_model *model = NULL;
    struct corpus corpus;
    film_table_options table = {.size = sizeof table};
    const char *path = argv[2];
    must(film_open(argv[1], &model, &error));
    must(corpus_read(&corpus, &path, 1, &table, NULL, &error));
    size_t count = corpus.sentences.count, dim = model->encoder.dim;
    film_text *texts = malloc(count * sizeof *texts);
    for (uint32_t i = 0; i < count; i++) texts[i] = strtab_get(&corpus.sentences, i);
    float *rows = mem_aligned(count * dim, sizeof *rows), *penalty = calloc(count, sizeof *penalty);
    must(encoder_embed_all(&model->encoder, texts, count, 0, rows, &error));
    encoder_prepare(&model->encoder, rows, count, 1, penalty);

    uint32_t *lists = malloc(count * k * sizeof *lists);
    unsigned char *exact = malloc(corpus.rows), *same = malloc(corpus.rows);
    struct flat flat = {.rows = rows, .count = count, .dim = dim};
    struct flat_queries all = {.count = count};
    must(flat_search(&flat, &all, k, 0, NULL, &(struct nearest){lists, NULL, 0}, &error));
    decide(&corpus, lists, k, exact);
    printf("%zu sentences, %zu pairs, k = %zu, mutual: exact accuracy %.2f %%\n", count,
           corpus.rows, k, share(&corpus, exact, NULL));

    struct graph *graph = NULL;
    struct graph_options options = {.dim = dim, .seed = 1};
    must(graph_new(&options, &graph, &error));
    must(graph_add(graph, rows, count, 0, NULL, &error));
    struct graph_view view = graph_view(graph);
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        search_graph(&view, rows, count, k, widths[w], lists);
        decide(&corpus, lists, k, same);
        printf("graph, ef %3zu: agrees on %.2f %% of the pairs, accuracy %.2f %%\n", widths[w],
               share(&corpus, same, exact), share(&corpus, same, NULL));
    }
    graph_free(graph);
    film_close(model);
    return 0;
}
