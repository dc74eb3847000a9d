/* Method DEEP: a network on the token matrices of a BERT encoder (learn/deep_learn.h).
 *
 * Matrices are made again for each batch: kept, those of Quora's sentences would take 6 GB even of a small
 * encoder. */
#include "base/mem.h"
#include "learn/deep_learn.h"
#include "train/checkpoint.h"
#include "train/fingerprint.h"
#include "train/verdicts.h"

/* For deep_source. */
struct encoding {
    const struct run *run;
    const struct bert *bert;
    size_t tokens;
    film_text *texts; /* room for the rows of a batch, and how long each is */
    uint32_t *lengths;
};

static film_status encode(void *user, const uint32_t *sentences, size_t count, float *out,
                          film_error *error)
{
    const struct encoding *encoding = user;
    for (size_t i = 0; i < count; i++)
        encoding->texts[i] = strtab_get(&encoding->run->corpus.sentences, sentences[i]);
    return bert_encode_tokens(encoding->bert, encoding->texts, count, encoding->tokens,
                              encoding->run->options->threads, out, encoding->lengths, error);
}

static int on_step(void *user, const struct deep_progress *now)
{
    struct run *run = user;
    progress_note(&run->options->progress, "epoch %.2f, loss %.4f", now->epoch, now->loss);
    return progress_report(&run->options->progress, "network", (double)now->step,
                           (double)now->steps, NULL) != FILM_OK;
}

static void note_learned(struct run *run, const struct deep *deep,
                         const struct deep_learned *learned)
{
    json_t *history = json_array();
    for (size_t i = 0; i < learned->history_count; i++)
        json_array_append_new(
            history, json_pack("[f, f]", learned->history[i].epoch, learned->history[i].loss));
    run_note(run, "network",
             json_pack("{s:s, s:I, s:I, s:I, s:[s, s], s:o}", "stopped",
                       learned->steps_done < learned->steps ? "cancelled" : "end", "steps",
                       (json_int_t)learned->steps_done, "weights",
                       (json_int_t)deep_parameters(deep), "contradictions",
                       (json_int_t)learned->contradictions, "history_columns", "epoch", "loss",
                       "history", history));
    run_note_time(run, "network");
}

static struct deep_options wanted_options(struct run *run)
{
    const film_train_options *from = run->options;
    struct deep_options options;
    deep_defaults(&options);
    options.loss.n_pair = from->deep.loss == FILM_LOSS_NPAIR;
    options.loss.margin = from->deep.margin;
    options.dropout = from->deep.dropout;
    if (from->ranking.temperature > 0) options.loss.temperature = from->ranking.temperature;
    if (from->ranking.rate > 0) options.rate = from->ranking.rate;
    if (from->epochs) options.epochs = from->epochs;
    if (from->batch) options.batch = from->batch;
    options.seed = from->seed;
    options.threads = from->threads;
    options.report = on_step;
    options.user = run;
    return options;
}

/* The network is learned; DEEP's weights are those to use, also when it was stopped. */
static film_status learn(struct run *run, const struct bert *bert, struct deep *deep,
                         film_error *error)
{
    film_status status = FILM_OK;
    struct deep_options options = wanted_options(run);
    struct encoding encoding = {.run = run, .bert = bert, .tokens = deep->shape.tokens};
    struct deep_source source = {&encoding, encode};
    struct deep_learned learned = {0};
    struct verdicts pairs = {0};
    struct checkpoint checkpoint = {0};
    uint64_t encoder = bert_fingerprint(bert);
    TRY_ALLOC((encoding.texts = mem_array(3 * options.batch, sizeof *encoding.texts)) &&
                  (encoding.lengths = mem_array(3 * options.batch, sizeof *encoding.lengths)),
              error);
    TRY(verdicts_make(&pairs, run, error));
    TRY(checkpoint_open(&checkpoint, run,
                        fingerprint_add(verdicts_hash(&pairs), &encoder, sizeof encoder), error));
    options.checkpointer = checkpoint_interface(&checkpoint);
    status = deep_learn(deep, &source, run->corpus.sentences.count, &pairs.labels, &options,
                        &learned, error);
    if (status == FILM_CANCELLED) {
        checkpoint_stopped(&checkpoint, run, learned.steps_done, learned.steps, "steps");
        status = FILM_OK;
    }
    TRY(status);
    note_learned(run, deep, &learned);
done:
    checkpoint_free(&checkpoint);
    verdicts_free(&pairs);
    deep_learned_free(&learned);
    mem_free(encoding.texts);
    mem_free(encoding.lengths);
    return status == FILM_USAGE ? FILM_BAD_INPUT : status; /* what is refused are the labels */
}

film_status learn_deep_start(const struct run *run, size_t width, struct deep *deep,
                             film_error *error)
{
    const film_deep_options *wanted = &run->options->deep;
    struct deep_shape shape = {.tokens = wanted->tokens, .dim = width};
    for (int l = 0; l < DEEP_LAYERS; l++) shape.maps[l] = wanted->maps[l];
    film_status status = deep_plan(deep, &shape, error);
    return status == FILM_OK ? deep_start(deep, run->options->seed, error) : status;
}

film_status learn_deep(struct run *run, film_error *error)
{
    film_model *model = run->model;
    /* The weights are the network's own; nobody has asked it yet, so it remembers nothing of how they were. */
    struct deep deep = *network_head(model->network);
    model->encoder.network = model->network;
    model->encoder.network_dim = model->network->dim;
    return learn(run, network_bert(model->network), &deep, error);
}
