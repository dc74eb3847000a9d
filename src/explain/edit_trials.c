/* Applies edits to a pair and judges the edited pair. reversals.c decides which edits to try. */
#include "explain/edit_trials.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void edit_trials_free(struct edit_trials *trials)
{
    if (trials->ready) match_free(&trials->match);
    mem_free(trials->room[0].bytes);
    mem_free(trials->room[1].bytes);
    memset(trials, 0, sizeof *trials);
}

film_status edit_trials_begin(struct edit_trials *trials, const struct match *match,
                              const struct words *words, const struct record_values *values,
                              const film_explanation *why, double threshold, film_error *error)
{
    film_status status = FILM_OK;
    if (!trials->ready) TRY(match_init(&trials->match, match->decision, &match->rule, error));
    trials->ready = 1;
    trials->match.rule = match->rule;
    trials->words = words;
    trials->values = values;
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

int word_edit_deletes(const struct word_edit *edit)
{
    return edit->value ? edit->left_out : edit->by == edit->by_to;
}

size_t word_edit_size(const struct word_edit *edit)
{
    size_t removed = edit->to - edit->from, inserted = edit->by_to - edit->by;
    size_t words = removed > inserted ? removed : inserted;
    return edit->atom || !words ? 1 : words;
}

/* ---- A set of edits ---- */

static int by_edit_position(const void *left, const void *right)
{
    const struct word_edit *a = left, *b = right;
    if (a->sentence != b->sentence) return a->sentence - b->sentence;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return a->value < b->value ? -1 : a->value > b->value;
}

/* Returns whether X changes words that Y changes or inserts. */
static int disturbs(const struct word_edit *x, const struct word_edit *y)
{
    if (x->value && x->value == y->value) return 1;
    if (x->sentence == y->sentence) return x->from < y->to && y->from < x->to;
    return x->from < y->by_to && y->by < x->to;
}

/* Returns whether two deletions of words are one: adjacent, short, and in one value. */
static int is_one_deletion(const struct edit_trials *trials, const struct word_edit *x,
                           const struct word_edit *y)
{
    const film_word_share *list = trials->words->list;
    if (x->value || y->value || !word_edit_deletes(x) || !word_edit_deletes(y)) return 0;
    if (x->sentence != y->sentence || x->to != y->from || y->to - x->from > TRIAL_PHRASE) return 0;
    size_t between = list[x->to - 1].end;
    return !memchr(trials->values->text[x->sentence].bytes + between, FIELD_NAME_MARK,
                   list[y->from].start - between);
}

/* Sorts EDITS and merges adjacent deletions. Returns the number left, or 0 where they disturb each
 * other. */
static size_t merge_edits(const struct edit_trials *trials, struct word_edit *edits, size_t count)
{
    size_t kept = 0;
    qsort(edits, count, sizeof *edits, by_edit_position);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if (i != j && disturbs(&edits[i], &edits[j])) return 0;
    for (size_t i = 0; i < count; i++) {
        struct word_edit *last = kept ? &edits[kept - 1] : NULL;
        if (last && is_one_deletion(trials, last, &edits[i]))
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
           x->by_to == y->by_to && x->value == y->value && x->left_out == y->left_out;
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

static void append_bytes(struct record_text *out, const char *bytes, size_t count)
{
    if (count) memcpy(out->bytes + out->length, bytes, count);
    out->length += count;
}

/* Appends bytes FROM .. TO of a sentence to OUT, with the edits of its words. */
static void append_edited(const struct edit_trials *trials, const struct edit_trial *trial,
                          int sentence, size_t from, size_t to, struct record_text *out)
{
    film_text own = trials->values->text[sentence], other = trials->values->text[!sentence];
    const film_word_share *list = trials->words->list;
    size_t at = from, begin = out->length;
    for (size_t i = 0; i < trial->count; i++) {
        const struct word_edit *edit = &trial->edit[i];
        if (edit->sentence != sentence || edit->value) continue;
        if (list[edit->from].start < from || list[edit->from].start >= to) continue;
        append_bytes(out, own.bytes + at, list[edit->from].start - at);
        at = list[edit->to - 1].end;
        if (!word_edit_deletes(edit))
            append_bytes(out, other.bytes + list[edit->by].start,
                         list[edit->by_to - 1].end - list[edit->by].start);
        else if (out->length == begin || out->bytes[out->length - 1] == ' ')
            while (at < to && own.bytes[at] == ' ') at++; /* no two spaces where a word was */
    }
    append_bytes(out, own.bytes + at, to - at);
}

/* Returns the edit of the whole value number V, or NULL. */
static const struct word_edit *value_edit(const struct edit_trial *trial, int sentence, size_t v)
{
    for (size_t i = 0; i < trial->count; i++)
        if (trial->edit[i].sentence == sentence && trial->edit[i].value == v + 1)
            return &trial->edit[i];
    return NULL;
}

/* Returns the number of the field whose value VALUE is, or the number of fields. */
static size_t value_number_of(const struct record_values *values, int sentence, film_text value)
{
    size_t v = 0;
    while (v < values->count && values->list[v].value[sentence].bytes != value.bytes) v++;
    return v;
}

/* Adds the values that the record lacks, of fields FROM .. TO of the model. */
static int add_missing(struct edit_trials *trials, const struct edit_trial *trial, int sentence,
                       size_t from, size_t to)
{
    for (size_t v = from; v < to; v++) {
        const struct value_pair *pair = &trials->values->list[v];
        if (!value_is_present(pair, sentence) && value_edit(trial, sentence, v) &&
            !record_text_add(&trials->room[sentence], pair->name, pair->value[!sentence]))
            return 0;
    }
    return 1;
}

/* Writes the edited record field by field, as film_record_text would: a value of which nothing is
 * left is missing, and a value that was missing comes before the next field of the model. PART has
 * room for any value. */
static int edit_record(struct edit_trials *trials, const struct edit_trial *trial, int sentence,
                       struct record_text *part)
{
    const struct record_values *values = trials->values;
    film_text text = values->text[sentence], name, value;
    size_t next = 0; /* field whose value may be added */
    for (size_t at = 0; record_text_next(text, &at, &name, &value);) {
        size_t v = value_number_of(values, sentence, value);
        size_t start = (size_t)(value.bytes - text.bytes);
        const struct word_edit *edit = v < values->count ? value_edit(trial, sentence, v) : NULL;
        film_text after = {part->bytes, 0};
        if (v < values->count && v >= next) {
            if (!add_missing(trials, trial, sentence, next, v)) return 0;
            next = v + 1;
        }
        part->length = 0;
        if (!edit) append_edited(trials, trial, sentence, start, start + value.length, part);
        after.length = part->length;
        if (edit && !edit->left_out) after = values->list[v].value[!sentence];
        if (after.length && !record_text_add(&trials->room[sentence], name, after)) return 0;
    }
    return add_missing(trials, trial, sentence, next, values->count);
}

film_status edit_trials_text(struct edit_trials *trials, const struct edit_trial *trial,
                             int sentence, film_text *text, film_error *error)
{
    film_text own = trials->values->text[sentence], other = trials->values->text[!sentence];
    struct record_text part = {0}, *out = &trials->room[sentence];
    int record = trials->values->record[sentence], done;
    size_t length = own.length + TRIAL_EDITS * other.length + 1;
    out->length = 0;
    done = mem_grow((void **)(record ? &part.bytes : &out->bytes),
                    record ? &part.capacity : &out->capacity, length, 1);
    if (done && record)
        done = edit_record(trials, trial, sentence, &part);
    else if (done)
        append_edited(trials, trial, sentence, 0, own.length, out);
    mem_free(part.bytes);
    *text = (film_text){out->bytes ? out->bytes : "", out->length};
    return done ? FILM_OK : status_no_memory(error);
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
    next.count = merge_edits(trials, merged, count);
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
