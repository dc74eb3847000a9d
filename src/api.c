/* film.h: checks the arguments, then one call down. The table reader (text/table.c), the output
 * file (base/file.c) and the allocator hook (base/mem.c) implement their part of film.h themselves.
 */
#include "base/mem.h"
#include "base/utf8.h"
#include "base/writer.h"
#include "bert/bert.h"
#include "eval/eval.h"
#include "explain/learned.h"
#include "explain/pair.h"
#include "model/model.h"
#include "pair/match.h"
#include "pair/score.h"
#include "report/report.h"
#include "train/split.h"
#include "train/train.h"

#include <string.h>

#define STRINGIFY(x) #x
#define VERSION_TEXT(a, b, c) STRINGIFY(a) "." STRINGIFY(b) "." STRINGIFY(c)

struct film_context {
    const film_model *model;
    struct match match;
    struct explainer explainer;
};

const char *film_version(void)
{
    return VERSION_TEXT(FILM_VERSION_MAJOR, FILM_VERSION_MINOR, FILM_VERSION_PATCH);
}

int film_text_valid(film_text text, size_t *bad)
{
    return utf8_valid(text.bytes, text.length, bad);
}

size_t film_json_escape(film_text text, char *out)
{
    _Static_assert(FILM_JSON_ESCAPED == WRITER_ESCAPED, "callers make room for the longest escape");
    return writer_escape(text, out);
}

size_t film_text_cut(film_text text, size_t most)
{
    return utf8_cut(text.bytes, text.length, most);
}

film_text film_string(const char *text)
{
    return (film_text){text, strlen(text)};
}

void film_free(void *memory)
{
    mem_free(memory);
}

/* A model of features alone has no dense vectors. */
static film_status check_vectors(const film_model *model, film_error *error)
{
    return encoder_has_vectors(&model->encoder)
               ? FILM_OK
               : status_set(error, FILM_USAGE,
                            "a model of features alone has no vectors; train one with "
                            "--method svd, film or rank");
}

static film_status missing(film_error *error, const char *what)
{
    return status_set(error, FILM_USAGE, "%s is NULL", what);
}

film_status film_open(const char *path, film_model **out, film_error *error)
{
    if (!path || !out) return missing(error, path ? "out" : "path");
    return model_open(path, out, error);
}

void film_close(film_model *model)
{
    model_free(model);
}

film_status film_save(const film_model *model, const char *path, film_error *error)
{
    if (!model || !path) return missing(error, model ? "path" : "model");
    return model_save(model, path, error);
}

size_t film_dim(const film_model *model)
{
    return model ? encoder_dim(&model->encoder) : 0;
}

film_status film_describe(const film_model *model, char **json, film_error *error)
{
    if (!model || !json) return missing(error, model ? "json" : "model");
    return model_describe(model, json, error);
}

film_status film_context_new(const film_model *model, film_context **out, film_error *error)
{
    if (!model || !out) return missing(error, model ? "out" : "model");
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
    if (!context) return missing(error, "context");
    return match_rule(&context->match.rule, &context->model->decision, options, error);
}

film_status film_embed(film_context *context, film_text text, float *out, film_error *error)
{
    if (!context || !out) return missing(error, context ? "out" : "context");
    film_status status = check_vectors(context->model, error);
    if (status != FILM_OK) return status;
    return encoder_embed(&context->model->encoder, &context->match.survey.reading.side[0].row, text,
                         out, error);
}

film_status film_embed_batch(const film_model *model, const film_text *texts, size_t count,
                             int threads, float *out, film_error *error)
{
    if (!model || (count && (!texts || !out))) return missing(error, "model, texts or out");
    film_status status = check_vectors(model, error);
    if (status != FILM_OK) return status;
    return encoder_embed_all(&model->encoder, texts, count, threads, out, error);
}

film_status film_match(film_context *context, film_text a, film_text b, film_verdict *verdict,
                       film_error *error)
{
    if (!context || !verdict) return missing(error, context ? "verdict" : "context");
    struct match *match = &context->match;
    return match->rule.no_reasons
               ? match_score(match, a, b, verdict, error)
               : match_pair(match, a, b, match->rule.most_reasons, verdict, error);
}

film_status film_explain_pair(film_context *context, film_text a, film_text b,
                              film_explanation *out, film_error *error)
{
    if (!context || !out) return missing(error, context ? "out" : "context");
    return explain_pair(&context->explainer, &context->match, a, b, out, error);
}

/* How long the lists of an explanation are. */
static size_t list_length(size_t most)
{
    enum { USUAL = 10, LONGEST = 1000 };
    return most == 0 ? USUAL : most < LONGEST ? most : LONGEST;
}

film_status film_explain_dimension(const film_model *model, size_t dimension, size_t most,
                                   char **json, film_error *error)
{
    if (!model || !json) return missing(error, model ? "json" : "model");
    return explain_dimension(model, dimension, list_length(most), json, error);
}

film_status film_explain_word(const film_model *model, film_text word, size_t most, char **json,
                              film_error *error)
{
    if (!model || !json) return missing(error, model ? "json" : "model");
    return explain_word(model, word, list_length(most), json, error);
}

film_status film_explain_model(const film_model *model, size_t most, char **json, film_error *error)
{
    if (!model || !json) return missing(error, model ? "json" : "model");
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
        return missing(error, "model, a text or verdicts");
    struct text_pairs pairs = {a, b};
    struct score_source source = {pair_of_texts, &pairs};
    struct match_rule rule;
    film_status status = match_rule(&rule, &model->decision, options, error);
    if (status != FILM_OK) return status;
    return score_pairs(&model->decision, &rule, &source, count, options ? options->threads : 0,
                       verdicts, error);
}

film_status film_score_batch(const film_model *model, const film_text *a, const film_text *b,
                             size_t count, const film_answer_options *options, float *probability,
                             film_error *error)
{
    if (count && !probability) return missing(error, "probability");
    film_verdict *verdicts = mem_array(count, sizeof *verdicts);
    if (!verdicts) return status_no_memory(error);
    film_status status = film_match_batch(model, a, b, count, options, verdicts, error);
    for (size_t i = 0; i < count && status == FILM_OK; i++)
        probability[i] = (float)verdicts[i].probability;
    mem_free(verdicts);
    return status;
}

film_status film_bert_open(const char *folder, film_bert **out, film_error *error)
{
    if (!folder || !out) return missing(error, folder ? "out" : "folder");
    return bert_open(folder, out, error);
}

film_status film_bert_round(film_bert *bert, film_error *error)
{
    return bert ? bert_round(bert, error) : missing(error, "bert");
}

void film_bert_close(film_bert *bert)
{
    bert_free(bert);
}

size_t film_bert_dim(const film_bert *bert)
{
    return bert ? bert_dim(bert) : 0;
}

film_status film_bert_describe(const film_bert *bert, char **json, film_error *error)
{
    if (!bert || !json) return missing(error, bert ? "json" : "bert");
    return bert_describe(bert, json, error);
}

film_status film_bert_embed(const film_bert *bert, const film_text *texts, size_t count,
                            int threads, float *out, film_error *error)
{
    if (!bert || (count && (!texts || !out))) return missing(error, "bert, texts or out");
    return bert_encode(bert, texts, count, threads, out, error);
}

void film_eval_defaults(film_eval_options *options)
{
    *options =
        (film_eval_options){.k_first = 1, .k_last = 55, .prior = 0.5, .bootstrap = 1000, .seed = 1};
}

film_status film_eval(const film_model *model, const char *path, const film_eval_options *options,
                      char **json, film_error *error)
{
    film_eval_options defaults;
    film_eval_defaults(&defaults);
    if (!model || !path || !json) return missing(error, "model, path or json");
    return eval_file(model, path, options ? options : &defaults, json, error);
}

void film_report_defaults(film_report_options *options)
{
    *options = (film_report_options){.seed = 1};
}

film_status film_report(const film_model *model, const film_report_options *options,
                        const char *path, film_error *error)
{
    film_report_options defaults;
    film_report_defaults(&defaults);
    if (!model || !path) return missing(error, model ? "path" : "model");
    return report_write(model, options ? options : &defaults, path, error);
}

void film_train_defaults(film_train_options *options)
{
    *options = (film_train_options){
        .min_df = 2,
        .rank = 256,
        .train_share = 0.8,
        .prior = 0.5,
        .solver = {.power = 0.5,
                   .margin_ratio = 0.5,
                   .positives = 5,
                   .labelled = 5,
                   .hard = 3,
                   .random = 5,
                   .iterations = 12,
                   .inner = 1,
                   .epsilon = 1e-5,
                   .least_change = 1e-7,
                   .rho = 1e-4,
                   .gamma = 0.85,
                   .shrink = 0.2,
                   .first_tau = 1e-3,
                   .sample = 200000},
        .deep = {.tokens = 32, .maps = {16, 32, 32, 16}, .margin = 0.3, .dropout = 0.1},
        .seed = 1,
        .checkpoint_every = 60,
    };
}

film_status film_train(const char *const *paths, size_t count, const film_train_options *options,
                       film_model **out, film_error *error)
{
    film_train_options defaults;
    film_train_defaults(&defaults);
    if (!options) options = &defaults;
    if ((count && !paths) || (options->pool_count && !options->pools) || !out)
        return missing(error, "paths, pools or out");
    if (!count && !options->pool_count) return missing(error, "paths");
    return train_files(paths, count, options, out, error);
}

film_status film_split(const char *path, const char *train_path, const char *dev_path,
                       const film_split_options *options, film_split_result *result,
                       film_error *error)
{
    film_split_options defaults = {.train_share = 0.8, .seed = 1};
    if (!options) options = &defaults;
    if (!path || !train_path || !dev_path || !result) return missing(error, "a path or the result");
    if (!(options->train_share > 0 && options->train_share < 1))
        return status_set(error, FILM_USAGE, "the train share must lie between 0 and 1");
    return split_file(path, train_path, dev_path, options, result, error);
}
