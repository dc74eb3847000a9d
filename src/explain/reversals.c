/* Searches the smallest edits that reverse a verdict. Single edits are judged first, those that
 * the weights of the words suggest before others (proposals.c). Sets of them are then judged by
 * size, the largest sum of gains first. The sum is only a guide: every reversal that is returned
 * was judged. */
#include "explain/reversal_search.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SINGLE = 90,   /* judgements of single edits */
    PHRASES = 24,  /* judgements of longer phrases, for the verdict "same" */
    TOP = 24,      /* single edits that are combined */
    PER_SIZE = 20, /* judgements of sets of one number of words */
    RESERVE = 16,  /* judgements that shorten what was found */
    OTHERS = 30    /* judgements of single edits that only name the causes of groups */
};

void reversals_free(struct reversals *reversals)
{
    edit_trials_free(&reversals->trials);
    for (size_t i = 0; i < REVERSALS_MOST; i++)
        for (int sentence = 0; sentence < 2; sentence++) mem_free(reversals->text[i][sentence]);
    memset(reversals, 0, sizeof *reversals);
}

/* ---- Judging ---- */

/* Returns whether X is a smaller reversal than Y: fewer words, then fewer edits. */
static int is_smaller(const struct edit_trial *x, const struct edit_trial *y)
{
    return x->words != y->words ? x->words < y->words : x->count < y->count;
}

film_status judge_edits(struct reversal_search *search, const struct word_edit *edits, size_t count,
                        int groups, const struct edit_trial **trial, film_error *error)
{
    const struct edit_trial *own = NULL;
    if (!trial) trial = &own;
    film_status status = edit_trials_judge(search->trials, edits, count, groups, trial, error);
    if (status == FILM_OK && *trial && (*trial)->reversed &&
        (!search->best || is_smaller(*trial, search->best)))
        search->best = *trial;
    return status;
}

/* Returns how many judgements are left when KEPT of them are kept. */
static size_t judgements_left(const struct reversal_search *search, size_t kept)
{
    size_t used = search->trials->count + kept;
    return used < search->trials->limit ? search->trials->limit - used : 0;
}

/* ---- Sets ---- */

static int higher_gain_first(const void *left, const void *right)
{
    const struct proposal *a = left, *b = right;
    double x = a->trial ? a->trial->gain : -INFINITY, y = b->trial ? b->trial->gain : -INFINITY;
    if (x != y) return x > y ? -1 : 1;
    return higher_expected_first(left, right);
}

/* Adds the edit that gains most to the set, until it has three or the verdict is reversed. */
static film_status grow_set(struct reversal_search *search, size_t top, film_error *error)
{
    film_status status = FILM_OK;
    struct word_edit set[TRIAL_EDITS];
    for (size_t count = 0; count < TRIAL_EDITS && !search->best; count++) {
        const struct edit_trial *best = NULL, *trial;
        size_t chosen = 0;
        for (size_t i = 0; i < top && judgements_left(search, RESERVE); i++) {
            set[count] = search->list[i].edit;
            TRY(judge_edits(search, set, count + 1, 0, &trial, error));
            if (trial && (!best || trial->gain > best->gain)) best = trial, chosen = i;
        }
        if (!best) break;
        set[count] = search->list[chosen].edit;
    }
done:
    return status;
}

static int smaller_set_first(const void *left, const void *right)
{
    const struct edit_set *a = left, *b = right;
    if (a->words != b->words) return a->words < b->words ? -1 : 1;
    if (a->expected != b->expected) return a->expected > b->expected ? -1 : 1;
    return memcmp(a->edit, b->edit, sizeof a->edit);
}

static void add_set(struct reversal_search *search, size_t *count, const size_t *chosen,
                    size_t size)
{
    struct edit_set set = {.count = (unsigned char)size};
    for (size_t i = 0; i < size; i++) {
        const struct proposal *proposal = &search->list[chosen[i]];
        set.edit[i] = (unsigned char)chosen[i];
        set.words = (unsigned char)(set.words + word_edit_size(&proposal->edit));
        set.expected += proposal->trial->gain;
    }
    /* Gains overlap more often than they help each other. */
    if (set.expected < 0.5 * search->trials->need) return;
    search->sets[(*count)++] = set;
}

/* Judges sets of two and three of the TOP edits, the smallest first, until one reverses the
 * verdict. */
static film_status judge_sets(struct reversal_search *search, size_t top, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = 0, of_size = 0;
    for (size_t i = 0; i < top; i++)
        for (size_t j = i + 1; j < top; j++) {
            add_set(search, &count, (size_t[]){i, j}, 2);
            for (size_t k = j + 1; k < top; k++) add_set(search, &count, (size_t[]){i, j, k}, 3);
        }
    if (count) qsort(search->sets, count, sizeof *search->sets, smaller_set_first);
    for (size_t s = 0; s < count && judgements_left(search, RESERVE); s++) {
        const struct edit_set *set = &search->sets[s];
        struct word_edit edits[TRIAL_EDITS];
        if (search->best && set->words >= search->best->words) break;
        if (s && set->words != set[-1].words) of_size = 0;
        if (of_size == PER_SIZE) continue;
        for (size_t i = 0; i < set->count; i++) edits[i] = search->list[set->edit[i]].edit;
        size_t used = search->trials->count;
        TRY(judge_edits(search, edits, set->count, 0, NULL, error));
        of_size += search->trials->count - used;
    }
done:
    return status;
}

/* ---- Shortening ---- */

/* Tries the best reversal with edit E left out, or with a word less at one end (END 0 or 1). */
static film_status try_shorter(struct reversal_search *search, size_t e, int end, film_error *error)
{
    struct word_edit edits[TRIAL_EDITS];
    size_t count = search->best->count;
    memcpy(edits, search->best->edit, sizeof edits);
    struct word_edit *edit = &edits[e];
    if (end < 0) {
        memmove(edit, edit + 1, (--count - e) * sizeof *edit);
    } else if (edit->value) {
        return FILM_OK;
    } else {
        size_t removed = edit->to - edit->from, inserted = edit->by_to - edit->by;
        if (word_edit_size(edit) == 1) return FILM_OK;
        if (removed >= inserted) end ? edit->to-- : edit->from++;
        if (inserted >= removed) end ? edit->by_to-- : edit->by++;
        if (edit->by == edit->by_to) edit->by = edit->by_to = 0;
    }
    return judge_edits(search, edits, count, 0, NULL, error);
}

/* Shortens the best reversal while that reverses the verdict too: no edit can be left out. */
static film_status shorten(struct reversal_search *search, film_error *error)
{
    film_status status = FILM_OK;
    const struct edit_trial *before;
    do {
        before = search->best;
        for (size_t e = 0; e < before->count && search->best == before && before->count > 1; e++)
            TRY(try_shorter(search, e, -1, error));
        for (size_t e = 0; e < before->count && search->best == before; e++)
            for (int end = 0; end < 2 && search->best == before; end++)
                TRY(try_shorter(search, e, end, error));
    } while (search->best != before);
done:
    return status;
}

/* Judges edits that only name the words of groups: all differences at once where they are few,
 * and the single edits that speak against the verdict. */
static film_status judge_others(struct reversal_search *search, film_error *error)
{
    const struct differences *differences = search->differences;
    struct word_edit all[TRIAL_EDITS];
    size_t before = search->count, count = differences->count;
    for (size_t d = 0; d < count && count <= TRIAL_EDITS; d++) {
        const struct word_range *range = &differences->range[d];
        int sentence = range->to[1] > range->from[1];
        all[d] = (struct word_edit){.sentence = sentence,
                                    .from = range->from[sentence],
                                    .to = range->to[sentence],
                                    .by = range->from[!sentence],
                                    .by_to = range->to[!sentence]};
        if (range->from[!sentence] == range->to[!sentence]) all[d].by = all[d].by_to = 0;
        if (word_edit_size(&all[d]) > TRIAL_PHRASE || range->whole) count = TRIAL_EDITS + 1;
    }
    film_status status = FILM_OK;
    if (count > 1 && count <= TRIAL_EDITS) status = judge_edits(search, all, count, 1, NULL, error);
    if (status != FILM_OK) return status;
    if (search->trials->before.same)
        propose_for_same(search);
    else
        propose_for_different(search);
    for (size_t i = before; i < search->count; i++)
        search->list[i].expected = -expected_gain(search, &search->list[i].edit);
    return judge_proposals(search, before, OTHERS, error);
}

/* ---- The result ---- */

static film_status copy_edited(char **out, film_text from, film_text *to, film_error *error)
{
    mem_free(*out);
    *out = mem_string(from.bytes, from.length);
    if (!*out) return status_no_memory(error);
    *to = (film_text){*out, from.length};
    return FILM_OK;
}

/* The number of the value that has the word. */
static size_t value_of_word(const struct record_values *values, int sentence, size_t word)
{
    size_t v = 0;
    while (v + 1 < values->count &&
           (word < values->list[v].from[sentence] || word >= values->list[v].to[sentence]))
        v++;
    return v;
}

/* An edit with its bytes. */
static film_text_edit edit_with_bytes(const struct edit_trials *trials,
                                      const struct word_edit *edit)
{
    const struct record_values *values = trials->values;
    const film_word_share *words = trials->words->list;
    int s = edit->sentence;
    size_t v = edit->value ? edit->value - 1 : value_of_word(values, s, edit->from);
    film_text_edit out = {
        .side = s ? 'b' : 'a', .field = values->list[v].name, .value = edit->value > 0};
    if (edit->value) {
        value_span(values, v, s, &out.start, &out.end);
        if (!edit->left_out) value_span(values, v, !s, &out.by_start, &out.by_end);
    } else {
        out.start = words[edit->from].start;
        out.end = words[edit->to - 1].end;
        if (!word_edit_deletes(edit)) {
            out.by_start = words[edit->by].start;
            out.by_end = words[edit->by_to - 1].end;
        }
    }
    out.text = (film_text){values->text[s].bytes + out.start, out.end - out.start};
    if (!word_edit_deletes(edit))
        out.by = (film_text){values->text[!s].bytes + out.by_start, out.by_end - out.by_start};
    return out;
}

static film_status add_reversal(struct reversals *reversals, const struct edit_trial *trial,
                                film_error *error)
{
    film_status status = FILM_OK;
    struct edit_trials *trials = &reversals->trials;
    film_reversal *out = &reversals->list[reversals->count];
    film_text_edit *edits = reversals->edits[reversals->count];
    film_text text[2];
    for (size_t i = 0; i < trial->count; i++) edits[i] = edit_with_bytes(trials, &trial->edit[i]);
    for (int sentence = 0; sentence < 2; sentence++) {
        TRY(edit_trials_text(trials, trial, sentence, &text[sentence], error));
        TRY(copy_edited(&reversals->text[reversals->count][sentence], text[sentence],
                        &text[sentence], error));
    }
    *out = (film_reversal){.edits = edits,
                           .edit_count = trial->count,
                           .words = trial->words,
                           .a = text[0],
                           .b = text[1],
                           .probability = trial->probability};
    reversals->count++;
done:
    return status;
}

/* Returns whether X is more certain than Y; where they are equal, whether it edits b. */
static int is_clearer(const struct edit_trial *x, const struct edit_trial *y)
{
    if (fabs(x->gain - y->gain) > 0.01) return x->gain > y->gain;
    return x->edit[0].sentence > y->edit[0].sentence;
}

/* Takes the best reversal and others of its size, the most certain first. */
static film_status take_reversals(struct reversals *reversals, const struct edit_trial *best,
                                  film_error *error)
{
    film_status status = FILM_OK;
    unsigned char taken[TRIALS_MOST] = {0};
    const struct edit_trials *trials = &reversals->trials;
    while (best && reversals->count < REVERSALS_MOST) {
        size_t next = trials->count;
        for (size_t i = 0; i < trials->count; i++) {
            const struct edit_trial *trial = &trials->list[i];
            if (taken[i] || !trial->reversed || trial->words != best->words ||
                trial->count != best->count)
                continue;
            if (next == trials->count || is_clearer(trial, &trials->list[next])) next = i;
        }
        if (next == trials->count) break;
        taken[next] = 1;
        TRY(add_reversal(reversals, &trials->list[next], error));
    }
done:
    return status;
}

static film_status search_reversals(struct reversal_search *search, film_error *error)
{
    film_status status = FILM_OK;
    if (search->trials->before.same)
        propose_for_different(search);
    else
        propose_for_same(search);
    TRY(judge_proposals(search, 0, SINGLE, error));
    if (search->best && search->best->words == 1) goto done;
    if (search->trials->before.same) {
        size_t singles = search->count;
        propose_phrases(search);
        TRY(judge_proposals(search, singles, PHRASES, error));
    }
    if (search->count) qsort(search->list, search->count, sizeof *search->list, higher_gain_first);
    size_t top = 0;
    while (top < search->count && top < TOP && search->list[top].trial &&
           search->list[top].trial->gain > 0)
        top++;
    if (!search->best) TRY(grow_set(search, top, error));
    TRY(judge_sets(search, top, error));
    if (search->best) TRY(shorten(search, error));
done:
    return status;
}

film_status reversals_find(struct reversals *reversals, const struct explained_pair *pair,
                           double threshold, film_explanation *why, film_error *error)
{
    enum { SETS = TOP * (TOP - 1) / 2 + TOP * (TOP - 1) * (TOP - 2) / 6 };
    film_status status = FILM_OK;
    struct reversal_search search = {.trials = &reversals->trials,
                                     .words = pair->words,
                                     .values = pair->values,
                                     .differences = pair->differences,
                                     .list = reversals->proposal};
    reversals->count = 0;
    TRY_ALLOC(search.sets = mem_array(SETS, sizeof *search.sets), error);
    TRY(edit_trials_begin(&reversals->trials, pair->match, pair->words, pair->values, why,
                          threshold, error));
    TRY(search_reversals(&search, error));
    TRY(judge_others(&search, error));
    TRY(take_reversals(reversals, search.best, error));
    why->reversals = reversals->list;
    why->reversal_count = reversals->count;
    causes_find(reversals, pair->differences, why);
    why->judgements = reversals->trials.count;
done:
    mem_free(search.sets);
    return status;
}
