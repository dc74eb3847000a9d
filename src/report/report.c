/* Writes a report: reads the files, runs the evaluation, writes the data in parts, then the page.
 *
 * The data is a JSON object; web/report.js draws it. null, or no list, is what there is not.
 *   film, name          version of the program; name of the model
 *   files               {eval, train, compare}: names of files, without folders
 *   model               {method, features, dim, vectors, full, ranked}: vectors: it has a map;
 *                       full: a full decision; ranked: by method rank
 *   figures             those of film info --json about the training
 *   eval                the answer of film eval --json
 *   warnings            [{section, text}]
 *   quality             {pairs: [[probability, labelled the same, labelled different, decided
 *                       rightly]], rising} or {every, scores: [[score, probability, a, b]]}
 *   mistakes            [{same, label, count, pairs}], a cell each, or [{higher, pairs}] of scores.
 *                       A pair is {a, b, probability, score, same, terms} or, of records, {...,
 *                       bias, log_odds, fields, groups}; see reasons.c
 *   reasons             {pairs, totals: {...: {id, title, type, weight}}}: absolute log-odds
 *   data                {eval, train, leaks}: a file and its audit, see data.c; labels.c
 *   search              [share of duplicates found among the first 1, 2, ...]
 *   others              [{name, own, explained, accuracy_percent, ...}], the columns of systems.c
 *   singular_values     [number]
 *   shapes              {curves: [{group, name, about, x, y}], heats: [{x, y: {group, name,
 *                       edges}, values}]}
 *   dimensions          {features, ratio, row, sorted: points; largest: [[id, weight, name]];
 *                       list: [{dimension, share, words: [[name, weight]]}]}
 *   map                 {sentences, words}: {groups, linked, share, points: [[x, y, group, text,
 *                       nearest, similarity]]}
 * A sentence is a text, a record an object. */
#include "film_train.h"
#include "base/mem.h"
#include "base/sized.h"
#include "model/model.h"
#include "report/parts.h"
#include "text/table.h"

#include <stdio.h>
#include <string.h>

/* ---- Pairs of a corpus ---- */

film_status labelled_take(struct labelled *pairs, const struct corpus *corpus, film_error *error)
{
    film_status status = FILM_OK;
    int triplets = corpus->labels == FILM_LABELS_TRIPLETS;
    size_t count = triplets ? 2 * corpus->rows : corpus->rows;
    memset(pairs, 0, sizeof *pairs);
    if (!has_pairs(corpus) && corpus->labels != FILM_LABELS_SCORES) return FILM_OK;
    TRY_ALLOC((pairs->a = mem_array(count, sizeof *pairs->a)) &&
                  (pairs->b = mem_array(count, sizeof *pairs->b)) &&
                  (pairs->label = mem_array(count, sizeof *pairs->label)),
              error);
    for (size_t i = 0; i < count; i++) {
        size_t row = triplets ? i / 2 : i;
        pairs->a[i] = corpus->a[row];
        pairs->b[i] = triplets && i % 2 ? corpus->c[row] : corpus->b[row];
        pairs->label[i] = triplets ? (float)(i % 2 == 0) : corpus->label[row];
    }
    pairs->count = count;
done:
    if (status != FILM_OK) labelled_free(pairs);
    return status;
}

void labelled_free(struct labelled *pairs)
{
    mem_free(pairs->a);
    mem_free(pairs->b);
    mem_free(pairs->label);
    memset(pairs, 0, sizeof *pairs);
}

/* ---- What a report begins with ---- */

static void write_head(struct report *report)
{
    static const char *const keys[] = {"balanced_accuracy", "operating", "trees", "film", "mfilm",
                                       "ranking",           "network"};
    const film_report_options *options = report->options;
    const film_model *model = report->model;
    const json_t *figures = json_object_get(report->about, "figures");
    struct writer *to = &report->data;
    if (options->train_count)
        snprintf(report->train_name, sizeof report->train_name, "%.250s%s",
                 file_name(options->train[0]), options->train_count > 1 ? " and more" : "");
    put_json(to, "film", json_string(film_version()));
    put_json(to, "name", text_json(film_string(report->name), REPORT_TEXT));
    put_json(to, "files",
             json_pack("{s:o, s:o, s:o}", "eval", file_json(options->eval), "train",
                       file_json(options->train_count ? report->train_name : NULL), "compare",
                       file_json(options->compare)));
    put_json(to, "model",
             json_pack("{s:s, s:I, s:I, s:b, s:b, s:b}", "method", model->settings.method,
                       "features", (json_int_t)features_count(&model->features), "dim",
                       (json_int_t)model->encoder.dim, "vectors",
                       word_map_exists(&model->encoder.map), "full", model->decision.full, "ranked",
                       model->encoder.weighs));
    put_open(to, "figures", '{'); /* without what a page does not show */
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_object_get(figures, keys[i]))
            put_json(to, keys[i], json_incref(json_object_get(figures, keys[i])));
    writer_close(to, '}');
}

/* ---- Small parts ---- */

/* The recall among the first 1, 2, ..., 50 results. */
static void write_search(struct report *report, const struct retrieval *found)
{
    enum { DEPTH = 50 };
    double share[DEPTH], count[DEPTH + 1] = {0}, sum = 0;
    for (size_t i = 0; i < found->queries; i++)
        if (found->rank[i] <= DEPTH) count[found->rank[i]]++;
    for (size_t k = 1; k <= DEPTH; k++) {
        sum += count[k];
        share[k - 1] = sum / (double)found->queries;
    }
    put_numbers(&report->data, "search", share, DEPTH);
}

/* Warns if the table's accuracy of this model differs from the measured one: then the table
 * probably refers to other data. */
static void check_systems(struct report *report, const struct eval_view *view)
{
    if (!view || !has_pairs(view->corpus)) return;
    double here = 100 * json_value(view->answer, "accuracy");
    if (fabs(report->claimed - here) > 0.1)
        warn(report, "others",
             "%s gives this model an accuracy of %.1f %%, but %.1f %% was measured here. The "
             "table refers to other data, or to another model with this name.",
             file_name(report->options->compare), report->claimed, here);
}

/* The curves of training are among the model's figures. */
static void write_training(struct report *report)
{
    static const char *const methods[] = {"film", "mfilm", "ranking", "network"};
    const film_model *model = report->model;
    const json_t *figures = json_object_get(report->about, "figures"), *kept = NULL;
    for (size_t i = 0; i < sizeof methods / sizeof *methods && !kept; i++)
        kept = json_object_get(figures, methods[i]);
    put_open(&report->data, "singular_values", '[');
    for (size_t i = 0; i < model->rank; i++)
        put_json(&report->data, NULL, number_json((double)model->sigma[i]));
    writer_close(&report->data, ']');
    const char *from = json_string_value(json_object_get(figures, "threshold_from"));
    if (model->network && !json_object_get(figures, "word_vectors") && from &&
        strcmp(from, "held out") == 0)
        warn(
            report, "training",
            "The weight of the encoder was learned on the training file. If the encoder itself was "
            "trained on this file, its weight is too high. Train with a dev file of pairs that the "
            "encoder has not seen.");
}

/* ---- All parts, with or without an evaluation ---- */

static film_status write_parts(void *user, const struct eval_view *view, film_error *error)
{
    film_status status = FILM_OK;
    struct report *report = user;
    put_json(&report->data, "eval",
             view ? json_incref((json_t *)(uintptr_t)view->answer) : json_null());
    TRY(quality_part(report, view, error));
    TRY(mistakes_part(report, view, error));
    TRY(reasons_part(report, view, error));
    TRY(data_part(report, view, error));
    check_systems(report, view);
    if (view && view->retrieval) write_search(report, view->retrieval);
    write_training(report);
    TRY(shapes_part(report, view, error));
    TRY(dimensions_part(report, error));
    TRY(map_part(report, view, error));
done:
    return status;
}

/* A file without labels cannot be evaluated, but the rest of the page does not need labels. The
 * file is still read to its end, to report rows that are not valid text. */
static film_status has_labels(const char *path, const film_table_options *options, int *labelled,
                              film_error *error)
{
    film_status status = FILM_OK;
    film_table *table = NULL;
    film_row row;
    *labelled = 1; /* standard input can be read only once: eval checks it */
    if (strcmp(path, "-") == 0) return FILM_OK;
    TRY(table_open(path, options, &table, error));
    *labelled = film_table_labels(table) != FILM_LABELS_NONE;
    while (!*labelled && status == FILM_OK) status = film_table_next(table, &row, error);
    if (status == FILM_END) status = FILM_OK;
done:
    film_table_close(table);
    return status;
}

static film_status evaluate_files(struct report *report, film_error *error)
{
    film_status status = FILM_OK;
    const film_report_options *options = report->options;
    film_eval_options eval, wanted = {.size = sizeof wanted,
                                      .table = options->eval_table,
                                      .pool = options->pool,
                                      .pool_table = options->pool_table,
                                      .seed = options->seed,
                                      .threads = options->threads,
                                      .progress = options->progress};
    int labelled;
    if (!options->eval) return write_parts(report, NULL, error);
    TRY(has_labels(options->eval, &options->eval_table, &labelled, error));
    if (!labelled) {
        warn(report, "quality", "%s has no labels, so the model was not evaluated.",
             file_name(options->eval));
        return write_parts(report, NULL, error);
    }
    TRY(eval_options(&eval, &wanted, error));
    TRY(eval_and_look(report->model, options->eval, &eval, write_parts, report, error));
done:
    return status;
}

static film_status read_about(struct report *report, film_error *error)
{
    char *text = NULL;
    film_status status = model_describe(report->model, &text, error);
    if (status == FILM_OK && !(report->about = json_loads(text, 0, NULL)))
        status = status_no_memory(error);
    mem_free(text);
    return status;
}

static film_status finish_page(struct report *report, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    struct writer *to = &report->data;
    char *data = NULL;
    size_t length;
    put_open(to, "warnings", '[');
    if (report->warnings.length) writer_raw(to, report->warnings.bytes, report->warnings.length);
    writer_close(to, ']');
    writer_close(to, '}');
    if (report->warnings.failed) TRY(status_no_memory(error));
    TRY(writer_finish(to, &data, &length, error));
    TRY(progress_report(&report->options->progress, "writing", 1, 1, error));
    TRY(page_write(path, (film_text){data, length}, error));
done:
    mem_free(data);
    return status;
}

/* Does the work of film_report; OPTIONS are complete. */
static film_status report_write(const film_model *model, const film_report_options *options,
                                const char *path, film_error *error)
{
    film_status status = FILM_OK;
    struct report report = {
        .model = model, .options = options, .name = options->name ? options->name : "model"};
    if (options->pool && !options->eval)
        return status_set(error, FILM_USAGE, "searching a pool needs a labelled evaluation file");
    TRY(read_about(&report, error));
    writer_open(&report.data, '{');
    write_head(&report);
    TRY(systems_part(&report, error));
    if (options->train_count)
        TRY(corpus_read(&report.train, options->train, options->train_count, &options->train_table,
                        &options->progress, error));
    TRY(evaluate_files(&report, error));
    TRY(finish_page(&report, path, error));
done:
    corpus_free(&report.train);
    json_decref(report.about);
    writer_free(&report.data);
    writer_free(&report.warnings);
    return status;
}

film_status film_report(const film_model *model, const film_report_options *options,
                        const char *path, film_error *error)
{
    film_report_options with = {0};
    if (!model || !path)
        return status_set(error, FILM_USAGE, "%s is NULL", model ? "path" : "model");
    film_status status = sized_options(&with, sizeof with, options, "film_report_options", error);
    if (status != FILM_OK) return status;
    if (!with.seed) with.seed = 1;
    return report_write(model, &with, path, error);
}
