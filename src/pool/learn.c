/* film_pool_learn: trains a model on the labels of a pool, compares it with the present one on
 * labels that neither has seen, and puts it in service unless it is worse. The caller trains; the
 * figures are in learn_compare.c, the exchange in update.c. */
#include "base/checksum.h"
#include "base/file.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "base/sized.h"
#include "pool/batch.h"
#include "pool/learn_compare.h"
#include "pool/learn_labels.h"
#include "pool/model_history.h"
#include "film.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Below 1,000 labels every fold is held out once. From there on training takes seconds, and two
 * folds have 400 labels, which measure well enough; from 2,000 on one fold does. */
static unsigned folds_judged(size_t labels)
{
    return labels < 1000 ? LEARN_FOLDS : labels < 2000 ? 2 : 1;
}

static film_status read_learning(struct pool_learning *learning, film_error *error)
{
    film_status status = FILM_OK;
    struct db *db = NULL;
    TRY(pool_read(learning->pool, &db, error));
    TRY(learn_labels_read(learning, db, error));
    if (learning->count == 0)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s has no labels to learn from; review some pairs first",
                       learning->pool->path));
    TRY_ALLOC(learning->texts = mem_array(learning->sentences.count, sizeof(film_text)), error);
    for (size_t i = 0; i < learning->sentences.count; i++)
        learning->texts[i] = learning->sentences.rows[i].text;
    learning->result.labels = learning->count;
done:
    pool_read_end(learning->pool, db);
    return status;
}

/* ---- Training and judging ---- */

/* Trains on the labels outside of FOLD; LEARN_FOLDS: on all. */
static film_status train_without(struct pool_learning *learning, unsigned fold, film_model **model,
                                 film_error *error)
{
    film_status status = FILM_OK;
    film_pair *pairs = mem_array(learning->count, sizeof *pairs);
    film_training_set set = {.size = sizeof set,
                             .pairs = pairs,
                             .sentences = learning->texts,
                             .sentence_count = learning->sentences.count,
                             .edits = learning->present->model,
                             .plan_pairs = learning->count,
                             .random_share = learning->random_share};
    TRY_ALLOC(pairs, error);
    for (size_t i = 0; i < learning->count; i++)
        if (learning->labels[i].fold != fold) pairs[set.pair_count++] = learning->labels[i].pair;
    TRY(learning->options.train(learning->options.user, &set, model, error));
done:
    mem_free(pairs);
    return status;
}

/* A fold without which too few labels are left to train on judges nothing. */
static film_status judge_fold(struct pool_learning *learning, unsigned fold, film_error *error)
{
    film_status status = FILM_OK;
    film_model *model = NULL;
    struct label_judging judging;
    TRY_ALLOC(label_judging_init(&judging, learning->count), error);
    for (size_t i = 0; i < learning->count; i++)
        if (learning->labels[i].fold == fold) label_judging_add(&judging, learning, i);
    if (judging.count == 0 || judging.count == learning->count) goto done;
    status = train_without(learning, fold, &model, error);
    if (status == FILM_BAD_INPUT) {
        status = FILM_OK;
        goto done;
    }
    TRY(status);
    TRY(label_judging_run(&judging, learning, model, error));
    for (size_t i = 0; i < judging.count; i++) {
        struct learn_label *label = &learning->labels[judging.which[i]];
        label->new_judged = 1;
        label->new_same = judging.verdicts[i].same != 0;
        label->new_probability = judging.verdicts[i].probability;
    }
done:
    film_close(model);
    label_judging_free(&judging);
    return status;
}

static film_status compare_with_old(struct pool_learning *learning, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = 0;
    struct compared_label *both = mem_array(learning->count, sizeof *both);
    TRY_ALLOC(both, error);
    for (size_t i = 0; i < learning->count; i++) {
        const struct learn_label *label = &learning->labels[i];
        int same = label->pair.label >= 0.5;
        if (label->old_judged && label->new_judged)
            both[count++] =
                (struct compared_label){label->random, label->old_probability,
                                        label->old_same == same, label->new_same == same};
    }
    learn_compare(both, count, &learning->result);
    learning->result.taken =
        learning->options.force || (count > 0 && learning->result.difference >= 0);
done:
    mem_free(both);
    return status;
}

/* ---- Writing ---- */

static void learn_time(char when[HISTORY_WHEN])
{
    time_t now = time(NULL);
    struct tm parts;
    when[0] = 0;
    if (gmtime_r(&now, &parts)) strftime(when, HISTORY_WHEN, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

/* Replaces history.last by the figures of this comparison. */
static film_status note_result(struct pool_learning *learning, film_error *error)
{
    const film_learned *result = &learning->result;
    char when[HISTORY_WHEN];
    learn_time(when);
    json_decref(learning->history.last);
    learning->history.last = json_pack(
        "{s:s, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:b, s:s}", "when", when, "labels",
        (json_int_t)result->labels, "compared", (json_int_t)result->compared, "old",
        result->old_accuracy, "new", result->new_accuracy, "new_low", result->new_low, "new_high",
        result->new_high, "difference", result->difference, "low", result->difference_low, "high",
        result->difference_high, "p", result->p, "taken", result->taken, "id", result->id);
    return learning->history.last ? FILM_OK : status_no_memory(error);
}

/* The verdicts on held-out labels, which the next comparison needs. */
static film_status write_verdicts(struct pool_learning *learning, struct db *db, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = 0;
    struct held_verdict *held = mem_zeroed(learning->count, sizeof *held);
    TRY_ALLOC(held, error);
    for (size_t i = 0; i < learning->count; i++) {
        const struct learn_label *label = &learning->labels[i];
        if (label->new_judged)
            held[count++] = (struct held_verdict){label->a, label->b, (float)label->new_probability,
                                                  label->new_same};
    }
    TRY(history_put_verdicts(db, learning->result.id, held, count, error));
done:
    mem_free(held);
    return status;
}

/* Runs in the transaction that puts the new model in service. */
static film_status write_taken(void *user, struct db *db, film_error *error)
{
    film_status status = FILM_OK;
    struct pool_learning *learning = user;
    struct model_history history = {.last = NULL};
    TRY(note_result(learning, error));
    TRY(history_read(db, &history, error));
    json_decref(history.last);
    history.last = json_incref(learning->history.last);
    TRY(history_write(db, &history, error));
    TRY(write_verdicts(learning, db, error));
done:
    history_free(&history);
    return status;
}

/* The bytes of the file that MODEL would be saved to. They are written next to the pool, where
 * there is room for them. */
static film_status fresh_bytes(struct pool_learning *learning, const film_model *model,
                               void **bytes, size_t *size, film_error *error)
{
    film_status status = FILM_OK;
    char *path = NULL;
    int file = -1;
    TRY(file_temporary(learning->pool->file, 0600, &path, &file, error));
    TRY(film_save(model, path, error));
    TRY(pool_model_bytes(path, bytes, size, error));
    struct checksum_text sum = checksum_print(checksum_bytes(*bytes, *size));
    memcpy(learning->result.id, sum.digits, sizeof sum.digits);
done:
    if (file >= 0) close(file);
    if (path) unlink(path);
    mem_free(path);
    return status;
}

static film_status take_fresh(struct pool_learning *learning, film_error *error)
{
    film_status status = FILM_OK;
    const film_learned *result = &learning->result;
    film_model *model = NULL;
    void *bytes = NULL;
    /* Labels that are given while it is trained are unseen. */
    struct history_model fresh = {.labels = result->labels,
                                  .change = learning->change,
                                  .accuracy = result->compared ? result->new_accuracy : NAN,
                                  .low = result->compared ? result->new_low : NAN,
                                  .high = result->compared ? result->new_high : NAN};
    struct pool_exchange exchange = {.name = "the new model",
                                     .threads = learning->options.threads,
                                     .progress = &learning->options.progress,
                                     .replaces = learning->history.present.id,
                                     .learned = &fresh,
                                     .also = write_taken,
                                     .user = learning};
    TRY(train_without(learning, LEARN_FOLDS, &model, error));
    TRY(fresh_bytes(learning, model, &bytes, &exchange.size, error));
    exchange.bytes = bytes;
    learn_time(fresh.when);
    TRY(pool_exchange_model(learning->pool, &exchange, NULL, error));
done:
    film_close(model);
    mem_free_aligned(bytes);
    return status;
}

/* Stores the comparison alone. */
static film_status write_refused(struct pool_learning *learning, film_error *error)
{
    film_status status = FILM_OK;
    struct store_write write;
    TRY(note_result(learning, error));
    status = pool_write(learning->pool, &learning->options.progress, "waiting", 1, &write, error);
    if (status != FILM_OK) return status;
    TRY(history_write(write.db, &learning->history, error));
    write.other = 1;
    TRY(pool_commit(learning->pool, &write, error));
done:
    pool_write_end(learning->pool);
    return status;
}

film_status film_pool_learn(film_pool *pool, const film_learn_options *options,
                            film_learned *result, film_error *error)
{
    film_status status = FILM_OK;
    struct pool_learning learning = {.pool = pool};
    film_review_estimate estimate = {.size = sizeof estimate};
    if (!pool) return pool_missing(error, "pool");
    TRY(sized_options(&learning.options, sizeof learning.options, options, "film_learn_options",
                      error));
    TRY(sized_check(result, "film_learned", error));
    if (!learning.options.train) return pool_missing(error, "film_learn_options.train");
    TRY(pool_check_local(pool, error));
    TRY(read_learning(&learning, error));
    TRY(film_pool_review_estimate(pool, &estimate, error));
    learning.random_share = estimate.share;
    TRY(learn_labels_judge(&learning, error));
    for (unsigned fold = 0; fold < folds_judged(learning.count); fold++)
        TRY(judge_fold(&learning, fold, error));
    TRY(compare_with_old(&learning, error));
    if (!learning.options.dry_run)
        TRY(learning.result.taken ? take_fresh(&learning, error) : write_refused(&learning, error));
    sized_fill(result, &learning.result, sizeof learning.result);
done:
    learn_labels_free(&learning);
    return status;
}
