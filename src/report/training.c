/* How it learned: what the model file kept of every step. */
#include "base/mem.h"
#include "model/model.h"
#include "report/parts.h"

#include <math.h>
#include <string.h>

/* A history of the figures, as columns of numbers. */
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
    /* Every n-th step was kept, the last among them. */
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

/* The column called NAME; NULL when there is none. */
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
    int zero_is_none; /* 0 stands for a step at which it was not measured */
};

static void draw(struct report *report, const json_t *kept, const struct history *history,
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
        {"loss", "training-loss", "Training loss",
         "Of the batch of each step; the mean falls as the map learns.", "loss", 0, 0},
        {"gradient", "training-gradient", "Gradient norm", "Of the same batches.",
         "length of the gradient", 1, 0}};
    static const struct curve of_film[] = {
        {"objective", "training-loss", "Objective", "What the solver minimises.", "objective", 0,
         0},
        {"gradient", "training-gradient", "Gradient norm", "Falls towards 0 at an optimum.",
         "length of the gradient", 1, 0},
        {"active", "training-active", "Active anchors",
         "Anchors whose margin is not kept yet: those that still pull.", "anchors", 0, 0},
        {"accuracy", "training-accuracy", "Accuracy on held-out pairs",
         "The best step is the one that is kept.", "accuracy", 0, 1}};
    struct history history = {0};
    double steps = number_of(kept, ranking ? "steps" : "iterations");
    film_status status = read_history(kept, steps, &history, error);
    size_t count = ranking ? sizeof of_rank / sizeof *of_rank : sizeof of_film / sizeof *of_film;
    for (size_t i = 0; status == FILM_OK && i < count; i++)
        draw(report, kept, &history, ranking ? &of_rank[i] : &of_film[i]);
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
    struct plot_series series[] = {{.name = "learned from",
                                    .kind = PLOT_LINE,
                                    .colour = 1,
                                    .x = round,
                                    .y = train,
                                    .count = history.rows},
                                   {.name = "kept apart",
                                    .kind = PLOT_LINE,
                                    .colour = 2,
                                    .x = round,
                                    .y = apart,
                                    .count = history.rows}};
    struct plot_mark mark = {number_of(kept, "rounds"), "trees kept"};
    struct plot plot = {.id = "training-trees",
                        .title = "Boosting",
                        .about = "Log loss of one fold as trees are added; they stop where pairs "
                                 "kept apart stop gaining.",
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
                        .about = "How much of the sentences each direction of the SVD holds.",
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
    section_begin(report, "training", "How it learned",
                  "What the model file kept of its training, at most 500 steps of each curve.");
    if (!json_array_size(json_object_get(kept, "history")) && !report->model->rank)
        not_shown(report, "Training curves",
                  "the model has no learned map or was made by a version that kept no history.");
    plots_begin(report);
    if (kept) TRY(draw_map_history(report, kept, which == 2, error));
    if (json_array_size(json_object_get(trees, "history"))) TRY(draw_trees(report, trees, error));
    if (report->model->rank) TRY(draw_spectrum(report, error));
    plots_end(report);
    const char *stopped = json_string_value(json_object_get(kept, "stopped"));
    if (stopped && strcmp(stopped, "cancelled") == 0)
        warn(report, "training", "Training was interrupted: this is the best model up to then.");
    const char *from = json_string_value(json_object_get(figures, "threshold_from"));
    if (report->model->network && from && strcmp(from, "held out") == 0)
        warn(
            report, "training",
            "What the encoder is worth was learned on rows of the training file. If it was "
            "trained on "
            "them itself, it is trusted too much: train with a dev file of pairs it has not seen.");
    section_end(report);
done:
    return status;
}
