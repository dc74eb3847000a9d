/* Replaces the categories of a model by those of a file: new weights and examples. What the map and
 * the decision about pairs have learned stays. */
#include "base/sized.h"
#include "learn/classifier_learn.h"
#include "learn/corpus.h"
#include "model/model.h"

static film_status learn_reference(film_model *model, const struct corpus *corpus,
                                   const film_train_options *options, film_error *error)
{
    struct classifier learned;
    /* The model's own rule was learned with maps that had not seen the sentences. This map may have
     * seen them, so the rule is learned here only where there is none. */
    const struct class_rule *rule =
        model->classifier.categories.count ? &model->classifier.rule : NULL;
    struct learn_input input = {.method = FILM_METHOD_TFIDF, .options = options, .corpus = corpus};
    film_status status = classifier_learn(&input, &model->encoder, rule, &learned, error);
    if (status != FILM_OK) return status;
    classifier_free(&model->classifier);
    model->classifier = learned;
    return FILM_OK;
}

film_status film_set_reference(film_model *model, const char *path,
                               const film_reference_options *options, film_error *error)
{
    film_status status = FILM_OK;
    film_reference_options with = {0};
    struct corpus corpus = {0};
    if (!model || !path) return status_missing(error, model ? "path" : "model");
    TRY(sized_options(&with, sizeof with, options, "film_reference_options", error));
    with.table.labels = FILM_LABELS_CATEGORIES;
    TRY(corpus_read(&corpus, &path, 1, &with.table, &with.progress, error));
    if (corpus.categories.count < 2)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s has fewer than two categories; name the column of the categories, or "
                       "add rows",
                       path));
    film_train_options training = {.seed = 1, .threads = with.threads};
    TRY(learn_reference(model, &corpus, &training, error));
done:
    corpus_free(&corpus);
    return status;
}
