/* Scores every candidate pair once. Finding candidates is in candidates.c, reporting in
 * dedup_report.c. */
#include "base/mem.h"
#include "dedup/dedup.h"

/* Two items, a < b. */
struct dedup_waiting {
    uint32_t a, b;
};

static uint64_t pair_key(uint32_t a, uint32_t b)
{
    return (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
}

/* Returns -1 without a label. */
static int label_of(const struct dedup *dedup, uint32_t a, uint32_t b)
{
    uint32_t at = dedup->label_count ? keytab_find(&dedup->labelled, pair_key(a, b)) : KEYTAB_NONE;
    return at == KEYTAB_NONE ? -1 : dedup->labels[at].same;
}

/* ---- Scoring ---- */

static void pair_of(const void *user, size_t i, film_text *a, film_text *b)
{
    const struct dedup *dedup = user;
    *a = dedup->set->texts[dedup->batch[i].a];
    *b = dedup->set->texts[dedup->batch[i].b];
}

static film_status take_verdict(struct dedup *dedup, struct dedup_waiting pair,
                                const film_verdict *verdict, film_error *error)
{
    film_status status = FILM_OK;
    const struct record_set *set = dedup->set;
    int label = label_of(dedup, pair.a, pair.b);
    if (label < 0 && candidates_excluded(verdict)) return FILM_OK;
    float probability = label < 0 ? (float)verdict->probability : (float)label;
    if (label < 0) TRY(dedup_consider(dedup, pair.a, pair.b, verdict, error));
    if (dedup->options->member)
        dedup->pairs[dedup->pair_count++] = (struct cluster_pair){pair.a, pair.b, probability};
    if (!((double)probability >= dedup->search.threshold)) goto done;
    dedup->result->pairs++;
    dedup->result->sure += label >= 0 || candidates_sure(&dedup->search, verdict);
    if (dedup->options->pair)
        TRY(dedup_note(dedup, set->members[set->start[pair.a]], set->members[set->start[pair.b]],
                       probability, error));
done:
    return status;
}

static film_status judge_batch(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    struct score_source source = {.pair = pair_of, .user = dedup};
    size_t count = dedup->batch_count;
    TRY(candidates_judge(&dedup->search, &source, count, error));
    if (dedup->options->member) {
        void *pairs = dedup->pairs;
        int there = mem_grow(&pairs, &dedup->pair_capacity, dedup->pair_count + count,
                             sizeof *dedup->pairs);
        dedup->pairs = pairs;
        TRY_ALLOC(there, error);
    }
    for (size_t i = 0; i < count; i++)
        TRY(take_verdict(dedup, dedup->batch[i], &dedup->search.verdicts[i], error));
    dedup->result->compared += count;
    dedup->batch_count = 0;
done:
    return status;
}

static film_status add_pair(struct dedup *dedup, uint32_t a, uint32_t b, film_error *error)
{
    dedup->batch[dedup->batch_count++] = (struct dedup_waiting){a < b ? a : b, a < b ? b : a};
    return dedup->batch_count == CANDIDATES_BATCH ? judge_batch(dedup, error) : FILM_OK;
}

/* ---- Candidate lists ---- */

static int lists_it(const struct dedup *dedup, uint32_t item, uint32_t other)
{
    const uint32_t *list = dedup->lists + (size_t)item * dedup->search.k;
    for (size_t c = 0; c < dedup->search.k; c++)
        if (list[c] == other) return 1;
    return 0;
}

static int is_listed(const struct dedup *dedup, uint32_t a, uint32_t b)
{
    return lists_it(dedup, a, b) || lists_it(dedup, b, a);
}

/* Judges the pairs in the lists, each once: if both items list each other, the smaller one adds
 * the pair. */
static film_status judge_lists(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    const uint32_t *order = dedup->search.order;
    size_t k = dedup->search.k, items = dedup->set->items, some = CANDIDATES_BATCH / k;
    for (size_t first = 0; first < items; first += some) {
        size_t last = items - first < some ? items : first + some;
        for (size_t i = first; i < last; i++) {
            uint32_t item = order ? order[i] : (uint32_t)i;
            const uint32_t *list = dedup->lists + (size_t)item * k;
            for (size_t c = 0; c < k && list[c] != CANDIDATES_NONE; c++)
                if (item < list[c] || !lists_it(dedup, list[c], item))
                    TRY(add_pair(dedup, item, list[c], error));
        }
        TRY(judge_batch(dedup, error));
        TRY(progress_report(dedup->search.progress, "judging", (double)first, (double)items,
                            error));
    }
done:
    return status;
}

/* Judges the pairs that the model remembers and no list has: in a large cluster, each item with
 * CANDIDATES_NEAR others. */
static film_status judge_known(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    const struct known_items *known = &dedup->search.known;
    for (size_t i = 0; i < known->count; i++) {
        uint32_t a = known->items[i];
        for (size_t j = i + 1; j < known->count && j - i <= CANDIDATES_NEAR; j++) {
            uint32_t b = known->items[j];
            if (!is_known_pair(known, a, b)) break;
            if (is_listed(dedup, a, b) || label_of(dedup, a, b) >= 0) continue;
            TRY(add_pair(dedup, a, b, error));
        }
    }
    TRY(judge_batch(dedup, error));
done:
    return status;
}

static film_status judge_labels(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    for (size_t i = 0; i < dedup->label_count; i++)
        if (!is_listed(dedup, dedup->labels[i].a, dedup->labels[i].b))
            TRY(add_pair(dedup, dedup->labels[i].a, dedup->labels[i].b, error));
    TRY(judge_batch(dedup, error));
done:
    return status;
}

film_status dedup_judge(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    TRY_ALLOC(dedup->batch = mem_array(CANDIDATES_BATCH, sizeof *dedup->batch), error);
    TRY(judge_lists(dedup, error));
    if (dedup->search.known.count) TRY(judge_known(dedup, error));
    TRY(judge_labels(dedup, error));
done:
    mem_free(dedup->batch);
    mem_free(dedup->lists);
    dedup->batch = NULL;
    dedup->lists = NULL;
    return status;
}
