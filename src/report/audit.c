/* Measures selection bias: how well labels can be predicted without reading the sentences, from the
 * frequencies and partners of questions. */
#include "report/audit.h"
#include "base/sort.h"
#include "base/mem.h"
#include "base/rng.h"
#include "eval/measures.h"
#include "learn/linear_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The distinct partners of every question (the questions it is paired with), ascending. */
struct partners {
    size_t *start; /* questions + 1 */
    uint32_t *list;
};

static int partners_by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static void partners_free(struct partners *partners)
{
    mem_free(partners->start);
    mem_free(partners->list);
}

/* Counts the partners (FILL 0) or writes them (FILL 1); START[q + 1] advances. */
static void gather_partners(struct partners *partners, const struct audit_pairs *pairs, int fill)
{
    for (size_t i = 0; pairs && i < pairs->count; i++) {
        uint32_t a = pairs->a[i], b = pairs->b[i];
        if (a == b) continue;
        if (fill) {
            partners->list[partners->start[a + 1]] = b;
            partners->list[partners->start[b + 1]] = a;
        }
        partners->start[a + 1]++;
        partners->start[b + 1]++;
    }
}

static film_status partners_make(struct partners *partners, const struct audit_pairs *judged,
                                 const struct audit_pairs *others, uint32_t questions,
                                 film_error *error)
{
    film_status status = FILM_OK;
    size_t sum = 0, kept = 0, total = judged->count + (others ? others->count : 0);
    TRY_ALLOC(partners->start = mem_zeroed((size_t)questions + 1, sizeof *partners->start), error);
    TRY_ALLOC(partners->list = mem_array(2 * total, sizeof *partners->list), error);
    gather_partners(partners, judged, 0);
    gather_partners(partners, others, 0);
    for (size_t q = 1; q <= questions;
         q++) { /* start[q + 1]: where q's list begins, later where it ends */
        size_t here = partners->start[q];
        partners->start[q] = sum;
        sum += here;
    }
    gather_partners(partners, judged, 1);
    gather_partners(partners, others, 1);
    for (size_t q = 0, begin = 0; q < questions; q++) {
        size_t end = partners->start[q + 1], first = kept;
        sort_array(partners->list + begin, end - begin, sizeof *partners->list, partners_by_number);
        for (size_t i = begin; i < end; i++)
            if (kept == first || partners->list[kept - 1] != partners->list[i])
                partners->list[kept++] = partners->list[i];
        begin = end;
        partners->start[q + 1] = kept;
    }
done:
    return status;
}

/* Returns the number of questions paired with both. Looks up the shorter list in the longer one. */
static size_t common(const struct partners *partners, uint32_t a, uint32_t b)
{
    size_t count[2] = {partners->start[a + 1] - partners->start[a],
                       partners->start[b + 1] - partners->start[b]};
    uint32_t few = count[0] <= count[1] ? a : b, many = few == a ? b : a;
    size_t shared = 0, most = count[few == a];
    for (size_t i = partners->start[few]; i < partners->start[few + 1]; i++)
        shared += bsearch(&partners->list[i], partners->list + partners->start[many], most,
                          sizeof(uint32_t), partners_by_number) != NULL;
    return shared;
}

/* ---- Counts of each pair ---- */

static film_status occurrences(const struct audit_pairs *pairs, uint32_t questions,
                               uint32_t **count, film_error *error)
{
    *count = mem_zeroed(questions, sizeof **count);
    if (!*count) return status_no_memory(error);
    for (size_t i = 0; pairs && i < pairs->count; i++) {
        (*count)[pairs->a[i]]++;
        if (pairs->a[i] != pairs->b[i]) (*count)[pairs->b[i]]++;
    }
    return FILM_OK;
}

static size_t bucket_of(size_t value) /* 1, 2, 3, 4-5, 6-10, more */
{
    return value <= 3 ? (value ? value - 1 : 0) : value <= 5 ? 3 : value <= 10 ? 4 : 5;
}

static size_t common_bucket(size_t value) /* 0, 1, 2, 3-5, 6-10, more */
{
    return value <= 2 ? value : value <= 5 ? 3 : value <= 10 ? 4 : 5;
}

static void note_bucket(double *same, size_t *pairs, size_t bucket, float label)
{
    same[bucket] += label >= 0.5f;
    pairs[bucket]++;
}

static void describe_pair(float *x, const uint32_t *own, const uint32_t *other, uint32_t a,
                          uint32_t b, size_t shared)
{
    const uint32_t *const counts[2] = {own, other};
    for (int i = 0; i < 2; i++) {
        uint32_t low = counts[i][a], high = counts[i][b];
        x[2 * i] = log1pf((float)(low < high ? low : high));
        x[2 * i + 1] = log1pf((float)(low < high ? high : low));
    }
    x[4] = log1pf((float)shared);
}

static film_status describe_pairs(struct audit *audit, const struct audit_pairs *judged,
                                  const struct audit_pairs *others, uint32_t questions, float *x,
                                  film_error *error)
{
    film_status status = FILM_OK;
    struct partners partners = {0};
    uint32_t *own = NULL, *other = NULL;
    TRY(occurrences(judged, questions, &own, error));
    TRY(occurrences(others, questions, &other, error));
    TRY(partners_make(&partners, judged, others, questions, error));
    for (size_t i = 0; i < judged->count; i++) {
        uint32_t a = judged->a[i], b = judged->b[i];
        size_t shared = common(&partners, a, b), most = own[a] > own[b] ? own[a] : own[b];
        describe_pair(x + i * AUDIT_TRAITS, own, other, a, b, shared);
        note_bucket(audit->by_count, audit->count_pairs, bucket_of(most), judged->label[i]);
        note_bucket(audit->by_common, audit->common_pairs, common_bucket(shared), judged->label[i]);
    }
    for (int i = 0; i < AUDIT_BUCKETS; i++) {
        audit->by_count[i] /= (double)audit->count_pairs[i]; /* NaN for an empty bucket */
        audit->by_common[i] /= (double)audit->common_pairs[i];
    }
done:
    partners_free(&partners);
    mem_free(own);
    mem_free(other);
    return status;
}

/* ---- The regression, fitted on one half and evaluated on the other ---- */

static film_status cross_fit(const float *x, const struct audit_pairs *judged, uint64_t seed,
                             int threads, double *out, film_error *error)
{
    film_status status = FILM_OK;
    size_t n = judged->count;
    struct linear line = {0};
    struct rng rng;
    float *part = mem_array(n, AUDIT_TRAITS * sizeof *part);
    float *target = mem_array(n, sizeof *target), *weight = mem_array(n, sizeof *weight);
    unsigned char *half = mem_array(n, 1), use[AUDIT_TRAITS];
    TRY_ALLOC(part && target && weight && half, error);
    rng_seed(&rng, seed);
    for (size_t i = 0; i < n; i++) /* neither half is ever empty */
        half[i] = (unsigned char)(i < 2 ? i : rng_next(&rng) >> 63);
    memset(use, 1, sizeof use);
    for (int learned = 0; learned < 2; learned++) {
        size_t rows = 0;
        for (size_t i = 0; i < n; i++) {
            if (half[i] != learned) continue;
            memcpy(part + rows * AUDIT_TRAITS, x + i * AUDIT_TRAITS, AUDIT_TRAITS * sizeof *part);
            target[rows] = judged->label[i] >= 0.5f;
            weight[rows++] = 1;
        }
        struct linear_data data = {part, rows, AUDIT_TRAITS, target, weight, NULL};
        linear_free(&line);
        TRY(linear_fit(&line, &data, use, 1.0, threads, error));
        for (size_t i = 0; i < n; i++)
            if (half[i] != learned)
                out[i] = 1 / (1 + exp(-linear_sum(&line, x + i * AUDIT_TRAITS)));
    }
done:
    linear_free(&line);
    mem_free(part);
    mem_free(target);
    mem_free(weight);
    mem_free(half);
    return status;
}

film_status audit_measure(struct audit *audit, const struct audit_pairs *judged,
                          const struct audit_pairs *others, uint32_t questions, uint64_t seed,
                          int threads, film_error *error)
{
    enum { FEWEST = 20 };
    film_status status = FILM_OK;
    struct measures measures = {0};
    double same = 0, value[MEASURES];
    float *x = mem_array(judged->count, AUDIT_TRAITS * sizeof *x);
    double *predicted = mem_array(judged->count, sizeof *predicted);
    memset(audit, 0, sizeof *audit);
    audit->pairs = judged->count;
    audit->accuracy = audit->auc = NAN;
    TRY_ALLOC(x && predicted, error);
    TRY(describe_pairs(audit, judged, others, questions, x, error));
    for (size_t i = 0; i < judged->count; i++) same += judged->label[i] >= 0.5f;
    double share = judged->count ? same / (double)judged->count : (double)NAN;
    audit->majority = fmax(share, 1 - share);
    if (judged->count < FEWEST || !(share > 0 && share < 1)) goto done;
    TRY(cross_fit(x, judged, seed, threads, predicted, error));
    TRY(measures_init(&measures, 1 << MEASURE_ACCURACY | 1 << MEASURE_AUC, predicted, judged->label,
                      NULL, judged->count, error));
    measures_compute(&measures, NULL, NULL, value);
    audit->accuracy = value[MEASURE_ACCURACY];
    audit->auc = value[MEASURE_AUC];
done:
    measures_free(&measures);
    mem_free(x);
    mem_free(predicted);
    return status;
}

int audit_is_biased(const struct audit *audit)
{
    /* Three standard deviations, of an AUC without bias and of the majority's accuracy. */
    double pairs = (double)audit->pairs, rare = 1 - audit->majority;
    double auc = 3 * sqrt((pairs + 1) / (12 * pairs * pairs * rare * audit->majority));
    double accuracy = 3 * sqrt(rare * audit->majority / pairs);
    return audit->auc >= 0.5 + fmax(0.1, auc) ||
           audit->accuracy >= audit->majority + fmax(0.03, accuracy);
}
