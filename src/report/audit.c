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

/* The distinct partners of every question (the questions it is paired with): pairs of numbers,
 * question << 32 | partner, ascending. Those of question Q begin at START[Q]. */
struct partners {
    uint64_t *list;
    size_t *start; /* questions + 1 */
};

static int numbers_rising(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static void partners_free(struct partners *partners)
{
    mem_free(partners->start);
    mem_free(partners->list);
}

static film_status partners_make(struct partners *partners, const struct audit_pairs *judged,
                                 const struct audit_pairs *others, uint32_t questions,
                                 film_error *error)
{
    film_status status = FILM_OK;
    const struct audit_pairs *const files[] = {judged, others};
    size_t count = 0, kept = 0, room = 2 * (judged->count + (others ? others->count : 0));
    TRY_ALLOC((partners->start = mem_zeroed((size_t)questions + 1, sizeof *partners->start)) &&
                  (partners->list = mem_array(room, sizeof *partners->list)),
              error);
    for (int f = 0; f < 2; f++)
        for (size_t i = 0; files[f] && i < files[f]->count; i++) {
            uint64_t a = files[f]->a[i], b = files[f]->b[i];
            if (a == b) continue;
            partners->list[count++] = a << 32 | b;
            partners->list[count++] = b << 32 | a;
        }
    sort_array(partners->list, count, sizeof *partners->list, numbers_rising);
    for (size_t i = 0; i < count; i++)
        if (!i || partners->list[i] != partners->list[i - 1]) {
            partners->list[kept++] = partners->list[i];
            partners->start[(partners->list[i] >> 32) + 1] = kept;
        }
    for (size_t q = 1; q <= questions; q++) /* questions without partners */
        if (partners->start[q] < partners->start[q - 1])
            partners->start[q] = partners->start[q - 1];
done:
    return status;
}

/* Returns the number of questions paired with both. Looks up the shorter list in the longer one. */
static size_t common(const struct partners *partners, uint32_t a, uint32_t b)
{
    const size_t *start = partners->start;
    uint64_t many = start[a + 1] - start[a] < start[b + 1] - start[b] ? b : a, few = a ^ b ^ many;
    size_t shared = 0;
    for (size_t i = start[few]; i < start[few + 1]; i++) {
        uint64_t wanted = many << 32 | (uint32_t)partners->list[i];
        shared += bsearch(&wanted, partners->list + start[many], start[many + 1] - start[many],
                          sizeof wanted, numbers_rising) != NULL;
    }
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

static const size_t count_limits[] = {1, 2, 3, 5, 10}, common_limits[] = {0, 1, 2, 5, 10};

static void note_bucket(double *same, size_t *pairs, const size_t *limits, size_t value,
                        float label)
{
    size_t bucket = 0;
    while (bucket + 1 < AUDIT_BUCKETS && value > limits[bucket]) bucket++;
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
        note_bucket(audit->by_count, audit->count_pairs, count_limits, most, judged->label[i]);
        note_bucket(audit->by_common, audit->common_pairs, common_limits, shared, judged->label[i]);
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
