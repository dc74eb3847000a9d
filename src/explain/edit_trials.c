/* Applies edits to a pair and judges the edited pair. reversals.c decides which edits to try. */
#include "explain/edit_trials.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void edit_trials_free(struct edit_trials *trials)
{
    if (trials->ready) match_free(&trials->match);
    mem_free(trials->room[0]);
    mem_free(trials->room[1]);
    memset(trials, 0, sizeof *trials);
}

film_status edit_trials_begin(struct edit_trials *trials, const struct match *match,
                              const struct words *words, const film_explanation *why,
                              double threshold, film_error *error)
{
    film_status status = FILM_OK;
    if (!trials->ready) TRY(match_init(&trials->match, match->decision, &match->rule, error));
    trials->ready = 1;
    trials->match.rule = match->rule;
    trials->words = words;
    trials->text[0] = why->a;
    trials->text[1] = why->b;
    trials->threshold = threshold;
    trials->before = why->verdict;
    if (threshold > 0) trials->before.same = why->verdict.probability >= threshold;
    double limit = threshold > 0 ? log(threshold / (1 - threshold)) : match_threshold(match);
    trials->need = fabs(limit - why->verdict.log_odds);
    size_t length = why->a.length + why->b.length;
    trials->limit = length > TRIALS_BYTES / TRIALS_MOST ? TRIALS_BYTES / length : TRIALS_MOST;
    if (match->decision->encoder->network && trials->limit > TRIALS_NETWORK)
        trials->limit = TRIALS_NETWORK;
    trials->count = 0;
done:
    return status;
}

size_t word_edit_size(const struct word_edit *edit)
{
    size_t removed = edit->to - edit->from, inserted = edit->by_to - edit->by;
    return removed > inserted ? removed : inserted;
}

/* ---- A set of edits ---- */

static int by_edit_position(const void *left, const void *right)
{
    const struct word_edit *a = left, *b = right;
    if (a->sentence != b->sentence) return a->sentence - b->sentence;
    return a->from < b->from ? -1 : a->from > b->from;
}

static int is_deletion(const struct word_edit *edit)
{
    return edit->by == edit->by_to;
}

/* Returns whether X changes words that Y changes or inserts. */
static int disturbs(const struct word_edit *x, const struct word_edit *y)
{
    if (x->sentence == y->sentence) return x->from < y->to && y->from < x->to;
    return x->from < y->by_to && y->by < x->to;
}

/* Sorts EDITS and merges adjacent deletions. Returns the number left, or 0 where they disturb each
 * other. */
static size_t merge_edits(struct word_edit *edits, size_t count)
{
    size_t kept = 0;
    qsort(edits, count, sizeof *edits, by_edit_position);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if (i != j && disturbs(&edits[i], &edits[j])) return 0;
    for (size_t i = 0; i < count; i++) {
        struct word_edit *last = kept ? &edits[kept - 1] : NULL;
        if (last && is_deletion(last) && is_deletion(&edits[i]) && last->to == edits[i].from &&
            last->sentence == edits[i].sentence && edits[i].to - last->from <= TRIAL_PHRASE)
            last->to = edits[i].to;
        else
            edits[kept++] = edits[i];
    }
    return kept;
}

/* Returns whether a sentence keeps a word. */
static int keeps_words(const struct edit_trials *trials, const struct edit_trial *trial,
                       int sentence)
{
    const size_t *first = trials->words->first;
    size_t left = first[sentence + 1] - first[sentence];
    for (size_t i = 0; i < trial->count; i++)
        if (trial->edit[i].sentence == sentence)
            left -= trial->edit[i].to - trial->edit[i].from -
                    (trial->edit[i].by_to - trial->edit[i].by);
    return left > 0;
}

static int equal_edits(const struct word_edit *x, const struct word_edit *y)
{
    return x->sentence == y->sentence && x->from == y->from && x->to == y->to && x->by == y->by &&
           x->by_to == y->by_to;
}

static const struct edit_trial *find_trial(const struct edit_trials *trials,
                                           const struct edit_trial *trial)
{
    for (size_t i = 0; i < trials->count; i++) {
        const struct edit_trial *other = &trials->list[i];
        size_t equal = 0;
        while (other->count == trial->count && equal < trial->count &&
               equal_edits(&other->edit[equal], &trial->edit[equal]))
            equal++;
        if (other->count == trial->count && equal == trial->count) return other;
    }
    return NULL;
}

/* ---- The edited text ---- */

static void append_bytes(char *out, size_t *length, const char *bytes, size_t count)
{
    if (count) memcpy(out + *length, bytes, count);
    *length += count;
}

film_status edit_trials_text(struct edit_trials *trials, const struct edit_trial *trial,
                             int sentence, film_text *text, film_error *error)
{
    film_text own = trials->text[sentence], other = trials->text[!sentence];
    const film_word_share *list = trials->words->list;
    size_t at = 0, length = 0;
    if (!mem_grow((void **)&trials->room[sentence], &trials->capacity[sentence],
                  own.length + TRIAL_EDITS * other.length + 1, 1))
        return status_no_memory(error);
    char *out = trials->room[sentence];
    for (size_t i = 0; i < trial->count; i++) {
        const struct word_edit *edit = &trial->edit[i];
        if (edit->sentence != sentence) continue;
        append_bytes(out, &length, own.bytes + at, list[edit->from].start - at);
        at = list[edit->to - 1].end;
        if (!is_deletion(edit))
            append_bytes(out, &length, other.bytes + list[edit->by].start,
                         list[edit->by_to - 1].end - list[edit->by].start);
        else if (!length || out[length - 1] == ' ') /* no two spaces where a word was */
            while (at < own.length && own.bytes[at] == ' ') at++;
    }
    append_bytes(out, &length, own.bytes + at, own.length - at);
    *text = (film_text){out, length};
    return FILM_OK;
}

/* ---- Judging ---- */

void family_weights(const film_verdict *verdict, double *weights)
{
    for (int family = 0; family <= FAMILIES; family++) weights[family] = 0;
    for (size_t i = 0; i < verdict->reason_count; i++) {
        const film_reason *reason = &verdict->reasons[i];
        if (reason->side) continue;
        double share = reason->other_family ? 0.5 : 1;
        weights[family_named(reason->family)] += share * reason->weight;
        if (reason->other_family)
            weights[family_named(reason->other_family)] += share * reason->weight;
    }
}

static film_status judge_texts(struct edit_trials *trials, struct edit_trial *trial, int groups,
                               film_error *error)
{
    film_status status = FILM_OK;
    film_text text[2];
    film_verdict after;
    for (int sentence = 0; sentence < 2; sentence++)
        TRY(edit_trials_text(trials, trial, sentence, &text[sentence], error));
    if (groups) {
        TRY(match_pair(&trials->match, text[0], text[1], 0, &after, error));
        trial->family = trials->family[trials->count];
        family_weights(&after, trial->family);
    } else {
        TRY(match_score(&trials->match, text[0], text[1], &after, error));
    }
    int same = trials->threshold > 0 ? after.probability >= trials->threshold : after.same;
    trial->probability = after.probability;
    trial->reversed = same != trials->before.same;
    trial->gain = (trials->before.same ? -1 : 1) * (after.log_odds - trials->before.log_odds);
done:
    return status;
}

film_status edit_trials_judge(struct edit_trials *trials, const struct word_edit *edits,
                              size_t count, int groups, const struct edit_trial **trial,
                              film_error *error)
{
    enum { ROOM = TRIAL_EDITS * TRIAL_PHRASE };
    struct word_edit merged[ROOM];
    struct edit_trial next = {.count = 0};
    *trial = NULL;
    if (!count || count > ROOM) return FILM_OK;
    memcpy(merged, edits, count * sizeof *edits);
    next.count = merge_edits(merged, count);
    if (!next.count || next.count > TRIAL_EDITS) return FILM_OK;
    memcpy(next.edit, merged, next.count * sizeof *merged);
    for (size_t i = 0; i < next.count; i++) next.words += word_edit_size(&next.edit[i]);
    if (!keeps_words(trials, &next, 0) || !keeps_words(trials, &next, 1)) return FILM_OK;
    *trial = find_trial(trials, &next);
    if (*trial || trials->count == trials->limit) return FILM_OK;
    film_status status = judge_texts(trials, &next, groups, error);
    if (status != FILM_OK) return status;
    trials->list[trials->count] = next;
    *trial = &trials->list[trials->count++];
    return FILM_OK;
}
