/* Method DEEP: trains a network on token matrices of a BERT encoder or of word vectors. The
 * training loop is in deep_learn.c, the network in bert/deep.c.
 *
 * Matrices are recomputed for each batch: storing those of Quora's sentences would take 6 GB even
 * with a small encoder. */
#include "base/jsonfile.h"
#include "base/mem.h"
#include "learn/deep_learn.h"
#include "learn/learn.h"
#include "learn/learn_network.h"
#include "learn/pair_lists.h"

/* Implements deep_source. */
struct token_matrices {
    const struct strtab *sentences;
    const struct network *network;
    size_t tokens;
    int threads;
    film_text *texts; /* buffers for the rows of a batch, and their lengths */
    uint32_t *lengths;
};

static film_status encode_sentences(void *user, const uint32_t *sentences, size_t count, float *out,
                                    film_error *error)
{
    const struct token_matrices *encoding = user;
    for (size_t i = 0; i < count; i++)
        encoding->texts[i] = strtab_get(encoding->sentences, sentences[i]);
    return network_tokens(encoding->network, encoding->texts, count, encoding->threads,
                          &(struct bert_states){out, encoding->lengths, encoding->tokens}, error);
}

static int on_step(void *user, const struct deep_progress *now)
{
    const film_progress *progress = user;
    progress_note(progress, "epoch %.2f, loss %.4f", now->epoch, now->loss);
    return progress_report(progress, "network", (double)now->step, (double)now->steps, NULL) !=
           FILM_OK;
}

static void note_learned(struct training_log *log, const struct deep *deep,
                         const struct deep_learned *learned)
{
    json_t *history = json_array();
    for (size_t i = 0; i < learned->history_count; i++)
        jsonfile_append(history, json_pack("[f, o]", learned->history[i].epoch,
                                           jsonfile_number(learned->history[i].loss)));
    training_log_note(log, "network",
                      json_pack("{s:I, s:I, s:I, s:[s, s], s:o}", "steps",
                                (json_int_t)learned->steps, "weights",
                                (json_int_t)deep_parameters(deep), "contradictions",
                                (json_int_t)learned->contradictions, "history_columns", "epoch",
                                "loss", "history", history));
    training_log_phase(log, "network");
}

static struct deep_options wanted_options(const struct learn_input *input)
{
    const film_train_options *from = input->options;
    struct deep_options options;
    deep_defaults(&options);
    options.loss.n_pair = from->deep.loss == FILM_LOSS_NPAIR;
    options.loss.margin = from->deep.margin;
    options.dropout = from->deep.dropout;
    if (from->ranking.temperature > 0) options.loss.temperature = from->ranking.temperature;
    if (from->ranking.rate > 0) options.rate = from->ranking.rate;
    if (input->epochs) options.epochs = input->epochs;
    if (input->batch) options.batch = input->batch;
    options.seed = from->seed;
    options.threads = from->threads;
    options.report = on_step;
    return options;
}

static film_status learn(const struct learn_input *input, struct deep *deep, film_error *error)
{
    film_status status = FILM_OK;
    struct deep_options options = wanted_options(input);
    film_progress progress = input->options->progress;
    struct token_matrices encoding = {.sentences = &input->corpus->sentences,
                                      .network = input->network,
                                      .tokens = deep->shape.tokens,
                                      .threads = input->options->threads};
    struct deep_source source = {&encoding, encode_sentences};
    struct deep_learned learned = {0};
    struct pair_lists pairs = {0};
    options.user = &progress;
    TRY_ALLOC((encoding.texts = mem_array(3 * options.batch, sizeof *encoding.texts)) &&
                  (encoding.lengths = mem_array(3 * options.batch, sizeof *encoding.lengths)),
              error);
    TRY(pair_lists_make(&pairs, input->corpus, input->options->seed, error));
    TRY(deep_learn(deep, &source, input->corpus->sentences.count, &pairs.labels, &options, &learned,
                   error));
    note_learned(input->log, deep, &learned);
done:
    pair_lists_free(&pairs);
    deep_learned_free(&learned);
    mem_free(encoding.texts);
    mem_free(encoding.lengths);
    return status;
}

film_status learn_deep_start(const film_train_options *options, size_t width, struct deep *deep,
                             film_error *error)
{
    const film_deep_options *wanted = &options->deep;
    struct deep_shape shape = {.tokens = wanted->tokens, .dim = width};
    for (int l = 0; l < DEEP_LAYERS; l++) shape.maps[l] = wanted->maps[l];
    film_status status = deep_plan(deep, &shape, error);
    return status == FILM_OK ? deep_start(deep, options->seed, error) : status;
}

film_status learn_deep(const struct learn_input *input, struct learned_map *out, film_error *error)
{
    /* The weights belong to the network. Nothing has been encoded yet, so its cache holds no vector
     * of the old weights. */
    struct deep deep = *network_head(input->network);
    out->dim = input->network->dim;
    return learn(input, &deep, error);
}
