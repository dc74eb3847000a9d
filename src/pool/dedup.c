#include "pool/dedup.h"
#include "base/keytab.h"
#include "base/mem.h"
#include "pool/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct dedup_near {
    double distance; /* of the log-odds from the threshold's */
    uint32_t a, b;
    float probability;
};

film_status dedup_told(int stop, film_error *error)
{
    return stop ? status_set(error, FILM_CANCELLED, "stopped") : FILM_OK;
}

static void dedup_free(struct dedup *dedup)
{
    compare_free(&dedup->compare);
    if (dedup->has_labelled) keytab_free(&dedup->labelled);
    mem_free(dedup->labels);
    mem_free(dedup->lists);
    mem_free(dedup->batch);
    mem_free(dedup->pairs);
    mem_free(dedup->near);
}

static uint64_t pair_key(uint32_t a, uint32_t b)
{
    return (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
}

/* ---- labels ---- */

/* From records to items. Of several labels about one pair of items "different" counts: copies of a
 * sentence may have been labelled each for itself. */
static film_status label_items(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    const struct pile *pile = dedup->pile;
    TRY(keytab_init(&dedup->labelled, error));
    dedup->has_labelled = 1;
    TRY_ALLOC(dedup->labels = mem_array(pile->label_count, sizeof *dedup->labels), error);
    for (size_t i = 0; i < pile->label_count; i++) {
        uint32_t a = pile->item[pile->labels[i].a], b = pile->item[pile->labels[i].b], at;
        if (a == b) continue; /* the same words, and nothing tells them apart */
        /* 0 is no key; items 0 and 0 would be, but a != b. */
        TRY(keytab_add(&dedup->labelled, pair_key(a, b), &at, error));
        if (at == dedup->label_count)
            dedup->labels[dedup->label_count++] =
                (struct pile_label){a < b ? a : b, a < b ? b : a, pile->labels[i].same};
        else if (dedup->labels[at].same != pile->labels[i].same) {
            dedup->labels[at].same = 0;
            dedup->result->contradictions++;
        }
    }
done:
    return status;
}

/* -1: no label. */
static int label_of(const struct dedup *dedup, uint32_t a, uint32_t b)
{
    uint32_t at = dedup->label_count ? keytab_find(&dedup->labelled, pair_key(a, b)) : KEYTAB_NONE;
    return at == KEYTAB_NONE ? -1 : dedup->labels[at].same;
}

/* ---- telling pairs ---- */

static film_status tell(const struct dedup *dedup, film_duplicate_fn call, uint32_t first,
                        uint32_t second, double probability, film_error *error)
{
    const film_record *records = dedup->pile->records;
    if (!call) return FILM_OK;
    uint32_t a = first < second ? first : second, b = first < second ? second : first;
    film_duplicate pair = {a, b, records[a], records[b], probability};
    return dedup_told(call(dedup->options->user, &pair), error);
}

static film_status tell_items(const struct dedup *dedup, film_duplicate_fn call, uint32_t a,
                              uint32_t b, double probability, film_error *error)
{
    const struct pile *pile = dedup->pile;
    return tell(dedup, call, pile->members[pile->start[a]], pile->members[pile->start[b]],
                probability, error);
}

/* Records of the same words: each with the first of them. */
static film_status tell_identical(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    const struct pile *pile = dedup->pile;
    for (uint32_t i = 0; i < pile->items; i++)
        for (uint32_t m = pile->start[i] + 1; m < pile->start[i + 1]; m++) {
            TRY(tell(dedup, dedup->options->pair, pile->members[pile->start[i]], pile->members[m],
                     1, error));
            dedup->result->pairs++;
            dedup->result->sure++;
        }
done:
    return status;
}

/* ---- pairs near the threshold ---- */

static int by_distance(const void *left, const void *right)
{
    const struct dedup_near *a = left, *b = right;
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

static void keep_nearest(struct dedup *dedup)
{
    size_t most = dedup->options->review;
    qsort(dedup->near, dedup->near_count, sizeof *dedup->near, by_distance);
    if (dedup->near_count > most) dedup->near_count = most;
}

/* There is room for twice as many as are wanted; when it is full the farther half goes. */
static void consider(struct dedup *dedup, const struct compare_pair *pair,
                     const film_verdict *verdict)
{
    double threshold = dedup->compare.threshold;
    double middle = log(threshold / (1 - threshold));
    if (!dedup->near) return;
    if (dedup->near_count == 2 * dedup->options->review) keep_nearest(dedup);
    dedup->near[dedup->near_count++] = (struct dedup_near){
        fabs(verdict->log_odds - middle), pair->a, pair->b, (float)verdict->probability};
}

static film_status tell_nearest(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    if (!dedup->near) return FILM_OK;
    keep_nearest(dedup);
    for (size_t i = 0; i < dedup->near_count; i++)
        TRY(tell_items(dedup, dedup->options->borderline, dedup->near[i].a, dedup->near[i].b,
                       (double)dedup->near[i].probability, error));
done:
    return status;
}

/* ---- judging ---- */

/* Would it be found with the prior FILM_RARE as well? */
static int is_sure(const struct dedup *dedup, const film_verdict *verdict)
{
    double threshold = dedup->compare.threshold, rare = log(FILM_RARE / (1 - FILM_RARE));
    double log_odds = verdict->log_odds - dedup->compare.rule.prior_log_odds + rare;
    return log_odds >= log(threshold / (1 - threshold));
}

static film_status judge_waiting(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    const film_text *texts = dedup->pile->texts;
    size_t count = dedup->batch_count;
    TRY(compare_batch(&dedup->compare, texts, texts, dedup->batch, count, error));
    if (dedup->options->member) {
        void *pairs = dedup->pairs;
        TRY_ALLOC(mem_grow(&pairs, &dedup->pair_capacity, dedup->pair_count + count,
                           sizeof *dedup->pairs),
                  error);
        dedup->pairs = pairs;
    }
    for (size_t i = 0; i < count; i++) {
        const struct compare_pair *pair = &dedup->batch[i];
        int label = label_of(dedup, pair->a, pair->b);
        if (label < 0) consider(dedup, pair, &dedup->compare.verdicts[i]);
        float probability =
            label < 0 ? (float)dedup->compare.verdicts[i].probability : (float)label;
        if (dedup->options->member)
            dedup->pairs[dedup->pair_count++] =
                (struct cluster_pair){pair->a, pair->b, probability};
        if (!((double)probability >= dedup->compare.threshold)) continue;
        dedup->result->pairs++;
        dedup->result->sure += label >= 0 || is_sure(dedup, &dedup->compare.verdicts[i]);
        TRY(tell_items(dedup, dedup->options->pair, pair->a, pair->b, (double)probability, error));
    }
    dedup->result->compared += count;
    dedup->batch_count = 0;
done:
    return status;
}

static film_status add_pair(struct dedup *dedup, uint32_t a, uint32_t b, film_error *error)
{
    dedup->batch[dedup->batch_count++] = (struct compare_pair){a < b ? a : b, a < b ? b : a};
    return dedup->batch_count == COMPARE_BATCH ? judge_waiting(dedup, error) : FILM_OK;
}

static int lists_it(const struct dedup *dedup, uint32_t item, uint32_t other)
{
    const uint32_t *list = dedup->lists + (size_t)item * dedup->compare.candidates;
    for (size_t c = 0; c < dedup->compare.candidates; c++)
        if (list[c] == other) return 1;
    return 0;
}

/* Every pair once: the smaller item's list comes first, the larger one's adds what that has not. */
static film_status judge_lists(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t items = dedup->pile->items;
    for (uint32_t i = 0; i < items; i++) {
        const uint32_t *list = dedup->lists + (size_t)i * dedup->compare.candidates;
        for (size_t c = 0; c < dedup->compare.candidates && list[c] != COMPARE_NONE; c++)
            if (i < list[c] || !lists_it(dedup, list[c], i))
                TRY(add_pair(dedup, i, list[c], error));
        if (i % 256 == 0)
            TRY(progress_report(dedup->compare.progress, "judging", (double)i, (double)items,
                                error));
    }
    for (size_t i = 0; i < dedup->label_count; i++) {
        const struct pile_label *label = &dedup->labels[i];
        if (!lists_it(dedup, label->a, label->b) && !lists_it(dedup, label->b, label->a))
            TRY(add_pair(dedup, label->a, label->b, error));
    }
    TRY(judge_waiting(dedup, error));
done:
    return status;
}

/* ---- all of it ---- */

static film_status find_candidates(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    const struct pile *pile = dedup->pile;
    struct compare *compare = &dedup->compare;
    struct index *index = NULL;
    if (compare->candidates + 1 > pile->items)
        compare->candidates = pile->items > 1 ? pile->items - 1 : 1;
    TRY(index_new(&compare->model->encoder, &index, error));
    TRY(index_add(index, pile->texts, pile->items, compare->threads, compare->progress, error));
    TRY_ALLOC(dedup->lists = mem_array(pile->items, compare->candidates * sizeof *dedup->lists),
              error);
    TRY(compare_candidates(compare, index, pile->texts, pile->items, 1, dedup->lists, error));
done:
    index_free(index);
    return status;
}

film_status dedup_run(struct pile *pile, const film_model *model, const film_dedup_options *options,
                      film_dedup_result *result, film_error *error)
{
    film_status status = FILM_OK;
    struct dedup dedup = {.pile = pile, .options = options, .result = result};
    TRY(compare_init(&dedup.compare, model, &options->answer, options->threshold,
                     options->candidates, &options->progress, error));
    result->threshold = dedup.compare.threshold;
    result->records = pile->count;
    TRY(pile_group(pile, &options->progress, error));
    result->distinct = pile->items;
    TRY(label_items(&dedup, error));
    TRY_ALLOC(dedup.batch = mem_array(COMPARE_BATCH, sizeof *dedup.batch), error);
    if (options->review && options->borderline)
        TRY_ALLOC(dedup.near = mem_array(2 * options->review, sizeof *dedup.near), error);
    TRY(tell_identical(&dedup, error));
    TRY(find_candidates(&dedup, error));
    TRY(judge_lists(&dedup, error));
    mem_free(dedup.lists);
    dedup.lists = NULL;
    TRY(tell_nearest(&dedup, error));
    if (options->member) TRY(dedup_clusters(&dedup, error));
done:
    dedup_free(&dedup);
    return status;
}

/* ---- film_pool.h ---- */

void film_dedup_defaults(film_dedup_options *options)
{
    *options = (film_dedup_options){.threshold = 0};
    film_answer_defaults(&options->answer);
}

struct call {
    film_dedup_options options;
    film_dedup_result result;
    struct pile pile;
};

static void call_start(struct call *call, const film_dedup_options *options,
                       film_dedup_result *result)
{
    *call = (struct call){.result = {0}};
    film_dedup_defaults(&call->options);
    if (options) call->options = *options;
    if (result) *result = call->result;
}

static film_status call_end(struct call *call, film_status status, film_dedup_result *result)
{
    pile_free(&call->pile);
    if (result) *result = call->result;
    return status;
}

film_status film_dedup(const film_model *model, const film_record *records, size_t count,
                       const film_dedup_options *options, film_dedup_result *result,
                       film_error *error)
{
    film_status status = FILM_OK;
    struct call call;
    call_start(&call, options, result);
    if (!model || (count && !records)) TRY(pool_missing(error, model ? "records" : "model"));
    pile_view(&call.pile, records, count);
    for (size_t i = 0; i < call.options.label_count; i++)
        TRY(pile_label(&call.pile, call.options.labels[i].a, call.options.labels[i].b,
                       call.options.labels[i].same, error));
    TRY(dedup_run(&call.pile, model, &call.options, &call.result, error));
done:
    return call_end(&call, status, result);
}

film_status film_dedup_file(const film_model *model, const char *path,
                            const film_dedup_options *options, film_dedup_result *result,
                            film_error *error)
{
    film_status status = FILM_OK;
    struct call call;
    call_start(&call, options, result);
    if (!model || !path) TRY(pool_missing(error, model ? "path" : "model"));
    TRY(pile_read(&call.pile, path, &call.options.table, &call.options.progress,
                  &call.result.skipped, error));
    TRY(dedup_run(&call.pile, model, &call.options, &call.result, error));
done:
    return call_end(&call, status, result);
}

film_status film_pool_dedup(film_pool *pool, const film_dedup_options *options,
                            film_dedup_result *result, film_error *error)
{
    film_status status = FILM_OK;
    film_model *model = NULL;
    struct call call;
    call_start(&call, options, result);
    if (!pool) TRY(pool_missing(error, "pool"));
    TRY(pool_model(pool, &model, error));
    TRY(pile_read_pool(&call.pile, pool, &call.options.progress, error));
    TRY(dedup_run(&call.pile, model, &call.options, &call.result, error));
done:
    return call_end(&call, status, result);
}
