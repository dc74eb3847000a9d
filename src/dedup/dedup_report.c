/* Reports pairs to the caller, in an order that does not depend on how they were found. It does not
 * score. */
#include "base/mem.h"
#include "base/sort.h"
#include "dedup/dedup.h"

#include <math.h>

struct dedup_near {
    double distance; /* distance of the log-odds from those of the threshold */
    uint32_t a, b;
    float probability;
};

film_status dedup_stopped(int stop, film_error *error)
{
    return stop ? status_set(error, FILM_CANCELLED, "stopped") : FILM_OK;
}

/* ---- Pairs found ---- */

film_status dedup_note(struct dedup *dedup, uint32_t a, uint32_t b, float probability,
                       film_error *error)
{
    void *grown = dedup->reported;
    int there = mem_grow(&grown, &dedup->reported_capacity, dedup->reported_count + 1,
                         sizeof *dedup->reported);
    dedup->reported = grown;
    if (!there) return status_no_memory(error);
    dedup->reported[dedup->reported_count++] =
        (struct dedup_reported){a < b ? a : b, a < b ? b : a, probability};
    return FILM_OK;
}

static int by_position(const void *left, const void *right)
{
    const struct dedup_reported *a = left, *b = right;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    return a->second < b->second ? -1 : a->second > b->second;
}

/* Reports the noted pairs to CALL. */
static film_status report_pairs(struct dedup *dedup, film_duplicate_fn call, film_error *error)
{
    film_status status = FILM_OK;
    const struct record_set *set = dedup->set;
    for (size_t i = 0; i < dedup->reported_count; i++) {
        const struct dedup_reported *noted = &dedup->reported[i];
        film_duplicate pair = {.a = noted->first,
                               .b = noted->second,
                               .first = set->records[noted->first],
                               .second = set->records[noted->second],
                               .probability = (double)noted->probability};
        pair.first_others = others_unpack(&set->others, &pair.first.id, 0);
        pair.second_others = others_unpack(&set->others, &pair.second.id, 1);
        TRY(dedup_stopped(call(dedup->options->user, &pair), error));
    }
    dedup->reported_count = 0;
done:
    return status;
}

film_status dedup_report(struct dedup *dedup, film_error *error)
{
    if (!dedup->options->pair) return FILM_OK;
    if (dedup->reported_count)
        sort_array(dedup->reported, dedup->reported_count, sizeof *dedup->reported, by_position);
    return report_pairs(dedup, dedup->options->pair, error);
}

film_status dedup_note_identical(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    const struct record_set *set = dedup->set;
    for (uint32_t i = 0; i < set->items; i++) {
        const uint32_t *members = set->members + set->start[i];
        uint32_t copies = set->start[i + 1] - set->start[i];
        dedup->result->pairs += copies - 1;
        dedup->result->sure += copies - 1;
        for (uint32_t m = 1; dedup->options->pair && m < copies; m++)
            TRY(dedup_note(dedup, members[0], members[m], 1, error));
    }
done:
    return status;
}

/* ---- Pairs near the threshold ---- */

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
    if (dedup->near_count)
        sort_array(dedup->near, dedup->near_count, sizeof *dedup->near, by_distance);
    if (dedup->near_count > most) dedup->near_count = most;
}

/* Keeps up to twice the requested number; beyond that, the farther half is dropped. */
film_status dedup_consider(struct dedup *dedup, uint32_t a, uint32_t b, const film_verdict *verdict,
                           film_error *error)
{
    double threshold = dedup->search.threshold;
    double middle = log(threshold / (1 - threshold));
    if (!dedup->options->review || !dedup->options->borderline) return FILM_OK;
    if (dedup->near_count >= 2 * dedup->options->review) keep_nearest(dedup);
    void *grown = dedup->near;
    int there = mem_grow(&grown, &dedup->near_capacity, dedup->near_count + 1, sizeof *dedup->near);
    dedup->near = grown;
    if (!there) return status_no_memory(error);
    dedup->near[dedup->near_count++] =
        (struct dedup_near){fabs(verdict->log_odds - middle), a, b, (float)verdict->probability};
    return FILM_OK;
}

film_status dedup_report_nearest(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    const struct record_set *set = dedup->set;
    if (!dedup->options->review || !dedup->options->borderline) return FILM_OK;
    keep_nearest(dedup);
    for (size_t i = 0; i < dedup->near_count; i++) {
        const struct dedup_near *near = &dedup->near[i];
        TRY(dedup_note(dedup, set->members[set->start[near->a]], set->members[set->start[near->b]],
                       near->probability, error));
    }
    TRY(report_pairs(dedup, dedup->options->borderline, error));
done:
    return status;
}
