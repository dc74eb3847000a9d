/* Chooses a threshold: sorts the rows by descending score and tries every gap between two scores in
 * one sweep. Promised figures are chosen in learn/promise.c; calibration is in
 * learn/calibrate_fit.c. */
#include "learn/operating.h"
#include "base/sort.h"
#include "base/mem.h"
#include "learn/promise.h"

#include <math.h>
#include <stdlib.h>

const char *operating_name(film_criterion criterion)
{
    static const char *const names[FILM_CRITERION_COUNT] = {"accuracy", "f1", "precision",
                                                            "recall"};
    return names[criterion];
}

int operating_promises(const film_operating *wanted)
{
    return wanted->criterion == FILM_PRECISION || wanted->criterion == FILM_RECALL;
}

film_status operating_check(const film_operating *wanted, film_error *error)
{
    if (wanted->criterion >= FILM_CRITERION_COUNT)
        return status_set(error, FILM_USAGE, "unknown criterion of an operating point");
    if (operating_promises(wanted) && !(wanted->target > 0 && wanted->target <= 1))
        return status_set(error, FILM_USAGE,
                          "operating point %s=%g: choose a share above 0, up to 1 (0.9 is 90 %%)",
                          operating_name(wanted->criterion), wanted->target);
    return FILM_OK;
}

double operating_share(const struct operating_rows *rows)
{
    size_t same = 0;
    for (size_t i = 0; i < rows->count; i++) same += rows->target[i] >= 0.5f;
    return rows->count ? (double)same / (double)rows->count : 0;
}

struct row {
    double score;
    int same;
};

static int higher_first(const void *left, const void *right)
{
    double a = ((const struct row *)left)->score, b = ((const struct row *)right)->score;
    return a > b ? -1 : a < b;
}

/* Weights that passed so far, and in total; [1] same, [0] different. */
struct tally {
    double passed[2], all[2], prior;
};

/* In a class without rows nothing is wrong and nothing passes. */
static void fill_in(const struct tally *tally, struct operating_point *out)
{
    double recall = tally->all[1] > 0 ? tally->passed[1] / tally->all[1] : NAN;
    double false_alarms = tally->all[0] > 0 ? tally->passed[0] / tally->all[0] : 0;
    double right = isnan(recall) ? 1 : recall, prior = tally->prior;
    double hits = isnan(recall) ? 0 : prior * recall, alarms = (1 - prior) * false_alarms;
    out->recall = recall;
    out->accuracy = prior * right + (1 - prior) * (1 - false_alarms);
    out->balanced_accuracy = 0.5 * right + 0.5 * (1 - false_alarms);
    out->precision = hits + alarms > 0 ? hits / (hits + alarms) : NAN;
    out->f1 = hits > 0 ? 2 * hits / (hits + alarms + prior) : 0;
    out->reached = 1;
    out->low = out->high = NAN;
    out->pairs = 0;
}

/* Midway between the last row that passes and the next, lower one. The mean of adjacent doubles is
 * one of them; it must not be the lower one. */
static double between(double passes, double next)
{
    double middle = 0.5 * (passes + next);
    return middle > next ? middle : passes;
}

static void sweep(film_criterion criterion, double prior, const struct row *rows, size_t count,
                  struct operating_point *best)
{
    struct tally tally = {.prior = prior};
    for (size_t i = 0; i < count; i++) tally.all[rows[i].same]++;
    /* Nothing passes. */
    best->threshold = count ? fmax(rows[0].score + 1e-6, nextafter(rows[0].score, INFINITY)) : 0.5;
    fill_in(&tally, best);
    for (size_t i = 0; i < count; i++) {
        struct operating_point here;
        tally.passed[rows[i].same]++;
        if (i + 1 < count && rows[i + 1].score == rows[i].score) continue;
        fill_in(&tally, &here);
        if (!(criterion == FILM_F1 ? here.f1 > best->f1 : here.accuracy > best->accuracy)) continue;
        here.threshold = i + 1 < count ? between(rows[i].score, rows[i + 1].score) : rows[i].score;
        *best = here;
    }
}

film_status operating_choose(const film_operating *wanted, double prior,
                             const struct operating_rows *rows, struct operating_point *out,
                             film_error *error)
{
    if (operating_promises(wanted)) return promise_choose(wanted, prior, rows, out, error);
    struct row *sorted = mem_array(rows->count, sizeof *sorted);
    if (!sorted) return status_no_memory(error);
    for (size_t i = 0; i < rows->count; i++)
        sorted[i] = (struct row){rows->score[i], rows->target[i] >= 0.5f};
    sort_array(sorted, rows->count, sizeof *sorted, higher_first);
    sweep(wanted->criterion, prior, sorted, rows->count, out);
    mem_free(sorted);
    return FILM_OK;
}

void operating_at(double threshold, double prior, const struct operating_rows *rows,
                  struct operating_point *out)
{
    struct tally tally = {.prior = prior};
    for (size_t i = 0; i < rows->count; i++) {
        int same = rows->target[i] >= 0.5f;
        tally.all[same]++;
        if (rows->score[i] >= threshold) tally.passed[same]++;
    }
    fill_in(&tally, out);
    out->threshold = threshold;
}
