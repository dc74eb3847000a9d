/* film pool learn, models and restore: trains on the labels of a pool, lists its two models, and
 * puts the earlier one in service again. The library compares and exchanges models. */
#include "pool.h"
#include "json.h"
#include "modules.h"

#include <math.h>
#include <string.h>

/* ---- learn ---- */

struct learn_values {
    int dry_run, force, threads;
    double wait;
    const char *start;
};

static const struct option learn_options[] = {
    {.name = "dry-run",
     .kind = OPTION_FLAG,
     .at = offsetof(struct learn_values, dry_run),
     .help = "compare only; the model in service stays"},
    {.name = "force",
     .kind = OPTION_FLAG,
     .at = offsetof(struct learn_values, force),
     .help = "put the new model in service even if it is worse"},
    START_OPTION(struct learn_values, start),
    THREADS_OPTION(struct learn_values, threads),
    WAIT_OPTION(struct learn_values, wait),
    END_OF_OPTIONS};

static void prepare_learn(void *given)
{
    ((struct learn_values *)given)->wait = POOL_WAIT;
}

struct learn_training {
    const struct train_calls *calls;
    film_train_options options;
};

/* Trains as film train --pool does. */
static film_status train_set(void *user, const film_training_set *set, film_model **out,
                             film_error *error)
{
    const struct learn_training *training = user;
    film_train_options options = training->options;
    options.pairs = set->pairs;
    options.pair_count = set->pair_count;
    options.sentences = set->sentences;
    options.sentence_count = set->sentence_count;
    options.edits = set->edits;
    options.plan_pairs = set->plan_pairs;
    options.random_share = set->random_share;
    return training->calls->train(NULL, 0, &options, out, error);
}

static void print_share(const char *before, double share, const char *after)
{
    fprintf(stderr, "%s%.1f %%%s", before, 100 * share, after);
}

static void print_learned(const film_learned *learned, const struct learn_values *values)
{
    const char *place = values->dry_run ? "would be put in service" : "in service";
    fprintf(stderr, "new model %s: ", learned->taken ? place : "not taken over");
    if (learned->compared == 0) {
        fprintf(stderr, "no label is new to both models, so they cannot be compared; "
                        "review more pairs, or pass --force\n");
        return;
    }
    print_share("accuracy ", learned->new_accuracy, "");
    fprintf(stderr, " (%.0f to %.0f)", 100 * learned->new_low, 100 * learned->new_high);
    print_share(", before ", learned->old_accuracy, "");
    fprintf(stderr, "; difference %+.1f points (%+.1f to %+.1f), p = %.2g, on %s\n",
            100 * learned->difference, 100 * learned->difference_low,
            100 * learned->difference_high, learned->p, counted(learned->compared, "label"));
}

static void print_json_share(const char *key, double share)
{
    if (isnan(share))
        printf(", \"%s\": null", key);
    else
        printf(", \"%s\": %.17g", key, share);
}

/* Without jansson: nothing here can fail for lack of memory. */
static void print_learned_json(const film_learned *learned)
{
    printf("{\"labels\": %llu, \"compared\": %llu", (unsigned long long)learned->labels,
           (unsigned long long)learned->compared);
    print_json_share("old", learned->old_accuracy);
    print_json_share("new", learned->new_accuracy);
    print_json_share("new_low", learned->new_low);
    print_json_share("new_high", learned->new_high);
    print_json_share("difference", learned->difference);
    print_json_share("low", learned->difference_low);
    print_json_share("high", learned->difference_high);
    print_json_share("p", learned->p);
    printf(", \"taken\": %s", learned->taken ? "true" : "false");
    if (*learned->id)
        printf(", \"id\": \"%s\"}\n", learned->id);
    else
        puts(", \"id\": null}");
}

static int run_learn(const struct command *command, void *given)
{
    const struct learn_values *values = given;
    film_error error = {0};
    film_pool *pool = NULL;
    film_learned learned = {.size = sizeof learned};
    char language[PATH_MAX];
    struct learn_training training;
    training.calls =
        prepare_training(&training.options, values->threads, command->quiet, language, &error);
    if (!training.calls) return report(FILM_IO, &error);
    training.options.start = values->start;
    film_learn_options options = {.size = sizeof options,
                                  .train = train_set,
                                  .user = &training,
                                  .force = values->force,
                                  .dry_run = values->dry_run,
                                  .threads = values->threads,
                                  .progress = training.options.progress};
    film_status status = pool_open(command->words[0], values->wait, &pool, &error);
    if (status == FILM_OK) status = film_pool_learn(pool, &options, &learned, &error);
    int code = report(status, &error);
    if (code == EXIT_DONE && command->json)
        print_learned_json(&learned);
    else if (code == EXIT_DONE && !command->quiet)
        print_learned(&learned, values);
    film_pool_close(pool);
    return code;
}

const struct verb pool_learn = {
    "pool learn",
    LIBRARY_POOL,
    "Train on the labels; use the new model if it is not worse",
    .arguments = "POOL [options]",
    .page = "docs/how-to/label.md",
    .min_words = 1,
    .max_words = 1,
    .options = learn_options,
    .size = sizeof(struct learn_values),
    .prepare = prepare_learn,
    .run = run_learn,
    .details =
        "Both models are compared on labels that they have not seen: the new one by "
        "cross-validation. A server\n"
        "that serves the pool takes the new model by itself. The pool keeps the model before "
        "it.\n\n"
        "example:\n"
        "  film pool learn faq.pool\n"};

/* ---- models ---- */

static const struct option models_options[] = {END_OF_OPTIONS};

static void print_model(const json_t *model)
{
    const json_t *accuracy = json_object_get(model, "accuracy");
    const char *when = json_string_value(json_object_get(model, "when"));
    print_clean(stdout, "%s  %-20s  %6lld labels", json_string_value(json_object_get(model, "id")),
                when ? when : "not learned here", (long long)json_whole(model, "labels"));
    if (json_is_number(accuracy))
        printf("  %5.1f %% (%.0f to %.0f)", 100 * json_number_value(accuracy),
               100 * json_number(model, "low"), 100 * json_number(model, "high"));
    printf("%s\n", json_is_true(json_object_get(model, "in_service")) ? "  in service" : "");
}

static int run_models(const struct command *command, void *given)
{
    film_error error = {0};
    film_pool *pool = NULL;
    char *text = NULL;
    size_t i;
    json_t *model;
    (void)given;
    film_status status = film_pool_open(command->words[0], &pool, &error);
    if (status == FILM_OK) status = film_pool_models(pool, &text, &error);
    film_pool_close(pool);
    if (status != FILM_OK || command->json) return answer_json(status, text, &error);
    json_t *root = json_loads(text, 0, NULL);
    json_array_foreach(json_object_get(root, "models"), i, model) print_model(model);
    json_decref(root);
    film_free(text);
    return EXIT_DONE;
}

const struct verb pool_models = {"pool models",
                                 LIBRARY_POOL,
                                 "List the model in service and the earlier one",
                                 .arguments = "POOL",
                                 .page = "docs/how-to/label.md",
                                 .min_words = 1,
                                 .max_words = 1,
                                 .options = models_options,
                                 .run = run_models,
                                 .details = "example:\n"
                                            "  film pool models faq.pool\n"};

/* ---- restore ---- */

struct restore_values {
    int threads;
    double wait;
};

static const struct option restore_options[] = {THREADS_OPTION(struct restore_values, threads),
                                                WAIT_OPTION(struct restore_values, wait),
                                                END_OF_OPTIONS};

static void prepare_restore(void *given)
{
    ((struct restore_values *)given)->wait = POOL_WAIT;
}

static int run_restore(const struct command *command, void *given)
{
    const struct restore_values *values = given;
    film_error error = {0};
    film_pool *pool = NULL;
    film_progress progress = progress_start(command->quiet);
    film_pool_description about = {.size = sizeof about};
    film_status status = pool_open(command->words[0], values->wait, &pool, &error);
    if (status == FILM_OK) status = film_pool_restore(pool, values->threads, &progress, &error);
    if (status == FILM_OK) status = film_pool_describe(pool, &about, &error);
    int code = report(status, &error);
    if (code == EXIT_DONE && command->json)
        printf("{\"id\": \"%s\"}\n", about.model_checksum);
    else if (code == EXIT_DONE && !command->quiet)
        print_clean(stderr, "model %s in service\n", about.model_checksum);
    film_pool_close(pool);
    return code;
}

const struct verb pool_restore = {
    "pool restore",
    LIBRARY_POOL,
    "Put the earlier model in service again",
    .arguments = "POOL [options]",
    .page = "docs/how-to/label.md",
    .min_words = 1,
    .max_words = 1,
    .options = restore_options,
    .size = sizeof(struct restore_values),
    .prepare = prepare_restore,
    .run = run_restore,
    .details =
        "The earlier model is the one before the last film pool learn, update or restore, so "
        "two\n"
        "restores change nothing. The labels stay.\n\n"
        "example:\n"
        "  film pool restore faq.pool\n"};
