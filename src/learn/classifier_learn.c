/* Learns a classifier: the sentences with a category, five fits that leave some of them and some
 * categories out, the rule, and the final fit. One fit is in classifier_fit.c, the rule in
 * classifier_rule.c. */
#include "learn/classifier_learn.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/threads.h"
#include "learn/classifier_fit.h"
#include "learn/classifier_rule.h"
#include "learn/folds.h"
#include "learn/labels.h"
#include "learn/made_up.h"
#include "learn/out_of_fold.h"

#include <math.h>
#include <string.h>

enum {
    FITS = 5,      /* that leave something out; the last is the final one */
    ENOUGH = 5000, /* with more rows, two of them suffice */
    FEW_FITS = 2,
    MOST_ROWS = 100000, /* more are sampled: items take 4 kB a sentence */
    /* With fewer categories none is left out. */
    LEAVE_OUT = 5,
    /* Answers times categories that are kept. */
    MOST_HELD = 4 << 20
};

struct class_learner {
    const struct learn_input *input;
    const struct encoder *encoder;
    struct class_data data;
    film_text *text;
    uint32_t *category, *sentence; /* by row of DATA; sentence ids of the corpus */
    struct folds folds;
    size_t first; /* the first fit that is made */
    float *maps[FITS];
    unsigned char *group; /* by category: the fit that leaves it out; FITS: none */
    struct classifier fits[FITS + 1];
    struct held_answers held[FITS + 1]; /* of each fit; all, at the end */
};

static void learner_free(struct class_learner *learner)
{
    class_data_free(&learner->data);
    mem_free(learner->text);
    mem_free(learner->category);
    mem_free(learner->sentence);
    mem_free(learner->group);
    folds_free(&learner->folds);
    for (int f = 0; f <= FITS; f++) {
        classifier_free(&learner->fits[f]);
        held_answers_free(&learner->held[f]);
        if (f < FITS) mem_free(learner->maps[f]);
    }
}

/* ---- Rows ---- */

/* Draws the rows. */
static film_status read_rows(struct class_learner *learner, film_error *error)
{
    film_status status = FILM_OK;
    const struct corpus *corpus = learner->input->corpus;
    size_t left = corpus->rows, count = 0;
    size_t wanted = left < MOST_ROWS ? left : MOST_ROWS;
    struct rng rng;
    TRY_ALLOC((learner->text = mem_array(wanted, sizeof *learner->text)) &&
                  (learner->category = mem_array(wanted, sizeof *learner->category)) &&
                  (learner->sentence = mem_array(wanted, sizeof *learner->sentence)),
              error);
    rng_seed(&rng, learner->input->options->seed);
    for (size_t i = 0; i < corpus->rows; i++) {
        if (rng_below(&rng, left--) >= wanted - count) continue;
        learner->sentence[count] = corpus->a[i];
        learner->text[count] = strtab_get(&corpus->sentences, corpus->a[i]);
        learner->category[count++] = corpus->category[i];
    }
    learner->data = (struct class_data){.count = count,
                                        .text = learner->text,
                                        .category = learner->category,
                                        .names = &corpus->categories};
done:
    return status;
}

/* ---- What a fit leaves out ---- */

/* Deals the categories to the fits at random. */
static film_status group_categories(struct class_learner *learner, film_error *error)
{
    uint32_t count = learner->data.names->count;
    struct rng rng;
    learner->group = mem_array(count, 1);
    if (!learner->group) return status_no_memory(error);
    for (uint32_t c = 0; c < count; c++)
        learner->group[c] = (unsigned char)(count < LEAVE_OUT ? FITS : c % FITS);
    rng_seed_part(&rng, learner->input->options->seed, 1);
    for (uint32_t c = count; c > 1; c--) {
        size_t j = (size_t)rng_below(&rng, c);
        unsigned char swapped = learner->group[c - 1];
        learner->group[c - 1] = learner->group[j];
        learner->group[j] = swapped;
    }
    return FILM_OK;
}

static int held_out(const struct class_learner *learner, size_t row, size_t fit)
{
    return learner->folds.of[learner->sentence[row]] == fit;
}

/* Learns a map from the rows that FIT learns from. */
static film_status fit_map(struct class_learner *learner, size_t fit, film_error *error)
{
    film_status status = FILM_OK;
    struct corpus rest = {0};
    size_t kept = 0;
    TRY(folds_rest(&learner->folds, learner->input->corpus, fit, &rest, error));
    for (size_t i = 0; i < rest.rows; i++) {
        if (learner->group[rest.category[i]] == fit) continue;
        rest.a[kept] = rest.a[i];
        rest.category[kept++] = rest.category[i];
    }
    rest.rows = kept;
    status = out_of_fold_map(learner->input, &rest, &learner->maps[fit], error);
    if (status == FILM_BAD_INPUT) status = FILM_OK; /* too few rows: the final map must do */
done:
    folds_rest_free(&rest);
    return status;
}

/* The encoder whose map has seen neither the sentences nor the categories that FIT leaves out. */
static film_status fit_encoder(struct class_learner *learner, size_t fit, struct encoder *out,
                               film_error *error)
{
    film_status status = FILM_OK;
    *out = *learner->encoder;
    if (fit == FITS || !word_map_exists(&out->map) || !learn_uses_labels(learner->input->method))
        return FILM_OK;
    TRY(fit_map(learner, fit, error));
    if (learner->maps[fit]) out->map = (struct word_map){.rows = learner->maps[fit]};
done:
    return status;
}

/* ---- Fits ---- */

static film_status ask_made_up(const struct class_learner *learner, struct class_asker *asker,
                               size_t fit, struct held_answers *held, film_error *error)
{
    enum { ROOM = 2000, EVERY = 10, MOST = 400, LEAST = 20 };
    film_status status = FILM_OK;
    char text[ROOM];
    struct rng rng;
    size_t wanted = learner->data.count / EVERY / FITS;
    if (wanted < LEAST) wanted = LEAST;
    if (wanted > MOST) wanted = MOST;
    rng_seed_part(&rng, learner->input->options->seed, 2 + fit);
    for (size_t i = 0; i < wanted; i++) {
        size_t length = made_up(learner->text, learner->data.count, &rng, text, ROOM);
        TRY(class_asker_ask(asker, (film_text){text, length}, error));
        struct held_answer answer = {.target = CLASS_NONE, .fit = (unsigned char)fit, .made_up = 1};
        TRY(held_answers_add(held, asker, answer, error));
    }
done:
    return status;
}

/* Asks what the fit has not seen. */
static film_status ask_held_out(const struct class_learner *learner, size_t fit,
                                const struct encoder *encoder, struct held_answers *held,
                                film_error *error)
{
    film_status status = FILM_OK;
    const struct class_data *data = &learner->data;
    const struct classifier *classifier = &learner->fits[fit];
    struct class_asker asker;
    size_t every = 1 + data->count * data->names->count / MOST_HELD;
    TRY(class_asker_init(&asker, classifier, encoder, error));
    for (size_t i = 0; i < data->count; i++) {
        if (!held_out(learner, i, fit) || i % every) continue;
        film_text name = strtab_get(data->names, data->category[i]);
        uint32_t target = strtab_find(&classifier->categories, name.bytes, name.length);
        struct held_answer answer = {.target = target == STRTAB_NONE ? CLASS_NONE : target,
                                     .fit = (unsigned char)fit};
        TRY(class_asker_ask(&asker, data->text[i], error));
        TRY(held_answers_add(held, &asker, answer, error));
    }
    TRY(ask_made_up(learner, &asker, fit, held, error));
done:
    class_asker_free(&asker);
    return status;
}

/* One fit, and its answers to what it left out; fit FITS learns from everything. */
static film_status run_fit(struct class_learner *learner, size_t fit, const struct encoder *encoder,
                           film_error *error)
{
    film_status status = FILM_OK;
    const struct class_data *data = &learner->data;
    size_t used = 0;
    unsigned char *use = mem_array(data->count, 1);
    int several = 0;
    TRY_ALLOC(use, error);
    for (size_t i = 0; i < data->count; i++) {
        use[i] =
            fit == FITS || (!held_out(learner, i, fit) && learner->group[data->category[i]] != fit);
        used += use[i];
    }
    for (size_t i = 0, seen = SIZE_MAX; i < data->count; i++) {
        if (use[i] && seen == SIZE_MAX) seen = data->category[i];
        several |= use[i] && data->category[i] != seen;
    }
    if (!used || !several) goto done; /* too few rows: this fit says nothing */
    TRY(classifier_fit(data, use, encoder, learner->input->options->seed + fit, &learner->fits[fit],
                       error));
    if (fit < FITS) TRY(ask_held_out(learner, fit, encoder, &learner->held[fit], error));
done:
    mem_free(use);
    return status;
}

struct fits_job {
    struct class_learner *learner;
    const struct encoder *encoders; /* by fit */
};

/* The largest fit, the last, begins first. */
static film_status run_some(struct threads_worker *worker, void *user, film_error *error)
{
    const struct fits_job *job = user;
    film_status status = FILM_OK;
    size_t i, end;
    while (status == FILM_OK && threads_next(worker, &i, &end))
        status = run_fit(job->learner, FITS - i, &job->encoders[FITS - i], error);
    return status;
}

static film_status run_fits(struct class_learner *learner, film_error *error)
{
    film_status status = FILM_OK;
    struct encoder encoders[FITS + 1];
    size_t from = learner->first;
    for (size_t f = from; f <= FITS && status == FILM_OK; f++)
        status = fit_encoder(learner, f, &encoders[f], error);
    if (status != FILM_OK || !learner->data.count) return status;
    struct fits_job job = {learner, encoders};
    return threads_for(threads_count(learner->input->options->threads), FITS + 1 - from, 1,
                       run_some, &job, error);
}

/* ---- All of it ---- */

/* Moves the answers of all fits to the last place. */
static film_status join_answers(struct class_learner *learner, film_error *error)
{
    struct held_answers *all = &learner->held[FITS];
    for (int f = 0; f < FITS; f++) {
        const struct held_answers *held = &learner->held[f];
        if (!mem_grow((void **)&all->list, &all->capacity, all->count + held->count,
                      sizeof *all->list) ||
            !mem_grow((void **)&all->linear, &all->linear_capacity, all->room + held->room,
                      sizeof(float)) ||
            !mem_grow((void **)&all->share, &all->share_capacity, all->room + held->room,
                      sizeof(float)))
            return status_no_memory(error);
        for (size_t i = 0; i < held->count; i++) {
            struct held_answer answer = held->list[i];
            answer.at += all->room;
            all->list[all->count++] = answer;
        }
        if (held->room) {
            memcpy(all->linear + all->room, held->linear, held->room * sizeof(float));
            memcpy(all->share + all->room, held->share, held->room * sizeof(float));
        }
        all->room += held->room;
    }
    return FILM_OK;
}

static void note_measures(struct training_log *log, const struct classifier *classifier,
                          const struct class_measures *measures)
{
    json_t *note = json_pack(
        "{s:I, s:I, s:I}", "categories", (json_int_t)classifier->categories.count, "examples",
        (json_int_t)classifier->texts.count, "items", (json_int_t)classifier->items.count);
    if (!isnan(measures->accuracy)) {
        jsonfile_put(note, "accuracy", json_real(measures->accuracy));
        jsonfile_put(note, "log_loss", json_real(measures->log_loss));
        jsonfile_put(note, "sentences", json_integer((json_int_t)measures->sentences));
    }
    if (!isnan(measures->none_auroc))
        jsonfile_put(note, "none_auroc", json_real(measures->none_auroc));
    training_log_note(log, "classifier", note);
}

film_status classifier_learn(const struct learn_input *input, const struct encoder *encoder,
                             const struct class_rule *rule, struct classifier *out,
                             film_error *error)
{
    film_status status = FILM_OK;
    struct class_learner learner = {.input = input, .encoder = encoder};
    struct class_measures measures = {.accuracy = NAN, .log_loss = NAN, .none_auroc = NAN};
    *out = (struct classifier){.dim = 0};
    TRY(read_rows(&learner, error));
    TRY(folds_partition(&learner.folds, input->corpus, FITS, input->options->seed, error));
    if (learner.data.names->count < 2) goto done;
    TRY(class_data_collect(&learner.data, &encoder->features->tokenizer, input->options->threads,
                           error));
    TRY(group_categories(&learner, error));
    learner.first = rule ? FITS : input->corpus->rows > ENOUGH ? FITS - FEW_FITS : 0;
    TRY(run_fits(&learner, error));
    if (!learner.fits[FITS].categories.count) goto done;
    struct class_rule learned = rule ? *rule : learner.fits[FITS].rule;
    if (!rule) {
        TRY(join_answers(&learner, error));
        TRY(class_rule_fit(&learner.held[FITS], learner.fits, &learned, &measures, error));
    }
    *out = learner.fits[FITS];
    out->rule = learned;
    learner.fits[FITS] = (struct classifier){.dim = 0};
    note_measures(input->log, out, &measures);
    training_log_phase(input->log, "classifier");
done:
    learner_free(&learner);
    return status;
}
