#include "train/learn_decision.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/threads.h"
#include "pair/score.h"
#include "train/boost.h"

#include <math.h>
#include <string.h>

enum { FOLDS = 5, PAIRS_PER_SENTENCE = 8, STRETCH = 256 };

/* Fewer pairs than this are learned from with more care. */
enum { FEW = 20000 };

void material_free(struct material *material)
{
    labelled_pairs_free(&material->pairs);
    mem_free(material->weight);
    folds_free(&material->folds);
    evidence_rows_free(&material->rows);
    mem_free(material->line);
    mem_free(material->base);
    mem_free(material->similarity);
    mem_free(material->x);
    mem_free(material->known);
}

/* Degrees of similarity are no classes: they weigh alike. */
static void weigh_pairs(const struct run *run, struct material *material)
{
    const struct labelled_pairs *pairs = &material->pairs;
    double positive = 0, count = (double)pairs->count;
    for (size_t i = 0; i < pairs->count; i++) positive += (double)pairs->target[i];
    for (size_t i = 0; i < pairs->count; i++) {
        double target = (double)pairs->target[i];
        double weight = target * 0.5 * count / fmax(positive, 1) +
                        (1 - target) * 0.5 * count / fmax(count - positive, 1);
        material->weight[i] = run->corpus.labels == FILM_LABELS_SCORES ? 1.0f : (float)weight;
    }
}

/* Whatever fold is left out, pairs of both kinds must remain; the first fold, by which the number of
 * trees is chosen, must have both itself. */
static film_status check_enough(struct run *run, const struct material *material, film_error *error)
{
    const struct labelled_pairs *pairs = &material->pairs;
    int enough = 1;
    for (size_t f = 0; f < FOLDS && enough; f++) {
        int inside[2] = {0, 0}, outside[2] = {0, 0};
        for (size_t i = 0; i < pairs->count; i++) {
            int same = pairs->target[i] >= 0.5f;
            if (folds_of_pair(&material->folds, pairs->a[i]) == f) inside[same] = 1;
            if (!folds_touches(&material->folds, f, pairs->a[i], pairs->b[i])) outside[same] = 1;
        }
        enough = outside[0] && outside[1] && (f || (inside[0] && inside[1]));
    }
    if (enough) return FILM_OK;
    run->too_few = 1;
    return status_set(
        error, FILM_BAD_INPUT,
        "too few labelled pairs for a full decision: every fifth of the questions must "
        "leave some that are the same and some that are not; add rows or use "
        "--decision threshold");
}

static film_status gather(struct run *run, struct material *material, film_error *error)
{
    film_status status = FILM_OK;
    struct labelled_pairs *pairs = &material->pairs;
    TRY(labels_to_pairs(&run->corpus, PAIRS_PER_SENTENCE * run->corpus.rows, run->options->seed,
                        pairs, error));
    size_t count = pairs->count;
    TRY_ALLOC((material->weight = mem_array(count, sizeof(float))) &&
                  (material->line = mem_array(count, sizeof(float))) &&
                  (material->base = mem_array(count, sizeof(float))) &&
                  (material->similarity = mem_array(count, sizeof(float))) &&
                  (material->x = mem_array(count, traits_count() * sizeof(float))) &&
                  (material->known = mem_array(count, sizeof *material->known)),
              error);
    weigh_pairs(run, material);
    TRY(folds_deal(&material->folds, &run->corpus, FOLDS, run->options->seed, error));
    TRY(check_enough(run, material, error));
done:
    return status;
}

/* ---- Word evidence ---- */

/* WEIGHTS[f] without fold f, WEIGHTS[FOLDS] with all pairs: side by side, each in one thread. */
static film_status fit_evidence(struct run *run, struct material *material, float **weights,
                                film_error *error)
{
    film_status status = FILM_OK;
    const struct labelled_pairs *pairs = &material->pairs;
    struct evidence_options options;
    unsigned char *use = mem_array((FOLDS + 1) * pairs->count, 1);
    int threads = threads_use(run->options->threads);
    evidence_defaults(&options);
    options.seed = run->options->seed;
    TRY_ALLOC(use, error);
    for (size_t f = 0; f <= FOLDS; f++) {
        TRY_ALLOC(weights[f] = mem_array(material->rows.columns + 1, sizeof(float)), error);
        for (size_t i = 0; i < pairs->count; i++)
            use[f * pairs->count + i] =
                !folds_touches(&material->folds, f, pairs->a[i], pairs->b[i]);
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (size_t f = 0; f <= FOLDS; f++) {
        film_error own_error;
        film_status own =
            evidence_learn(&material->rows, pairs->target, material->weight, material->line,
                           use + f * pairs->count, &options, weights[f], &own_error);
        if (own != FILM_OK) {
#pragma omp critical
            status = status_set(error, own, "%s", own_error.message);
        }
    }
done:
    mem_free(use);
    return status;
}

/* ---- Surveys ---- */

static void keep_survey(struct material *material, size_t i, const struct survey *survey)
{
    const struct reading *reading = &survey->reading;
    float target = material->pairs.target[i];
    material->base[i] = (float)((double)material->line[i] + survey->margin);
    material->similarity[i] = (float)survey_similarity(survey);
    memcpy(material->x + i * traits_count(), survey->traits, traits_count() * sizeof(float));
    material->known[i] = (struct memory_row){reading->side[0].hash, reading->side[1].hash,
                                             target >= 1   ? 1
                                             : target <= 0 ? 0
                                                           : -1};
}

/* Surveys the pairs of FOLD with what was learned without it; FOLD == FOLDS: all pairs. */
static film_status survey_fold(struct run *run, struct material *material, size_t fold,
                               const struct encoder *encoder, const struct evidence *evidence,
                               film_error *error)
{
    film_status status = FILM_OK;
    const struct labelled_pairs *pairs = &material->pairs;
    size_t stretches = (pairs->count + STRETCH - 1) / STRETCH;
    struct labelled_texts texts = {&run->corpus.sentences, pairs};
#pragma omp parallel num_threads(threads_use(run->options->threads))
    {
        struct survey survey;
        film_error own_error;
        film_status own = survey_init(&survey, encoder, &own_error);
#pragma omp for schedule(dynamic, 1)
        for (size_t s = 0; s < stretches; s++) {
            size_t end = (s + 1) * STRETCH < pairs->count ? (s + 1) * STRETCH : pairs->count;
            for (size_t i = s * STRETCH; i < end && own == FILM_OK; i++) {
                film_text a, b;
                if (fold < FOLDS && folds_of_pair(&material->folds, pairs->a[i]) != fold) continue;
                labels_text(&texts, i, &a, &b);
                own = survey_make(&survey, evidence, a, b, &own_error);
                if (own == FILM_OK) keep_survey(material, i, &survey);
            }
        }
        if (own != FILM_OK) {
#pragma omp critical
            status = status_set(error, own, "%s", own_error.message);
        }
        survey_free(&survey);
    }
    return status;
}

/* ---- The line ---- */

/* Through the traits that no label has touched: those need no folds, and so few weights no care. */
static film_status fit_line(struct run *run, struct material *material, film_error *error)
{
    film_status status = FILM_OK;
    /* Traits overlap; the ridge keeps two of them from pulling against each other. */
    double ridge = material->pairs.count < FEW ? 10 : 0.01 * (double)material->pairs.count;
    struct linear *line = &run->model->decision.line;
    struct encoder plain = run->model->encoder;
    size_t count = material->pairs.count, traits = traits_count();
    struct evidence none = {.features = material->rows.features};
    unsigned char *use = mem_array(traits, 1);
    TRY_ALLOC(use && (none.own = mem_zeroed(2 * none.features, sizeof(float))), error);
    none.feature = none.own;
    plain.map = NULL;
    memset(material->line, 0, count * sizeof(float));
    TRY(survey_fold(run, material, FOLDS, &plain, &none, error));
    for (size_t t = 0; t < traits; t++) use[t] = !trait_is_learned(trait_at(t));
    struct linear_data data = {material->x, count, traits, material->pairs.target,
                               material->weight};
    TRY(linear_fit(line, &data, use, ridge, threads_use(run->options->threads), error));
    for (size_t i = 0; i < count; i++)
        material->line[i] = (float)linear_sum(line, material->x + i * traits);
done:
    mem_free(use);
    evidence_free(&none);
    return status;
}

/* ---- Maps of the folds ---- */

/* The map as it would be without FOLD: the same method on the other rows. */
static film_status learn_fold_map(struct run *run, const struct material *material, size_t fold,
                                  float **map, film_error *error)
{
    film_status status = FILM_OK;
    film_train_options options = *run->options;
    film_model model = {.features = run->model->features};
    struct run part = *run;
    options.checkpoint = NULL;
    options.resume = 0;
    part.options = &options;
    part.model = &model;
    part.corpus = (struct corpus){0};
    part.svd = (struct svd){0};
    part.figures = json_object();
    part.seconds = json_object();
    TRY_ALLOC(part.figures && part.seconds, error);
    TRY(folds_rest(&material->folds, &run->corpus, fold, &part.corpus, error));
    status = run_learn(&part, error);
    run->too_few = status == FILM_BAD_INPUT; /* all rows were enough, those of this fold are not */
    if (status != FILM_OK) goto done;
    if (part.interrupted != FILM_OK)
        TRY(status_set(error, part.interrupted, "%s", part.interruption.message));
    *map = model.own_map;
    model.own_map = NULL;
done:
    mem_free(model.own_map);
    mem_free(model.own_sigma);
    svd_free(&part.svd);
    folds_rest_free(&part.corpus);
    json_decref(part.figures);
    json_decref(part.seconds);
    return status;
}

static film_status survey_all(struct run *run, struct material *material, float **weights,
                              film_error *error)
{
    film_status status = FILM_OK;
    float *map = NULL;
    struct evidence evidence = {0};
    int learned = run->method == FILM_METHOD_RANK || run->method == FILM_METHOD_FILM;
    for (size_t f = 0; f < FOLDS; f++) {
        TRY(progress_report(&run->options->progress, "folds", (double)f, FOLDS, error));
        if (learned) TRY(learn_fold_map(run, material, f, &map, error));
        struct encoder encoder = run->model->encoder;
        if (learned) encoder.map = map;
        TRY(evidence_from_weights(&evidence, &material->rows, weights[f], error));
        TRY(survey_fold(run, material, f, &encoder, &evidence, error));
        evidence_free(&evidence);
        mem_free(map);
        map = NULL;
    }
done:
    evidence_free(&evidence);
    mem_free(map);
    return status;
}

/* ---- Trees ---- */

/* Rows of fold 0 last, the others first. Returns how many others. */
static size_t order_rows(const struct material *material, uint32_t *order)
{
    size_t count = 0;
    for (int last = 0; last < 2; last++)
        for (size_t i = 0; i < material->pairs.count; i++)
            if ((folds_of_pair(&material->folds, material->pairs.a[i]) == 0) == last)
                order[count++] = (uint32_t)i;
    size_t others = 0;
    while (others < count && folds_of_pair(&material->folds, material->pairs.a[order[others]]) != 0)
        others++;
    return others;
}

/* The material in the given order, to be cut in two. */
static film_status reorder(const struct material *material, const uint32_t *order, float **x,
                           float **columns, film_error *error)
{
    size_t count = material->pairs.count, traits = traits_count();
    *x = mem_array(count, traits * sizeof(float));
    *columns = mem_array(3 * count, sizeof(float));
    if (!*x || !*columns) return status_no_memory(error);
    for (size_t i = 0; i < count; i++) {
        memcpy(*x + i * traits, material->x + order[i] * traits, traits * sizeof(float));
        (*columns)[i] = material->pairs.target[order[i]];
        (*columns)[count + i] = material->weight[order[i]];
        (*columns)[2 * count + i] = material->base[order[i]];
    }
    return FILM_OK;
}

/* How many trees, by the fold kept apart, and the line through its margins. */
static film_status try_trees(struct run *run, const struct material *material,
                             struct boost_options *options, struct calibration *line,
                             film_error *error)
{
    film_status status = FILM_OK;
    size_t count = material->pairs.count, traits = traits_count();
    struct trees trees = {0};
    struct boost_history history = {0};
    float *x = NULL, *columns = NULL, *margin = NULL;
    double *sum = NULL;
    uint32_t *order = mem_array(count, sizeof *order);
    TRY_ALLOC(order, error);
    size_t others = order_rows(material, order), kept = count - others;
    TRY(reorder(material, order, &x, &columns, error));
    struct boost_data learn = {x, others, columns, columns + count, columns + 2 * count};
    struct boost_data apart = {x + others * traits, kept, columns + others,
                               columns + count + others, columns + 2 * count + others};
    struct boost_options wanted = *options;
    wanted.validation = &apart;
    wanted.patience = 50;
    TRY(boost_fit(&learn, traits, &wanted, &trees, &history, error));
    TRY_ALLOC((sum = mem_array(kept, sizeof *sum)) && (margin = mem_array(kept, sizeof *margin)),
              error);
    TRY(trees_sum_rows(&trees, apart.x, kept, traits, run->options->threads, sum, error));
    for (size_t i = 0; i < kept; i++) margin[i] = (float)(sum[i] + (double)apart.base[i]);
    TRY(calibrate_fit(margin, apart.target, kept, line, error));
    TRY(run_operate(run, margin, apart.target, kept, &line->threshold, error));
    options->rounds = history.kept;
    run_note(run, "trees",
             json_pack("{s:I, s:f, s:f}", "rounds", (json_int_t)history.kept, "train_loss",
                       history.train[history.kept - 1], "held_out_loss",
                       history.validation[history.kept - 1]));
done:
    trees_free(&trees);
    boost_history_free(&history);
    mem_free(order);
    mem_free(x);
    mem_free(columns);
    mem_free(sum);
    mem_free(margin);
    return status;
}

/* Many pairs: quick steps, as many as the fold kept apart wants. A few thousand: slow steps that each see
 * only a part of the pairs and traits (measured on Quora and on STS). */
static void choose_boosting(struct boost_options *options, size_t pairs)
{
    boost_defaults(options);
    options->rounds = pairs < FEW ? 400 : 1000;
    options->rate = pairs < FEW ? 0.05 : 0.2;
    options->lambda = pairs < FEW ? 10 : 5;
    options->min_child_weight = pairs < FEW ? 5 : 20;
    options->subsample = pairs < FEW ? 0.6 : 1;
    options->column_share = pairs < FEW ? 0.3 : 1;
}

static film_status fit_trees(struct run *run, const struct material *material, film_error *error)
{
    film_status status = FILM_OK;
    struct decision *decision = &run->model->decision;
    struct boost_options options;
    choose_boosting(&options, material->pairs.count);
    options.seed = run->options->seed;
    options.threads = run->options->threads;
    options.progress = &run->options->progress;
    TRY(try_trees(run, material, &options, &decision->margin, error));
    struct boost_data all = {material->x, material->pairs.count, material->pairs.target,
                             material->weight, material->base};
    TRY(boost_fit(&all, traits_count(), &options, &decision->trees, NULL, error));
    TRY(decision_prepare(decision, error));
done:
    return status;
}

/* ---- Memory ---- */

/* What each of memory's answers is worth, from rows it was built without. */
static film_status weigh_memory(const struct run *run, const struct material *material,
                                double *weight, film_error *error)
{
    enum { PARTS = 4 };
    film_status status = FILM_OK;
    const struct decision *decision = &run->model->decision;
    size_t count = material->pairs.count, used[MEMORY_ANSWERS] = {0};
    struct memory memory = {0};
    struct rng rng;
    unsigned char *part = mem_array(count, 1);
    double *sum = mem_array(count, sizeof *sum), *margin = mem_array(2 * count, sizeof *margin);
    float *target = mem_array(2 * count, sizeof *target),
          *each = mem_array(2 * count, sizeof *each);
    TRY_ALLOC(part && sum && margin && target && each, error);
    TRY(trees_sum_rows(&decision->trees, material->x, count, traits_count(), run->options->threads,
                       sum, error));
    rng_seed(&rng, run->options->seed);
    for (size_t i = 0; i < count; i++) part[i] = (unsigned char)rng_below(&rng, PARTS);
    for (unsigned char p = 0; p < PARTS; p++) {
        TRY(memory_build(&memory, material->known, count, part, p, error));
        for (size_t i = 0; i < count; i++) {
            if (part[i] != p || material->known[i].a == material->known[i].b) continue;
            enum memory_answer answer =
                memory_ask(&memory, material->known[i].a, material->known[i].b);
            if (answer == MEMORY_UNKNOWN) continue;
            size_t at = used[answer]++ + (answer == MEMORY_DIFFERENT ? count : 0);
            margin[at] = decision->margin.bias +
                         decision->margin.scale * (sum[i] + (double)material->base[i]);
            target[at] = material->pairs.target[i];
            each[at] = material->weight[i];
        }
        memory_free(&memory);
    }
    weight[MEMORY_SAME] = fmax(0, memory_weigh(margin, target, each, used[MEMORY_SAME]));
    weight[MEMORY_DIFFERENT] =
        fmin(0, memory_weigh(margin + count, target + count, each + count, used[MEMORY_DIFFERENT]));
done:
    memory_free(&memory);
    mem_free(part);
    mem_free(sum);
    mem_free(margin);
    mem_free(target);
    mem_free(each);
    return status;
}

static film_status remember(struct run *run, const struct material *material, film_error *error)
{
    film_status status = FILM_OK;
    struct memory *memory = &run->model->decision.memory;
    double weight[MEMORY_ANSWERS] = {0};
    TRY(weigh_memory(run, material, weight, error));
    TRY(memory_build(memory, material->known, material->pairs.count, NULL, 0, error));
    memcpy(memory->weight, weight, sizeof weight);
    run_note(run, "memory",
             json_pack("{s:I, s:I, s:f, s:f}", "questions", (json_int_t)memory->questions.count,
                       "different_clusters", (json_int_t)memory->different.count, "same",
                       weight[MEMORY_SAME], "different", weight[MEMORY_DIFFERENT]));
done:
    return status;
}

film_status material_gather(struct run *run, struct material *material, film_error *error)
{
    film_status status = FILM_OK;
    struct decision *decision = &run->model->decision;
    float *weights[FOLDS + 1] = {0};
    struct labelled_texts texts = {&run->corpus.sentences, &material->pairs};
    memset(material, 0, sizeof *material);
    TRY(gather(run, material, error));
    struct evidence_source source = {labels_text, &texts, material->pairs.count};
    TRY(evidence_rows_collect(&material->rows, &run->model->encoder, &source, run->options->threads,
                              &run->options->progress, error));
    run_note_time(run, "items");
    TRY(fit_line(run, material, error));
    run_note_time(run, "line");
    TRY(fit_evidence(run, material, weights, error));
    TRY(evidence_from_weights(&decision->evidence, &material->rows, weights[FOLDS], error));
    run_note(run, "evidence_items", json_integer(decision->evidence.items.count));
    run_note_time(run, "evidence");
    TRY(survey_all(run, material, weights, error));
    run_note_time(run, "folds");
done:
    for (size_t f = 0; f <= FOLDS; f++) mem_free(weights[f]);
    return status;
}

film_status learn_decision(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    struct material material;
    struct decision *decision = &run->model->decision;
    TRY(material_gather(run, &material, error));
    TRY(calibrate_fit(material.similarity, material.pairs.target, material.pairs.count,
                      &decision->similarity, error));
    TRY(fit_trees(run, &material, error));
    run_note_time(run, "trees");
    if (!run->options->no_memory) TRY(remember(run, &material, error));
    decision->full = 1;
    run_note(run, "threshold_from", json_string("folds"));
    run_note(run, "threshold_pairs", json_integer((json_int_t)material.pairs.count));
    run_note_time(run, "memory");
done:
    material_free(&material);
    return status;
}
