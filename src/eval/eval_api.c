/* Implements film_eval of film_train.h: defaults, sizes and names. The evaluation is in eval.c. */
#include "base/jsonfile.h"
#include "base/mem.h"
#include "base/sized.h"
#include "eval/answer.h"
#include "eval/eval.h"

#include <string.h>

const char *film_eval_decision_name(film_eval_decision decision)
{
    static const char *const names[FILM_EVAL_DECISION_COUNT] = {"auto", "full", "threshold", "knn"};
    return (unsigned)decision < FILM_EVAL_DECISION_COUNT ? names[decision] : "unknown";
}

const char *film_knn_name(film_knn knn)
{
    static const char *const names[FILM_KNN_COUNT] = {"mutual", "either"};
    return (unsigned)knn < FILM_KNN_COUNT ? names[knn] : "unknown";
}

film_status eval_options(film_eval_options *out, const film_eval_options *given, film_error *error)
{
    *out = (film_eval_options){0};
    film_status status = sized_options(out, sizeof *out, given, "film_eval_options", error);
    if (status != FILM_OK) return status;
    if (!out->k_last) out->k_last = 55;
    if (!out->k_first) out->k_first = 1;
    if (out->no_knn) out->k_first = out->k_last = 0;
    if (!out->bootstrap) out->bootstrap = 1000;
    if (out->bootstrap == FILM_NONE) out->bootstrap = 0;
    if (!out->seed) out->seed = 1;
    return FILM_OK;
}

film_status film_eval(const film_model *model, const char *path, const film_eval_options *options,
                      film_eval_result *result, film_error *error)
{
    film_status status = FILM_OK;
    film_eval_options with;
    film_eval_result found = answer_nothing();
    if (!model || !path || !result) return status_missing(error, "model, path or result");
    if ((status = sized_check(result, "film_eval_result", error)) != FILM_OK) return status;
    TRY(eval_options(&with, options, error));
    TRY(eval_file(model, path, &with, &found, error));
done:
    sized_fill(result, &found, sizeof found);
    return status;
}

void film_eval_result_free(film_eval_result *result)
{
    if (!result || result->size < offsetof(film_eval_result, owned) + sizeof result->owned) return;
    answer_free(result->owned);
    memset((unsigned char *)result + sizeof result->size, 0, result->size - sizeof result->size);
}

film_status film_eval_json(const film_eval_result *result, char **json, film_error *error)
{
    film_status status = FILM_OK;
    film_eval_result known = answer_nothing();
    json_t *answer = NULL;
    if (!result || !json) return status_missing(error, result ? "json" : "result");
    *json = NULL;
    TRY(sized_options(&known, sizeof known, result, "film_eval_result", error));
    if ((unsigned)known.labels >= FILM_LABELS_COUNT)
        TRY(status_set(error, FILM_USAGE, "the result was not filled by film_eval"));
    TRY_ALLOC(answer = answer_object(&known), error);
    TRY(jsonfile_dump(answer, JSON_REAL_PRECISION(12), json, error));
done:
    json_decref(answer);
    return status;
}
