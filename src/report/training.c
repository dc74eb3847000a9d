/* The section Training: draws the training history that is stored in the model file. */
#include "base/mem.h"
#include "model/model.h"
#include "report/parts.h"

#include <math.h>
#include <string.h>

/* The training history as columns of numbers. */
struct history {
    size_t rows, columns;
    double *value; /* columns x rows */
    double *step;  /* rows: counted from 1 */
};

static film_status read_history(const json_t *kept, double steps, struct history *out,
                                film_error *error)
{
    const json_t *list = json_object_get(kept, "history");
    out->rows = json_array_size(list);
    out->columns = json_array_size(json_object_get(kept, "history_columns"));
    out->value = mem_array(out->rows * (out->columns ? out->columns : 1), sizeof *out->value);
    out->step = mem_array(out->rows, sizeof *out->step);
    if (!out->value || !out->step) return status_no_memory(error);
    /* The file has every n-th step, including the last. */
    double stride = out->rows ? ceil(steps / (double)out->rows) : 1;
    for (size_t i = 0; i < out->rows; i++) {
        const json_t *row = json_array_get(list, i);
        out->step[i] = steps - stride * (double)(out->rows - 1 - i);
        for (size_t c = 0; c < out->columns; c++) {
            const json_t *value = json_array_get(row, c);
            out->value[c * out->rows + i] =
                json_is_number(value) ? json_number_value(value) : (double)NAN;
        }
    }
    return FILM_OK;
}

/* Returns the column called NAME, or NULL. */
static double *column(const json_t *kept, const struct history *history, const char *name)
{
    size_t index;
    json_t *value;
    const json_t *names = json_object_get(kept, "history_columns");
    json_array_foreach((json_t *)(uintptr_t)names, index, value)
    {
        const char *text = json_string_value(value);
        if (text && strcmp(text, name) == 0) return history->value + index * history->rows;
    }
    return NULL;
}

struct curve {
    const char *column, *id, *title, *about, *y;
    int log, percent;
    int zero_is_none; /* 0 marks a step at which it was not measured */
    double paper;     /* the value that the paper reports; 0: none */
    const char *x;    /* the column of x; NULL: the steps, counted from 1 */
};

#define PAPER_GRADIENT 5.62e-3 /* the lowest gradient norm in Figure 2 of the paper */

static void draw_history(struct report *report, const json_t *kept, const struct history *history,
                         const struct curve *curve)
{
    double *y = column(kept, history, curve->column);
    if (!y) return;
    for (size_t i = 0; curve->zero_is_none && i < history->rows; i++)
        if (y[i] == 0) y[i] = NAN;
    size_t known = 0;
    for (size_t i = 0; i < history->rows; i++) known += isfinite(y[i]) != 0;
    if (!known) return;
    const double *x = curve->x ? column(kept, history, curve->x) : history->step;
    if (!x) return;
    const double ends[2] = {x[0], x[history->rows - 1]}, paper[2] = {curve->paper, curve->paper};
    struct plot_series series[] = {
        {.name = curve->y,
         .kind = history->rows > 1 ? PLOT_LINE : PLOT_POINTS,
         .colour = 1,
         .x = x,
         .y = y,
         .count = history->rows},
        {.name = "the paper's lowest value", .kind = PLOT_LINE, .x = ends, .y = paper, .count = 2}};
    struct plot plot = {.id = curve->id,
                        .title = curve->title,
                        .about = curve->about,
                        .x = {.title = curve->x ? curve->x : "step"},
                        .y = {.title = curve->y,
                              .log = curve->log,
                              .percent = curve->percent,
                              .from_zero = !curve->log},
                        .series = series,
                        .count = curve->paper > 0 ? 2 : 1};
    plot_write(&report->body, &plot);
}

/* What the methods store. A curve is drawn if the model has its column. */
static const struct curve of_film[] = {
    {.column = "hinge",
     .id = "training-hinge",
     .title = "Hinge loss",
     .about = "Figure 1 of the paper: the hinge of its equation (32), averaged over all triplets.",
     .y = "hinge loss"},
    {.column = "satisfied",
     .id = "training-satisfied",
     .title = "Satisfied triplets",
     .about = "Triplets whose similar sentence is nearer by the margin.",
     .y = "share of the triplets",
     .percent = 1},
    {.column = "gradient",
     .id = "training-gradient",
     .title = "Gradient norm",
     .about =
         "Figure 2 of the paper, whose lowest value is 0.00562. It approaches 0 at an optimum.",
     .y = "gradient norm",
     .log = 1,
     .paper = PAPER_GRADIENT},
    {.column = "objective",
     .id = "training-loss",
     .title = "Objective",
     .about = "The function that the solver minimises.",
     .y = "objective"},
    {.column = "active",
     .id = "training-active",
     .title = "Active anchors",
     .about = "Anchors whose margin is still violated.",
     .y = "anchors"},
    {.column = "accuracy",
     .id = "training-accuracy",
     .title = "Accuracy on held-out pairs",
     .about = "The model of the best step is stored.",
     .y = "accuracy",
     .percent = 1,
     .zero_is_none = 1}};

static const struct curve of_rank[] = {{.column = "loss",
                                        .id = "training-loss",
                                        .title = "Training loss",
                                        .about = "Loss of the batch of each step.",
                                        .y = "loss"},
                                       {.column = "gradient",
                                        .id = "training-gradient",
                                        .title = "Gradient norm",
                                        .about = "Norm of the gradient of the same batches.",
                                        .y = "gradient norm",
                                        .log = 1}};

static const struct curve of_network[] = {
    {.column = "loss",
     .id = "training-loss",
     .title = "Training loss of the network",
     .about = "Mean loss of the batches since the last point.",
     .y = "loss",
     .x = "epoch"}};

#define CURVES(list) list, sizeof(list) / sizeof *(list)
static const struct method {
    const char *key, *steps; /* in the model's figures */
    const struct curve *curves;
    size_t count;
} methods[] = {{"film", "iterations", CURVES(of_film)},
               {"mfilm", "iterations", CURVES(of_film)},
               {"ranking", "steps", CURVES(of_rank)},
               {"network", "steps", CURVES(of_network)}};

static film_status draw_map_history(struct report *report, const json_t *kept,
                                    const struct method *method, film_error *error)
{
    struct history history = {0};
    film_status status = read_history(kept, json_value(kept, method->steps), &history, error);
    for (size_t i = 0; status == FILM_OK && history.rows && i < method->count; i++)
        draw_history(report, kept, &history, &method->curves[i]);
    mem_free(history.value);
    mem_free(history.step);
    return status;
}

static film_status draw_trees(struct report *report, const json_t *kept, film_error *error)
{
    struct history history = {0};
    film_status status = FILM_OK;
    TRY(read_history(kept, (double)json_array_size(json_object_get(kept, "history")), &history,
                     error));
    const double *round = column(kept, &history, "round");
    const double *train = column(kept, &history, "train_loss");
    const double *apart = column(kept, &history, "held_out_loss");
    if (!round || !train || !apart || !history.rows) goto done;
    struct plot_series series[] = {{.name = "training pairs",
                                    .kind = PLOT_LINE,
                                    .colour = 1,
                                    .x = round,
                                    .y = train,
                                    .count = history.rows},
                                   {.name = "held-out pairs",
                                    .kind = PLOT_LINE,
                                    .colour = 2,
                                    .x = round,
                                    .y = apart,
                                    .count = history.rows}};
    struct plot_mark mark = {json_value(kept, "rounds"), "trees kept"};
    struct plot plot = {.id = "training-trees",
                        .title = "Boosting",
                        .about = "Log loss of one fold by number of trees. Boosting stops when "
                                 "held-out pairs no longer improve.",
                        .x = {.title = "trees"},
                        .y = {.title = "log loss (nats)"},
                        .series = series,
                        .count = 2,
                        .marks = &mark,
                        .mark_count = 1};
    plot_write(&report->body, &plot);
done:
    mem_free(history.value);
    mem_free(history.step);
    return status;
}

static film_status draw_spectrum(struct report *report, film_error *error)
{
    film_status status = FILM_OK;
    const film_model *model = report->model;
    double *x = mem_array(model->rank, sizeof *x), *y = mem_array(model->rank, sizeof *y);
    TRY_ALLOC(x && y, error);
    for (size_t i = 0; i < model->rank; i++) {
        x[i] = (double)(i + 1);
        y[i] = (double)model->sigma[i];
    }
    struct plot_series series = {.name = "singular value",
                                 .kind = PLOT_LINE,
                                 .colour = 3,
                                 .x = x,
                                 .y = y,
                                 .count = model->rank};
    struct plot plot = {.id = "training-spectrum",
                        .title = "Singular values",
                        .about = "Singular value of each direction of the SVD.",
                        .x = {.title = "direction"},
                        .y = {.title = "singular value", .from_zero = 1},
                        .series = &series,
                        .count = 1};
    plot_write(&report->body, &plot);
done:
    mem_free(x);
    mem_free(y);
    return status;
}

film_status training_section(struct report *report, film_error *error)
{
    film_status status = FILM_OK;
    const json_t *figures = json_object_get(report->about, "figures");
    const json_t *trees = json_object_get(figures, "trees"), *kept = NULL;
    const struct method *method = methods;
    for (size_t i = 0; i < sizeof methods / sizeof *methods && !kept; i++)
        kept = json_object_get(figures, (method = &methods[i])->key);
    research_begin(report, "training", "Training",
                   "The training history stored in the model file: at most 500 steps per curve.");
    if (!json_array_size(json_object_get(kept, "history")) && !report->model->rank)
        not_shown(report, "Training curves",
                  "The model has no learned map, or its file has no training history.");
    plots_begin(report);
    if (kept) TRY(draw_map_history(report, kept, method, error));
    if (json_array_size(json_object_get(trees, "history"))) TRY(draw_trees(report, trees, error));
    if (report->model->rank) TRY(draw_spectrum(report, error));
    plots_end(report);
    const char *stopped = json_string_value(json_object_get(kept, "stopped"));
    if (stopped && strcmp(stopped, "cancelled") == 0)
        warn(report, "training", "Training was interrupted. This is the best model until then.");
    const char *from = json_string_value(json_object_get(figures, "threshold_from"));
    if (report->model->network && !json_object_get(figures, "word_vectors") && from &&
        strcmp(from, "held out") == 0)
        warn(
            report, "training",
            "The weight of the encoder was learned on the training file. If the encoder itself was "
            "trained on this file, its weight is too high. Train with a dev file of pairs that the "
            "encoder has not seen.");
    section_end(report);
done:
    return status;
}
