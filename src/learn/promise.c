/* Thresholds for a promised precision or recall: a fixed sequence of tests on exact confidence
 * bounds (learn/binomial.c). The scores must come from a model that has not seen the rows. */
#include "learn/promise.h"
#include "base/sort.h"
#include "base/mem.h"
#include "learn/binomial.h"

#include <math.h>
#include <stdlib.h>

#define STEP 1.1 /* each threshold passes, or misses, this factor more rows */

struct row {
    double score, off; /* OFF: its deviation from the target in the last test */
    uint32_t a, b;
    int same;
};

/* The rows, the highest score first, and what the tests need. */
struct sequence {
    struct row *rows;
    size_t count, positives;
    double *sum;   /* per record, zero between two tests; NULL: all rows are independent */
    double target; /* for the rows' own share of positives */
};

static int higher_first(const void *left, const void *right)
{
    double a = ((const struct row *)left)->score, b = ((const struct row *)right)->score;
    return a > b ? -1 : a < b;
}

static void sequence_free(struct sequence *sequence)
{
    mem_free(sequence->rows);
    mem_free(sequence->sum);
}

static film_status sequence_make(struct sequence *sequence, const struct operating_rows *rows,
                                 film_error *error)
{
    size_t records = 0;
    *sequence = (struct sequence){.rows = mem_array(rows->count, sizeof *sequence->rows),
                                  .count = rows->count};
    if (!sequence->rows) return status_no_memory(error);
    for (size_t i = 0; i < rows->count; i++) {
        struct row *row = &sequence->rows[i];
        *row = (struct row){.score = rows->score[i], .same = rows->target[i] >= 0.5f};
        sequence->positives += (size_t)row->same;
        if (!rows->a) continue;
        row->a = rows->a[i];
        row->b = rows->b[i];
        if (row->a >= records) records = (size_t)row->a + 1;
        if (row->b >= records) records = (size_t)row->b + 1;
    }
    sort_array(sequence->rows, rows->count, sizeof *sequence->rows, higher_first);
    if (rows->a && !(sequence->sum = mem_zeroed(records, sizeof *sequence->sum)))
        return status_no_memory(error);
    return FILM_OK;
}

/* A share of rows: HITS of COUNT, and the design effect of the records they have in common. */
struct share {
    double hits, design;
    size_t count;
};

/* The share of positives among the first COUNT rows; with RECALL, the share of the first COUNT rows
 * among all positives. Deviations are from the target: rows without a miss cannot show that they
 * are independent, and those of one record count as one. */
static struct share measure_prefix(const struct sequence *sequence, size_t count, int recall)
{
    struct share share = {.design = 1};
    double alone = 0, together = 0, *sum = sequence->sum;
    size_t end = recall ? sequence->count : count;
    for (size_t i = 0; i < end; i++) {
        struct row *row = &sequence->rows[i];
        int counts = !recall || row->same, hit = i < count && row->same;
        row->off = counts ? hit - sequence->target : 0;
        share.hits += hit;
        share.count += (size_t)counts;
        alone += row->off * row->off;
        if (!sum) continue;
        sum[row->a] += row->off;
        if (row->a != row->b) sum[row->b] += row->off;
    }
    if (!sum) return share;
    for (size_t i = 0; i < end; i++) {
        const struct row *row = &sequence->rows[i];
        double others = row->a != row->b ? sum[row->b] - row->off : 0;
        together += row->off * (sum[row->a] + others);
    }
    for (size_t i = 0; i < end; i++) sum[sequence->rows[i].a] = sum[sequence->rows[i].b] = 0;
    if (together > alone) share.design = together / alone;
    return share;
}

static double lower_bound(const struct share *share)
{
    return binomial_lower(share->hits / share->design, (double)share->count / share->design,
                          PROMISE_ALPHA);
}

static double upper(const struct share *share)
{
    return binomial_upper(share->hits / share->design, (double)share->count / share->design,
                          PROMISE_ALPHA);
}

/* The number of rows that pass with the score of row COUNT - 1: equal scores pass together. */
static size_t whole_groups(const struct sequence *sequence, size_t count)
{
    const struct row *rows = sequence->rows;
    while (count && count < sequence->count && rows[count].score == rows[count - 1].score) count++;
    return count;
}

static size_t next_step(size_t count)
{
    return count + 1 > (size_t)(STEP * (double)count) ? count + 1 : (size_t)(STEP * (double)count);
}

/* The number of rows that pass the strictest threshold. LEAST rows would prove the precision
 * without a miss, but a single wrong label fails that test. Four times as many leave room for some
 * (6 of 236 for 95 %). A hundred rows and a tenth of the positives are more than the oddities at
 * the top. With few positives it is a third of them: half reached the precision less often (165
 * positives at three standard deviations: in 17 against 58 of 100 simulated files), and as few
 * promises were broken. */
static double strictest(const struct sequence *sequence)
{
    double least =
        sequence->target < 1 ? ceil(log(PROMISE_ALPHA) / log(sequence->target)) : INFINITY;
    double positives = (double)sequence->positives;
    return fmax(fmax(least, 1), fmin(positives / 3, fmax(fmax(4 * least, 100), 0.1 * positives)));
}

/* Precision: each further threshold passes more rows. Returns the rows that pass; if none is sure,
 * at most half as many as there are positives. */
static size_t choose_precision(const struct sequence *sequence, int *reached)
{
    double start = strictest(sequence);
    size_t few = sequence->positives > 3 ? sequence->positives / 2 : 1, passed = 0;
    *reached = 0;
    if (!sequence->count) return 0;
    for (double wanted = start; wanted <= (double)sequence->count;) {
        size_t count = whole_groups(sequence, (size_t)wanted);
        struct share share = measure_prefix(sequence, count, 0);
        if (lower_bound(&share) < sequence->target) break;
        *reached = 1;
        passed = count;
        wanted = (double)next_step(count);
    }
    return *reached ? passed : whole_groups(sequence, start < (double)few ? (size_t)start : few);
}

/* Recall: the first threshold passes all rows; each further one misses more positives. */
static size_t choose_recall(const struct sequence *sequence, int *reached)
{
    size_t passed = sequence->count, missed = 0, wanted = 0;
    *reached = 0;
    for (size_t i = sequence->count;; i--) {
        /* I rows pass, and exactly MISSED positives do not. The last such I is the strictest. */
        int edge = i == 0 || sequence->rows[i - 1].same;
        if (edge && missed >= wanted && whole_groups(sequence, i) == i) {
            struct share share = measure_prefix(sequence, i, 1);
            if (!share.count || lower_bound(&share) < sequence->target) break;
            *reached = 1;
            passed = i;
            wanted = next_step(missed);
        }
        if (i == 0) break;
        missed += (size_t)sequence->rows[i - 1].same;
    }
    return passed;
}

static double threshold_of(const struct sequence *sequence, size_t passed)
{
    const struct row *rows = sequence->rows;
    if (!passed) return sequence->count ? nextafter(rows[0].score, INFINITY) : 0.5;
    if (passed == sequence->count) return rows[passed - 1].score;
    double middle = 0.5 * (rows[passed - 1].score + rows[passed].score);
    return middle > rows[passed].score ? middle : rows[passed - 1].score;
}

/* The share ODDS times as many of whose odds are those of SHARE. */
static double change_odds(double share, double odds)
{
    return share * odds / (share * odds + 1 - share);
}

double promise_odds(double prior, double share)
{
    return share > 0 && share < 1 ? prior / (1 - prior) / (share / (1 - share)) : 1;
}

film_status promise_precision(const struct operating_rows *rows, double threshold, double target,
                              double odds, struct operating_point *out, film_error *error)
{
    film_status status = FILM_OK;
    struct sequence sequence;
    size_t passed = 0;
    TRY(sequence_make(&sequence, rows, error));
    sequence.target = change_odds(target, 1 / odds);
    while (passed < rows->count && sequence.rows[passed].score >= threshold) passed++;
    struct share share = measure_prefix(&sequence, passed, 0);
    *out = (struct operating_point){
        .precision = passed ? change_odds(share.hits / (double)passed, odds) : (double)NAN,
        .low = change_odds(lower_bound(&share), odds),
        .high = change_odds(upper(&share), odds),
        .pairs = passed};
done:
    sequence_free(&sequence);
    return status;
}

film_status promise_choose(const film_operating *wanted, double prior,
                           const struct operating_rows *rows, struct operating_point *out,
                           film_error *error)
{
    film_status status = FILM_OK;
    struct sequence sequence;
    int reached, recall = wanted->criterion == FILM_RECALL;
    TRY(sequence_make(&sequence, rows, error));
    /* A precision of the mixture is one of the rows with other odds; recall has no prior. */
    double odds = recall ? 1 : promise_odds(prior, operating_share(rows));
    sequence.target = change_odds(wanted->target, 1 / odds);
    size_t passed = (recall ? choose_recall : choose_precision)(&sequence, &reached);
    operating_at(threshold_of(&sequence, passed), prior, rows, out);
    struct share share = measure_prefix(&sequence, passed, recall);
    out->reached = reached;
    out->low = change_odds(lower_bound(&share), odds);
    out->high = change_odds(upper(&share), odds);
    out->pairs = share.count;
done:
    sequence_free(&sequence);
    return status;
}
