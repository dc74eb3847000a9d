/* Measures the faithfulness of explanations: deletes the words that an explanation names and
 * measures how far the probability of the verdict falls.
 *
 *     faithfulness_driver MODEL DEV.tsv [PAIRS [MOST]]
 *
 * For PAIRS rows of DEV (1,000, drawn at random): the words of both sentences are ordered, the
 * first 1, 2, .. MOST (5) are deleted, and the pair is matched again. Orders: by the explanation's
 * contribution to the verdict; by idf, rarest first; by idf with each word in one sentence only
 * (deleting both copies of a shared word leaves the similarity unchanged); at random (the mean of
 * ten). Output as TSV: verdict, order, the mean fall of the verdict's probability for each number
 * of words, and their mean, the area under the curve. The last line is the largest error of the sum
 * words + groups + bias = log-odds. */
#include "base/mem.h"
#include "base/rng.h"
#include "film_explain.h"
#include "model/model.h"
#include "learn/corpus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { EXPLAINED, IDF, IDF_ONCE, RANDOM, ORDERS };
enum { DRAWS = 10, LIMIT = 20, SAME = 0, DIFFERENT = 1, ALL = 2 };
static const char *const order_names[ORDERS] = {"explained", "idf", "idf, once", "random"};
static const char *const verdict_names[3] = {"same", "different", "all"};

static film_error error;
static size_t most = 5;
static double fall[3][ORDERS][LIMIT + 1], largest_error; /* sums over pairs */
static size_t count[3];

static void must(film_status status)
{
    if (status == FILM_OK) return;
    fprintf(stderr, "%s\n", error.message);
    exit(1);
}

/* A word of the pair and its sort key. */
struct candidate {
    film_word_share word;
    double key;
};

static int higher_first(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    return a->key > b->key ? -1 : a->key < b->key;
}

static int by_place(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    return a->word.start < b->word.start ? -1 : a->word.start > b->word.start;
}

/* Writes TEXT without the words of SIDE among the first COUNT to OUT. */
static film_text without(film_text text, const struct candidate *words, size_t deleted, char side,
                         char *out)
{
    struct candidate own[LIMIT];
    size_t found = 0, at = 0, length = 0;
    for (size_t i = 0; i < deleted; i++)
        if (words[i].word.side == side) own[found++] = words[i];
    qsort(own, found, sizeof *own, by_place);
    for (size_t i = 0; i <= found; i++) {
        size_t end = i < found ? own[i].word.start : text.length;
        memcpy(out + length, text.bytes + at, end - at);
        length += end - at;
        at = i < found ? own[i].word.end : at;
    }
    return (film_text){out, length};
}

/* A pair with its verdict. */
struct judged {
    film_text a, b;
    int same;
    double before; /* the probability */
};

/* Adds to SUM[k], k = 1 .. most, how far the probability of the verdict falls. */
static void delete_in_order(film_context *context, const struct judged *pair,
                            struct candidate *words, size_t words_count, double share, double *sum)
{
    static char room[2][1 << 16];
    qsort(words, words_count, sizeof *words, higher_first);
    for (size_t k = 1; k <= most; k++) {
        film_verdict verdict;
        must(film_match(context, without(pair->a, words, k, 'a', room[0]),
                        without(pair->b, words, k, 'b', room[1]), &verdict, &error));
        double drop = pair->before - verdict.probability;
        sum[k] += share * (pair->same ? drop : -drop);
    }
}

static double idf_of(const film_model *model, struct feature_row *row, film_text word)
{
    double highest = 0;
    must(features_transform(&model->features, row, word, &error));
    for (size_t i = 0; i < row->grams.group[GROUP_WORD].count; i++) {
        uint32_t id = row->found[i];
        double idf = id == STRTAB_NONE ? 0 : (double)model->features.idf[id];
        if (idf > highest) highest = idf;
    }
    return highest; /* unknown words have no weight in the model */
}

/* Returns whether a word before number I is the same, ignoring case. */
static int seen_before(const film_explanation *why, size_t i)
{
    film_text text = why->words[i].text;
    for (size_t j = 0; j < i; j++)
        if (why->words[j].text.length == text.length &&
            strncasecmp(why->words[j].text.bytes, text.bytes, text.length) == 0)
            return 1;
    return 0;
}

static void check_sum(const film_explanation *why)
{
    double sum = why->verdict.bias;
    for (size_t i = 0; i < why->word_count; i++) sum += why->words[i].weight;
    for (size_t i = 0; i < why->group_count; i++) sum += why->groups[i].weight;
    largest_error = fmax(largest_error, fabs(sum - why->verdict.log_odds));
}

static void take_pair(const film_model *model, film_context *explaining, film_context *asking,
                      struct feature_row *row, film_text a, film_text b, struct rng *rng)
{
    film_explanation why = {.size = sizeof why};
    must(film_explain_pair(explaining, a, b, &why, &error));
    check_sum(&why);
    if (why.word_count < most + 2 || a.length + b.length > 60000) return;
    int same = why.verdict.same, kind = same ? SAME : DIFFERENT;
    struct candidate *words = mem_array(why.word_count, sizeof *words);
    double own[ORDERS][LIMIT + 1] = {{0}};
    for (int order = 0; order < ORDERS; order++)
        for (int draw = 0; draw < (order == RANDOM ? DRAWS : 1); draw++) {
            for (size_t i = 0; i < why.word_count; i++) {
                const film_word_share *word = &why.words[i];
                double key = rng_uniform(rng);
                if (order == EXPLAINED) key = same ? word->weight : -word->weight;
                if (order == IDF || order == IDF_ONCE) key = idf_of(model, row, word->text);
                if (order == IDF_ONCE && seen_before(&why, i)) key = -1;
                words[i] = (struct candidate){*word, key};
            }
            struct judged pair = {a, b, same, why.verdict.probability};
            delete_in_order(asking, &pair, words, why.word_count,
                            order == RANDOM ? 1.0 / DRAWS : 1.0, own[order]);
        }
    for (int order = 0; order < ORDERS; order++)
        for (size_t k = 1; k <= most; k++) {
            fall[kind][order][k] += own[order][k];
            fall[ALL][order][k] += own[order][k];
        }
    count[kind]++;
    count[ALL]++;
    mem_free(words);
}

static void print(void)
{
    printf("verdict\tpairs\torder");
    for (size_t k = 1; k <= most; k++) printf("\t%zu", k);
    printf("\tarea\n");
    for (int kind = 0; kind < 3; kind++)
        for (int order = 0; order < ORDERS; order++) {
            double area = 0, pairs = (double)(count[kind] ? count[kind] : 1);
            printf("%s\t%zu\t%s", verdict_names[kind], count[kind], order_names[order]);
            for (size_t k = 1; k <= most; k++) {
                printf("\t%.4f", fall[kind][order][k] / pairs);
                area += fall[kind][order][k] / pairs / (double)most;
            }
            printf("\t%.4f\n", area);
        }
    printf("largest error of a sum\t%.2e\n", largest_error);
}

int main(int arguments, char **argument)
{
    if (arguments < 3) return fprintf(stderr, "faithfulness_driver MODEL DEV [PAIRS [MOST]]\n"), 1;
    size_t wanted = arguments > 3 ? (size_t)atoll(argument[3]) : 1000;
    if (arguments > 4) most = (size_t)atoll(argument[4]);
    if (most < 1 || most > LIMIT) return fprintf(stderr, "MOST: 1 to %d\n", LIMIT), 1;
    film_model *model = NULL;
    film_context *explaining = NULL, *asking = NULL;
    struct feature_row row;
    struct corpus dev;
    film_table_options table = {.size = sizeof table};
    const char *path = argument[2];
    must(film_open(argument[1], &model, &error));
    must(film_context_new(model, &explaining, &error));
    must(film_context_new(model, &asking, &error));
    must(feature_row_init(&row, &model->features, &error));
    must(corpus_read(&dev, &path, 1, &table, NULL, &error));
    struct rng rng, order; /* the sample of pairs must not depend on the number of orders */
    rng_seed(&rng, 1);
    rng_seed(&order, 2);
    for (size_t i = 0, left = dev.rows; i < dev.rows && count[ALL] < wanted; i++, left--)
        if (rng_below(&rng, left) < wanted - count[ALL])
            take_pair(model, explaining, asking, &row, strtab_get(&dev.sentences, dev.a[i]),
                      strtab_get(&dev.sentences, dev.b[i]), &order);
    print();
    corpus_free(&dev);
    feature_row_free(&row);
    film_context_free(explaining);
    film_context_free(asking);
    film_close(model);
    return 0;
}
