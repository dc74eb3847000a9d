/* Training as a pipeline: check options, read rows, choose method and dev rows, count features,
 * learn maps and decision, calibrate, sample examples. Each step is one call with its inputs; the
 * learning itself is in src/learn. */
#include "train/train.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "learn/classifier_learn.h"
#include "learn/decision_threshold.h"
#include "learn/learn.h"
#include "learn/learn_decision.h"
#include "learn/learn_network.h"
#include "learn/packed_rows.h"
#include "learn/prior.h"
#include "train/calibration.h"
#include "train/known_words.h"
#include "train/cross_validate.h"
#include "train/earlier_models.h"
#include "train/examples_sample.h"
#include "train/field_guess.h"
#include "train/options.h"
#include "train/spill.h"
#include "train/training_rows.h"
#include "learn/features_fit.h"

#include <string.h>

/* Learns the model's vocabulary and computes X, one row per distinct sentence of the corpus. Its
 * rows are PACKED, unless that is NULL. */
static film_status count_features(film_model *model, const struct corpus *corpus,
                                  const film_train_options *options, struct packed_rows *packed,
                                  struct csr *x, struct training_log *log, film_error *error)
{
    film_status status = FILM_OK;
    struct tokenizer tokenizer;
    struct features_options wanted = {model->features.groups, options->min_df,
                                      options->max_features,  options->threads,
                                      options->progress,      packed};
    TRY(tokenizer_init(&tokenizer, options->stem, options->stop, error));
    TRY(features_fit(&model->features, &tokenizer, &corpus->sentences, &wanted, x, error));
    training_log_count(log, "entries", x->start[x->rows]);
    training_log_phase(log, "features");
done:
    return status;
}

/* Reads the vectors of the model's words. */
static film_status read_vectors(const film_model *model, const film_train_options *options,
                                struct word_vectors *out, struct training_log *log,
                                film_error *error)
{
    film_status status = FILM_OK;
    struct source *source = NULL;
    TRY(source_open(options->vectors, &source, error));
    TRY(word_vectors_read(out, source, &model->features, error));
    training_log_note(log, "word_vectors",
                      json_pack("{s:I, s:I, s:I}", "width", (json_int_t)out->width, "words",
                                (json_int_t)features_count(&model->features), "found",
                                (json_int_t)out->found));
    training_log_phase(log, "word_vectors");
done:
    return status;
}

/* ---- Maps ---- */

/* The inputs of the maps of a training; a view. */
struct training_data {
    const film_train_options *options;
    const struct training_plan *plan;
    const struct training_rows *rows;
    const struct csr *x;
    const struct word_vectors *word_vectors; /* NULL: none */
    struct training_log *log;
};

/* The input of the words' map. Beside a network it is learned second, with its own default
 * sizes. */
static struct learn_input words_input(const struct training_data *data, const film_model *model)
{
    const film_train_options *options = data->options;
    int second = model->network != NULL;
    return (struct learn_input){.method = data->plan->words,
                                .options = options,
                                .dim = data->plan->words_dim,
                                .epochs = second ? 0 : options->epochs,
                                .batch = second ? 0 : options->batch,
                                .corpus = &data->rows->corpus,
                                .dev = &data->rows->dev,
                                .features = &model->features,
                                .x = data->x,
                                .word_vectors = data->word_vectors,
                                .stream = &data->rows->stream,
                                .log = data->log};
}

/* The input of the map on top of the BERT encoder, from its VECTORS, or of the black box on
 * tokens. */
static struct learn_input network_input(const struct training_data *data, const film_model *model,
                                        const float *vectors)
{
    return (struct learn_input){.method = data->plan->method,
                                .options = data->options,
                                .dim = data->plan->dim,
                                .epochs = data->options->epochs,
                                .batch = data->options->batch,
                                .corpus = &data->rows->corpus,
                                .dev = &data->rows->dev,
                                .features = &model->features,
                                .x = data->x,
                                .network = model->network,
                                .encoded = vectors,
                                .log = data->log};
}

/* Learns from INPUT; moves the map and its singular values into the model. *MAP and *DIM are fields
 * of the model. */
static film_status learn_into_model(const struct learn_input *input, film_model *model, float **map,
                                    size_t *dim, film_error *error)
{
    struct learned_map learned = {0};
    film_status status = learn_map(input, &learned, error);
    if (status == FILM_OK) {
        *map = learned.map;
        *dim = learned.dim;
        learned.map = NULL;
    }
    if (status == FILM_OK && learned.sigma) {
        model->sigma = model->own_sigma = learned.sigma;
        model->rank = learned.rank;
        learned.sigma = NULL;
    }
    learned_map_free(&learned);
    return status;
}

static film_status learn_network(const struct training_data *data, const struct vector_cache *cache,
                                 film_model *model, film_error *error)
{
    film_status status = FILM_OK;
    float *vectors = NULL;
    struct encode_input sentences = {.network = model->network,
                                     .cache = cache,
                                     .corpus = &data->rows->corpus,
                                     .dev = &data->rows->dev,
                                     .options = data->options,
                                     .log = data->log};
    if (data->plan->method != FILM_METHOD_DEEP)
        TRY(learn_network_encode(&sentences, &vectors, error));
    struct learn_input input = network_input(data, model, vectors);
    TRY(learn_into_model(&input, model, &model->own_network_map, &model->encoder.network_dim,
                         error));
    model->encoder.network = model->network;
    model->encoder.network_map = model->own_network_map;
done:
    mem_free(vectors);
    return status;
}

/* Learns the map on top of the BERT encoder or the black box, if any, and then the words' map. */
static film_status learn_maps(const struct training_data *data, const struct vector_cache *cache,
                              film_model *model, film_error *error)
{
    film_status status = FILM_OK;
    struct learn_input words = words_input(data, model);
    model->encoder =
        (struct encoder){.features = &model->features,
                         .relations = model->relations.words.count ? &model->relations : NULL,
                         .fields = model->fields.count ? &model->fields : NULL,
                         .similarity = data->options->similarity,
                         .weighs = data->plan->words == FILM_METHOD_RANK};
    if (model->network) TRY(learn_network(data, cache, model, error));
    TRY(learn_into_model(&words, model, &model->own_map, &model->encoder.dim, error));
    model->encoder.map.rows = model->own_map;
    model->decision.encoder = &model->encoder;
done:
    return status;
}

/* ---- Decision ---- */

/* Learns without each fold. Meanwhile nothing reads the finished map: it is as large as that of a
 * fold, and makes room for it. */
static film_status gather_folds(const struct learn_input *words, film_model *model,
                                struct out_of_fold *held, film_error *error)
{
    struct spill spill;
    film_error lost;
    size_t size = features_count(&model->features) * model->encoder.dim * sizeof(float);
    spill_out(&spill, &model->own_map, learn_uses_labels(words->method) ? size : 0);
    model->encoder.map.rows = model->own_map;
    film_status status = out_of_fold_gather(words, &model->decision, held, error);
    film_status back = spill_in(&spill, &model->own_map, &lost);
    model->encoder.map.rows = model->own_map;
    return back == FILM_OK ? status : status_set(error, back, "%s", lost.message);
}

/* Learns the decision. When there are too few pairs, the map with a threshold is a model too. */
static film_status train_decision(const struct training_data *data, film_model *model,
                                  film_error *error)
{
    static const char *const undone[] = {"evidence_items", "trees", "memory"};
    struct learn_input words = words_input(data, model);
    struct out_of_fold held;
    film_status status = gather_folds(&words, model, &held, error);
    if (status == FILM_OK) status = learn_decision(&words, &held, &model->decision, error);
    int too_few = held.too_few;
    out_of_fold_free(&held);
    if (status != FILM_BAD_INPUT || !too_few || data->options->decision != FILM_DECISION_AUTO)
        return status;
    decision_free(&model->decision);
    relations_free(&model->relations);
    model->encoder.relations = NULL;
    lexicon_free(model->features.lexicon);
    model->features.lexicon = NULL;
    model->decision.encoder = &model->encoder;
    for (size_t i = 0; i < sizeof undone / sizeof *undone; i++)
        training_log_forget(data->log, undone[i]);
    training_log_note(data->log, "too_few_for_full", json_true());
    return FILM_OK;
}

/* Learns the categories of sentences, where the rows have them. */
static film_status train_classifier(const struct training_data *data, film_model *model,
                                    film_error *error)
{
    struct learn_input words = words_input(data, model);
    if (data->rows->corpus.labels != FILM_LABELS_CATEGORIES ||
        data->plan->method == FILM_METHOD_MFILM)
        return FILM_OK;
    return classifier_learn(&words, &model->encoder, NULL, &model->classifier, error);
}

/* The decision without labels, and what few labels change of it. */
static film_status train_prior(const struct training_data *data, film_model *model,
                               film_error *error)
{
    film_status status = FILM_OK;
    struct learn_input words = words_input(data, model);
    TRY(prior_decision(&words, &model->decision, error));
    if (data->rows->corpus.labels == FILM_LABELS_NONE) goto done;
    training_log_count(data->log, "few_labels",
                       data->rows->corpus.records ? PRIOR_FEW_RECORDS : PRIOR_FEW);
    if (!data->rows->dev.rows) TRY(prior_learn(&words, &model->decision, error));
done:
    return status;
}

/* ---- The pipeline ---- */

static void set_model_settings(film_model *model, const struct training_plan *plan,
                               const film_train_options *options)
{
    model->settings = (struct model_settings){
        .min_df = options->min_df, .max_features = options->max_features, .seed = options->seed};
    /* A model called "tfidf" has no map. */
    int mean = options->vectors && plan->method == FILM_METHOD_TFIDF;
    strcpy(model->settings.method, mean ? "vectors" : learn_defaults(plan->method)->name);
    model->features.groups = plan->features;
}

/* Returns whether the operating point is chosen on cross-validated scores: a figure is promised,
 * and there are no unseen rows. A BERT encoder, the black box and streams are trained only once. */
static int promises_on_folds(const struct training_rows *rows, const film_train_options *options)
{
    return operating_promises(&options->operating) && !rows->dev.rows && !options->bert &&
           options->method != FILM_METHOD_MFILM && options->method != FILM_METHOD_DEEP;
}

/* Refuses an operating point that the pairs cannot choose, before anything is learned. Also
 * computes the share of duplicates among labelled pairs; 0 where there is none. */
static film_status check_operating(const struct training_rows *rows,
                                   const film_train_options *options, double *share,
                                   film_error *error)
{
    film_status status = FILM_OK;
    const struct corpus *judged = training_rows_judged(rows);
    struct labelled_pairs pairs;
    TRY(labels_to_pairs(judged, LABELS_DRAWN, options->seed, &pairs, error));
    TRY(decision_threshold_check(options, &pairs, error));
    double own = operating_share(
        &(struct operating_rows){.target = pairs.target, .count = pairs.count - pairs.made_up});
    *share = judged->labels == FILM_LABELS_PAIRS && own < 1 ? own : 0;
done:
    labelled_pairs_free(&pairs);
    return status;
}

/* Learns a model from rows that have been read. A fold of a cross-validation has no log. */
static film_status train_rows(struct training_rows *rows, const film_train_options *options,
                              struct vector_cache *cache, film_model *model,
                              struct training_log *log, film_error *error)
{
    film_status status = FILM_OK;
    struct training_plan plan;
    struct csr x = {0};
    struct packed_rows packed = {0};
    struct word_vectors vectors = {0};
    double share = 0;
    /* A promised figure is chosen on pairs that nothing was learned from. */
    film_train_options learning = *options;
    if (operating_promises(&options->operating)) {
        learning.operating = (film_operating){FILM_ACCURACY, 0};
        learning.prior = 0.5;
    }
    TRY(plan_make(&plan, options, &rows->corpus, error));
    TRY(training_rows_choose_dev(rows, &plan, options, log, error));
    TRY(check_operating(rows, options, &share, error));
    set_model_settings(model, &plan, options);
    TRY(field_guess(&rows->corpus, options->table.fields, &model->fields, log, error));
    TRY(earlier_check_parent(model, &plan, error));
    /* Ranking reads few rows at a time; the other methods multiply with the whole matrix. */
    int pack = plan.words == FILM_METHOD_RANK && !options->vectors;
    TRY(count_features(model, &rows->corpus, options, pack ? &packed : NULL, &x, log, error));
    if (options->vectors) TRY(read_vectors(model, options, &vectors, log, error));
    if (options->vectors && plan.method == FILM_METHOD_DEEP)
        TRY(learn_network_words(options, &model->features, &vectors, &model->network, error));
    struct training_data data = {.options = &learning,
                                 .plan = &plan,
                                 .rows = rows,
                                 .x = &x,
                                 .word_vectors = vectors.rows ? &vectors : NULL,
                                 .log = log};
    if (plan.full || plan.prior)
        TRY(known_words_read(&model->features, options, &model->relations, log, error));
    TRY(lexicon_renew(&model->features, model->relations.words.count ? &model->relations : NULL,
                      error));
    TRY(learn_maps(&data, cache, model, error));
    if (plan.full) TRY(train_decision(&data, model, error));
    TRY(train_classifier(&data, model, error));
    if (plan.prior) TRY(train_prior(&data, model, error));
    TRY(model_round(model, error));
    TRY(lexicon_renew(&model->features, model->encoder.relations, error));
    lexicon_set_map(&model->features, &model->encoder.map, model->encoder.dim);
    if (!model->decision.full || rows->dev.rows || options->bert)
        TRY(calibrate_model(model, rows, promises_on_folds(rows, options) ? &learning : options,
                            log, error));
    model->decision.share = share;
done:
    word_vectors_free(&vectors);
    csr_free(&x);
    packed_rows_free(&packed);
    return status;
}

/* ---- The promise ---- */

/* Trains on REST as the whole training does, but for the accuracy. */
static film_status train_fold(struct corpus *rest, const film_train_options *options,
                              film_model **out, film_error *error)
{
    film_status status = FILM_OK;
    struct training_rows rows = {.corpus = *rest, .dev_name = "train"};
    film_train_options plain = *options;
    film_model *model = mem_zeroed(1, sizeof *model);
    *rest = (struct corpus){0};
    plain.operating = (film_operating){FILM_ACCURACY, 0};
    plain.prior = 0.5;
    TRY_ALLOC(model, error);
    TRY(earlier_take_parent(&plain, model, error));
    TRY(train_rows(&rows, &plain, NULL, model, NULL, error));
    *out = model;
    model = NULL;
done:
    training_rows_free(&rows);
    model_free(model);
    return status;
}

/* Chooses the threshold for a promised precision or recall on cross-validated log-odds. */
static film_status keep_promise(film_model *model, const struct training_rows *rows,
                                const film_train_options *options, struct training_log *log,
                                film_error *error)
{
    film_status status = FILM_OK;
    struct cross_validated held;
    struct decision *decision = &model->decision;
    struct calibration *line = decision->full ? &decision->margin : &decision->similarity;
    double log_odds;
    TRY(cross_validate(&rows->corpus, options, train_fold, &held, error));
    struct scored_pairs scored = {held.score, held.target, held.a, held.b, held.count, 0};
    TRY(decision_threshold_choose(&scored, options, NULL, &log_odds, log, error));
    if (held.count) line->threshold = (log_odds - line->bias) / line->scale;
    if (near_misses_wanted(&options->operating, &rows->corpus))
        TRY(near_misses_log(&held.near, &scored, held.is_near, log_odds, log, error));
    jsonfile_put(json_object_get(log->figures, "operating"), "threshold",
                 jsonfile_number(line->threshold));
    training_log_note(log, "threshold_from", json_string("folds"));
    training_log_count(log, "threshold_pairs", held.count);
    decision_threshold_made_up(log, held.made_up);
    training_log_phase(log, "cross-validation");
done:
    cross_validated_free(&held);
    return status;
}

/* Of pairs of records, few are the same in most files: the threshold is the best for F1 on data
 * like the file. Sentences are judged as if half of them were the same. */
static void choose_criterion(const struct corpus *corpus, film_train_options *options)
{
    size_t same = 0;
    for (size_t i = 0; corpus->labels == FILM_LABELS_PAIRS && i < corpus->rows; i++)
        same += corpus->label[i] >= 0.5f;
    options->prior = 0.5;
    if (!corpus->records || !same || same == corpus->rows ||
        options->operating.criterion != FILM_ACCURACY)
        return;
    options->operating.criterion = FILM_F1;
    options->prior = FILM_PRIOR_AUTO;
}

film_status train_files(const char *const *paths, size_t count, const film_train_options *options,
                        film_model **out, film_error *error)
{
    film_status status = FILM_OK;
    film_model *model = NULL;
    struct vector_cache *cache = NULL;
    struct training_log log = {0};
    struct training_rows rows = {0};
    *out = NULL;
    TRY(options_check(options, error));
    TRY(training_log_init(&log, error));
    TRY_ALLOC(model = mem_zeroed(1, sizeof *model), error);
    TRY(earlier_take_parent(options, model, error));
    if (options->bert) /* report a bad folder at once */
        TRY(learn_network_open(options, &model->network, &cache, error));
    TRY(training_rows_read(&rows, paths, count, options, &log, error));
    film_train_options chosen = *options;
    if (chosen.prior == 0) choose_criterion(&rows.corpus, &chosen);
    options = &chosen;
    TRY(train_rows(&rows, options, cache, model, &log, error));
    if (promises_on_folds(&rows, options)) TRY(keep_promise(model, &rows, options, &log, error));
    TRY(examples_sample(&model->examples, &rows.corpus, options->keep_examples, options->seed,
                        error));
    TRY(earlier_take_edits(model, options->edits, &log, error));
    TRY(training_log_print(&log, &model->figures, &model->seconds, error));
done:
    if (model && model->network) network_use_cache(model->network, NULL);
    vector_cache_close(cache);
    training_rows_free(&rows);
    training_log_free(&log);
    if (status != FILM_OK)
        model_free(model);
    else
        *out = model;
    return status;
}
