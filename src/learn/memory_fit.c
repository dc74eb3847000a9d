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

/* The data that memory is built from, in process 0: all pairs, with the margin of the other parts
 * of the decision. */
struct memory_data {
    size_t count;
    int records;
    const float *target;
    void *known, *margin, *weight; /* struct memory_row, double, float */
    unsigned char *answer;         /* enum memory_answer, without the pair's own label */
};

static void facts_free(struct memory_data *facts)
{
    mem_free(facts->known);
    mem_free(facts->margin);
    mem_free(facts->weight);
    mem_free(facts->answer);
}

static film_status facts_gather(const struct learn_input *input, const struct out_of_fold *held,
                                const struct calibration *line, const double *margin,
                                struct memory_data *facts, film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = input->corpus->comm;
    size_t count = held->share.count;
    *facts = (struct memory_data){.count = held->pairs.count,
                                  .records = input->corpus->records != 0,
                                  .target = held->pairs.target};
    TRY(comm_collect(comm, held->known, count * sizeof *held->known, &facts->known, error));
    TRY(comm_collect(comm, margin, count * sizeof *margin, &facts->margin, error));
    TRY(comm_collect(comm, held->weight, count * sizeof(float), &facts->weight, error));
    for (size_t i = 0; comm->rank == 0 && held->tried && i < facts->count; i++)
        ((double *)facts->margin)[i] = line->scale * (double)held->tried[i] + line->bias;
done:
    return status;
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
            margin[used] = ((const double *)facts->margin)[i];
            target[used] = facts->target[i];
            each[used++] = ((const float *)facts->weight)[i];
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
            (float)((((const double *)facts->margin)[i] + weight[facts->answer[i]] - line->bias) /
                    line->scale);
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

/* Gathers the records of the pairs labelled the same from all processes: their texts, one after the
 * other, and in LENGTHS two numbers per pair. */
static film_status gather_matches(const struct comm *comm, const struct out_of_fold *held,
                                  void **lengths, void **bytes, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = 0, size = 0;
    film_text text[2];
    char *own = NULL;
    uint64_t *length = mem_array(2 * held->share.count, sizeof *length);
    TRY_ALLOC(length, error);
    for (int copy = 0; copy < 2; copy++) {
        if (copy) TRY_ALLOC(own = mem_array(size, 1), error);
        count = size = 0;
        for (size_t i = 0; i < held->share.count; i++) {
            if (held->known[i].same != 1) continue;
            labels_text(&held->share, i, &text[0], &text[1]);
            for (int s = 0; s < 2; s++) {
                if (copy && text[s].length) memcpy(own + size, text[s].bytes, text[s].length);
                length[count++] = text[s].length;
                size += text[s].length;
            }
        }
    }
    TRY(comm_collect(comm, length, count * sizeof *length, lengths, error));
    TRY(comm_collect(comm, own, size, bytes, error));
done:
    mem_free(length);
    mem_free(own);
    return status;
}

/* Stores the known matches of records of one table. */
static film_status keep_matches(const struct comm *comm, const struct memory_data *facts,
                                const struct out_of_fold *held, struct decision *decision,
                                film_error *error)
{
    film_status status = FILM_OK;
    void *lengths = NULL, *bytes = NULL;
    film_text *texts = NULL;
    const struct memory_row *known = facts->known;
    const char *at;
    size_t records = 0;
    int one = 0;
    if (comm->rank == 0) status = known_matches_one_table(known, facts->count, &one, error);
    TRY(comm_agree(comm, status, error));
    TRY(comm_broadcast(comm, &one, sizeof one, 0, error));
    if (!one) goto done;
    TRY(gather_matches(comm, held, &lengths, &bytes, error));
    if (comm->rank > 0) goto done;
    for (size_t i = 0; i < facts->count; i++) records += 2 * (size_t)(known[i].same == 1);
    TRY_ALLOC(texts = mem_array(records, sizeof *texts), error);
    at = bytes;
    for (size_t i = 0; i < records; at += texts[i++].length)
        texts[i] = (film_text){at, (size_t)((const uint64_t *)lengths)[i]};
    TRY(known_matches_build(&decision->matches, known, facts->count, texts, error));
done:
    mem_free(lengths);
    mem_free(bytes);
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
    if (held->tried) TRY(keep_matches(input->corpus->comm, &facts, held, decision, error));
    if (input->corpus->comm->rank > 0) goto done;
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
