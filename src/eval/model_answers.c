/* Computes the answers of a model for the rows of an evaluation: vectors, verdicts, neighbours.
 * eval.c measures how good they are. */
#include "base/mem.h"
#include "base/threads.h"
#include "eval/evaluation.h"
#include "learn/near_misses.h"
#include "pair/score.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 16384 }; /* sentences or pairs between two reports of progress */

film_status model_answers_embed(const struct evaluation *evaluation, struct model_answers *answers,
                                film_error *error)
{
    film_status status = FILM_OK;
    size_t dim = encoder_dim(&answers->model->encoder), count = evaluation->corpus.sentences.count;
    int threads = threads_count(evaluation->options->threads);
    film_text *texts = mem_array(CHUNK, sizeof *texts);
    TRY_ALLOC(texts, error);
    if (count > SIZE_MAX / dim) TRY(status_no_memory(error));
    TRY_ALLOC(answers->vectors = mem_aligned(count * dim, sizeof *answers->vectors), error);
    TRY_ALLOC(answers->penalty = mem_zeroed(count, sizeof *answers->penalty), error);
    for (size_t first = 0; first < count; first += CHUNK) {
        size_t here = count - first < CHUNK ? count - first : CHUNK;
        float *out = answers->vectors + first * dim;
        for (size_t i = 0; i < here; i++)
            texts[i] = strtab_get(&evaluation->corpus.sentences, (uint32_t)(first + i));
        TRY(encoder_embed_all(&answers->model->encoder, texts, here, threads, out, error));
        encoder_prepare(&answers->model->encoder, out, here, threads, answers->penalty + first);
        TRY(progress_report(&evaluation->options->progress, "embedding", (double)(first + here),
                            (double)count, error));
    }
done:
    mem_free(texts);
    return status;
}

struct id_pairs {
    const struct strtab *sentences;
    const uint32_t *a, *b;
};

static void pair_of_ids(const void *user, size_t i, film_text *a, film_text *b)
{
    const struct id_pairs *pairs = user;
    *a = strtab_get(pairs->sentences, pairs->a[i]);
    *b = strtab_get(pairs->sentences, pairs->b[i]);
}

/* How pairs are scored, and room for the verdicts of a chunk. */
struct answer_scoring {
    const struct decision *decision;
    struct match_rule rule;
    film_verdict *verdicts;
};

/* Scores COUNT pairs from FIRST on. */
static film_status score_chunk(const struct evaluation *evaluation,
                               const struct answer_scoring *scoring, size_t first, size_t count,
                               struct answered *out, film_error *error)
{
    film_status status = FILM_OK;
    struct id_pairs ids = {&evaluation->corpus.sentences, evaluation->a + first,
                           evaluation->b + first};
    struct score_source source = {.pair = pair_of_ids, .user = &ids};
    TRY(score_pairs(scoring->decision, &scoring->rule, &source, count, evaluation->options->threads,
                    scoring->verdicts, error));
    for (size_t i = 0; i < count; i++) {
        const film_verdict *verdict = &scoring->verdicts[i];
        out[i] = (struct answered){verdict->probability, verdict->log_odds, verdict->same};
    }
done:
    return status;
}

/* The rule by which the evaluation judges with a decision. */
static film_status evaluation_rule(const struct evaluation *evaluation,
                                   const struct decision *decision, struct match_rule *rule,
                                   film_error *error)
{
    film_answer_options answer = {.decision = evaluation->decision,
                                  .prior = evaluation->prior,
                                  .no_memory = evaluation->options->no_memory};
    return match_rule(rule, decision, &answer, error);
}

film_status model_answers_near(const struct evaluation *evaluation,
                               const struct model_answers *answers,
                               const struct operating_rows *rows, film_operating_point *point,
                               film_error *error)
{
    film_status status = FILM_OK;
    const film_eval_options *options = evaluation->options;
    struct near_judge judge = {.decision = &answers->model->decision,
                               .seed = options->seed,
                               .threads = options->threads,
                               .most = NEAR_MOST};
    size_t count = evaluation->pairs, sentences = evaluation->corpus.sentences.count;
    struct near_misses near = {0};
    unsigned char *is_near = mem_array(count, 1);
    struct id_pairs ids = {&evaluation->corpus.sentences, evaluation->a, evaluation->b};
    unsigned char *pool = mem_zeroed(sentences, 1);
    struct score_source source = {.pair = pair_of_ids, .user = &ids};
    TRY_ALLOC(is_near && pool, error);
    TRY(evaluation_rule(evaluation, judge.decision, &judge.rule, error));
    /* Sentences of the pool follow those of the file. */
    for (size_t i = evaluation->own; i < sentences; i++) pool[i] = 1;
    judge.seen = pool;
    TRY(near_misses_mark(&judge, &source, count, is_near, error));
    TRY(near_misses_make_up(&near, &judge, ids.sentences, error));
    double odds = point->threshold / (1 - point->threshold);
    TRY(near_misses_measure(&near, log(odds), rows, is_near, point, &point->near_misses, error));
done:
    near_misses_free(&near);
    mem_free(is_near);
    mem_free(pool);
    return status;
}

static film_status score(const struct evaluation *evaluation, struct model_answers *answers,
                         film_error *error)
{
    film_status status = FILM_OK;
    struct answer_scoring scoring = {.decision = &answers->model->decision};
    size_t count = evaluation->pairs;
    TRY(evaluation_rule(evaluation, scoring.decision, &scoring.rule, error));
    TRY_ALLOC((scoring.verdicts = mem_array(CHUNK, sizeof *scoring.verdicts)) &&
                  (answers->answered = mem_array(count, sizeof *answers->answered)),
              error);
    for (size_t first = 0; first < count; first += CHUNK) {
        size_t here = count - first < CHUNK ? count - first : CHUNK;
        TRY(score_chunk(evaluation, &scoring, first, here, answers->answered + first, error));
        TRY(progress_report(&evaluation->options->progress, "scoring", (double)(first + here),
                            (double)count, error));
    }
done:
    mem_free(scoring.verdicts);
    return status;
}

struct flat model_answers_vectors(const struct model_answers *answers, size_t count)
{
    return (struct flat){answers->vectors, answers->penalty, count,
                         encoder_dim(&answers->model->encoder)};
}

static film_status sweep_neighbours(const struct evaluation *evaluation,
                                    struct model_answers *answers, film_error *error)
{
    const film_eval_options *options = evaluation->options;
    struct flat own = model_answers_vectors(answers, evaluation->own);
    if (!evaluation_has_pairs(evaluation) || !options->k_last || !answers->vectors) return FILM_OK;
    struct labelled_ids pairs = {evaluation->a, evaluation->b, evaluation->label,
                                 evaluation->pairs};
    struct knn_range range = {options->k_first, options->k_last};
    film_status status =
        knn_sweep(&answers->knn, &own, &pairs, range, options->threads, &options->progress, error);
    answers->swept = status == FILM_OK;
    return status;
}

void model_answers_free(struct model_answers *answers)
{
    mem_free(answers->answered);
    mem_free_aligned(answers->vectors);
    mem_free(answers->penalty);
    mem_free(answers->category);
    mem_free(answers->winners.category);
    mem_free(answers->winners.votes);
    mem_free(answers->probability);
    mem_free(answers->same);
    knn_free(&answers->knn);
}

/* Computes the probability of each pair and the decision. */
static film_status decide_pairs(const struct evaluation *evaluation, struct model_answers *answers,
                                film_error *error)
{
    film_status status = FILM_OK;
    const struct knn_curve *curve = &answers->knn.curve[evaluation->variant];
    double threshold = evaluation->options->threshold;
    TRY_ALLOC((answers->probability = mem_array(evaluation->pairs, sizeof(double))) &&
                  (answers->same = mem_array(evaluation->pairs, 1)),
              error);
    for (size_t i = 0; i < evaluation->pairs; i++) {
        double probability = answers->answered[i].probability;
        int same = threshold > 0 ? probability >= threshold : answers->answered[i].same != 0;
        if (evaluation->decide_by_knn) {
            const struct knn_point *best = &curve->points[curve->best];
            same = curve->depth[i] <= best->k;
            probability = same ? best->p_similar : best->p_other;
        }
        answers->probability[i] = probability;
        answers->same[i] = (unsigned char)same;
    }
done:
    return status;
}

film_status model_answers_pairs(const struct evaluation *evaluation, struct model_answers *answers,
                                film_error *error)
{
    film_status status = FILM_OK;
    TRY(score(evaluation, answers, error));
    TRY(sweep_neighbours(evaluation, answers, error));
    TRY(decide_pairs(evaluation, answers, error));
done:
    return status;
}
