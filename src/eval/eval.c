/* In order: read the file (and the pool), embed every distinct sentence once, score the pairs,
 * sweep k, decide, measure, draw intervals, answer again with the second model, search the pool. */
#include "eval/eval.h"
#include "base/mem.h"
#include "la/openmp.h"
#include "eval/against.h"
#include "eval/answer.h"
#include "eval/categories.h"
#include "eval/run.h"
#include "embed/vec.h"
#include "learn/operating.h"
#include "pair/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STRETCH = 16384 }; /* sentences or pairs between two reports of progress */

/* ---- Embedding and scoring ---- */

/* NAME: of the model where there are two, or NULL. */
static film_status need_vectors(const film_model *model, const char *name, film_error *error)
{
    return encoder_has_vectors(&model->encoder)
               ? FILM_OK
               : status_set(error, FILM_USAGE,
                            "%s%sthis model has no vectors to search (method tfidf); train one "
                            "with method svd, film or rank",
                            name ? name : "", name ? ": " : "");
}

static film_status embed_sentences(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    size_t dim = encoder_dim(&run->model->encoder), count = run->corpus.sentences.count;
    int threads = openmp_use(run->options->threads);
    film_text *texts = mem_array(STRETCH, sizeof *texts);
    TRY_ALLOC(texts, error);
    if (count > SIZE_MAX / dim) TRY(status_no_memory(error));
    TRY_ALLOC(run->vectors = mem_aligned(count * dim, sizeof *run->vectors), error);
    TRY_ALLOC(run->penalty = mem_zeroed(count, sizeof *run->penalty), error);
    for (size_t first = 0; first < count; first += STRETCH) {
        size_t here = count - first < STRETCH ? count - first : STRETCH;
        float *out = run->vectors + first * dim;
        for (size_t i = 0; i < here; i++)
            texts[i] = strtab_get(&run->corpus.sentences, (uint32_t)(first + i));
        TRY(encoder_embed_all(&run->model->encoder, texts, here, threads, out, error));
        encoder_prepare(&run->model->encoder, out, here, threads, run->penalty + first);
        TRY(progress_report(&run->options->progress, "embedding", (double)(first + here),
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

/* COUNT pairs from FIRST on; every process of a job calls it, perhaps with none. VERDICTS has room
 * for them. */
static film_status score_stretch(const struct run *run, const struct match_rule *rule, size_t first,
                                 size_t count, film_verdict *verdicts, struct answered *out,
                                 film_error *error)
{
    film_status status = FILM_OK;
    struct strtab texts = {0};
    uint32_t *numbers = NULL, *at = NULL;
    struct id_pairs ids = {&run->corpus.sentences, run->a + first, run->b + first};
    if (run->comm->size > 1) {
        TRY_ALLOC((numbers = mem_array(2 * count, sizeof *numbers)) &&
                      (at = mem_array(2 * count, sizeof *at)),
                  error);
        memcpy(numbers, ids.a, count * sizeof *numbers);
        memcpy(numbers + count, ids.b, count * sizeof *numbers);
        TRY(strtab_init(&texts, error));
        TRY(run_texts(run, numbers, 2 * count, &texts, at, error));
        ids = (struct id_pairs){&texts, at, at + count};
    }
    struct score_source source = {pair_of_ids, &ids};
    TRY(score_pairs(&run->model->decision, rule, &source, count, run->options->threads, verdicts,
                    error));
    for (size_t i = 0; i < count; i++)
        out[i] = (struct answered){verdicts[i].probability, verdicts[i].log_odds, verdicts[i].same};
done:
    strtab_free(&texts);
    mem_free(numbers);
    mem_free(at);
    return status;
}

/* Each process its share of the pairs; the answers of all are then in every one. */
static film_status score(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    struct match_rule rule;
    const struct comm *comm = run->comm;
    film_answer_options answer = {
        .decision = run->decision, .prior = run->prior, .no_memory = run->options->no_memory};
    size_t processes = (size_t)comm->size, most = (run->pairs + processes - 1) / processes;
    size_t begin = comm_begin(comm, run->pairs, comm->rank);
    size_t mine = comm_begin(comm, run->pairs, comm->rank + 1) - begin;
    struct answered *answered = NULL;
    film_verdict *verdicts = NULL;
    size_t *sizes = mem_array(processes, sizeof *sizes);
    TRY(match_rule(&rule, &run->model->decision, &answer, error));
    TRY_ALLOC(sizes && (answered = mem_array(mine, sizeof *answered)) &&
                  (verdicts = mem_array(STRETCH, sizeof *verdicts)) &&
                  (run->answered = mem_array(run->pairs, sizeof *run->answered)),
              error);
    for (size_t first = 0; first < most; first += STRETCH) {
        size_t left = mine > first ? mine - first : 0, here = left < STRETCH ? left : STRETCH;
        size_t at = first < mine ? first : mine;
        TRY(score_stretch(run, &rule, begin + at, here, verdicts, answered + at, error));
        TRY(progress_report(&run->options->progress, "scoring", (double)(at + here), (double)mine,
                            error));
    }
    for (int p = 0; p < comm->size; p++)
        sizes[p] = (comm_begin(comm, run->pairs, p + 1) - comm_begin(comm, run->pairs, p)) *
                   sizeof *answered;
    TRY(comm_gather(comm, answered, run->answered, sizes, error));
done:
    mem_free(answered);
    mem_free(verdicts);
    mem_free(sizes);
    return status;
}

/* ---- Figures ---- */

/* The first COUNT vectors of this process, as a share of all. */
static struct flat_share vectors_of(const struct run *run, size_t count)
{
    return (struct flat_share){
        run->comm,
        {run->vectors, run->penalty, count, encoder_dim(&run->model->encoder)},
        run->number,
        run->row};
}

static film_status sweep(struct run *run, film_error *error)
{
    const film_eval_options *options = run->options;
    struct flat_share own = vectors_of(run, run->own_here);
    if (!run_has_pairs(run) || !options->k_last || !run->vectors) return FILM_OK;
    film_status status =
        knn_sweep(&run->knn, &own, run->a, run->b, run->label, run->pairs, options->k_first,
                  options->k_last, options->threads, &options->progress, error);
    run->swept = status == FILM_OK;
    return status;
}

static void free_model_part(struct run *run)
{
    mem_free(run->answered);
    mem_free_aligned(run->vectors);
    mem_free(run->penalty);
    knn_free(&run->knn);
}

/* The probability of each pair and what is decided about it. */
static void decide(const struct run *run, double *probability, unsigned char *same)
{
    const struct knn_curve *curve = &run->knn.curve[run->variant];
    for (size_t i = 0; i < run->pairs; i++) {
        probability[i] = run->answered[i].probability;
        same[i] = run->options->threshold > 0 ? probability[i] >= run->options->threshold
                                              : run->answered[i].same != 0;
        if (!run->decide_by_knn) continue;
        const struct knn_point *best = &curve->points[curve->best];
        same[i] = curve->depth[i] <= best->k;
        probability[i] = same[i] ? best->p_similar : best->p_other;
    }
}

static film_status tell_operating(struct run *run, const double *probability, film_error *error)
{
    const film_operating *wanted = run->options->operating;
    struct operating_point point;
    film_status status = operating_choose(wanted, run->prior, probability, run->label, NULL,
                                          run->pairs, &point, error);
    if (status != FILM_OK) return status;
    struct answer_owned *owned = run->result.owned;
    owned->operating = (film_operating_point){.wanted = *wanted,
                                              .threshold = point.threshold,
                                              .reached = point.reached,
                                              .accuracy = point.accuracy,
                                              .precision = point.precision,
                                              .recall = point.recall,
                                              .f1 = point.f1};
    run->result.operating = &owned->operating;
    return FILM_OK;
}

/* The same rows answered by the second model, and both held against each other. */
static film_status compare(struct run *run, const double *probability, const unsigned char *same,
                           film_error *error)
{
    film_status status = FILM_OK;
    struct run other = *run; /* file and options are shared, what is the model's begins empty */
    other.model = run->options->against;
    other.answered = NULL;
    other.vectors = other.penalty = NULL;
    other.knn = (struct knn){0};
    other.swept = 0;
    struct answer_owned *owned = run->result.owned;
    film_comparison *found = &owned->against;
    double *its_probability = mem_array(run->pairs, sizeof *its_probability);
    unsigned char *its_same = mem_array(run->pairs, 1);
    TRY_ALLOC(its_probability && its_same, error);
    TRY(score(&other, error));
    if (run->decide_by_knn) {
        TRY(embed_sentences(&other, error));
        TRY(sweep(&other, error));
    }
    decide(&other, its_probability, its_same);
    const struct against_side side[2] = {{run->names[0], probability, same},
                                         {run->names[1], its_probability, its_same}};
    TRY(against_compare(side, run->label, run->pairs, !run_has_pairs(run), &run->bootstrap, found,
                        owned->sentence, error));
    for (int m = 0; m < 2; m++)
        snprintf(owned->names[m], sizeof owned->names[m], "%s", run->names[m]);
    found->first = owned->names[0];
    found->second = owned->names[1];
    run->result.against = found;
done:
    free_model_part(&other);
    mem_free(its_probability);
    mem_free(its_same);
    return status;
}

static film_status measure_pairs(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    struct measures measures = {0};
    double value[MEASURES], interval[MEASURES][2];
    unsigned set = run_has_pairs(run) ? MEASURES_OF_PAIRS : MEASURES_OF_SCORES;
    double *ranks = mem_array(run->pairs, sizeof *ranks), *log_odds = NULL;
    double *probability = run->probability = mem_array(run->pairs, sizeof *probability);
    unsigned char *same = run->same = mem_array(run->pairs, 1);
    TRY_ALLOC(probability && ranks && same, error);
    decide(run, probability, same);
    TRY(measures_init(&measures, set, probability, run->label, same, run->pairs, error));
    measures_compute(&measures, NULL, ranks, value);
    if (run_has_pairs(run)) run->result.best_threshold = measures_best_threshold(&measures);
    TRY(bootstrap_measures(&run->bootstrap, &measures, interval, error));
    for (int m = 0; m < MEASURES; m++)
        *answer_figure(&run->result, (enum measure)m) =
            (film_figure){value[m], interval[m][0], interval[m][1]};
    if (run->options->operating) TRY(tell_operating(run, probability, error));
    if (run->options->against) TRY(compare(run, probability, same, error));
    if (!run_has_pairs(run)) {
        TRY_ALLOC(log_odds = mem_array(run->pairs, sizeof *log_odds), error);
        for (size_t i = 0; i < run->pairs; i++) log_odds[i] = run->answered[i].log_odds;
        measures_free(&measures);
        TRY(measures_init(&measures, 1u << MEASURE_PEARSON, log_odds, run->label, same, run->pairs,
                          error));
        measures_compute(&measures, NULL, ranks, value);
        run->result.pearson_log_odds = value[MEASURE_PEARSON];
    }
done:
    measures_free(&measures);
    mem_free(ranks);
    mem_free(log_odds);
    return status;
}

/* The share of ones and its interval. */
static film_status put_share(struct run *run, const unsigned char *right, size_t count,
                             film_figure *out, film_error *error)
{
    double interval[2], sum = 0;
    film_status status = bootstrap_share(&run->bootstrap, right, count, interval, error);
    if (status != FILM_OK) return status;
    for (size_t i = 0; i < count; i++) sum += right[i];
    *out = (film_figure){count ? sum / (double)count : NAN, interval[0], interval[1]};
    return FILM_OK;
}

/* The similar one must score higher: equal scores are wrong. */
static film_status measure_triplets(struct run *run, film_error *error)
{
    size_t count = run->pairs / 2;
    unsigned char *right = mem_array(count, 1);
    if (!right) return status_no_memory(error);
    for (size_t i = 0; i < count; i++)
        right[i] = run->answered[2 * i].log_odds > run->answered[2 * i + 1].log_odds;
    film_status status = put_share(run, right, count, &run->result.triplet_accuracy, error);
    mem_free(right);
    return status;
}

static film_status measure_categories(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    const struct corpus *corpus = &run->corpus;
    struct flat_share own = vectors_of(run, run->own_here);
    unsigned char *right[CATEGORIES_DEPTHS] = {NULL};
    uint32_t *category = mem_array(run->own, sizeof *category);
    TRY_ALLOC(category, error);
    for (size_t i = corpus->rows; i-- > 0;) /* a sentence of several counts for its first */
        category[corpus->a[i]] = corpus->category[i];
    for (int d = 0; d < CATEGORIES_DEPTHS; d++) TRY_ALLOC(right[d] = mem_array(run->own, 1), error);
    TRY(categories_vote(&own, category, run->options->threads, &run->options->progress, right,
                        error));
    for (int d = 0; d < CATEGORIES_DEPTHS; d++)
        TRY(put_share(run, right[d], run->own, &run->result.category_accuracy[d], error));
done:
    for (int d = 0; d < CATEGORIES_DEPTHS; d++) mem_free(right[d]);
    mem_free(category);
    return status;
}

static film_status search_pool(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    const film_eval_options *options = run->options;
    struct flat_share pool = vectors_of(run, run->corpus.sentences.count);
    struct answer_owned *owned = run->result.owned;
    if (!options->pool) return FILM_OK;
    TRY(retrieval_measure(&run->found, &pool, run->a, run->b, run->label, run->pairs,
                          options->pool_queries, options->threads, &options->progress, error));
    owned->retrieval = (film_retrieval){.queries = run->found.queries,
                                        .pool = run->found.pool,
                                        .recall_1 = run->found.r1,
                                        .recall_10 = run->found.r10,
                                        .recall_36 = run->found.r36,
                                        .mean_reciprocal_rank = run->found.mrr};
    run->result.retrieval = &owned->retrieval;
done:
    return status;
}

/* ---- All of it ---- */

static film_status prepare(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    const film_eval_options *options = run->options;
    TRY(request_check(run, error));
    TRY(run_read(run, error));
    TRY(request_prior(run, error));
    int needed =
        options->pool || run->corpus.labels == FILM_LABELS_CATEGORIES || run->decide_by_knn;
    if (needed) TRY(need_vectors(run->model, options->against ? run->names[0] : NULL, error));
    if (run->decide_by_knn && options->against)
        TRY(need_vectors(options->against, run->names[1], error));
    if (needed ||
        (run_has_pairs(run) && options->k_last && encoder_has_vectors(&run->model->encoder)))
        TRY(embed_sentences(run, error));
done:
    return status;
}

static film_eval_decision decision_used(const struct run *run)
{
    if (run->decide_by_knn) return FILM_EVAL_KNN;
    int full = run->model->decision.full && run->decision != FILM_DECISION_THRESHOLD;
    return full ? FILM_EVAL_FULL : FILM_EVAL_THRESHOLD;
}

static void describe(struct run *run)
{
    film_eval_result *result = &run->result;
    result->rows = run->corpus.rows;
    result->labels = run->corpus.labels;
    result->sentences = run->own;
    result->skipped = run->corpus.skipped;
    result->decision = decision_used(run);
    result->prior = run->prior;
    if (run->options->threshold > 0) result->threshold = run->options->threshold;
}

static film_status measure(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    describe(run);
    if (run->corpus.labels == FILM_LABELS_CATEGORIES) {
        TRY(measure_categories(run, error));
    } else {
        TRY(score(run, error));
        TRY(sweep(run, error));
        TRY(measure_pairs(run, error));
    }
    if (run->corpus.labels == FILM_LABELS_TRIPLETS) TRY(measure_triplets(run, error));
    if (run->swept) answer_knn(&run->result, &run->knn, run->options->knn);
    TRY(search_pool(run, error));
done:
    return status;
}

/* LOOK (may be NULL) is shown it all. */
static film_status show(const struct run *run, eval_look look, void *user, film_error *error)
{
    if (!look) return FILM_OK;
    json_t *answer = answer_object(&run->result);
    if (!answer) return status_no_memory(error);
    struct eval_view view = {&run->corpus,
                             run->own,
                             run->a,
                             run->b,
                             run->label,
                             run->pairs,
                             run->probability,
                             run->same,
                             run->swept ? &run->knn : NULL,
                             run->variant,
                             run->options->pool ? &run->found : NULL,
                             answer};
    film_status status = look(user, &view, error);
    json_decref(answer);
    return status;
}

/* RESULT gets the figures, unless it is NULL. */
static film_status evaluate(const film_model *model, const char *path,
                            const film_eval_options *options, eval_look look, void *user,
                            film_eval_result *result, film_error *error)
{
    film_status status = FILM_OK;
    struct run run = {
        .model = model, .options = options, .path = path, .comm = comm_of(options->job)};
    /* The figures are the first process's; without intervals they cost the others nothing. */
    run.bootstrap = (struct bootstrap){run.comm->rank == 0 ? options->bootstrap : 0, options->seed,
                                       options->threads, options->progress};
    run.result = answer_nothing();
    TRY(prepare(&run, error));
    TRY(answer_init(&run.result, options->k_last ? options->k_last - options->k_first + 1 : 0,
                    error));
    TRY(measure(&run, error));
    TRY(show(&run, look, user, error));
    if (result) {
        *result = run.result;
        run.result.owned = NULL;
    }
done:
    mem_free(run.result.owned);
    run_free_sentences(&run);
    mem_free(run.a);
    mem_free(run.b);
    mem_free(run.label);
    mem_free(run.probability);
    mem_free(run.same);
    retrieval_free(&run.found);
    free_model_part(&run);
    return status;
}

film_status eval_file(const film_model *model, const char *path, const film_eval_options *options,
                      film_eval_result *result, film_error *error)
{
    return evaluate(model, path, options, NULL, NULL, result, error);
}

film_status eval_and_look(const film_model *model, const char *path,
                          const film_eval_options *options, eval_look look, void *user,
                          film_error *error)
{
    return evaluate(model, path, options, look, user, NULL, error);
}
