/* Counts violations of the guarantee: pairs whose only difference is a number, a negation, an
 * opposite or an exchange, and that are called the same although the prior says so for nearly all.
 *
 *     guarantee_driver MODEL SENTENCES [PAIRS [THREADS]]
 *
 * The sentences of the table SENTENCES are mutated by the templates of tests/lib/mutated.h: PAIRS
 * (10,000,000) pairs in THREADS (2) threads. Output as TSV: kind, pairs, called the same; then the
 * first violations. The exit status is 1 when there are any. */
#include "../tests/lib/mutated.h"
#include "base/mem.h"
#include "film.h"
#include "film_io.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_THREADS = 64, SHOWN = 3, LONGEST = 600 };

struct share {
    const film_model *model;
    char **sentences;
    size_t count, pairs;
    uint64_t seed;
    size_t made[MUTATED_KINDS], same[MUTATED_KINDS];
    char first[SHOWN][2 * MUTATED_ROOM + 8];
    film_error error;
    film_status status;
    pthread_t thread;
};

static void fail(const char *message)
{
    fprintf(stderr, "%s\n", message);
    exit(2);
}

static size_t read_sentences(const char *path, char ***sentences)
{
    film_error error;
    film_table *table;
    film_row row;
    size_t count = 0, capacity = 0;
    film_table_options options = {.size = sizeof options};
    if (film_table_open(path, &options, &table, &error) != FILM_OK) fail(error.message);
    while (film_table_next(table, &row, &error) == FILM_OK) {
        if (!row.a.length || row.a.length > LONGEST) continue;
        if (!mem_grow((void **)sentences, &capacity, count + 1, sizeof **sentences) ||
            !((*sentences)[count++] = mem_string(row.a.bytes, row.a.length)))
            fail("no memory");
    }
    film_table_close(table);
    return count;
}

static void *judge(void *user)
{
    struct share *share = user;
    film_context *context = NULL;
    char a[MUTATED_ROOM], b[MUTATED_ROOM];
    struct rng rng;
    rng_seed(&rng, share->seed);
    film_answer_options answer = {.size = sizeof answer, .no_reasons = 1, .prior = 0.9999999};
    share->status = film_context_new(share->model, &context, &share->error);
    if (share->status == FILM_OK) share->status = film_context_set(context, &answer, &share->error);
    for (size_t i = 0; i < share->pairs && share->status == FILM_OK; i++) {
        film_verdict verdict;
        int kind = (int)(i % MUTATED_KINDS);
        const char *sentence = share->sentences[rng_below(&rng, share->count)];
        if (kind == 3 && mutated_is_mutual(sentence)) continue;
        mutated_pair(&rng, kind, sentence, a, b);
        share->status =
            film_match(context, film_string(a), film_string(b), &verdict, &share->error);
        share->made[kind]++;
        if (share->status != FILM_OK || !verdict.same) continue;
        if (share->same[kind]++ < SHOWN)
            snprintf(share->first[share->same[kind] - 1], sizeof *share->first, "%s\t%s", a, b);
    }
    film_context_free(context);
    return NULL;
}

static film_model *open_with_words(const char *path)
{
    film_error error;
    film_model *model = NULL;
    char name[] = "/tmp/film-guarantee.XXXXXX";
    int handle = mkstemp(name);
    FILE *file = handle < 0 ? NULL : fdopen(handle, "w");
    if (!file) fail("cannot write a file of words in /tmp");
    mutated_write_words(file);
    fclose(file);
    if (film_open(path, &model, &error) != FILM_OK ||
        film_add_words(model, name, &error) != FILM_OK)
        fail(error.message);
    unlink(name);
    return model;
}

int main(int count, char **arguments)
{
    static struct share shares[MOST_THREADS];
    char **sentences = NULL;
    size_t pairs = count > 3 ? strtoull(arguments[3], NULL, 10) : 10000000, violations = 0;
    size_t threads = count > 4 ? strtoull(arguments[4], NULL, 10) : 2;
    if (count < 3 || !pairs || !threads || threads > MOST_THREADS)
        fail("usage: guarantee_driver MODEL SENTENCES [PAIRS [THREADS]]");
    film_model *model = open_with_words(arguments[1]);
    size_t sentence_count = read_sentences(arguments[2], &sentences);
    if (!sentence_count) fail("no sentences");
    for (size_t t = 0; t < threads; t++) {
        shares[t] = (struct share){.model = model,
                                   .sentences = sentences,
                                   .count = sentence_count,
                                   .pairs = pairs / threads,
                                   .seed = 17 + t};
        if (pthread_create(&shares[t].thread, NULL, judge, &shares[t]) != 0) fail("no thread");
    }
    for (size_t t = 0; t < threads; t++) pthread_join(shares[t].thread, NULL);
    printf("kind\tpairs\tcalled the same\n");
    for (int kind = 0; kind < MUTATED_KINDS; kind++) {
        size_t made = 0, same = 0;
        for (size_t t = 0; t < threads; t++) {
            if (shares[t].status != FILM_OK) fail(shares[t].error.message);
            made += shares[t].made[kind];
            same += shares[t].same[kind];
        }
        printf("%s\t%zu\t%zu\n", mutated_kinds[kind], made, same);
        violations += same;
    }
    for (size_t t = 0; t < threads; t++)
        for (int i = 0; i < SHOWN; i++)
            if (*shares[t].first[i]) printf("%s\n", shares[t].first[i]);
    for (size_t i = 0; i < sentence_count; i++) mem_free(sentences[i]);
    mem_free(sentences);
    film_close(model);
    return violations != 0;
}
