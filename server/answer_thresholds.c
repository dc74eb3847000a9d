/* Handles the threshold of a pool: what each would do (GET /v1/thresholds), and storing one (POST
 * /v1/threshold). */
#include "fields.h"
#include "route.h"

#include <stdlib.h>

struct curve_writing {
    struct bytes *out;
    size_t points, examples;
};

/* Negative: not known. */
static void write_known_share(struct bytes *out, const char *name, double value)
{
    bytes_format(out, ", \"%s\": ", name);
    if (value < 0)
        bytes_text(out, "null");
    else
        bytes_real(out, value);
}

static void write_curve_point(struct bytes *out, const film_pool_threshold_point *point)
{
    bytes_text(out, "{\"threshold\": ");
    bytes_real(out, point->threshold);
    write_known_share(out, "share", point->share);
    write_known_share(out, "expected_precision", point->expected_precision);
    write_known_share(out, "expected_recall", point->expected_recall);
    write_known_share(out, "precision", point->precision);
    write_known_share(out, "precision_low", point->precision_low);
    write_known_share(out, "precision_high", point->precision_high);
    write_known_share(out, "recall", point->recall);
    write_known_share(out, "recall_low", point->recall_low);
    write_known_share(out, "recall_high", point->recall_high);
    bytes_format(out, ", \"answers\": %llu}", (unsigned long long)point->answers);
}

static int curve_add_point(void *user, const film_pool_threshold_point *point)
{
    struct curve_writing *curve = user;
    bytes_text(curve->out, curve->points++ ? ", " : "");
    write_curve_point(curve->out, point);
    return curve->out->failed;
}

/* The examples follow the points. */
static int add_example(void *user, const film_review_pair *pair)
{
    struct curve_writing *curve = user;
    struct bytes *out = curve->out;
    bytes_text(out, curve->examples++ ? ", " : "], \"examples\": [");
    bytes_text(out, "{\"ids\": [");
    bytes_string(out, pair->first.id);
    bytes_text(out, ", ");
    bytes_string(out, pair->second.id);
    bytes_text(out, "], \"a\": ");
    bytes_string(out, pair->first.text);
    bytes_text(out, ", \"b\": ");
    bytes_string(out, pair->second.text);
    bytes_text(out, ", \"probability\": ");
    bytes_real(out, pair->probability);
    bytes_text(out, "}");
    return out->failed;
}

static void write_stored(struct bytes *out, double threshold)
{
    if (threshold > 0)
        bytes_real(out, threshold);
    else
        bytes_text(out, "null");
}

static int read_budget(const char *given, double *budget, struct response *response)
{
    char *end = NULL;
    if (!given) return 1;
    *budget = strtod(given, &end);
    if (end == given || *end || !(*budget > 0 && *budget < 1))
        return response_error(response, 400,
                              "budget must be a number between 0 and 1, as in ?budget=0.05");
    return 1;
}

static film_thresholds_options curve_options(struct worker *worker)
{
    return (film_thresholds_options){.size = sizeof(film_thresholds_options),
                                     .answer = {.size = sizeof(film_answer_options),
                                                .no_reasons = 1,
                                                .threads = worker->service->options.threads},
                                     .progress = worker_search_progress(worker)};
}

static void answer_curve(struct worker *worker, const struct request *request,
                         struct response *response)
{
    film_error error;
    struct bytes *out = &response->body;
    struct curve_writing curve = {out, 0, 0};
    film_thresholds found = {.size = sizeof found};
    film_thresholds_options options = curve_options(worker);
    options.point = curve_add_point;
    options.example = add_example;
    options.user = &curve;
    if (!read_budget(request->budget, &options.budget, response)) return;
    bytes_text(out, "{\"points\": [");
    film_status status = film_pool_thresholds(worker->generation->pool, &options, &found, &error);
    if (status != FILM_OK) {
        response_failure(response, status, &error);
        return;
    }
    bytes_text(out, curve.examples ? "]" : "], \"examples\": []");
    bytes_format(out, ", \"pairs\": %llu, \"answers\": %llu, \"covered\": ",
                 (unsigned long long)found.pairs, (unsigned long long)found.answers);
    bytes_real(out, found.covered);
    bytes_text(out, ", \"enough\": ");
    bytes_flag(out, found.enough);
    bytes_text(out, ", \"threshold\": ");
    write_stored(out, found.threshold);
    bytes_text(out, ", \"budget\": ");
    if (found.budget_at.threshold > 0)
        write_curve_point(out, &found.budget_at);
    else
        bytes_text(out, "null");
    bytes_text(out, "}\n");
}

/* ---- storing ---- */

struct threshold_request {
    double threshold, budget;
};

static const struct field threshold_fields[] = {
    {.name = "threshold", .kind = FIELD_LEAST, .at = offsetof(struct threshold_request, threshold)},
    {.name = "budget", .kind = FIELD_SHARE, .at = offsetof(struct threshold_request, budget)},
    {.name = NULL}};

/* Replaces a budget by its threshold. */
static int apply_budget(struct worker *worker, struct threshold_request *wanted,
                        struct response *response)
{
    film_error error;
    film_thresholds found = {.size = sizeof found};
    film_thresholds_options options = curve_options(worker);
    if (wanted->budget < 0) return 1;
    options.budget = wanted->budget;
    film_status status = film_pool_thresholds(worker->generation->pool, &options, &found, &error);
    if (status != FILM_OK) return response_failure(response, status, &error);
    wanted->threshold = found.budget_at.threshold;
    return wanted->threshold > 0 ||
           response_error(response, 409, "no threshold keeps the budget of %g", wanted->budget);
}

static void answer_threshold(struct worker *worker, const struct request *request,
                             struct response *response)
{
    film_error error;
    json_t *root = NULL;
    struct threshold_request wanted = {-1, -1};
    if (!fields_read(request, threshold_fields, &wanted, &root, response)) {
    } else if ((wanted.threshold < 0) == (wanted.budget < 0)) {
        response_error(response, 400,
                       "exactly one of threshold (a probability; 0 removes the stored one) and "
                       "budget (the share of wrong answers) is required");
    } else if (apply_budget(worker, &wanted, response)) {
        film_status status =
            film_pool_set_threshold(worker->generation->pool, wanted.threshold, &error);
        bytes_text(&response->body, "{\"threshold\": ");
        write_stored(&response->body, wanted.threshold);
        bytes_text(&response->body, "}\n");
        if (status != FILM_OK) response_failure(response, status, &error);
    }
    json_decref(root);
}

const struct route threshold_routes[] = {
    {.method = METHOD_GET,
     .path = "/v1/thresholds",
     .summary = "Estimate precision and recall over the threshold",
     .answer = answer_curve,
     .batch = 1,
     .needs_pool = 1},
    {.method = METHOD_POST,
     .path = "/v1/threshold",
     .summary = "Store the threshold of the pool",
     .fields = threshold_fields,
     .answer = answer_threshold,
     .batch = 1,
     .needs_pool = 1,
     .writes = 1},
    {.path = NULL}};
