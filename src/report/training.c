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
    int log;
    int zero_is_none; /* 0 marks a step at which it was not measured */
};

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
    struct plot_series series = {.name = curve->y,
                                 .kind = history->rows > 1 ? PLOT_LINE : PLOT_POINTS,
                                 .colour = 1,
                                 .x = history->step,
                                 .y = y,
                                 .count = history->rows};
    struct plot plot = {.id = curve->id,
                        .title = curve->title,
                        .about = curve->about,
                        .x = {.title = "step"},
                        .y = {.title = curve->y, .log = curve->log, .from_zero = !curve->log},
                        .series = &series,
                        .count = 1};
    plot_write(&report->body, &plot);
}

static film_status draw_map_history(struct report *report, const json_t *kept, int ranking,
                                    film_error *error)
{
    static const struct curve of_rank[] = {
        {"loss", "training-loss", "Training loss", "Loss of the batch of each step.", "loss", 0, 0},
        {"gradient", "training-gradient", "Gradient norm",
         "Norm of the gradient of the same batches.", "gradient norm", 1, 0}};
    static const struct curve of_film[] = {
        {"objective", "training-loss", "Objective", "The function that the solver minimises.",
         "objective", 0, 0},
        {"gradient", "training-gradient", "Gradient norm", "It approaches 0 at an optimum.",
         "gradient norm", 1, 0},
        {"active", "training-active", "Active anchors", "Anchors whose margin is still violated.",
         "anchors", 0, 0},
        {"accuracy", "training-accuracy", "Accuracy on held-out pairs",
         "The model of the best step is stored.", "accuracy", 0, 1}};
    struct history history = {0};
    double steps = json_value(kept, ranking ? "steps" : "iterations");
    film_status status = read_history(kept, steps, &history, error);
    size_t count = ranking ? sizeof of_rank / sizeof *of_rank : sizeof of_film / sizeof *of_film;
    for (size_t i = 0; status == FILM_OK && i < count; i++)
        draw_history(report, kept, &history, ranking ? &of_rank[i] : &of_film[i]);
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
    static const char *const methods[] = {"film", "mfilm", "ranking"};
    const json_t *figures = json_object_get(report->about, "figures");
    const json_t *trees = json_object_get(figures, "trees"), *kept = NULL;
    int which = 0;
    for (int i = 0; i < 3 && !kept; i++) kept = json_object_get(figures, methods[which = i]);
    section_begin(report, "training", "Training",
                  "The training history stored in the model file: at most 500 steps per curve.");
    if (!json_array_size(json_object_get(kept, "history")) && !report->model->rank)
        not_shown(report, "Training curves",
                  "The model has no learned map, or its file has no training history.");
    plots_begin(report);
    if (kept) TRY(draw_map_history(report, kept, which == 2, error));
    if (json_array_size(json_object_get(trees, "history"))) TRY(draw_trees(report, trees, error));
    if (report->model->rank) TRY(draw_spectrum(report, error));
    plots_end(report);
    const char *stopped = json_string_value(json_object_get(kept, "stopped"));
    if (stopped && strcmp(stopped, "cancelled") == 0)
        warn(report, "training", "Training was interrupted. This is the best model until then.");
    const char *from = json_string_value(json_object_get(figures, "threshold_from"));
    if (report->model->network && from && strcmp(from, "held out") == 0)
        warn(
            report, "training",
            "The weight of the encoder was learned on the training file. If the encoder itself was "
            "trained on this file, its weight is too high. Train with a dev file of pairs that the "
            "encoder has not seen.");
    section_end(report);
done:
    return status;
}
