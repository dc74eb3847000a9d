/* The public functions of film.h and film_explain.h: they check the arguments and call the internal
 * function. Both headers share the context, so both are here. answer_json.c writes the JSON. */
#include "base/mem.h"
#include "base/sized.h"
#include "explain/learned.h"
#include "explain/pair.h"
#include "model/edits.h"
#include "model/model.h"
#include "pair/match.h"
#include "pair/score.h"
#include "text/record_text.h"

struct film_context {
    const film_model *model;
    struct match match;
    struct explainer explainer;
};

/* A model of features alone has no dense vectors. */
static film_status check_vectors(const film_model *model, film_error *error)
{
    return encoder_has_vectors(&model->encoder)
               ? FILM_OK
               : status_set(error, FILM_USAGE,
                            "this model has no vectors (method tfidf); train one with method svd, "
                            "film or rank");
}

film_status film_open(const char *path, film_model **out, film_error *error)
{
    if (!path || !out) return status_missing(error, path ? "out" : "path");
    return model_open(path, 0, out, error);
}

film_status film_open_private(const char *path, film_model **out, film_error *error)
{
    if (!path || !out) return status_missing(error, path ? "out" : "path");
    return model_open(path, 1, out, error);
}

film_status film_open_memory(const void *bytes, size_t size, film_model **out, film_error *error)
{
    if (!bytes || !out) return status_missing(error, bytes ? "out" : "bytes");
    return model_parse(bytes, size, "the model in memory", out, error);
}

void film_close(film_model *model)
{
    model_free(model);
}

film_status film_save(const film_model *model, const char *path, film_error *error)
{
    if (!model || !path) return status_missing(error, model ? "path" : "model");
    return model_save(model, path, error);
}

film_status film_edit_model(film_model *model, const film_edit *edit, film_error *error)
{
    film_edit with = {0};
    if (!model || !edit) return status_missing(error, model ? "edit" : "model");
    film_status status = sized_options(&with, sizeof with, edit, "film_edit", error);
    return status == FILM_OK ? model_edit(model, &with, error) : status;
}

size_t film_example_count(const film_model *model)
{
    return model ? model->examples.count : 0;
}

film_status film_example_at(const film_model *model, size_t i, film_example *out, film_error *error)
{
    if (!model || !out) return status_missing(error, model ? "out" : "model");
    if (i >= model->examples.count)
        return status_set(error, FILM_USAGE, "pair %zu does not exist; the model has %zu", i,
                          model->examples.count);
    *out = (film_example){.a = examples_text(&model->examples, i, 0),
                          .b = examples_text(&model->examples, i, 1),
                          .same = model->examples.same[i]};
    return FILM_OK;
}

size_t film_dim(const film_model *model)
{
    return model ? encoder_dim(&model->encoder) : 0;
}

film_status film_add_words(film_model *model, const char *path, film_error *error)
{
    if (!model || !path) return status_missing(error, model ? "path" : "model");
    return model_add_words(model, path, error);
}

film_status film_set_arithmetic(film_model *model, film_arithmetic arithmetic, film_error *error)
{
    if (!model) return status_missing(error, "model");
    return model_set_arithmetic(model, arithmetic, error);
}

film_status film_describe(const film_model *model, char **json, film_error *error)
{
    if (!model || !json) return status_missing(error, model ? "json" : "model");
    return model_describe(model, json, error);
}

film_status film_context_new(const film_model *model, film_context **out, film_error *error)
{
    if (!model || !out) return status_missing(error, model ? "out" : "model");
    *out = NULL;
    film_context *context = mem_zeroed(1, sizeof *context);
    if (!context) return status_no_memory(error);
    context->model = model;
    context->explainer.nearest.examples = &model->examples;
    struct match_rule rule;
    film_status status = match_rule(&rule, &model->decision, NULL, error);
    if (status == FILM_OK) status = match_init(&context->match, &model->decision, &rule, error);
    if (status == FILM_OK)
        *out = context;
    else
        mem_free(context);
    return status;
}

void film_context_free(film_context *context)
{
    if (!context) return;
    match_free(&context->match);
    explainer_free(&context->explainer);
    mem_free(context);
}

film_status film_context_set(film_context *context, const film_answer_options *options,
                             film_error *error)
{
    film_answer_options with = {0};
    if (!context) return status_missing(error, "context");
    film_status status = sized_options(&with, sizeof with, options, "film_answer_options", error);
    if (status != FILM_OK) return status;
    return match_rule(&context->match.rule, &context->model->decision, &with, error);
}

size_t film_field_count(const film_model *model)
{
    return model ? model->fields.count : 0;
}

const char *film_field_name(const film_model *model, size_t number)
{
    return number < film_field_count(model) ? model->fields.list[number].name : NULL;
}

const char *film_field_type(const film_model *model, size_t number)
{
    return number < film_field_count(model) ? field_type_name(model->fields.list[number].type)
                                            : NULL;
}

/* Passes the bytes to the caller; a record without values is an empty text. */
static film_status give_record(film_status status, struct record_text *record, char **text,
                               film_error *error)
{
    if (status == FILM_OK && !record->bytes && !(record->bytes = mem_string("", 0)))
        status = status_no_memory(error);
    if (status == FILM_OK)
        *text = record->bytes;
    else
        mem_free(record->bytes);
    return status;
}

film_status film_record_text(const film_text *names, const film_text *values, size_t count,
                             char **text, film_error *error)
{
    struct record_text record = {0};
    film_status status = FILM_OK;
    if (!text || (count && (!names || !values))) return status_missing(error, "names or text");
    for (size_t i = 0; i < count && status == FILM_OK; i++)
        if (!record_text_add(&record, names[i], values[i])) status = status_no_memory(error);
    return give_record(status, &record, text, error);
}

film_status film_record_json(film_text json, char **text, film_error *error)
{
    struct record_text record = {0};
    if (!text || !json.bytes) return status_missing(error, text ? "json" : "text");
    return give_record(record_text_json(&record, json, error), &record, text, error);
}

int film_record_next(film_text text, size_t *at, film_text *name, film_text *value)
{
    return at && name && value && record_text_next(text, at, name, value);
}

film_status film_record_check(const film_model *model, film_text text, film_error *error)
{
    if (!model || (text.length && !text.bytes)) return status_missing(error, "model or text");
    return record_fields_check(&model->fields, text, error);
}

film_status film_embed(film_context *context, film_text text, float *out, film_error *error)
{
    if (!context || !out) return status_missing(error, context ? "out" : "context");
    film_status status = check_vectors(context->model, error);
    if (status != FILM_OK) return status;
    reading_forget(&context->match.survey.reading);
    return encoder_embed(&context->model->encoder, &context->match.survey.reading.side[0].row, text,
                         out, error);
}

film_status film_embed_batch(const film_model *model, const film_text *texts, size_t count,
                             int threads, float *out, film_error *error)
{
    if (!model || (count && (!texts || !out))) return status_missing(error, "model, texts or out");
    film_status status = check_vectors(model, error);
    if (status != FILM_OK) return status;
    return encoder_embed_all(&model->encoder, texts, count, threads, out, error);
}

film_status film_match(film_context *context, film_text a, film_text b, film_verdict *verdict,
                       film_error *error)
{
    if (!context || !verdict) return status_missing(error, context ? "verdict" : "context");
    struct match *match = &context->match;
    return match->rule.no_reasons
               ? match_score(match, a, b, verdict, error)
               : match_pair(match, a, b, match->rule.most_reasons, verdict, error);
}

film_status film_explain_pair(film_context *context, film_text a, film_text b,
                              film_explanation *out, film_error *error)
{
    film_explanation why = {0};
    if (!context || !out) return status_missing(error, context ? "out" : "context");
    film_status status = sized_check(out, "film_explanation", error);
    if (status != FILM_OK) return status;
    status = explain_pair(&context->explainer, &context->match, a, b, &why, error);
    sized_fill(out, &why, sizeof why);
    return status;
}

film_status film_explain_reversals(film_context *context, double threshold, film_explanation *why,
                                   film_error *error)
{
    film_explanation known = {0};
    if (!context || !why) return status_missing(error, context ? "why" : "context");
    if (!(threshold >= 0 && threshold < 1))
        return status_set(error, FILM_USAGE, "threshold %g is not between 0 and 1", threshold);
    film_status status = sized_options(&known, sizeof known, why, "film_explanation", error);
    if (status != FILM_OK) return status;
    if (!known.words || known.words != context->explainer.words.list)
        return status_set(error, FILM_USAGE,
                          "why is not the last explanation of this context; call "
                          "film_explain_pair first");
    status = explain_reversals(&context->explainer, &context->match, threshold, &known, error);
    sized_fill(why, &known, sizeof known);
    return status;
}

/* The length of the lists of an explanation. */
static size_t list_length(size_t most)
{
    enum { USUAL = 10, LONGEST = 1000 };
    return most == 0 ? USUAL : most < LONGEST ? most : LONGEST;
}

film_status film_explain_dimension(const film_model *model, size_t dimension, size_t most,
                                   char **json, film_error *error)
{
    if (!model || !json) return status_missing(error, model ? "json" : "model");
    int all = most == FILM_ALL_FEATURES;
    return explain_dimension(model, dimension, list_length(all ? 0 : most), all, json, error);
}

film_status film_explain_word(const film_model *model, film_text word, size_t most, char **json,
                              film_error *error)
{
    if (!model || !json) return status_missing(error, model ? "json" : "model");
    return explain_word(model, word, list_length(most), json, error);
}

film_status film_explain_model(const film_model *model, size_t most, char **json, film_error *error)
{
    if (!model || !json) return status_missing(error, model ? "json" : "model");
    return explain_model(model, list_length(most), json, error);
}

struct text_pairs {
    const film_text *a, *b;
};

static void pair_of_texts(const void *user, size_t i, film_text *a, film_text *b)
{
    const struct text_pairs *pairs = user;
    *a = pairs->a[i];
    *b = pairs->b[i];
}

film_status film_match_batch(const film_model *model, const film_text *a, const film_text *b,
                             size_t count, const film_answer_options *options,
                             film_verdict *verdicts, film_error *error)
{
    if (!model || (count && (!a || !b || !verdicts)))
        return status_missing(error, "model, a text or verdicts");
    struct text_pairs pairs = {a, b};
    struct score_source source = {.pair = pair_of_texts, .user = &pairs};
    struct match_rule rule;
    film_answer_options with = {0};
    film_status status = sized_options(&with, sizeof with, options, "film_answer_options", error);
    if (status == FILM_OK) status = match_rule(&rule, &model->decision, &with, error);
    if (status != FILM_OK) return status;
    return score_pairs(&model->decision, &rule, &source, count, with.threads, verdicts, error);
}

film_status film_score_batch(const film_model *model, const film_text *a, const film_text *b,
                             size_t count, const film_answer_options *options, float *probability,
                             film_error *error)
{
    if (count && !probability) return status_missing(error, "probability");
    film_verdict *verdicts = mem_array(count, sizeof *verdicts);
    if (!verdicts) return status_no_memory(error);
    film_status status = film_match_batch(model, a, b, count, options, verdicts, error);
    for (size_t i = 0; i < count && status == FILM_OK; i++)
        probability[i] = (float)verdicts[i].probability;
    mem_free(verdicts);
    return status;
}
