/* Gradient boosting (Chen & Guestrin 2016) through XGBoost's C interface, and conversion of its
 * trees to our tables. This is the only file that calls XGBoost; a trained model does not need
 * it. */
#include "learn/boosting.h"
#include "base/mem.h"
#include "la/openmp.h"
#include "learn/trees_cover.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <xgboost/c_api.h>

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

/* XGBoost would treat NaN as a missing value, which our trees do not support. */
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
        for (size_t j = 0; j < features; j++)
            if (!isfinite(data->x[i * features + j])) problem = "a feature is not a finite number";
        if (problem)
            return status_set(error, FILM_BAD_INPUT, "boosting: %s row %zu: %s", name, i, problem);
        weight += (double)one;
    }
    if (!(weight > 0))
        return status_set(error, FILM_BAD_INPUT, "boosting: no %s row has a weight", name);
    return FILM_OK;
}

/* ---- Calls of XGBoost, each checked ---- */

/* Converts an error of XGBoost to ours: its first line, without the stack trace. */
static film_status check_call(int failed, film_error *error)
{
    if (!failed) return FILM_OK;
    const char *text = XGBGetLastError();
    if (!text) text = "";
    text += strspn(text, "\r\n");
    if (strstr(text, "bad_alloc")) return status_no_memory(error);
    return status_set(error, FILM_BAD_INPUT, "XGBoost: %.*s", (int)strcspn(text, "\r\n"), text);
}

static void ignore_message(const char *message)
{
    (void)message;
}

/* Silences XGBoost: the library never prints. The caller restores the verbosity of its thread. The
 * log callback cannot be read, and so cannot be restored. */
static film_status silence(char **before, film_error *error)
{
    film_status status = FILM_OK;
    const char *now;
    TRY(check_call(XGBGetGlobalConfig(&now), error));
    TRY_ALLOC(*before = mem_string(now, strlen(now)), error);
    TRY(check_call(XGBRegisterLogCallback(ignore_message), error));
    TRY(check_call(XGBSetGlobalConfig("{\"verbosity\": 0}"), error));
done:
    return status;
}

static film_status make_matrix(const struct boosting_data *data, size_t features, int threads,
                               DMatrixHandle *out, film_error *error)
{
    film_status status = FILM_OK;
    TRY(check_call(XGDMatrixCreateFromMat_omp(data->x, data->rows, features, NAN, out, threads),
                   error));
    TRY(check_call(XGDMatrixSetFloatInfo(*out, "label", data->target, data->rows), error));
    if (data->weight)
        TRY(check_call(XGDMatrixSetFloatInfo(*out, "weight", data->weight, data->rows), error));
    if (data->base)
        TRY(check_call(XGDMatrixSetFloatInfo(*out, "base_margin", data->base, data->rows), error));
done:
    return status;
}

/* Formats with a decimal point in every locale: jansson does, printf does not. */
static film_status set_number(BoosterHandle booster, const char *name, double value,
                              film_error *error)
{
    char text[64];
    json_t *number = json_real(value);
    if (!number) return status_no_memory(error);
    size_t length = json_dumpb(number, text, sizeof text - 1, JSON_ENCODE_ANY);
    json_decref(number);
    if (length == 0 || length >= sizeof text) return status_no_memory(error);
    text[length] = '\0';
    return check_call(XGBoosterSetParam(booster, name, text), error);
}

static film_status set_monotone(BoosterHandle booster, const int *sign, size_t features,
                                film_error *error)
{
    film_status status = FILM_OK;
    size_t used = 0;
    char *text = mem_array(features + 1, sizeof "-1,"); /* "(1,-1,0)" */
    if (!text) return status_no_memory(error);
    text[used++] = '(';
    for (size_t i = 0; i < features; i++)
        used += (size_t)snprintf(text + used, sizeof "-1,", "%d,", sign[i]);
    text[used - 1] = ')';
    text[used] = '\0';
    TRY(check_call(XGBoosterSetParam(booster, "monotone_constraints", text), error));
done:
    mem_free(text);
    return status;
}

static film_status configure(BoosterHandle booster, const struct boosting_options *options,
                             size_t features, int threads, film_error *error)
{
    film_status status = FILM_OK;
    int logistic = options->objective == BOOSTING_LOGISTIC;
    uint64_t seed = (options->seed ^ (options->seed >> 31)) & INT32_MAX; /* XGBoost takes an int */
    const struct {
        const char *name, *value;
    } texts[] = {
        {"booster", "gbtree"},
        {"tree_method", "hist"},
        {"max_bin", "64"}, /* as accurate as 256 on Quora, in half the time */
        {"objective", logistic ? "reg:logistic" : "reg:squarederror"},
        /* Makes the initial margin 0. */
        {"base_score", logistic ? "0.5" : "0"},
        {"disable_default_eval_metric", "1"},
    };
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"eta", options->rate},
        {"lambda", options->lambda},
        {"min_child_weight", options->min_child_weight},
        {"subsample", options->subsample},
        {"colsample_bytree", options->column_share},
    };
    char whole[32];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        TRY(check_call(XGBoosterSetParam(booster, texts[i].name, texts[i].value), error));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        TRY(set_number(booster, numbers[i].name, numbers[i].value, error));
    snprintf(whole, sizeof whole, "%d", options->depth);
    TRY(check_call(XGBoosterSetParam(booster, "max_depth", whole), error));
    snprintf(whole, sizeof whole, "%d", threads);
    TRY(check_call(XGBoosterSetParam(booster, "nthread", whole), error));
    snprintf(whole, sizeof whole, "%d", (int)seed);
    TRY(check_call(XGBoosterSetParam(booster, "seed", whole), error));
    if (options->monotone) TRY(set_monotone(booster, options->monotone, features, error));
done:
    return status;
}

/* ---- Rounds ---- */

/* The weighted mean loss of the margins. The parts are fixed, so the sum does not depend on the
 * number of threads. */
static double mean_loss(const struct boosting_data *data, const float *margin, int logistic,
                        int threads)
{
    enum { PARTS = 64 };
    double part[PARTS][2], total = 0, weight = 0;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t p = 0; p < PARTS; p++) {
        double sum = 0, seen = 0;
        size_t last = data->rows * (p + 1) / PARTS;
        for (size_t i = data->rows * p / PARTS; i < last; i++) {
            double m = (double)margin[i], y = (double)data->target[i];
            double one = data->weight ? (double)data->weight[i] : 1;
            sum += one * (logistic ? fmax(m, 0) + log1p(exp(-fabs(m))) - y * m : (m - y) * (m - y));
            seen += one;
        }
        part[p][0] = sum;
        part[p][1] = seen;
    }
    for (size_t p = 0; p < PARTS; p++) {
        total += part[p][0];
        weight += part[p][1];
    }
    return total / weight;
}

struct fit {
    const struct boosting_data *data;
    const struct boosting_options *options;
    size_t features;
    int threads;
    BoosterHandle booster;
    DMatrixHandle matrix, validation;
    struct boosting_history history;
};

/* XGBoost caches the margins of both matrices, so this does not evaluate all trees again. */
static film_status mean_loss_now(struct fit *fit, DMatrixHandle matrix,
                                 const struct boosting_data *data, double *loss, film_error *error)
{
    enum { MARGIN = 1, ALL_TREES = 0, NOT_TRAINING = 0 };
    bst_ulong length;
    const float *margin;
    film_status status = check_call(
        XGBoosterPredict(fit->booster, matrix, MARGIN, ALL_TREES, NOT_TRAINING, &length, &margin),
        error);
    if (status != FILM_OK) return status;
    if (length != data->rows)
        return status_set(error, FILM_BAD_INPUT, "XGBoost: got %zu margins for %zu rows",
                          (size_t)length, data->rows);
    *loss = mean_loss(data, margin, fit->options->objective == BOOSTING_LOGISTIC, fit->threads);
    return FILM_OK;
}

static film_status one_round(struct fit *fit, film_error *error)
{
    film_status status = FILM_OK;
    struct boosting_history *history = &fit->history;
    const struct boosting_options *options = fit->options;
    size_t round = history->rounds;
    TRY(check_call(XGBoosterUpdateOneIter(fit->booster, (int)round, fit->matrix), error));
    TRY(mean_loss_now(fit, fit->matrix, fit->data, &history->train[round], error));
    if (options->validation)
        TRY(mean_loss_now(fit, fit->validation, options->validation, &history->validation[round],
                          error));
    history->rounds = round + 1;
    if (!options->validation || !history->kept ||
        history->validation[round] < history->validation[history->kept - 1])
        history->kept = round + 1;
    progress_note(options->progress, "round %zu: loss %.5f%s%.5f", round + 1, history->train[round],
                  options->validation ? ", validation loss " : ", before ",
                  options->validation ? history->validation[round]
                                      : history->train[round ? round - 1 : 0]);
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

static film_status prepare_fit(struct fit *fit, film_error *error)
{
    film_status status = FILM_OK;
    const struct boosting_options *options = fit->options;
    size_t rounds = options->rounds;
    DMatrixHandle known[2];
    TRY_ALLOC(fit->history.train = mem_zeroed(rounds, sizeof(double)), error);
    if (options->validation)
        TRY_ALLOC(fit->history.validation = mem_zeroed(rounds, sizeof(double)), error);
    TRY(make_matrix(fit->data, fit->features, fit->threads, &fit->matrix, error));
    if (options->validation)
        TRY(make_matrix(options->validation, fit->features, fit->threads, &fit->validation, error));
    known[0] = fit->matrix;
    known[1] = fit->validation;
    TRY(check_call(XGBoosterCreate(known, options->validation ? 2 : 1, &fit->booster), error));
    TRY(configure(fit->booster, options, fit->features, fit->threads, error));
done:
    return status;
}

/* ---- Conversion of the trees ---- */

/* A tree in XGBoost's format: one array per property, one entry per node; node 0 is the root. */
struct nodes {
    const json_t *left, *right;    /* -1: a leaf */
    const json_t *feature, *value; /* value: the cut, or the leaf's value times the rate */
};

static int whole_at(const json_t *array, long at)
{
    return (int)json_integer_value(json_array_get(array, (size_t)at)); /* 0 if missing */
}

static float json_float_at(const json_t *array, long at)
{
    const json_t *value = json_array_get(array, (size_t)at);
    /* The text has enough digits to restore the same float. */
    return json_is_number(value) ? (float)json_number_value(value) : NAN;
}

/* Returns the node's children, or 0 for a leaf. Children follow their parent, so 0 is never one. */
static int children(const struct nodes *nodes, int node, int *left, int *right)
{
    *left = whole_at(nodes->left, node);
    *right = whole_at(nodes->right, node);
    return *left > node && *right > node;
}

/* Returns 0 when the depth exceeds 2. Any other defect becomes a NaN or a feature out of range. */
static int read_tree(const json_t *json, struct tree *tree)
{
    int child[2], leaf[2], none[2];
    struct nodes nodes = {
        json_object_get(json, "left_children"), json_object_get(json, "right_children"),
        json_object_get(json, "split_indices"), json_object_get(json, "split_conditions")};
    *tree = (struct tree){.feature = {-1, -1, -1}};
    if (!children(&nodes, 0, &child[0], &child[1])) {
        tree->leaf[0] = json_float_at(nodes.value, 0);
        return 1;
    }
    tree->feature[0] = whole_at(nodes.feature, 0);
    tree->cut[0] = json_float_at(nodes.value, 0);
    for (int side = 0; side < 2; side++) {
        if (!children(&nodes, child[side], &leaf[0], &leaf[1])) {
            tree->leaf[2 * side] = json_float_at(nodes.value, child[side]);
            continue;
        }
        tree->feature[1 + side] = whole_at(nodes.feature, child[side]);
        tree->cut[1 + side] = json_float_at(nodes.value, child[side]);
        for (int i = 0; i < 2; i++) {
            if (children(&nodes, leaf[i], &none[0], &none[1])) return 0;
            tree->leaf[2 * side + i] = json_float_at(nodes.value, leaf[i]);
        }
    }
    return 1;
}

static film_status load_saved_trees(BoosterHandle booster, json_t **out, film_error *error)
{
    bst_ulong length;
    const char *text;
    json_error_t problem;
    /* Reads the saved model, because the dump rounds its cuts. */
    film_status status = check_call(
        XGBoosterSaveModelToBuffer(booster, "{\"format\": \"json\"}", &length, &text), error);
    if (status != FILM_OK) return status;
    *out = json_loadb(text, length, 0, &problem);
    if (*out) return FILM_OK;
    if (json_error_code(&problem) == json_error_out_of_memory) return status_no_memory(error);
    return status_set(error, FILM_BAD_INPUT, "XGBoost: the model cannot be parsed: %s",
                      problem.text);
}

static film_status read_trees(const struct fit *fit, struct trees *trees, film_error *error)
{
    film_status status = FILM_OK;
    json_t *model = NULL;
    size_t count = fit->history.kept;
    TRY(load_saved_trees(fit->booster, &model, error));
    const json_t *list = json_object_get(model, "learner");
    list = json_object_get(json_object_get(list, "gradient_booster"), "model");
    list = json_object_get(list, "trees");
    TRY(trees_init(trees, count, error));
    for (size_t i = 0; i < count; i++) {
        const json_t *json = json_array_get(list, i);
        struct tree tree;
        if (!json || !read_tree(json, &tree)) {
            status =
                status_set(error, FILM_BAD_INPUT,
                           "XGBoost: tree %zu has an unknown format; FILM supports version 1.7", i);
            goto done;
        }
        trees_set(trees, i, &tree);
    }
    TRY(trees_check(trees, fit->features, "XGBoost model", error));
done:
    json_decref(model);
    return status;
}

/* Checks that our trees predict what XGBoost predicts. A different version could write something
 * that we misread; then every new model would be wrong without a sign. */
static film_status compare_with_xgboost(const struct fit *fit, const struct trees *trees,
                                        film_error *error)
{
    enum { MOST_ROWS = 1000 };
    char values[160], config[200];
    size_t rows = fit->data->rows < MOST_ROWS ? fit->data->rows : MOST_ROWS;
    const bst_ulong *shape;
    bst_ulong dimensions;
    const float *margin;
    if (trees->count == 0) return FILM_OK;
    snprintf(values, sizeof values,
             "{\"data\": [%zu, true], \"shape\": [%zu, %zu], \"typestr\": \"<f4\", \"version\": 3}",
             (size_t)fit->data->x, rows, fit->features);
    snprintf(config, sizeof config,
             "{\"type\": 1, \"training\": false, \"iteration_begin\": 0, \"iteration_end\": %zu, "
             "\"strict_shape\": false, \"missing\": NaN, \"cache_id\": 0}",
             trees->count);
    film_status status = check_call(
        XGBoosterPredictFromDense(fit->booster, values, config, NULL, &shape, &dimensions, &margin),
        error);
    for (size_t i = 0; status == FILM_OK && i < rows; i++) {
        double ours = trees_sum(trees, fit->data->x + i * fit->features);
        /* XGBoost sums in float. */
        if (!(fabs(ours - (double)margin[i]) <= 1e-4 * (1 + fabs(ours))))
            status = status_set(error, FILM_BAD_INPUT,
                                "XGBoost: predicts %g for row %zu, but the converted trees predict "
                                "%g; FILM supports version 1.7",
                                (double)margin[i], i, ours);
    }
    return status;
}

film_status boosting_fit(const struct boosting_data *data, size_t features,
                         const struct boosting_options *options, struct trees *trees,
                         struct boosting_history *history, film_error *error)
{
    film_status status = FILM_OK, rounds = FILM_OK;
    char *before = NULL; /* XGBoost's settings of this thread */
    int logistic = options->objective == BOOSTING_LOGISTIC;
    struct fit fit = {.data = data, .options = options, .features = features};
    memset(trees, 0, sizeof *trees);
    if (history) memset(history, 0, sizeof *history);
    TRY(check_boosting_options(options, features, error));
    TRY(check_data(data, features, logistic, "training", error));
    if (options->validation)
        TRY(check_data(options->validation, features, logistic, "validation", error));
    fit.threads = openmp_use(options->threads);
    TRY(silence(&before, error));
    TRY(prepare_fit(&fit, error));
    rounds = all_rounds(&fit, error);
    if (rounds != FILM_OK && rounds != FILM_CANCELLED) TRY(rounds);
    TRY(read_trees(&fit, trees, error));
    TRY(compare_with_xgboost(&fit, trees, error));
    TRY(trees_cover(trees, data->x, data->rows, features, data->weight, fit.threads, error));
    status = rounds; /* after a cancellation the completed rounds are usable */
done:
    if (fit.booster) XGBoosterFree(fit.booster);
    if (fit.validation) XGDMatrixFree(fit.validation);
    if (fit.matrix) XGDMatrixFree(fit.matrix);
    if (before) XGBSetGlobalConfig(before);
    mem_free(before);
    if (status != FILM_OK && status != FILM_CANCELLED) trees_free(trees);
    if (history && (status == FILM_OK || status == FILM_CANCELLED))
        *history = fit.history;
    else
        boosting_history_free(&fit.history);
    return status;
}
