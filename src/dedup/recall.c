/* Estimates what the candidates of a search for duplicates miss (pair completeness): compares
 * sampled items with all others, or with many more candidates where there are too many. */
#include "base/mem.h"
#include "base/rng.h"
#include "dedup/dedup.h"

#include <math.h>

/* About PAIRS pairs are judged. At least LEAST items are compared with all others, or else
 * PAIRS / NEAR items with their NEAR nearest. */
enum { PAIRS = 200000, LEAST = 100, NEAR = 500 };

struct recall {
    const struct dedup *dedup;
    const struct index *index;
    struct index_searcher *searcher;
    struct index_candidate *found;
    size_t against; /* others of each item */
    uint32_t *others;
    film_text text; /* of the sampled item */
    uint64_t sampled, paired, duplicates, candidates;
};

static void recall_free(struct recall *recall)
{
    index_searcher_free(recall->searcher);
    mem_free(recall->found);
    mem_free(recall->others);
}

static int in_list(const struct dedup *dedup, uint32_t item, uint32_t other)
{
    const uint32_t *list = dedup->lists + (size_t)item * dedup->search.k;
    size_t c = 0;
    while (c < dedup->search.k && list[c] != other) c++;
    return c < dedup->search.k;
}

/* Labelled pairs are always judged, whatever the candidates are. */
static int is_labelled(const struct dedup *dedup, uint32_t a, uint32_t b)
{
    uint64_t key = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
    return dedup->label_count && keytab_find(&dedup->labelled, key) != KEYTAB_NONE;
}

/* The items to compare ITEM with. */
static film_status choose_others(struct recall *recall, uint32_t item, size_t *count,
                                 film_error *error)
{
    film_status status = FILM_OK;
    const struct dedup *dedup = recall->dedup;
    size_t found = 0, taken = 0;
    if (recall->searcher)
        TRY(index_candidates_text(recall->index, recall->searcher, recall->text,
                                  recall->against + 1, recall->found, &found, error));
    else
        found = dedup->set->items;
    for (size_t i = 0; i < found && taken < recall->against; i++) {
        uint32_t other = recall->searcher ? recall->found[i].id : (uint32_t)i;
        if (other != item && !is_labelled(dedup, item, other)) recall->others[taken++] = other;
    }
done:
    *count = taken;
    return status;
}

static void recall_pair(const void *user, size_t i, film_text *a, film_text *b)
{
    const struct recall *recall = user;
    *a = recall->text;
    *b = recall->dedup->set->texts[recall->others[i]];
}

static film_status look_at(struct recall *recall, struct candidates *search, uint32_t item,
                           film_error *error)
{
    film_status status = FILM_OK;
    struct score_source source = {.pair = recall_pair, .user = recall};
    uint64_t before = recall->duplicates;
    size_t count;
    recall->text = recall->dedup->set->texts[item];
    TRY(choose_others(recall, item, &count, error));
    TRY(candidates_judge(search, &source, count, error)); /* at most PAIRS / LEAST, one batch */
    for (size_t i = 0; i < count; i++) {
        uint32_t other = recall->others[i];
        if (!((double)(float)search->verdicts[i].probability >= search->threshold)) continue;
        recall->duplicates++;
        recall->candidates +=
            in_list(recall->dedup, item, other) || in_list(recall->dedup, other, item);
    }
    recall->sampled++;
    recall->paired += recall->duplicates > before;
done:
    return status;
}

/* Wilson's 95 % interval (1927) of the share. The duplicates of one item are found or missed
 * together, so items count, not pairs. Without a sample (everything compared) there is no error. */
static void set_completeness(const struct recall *recall, int complete, film_dedup_result *result)
{
    const double z = 1.959964;
    double n = (double)recall->paired;
    double share = n > 0 ? (double)recall->candidates / (double)recall->duplicates : NAN;
    double middle = (share + z * z / (2 * n)) / (1 + z * z / n);
    double half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    result->sampled = recall->sampled;
    result->sampled_against = recall->against;
    result->sampled_pairs = recall->duplicates;
    result->sampled_found = recall->candidates;
    result->completeness = share;
    result->completeness_low = complete ? share : fmax(0, middle - half);
    result->completeness_high = complete ? share : fmin(1, middle + half);
}

/* Moves a random sample of WANTED numbers to the front of ORDER. */
static void draw_records(uint32_t *order, size_t count, size_t wanted)
{
    struct rng rng;
    rng_seed(&rng, 1);
    for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
    for (size_t i = 0; i < wanted; i++) {
        size_t j = i + (size_t)rng_below(&rng, count - i);
        uint32_t kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

film_status dedup_recall(struct dedup *dedup, const struct index *index, film_error *error)
{
    film_status status = FILM_OK;
    size_t items = dedup->set->items, wanted = PAIRS / NEAR;
    struct recall recall = {.dedup = dedup, .index = index, .against = NEAR};
    uint32_t *order = mem_array(items + 1, sizeof *order);
    TRY_ALLOC(order, error);
    if (items * LEAST <= PAIRS) {
        recall.against = items > 1 ? items - 1 : 0;
        wanted = items && PAIRS / items < items ? PAIRS / items : items;
    } else {
        TRY(index_searcher_new(index, &recall.searcher, error));
        TRY_ALLOC(recall.found = mem_array(NEAR + 1, sizeof *recall.found), error);
    }
    TRY_ALLOC(recall.others = mem_array(recall.against + 1, sizeof *recall.others), error);
    draw_records(order, items, wanted);
    for (size_t i = 0; i < wanted; i++) {
        TRY(look_at(&recall, &dedup->search, order[i], error));
        TRY(progress_report(dedup->search.progress, "recall", (double)(i + 1), (double)wanted,
                            error));
    }
    set_completeness(&recall, wanted == items, dedup->result);
done:
    recall_free(&recall);
    mem_free(order);
    return status;
}
