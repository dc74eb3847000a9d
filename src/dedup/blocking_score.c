/* The quick score of two records: its measures by field, its fit to known verdicts, and the search
 * that ranks by it. */
#include "base/mem.h"
#include "base/strtab.h"
#include "dedup/blocking_parts.h"
#include "text/record_text.h"
#include "text/value.h"

#include <math.h>
#include <string.h>

enum { SHORT_VALUE = 24, MOST_JOINED = 10 };
static const double RIDGE = 1e-4;

/* ---- Reading ---- */

/* Hashes the character pairs of VALUE into 64 bits; never 0. */
static uint64_t spelling_of(film_text value)
{
    char bytes[256];
    uint64_t bits = 0;
    size_t length = field_squeeze(value, bytes, sizeof bytes);
    unsigned before = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned c = (unsigned char)bytes[i];
        bits |= (uint64_t)1 << ((before * 31 + c) * 2654435761u >> 26);
        before = c;
    }
    return bits ? bits : 1;
}

/* Adds a term for every two of the short values VALUE (0: none) of a record: a first name and a
 * city are common, both together are not. */
static void join_values(const uint32_t *value, size_t fields, struct blocking_row *row)
{
    for (size_t f = 0; f < fields; f++)
        for (size_t g = f + 1; value[f] && g < fields; g++) {
            if (!value[g] || row->count == BLOCKING_TERMS) continue;
            uint64_t both = ((uint64_t)value[f] << 32 | value[g]) * 0x9e3779b97f4a7c15;
            row->field[row->count] = (uint8_t)f;
            row->hash[row->count++] = (uint32_t)((both ^ both >> 29) >> 16);
        }
}

/* A hash of the letters and digits of a short value, else 0. */
static uint32_t short_value(film_text value)
{
    char bytes[SHORT_VALUE + 1];
    size_t length = field_squeeze(value, bytes, sizeof bytes);
    return length && length <= SHORT_VALUE ? (uint32_t)strtab_hash(bytes, length) | 1 : 0;
}

static film_status read_value(struct terms *terms, const struct blocking *blocking, size_t f,
                              film_text value, struct blocking_row *row, uint64_t *spelling,
                              film_error *error)
{
    const struct record_fields *fields = blocking->encoder->fields;
    enum field_type type = fields && fields->count ? fields->list[f].type : TYPE_TEXT;
    film_status status = terms_add_value(terms, type, value, error);
    for (; status == FILM_OK && row->count < terms->count && row->count < BLOCKING_TERMS;
         row->count++) {
        row->hash[row->count] = (uint32_t)(terms->key[row->count] >> 32);
        row->field[row->count] = (uint8_t)f;
    }
    spelling[f] = spelling_of(value);
    return status;
}

film_status blocking_read(const struct blocking *blocking, struct terms *terms, film_text text,
                          struct blocking_row *row, uint64_t *spelling, film_error *error)
{
    film_status status = FILM_OK;
    const struct record_fields *fields = blocking->encoder->fields;
    uint32_t shorts[RECORD_FIELDS_MOST] = {0};
    film_text name, value;
    size_t at = 0;
    terms->count = row->count = 0;
    if (!record_text_is(text)) return read_value(terms, blocking, 0, text, row, spelling, error);
    while (record_text_next(text, &at, &name, &value)) {
        size_t f = 0;
        while (fields && f < fields->count && !value_is(name, fields->list[f].name)) f++;
        if (f >= blocking->fields) continue;
        TRY(read_value(terms, blocking, f, value, row, spelling, error));
        shorts[f] = short_value(value);
    }
    join_values(shorts, blocking->fields < MOST_JOINED ? blocking->fields : MOST_JOINED, row);
done:
    return status;
}

/* ---- Measures ---- */

static int bits_of(uint64_t x)
{
    const uint64_t pairs = 0x5555555555555555, fours = 0x3333333333333333;
    x -= x >> 1 & pairs;
    x = (x & fours) + (x >> 2 & fours);
    return (int)(((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
}

/* Adds the shared information of each field to OUT, half of it by the field of either record: first
 * and last name may be exchanged. */
static void share_terms(const struct blocking *blocking, uint32_t a, uint32_t b, float *out)
{
    const uint32_t *term = blocking->term;
    size_t i = blocking->start[a], last = blocking->start[a + 1];
    size_t j = blocking->start[b], end = blocking->start[b + 1];
    const uint32_t field = (1u << BLOCKING_FIELD_BITS) - 1;
    while (i < last && j < end) {
        uint32_t left = term[i] >> BLOCKING_FIELD_BITS, right = term[j] >> BLOCKING_FIELD_BITS;
        if (left == right) {
            out[BLOCKING_MEASURES * (term[i] & field)] += 0.5f * blocking->information[left];
            out[BLOCKING_MEASURES * (term[j] & field)] += 0.5f * blocking->information[left];
        }
        i += left <= right;
        j += right <= left;
    }
}

/* By field: shared information relative to that of a unique term, whether both have it, how alike
 * the spelling is. */
static size_t measure_records(const struct blocking *blocking, uint32_t a, uint32_t b, float *out)
{
    size_t fields = blocking->fields, count = BLOCKING_MEASURES * fields;
    const uint64_t *left = blocking->spelling + a * fields,
                   *right = blocking->spelling + b * fields;
    float unique = logf((float)blocking->count + 1);
    memset(out, 0, count * sizeof *out);
    share_terms(blocking, a, b, out);
    for (size_t f = 0; f < fields; f++) {
        float *own = out + BLOCKING_MEASURES * f;
        own[0] = fminf(own[0] / unique, 4);
        if (!left[f] || !right[f]) continue;
        own[1] = 1;
        own[2] = left[f] == right[f] ? 1
                                     : 2 * (float)bits_of(left[f] & right[f]) /
                                           (float)(bits_of(left[f]) + bits_of(right[f]));
    }
    out[count] = 1;
    return count + 1;
}

static double blocking_sum(const struct blocking *blocking, const float *measures, size_t count)
{
    double sum = 0;
    for (size_t m = 0; m < count; m++) sum += blocking->weight[m] * (double)measures[m];
    return sum;
}

float blocking_score(const struct blocking *blocking, uint32_t a, uint32_t b)
{
    float measures[BLOCKING_WEIGHTS];
    size_t count = measure_records(blocking, a, b, measures);
    return (float)(1 / (1 + exp(-0.25 * blocking_sum(blocking, measures, count))));
}

/* ---- Fit ---- */

void blocking_weigh_alike(struct blocking *blocking)
{
    memset(blocking->weight, 0, sizeof blocking->weight);
    for (size_t f = 0; f < blocking->fields; f++) blocking->weight[BLOCKING_MEASURES * f] = 1;
}

/* Solves L L' x = b in place for the lower triangle L. */
static void solve_lower(const double *lower, size_t n, double *b)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) b[i] -= lower[i * n + j] * b[j];
        b[i] /= lower[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++) b[i] -= lower[j * n + i] * b[j];
        b[i] /= lower[i * n + i];
    }
}

/* Cholesky's factor of the upper bound of the curvature, X'X / 4, with a ridge. */
static void bound_curvature(const float *x, const struct blocking_example *examples, size_t count,
                            size_t n, const double share[2], double *lower)
{
    for (size_t i = 0; i < count; i++)
        for (size_t r = 0; r < n; r++) {
            double value = 0.25 * share[examples[i].same != 0] * (double)x[i * n + r];
            for (size_t c = 0; value != 0 && c <= r; c++)
                lower[r * n + c] += value * (double)x[i * n + c];
        }
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c <= r; c++) {
            double rest = lower[r * n + c] + (r == c ? RIDGE : 0);
            for (size_t j = 0; j < c; j++) rest -= lower[r * n + j] * lower[c * n + j];
            lower[r * n + c] = r == c ? sqrt(fmax(rest, RIDGE)) : rest / lower[c * n + c];
        }
}

/* Logistic regression with a ridge by steps that never overshoot (Böhning and Lindsay, 1988). Both
 * labels have the same weight in sum. */
film_status blocking_learn(struct blocking *blocking, const struct blocking_example *examples,
                           size_t count, film_error *error)
{
    enum { STEPS = 100 };
    film_status status = FILM_OK;
    size_t n = BLOCKING_MEASURES * blocking->fields + 1, same = 0;
    float *x = mem_array(count * n, sizeof *x);
    double *lower = mem_zeroed(n * n, sizeof *lower), slope[BLOCKING_WEIGHTS];
    TRY_ALLOC(x && lower, error);
    memset(blocking->weight, 0, sizeof blocking->weight);
    for (size_t i = 0; i < count; i++) {
        measure_records(blocking, examples[i].a, examples[i].b, x + i * n);
        same += examples[i].same != 0;
    }
    const double share[2] = {0.5 / (double)(count - same + 1), 0.5 / (double)(same + 1)};
    bound_curvature(x, examples, count, n, share, lower);
    for (int step = 0; step < STEPS; step++) {
        for (size_t m = 0; m < n; m++) slope[m] = RIDGE * blocking->weight[m];
        for (size_t i = 0; i < count; i++) {
            int label = examples[i].same != 0;
            double p = 1 / (1 + exp(-blocking_sum(blocking, x + i * n, n)));
            for (size_t m = 0; m < n; m++)
                slope[m] += share[label] * (p - label) * (double)x[i * n + m];
        }
        solve_lower(lower, n, slope);
        for (size_t m = 0; m < n; m++) blocking->weight[m] -= slope[m];
    }
done:
    mem_free(x);
    mem_free(lower);
    return status;
}

/* ---- Search ---- */

enum { COMPARED = 128 }; /* records that are compared by field; half as many if few are wanted */

struct blocking_searcher {
    float *sum;        /* shared information by record; all 0 between searches */
    uint32_t *touched; /* records with a sum */
};

film_status blocking_searcher_new(const struct blocking *blocking, struct blocking_searcher **out,
                                  film_error *error)
{
    film_status status = FILM_OK;
    struct blocking_searcher *searcher = mem_zeroed(1, sizeof *searcher);
    TRY_ALLOC(searcher, error);
    TRY_ALLOC((searcher->sum = mem_zeroed(blocking->count, sizeof *searcher->sum)) &&
                  (searcher->touched = mem_array(2 * BLOCKING_WIDE, sizeof *searcher->touched)),
              error);
    *out = searcher;
    searcher = NULL;
done:
    blocking_searcher_free(searcher);
    return status;
}

void blocking_searcher_free(struct blocking_searcher *searcher)
{
    if (!searcher) return;
    mem_free(searcher->sum);
    mem_free(searcher->touched);
    mem_free(searcher);
}

/* Sums the lists of the terms of RECORD, short ones first. Returns how many records they have. */
static size_t visit_lists(const struct blocking *blocking, struct blocking_searcher *searcher,
                          uint32_t record)
{
    size_t visited = 0, touched = 0;
    for (size_t at = blocking->start[record]; at < blocking->start[record + 1]; at++) {
        uint32_t t = blocking->term[at] >> BLOCKING_FIELD_BITS;
        if (t >= blocking->searched || visited >= blocking->postings) break;
        size_t first = blocking->list[t], last = blocking->list[t + 1];
        if (last - first > blocking->postings) break;
        for (size_t p = first; p < last; p++) {
            uint32_t other = blocking->record[p];
            if (searcher->sum[other] == 0) searcher->touched[touched++] = other;
            searcher->sum[other] += blocking->information[t];
        }
        visited += (size_t)(last - first);
    }
    return touched;
}

void blocking_search(const struct blocking *blocking, struct blocking_searcher *searcher,
                     uint32_t record, float least, size_t k, struct nearest *out)
{
    float score[COMPARED];
    uint32_t id[COMPARED];
    int few = 2 * k <= COMPARED && blocking->postings < BLOCKING_WIDE;
    size_t compared = few ? COMPARED / 2 : COMPARED;
    struct topk near = topk_over(score, id, compared), best = topk_over(out->score, out->id, k);
    size_t touched = visit_lists(blocking, searcher, record);
    for (size_t i = 0; i < touched; i++) {
        uint32_t other = searcher->touched[i];
        if (other != record) topk_offer(&near, searcher->sum[other], other);
        searcher->sum[other] = 0;
    }
    for (size_t i = 0; i < near.count; i++) {
        float quick = blocking_score(blocking, record, near.id[i]);
        if (quick >= least) topk_offer(&best, quick, near.id[i]);
    }
    topk_finish(&best);
    out->found = best.count;
}
