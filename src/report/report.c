/* Writes a report: reads the training files, runs the evaluation, writes the sections in order,
 * then assembles the page. */
#include "film_train.h"
#include "base/sized.h"
#include "text/table.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "model/model.h"
#include "report/parts.h"
#include "report/summary.h"

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

/* ---- All sections, with or without an evaluation ---- */

static film_status write_sections(void *user, const struct eval_view *view, film_error *error)
{
    film_status status = FILM_OK;
    struct report *report = user;
    summary_begin(report, view);
    TRY(quality_section(report, view, error));
    TRY(mistakes_section(report, view, error));
    TRY(reasons_section(report, view, error));
    TRY(data_section(report, view, error));
    TRY(others_section(report, view, error));
    TRY(sweep_section(report, view, error));
    TRY(training_section(report, error));
    TRY(shapes_section(report, view, error));
    TRY(dimensions_section(report, error));
    TRY(map_section(report, view, error));
    summary_end(report);
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
    if (!options->eval) return write_sections(report, NULL, error);
    TRY(has_labels(options->eval, &options->eval_table, &labelled, error));
    if (!labelled) {
        warn(report, "quality", "%s has no labels, so the model was not evaluated.",
             file_name(options->eval));
        return write_sections(report, NULL, error);
    }
    TRY(eval_options(&eval, &wanted, error));
    TRY(eval_and_look(report->model, options->eval, &eval, write_sections, report, error));
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

static film_status read_others(struct report *report, film_error *error)
{
    struct source *source;
    if (!report->options->compare) return FILM_OK;
    film_status status = source_open(report->options->compare, &source, error);
    if (status == FILM_OK) status = systems_read(&report->others, source, error);
    return status;
}

static film_status write_page(const struct report *report, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    struct markup page = {0};
    film_output *output = NULL;
    page_assemble(report, &page);
    if (page.failed || jsonfile_failed()) TRY(status_no_memory(error));
    TRY(film_output_open(path, &output, error));
    TRY(film_output_write(output, page.bytes, page.length, error));
    TRY(progress_report(&report->options->progress, "writing", 1, 1, error));
    status = film_output_commit(output, error);
    output = NULL;
done:
    film_output_discard(output);
    markup_free(&page);
    return status;
}

/* Does the work of film_report; OPTIONS are complete. */
static film_status report_write(const film_model *model, const film_report_options *options,
                                const char *path, film_error *error)
{
    film_status status = FILM_OK;
    struct report report = {
        .model = model, .options = options, .model_name = options->name ? options->name : "model"};
    if (options->pool && !options->eval)
        return status_set(error, FILM_USAGE, "searching a pool needs a labelled evaluation file");
    TRY(read_about(&report, error));
    TRY(read_others(&report, error));
    if (options->train_count)
        TRY(corpus_read(&report.train, options->train, options->train_count, &options->train_table,
                        &options->progress, error));
    TRY(evaluate_files(&report, error));
    TRY(write_page(&report, path, error));
done:
    corpus_free(&report.train);
    systems_free(&report.others);
    json_decref(report.about);
    markup_free(&report.summary);
    markup_free(&report.body);
    markup_free(&report.contents);
    markup_free(&report.warnings);
    markup_free(&report.missing);
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
