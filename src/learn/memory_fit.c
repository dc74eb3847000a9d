/* Weighs memory by its results for pairs that it was built without. Records choose their threshold
 * here, with memory: a known match lowers the odds of about half of their pairs, so the threshold
 * of the trees alone would be too high. */
#include "learn/memory_fit.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "base/rng.h"
#include "learn/calibrate_fit.h"
#include "learn/decision_threshold.h"
#include "learn/known_matches_build.h"

#include <math.h>
#include <string.h>

/* The data that memory is built from: all pairs, with the margin of the other parts of the
 * decision. */
struct memory_data {
    size_t count;
    int records;
    const float *target, *weight;
    const struct memory_row *known;
    double *margin;
    unsigned char *answer; /* enum memory_answer, without the pair's own label */
};

static void facts_free(struct memory_data *facts)
{
    mem_free(facts->margin);
    mem_free(facts->answer);
}

static film_status facts_gather(const struct learn_input *input, const struct out_of_fold *held,
                                const struct calibration *line, const double *margin,
                                struct memory_data *facts, film_error *error)
{
    size_t count = held->pairs.count;
    *facts = (struct memory_data){.count = count,
                                  .records = input->corpus->records != 0,
                                  .target = held->pairs.target,
                                  .weight = held->weight,
                                  .known = held->known,
                                  .margin = mem_array(count, sizeof *margin)};
    if (!facts->margin) return status_no_memory(error);
    for (size_t i = 0; i < count; i++)
        facts->margin[i] =
            held->tried ? line->scale * (double)held->tried[i] + line->bias : margin[i];
    return FILM_OK;
}

/* Builds memory from the rows outside of part P (PART NULL: from all). */
static film_status build_memory(const struct memory_data *facts, const unsigned char *part,
                                unsigned char p, struct memory *memory, film_error *error)
{
    film_status status = memory_build(memory, facts->known, facts->count, part, p, error);
    if (status == FILM_OK && facts->records) memory_mark_matched(memory);
    return status;
}

/* Sets the answer to every pair of a memory that was built without its part. */
static film_status ask_memory(struct memory_data *facts, uint64_t seed, film_error *error)
{
    enum { PARTS = 4 };
    film_status status = FILM_OK;
    const struct memory_row *known = facts->known;
    struct memory memory = {0};
    struct rng rng;
    unsigned char *part = mem_array(facts->count, 1);
    facts->answer = mem_zeroed(facts->count, 1);
    TRY_ALLOC(part && facts->answer, error);
    rng_seed(&rng, seed);
    for (size_t i = 0; i < facts->count; i++) part[i] = (unsigned char)rng_below(&rng, PARTS);
    for (unsigned char p = 0; p < PARTS; p++) {
        TRY(build_memory(facts, part, p, &memory, error));
        for (size_t i = 0; i < facts->count; i++)
            if (part[i] == p && known[i].a != known[i].b)
                facts->answer[i] = (unsigned char)memory_find(&memory, known[i].a, known[i].b);
        memory_free(&memory);
    }
done:
    memory_free(&memory);
    mem_free(part);
    return status;
}

/* Fits the weight of each kind of memory result. */
static film_status weigh_memory(const struct memory_data *facts, double *weight, film_error *error)
{
    film_status status = FILM_OK;
    double *margin = mem_array(facts->count, sizeof *margin);
    float *columns = mem_array(2 * facts->count, sizeof *columns);
    TRY_ALLOC(margin && columns, error);
    float *target = columns, *each = columns + facts->count;
    for (int answer = MEMORY_SAME; answer < MEMORY_ANSWERS; answer++) {
        size_t used = 0;
        for (size_t i = 0; i < facts->count; i++) {
            if (facts->answer[i] != answer) continue;
            margin[used] = facts->margin[i];
            target[used] = facts->target[i];
            each[used++] = facts->weight[i];
        }
        /* Only "the same" may raise the odds: see pair/memory.h. */
        double fitted = memory_weigh(margin, target, each, used);
        weight[answer] = answer == MEMORY_SAME ? fmax(0, fitted) : fmin(0, fitted);
    }
done:
    mem_free(margin);
    mem_free(columns);
    return status;
}

/* Chooses the threshold for scores that include memory. */
static film_status choose_memory_threshold(const struct learn_input *input,
                                           const struct memory_data *facts, const double *weight,
                                           struct calibration *line, film_error *error)
{
    film_status status = FILM_OK;
    float *score = mem_array(facts->count, sizeof *score);
    TRY_ALLOC(score, error);
    for (size_t i = 0; i < facts->count; i++)
        score[i] =
            (float)((facts->margin[i] + weight[facts->answer[i]] - line->bias) / line->scale);
    struct scored_pairs scored = {
        .score = score, .target = facts->target, .count = facts->count, .expected = 1};
    struct calibration with;
    TRY(calibrate_fit(score, facts->target, facts->count, &with, error));
    TRY(decision_threshold_choose(&scored, input->options, &with, &line->threshold, input->log,
                                  error));
done:
    mem_free(score);
    return status;
}

/* Stores the known matches of records of one table. */
static film_status keep_matches(const struct memory_data *facts, const struct out_of_fold *held,
                                struct decision *decision, film_error *error)
{
    film_status status = FILM_OK;
    struct labelled_texts pairs = {held->corpus, &held->pairs};
    film_text *texts = NULL;
    size_t records = 0;
    int one = 0;
    TRY(known_matches_one_table(facts->known, facts->count, &one, error));
    if (!one) goto done;
    TRY_ALLOC(texts = mem_array(2 * facts->count, sizeof *texts), error);
    for (size_t i = 0; i < facts->count; i++) {
        if (facts->known[i].same != 1) continue;
        labels_text(&pairs, i, &texts[records], &texts[records + 1]);
        records += 2;
    }
    TRY(known_matches_build(&decision->matches, facts->known, facts->count, texts, error));
done:
    mem_free(texts);
    return status;
}

film_status memory_fit(const struct learn_input *input, const struct out_of_fold *held,
                       const double *margin, struct decision *decision, film_error *error)
{
    film_status status = FILM_OK;
    struct memory *memory = &decision->memory;
    struct calibration *line = &decision->margin;
    double weight[MEMORY_ANSWERS] = {0};
    struct memory_data facts;
    TRY(facts_gather(input, held, line, margin, &facts, error));
    if (held->tried) TRY(keep_matches(&facts, held, decision, error));
    TRY(ask_memory(&facts, input->options->seed, error));
    TRY(weigh_memory(&facts, weight, error));
    if (held->tried && line->scale > 0)
        TRY(choose_memory_threshold(input, &facts, weight, line, error));
    TRY(build_memory(&facts, NULL, 0, memory, error));
    memcpy(memory->weight, weight, sizeof weight);
    training_log_note(input->log, "memory",
                      json_pack("{s:I, s:I, s:f, s:f, s:f}", "questions",
                                (json_int_t)memory->questions.count, "different_clusters",
                                (json_int_t)memory->different.count, "same", weight[MEMORY_SAME],
                                "different", weight[MEMORY_DIFFERENT], "other_match",
                                weight[MEMORY_TAKEN]));
done:
    facts_free(&facts);
    return status;
}
