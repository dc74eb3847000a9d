/* Measures the faithfulness of explanations: leaves words out and measures how far the probability
 * of the verdict falls.
 *
 *     faithfulness_driver MODEL DEV.tsv [PAIRS [MOST]]
 *
 * For PAIRS rows of DEV (1,000, drawn at random; of MOST + 2 to 64 words): the words of both
 * sentences are ordered by the explanation's contribution to the verdict, by leave-one-out, by LIME
 * and by KernelSHAP with 200 judgements each (surrogates.h), by idf, by idf with each word in one
 * sentence only (deleting both copies of a shared word leaves the similarity unchanged), and at
 * random (the mean of ten).
 *
 * Output as TSV: verdict, pairs, order; the mean fall of the verdict's probability when the first
 * 1 .. MOST (5) words are deleted, and their mean (area); comprehensiveness and sufficiency as in
 * ERASER (DeYoung et al. 2020): the mean fall without, and with only, the first 1, 5, 10, 20 and
 * 50 % of the words; the judgements and milliseconds that an order takes per pair. The last line is
 * the largest error of the sum words + groups + bias = log-odds. */
#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"
#include "film_explain.h"
#include "model/model.h"
#include "learn/corpus.h"
#include "surrogates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { EXPLAINED, LEFT_OUT, LIME, SHAP, IDF, IDF_ONCE, RANDOM, ORDERS };
enum { DRAWS = 10, LIMIT = 20, SHARES = 5, SAME = 0, DIFFERENT = 1, ALL = 2 };
static const char *const order_names[ORDERS] = {"explained", "left out",  "lime",  "shap",
                                                "idf",       "idf, once", "random"};
static const char *const verdict_names[3] = {"same", "different", "all"};
static const double shares[SHARES] = {0.01, 0.05, 0.1, 0.2, 0.5};

/* What an order reaches; sums over pairs. */
struct reached {
    double fall[LIMIT + 1], comprehensive, sufficient, judgements, milliseconds;
};

static film_error error;
static size_t most = 5, judged;
static struct reached reached[3][ORDERS];
static double largest_error;
static size_t count[3];

static void must(film_status status)
{
    if (status == FILM_OK) return;
    fprintf(stderr, "%s\n", error.message);
    exit(1);
}

/* A pair with its words and its verdict. */
struct judged {
    film_context *context; /* without reasons */
    film_text a, b;
    film_word_share words[SURROGATE_WORDS];
    size_t count;
    int same;
    double before; /* the probability */
};

/* Writes TEXT without the words of SIDE that KEPT does not mark to OUT. */
static film_text only_kept(const struct judged *pair, char side, const unsigned char *kept,
                           char *out)
{
    film_text text = side == 'a' ? pair->a : pair->b;
    size_t at = 0, length = 0;
    for (size_t i = 0; i <= pair->count; i++) {
        if (i < pair->count && (pair->words[i].side != side || kept[i])) continue;
        size_t end = i < pair->count ? pair->words[i].start : text.length;
        memcpy(out + length, text.bytes + at, end - at);
        length += end - at;
        at = i < pair->count ? pair->words[i].end : at;
    }
    return (film_text){out, length};
}

/* Returns the probability of the verdict with the words that KEPT marks. */
static double probability_with(void *user, const unsigned char *kept)
{
    static char room[2][1 << 16];
    const struct judged *pair = user;
    film_verdict verdict;
    must(film_match(pair->context, only_kept(pair, 'a', kept, room[0]),
                    only_kept(pair, 'b', kept, room[1]), &verdict, &error));
    judged++;
    return pair->same ? verdict.probability : 1 - verdict.probability;
}

/* ---- Orders ---- */

/* A word of the pair and its sort key. */
struct candidate {
    size_t word;
    double key;
};

static int higher_first(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->key != b->key) return a->key > b->key ? -1 : 1;
    return a->word < b->word ? -1 : a->word > b->word;
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
static int seen_before(const struct judged *pair, size_t i)
{
    film_text text = pair->words[i].text;
    for (size_t j = 0; j < i; j++)
        if (pair->words[j].text.length == text.length &&
            strncasecmp(pair->words[j].text.bytes, text.bytes, text.length) == 0)
            return 1;
    return 0;
}

/* What every pair is measured with. */
struct bench {
    const film_model *model;
    film_context *explaining, *asking;
    struct feature_row row;
    struct rng rng;
};

/* Fills KEY with the words' weights for the verdict, by one order. */
static void weigh_words(struct bench *bench, struct judged *pair, int order, double *key)
{
    struct judged_subset subset = {probability_with, pair, pair->count};
    if (order == LEFT_OUT) leave_one_out(&subset, key);
    if (order == LIME) lime_weights(&subset, &bench->rng, key);
    if (order == SHAP) kernel_shap(&subset, &bench->rng, key);
    if (order == EXPLAINED) { /* again, to measure its time */
        film_explanation why = {.size = sizeof why};
        must(film_explain_pair(bench->explaining, pair->a, pair->b, &why, &error));
        judged++;
    }
    for (size_t i = 0; i < pair->count; i++) {
        double weight = pair->words[i].weight;
        if (order == EXPLAINED) key[i] = pair->same ? weight : -weight;
        if (order == RANDOM) key[i] = rng_uniform(&bench->rng);
        if (order == IDF || order == IDF_ONCE)
            key[i] = idf_of(bench->model, &bench->row, pair->words[i].text);
        if (order == IDF_ONCE && seen_before(pair, i)) key[i] = -1;
    }
}

/* ---- What an order reaches ---- */

/* The fall without the first N words, or with only those. */
static double fall_of(struct judged *pair, const struct candidate *order, size_t n, int only)
{
    unsigned char kept[SURROGATE_WORDS];
    memset(kept, !only, sizeof kept);
    for (size_t i = 0; i < n; i++) kept[order[i].word] = (unsigned char)only;
    return pair->before - probability_with(pair, kept);
}

static void measure_order(struct bench *bench, struct judged *pair, int order, double part,
                          struct reached *sum)
{
    double key[SURROGATE_WORDS];
    struct candidate sorted[SURROGATE_WORDS];
    size_t before = judged;
    double began = clock_read(CLOCK_PROCESS_CPUTIME_ID);
    weigh_words(bench, pair, order, key);
    sum->milliseconds += part * 1000 * (clock_read(CLOCK_PROCESS_CPUTIME_ID) - began);
    sum->judgements += part * (double)(judged - before);
    for (size_t i = 0; i < pair->count; i++) sorted[i] = (struct candidate){i, key[i]};
    qsort(sorted, pair->count, sizeof *sorted, higher_first);
    for (size_t k = 1; k <= most; k++) sum->fall[k] += part * fall_of(pair, sorted, k, 0);
    for (int s = 0; s < SHARES; s++) {
        size_t n = (size_t)ceil(shares[s] * (double)pair->count);
        sum->comprehensive += part * fall_of(pair, sorted, n, 0) / SHARES;
        sum->sufficient += part * fall_of(pair, sorted, n, 1) / SHARES;
    }
}

static void check_sum(const film_explanation *why)
{
    double sum = why->verdict.bias;
    for (size_t i = 0; i < why->word_count; i++) sum += why->words[i].weight;
    for (size_t i = 0; i < why->group_count; i++) sum += why->groups[i].weight;
    largest_error = fmax(largest_error, fabs(sum - why->verdict.log_odds));
}

static void add_reached(struct reached *to, const struct reached *from)
{
    for (size_t k = 1; k <= most; k++) to->fall[k] += from->fall[k];
    to->comprehensive += from->comprehensive;
    to->sufficient += from->sufficient;
    to->judgements += from->judgements;
    to->milliseconds += from->milliseconds;
}

static void take_pair(struct bench *bench, film_text a, film_text b)
{
    film_explanation why = {.size = sizeof why};
    must(film_explain_pair(bench->explaining, a, b, &why, &error));
    check_sum(&why);
    if (why.word_count < most + 2 || why.word_count > SURROGATE_WORDS ||
        a.length + b.length > 60000)
        return;
    int kind = why.verdict.same ? SAME : DIFFERENT;
    double p = why.verdict.probability;
    struct judged pair = {.context = bench->asking,
                          .a = a,
                          .b = b,
                          .count = why.word_count,
                          .same = why.verdict.same,
                          .before = why.verdict.same ? p : 1 - p};
    memcpy(pair.words, why.words, why.word_count * sizeof *pair.words);
    for (int order = 0; order < ORDERS; order++) {
        struct reached own = {.judgements = 0};
        int draws = order == RANDOM ? DRAWS : 1;
        for (int draw = 0; draw < draws; draw++)
            measure_order(bench, &pair, order, 1.0 / draws, &own);
        add_reached(&reached[kind][order], &own);
        add_reached(&reached[ALL][order], &own);
    }
    count[kind]++;
    count[ALL]++;
}

static void print(void)
{
    printf("verdict\tpairs\torder");
    for (size_t k = 1; k <= most; k++) printf("\t%zu", k);
    printf("\tarea\tcomprehensiveness\tsufficiency\tjudgements\tms\n");
    for (int kind = 0; kind < 3; kind++)
        for (int order = 0; order < ORDERS; order++) {
            const struct reached *sum = &reached[kind][order];
            double area = 0, pairs = (double)(count[kind] ? count[kind] : 1);
            printf("%s\t%zu\t%s", verdict_names[kind], count[kind], order_names[order]);
            for (size_t k = 1; k <= most; k++) {
                printf("\t%.4f", sum->fall[k] / pairs);
                area += sum->fall[k] / pairs / (double)most;
            }
            printf("\t%.4f\t%.4f\t%.4f\t%.1f\t%.3f\n", area, sum->comprehensive / pairs,
                   sum->sufficient / pairs, sum->judgements / pairs, sum->milliseconds / pairs);
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
    struct bench bench = {.model = NULL};
    struct corpus dev;
    film_table_options table = {.size = sizeof table};
    film_answer_options plain = {.size = sizeof plain, .no_reasons = 1};
    const char *path = argument[2];
    must(film_open(argument[1], &model, &error));
    bench.model = model;
    must(film_context_new(model, &bench.explaining, &error));
    must(film_context_new(model, &bench.asking, &error));
    must(film_context_set(bench.asking, &plain, &error));
    must(feature_row_init(&bench.row, &model->features, &error));
    must(corpus_read(&dev, &path, 1, &table, NULL, &error));
    struct rng rng; /* the sample of pairs must not depend on the number of orders */
    rng_seed(&rng, 1);
    rng_seed(&bench.rng, 2);
    for (size_t i = 0, left = dev.rows; i < dev.rows && count[ALL] < wanted; i++, left--)
        if (rng_below(&rng, left) < wanted - count[ALL])
            take_pair(&bench, strtab_get(&dev.sentences, dev.a[i]),
                      strtab_get(&dev.sentences, dev.b[i]));
    print();
    corpus_free(&dev);
    feature_row_free(&bench.row);
    film_context_free(bench.explaining);
    film_context_free(bench.asking);
    film_close(model);
    return 0;
}
