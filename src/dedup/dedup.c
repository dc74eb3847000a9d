/* film_dedup: from records to candidates, scored pairs, clusters and representatives. This file
 * runs the steps; the others of src/dedup implement them. */
#include "dedup/dedup.h"
#include "base/sized.h"
#include "base/mem.h"

static void dedup_free(struct dedup *dedup)
{
    candidates_free(&dedup->search);
    if (dedup->has_labelled) keytab_free(&dedup->labelled);
    mem_free(dedup->labels);
    mem_free(dedup->lists);
    mem_free(dedup->batch);
    mem_free(dedup->reported);
    mem_free(dedup->pairs);
    mem_free(dedup->near);
}

/* Each pair of items once. If several labels of one pair differ, "different" wins: copies of a
 * sentence may have been labelled separately. */
static film_status label_items(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    const struct record_set *set = dedup->set;
    TRY(keytab_init(&dedup->labelled, error));
    dedup->has_labelled = 1;
    TRY_ALLOC(dedup->labels = mem_array(set->label_count, sizeof *dedup->labels), error);
    for (size_t i = 0; i < set->label_count; i++) {
        uint32_t a = set->labels[i].a, b = set->labels[i].b, at;
        if (a == b) continue; /* the same words, and no label separates them */
        uint32_t low = a < b ? a : b, high = a < b ? b : a;
        /* A key is never 0: it would be the pair of items 0 and 0, but a != b. */
        TRY(keytab_add(&dedup->labelled, (uint64_t)low << 32 | high, &at, error));
        if (at == dedup->label_count)
            dedup->labels[dedup->label_count++] =
                (struct record_set_label){low, high, set->labels[i].same};
        else if (dedup->labels[at].same != set->labels[i].same) {
            dedup->labels[at].same = 0;
            dedup->result->contradictions++;
        }
    }
done:
    return status;
}

/* CELLS 0: none, however many items there are. */
static film_status index_items(const struct dedup *dedup, int cells, struct index **index,
                               film_error *error)
{
    film_status status = FILM_OK;
    const struct candidates *search = &dedup->search;
    TRY(index_new_brief(&search->model->encoder, cells ? 0 : SIZE_MAX, index, error));
    TRY(index_add(*index, dedup->set->texts, dedup->set->items, search->threads, search->progress,
                  error));
done:
    return status;
}

/* Records may not need cells of vectors. */
static film_status find_item_candidates(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    const struct record_set *set = dedup->set;
    struct candidates *search = &dedup->search;
    struct index *index = NULL;
    /* A review wants pairs below the threshold, too. */
    int near = !dedup->options->review;
    int cells = !near || !search->blocking_from;
    if (search->k + 1 > set->items) search->k = set->items > 1 ? set->items - 1 : 1;
    TRY(index_items(dedup, cells, &index, error));
    if (near)
        TRY(candidates_find_near(search, index, set->texts, set->items, &dedup->lists, error));
    if (!dedup->lists) {
        if (!cells && set->items >= VECTOR_INDEX_GRAPH_FROM) {
            index_free(index);
            index = NULL;
            TRY(index_items(dedup, 1, &index, error));
        }
        TRY_ALLOC(dedup->lists = mem_array(set->items, search->k * sizeof *dedup->lists), error);
        TRY(candidates_find(search, index, set->texts, set->items, 1, dedup->lists, error));
    }
    if (dedup->options->recall) TRY(dedup_recall(dedup, index, error));
done:
    index_free(index);
    return status;
}

film_status dedup_run(struct record_set *set, const film_model *model,
                      const film_dedup_options *options, film_dedup_result *result,
                      film_error *error)
{
    film_status status = FILM_OK;
    struct dedup dedup = {.set = set, .options = options, .result = result};
    TRY(candidates_init(&dedup.search, model,
                        &(struct candidates_request){&options->answer, options->threshold,
                                                     options->candidates, &options->progress, 1},
                        error));
    result->threshold = dedup.search.threshold;
    TRY(record_set_group(set, &options->progress, error));
    result->records = set->count;
    result->distinct = set->items;
    TRY(label_items(&dedup, error));
    TRY(dedup_note_identical(&dedup, error));
    TRY(find_item_candidates(&dedup, error));
    TRY(dedup_judge(&dedup, error));
    TRY(dedup_report(&dedup, error));
    TRY(dedup_report_nearest(&dedup, error));
    double items = (double)set->items, all = items * (items - 1) / 2;
    result->reduction = all > 0 ? 1 - (double)result->compared / all : 0;
    if (options->member) TRY(dedup_clusters(&dedup, error));
done:
    dedup_free(&dedup);
    return status;
}

/* ---- film_dedup.h ---- */

film_status dedup_call_start(struct dedup_call *call, const film_dedup_options *options,
                             film_dedup_result *result, film_error *error)
{
    *call = (struct dedup_call){.result = {0}};
    film_status status = sized_check(result, "film_dedup_result", error);
    if (status == FILM_OK)
        status = sized_options(&call->options, sizeof call->options, options, "film_dedup_options",
                               error);
    if (status != FILM_OK) return status;
    sized_fill(result, &call->result, sizeof call->result);
    return FILM_OK;
}

void dedup_call_columns(const struct dedup_call *call)
{
    const film_dedup_options *options = &call->options;
    if (options->columns)
        options->columns(options->user, 0, call->set.others.names, call->set.others.count);
}

film_status dedup_call_end(struct dedup_call *call, film_status status, film_dedup_result *result)
{
    record_set_free(&call->set);
    sized_fill(result, &call->result, sizeof call->result);
    return status;
}

film_status film_dedup(const film_model *model, const film_record *records, size_t count,
                       const film_dedup_options *options, film_dedup_result *result,
                       film_error *error)
{
    film_status status = FILM_OK;
    struct dedup_call call;
    status = dedup_call_start(&call, options, result, error);
    if (status != FILM_OK) return status;
    if (!model || (count && !records)) TRY(status_missing(error, model ? "records" : "model"));
    call.set.records = records;
    call.set.count = count;
    for (size_t i = 0; i < call.options.label_count; i++)
        TRY(record_set_label(&call.set, call.options.labels[i].a, call.options.labels[i].b,
                             call.options.labels[i].same, error));
    TRY(dedup_run(&call.set, model, &call.options, &call.result, error));
done:
    return dedup_call_end(&call, status, result);
}

film_status film_dedup_file(const film_model *model, const char *path,
                            const film_dedup_options *options, film_dedup_result *result,
                            film_error *error)
{
    film_status status = FILM_OK;
    struct dedup_call call;
    char *own = NULL;
    status = dedup_call_start(&call, options, result, error);
    if (status != FILM_OK) return status;
    if (!model || !path) TRY(status_missing(error, model ? "path" : "model"));
    TRY(record_fields_table(&model->fields, &call.options.table, &own, error));
    call.set.keeps_others = call.options.columns != NULL;
    TRY(record_set_read(&call.set, path, &call.options.table, &call.options.progress,
                        &call.result.skipped, error));
    dedup_call_columns(&call);
    TRY(dedup_run(&call.set, model, &call.options, &call.result, error));
done:
    mem_free(own);
    return dedup_call_end(&call, status, result);
}
