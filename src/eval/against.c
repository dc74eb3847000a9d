/* Compares two models on the same rows: paired bootstrap of the differences, McNemar's test. */
#include "eval/against.h"
#include "base/mem.h"
#include "eval/mcnemar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    OF_PAIRS = 1 << MEASURE_ACCURACY | 1 << MEASURE_F1 | 1 << MEASURE_LOG_LOSS | 1 << MEASURE_AUC |
               1 << MEASURE_BRIER,
    OF_SCORES = 1 << MEASURE_PEARSON | 1 << MEASURE_SPEARMAN
};
#define CHANCE 0.05 /* significance level */

static struct mcnemar test_decisions(const struct against_side side[2],
                                     const struct against_rows *rows)
{
    size_t only[2] = {0, 0};
    for (size_t i = 0; i < rows->count; i++) {
        int truth = rows->label[i] >= 0.5f;
        int right[2] = {(side[0].same[i] != 0) == truth, (side[1].same[i] != 0) == truth};
        if (right[0] != right[1]) only[right[1]]++;
    }
    return mcnemar_test(only[0], only[1]);
}

/* The basis of the verdict: accuracy in points with McNemar's test, or Pearson. */
struct comparison_line {
    double difference, interval[2];
    const struct mcnemar *test; /* NULL: scores */
};

/* 1: the first is better, -1: the second, 0: the difference is not significant. Interval and test
 * must agree. They seldom disagree. */
static int better(const struct comparison_line *headline)
{
    const double *interval = headline->interval;
    int has_interval = isfinite(interval[0]);
    if (!isfinite(headline->difference) || headline->difference == 0) return 0;
    if (!has_interval && !headline->test) return 0;
    if (has_interval && interval[0] <= 0 && interval[1] >= 0) return 0;
    if (headline->test && headline->test->p >= CHANCE) return 0;
    return headline->difference > 0 ? 1 : -1;
}

/* "95 %: 0.4 to 2.0; McNemar p = 0.003", from the side of the better model (SIGN). */
static void write_grounds(const struct comparison_line *headline, int sign, double scale,
                          int digits, char *out, size_t size)
{
    char interval[80] = "no interval", test[80] = "";
    double low = scale * headline->interval[sign > 0 ? 0 : 1];
    double high = scale * headline->interval[sign > 0 ? 1 : 0];
    if (isfinite(low))
        snprintf(interval, sizeof interval, "95 %%: %.*f to %.*f", digits, sign * low, digits,
                 sign * high);
    if (headline->test && headline->test->p < 0.0005)
        snprintf(test, sizeof test, "; McNemar p < 0.0005");
    else if (headline->test)
        snprintf(test, sizeof test, "; McNemar p = %.2g", headline->test->p);
    snprintf(out, size, "%s%s", interval, test);
}

static void write_sentence(const struct comparison_line *headline,
                           const struct against_side side[2], char text[AGAINST_SENTENCE])
{
    char grounds[200];
    int winner = better(headline), sign = winner < 0 ? -1 : 1;
    double scale = headline->test ? 100 : 1;
    int digits = headline->test ? 1 : 3;
    const char *unit = headline->test ? "points of accuracy" : "of Pearson";
    write_grounds(headline, sign, scale, digits, grounds, sizeof grounds);
    if (!isfinite(headline->difference))
        snprintf(text, AGAINST_SENTENCE, "no significant difference: a figure is not defined");
    else if (winner == 0)
        snprintf(text, AGAINST_SENTENCE, "no significant difference: %+.*f %s (%s)", digits,
                 scale * headline->difference, unit, grounds);
    else
        snprintf(text, AGAINST_SENTENCE, "%s is better by %.*f %s (%s)", side[winner < 0].name,
                 digits, sign * scale * headline->difference, unit, grounds);
}

static film_difference *place_of(film_comparison *out, int measure)
{
    switch (measure) {
    case MEASURE_ACCURACY:
        return &out->accuracy;
    case MEASURE_F1:
        return &out->f1;
    case MEASURE_LOG_LOSS:
        return &out->log_loss;
    case MEASURE_AUC:
        return &out->auc;
    case MEASURE_BRIER:
        return &out->brier;
    case MEASURE_PEARSON:
        return &out->pearson;
    case MEASURE_SPEARMAN:
        return &out->spearman;
    default:
        return NULL;
    }
}

/* Fills MEASURES, one per model; the caller frees both. */
static film_status compare_measures(const struct against_side side[2],
                                    const struct against_rows *rows,
                                    const struct bootstrap *bootstrap, struct measures measures[2],
                                    film_comparison *out, struct comparison_line *headline,
                                    film_error *error)
{
    film_status status = FILM_OK;
    const film_difference none = {NAN, NAN, NAN, NAN, NAN};
    double value[2][MEASURES], interval[MEASURES][2];
    double *ranks = mem_array(rows->count, sizeof *ranks);
    unsigned set = rows->graded ? OF_SCORES : OF_PAIRS;
    TRY_ALLOC(ranks, error);
    for (int s = 0; s < 2; s++) {
        TRY(measures_init(&measures[s], set, side[s].probability, rows->label, side[s].same,
                          rows->count, error));
        measures_compute(&measures[s], NULL, ranks, value[s]);
    }
    TRY(bootstrap_difference(bootstrap, &measures[0], &measures[1], interval, error));
    for (int m = 0; m < MEASURES; m++) {
        film_difference *figure = place_of(out, m);
        if (!figure) continue;
        *figure = none;
        if (!(set >> m & 1)) continue;
        *figure = (film_difference){value[0][m], value[1][m], value[0][m] - value[1][m],
                                    interval[m][0], interval[m][1]};
    }
    int main_figure = set & 1u << MEASURE_ACCURACY ? MEASURE_ACCURACY : MEASURE_PEARSON;
    headline->difference = value[0][main_figure] - value[1][main_figure];
    memcpy(headline->interval, interval[main_figure], sizeof headline->interval);
done:
    mem_free(ranks);
    return status;
}

film_status against_compare(const struct against_side side[2], const struct against_rows *rows,
                            const struct bootstrap *bootstrap, film_comparison *out,
                            char sentence[AGAINST_SENTENCE], film_error *error)
{
    film_status status = FILM_OK;
    struct measures measures[2] = {{0}};
    struct mcnemar test = {.statistic = NAN, .p = NAN};
    struct comparison_line headline = {.test = rows->graded ? NULL : &test};
    TRY(compare_measures(side, rows, bootstrap, measures, out, &headline, error));
    if (!rows->graded) test = test_decisions(side, rows);
    out->only_first_right = test.b;
    out->only_second_right = test.c;
    out->mcnemar_exact = test.exact;
    out->mcnemar_statistic = test.statistic;
    out->mcnemar_p = test.p;
    out->better = better(&headline);
    write_sentence(&headline, side, sentence);
    out->sentence = sentence;
done:
    for (int s = 0; s < 2; s++) measures_free(&measures[s]);
    return status;
}
