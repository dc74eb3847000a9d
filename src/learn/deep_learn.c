/* Trains the black box (bert/deep.h) on mini-batches of pairs with Adam. Gradients are added in a
 * fixed order, so that the number of threads does not change the result. The caller provides the
 * token matrices. */
#include "learn/deep_learn.h"
#include "base/mem.h"
#include "base/threads.h"
#include "base/union_find.h"
#include "embed/vec.h"
#include "la/blas.h"
#include "learn/adam.h"

#include <math.h>
#include <string.h>

/* Parts of a batch; rows of a triplet. */
enum { PARTS = 16, MOST_ROWS = 3 };

struct deep_run {
    struct deep *deep;
    const struct deep_source *source;
    const struct deep_options *options;
    struct deep_learned *out;
    struct union_find clusters;
    uint32_t *partner;       /* sentences: a known duplicate, or the sentence itself */
    struct rank_pair *pairs; /* positive pairs first */
    size_t pair_count, positives;
    uint32_t *order; /* of the pairs in this epoch */
    size_t batches, steps, step;
    double loss_sum; /* since the last report */
    size_t parameters;
    float *gradient; /* PARTS x parameters */
    float *moment, *square;
    /* The batch: */
    size_t rows;
    uint32_t *sentence, *cluster; /* rows */
    struct deep_triplet *triplets;
    size_t triplet_count;
    float *matrices, *vectors, *slopes;
    struct deep_trace *traces;
};

void deep_defaults(struct deep_options *options)
{
    *options = (struct deep_options){.loss = {.margin = 0.3, .temperature = 14},
                                     .dropout = 0.1,
                                     .rate = 0.001,
                                     .batch = 64,
                                     .epochs = 1,
                                     .report_every = 5,
                                     .seed = 1};
}

void deep_learned_free(struct deep_learned *learned)
{
    mem_free(learned->history);
    memset(learned, 0, sizeof *learned);
}

/* ---- Training data ---- */

static film_status read_deep_labels(struct deep_run *run, size_t sentences,
                                    const struct rank_labels *labels, film_error *error)
{
    film_status status = FILM_OK;
    size_t most = labels->positives + labels->negatives;
    TRY(union_find_init(&run->clusters, sentences, error));
    TRY_ALLOC((run->pairs = mem_array(most, sizeof *run->pairs)) &&
                  (run->order = mem_array(most, sizeof *run->order)) &&
                  (run->partner = mem_array(sentences, sizeof *run->partner)),
              error);
    for (uint32_t s = 0; s < sentences; s++) run->partner[s] = s;
    for (size_t i = 0; i < labels->positives; i++) {
        struct rank_pair pair = labels->positive[i];
        if (pair.a == pair.b) continue;
        union_find_join(&run->clusters, pair.a, pair.b);
        run->partner[pair.a] = pair.b;
        run->partner[pair.b] = pair.a;
        run->pairs[run->pair_count++] = pair;
    }
    run->positives = run->pair_count;
    if (run->positives == 0)
        TRY(status_set(error, FILM_USAGE,
                       "no pair is labelled the same; method deep needs such pairs"));
    for (size_t i = 0; i < labels->negatives; i++) {
        struct rank_pair pair = labels->negative[i];
        if (union_find_root(&run->clusters, pair.a) == union_find_root(&run->clusters, pair.b))
            run->out->contradictions++;
        else
            run->pairs[run->pair_count++] = pair;
    }
done:
    return status;
}

static void shuffle(struct deep_run *run, size_t epoch)
{
    struct rng rng;
    rng_seed_part(&rng, run->options->seed, epoch);
    for (uint32_t i = 0; i < run->pair_count; i++) run->order[i] = i;
    for (size_t i = run->pair_count; i > 1; i--) {
        size_t other = rng_below(&rng, i);
        uint32_t kept = run->order[i - 1];
        run->order[i - 1] = run->order[other];
        run->order[other] = kept;
    }
}

static uint32_t add_sentence_row(struct deep_run *run, uint32_t sentence)
{
    run->sentence[run->rows] = sentence;
    run->cluster[run->rows] = union_find_root(&run->clusters, sentence);
    return (uint32_t)run->rows++;
}

/* Draws part NUMBER of the epoch's pairs; all parts have about the same size. */
static void draw_batch(struct deep_run *run, size_t number, struct rng *rng)
{
    size_t first = run->pair_count * number / run->batches;
    size_t end = run->pair_count * (number + 1) / run->batches;
    run->rows = run->triplet_count = 0;
    for (size_t i = first; i < end; i++) {
        struct rank_pair pair = run->pairs[run->order[i]];
        int swap = (int)(rng_next(rng) >> 63);
        uint32_t a = swap ? pair.b : pair.a, b = swap ? pair.a : pair.b;
        struct deep_triplet *triplet = &run->triplets[run->triplet_count++];
        triplet->anchor = add_sentence_row(run, a);
        if (run->order[i] < run->positives) {
            triplet->positive = add_sentence_row(run, b);
            triplet->negative = DEEP_NO_ROW;
        } else {
            triplet->positive = add_sentence_row(run, run->partner[a]);
            triplet->negative = add_sentence_row(run, b);
        }
    }
}

/* ---- A step ---- */

static uint64_t row_seed(const struct deep_run *run, size_t row)
{
    return ((uint64_t)run->step + 1) * (MOST_ROWS * run->options->batch * 2) + row;
}

/* A forward (SLOPES NULL) or backward pass over the rows. */
struct row_pass {
    struct deep_run *run;
    const float *slopes;
};

/* Passes over the rows of one of the PARTS, which adds to a gradient of its own. */
static void pass_part(const struct row_pass *pass, size_t part, struct deep_scratch *scratch)
{
    struct deep_run *run = pass->run;
    const struct deep *deep = run->deep;
    const float *slopes = pass->slopes;
    size_t size = deep->shape.tokens * deep->shape.dim, dim = deep_dim(deep);
    size_t end = run->rows * (part + 1) / PARTS;
    float *gradient = run->gradient + part * run->parameters;
    if (slopes) memset(gradient, 0, run->parameters * sizeof *gradient);
    for (size_t r = run->rows * part / PARTS; r < end; r++) {
        struct rng rng;
        const float *matrix = run->matrices + r * size;
        rng_seed_part(&rng, run->options->seed, row_seed(run, r));
        if (slopes)
            deep_backward(deep, matrix, run->options->dropout, &run->traces[r], scratch,
                          slopes + r * dim, gradient);
        else
            deep_forward(deep, matrix, run->options->dropout, &rng, &run->traces[r], scratch,
                         run->vectors + r * dim);
    }
}

static film_status pass_some(struct threads_worker *worker, void *user, film_error *error)
{
    const struct row_pass *pass = user;
    struct deep_scratch scratch;
    size_t part, end;
    film_status status = deep_scratch_init(&scratch, pass->run->deep, error);
    while (status == FILM_OK && threads_next(worker, &part, &end)) pass_part(pass, part, &scratch);
    deep_scratch_free(&scratch);
    return status;
}

static film_status pass_rows(struct deep_run *run, const float *slopes, film_error *error)
{
    struct row_pass pass = {run, slopes};
    blas_begin();
    film_status status =
        threads_for(threads_count(run->options->threads), PARTS, 1, pass_some, &pass, error);
    blas_end();
    return status;
}

static void move(struct deep_run *run)
{
    double t = (double)run->step + 1, left = 1 - (double)run->step / (double)run->steps;
    for (size_t part = 1; part < PARTS; part++)
        vec_add_scaled(run->gradient, 1.0f, run->gradient + part * run->parameters,
                       run->parameters);
    struct adam_state adam = {run->moment, run->square};
    adam_step(&adam, t, run->options->rate * left, run->gradient, run->deep->own, run->parameters);
}

static film_status deep_step(struct deep_run *run, film_error *error)
{
    film_status status = FILM_OK;
    double loss;
    struct rng rng;
    rng_seed_part(&rng, run->options->seed ^ 0x5bd1e995, run->step);
    draw_batch(run, run->step % run->batches, &rng);
    TRY(run->source->matrices(run->source->user, run->sentence, run->rows, run->matrices, error));
    TRY(pass_rows(run, NULL, error));
    struct deep_batch batch = {.rows = run->rows,
                               .dim = deep_dim(run->deep),
                               .vectors = run->vectors,
                               .cluster = run->cluster,
                               .triplets = run->triplets,
                               .count = run->triplet_count};
    TRY(deep_loss(&batch, &run->options->loss, &loss, run->slopes, error));
    TRY(pass_rows(run, run->slopes, error));
    move(run);
    run->loss_sum += loss;
    run->step++;
done:
    return status;
}

/* ---- Training ---- */

/* Stores the mean loss of every `report_every` steps. */
static film_status after_step(struct deep_run *run, film_error *error)
{
    const struct deep_options *o = run->options;
    struct deep_learned *out = run->out;
    size_t since = (run->step - 1) % o->report_every + 1;
    struct deep_progress now = {run->step, run->steps, (double)run->step / (double)run->batches,
                                run->loss_sum / (double)since};
    if (since == o->report_every) {
        out->history[out->history_count++] = now;
        run->loss_sum = 0;
    }
    return o->report && o->report(o->user, &now)
               ? status_set(error, FILM_CANCELLED, "stopped during the training of the network")
               : FILM_OK;
}

static film_status allocate_run(struct deep_run *run, film_error *error)
{
    film_status status = FILM_OK;
    const struct deep *deep = run->deep;
    size_t triplets = run->pair_count < run->options->batch ? run->pair_count : run->options->batch;
    size_t rows = MOST_ROWS * triplets, dim = deep_dim(deep) * sizeof(float);
    run->batches = (run->pair_count + run->options->batch - 1) / run->options->batch;
    run->out->steps = run->steps = run->options->epochs * run->batches;
    run->parameters = deep_parameters(deep);
    TRY_ALLOC((run->gradient = mem_array(PARTS * run->parameters, sizeof(float))) &&
                  (run->moment = mem_zeroed(run->parameters, sizeof(float))) &&
                  (run->square = mem_zeroed(run->parameters, sizeof(float))) &&
                  (run->sentence = mem_array(rows, sizeof *run->sentence)) &&
                  (run->cluster = mem_array(rows, sizeof *run->cluster)) &&
                  (run->triplets = mem_array(triplets, sizeof *run->triplets)) &&
                  (run->matrices =
                       mem_array(rows, deep->shape.tokens * deep->shape.dim * sizeof(float))) &&
                  (run->vectors = mem_array(rows, dim)) && (run->slopes = mem_array(rows, dim)) &&
                  (run->out->history = mem_array(run->steps / run->options->report_every + 1,
                                                 sizeof *run->out->history)) &&
                  (run->traces = mem_zeroed(rows, sizeof *run->traces)),
              error);
    for (size_t r = 0; r < rows; r++) TRY(deep_trace_init(&run->traces[r], deep, error));
done:
    return status;
}

static void run_free(struct deep_run *run)
{
    size_t triplets = run->pair_count < run->options->batch ? run->pair_count : run->options->batch;
    for (size_t r = 0; run->traces && r < MOST_ROWS * triplets; r++)
        deep_trace_free(&run->traces[r]);
    union_find_free(&run->clusters);
    void *blocks[] = {run->partner, run->pairs,    run->order,   run->gradient, run->moment,
                      run->square,  run->sentence, run->cluster, run->triplets, run->matrices,
                      run->vectors, run->slopes,   run->traces};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(blocks[i]);
}

film_status deep_learn(struct deep *deep, const struct deep_source *source, size_t sentences,
                       const struct rank_labels *labels, const struct deep_options *options,
                       struct deep_learned *out, film_error *error)
{
    film_status status = FILM_OK;
    struct deep_run run = {.deep = deep, .source = source, .options = options, .out = out};
    memset(out, 0, sizeof *out);
    TRY(read_deep_labels(&run, sentences, labels, error));
    TRY(allocate_run(&run, error));
    while (run.step < run.steps) {
        if (run.step % run.batches == 0) shuffle(&run, run.step / run.batches);
        TRY(deep_step(&run, error));
        TRY(after_step(&run, error));
    }
done:
    run_free(&run);
    return status;
}
