/* Names the words that cause the weight of a group: those whose deletion or replacement moved it
 * most towards the other side. The trials are those of the search for reversals. */
#include "explain/reversals.h"

#include <math.h>
#include <string.h>

enum { CAUSES_EDITS = 3 };

/* Adds words FROM .. TO to the list of a group. */
static void add_cause_words(size_t *list, size_t *count, size_t from, size_t to)
{
    for (size_t w = from; w < to; w++) {
        size_t at = 0;
        while (at < *count && list[at] != w) at++;
        if (at == *count && *count < CAUSES_WORDS) list[(*count)++] = w;
    }
}

/* Returns whether the sentences differ in the words that a trial changes. */
static int changes_differences(const struct edit_trial *trial,
                               const struct differences *differences)
{
    size_t inside = 0;
    for (size_t i = 0; i < trial->count; i++)
        for (size_t d = 0; d < differences->count; d++) {
            int sentence = trial->edit[i].sentence;
            inside += trial->edit[i].from >= differences->range[d].from[sentence] &&
                      trial->edit[i].to <= differences->range[d].to[sentence];
        }
    return inside == trial->count;
}

/* How far a trial takes the weight of FAMILY, now WEIGHT, towards the other side. What speaks for
 * "different" is caused by words that differ, what speaks for "same" by words that can be deleted:
 * a replacement makes sentences equal, and then other groups carry the weight. */
static double effect_of(const struct edit_trial *trial, const struct differences *differences,
                        int family, double weight)
{
    int deletion = trial->count == 1 && word_edit_deletes(&trial->edit[0]);
    if (!trial->family || !(weight > 0 ? deletion : changes_differences(trial, differences)))
        return 0;
    return weight > 0 ? weight - trial->family[family] : trial->family[family] - weight;
}

/* Returns the number of the trial with the strongest effect above LEAST that is not TAKEN, or the
 * number of trials. Of trials with nearly that effect, the one with the fewest words. */
static size_t strongest_trial(const struct edit_trials *trials, const unsigned char *taken,
                              const double *effect, double least)
{
    size_t best = trials->count;
    double most = 0;
    for (size_t i = 0; i < trials->count; i++)
        if (!taken[i]) most = fmax(most, effect[i]);
    if (!(most > least)) return best;
    for (size_t i = 0; i < trials->count; i++)
        if (!taken[i] && effect[i] >= 0.8 * most &&
            (best == trials->count || trials->list[i].words < trials->list[best].words))
            best = i;
    return best;
}

/* Lists the words of the strongest edits: each takes at least a third of the weight away, and half
 * as much as the strongest. */
static void find_cause(struct reversals *reversals, const struct differences *differences,
                       int family, double weight, film_group_cause *cause)
{
    const struct edit_trials *trials = &reversals->trials;
    unsigned char taken[TRIALS_MOST] = {0};
    size_t *list = reversals->cause_words[family], count = 0;
    double first = 0, effect[TRIALS_MOST] = {0};
    for (size_t i = 0; i < trials->count; i++)
        effect[i] = effect_of(&trials->list[i], differences, family, weight);
    for (int n = 0; n < CAUSES_EDITS; n++) {
        double least = fmax(0.5 * first, fabs(weight) / 3);
        size_t best = strongest_trial(trials, taken, effect, least);
        if (best == trials->count) break;
        taken[best] = 1;
        if (!n) first = effect[best];
        for (size_t e = 0; e < trials->list[best].count; e++) {
            const struct word_edit *edit = &trials->list[best].edit[e];
            int b = edit->sentence; /* the words of a come first */
            add_cause_words(list, &count, b ? edit->by : edit->from, b ? edit->by_to : edit->to);
            add_cause_words(list, &count, b ? edit->from : edit->by, b ? edit->to : edit->by_to);
        }
    }
    *cause = (film_group_cause){list, count};
}

void causes_find(struct reversals *reversals, const struct differences *differences,
                 film_explanation *why)
{
    for (size_t g = 0; g < why->group_count; g++) {
        int family = family_named(why->groups[g].name);
        reversals->causes[g] = (film_group_cause){NULL, 0};
        if (family < FAMILIES) /* a field of records has its own words */
            find_cause(reversals, differences, family, why->groups[g].weight,
                       &reversals->causes[g]);
    }
    why->causes = reversals->causes;
}
