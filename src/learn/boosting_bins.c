/* Features as at most 64 bins, column by column; gradients as whole numbers of 15 bits, whose sums
 * are exact in any order, so threads change nothing; histograms of them. boosting.c grows the
 * trees. */
#include "learn/boosting_bins.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

/* ---- Bins ---- */

enum { BINS = BOOSTING_BINS, PARTS = BOOSTING_PARTS };
enum {
    SAMPLE = 1 << 15, /* rows that choose the cuts */
    AT_ONCE = 64      /* rows binned at a time */
};

/* Numbers in the order of the floats, and back. */
static uint32_t order_of_float(float value)
{
    uint32_t bits;
    value += 0.0f; /* -0 becomes 0 */
    memcpy(&bits, &value, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static float float_in_order(uint32_t order)
{
    uint32_t bits = order & 0x80000000u ? order & 0x7fffffffu : ~order;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Chooses the cuts of one feature from its sorted values: all of them if they are few, otherwise
 * each bin has an equal share of the values that are left, and equal values share a bin. */
static unsigned char choose_cuts(const uint32_t *sorted, size_t count, float *cut)
{
    size_t distinct = 1, at = 0, chosen = 0;
    for (size_t i = 1; i < count; i++) distinct += sorted[i] != sorted[i - 1];
    while (chosen < BINS - 1) {
        size_t next = distinct <= BINS ? at + 1 : at + 1 + (count - at - 1) / (BINS - chosen);
        while (next < count && sorted[next] == sorted[next - 1]) next++;
        if (next >= count) break;
        cut[chosen++] = float_in_order(sorted[next]);
        at = next;
    }
    return (unsigned char)chosen;
}

void bins_free(struct bins *bins)
{
    mem_free(bins->cut);
    mem_free(bins->count);
}

film_status bins_choose(struct bins *bins, const struct boosting_data *data, size_t features,
                        film_error *error)
{
    film_status status = FILM_OK;
    uint32_t *value = mem_array(2 * SAMPLE, sizeof *value);
    *bins =
        (struct bins){features, mem_array(features, BINS * sizeof(float)), mem_array(features, 1)};
    TRY_ALLOC(value && bins->cut && bins->count, error);
    /* Rows of little weight count as much as others: with weights, the held-out loss on Quora is
     * higher by 0.001. */
    for (size_t f = 0, every = 1 + (data->rows - 1) / SAMPLE; f < features; f++) {
        size_t count = 0;
        for (size_t i = 0; i < data->rows; i += every)
            value[count++] = order_of_float(boosting_row(data, i, features)[f]);
        sort_ids(value, value + SAMPLE, count);
        bins->count[f] = choose_cuts(value, count, bins->cut + f * BINS);
    }
done:
    mem_free(value);
    return status;
}

void binned_free(struct binned *rows)
{
    mem_free(rows->bin);
    mem_free(rows->margin);
}

static unsigned char find_bin(const float *cut, unsigned count, float value)
{
    unsigned low = 0; /* cuts before LOW are <= value */
    for (unsigned step = BINS / 2; step; step /= 2)
        if (low + step <= count && cut[low + step - 1] <= value) low += step;
    return (unsigned char)low;
}

struct binning {
    struct binned *rows;
    const struct bins *bins;
};

/* Finds the bins of rows FIRST .. END, a block. */
static void bin_block(size_t first, size_t end, void *user)
{
    const struct binning *job = user;
    const struct boosting_data *data = job->rows->data;
    const struct bins *bins = job->bins;
    const float *row[AT_ONCE];
    for (size_t i = first; i < end; i++) {
        row[i - first] = boosting_row(data, i, bins->features);
        job->rows->margin[i] = data->base ? (double)data->base[i] : 0;
    }
    for (size_t f = 0; f < bins->features; f++)
        for (size_t i = first; i < end; i++)
            job->rows->bin[f * data->rows + i] =
                find_bin(bins->cut + f * BINS, bins->count[f], row[i - first][f]);
}

film_status binned_init(struct binned *rows, const struct boosting_data *data,
                        const struct bins *bins, int threads, film_error *error)
{
    struct binning job = {rows, bins};
    *rows = (struct binned){data, mem_array(data->rows, bins->features),
                            mem_array(data->rows, sizeof(double))};
    if (!rows->bin || !rows->margin) return status_no_memory(error);
    threads_each(threads, data->rows, AT_ONCE, bin_block, &job);
    return FILM_OK;
}

/* ---- Margins ---- */

/* Adding a tree to the margins of all rows, by parts. */
struct addition {
    struct binned *rows;
    const struct binned_tree *grown;
    int logistic, measured;
    double part[PARTS][2]; /* sums of the losses, if measured, and of the weights */
};

static size_t part_begin(const struct addition *addition, size_t part)
{
    return addition->rows->data->rows * part / PARTS;
}

static void add_leaves(const struct addition *addition, size_t part)
{
    const struct binned_tree *grown = addition->grown;
    const struct binned *rows = addition->rows;
    const unsigned char *bin[TREE_SPLITS];
    for (int s = 0; s < TREE_SPLITS; s++) {
        int feature = grown->tree.feature[s];
        bin[s] = feature < 0 ? NULL : rows->bin + (size_t)feature * rows->data->rows;
    }
    for (size_t i = part_begin(addition, part); i < part_begin(addition, part + 1); i++) {
        int side = bin[0] && bin[0][i] >= grown->bin[0], split = 1 + side;
        int right = bin[split] && bin[split][i] >= grown->bin[split];
        rows->margin[i] += (double)grown->tree.leaf[2 * side + right];
    }
}

static void sum_losses(struct addition *addition, size_t part)
{
    const struct boosting_data *data = addition->rows->data;
    double sum = 0, weight = 0;
    for (size_t i = part_begin(addition, part); i < part_begin(addition, part + 1); i++) {
        double m = addition->rows->margin[i], y = (double)data->target[i];
        double one = data->weight ? (double)data->weight[i] : 1;
        sum += one *
               (addition->logistic ? fmax(m, 0) + log1p(exp(-fabs(m))) - y * m : (m - y) * (m - y));
        weight += one;
    }
    addition->part[part][0] = sum;
    addition->part[part][1] = weight;
}

static void add_parts(size_t part, size_t end, void *user)
{
    struct addition *addition = user;
    for (; part < end; part++) {
        add_leaves(addition, part);
        if (addition->measured) sum_losses(addition, part);
    }
}

void binned_add(struct binned *rows, const struct binned_tree *grown, int logistic, int threads,
                double *loss)
{
    struct addition addition = {
        .rows = rows, .grown = grown, .logistic = logistic, .measured = loss != NULL};
    double sum = 0, weight = 0;
    threads_each(threads, PARTS, boosting_grain(rows->data->rows / PARTS), add_parts, &addition);
    if (!loss) return;
    for (size_t part = 0; part < PARTS; part++) {
        sum += addition.part[part][0];
        weight += addition.part[part][1];
    }
    *loss = sum / weight;
}

/* ---- Gradients ---- */

enum { LARGEST = 32767 };

void gradients_free(struct gradients *gradients)
{
    mem_free(gradients->g);
    mem_free(gradients->h);
    mem_free(gradients->both);
}

film_status gradients_init(struct gradients *gradients, size_t rows, film_error *error)
{
    *gradients = (struct gradients){.g = mem_array(rows, sizeof(float)),
                                    .h = mem_array(rows, sizeof(float)),
                                    .both = mem_array(rows, sizeof(int64_t))};
    return gradients->g && gradients->h && gradients->both ? FILM_OK : status_no_memory(error);
}

/* Computes the derivatives of rows FIRST to END - 1; *MOST receives the largest of each. */
static void differentiate_rows(struct gradients *out, const struct binned *rows, int logistic,
                               size_t first, size_t end, float most[2])
{
    const struct boosting_data *data = rows->data;
    most[0] = most[1] = 0;
    for (size_t i = first; i < end; i++) {
        float weight = data->weight ? data->weight[i] : 1, m = (float)rows->margin[i];
        float p = logistic ? 1 / (1 + expf(-m)) : m;
        out->g[i] = weight * (p - data->target[i]);
        out->h[i] = weight * (logistic ? p * (1 - p) : 1);
        most[0] = fmaxf(most[0], fabsf(out->g[i]));
        most[1] = fmaxf(most[1], out->h[i]);
    }
}

struct differentiation {
    struct gradients *out;
    const struct binned *rows;
    int logistic;
    float most[PARTS][2], by_g, by_h;
};

static void differentiate_parts(size_t begin, size_t end, void *user)
{
    struct differentiation *job = user;
    size_t count = job->rows->data->rows;
    for (size_t p = begin; p < end; p++)
        differentiate_rows(job->out, job->rows, job->logistic, count * p / PARTS,
                           count * (p + 1) / PARTS, job->most[p]);
}

static void round_rows(size_t begin, size_t end, void *user)
{
    const struct differentiation *job = user;
    struct gradients *out = job->out;
    for (size_t i = begin; i < end; i++)
        out->both[i] = lrintf(out->g[i] * job->by_g) * (INT64_C(1) << 32) +
                       (int64_t)lrintf(out->h[i] * job->by_h);
}

void gradients_compute(struct gradients *out, const struct binned *rows, int logistic, int threads)
{
    struct differentiation job = {.out = out, .rows = rows, .logistic = logistic};
    size_t count = rows->data->rows;
    float g = 0, h = 0;
    threads_each(threads, PARTS, boosting_grain(count / PARTS), differentiate_parts, &job);
    for (size_t p = 0; p < PARTS; p++) {
        g = fmaxf(g, job.most[p][0]);
        h = fmaxf(h, job.most[p][1]);
    }
    job.by_g = g > 0 ? LARGEST / g : 0;
    job.by_h = h > 0 ? LARGEST / h : 0;
    out->unit_g = (double)g / LARGEST;
    out->unit_h = (double)h / LARGEST;
    threads_each(threads, count, 1 << 14, round_rows, &job);
}

/* ---- Histograms ---- */

/* A block of rows cannot overflow the 32 bits of a sum; four tables avoid waiting for the sum of
 * the preceding row. */
void gradients_histogram(const struct gradients *gradients, const unsigned char *bin,
                         const uint32_t *list, size_t count, struct gradient_sums out[BINS])
{
    enum { BLOCK = 1 << 16, TABLES = 4 };
    const int64_t *both = gradients->both;
    memset(out, 0, BINS * sizeof *out);
    for (size_t first = 0; first < count; first += BLOCK) {
        int64_t table[TABLES][BINS] = {{0}};
        size_t end = first + BLOCK < count ? first + BLOCK : count, i = first;
        if (list)
            for (; i < end; i++) table[i % TABLES][bin[list[i]]] += both[list[i]];
        for (; i + TABLES <= end; i += TABLES)
            for (size_t t = 0; t < TABLES; t++) table[t][bin[i + t]] += both[i + t];
        for (; i < end; i++) table[0][bin[i]] += both[i];
        for (int b = 0; b < BINS; b++)
            gradient_sums_add(&out[b], table[0][b] + table[1][b] + table[2][b] + table[3][b]);
    }
}
