/* Gradient boosting of trees of depth 1 or 2 on histograms (Chen & Guestrin 2016): splits, trees,
 * rounds. A tree reads only the columns that it drew. Bins and histograms are in
 * boosting_bins.c. */
#include "learn/boosting.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/threads.h"
#include "learn/boosting_bins.h"
#include "learn/trees_cover.h"

#include <math.h>
#include <string.h>

void boosting_defaults(struct boosting_options *options)
{
    *options = (struct boosting_options){.rounds = 400,
                                         .depth = 2,
                                         .rate = 0.1,
                                         .lambda = 1,
                                         .min_child_weight = 1,
                                         .subsample = 1,
                                         .column_share = 1};
}

void boosting_history_free(struct boosting_history *history)
{
    mem_free(history->train);
    mem_free(history->validation);
    memset(history, 0, sizeof *history);
}

/* ---- Checks ---- */

static int in_share(double value)
{
    return value > 0 && value <= 1;
}

static film_status check_boosting_options(const struct boosting_options *options, size_t features,
                                          film_error *error)
{
    const char *problem = NULL;
    if (options->rounds < 1 || options->rounds > 1000000) problem = "rounds must be 1 to 1000000";
    if (options->depth < 1 || options->depth > 2) problem = "depth must be 1 or 2";
    if (!in_share(options->rate)) problem = "rate must be above 0, up to 1";
    if (!(options->lambda >= 0 && options->lambda < 1e30)) problem = "lambda must not be negative";
    if (!(options->min_child_weight >= 0 && options->min_child_weight < 1e30))
        problem = "minimum child weight must not be negative";
    if (!in_share(options->subsample)) problem = "share of rows must be above 0, up to 1";
    if (!in_share(options->column_share)) problem = "share of features must be above 0, up to 1";
    if (features < 1 || features > 1000000) problem = "the number of features must be 1 to 1000000";
    for (size_t i = 0; options->monotone && !problem && i < features; i++)
        if (options->monotone[i] < -1 || options->monotone[i] > 1)
            problem = "a monotone sign must be -1, 0 or 1";
    return problem ? status_set(error, FILM_USAGE, "boosting: %s", problem) : FILM_OK;
}

/* Our trees have no missing values. */
static film_status check_data(const struct boosting_data *data, size_t features, int probability,
                              const char *name, film_error *error)
{
    double weight = 0;
    for (size_t i = 0; i < data->rows; i++) {
        float target = data->target[i], one = data->weight ? data->weight[i] : 1;
        const char *problem = NULL;
        if (!isfinite(target) || (probability && (target < 0 || target > 1)))
            problem = "the target is not a number in range";
        if (!isfinite(one) || one < 0) problem = "the weight is negative or not a finite number";
        if (data->base && !isfinite(data->base[i])) problem = "the base is not a finite number";
        const float *x = boosting_row(data, i, features);
        for (size_t j = 0; j < features; j++)
            if (!isfinite(x[j])) problem = "a feature is not a finite number";
        if (problem)
            return status_set(error, FILM_BAD_INPUT, "boosting: %s row %zu: %s", name, i, problem);
        weight += (double)one;
    }
    if (!(weight > 0))
        return status_set(error, FILM_BAD_INPUT, "boosting: no %s row has a weight", name);
    return FILM_OK;
}

/* ---- Splits ---- */

/* A node: its sums, and the bounds that monotone splits above it set for its value. */
struct node {
    struct gradient_sums sums;
    double low, high;
};

struct tree_split {
    double gain;
    int feature;  /* -1: none */
    unsigned bin; /* rows of smaller bins go left */
    struct gradient_sums left;
};

/* How sums become values and gains. */
struct leaf_scale {
    double unit_g, unit_h, lambda, least_h;
};

static double node_value(const struct leaf_scale *scale, const struct node *node)
{
    double g = (double)node->sums.g * scale->unit_g, h = (double)node->sums.h * scale->unit_h;
    double value = h + scale->lambda > 0 ? -g / (h + scale->lambda) : 0;
    return fmin(fmax(value, node->low), node->high);
}

/* Twice the decrease of the loss by this value. */
static double value_gain(const struct leaf_scale *scale, struct gradient_sums sums, double value)
{
    double g = (double)sums.g * scale->unit_g, h = (double)sums.h * scale->unit_h;
    return -(2 * g + (h + scale->lambda) * value) * value;
}

static struct gradient_sums less(struct gradient_sums all, struct gradient_sums part)
{
    return (struct gradient_sums){all.g - part.g, all.h - part.h};
}

/* Improves BEST by a split of NODE at FEATURE, whose histogram is TABLE; SIGN is its constraint. */
static void improve_split(const struct leaf_scale *scale, const struct node *node, int feature,
                          int sign, unsigned cuts, const struct gradient_sums table[BOOSTING_BINS],
                          struct tree_split *best)
{
    double before = value_gain(scale, node->sums, node_value(scale, node));
    struct node left = *node, right = *node;
    left.sums = (struct gradient_sums){0, 0};
    for (unsigned bin = 1; bin <= cuts; bin++) {
        left.sums.g += table[bin - 1].g;
        left.sums.h += table[bin - 1].h;
        right.sums = less(node->sums, left.sums);
        if ((double)left.sums.h * scale->unit_h < scale->least_h) continue;
        if ((double)right.sums.h * scale->unit_h < scale->least_h) break;
        double a = node_value(scale, &left), b = node_value(scale, &right);
        if (sign * (b - a) < 0) continue;
        double gain = value_gain(scale, left.sums, a) + value_gain(scale, right.sums, b) - before;
        if (gain > best->gain) *best = (struct tree_split){gain, feature, bin, left.sums};
    }
}

/* The children of NODE; a monotone split keeps their values on either side of the mean. */
static void split_node(const struct leaf_scale *scale, const struct node *node,
                       const struct tree_split *split, int sign, struct node child[2])
{
    child[0] = child[1] = *node;
    child[0].sums = split->left;
    child[1].sums = less(node->sums, split->left);
    double middle = (node_value(scale, &child[0]) + node_value(scale, &child[1])) / 2;
    if (sign) child[sign < 0].high = child[sign > 0].low = middle;
}

/* ---- A tree ---- */

struct fit {
    const struct boosting_options *options;
    size_t features;
    int threads;
    struct bins bins;
    struct binned rows, validation;
    struct gradients gradients;
    struct rng rng;
    uint32_t *sampled, *smaller; /* rows drawn for the tree; those of its smaller child */
    size_t *column;              /* features drawn for the tree */
    struct gradient_sums (*table)[BOOSTING_BINS]; /* by drawn feature: the root's histogram */
    struct tree_split (*best)[2];                 /* by drawn feature */
    size_t columns, drawn;
    struct tree *trees;
    struct boosting_history history;
};

static void draw_rows_and_columns(struct fit *fit)
{
    const struct boosting_options *options = fit->options;
    size_t rows = fit->rows.data->rows, left = fit->features;
    size_t wanted = (size_t)(options->column_share * (double)fit->features);
    if (wanted < 1) wanted = 1;
    fit->columns = fit->drawn = 0;
    for (size_t f = 0; f < fit->features; f++)
        if (rng_below(&fit->rng, left--) < wanted - fit->columns) fit->column[fit->columns++] = f;
    for (size_t i = 0; options->subsample < 1 && i < rows; i++)
        if (rng_uniform(&fit->rng) < options->subsample) fit->sampled[fit->drawn++] = (uint32_t)i;
    if (options->subsample >= 1) fit->drawn = rows;
}

static const struct tree_split *best_split(const struct fit *fit, int which)
{
    const struct tree_split *best = &fit->best[0][which];
    for (size_t c = 1; c < fit->columns; c++)
        if (fit->best[c][which].gain > best->gain) best = &fit->best[c][which];
    return best;
}

static int sign_of(const struct fit *fit, int feature)
{
    return fit->options->monotone ? fit->options->monotone[feature] : 0;
}

/* A search of all drawn features for the splits of ROOT (CHILD NULL) or of its two children. The
 * SMALLER one, with the COUNT rows of LIST, is counted; the other is the difference. */
struct split_search {
    const struct fit *fit;
    struct leaf_scale scale;
    const struct node *root, *child;
    int smaller;
    const uint32_t *list;
    size_t count;
};

static void search_column(const struct split_search *search, size_t c)
{
    const struct tree_split none = {.gain = 1e-6, .feature = -1};
    const struct fit *fit = search->fit;
    const struct leaf_scale *scale = &search->scale;
    size_t f = fit->column[c];
    const unsigned char *bin = fit->rows.bin + f * fit->rows.data->rows;
    struct gradient_sums counted[BOOSTING_BINS], other[BOOSTING_BINS];
    int sign = sign_of(fit, (int)f);
    unsigned cuts = fit->bins.count[f];
    fit->best[c][0] = fit->best[c][1] = none;
    if (!cuts) return;
    gradients_histogram(&fit->gradients, bin, search->list, search->count,
                        search->child ? counted : fit->table[c]);
    if (!search->child) {
        improve_split(scale, search->root, (int)f, sign, cuts, fit->table[c], &fit->best[c][0]);
        return;
    }
    for (int b = 0; b < BOOSTING_BINS; b++) other[b] = less(fit->table[c][b], counted[b]);
    for (int side = 0; side < 2; side++)
        improve_split(scale, &search->child[side], (int)f, sign, cuts,
                      side == search->smaller ? counted : other, &fit->best[c][side]);
}

static void search_columns(size_t begin, size_t end, void *user)
{
    for (size_t c = begin; c < end; c++) search_column(user, c);
}

static void search_splits(struct split_search *search)
{
    const struct fit *fit = search->fit;
    /* A row of a histogram costs an eighth of a row of the parts. */
    threads_each(fit->threads, fit->columns, boosting_grain(search->count / 8), search_columns,
                 search);
}

static struct gradient_sums sum_drawn(const struct fit *fit)
{
    struct gradient_sums all = {0, 0};
    const int64_t *both = fit->gradients.both;
    for (size_t k = 0; k < fit->drawn; k++) {
        gradient_sums_add(&all, both[fit->options->subsample < 1 ? fit->sampled[k] : k]);
    }
    return all;
}

/* Lists the drawn rows of the child that has fewer; returns which it is. */
static int list_smaller(struct fit *fit, const struct tree_split *split, size_t *count)
{
    const unsigned char *bin = fit->rows.bin + (size_t)split->feature * fit->rows.data->rows;
    const uint32_t *sampled = fit->options->subsample < 1 ? fit->sampled : NULL;
    size_t right = 0;
    for (size_t k = 0; k < fit->drawn; k++) right += bin[sampled ? sampled[k] : k] >= split->bin;
    int smaller = right < fit->drawn - right;
    *count = 0;
    for (size_t k = 0; k < fit->drawn; k++) {
        uint32_t i = sampled ? sampled[k] : (uint32_t)k;
        fit->smaller[*count] = i;
        *count += (bin[i] >= split->bin) == smaller;
    }
    return smaller;
}

static void set_split(const struct fit *fit, const struct tree_split *split, int at,
                      struct binned_tree *out)
{
    out->tree.feature[at] = split->feature;
    out->bin[at] = split->bin;
    if (split->feature >= 0)
        out->tree.cut[at] = fit->bins.cut[(size_t)split->feature * BOOSTING_BINS + split->bin - 1];
}

static void grow_tree(struct fit *fit, struct binned_tree *out)
{
    const struct boosting_options *options = fit->options;
    struct leaf_scale scale = {fit->gradients.unit_g, fit->gradients.unit_h, options->lambda,
                               options->min_child_weight};
    struct node root = {sum_drawn(fit), -INFINITY, INFINITY}, child[2], leaf[2];
    *out = (struct binned_tree){.tree = {.feature = {-1, -1, -1}}};
    const uint32_t *sampled = options->subsample < 1 ? fit->sampled : NULL;
    struct split_search search = {fit, scale, &root, NULL, 0, sampled, fit->drawn};
    search_splits(&search);
    struct tree_split split = *best_split(fit, 0), below[2] = {{.feature = -1}, {.feature = -1}};
    if (split.feature < 0) {
        out->tree.leaf[0] = (float)(options->rate * node_value(&scale, &root));
        return;
    }
    set_split(fit, &split, 0, out);
    split_node(&scale, &root, &split, sign_of(fit, split.feature), child);
    if (options->depth > 1) {
        search.child = child;
        search.smaller = list_smaller(fit, &split, &search.count);
        search.list = fit->smaller;
        search_splits(&search);
        for (int side = 0; side < 2; side++) below[side] = *best_split(fit, side);
    }
    for (int side = 0; side < 2; side++) {
        float *value = out->tree.leaf + 2 * side;
        *value = (float)(options->rate * node_value(&scale, &child[side]));
        if (below[side].feature < 0) continue;
        set_split(fit, &below[side], 1 + side, out);
        split_node(&scale, &child[side], &below[side], 0, leaf);
        for (int i = 0; i < 2; i++)
            value[i] = (float)(options->rate * node_value(&scale, &leaf[i]));
    }
}

/* ---- Rounds ---- */

static film_status one_round(struct fit *fit, film_error *error)
{
    film_status status = FILM_OK;
    struct boosting_history *history = &fit->history;
    const struct boosting_options *options = fit->options;
    size_t round = history->rounds;
    int logistic = options->objective == BOOSTING_LOGISTIC;
    struct binned_tree grown;
    draw_rows_and_columns(fit);
    gradients_compute(&fit->gradients, &fit->rows, logistic, fit->threads);
    grow_tree(fit, &grown);
    fit->trees[round] = grown.tree;
    binned_add(&fit->rows, &grown, logistic, fit->threads,
               history->train ? &history->train[round] : NULL);
    if (options->validation)
        binned_add(&fit->validation, &grown, logistic, fit->threads, &history->validation[round]);
    history->rounds = round + 1;
    if (!options->validation || !history->kept ||
        history->validation[round] < history->validation[history->kept - 1])
        history->kept = round + 1;
    if (history->train)
        progress_note(options->progress, "round %zu: loss %.5f", round + 1, history->train[round]);
    TRY(progress_report(options->progress, "boosting", (double)(round + 1), (double)options->rounds,
                        error));
done:
    return status;
}

static film_status all_rounds(struct fit *fit, film_error *error)
{
    film_status status = FILM_OK;
    size_t patience = fit->options->patience;
    while (status == FILM_OK && fit->history.rounds < fit->options->rounds) {
        status = one_round(fit, error);
        if (patience && fit->history.rounds - fit->history.kept >= patience) break;
    }
    return status;
}

/* Allocates for HISTORY only what the caller wants to see. */
static film_status prepare_fit(struct fit *fit, const struct boosting_data *data, int wants_history,
                               film_error *error)
{
    film_status status = FILM_OK;
    const struct boosting_options *options = fit->options;
    size_t rounds = options->rounds, features = fit->features;
    if (wants_history) TRY_ALLOC(fit->history.train = mem_zeroed(rounds, sizeof(double)), error);
    if (options->validation)
        TRY_ALLOC(fit->history.validation = mem_zeroed(rounds, sizeof(double)), error);
    TRY(bins_choose(&fit->bins, data, features, error));
    TRY(binned_init(&fit->rows, data, &fit->bins, fit->threads, error));
    if (options->validation)
        TRY(binned_init(&fit->validation, options->validation, &fit->bins, fit->threads, error));
    TRY(gradients_init(&fit->gradients, data->rows, error));
    TRY_ALLOC((fit->trees = mem_array(rounds, sizeof *fit->trees)) &&
                  (fit->column = mem_array(features, sizeof *fit->column)) &&
                  (fit->table = mem_array(features, sizeof *fit->table)) &&
                  (fit->best = mem_array(features, sizeof *fit->best)) &&
                  (fit->sampled = mem_array(data->rows, sizeof *fit->sampled)) &&
                  (fit->smaller = mem_array(data->rows + 1, sizeof *fit->smaller)),
              error);
    rng_seed(&fit->rng, options->seed);
done:
    return status;
}

static void release_fit(struct fit *fit)
{
    bins_free(&fit->bins);
    binned_free(&fit->rows);
    binned_free(&fit->validation);
    gradients_free(&fit->gradients);
    mem_free(fit->trees);
    mem_free(fit->column);
    mem_free(fit->table);
    mem_free(fit->best);
    mem_free(fit->sampled);
    mem_free(fit->smaller);
}

static film_status keep_trees(const struct fit *fit, struct trees *trees, film_error *error)
{
    film_status status = trees_init(trees, fit->history.kept, error);
    for (size_t i = 0; status == FILM_OK && i < fit->history.kept; i++)
        trees_set(trees, i, &fit->trees[i]);
    return status;
}

film_status boosting_fit(const struct boosting_data *data, size_t features,
                         const struct boosting_options *options, struct trees *trees,
                         struct boosting_history *history, film_error *error)
{
    film_status status = FILM_OK;
    int logistic = options->objective == BOOSTING_LOGISTIC;
    struct fit fit = {.options = options, .features = features};
    memset(trees, 0, sizeof *trees);
    if (history) memset(history, 0, sizeof *history);
    TRY(check_boosting_options(options, features, error));
    TRY(check_data(data, features, logistic, "training", error));
    if (options->validation)
        TRY(check_data(options->validation, features, logistic, "validation", error));
    fit.threads = threads_count(options->threads);
    TRY(prepare_fit(&fit, data, history != NULL, error));
    TRY(all_rounds(&fit, error));
    TRY(keep_trees(&fit, trees, error));
    TRY(trees_cover(trees, data, features, fit.threads, error));
done:
    release_fit(&fit);
    if (status != FILM_OK) trees_free(trees);
    if (history && status == FILM_OK)
        *history = fit.history;
    else
        boosting_history_free(&fit.history);
    return status;
}
