/* Proposes single edits that may reverse a verdict, and judges them in the order that the weights
 * of the words suggest. reversals.c combines them. */
#include "explain/reversal_search.h"

#include <stdlib.h>

/* The words of an edit speak for the verdict by the sum of their weights. Rare words come first
 * where weights say nothing. */
double expected_gain(const struct reversal_search *search, const struct word_edit *edit)
{
    const size_t from[2] = {edit->from, edit->by}, to[2] = {edit->to, edit->by_to};
    double sum = 0;
    for (int part = 0; part < 2; part++)
        for (size_t w = from[part]; w < to[part]; w++) {
            double weight = search->words->list[w].weight;
            sum += search->trials->before.same ? weight : -weight;
            if (!part) sum += 0.5 * (double)search->differences->rarity[w];
        }
    if (edit->value) {
        double traits = search->values->list[edit->value - 1].traits;
        sum += search->trials->before.same ? traits : -traits;
    }
    return sum;
}

static void add_proposal(struct reversal_search *search, struct word_edit edit, double more)
{
    if (search->count == EDITS_MOST) return;
    search->list[search->count++] =
        (struct proposal){edit, expected_gain(search, &edit) + more, NULL};
}

static void propose(struct reversal_search *search, struct word_edit edit, double more)
{
    if (edit.to - edit.from > TRIAL_PHRASE || edit.by_to - edit.by > TRIAL_PHRASE ||
        edit.from == edit.to)
        return;
    if (edit.by == edit.by_to) edit.by = edit.by_to = 0; /* a deletion has one form */
    add_proposal(search, edit, more);
}

/* Proposes to give record SENTENCE the other's value number V, or to leave its own out. */
static void propose_value(struct reversal_search *search, size_t v, int sentence, int left_out,
                          double more)
{
    const struct value_pair *pair = &search->values->list[v];
    struct word_edit edit = {.sentence = sentence,
                             .from = pair->from[sentence],
                             .to = pair->to[sentence],
                             .value = v + 1,
                             .left_out = left_out,
                             .atom = pair->atom};
    if (!search->values->record[sentence]) return;
    if (!value_is_present(pair, left_out ? sentence : !sentence)) return;
    if (!left_out) {
        edit.by = pair->from[!sentence];
        edit.by_to = pair->to[!sentence];
    }
    add_proposal(search, edit, more);
}

/* Proposes to put the words of one side of RANGE in the place of those of the other, in either
 * direction. Where one side is empty, the words of the other are deleted. */
static void propose_range(struct reversal_search *search, const struct word_range *range)
{
    enum { FIRST = 1000 }; /* before all single words: together these make the sentences equal */
    const struct value_pair *pair = &search->values->list[range->value];
    for (int sentence = 1; sentence >= 0; sentence--)
        if (range->whole)
            propose_value(search, range->value, sentence, !value_is_present(pair, !sentence),
                          FIRST);
        else
            propose(search,
                    (struct word_edit){.sentence = sentence,
                                       .from = range->from[sentence],
                                       .to = range->to[sentence],
                                       .by = range->from[!sentence],
                                       .by_to = range->to[!sentence]},
                    FIRST);
}

static size_t range_length(const struct word_range *range, int sentence)
{
    return range->to[sentence] - range->from[sentence];
}

/* Cuts a range into as few pieces as have at most TRIAL_PHRASE words on either side. Returns the
 * number of pieces. */
static size_t cut_range(const struct word_range *range, size_t piece, struct word_range *out)
{
    size_t a = range_length(range, 0), b = range_length(range, 1), longer = a > b ? a : b;
    size_t pieces = (longer + TRIAL_PHRASE - 1) / TRIAL_PHRASE;
    for (int sentence = 0; sentence < 2; sentence++) {
        size_t length = range_length(range, sentence), first = range->from[sentence];
        out->from[sentence] = first + piece * length / pieces;
        out->to[sentence] = first + (piece + 1) * length / pieces;
    }
    return pieces;
}

static void propose_deletions(struct reversal_search *search, int sentence, size_t from, size_t to)
{
    for (size_t w = from; w < to; w++)
        propose(search, (struct word_edit){.sentence = sentence, .from = w, .to = w + 1}, 0);
}

/* One word for one word, inside a range. All of them in a small range, otherwise those in the same
 * place. */
static void propose_words(struct reversal_search *search, const struct word_range *range)
{
    enum { SMALL = 9 };
    size_t length[2] = {range_length(range, 0), range_length(range, 1)};
    for (size_t i = 0; i < length[0]; i++)
        for (size_t j = 0; j < length[1]; j++) {
            int near = i * length[1] / length[0] == j || j * length[0] / length[1] == i;
            if (length[0] * length[1] > SMALL && !near) continue;
            size_t a = range->from[0] + i, b = range->from[1] + j;
            propose(search, (struct word_edit){1, b, b + 1, a, a + 1, 0, 0, 0}, 0);
            propose(search, (struct word_edit){0, a, a + 1, b, b + 1, 0, 0, 0}, 0);
        }
}

/* Text that differs in several places, or in many words: the whole value, after all words. */
static void propose_texts(struct reversal_search *search)
{
    enum { LAST = -1000 };
    for (size_t v = 0; v < search->values->count; v++) {
        size_t places = 0, longest = 0;
        for (size_t d = 0; d < search->differences->count; d++) {
            const struct word_range *range = &search->differences->range[d];
            if (range->whole || range->value != v) continue;
            places++;
            for (int s = 0; s < 2; s++)
                if (range_length(range, s) > longest) longest = range_length(range, s);
        }
        if (places < 2 && longest <= TRIAL_PHRASE) continue;
        for (int sentence = 1; sentence >= 0; sentence--)
            propose_value(search, v, sentence, 0, LAST);
    }
}

void propose_for_same(struct reversal_search *search)
{
    propose_texts(search);
    for (size_t d = 0; d < search->differences->count; d++) {
        const struct word_range *range = &search->differences->range[d];
        struct word_range part = {.value = range->value};
        if (range->whole) {
            propose_range(search, range);
            continue;
        }
        for (size_t piece = 0; piece < cut_range(range, piece, &part); piece++)
            propose_range(search, &part);
        int single = range_length(range, 0) + range_length(range, 1) == 1 ||
                     (range_length(range, 0) == 1 && range_length(range, 1) == 1);
        if (!single) propose_words(search, range);
        for (int sentence = 0; sentence < 2; sentence++)
            if (range_length(range, sentence) > 1 || range_length(range, !sentence))
                propose_deletions(search, sentence, range->from[sentence], range->to[sentence]);
    }
}

int higher_expected_first(const void *left, const void *right)
{
    const struct proposal *a = left, *b = right;
    if (a->expected != b->expected) return a->expected > b->expected ? -1 : 1;
    if (a->edit.sentence != b->edit.sentence) return a->edit.sentence - b->edit.sentence;
    if (a->edit.from != b->edit.from) return a->edit.from < b->edit.from ? -1 : 1;
    return a->edit.by < b->edit.by ? -1 : a->edit.by > b->edit.by;
}

film_status judge_proposals(struct reversal_search *search, size_t from, size_t most,
                            film_error *error)
{
    film_status status = FILM_OK;
    size_t used = search->trials->count;
    if (search->count > from)
        qsort(search->list + from, search->count - from, sizeof *search->list,
              higher_expected_first);
    for (size_t i = from; i < search->count && search->trials->count < used + most; i++)
        TRY(judge_edits(search, &search->list[i].edit, 1, 1, &search->list[i].trial, error));
done:
    return status;
}

void propose_for_different(struct reversal_search *search)
{
    for (size_t v = 0; v < search->values->count; v++)
        for (int sentence = 0; sentence < 2; sentence++) propose_value(search, v, sentence, 1, 0);
    for (size_t v = 0; v < search->values->count; v++)
        for (int sentence = 0; sentence < 2; sentence++) {
            const struct value_pair *pair = &search->values->list[v];
            size_t from = pair->from[sentence], to = pair->to[sentence];
            if (pair->atom || (pair->name.bytes && to - from < 2)) continue; /* the whole value */
            propose_deletions(search, sentence, from,
                              to - from > DIFFERENCE_WORDS ? from + DIFFERENCE_WORDS : to);
        }
}

/* The gain of deleting word W alone; 0: not judged. */
static double gain_of_word(const struct reversal_search *search, size_t w)
{
    for (size_t i = 0; i < search->count; i++) {
        const struct proposal *proposal = &search->list[i];
        if (proposal->trial && !proposal->edit.value && proposal->edit.from == w &&
            proposal->edit.to == w + 1 && word_edit_deletes(&proposal->edit))
            return proposal->trial->gain;
    }
    return 0;
}

/* Proposes to delete phrases of one value. */
static void propose_phrases_of(struct reversal_search *search, int sentence, size_t first,
                               size_t last)
{
    for (size_t from = first; from < last; from++) {
        double sum = gain_of_word(search, from);
        for (size_t to = from + 2; to <= from + TRIAL_PHRASE && to <= last; to++) {
            sum += gain_of_word(search, to - 1);
            struct word_edit edit = {.sentence = sentence, .from = from, .to = to};
            propose(search, edit, sum - expected_gain(search, &edit));
        }
    }
}

void propose_phrases(struct reversal_search *search)
{
    for (int sentence = 0; sentence < 2; sentence++)
        for (size_t v = 0; v < search->values->count; v++) {
            const struct value_pair *pair = &search->values->list[v];
            if (!pair->atom)
                propose_phrases_of(search, sentence, pair->from[sentence], pair->to[sentence]);
        }
}
