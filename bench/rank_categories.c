/* Compares the ranking loss on categories with TF-IDF cosine: 5-fold accuracy of a vote of the five
 * nearest training sentences, weighted by similarity.
 *
 *     rank_categories FILE.csv [epochs [dim [groups]]]
 *
 * Sentences of one category are positives of each other: every sentence is paired with MATES others
 * of its category, which makes the category one cluster. */
#include "base/mem.h"
#include "base/rng.h"
#include "base/threads.h"
#include "learn/features_fit.h"
#include "embed/vec.h"
#include "learn/rank.h"
#include "learn/corpus.h"
#include "film_train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FOLDS = 5, NEAREST = 5, MATES = 4 };

static film_error error;

static void must(film_status status)
{
    if (status == FILM_OK) return;
    fprintf(stderr, "%s\n", error.message);
    exit(1);
}

struct part_data {
    struct strtab sentences; /* of the four other folds */
    uint32_t *category;      /* of each */
    struct features features;
    struct csr x;
};

/* The winner of the vote among the NEAREST highest scores. */
static uint32_t vote(const float *score, size_t count, const uint32_t *category)
{
    size_t best[NEAREST], used = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = used < NEAREST ? used++ : NEAREST;
        for (; at > 0 && score[i] > score[best[at - 1]]; at--)
            if (at < NEAREST) best[at] = best[at - 1];
        if (at < NEAREST) best[at] = i;
    }
    float most = -1.0f;
    uint32_t winner = 0;
    for (size_t i = 0; i < used; i++) {
        float votes = 0.0f;
        for (size_t j = 0; j < used; j++)
            if (category[best[j]] == category[best[i]]) votes += score[best[j]];
        if (votes > most) most = votes, winner = category[best[i]];
    }
    return winner;
}

static struct rank_labels pairs_of(const struct part_data *fold, struct rng *rng)
{
    size_t n = fold->x.rows;
    struct rank_pair *pairs = mem_array(n * MATES, sizeof *pairs);
    struct rank_labels labels = {.positive = pairs};
    for (uint32_t i = 0; i < n; i++)
        for (size_t found = 0, tries = 0; found < MATES && tries < 100000; tries++) {
            uint32_t j = (uint32_t)rng_below(rng, n);
            if (j == i || fold->category[i] != fold->category[j]) continue;
            pairs[labels.positives++] = (struct rank_pair){i, j};
            found++;
        }
    return labels;
}

/* Counts the correct ones of a fold by TF-IDF and by rank. */
static void measure(const struct part_data *fold, const struct corpus *corpus, const char *part_of,
                    int part, const struct rank_learned *learned, size_t right[2])
{
    size_t n = fold->x.rows, d = learned->dim;
    struct csr postings;
    struct feature_row row;
    float *y = mem_array(n * d, sizeof *y), *score = mem_array(n, sizeof *score);
    float *q = mem_array(d, sizeof *q);
    must(csr_transpose(&fold->x, 1, &postings, &error));
    must(feature_row_init(&row, &fold->features, &error));
    csr_times(&fold->x, learned->map, d, threads_count(0), y);
    for (size_t i = 0; i < n; i++) vec_normalise(y + i * d, d);
    for (size_t i = 0; i < corpus->rows; i++) {
        if (part_of[i] != part) continue;
        must(features_transform(&fold->features, &row, strtab_get(&corpus->sentences, corpus->a[i]),
                                &error));
        memset(score, 0, n * sizeof *score);
        memset(q, 0, d * sizeof *q);
        for (size_t k = 0; k < row.count; k++) {
            size_t f = row.id[k];
            vec_add_scaled(q, row.value[k], learned->map + f * d, d);
            for (size_t e = postings.start[f]; e < postings.start[f + 1]; e++)
                score[postings.col[e]] += row.value[k] * postings.val[e];
        }
        right[0] += vote(score, n, fold->category) == corpus->category[i];
        vec_normalise(q, d);
        for (size_t j = 0; j < n; j++) score[j] = (float)vec_dot(q, y + j * d, d);
        right[1] += vote(score, n, fold->category) == corpus->category[i];
    }
    feature_row_free(&row);
    csr_free(&postings);
    mem_free(y);
    mem_free(score);
    mem_free(q);
}

static void run_fold(const struct corpus *corpus, const char *part_of, int part,
                     const struct rank_options *options, unsigned groups, size_t right[2])
{
    struct part_data fold = {0};
    struct tokenizer tokenizer;
    struct features_options wanted = {groups, 2, 0, 0, {0}, NULL};
    struct rank_learned learned;
    struct rng rng;
    must(strtab_init(&fold.sentences, &error));
    fold.category = mem_array(corpus->rows, sizeof *fold.category);
    for (size_t i = 0; i < corpus->rows; i++) {
        uint32_t id;
        film_text text = strtab_get(&corpus->sentences, corpus->a[i]);
        if (part_of[i] == part) continue;
        must(strtab_add(&fold.sentences, text.bytes, text.length, &id, &error));
        fold.category[id] = corpus->category[i];
    }
    must(tokenizer_init(&tokenizer, NULL, NULL, &error));
    must(features_fit(&fold.features, &tokenizer, &fold.sentences, &wanted, &fold.x, &error));
    rng_seed(&rng, 7);
    struct rank_labels labels = pairs_of(&fold, &rng);
    must(rank_learn(&fold.x, &labels, options, &learned, &error));
    measure(&fold, corpus, part_of, part, &learned, right);
    rank_learned_free(&learned);
    mem_free((void *)labels.positive);
    features_free(&fold.features);
    csr_free(&fold.x);
    strtab_free(&fold.sentences);
    mem_free(fold.category);
}

int main(int count, char **arguments)
{
    struct corpus corpus;
    film_table_options table = {.size = sizeof table};
    struct rank_options options;
    struct rng rng;
    size_t right[2] = {0};
    if (count < 2) return fprintf(stderr, "rank_categories FILE [epochs [dim [groups]]]\n"), 1;
    const char *path = arguments[1];
    rank_defaults(&options);
    if (count > 2) options.epochs = strtoul(arguments[2], NULL, 10);
    if (count > 3) options.dim = strtoul(arguments[3], NULL, 10);
    unsigned groups = count > 4 ? (unsigned)atoi(arguments[4]) : FILM_WORD | FILM_CHAR;
    must(corpus_read(&corpus, &path, 1, &table, NULL, &error));
    char *part_of = mem_array(corpus.rows, 1);
    rng_seed(&rng, 3);
    for (size_t i = 0; i < corpus.rows; i++) part_of[i] = (char)rng_below(&rng, FOLDS);
    clock_t start = clock();
    for (int part = 0; part < FOLDS; part++)
        run_fold(&corpus, part_of, part, &options, groups, right);
    printf("%zu sentences, %d folds, %d nearest: TF-IDF %.2f %%, rank %.2f %% (cpu %.1f s)\n",
           corpus.rows, FOLDS, NEAREST, 100.0 * (double)right[0] / (double)corpus.rows,
           100.0 * (double)right[1] / (double)corpus.rows,
           (double)(clock() - start) / CLOCKS_PER_SEC);
    mem_free(part_of);
    corpus_free(&corpus);
    return 0;
}
