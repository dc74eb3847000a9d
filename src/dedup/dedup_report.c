/* Reports pairs to the caller: in the first process, in an order that does not depend on which
 * process found them. It does not score. */
#include "base/mem.h"
#include "base/sort.h"
#include "dedup/dedup.h"

#include <math.h>
#include <stdlib.h>

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

film_status dedup_note(struct dedup *dedup, struct dedup_reported reported, film_error *error)
{
    void *grown = dedup->reported;
    int there =
        mem_grow(&grown, &dedup->reported_capacity, dedup->reported_count + 1, sizeof reported);
    dedup->reported = grown;
    if (!there) return status_no_memory(error);
    dedup->reported[dedup->reported_count++] = reported;
    return FILM_OK;
}

static int by_position(const void *left, const void *right)
{
    const struct dedup_reported *a = left, *b = right;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    return a->second < b->second ? -1 : a->second > b->second;
}

/* Sends SIZE bytes of every process to the first process. */
static film_status send_first(struct dedup *dedup, const void *bytes, size_t size,
                              film_error *error)
{
    film_status status = mailbox_put(&dedup->reports, 0, bytes, size, error);
    return status == FILM_OK ? mailbox_send(&dedup->reports, error) : status;
}

/* Reports COUNT pairs; there are none except in the first process. */
static film_status report_some(struct dedup *dedup, const struct dedup_reported *reported,
                               size_t count, film_duplicate_fn call, film_error *error)
{
    film_status status = FILM_OK;
    for (size_t i = 0; i < count; i++) {
        dedup->refs[2 * i] = reported[i].a;
        dedup->refs[2 * i + 1] = reported[i].b;
    }
    TRY(record_set_fetch(dedup->set, dedup->refs, 2 * count, &dedup->found, error));
    for (size_t i = 0; status == FILM_OK && i < count; i++) {
        const uint32_t *at = dedup->found.at + 2 * i;
        const film_record *records = dedup->found.records + 2 * i;
        int low = at[0] < at[1] ? 0 : 1;
        film_duplicate pair = {at[low], at[!low], records[low], records[!low],
                               .probability = (double)reported[i].probability};
        pair.first_others = others_unpack(&dedup->set->others, &pair.first.id, 0);
        pair.second_others = others_unpack(&dedup->set->others, &pair.second.id, 1);
        status = dedup_stopped(call(dedup->options->user, &pair), error);
    }
    status = comm_agree(dedup->comm, status, error);
done:
    return status;
}

/* Reports the collected pairs to CALL. */
static film_status report_pairs(struct dedup *dedup, film_duplicate_fn call, film_error *error)
{
    enum { SOME = 16384 };
    film_status status = FILM_OK;
    size_t count = dedup->reported_count, all = count;
    TRY_ALLOC(dedup->refs || (dedup->refs = mem_array(2 * SOME, sizeof *dedup->refs)), error);
    TRY(comm_sum_counts(dedup->comm, &all, 1, error));
    for (size_t first = 0; first < all; first += SOME) {
        size_t rest = count > first ? count - first : 0;
        TRY(report_some(dedup, dedup->reported + (rest ? first : 0), rest < SOME ? rest : SOME,
                        call, error));
    }
    dedup->reported_count = 0;
done:
    return status;
}

film_status dedup_report(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    struct dedup_reported reported;
    if (!dedup->options->pair) return FILM_OK;
    if (dedup->comm->size > 1) {
        TRY(send_first(dedup, dedup->reported, dedup->reported_count * sizeof reported, error));
        dedup->reported_count = 0;
        while (mailbox_next(&dedup->reports)) {
            mailbox_get(&dedup->reports, &reported, sizeof reported);
            TRY(dedup_note(dedup, reported, error));
        }
    }
    if (dedup->reported_count)
        sort_array(dedup->reported, dedup->reported_count, sizeof reported, by_position);
    TRY(report_pairs(dedup, dedup->options->pair, error));
done:
    return status;
}

film_status dedup_note_identical(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    const struct record_set *set = dedup->set;
    for (uint32_t i = 0; i < set->items; i++) {
        uint32_t item = round_robin_number(set->comm, set->comm->rank, i);
        uint32_t copies = set->start[i + 1] - set->start[i];
        uint32_t first = record_set_position(set, i, 0);
        dedup->result->pairs += copies - 1;
        dedup->result->sure += copies - 1;
        for (uint32_t m = 1; dedup->options->pair && m < copies; m++)
            TRY(dedup_note(dedup,
                           (struct dedup_reported){
                               first, record_set_position(set, i, m), {item, 0}, {item, m}, 1},
                           error));
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

static film_status add_near(struct dedup *dedup, struct dedup_near near, film_error *error)
{
    void *grown = dedup->near;
    int there = mem_grow(&grown, &dedup->near_capacity, dedup->near_count + 1, sizeof near);
    dedup->near = grown;
    if (!there) return status_no_memory(error);
    dedup->near[dedup->near_count++] = near;
    return FILM_OK;
}

/* Keeps up to twice the requested number; beyond that, the farther half is dropped. */
film_status dedup_consider(struct dedup *dedup, uint32_t a, uint32_t b, const film_verdict *verdict,
                           film_error *error)
{
    double threshold = dedup->search.threshold;
    double middle = log(threshold / (1 - threshold));
    if (!dedup->options->review || !dedup->options->borderline) return FILM_OK;
    if (dedup->near_count >= 2 * dedup->options->review) keep_nearest(dedup);
    struct dedup_near near = {fabs(verdict->log_odds - middle), a, b, (float)verdict->probability};
    return add_near(dedup, near, error);
}

film_status dedup_report_nearest(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    struct dedup_near near;
    if (!dedup->options->review || !dedup->options->borderline) return FILM_OK;
    keep_nearest(dedup);
    TRY(send_first(dedup, dedup->near, dedup->near_count * sizeof near, error));
    dedup->near_count = 0;
    while (mailbox_next(&dedup->reports)) {
        mailbox_get(&dedup->reports, &near, sizeof near);
        TRY(add_near(dedup, near, error));
    }
    keep_nearest(dedup);
    for (size_t i = 0; i < dedup->near_count; i++) {
        near = dedup->near[i];
        TRY(dedup_note(dedup,
                       (struct dedup_reported){0, 0, {near.a, 0}, {near.b, 0}, near.probability},
                       error));
    }
    TRY(report_pairs(dedup, dedup->options->borderline, error));
done:
    return status;
}
