/* Makes up near misses of sentences that a decision has not seen, marks those among labelled pairs,
 * and measures how many are called the same. Training learns from other ones
 * (learn/made_up_pairs.c). */
#include "learn/near_misses.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/threads.h"
#include "learn/binomial.h"
#include "learn/made_up_pairs.h"
#include "learn/promise.h"

#include <math.h>
#include <string.h>

enum { ATTEMPTS = 8, CHUNK = 64 };

void near_misses_free(struct near_misses *near)
{
    mem_free(near->log_odds);
    mem_free(near->kind);
    *near = (struct near_misses){.count = 0};
}

int near_misses_wanted(const film_operating *operating, const struct corpus *corpus)
{
    return operating->criterion == FILM_PRECISION && !corpus->records &&
           (corpus->labels == FILM_LABELS_PAIRS || corpus->labels == FILM_LABELS_TRIPLETS);
}

/* ---- Pairs that look alike ---- */

struct marking {
    const struct decision *decision;
    struct encoder encoder; /* words alone: neither map nor network is needed */
    const struct score_source *pairs;
    int guarantees; /* whether to mark the guaranteed ones */
    unsigned char *is_near;
};

static unsigned char mark_pair(const struct marking *marking, const struct survey *survey)
{
    const struct reading_side *side = survey->reading.side;
    if (side[0].hash == side[1].hash) return 0;
    if (marking->guarantees && decision_guarantees(marking->decision, survey))
        return NEAR_GUARANTEED;
    return survey->comparison.only || (survey->comparison.edits == 1 && !survey->comparison.cut);
}

static film_status mark_some(struct threads_worker *worker, void *user, film_error *error)
{
    const struct marking *marking = user;
    struct survey survey;
    film_status status = FILM_OK;
    size_t begin, end;
    TRY(survey_init(&survey, &marking->encoder, error));
    while (threads_next(worker, &begin, &end))
        for (size_t i = begin; i < end; i++) {
            film_text a, b;
            marking->pairs->pair(marking->pairs->user, i, &a, &b);
            TRY(survey_make(&survey, NULL, a, b, error));
            marking->is_near[i] = mark_pair(marking, &survey);
        }
done:
    survey_free(&survey);
    return status;
}

film_status near_misses_mark(const struct near_judge *judge, const struct score_source *pairs,
                             size_t count, unsigned char *is_near, film_error *error)
{
    struct marking marking = {.decision = judge->decision,
                              .encoder = *judge->decision->encoder,
                              .pairs = pairs,
                              .guarantees = judge->rule.full && !judge->rule.guarantee,
                              .is_near = is_near};
    marking.encoder.network = NULL;
    return threads_for(threads_count(judge->threads), count, CHUNK, mark_some, &marking, error);
}

/* ---- Made-up pairs ---- */

/* A sentence, and its edit with this kind; length 0: no edit applied. */
struct near_draft {
    uint64_t hash;
    film_text text;
    char *edited;
    size_t length;
    enum edit_kind kind;
};

static int by_hash(const void *left, const void *right)
{
    uint64_t a = ((const struct near_draft *)left)->hash,
             b = ((const struct near_draft *)right)->hash;
    return a < b ? -1 : a > b;
}

static void drafts_free(struct near_draft *drafts, size_t count)
{
    for (size_t i = 0; drafts && i < count; i++) mem_free(drafts[i].edited);
    mem_free(drafts);
}

/* *OUT = the sentences in an order that depends on their texts and the seed. */
static film_status order_sentences(const struct strtab *sentences, const struct near_judge *judge,
                                   struct near_draft **out, size_t *count, film_error *error)
{
    struct rng rng;
    struct near_draft *drafts = *out = mem_zeroed(sentences->count, sizeof *drafts);
    *count = 0;
    if (!drafts) return status_no_memory(error);
    for (uint32_t i = 0; i < sentences->count; i++) {
        film_text text = strtab_get(sentences, i);
        if (judge->seen && judge->seen[i]) continue;
        rng_seed_part(&rng, judge->seed, strtab_hash(text.bytes, text.length));
        drafts[(*count)++] = (struct near_draft){.hash = rng_next(&rng), .text = text};
    }
    sort_array(drafts, *count, sizeof *drafts, by_hash);
    return FILM_OK;
}

/* Draws one of the kinds of edit that change the meaning, several times until one applies. OTHER is
 * a sentence to borrow words from. */
static film_status edit_draft(struct near_draft *draft, film_text other,
                              const struct near_judge *judge, film_error *error)
{
    char room[EDIT_ROOM];
    struct rng rng;
    const struct decision *decision = judge->decision;
    rng_seed_part(&rng, judge->seed, draft->hash);
    for (int attempt = 0; attempt < ATTEMPTS && !draft->length; attempt++) {
        draft->kind = (enum edit_kind)rng_below(&rng, EDIT_SYNONYM);
        if (!decision->full || made_up_allowed(decision->guarantees, draft->kind))
            draft->length = edit_make(draft->kind, &rng, decision->encoder->relations, draft->text,
                                      other, room);
    }
    if (draft->length && !(draft->edited = mem_string(room, draft->length)))
        return status_no_memory(error);
    return FILM_OK;
}

static void draft_pair(const void *drafts, size_t i, film_text *a, film_text *b)
{
    const struct near_draft *draft = (const struct near_draft *)drafts + i;
    *a = draft->text;
    *b = (film_text){draft->edited, draft->length};
}

/* Returns 0 when out of memory. */
static int near_reserve(struct near_misses *near, size_t count)
{
    double *log_odds = mem_resize(near->log_odds, count, sizeof *log_odds);
    if (log_odds) near->log_odds = log_odds;
    unsigned char *kind = mem_resize(near->kind, count, 1);
    if (kind) near->kind = kind;
    return log_odds && kind;
}

/* Appends the COUNT drafts with their log-odds. */
static film_status judge_drafts(struct near_misses *near, const struct near_judge *judge,
                                const struct near_draft *drafts, size_t count, film_error *error)
{
    film_status status = FILM_OK;
    struct score_source pairs = {.pair = draft_pair, .user = drafts};
    film_verdict *verdicts = mem_array(count, sizeof *verdicts);
    unsigned char *is_near = mem_array(count, 1);
    TRY_ALLOC(verdicts && is_near && near_reserve(near, near->count + count), error);
    TRY(score_pairs(judge->decision, &judge->rule, &pairs, count, judge->threads, verdicts, error));
    TRY(near_misses_mark(judge, &pairs, count, is_near, error));
    for (size_t i = 0; i < count; i++) {
        near->log_odds[near->count] =
            is_near[i] == NEAR_GUARANTEED ? -INFINITY : verdicts[i].log_odds;
        near->kind[near->count++] = (unsigned char)drafts[i].kind;
    }
done:
    mem_free(verdicts);
    mem_free(is_near);
    return status;
}

film_status near_misses_make_up(struct near_misses *near, const struct near_judge *judge,
                                const struct strtab *sentences, film_error *error)
{
    film_status status = FILM_OK;
    struct near_draft *drafts = NULL;
    size_t count = 0, made = 0;
    TRY(order_sentences(sentences, judge, &drafts, &count, error));
    for (size_t i = 0; i < count && made < judge->most; i++) {
        TRY(edit_draft(&drafts[i], drafts[(i + 1) % count].text, judge, error));
        if (!drafts[i].length) continue;
        struct near_draft edited = drafts[i];
        drafts[i].edited = NULL;
        drafts[made++] = edited;
    }
    TRY(judge_drafts(near, judge, drafts, made, error));
done:
    drafts_free(drafts, count);
    return status;
}

film_status near_misses_gather(struct near_misses *near, const struct near_judge *judge,
                               const struct corpus *corpus, const struct labelled_pairs *pairs,
                               unsigned char *is_near, film_error *error)
{
    film_status status = FILM_OK;
    struct labelled_texts texts = {corpus, pairs};
    struct score_source source = {.pair = labels_text, .user = &texts};
    TRY(near_misses_mark(judge, &source, pairs->count, is_near, error));
    TRY(near_misses_make_up(near, judge, &corpus->sentences, error));
done:
    return status;
}

/* ---- Figures ---- */

enum { KINDS = sizeof((film_near_misses *)0)->kinds / sizeof(film_near_kind) };
_Static_assert((int)KINDS == (int)EDIT_SYNONYM, "a name for each kind that changes the meaning");

static void count_made_up(const struct near_misses *near, double log_odds, film_near_misses *out)
{
    static const char *const names[KINDS] = {"opposite",  "negation", "number", "exchange", "name",
                                             "qualifier", "modifier", "limit",  "question"};
    for (int k = 0; k < KINDS; k++) out->kinds[k].name = names[k];
    for (size_t i = 0; i < near->count; i++) {
        film_near_kind *kind = &out->kinds[near->kind[i]];
        int same = near->log_odds[i] >= log_odds;
        kind->pairs++;
        kind->called_same += (uint64_t)same;
        out->pairs++;
        out->called_same += (uint64_t)same;
    }
    out->low = binomial_lower((double)out->called_same, (double)out->pairs, PROMISE_ALPHA);
    out->high = binomial_upper((double)out->called_same, (double)out->pairs, PROMISE_ALPHA);
}

film_status near_misses_measure(const struct near_misses *near, double log_odds,
                                const struct operating_rows *rows, const unsigned char *is_near,
                                const film_operating_point *point, film_near_misses *out,
                                film_error *error)
{
    film_status status = FILM_OK;
    size_t count = 0;
    double *score = mem_array(rows->count, sizeof *score);
    float *target = mem_array(rows->count, sizeof *target);
    uint32_t *a = mem_array(rows->count, sizeof *a), *b = mem_array(rows->count, sizeof *b);
    struct operating_point measured;
    *out = (film_near_misses){.pairs = 0};
    TRY_ALLOC(score && target && a && b, error);
    count_made_up(near, log_odds, out);
    for (size_t i = 0; i < rows->count; i++) {
        if (!is_near[i]) continue;
        score[count] = is_near[i] == NEAR_GUARANTEED ? -INFINITY : rows->score[i];
        target[count] = rows->target[i];
        a[count] = rows->a[i];
        b[count++] = rows->b[i];
    }
    struct operating_rows marked = {score, target, a, b, count};
    double odds = promise_odds(point->prior, operating_share(rows));
    TRY(promise_precision(&marked, point->threshold, point->wanted.target, odds, &measured, error));
    out->labelled = count;
    out->labelled_called_same = measured.pairs;
    out->precision = measured.precision;
    out->precision_low = measured.low;
    out->precision_high = measured.high;
done:
    mem_free(score);
    mem_free(target);
    mem_free(a);
    mem_free(b);
    return status;
}

film_status near_misses_log(const struct near_misses *near, const struct scored_pairs *scored,
                            const unsigned char *is_near, double log_odds, struct training_log *log,
                            film_error *error)
{
    film_status status = FILM_OK;
    json_t *logged = log ? json_object_get(log->figures, "operating") : NULL;
    film_near_misses found;
    double *score = mem_array(scored->count, sizeof *score);
    struct operating_rows rows = {score, scored->target, scored->a, scored->b, scored->count};
    if (!logged) goto done;
    TRY_ALLOC(score, error);
    for (size_t i = 0; i < scored->count; i++) score[i] = (double)scored->score[i];
    film_operating_point point = {
        .wanted = {FILM_PRECISION, json_number_value(json_object_get(logged, "target"))},
        .threshold = log_odds,
        .prior = json_number_value(json_object_get(logged, "prior"))};
    TRY(near_misses_measure(near, log_odds, &rows, is_near, &point, &found, error));
    jsonfile_put(logged, "near_misses", near_misses_json(&found));
done:
    mem_free(score);
    return status;
}

json_t *near_misses_json(const film_near_misses *near)
{
    json_t *kinds = json_object();
    double share = near->pairs ? (double)near->called_same / (double)near->pairs : (double)NAN;
    for (int k = 0; k < KINDS; k++)
        if (near->kinds[k].pairs)
            jsonfile_put(kinds, near->kinds[k].name,
                         json_pack("[I, I]", (json_int_t)near->kinds[k].pairs,
                                   (json_int_t)near->kinds[k].called_same));
    return json_pack("{s:I, s:I, s:o, s:[f, f], s:o, s:{s:I, s:I, s:o, s:[f, f]}}", "pairs",
                     (json_int_t)near->pairs, "called_same", (json_int_t)near->called_same, "share",
                     jsonfile_number(share), "interval", near->low, near->high, "kinds", kinds,
                     "labelled", "pairs", (json_int_t)near->labelled, "called_same",
                     (json_int_t)near->labelled_called_same, "precision",
                     jsonfile_number(near->precision), "interval", near->precision_low,
                     near->precision_high);
}
