/* FILM-BERT's first step: opens the encoder and encodes every sentence once, in chunks between
 * which it can be cancelled. The methods learn from the vectors. */
#include "learn/learn_network.h"
#include "base/mem.h"

/* The size limit of the cache, for all encoders together. */
#define CACHE_MOST ((uint64_t)4 << 30)
/* Sentences between two checks for cancellation. */
enum { CHUNK = 2048 };

film_status learn_network_open(const film_train_options *options, struct network **network,
                               struct vector_cache **cache, film_error *error)
{
    film_status status = FILM_OK;
    struct network_parts parts = {.bert = NULL};
    int deep = options->method == FILM_METHOD_DEEP;
    TRY(bert_open(options->bert, &parts.bert, error));
    TRY(bert_round(parts.bert, options->arithmetic == FILM_ARITHMETIC_INT8, error));
    const struct bert *bert = parts.bert; /* the network's from network_new on */
    if (deep) TRY(learn_deep_start(options, bert_dim(bert), &parts.head, error));
    TRY(network_new(&parts, network, error));
    if (options->cache && !deep) /* the cache holds the encoder's own vectors */
        TRY(vector_cache_open(options->cache, bert_fingerprint(bert), bert_dim(bert), CACHE_MOST,
                              cache, error));
    network_use_cache(*network, *cache);
done:
    network_parts_free(&parts);
    return status;
}

film_status learn_network_words(const film_train_options *options, const struct features *features,
                                struct word_vectors *vectors, struct network **network,
                                film_error *error)
{
    film_status status = FILM_OK;
    struct network_parts parts = {
        .words = {features, vectors->rows, vectors->width, vectors->rows}};
    vectors->rows = NULL;
    TRY(learn_deep_start(options, vectors->width, &parts.head, error));
    TRY(network_new(&parts, network, error));
done:
    network_parts_free(&parts);
    return status;
}

/* OUT (sentences x dim; NULL: only cached) = the vectors of SENTENCES. *ENCODED accumulates over
 * several calls. */
static film_status encode_table(const struct encode_input *input, const struct strtab *sentences,
                                float *out, size_t *encoded, size_t total, film_error *error)
{
    film_status status = FILM_OK;
    size_t dim = input->network->dim;
    film_text texts[CHUNK];
    float *scratch = out ? NULL : mem_array(CHUNK, dim * sizeof *scratch);
    TRY_ALLOC(out || scratch, error);
    for (uint32_t first = 0; first < sentences->count; first += CHUNK) {
        uint32_t here = sentences->count - first < CHUNK ? sentences->count - first : CHUNK;
        for (uint32_t i = 0; i < here; i++) texts[i] = strtab_get(sentences, first + i);
        TRY(progress_report(&input->options->progress, "encoding", (double)*encoded, (double)total,
                            error));
        TRY(network_encode(input->network, texts, here, input->options->threads,
                           out ? out + first * dim : scratch, error));
        *encoded += here;
    }
done:
    mem_free(scratch);
    return status;
}

film_status learn_network_encode(const struct encode_input *input, float **vectors,
                                 film_error *error)
{
    film_status status = FILM_OK;
    const struct strtab *own = &input->corpus->sentences, *dev = &input->dev->sentences;
    const struct vector_cache *cache = input->cache;
    size_t total = (size_t)own->count + (input->dev->rows ? dev->count : 0), encoded = 0;
    TRY_ALLOC(*vectors = mem_array(own->count, input->network->dim * sizeof(float)), error);
    TRY(encode_table(input, own, *vectors, &encoded, total, error));
    if (input->dev->rows) TRY(encode_table(input, dev, NULL, &encoded, total, error));
    training_log_count(input->log, "encoded", total);
    training_log_phase(input->log, "encoding");
    if (cache)
        training_log_remark(input->log, "from_cache",
                            json_integer((json_int_t)vector_cache_hits(cache)));
    if (cache && vector_cache_problem(cache))
        training_log_remark(input->log, "cache_problem", json_string(vector_cache_problem(cache)));
done:
    return status;
}
