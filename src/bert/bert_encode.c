/* Encodes many sentences: tokenizes all, then divides them into packs of about equal size, which
 * the threads share. The forward pass is in bert_forward.c. */
#include "bert/bert_parts.h"
#include "base/mem.h"
#include "base/threads.h"
#include "embed/vec.h"
#include "la/blas.h"

#include <math.h>
#include <string.h>

/* Tokens per pack: enough rows for BLAS to be efficient, few enough that the output of a layer
 * stays in the cache of a core. */
enum { PACK_TOKENS = 512, CHUNK = 64 };

/* ---- Tokens ---- */

/* The tokens of all texts. Each chunk of texts has one block. */
struct token_lists {
    uint32_t **ids; /* by text */
    uint32_t *lengths;
    uint32_t **block; /* by chunk of texts */
    size_t chunks;
    size_t longest;
};

static void token_lists_free(struct token_lists *tokens)
{
    for (size_t s = 0; tokens->block && s < tokens->chunks; s++) mem_free(tokens->block[s]);
    mem_free(tokens->block);
    mem_free(tokens->ids);
    mem_free(tokens->lengths);
}

/* The texts to tokenize, with at most MOST tokens of each. */
struct token_source {
    const struct bert *bert;
    const film_text *texts;
    size_t count, most;
    struct token_lists *out;
};

/* Scratch memory of one thread. */
struct token_reader {
    struct wordpiece_scratch scratch;
    uint32_t *spare; /* most */
};

/* Tokenizes texts FIRST .. END into one block. */
static film_status read_chunk(const struct token_source *reading, size_t first, size_t end,
                              struct token_reader *reader, film_error *error)
{
    size_t used = 0, capacity = 0;
    struct token_lists *out = reading->out;
    uint32_t **block = &out->block[first / CHUNK];
    for (size_t i = first; i < end; i++) {
        size_t count = 0;
        film_status status =
            wordpiece_encode(&reading->bert->wordpiece, &reader->scratch, reading->texts[i],
                             reading->most, reader->spare, &count, error);
        if (status != FILM_OK) return status;
        if (!mem_grow((void **)block, &capacity, used + count, sizeof **block))
            return status_no_memory(error);
        memcpy(*block + used, reader->spare, count * sizeof **block);
        out->lengths[i] = (uint32_t)count;
        used += count;
    }
    used = 0;
    for (size_t i = first; i < end; used += out->lengths[i++]) out->ids[i] = *block + used;
    return FILM_OK;
}

static film_status read_some(struct threads_worker *worker, void *user, film_error *error)
{
    const struct token_source *reading = user;
    film_status status = FILM_OK;
    size_t first, end;
    struct token_reader reader = {.spare = mem_array(reading->most, sizeof *reader.spare)};
    TRY_ALLOC(reader.spare, error);
    while (threads_next(worker, &first, &end)) TRY(read_chunk(reading, first, end, &reader, error));
done:
    mem_free(reader.spare);
    wordpiece_scratch_free(&reader.scratch);
    return status;
}

static film_status read_tokens(struct token_source *reading, int threads, film_error *error)
{
    film_status status = FILM_OK;
    struct token_lists *out = reading->out;
    size_t count = reading->count;
    out->chunks = (count + CHUNK - 1) / CHUNK;
    TRY_ALLOC(out->ids = mem_array(count, sizeof *out->ids), error);
    TRY_ALLOC(out->lengths = mem_array(count, sizeof *out->lengths), error);
    TRY_ALLOC(out->block = mem_zeroed(out->chunks, sizeof *out->block), error);
    TRY(threads_for(threads, count, CHUNK, read_some, reading, error));
    for (size_t i = 0; i < count; i++)
        if (out->lengths[i] > out->longest) out->longest = out->lengths[i];
done:
    return status;
}

/* ---- Packs ---- */

/* START (count + 1) = the first text of each pack. With few tokens there is a pack per thread. */
static size_t cut_packs(const uint32_t *lengths, size_t count, int threads, size_t *start)
{
    size_t total = 0, packs = 0, tokens = 0;
    for (size_t i = 0; i < count; i++) total += lengths[i];
    size_t limit = (total + (size_t)threads - 1) / (size_t)threads;
    if (limit > PACK_TOKENS) limit = PACK_TOKENS;
    for (size_t i = 0; i < count; tokens += lengths[i++])
        if (i == 0 || tokens + lengths[i] > limit) {
            start[packs++] = i;
            tokens = 0;
        }
    start[packs] = count;
    return packs;
}

/* Receives the last layer of sentence I (LENGTH x hidden). Returns 0 when a value is not finite. */
typedef int (*taker)(void *user, const struct bert *bert, size_t i, const float *states,
                     size_t length);

struct encode_job {
    const struct bert *bert;
    const struct token_lists *tokens;
    const size_t *start; /* first text of each pack */
    size_t packs;
    taker take;
    void *user;
};

static int run_pack(const struct encode_job *job, size_t p, struct bert_buffers *buffers)
{
    const struct bert *bert = job->bert;
    size_t first = job->start[p], count = job->start[p + 1] - first, at = 0;
    const uint32_t *lengths = job->tokens->lengths + first;
    struct bert_pack pack = {(const uint32_t *const *)job->tokens->ids + first, lengths, count, 0};
    for (size_t i = 0; i < count; i++) pack.tokens += lengths[i];
    bert_forward(&bert->config, &bert->weights, &pack, buffers);
    int finite = 1;
    for (size_t i = 0; i < count; at += lengths[i++])
        finite &= job->take(job->user, bert, first + i, buffers->states + at * bert->config.hidden,
                            lengths[i]);
    return finite;
}

static film_status run_some(struct threads_worker *worker, void *user, film_error *error)
{
    const struct encode_job *job = user;
    struct bert_buffers buffers;
    size_t p, end, longest = job->tokens->longest;
    film_status status =
        bert_buffers_init(&buffers, &job->bert->config,
                          longest > PACK_TOKENS ? longest : PACK_TOKENS, longest, error);
    while (status == FILM_OK && threads_next(worker, &p, &end))
        if (!run_pack(job, p, &buffers))
            status = status_set(error, FILM_BAD_INPUT,
                                "encoder: its weights produce values that are not finite");
    bert_buffers_free(&buffers);
    return status;
}

static film_status encode_texts(struct token_source *reading, int threads, taker take, void *user,
                                film_error *error)
{
    film_status status = FILM_OK;
    struct encode_job job = {
        .bert = reading->bert, .tokens = reading->out, .take = take, .user = user};
    size_t *start = NULL;
    threads = threads_count(threads);
    blas_begin();
    TRY(read_tokens(reading, threads, error));
    TRY_ALLOC(start = mem_array(reading->count + 1, sizeof *start), error);
    job.start = start;
    job.packs = cut_packs(reading->out->lengths, reading->count, threads, start);
    TRY(threads_for(threads, job.packs, 1, run_some, &job, error));
done:
    blas_end();
    mem_free(start);
    return status;
}

/* ---- Vectors ---- */

static double pool_column(enum bert_pooling pooling, const float *column, size_t hidden,
                          size_t length)
{
    double sum = (double)column[0];
    if (pooling == BERT_CLS) return sum;
    for (size_t t = 1; t < length; t++) {
        double value = (double)column[t * hidden];
        if (pooling == BERT_MEAN)
            sum += value;
        else if (value > sum)
            sum = value;
    }
    return pooling == BERT_MEAN ? sum / (double)length : sum;
}

static int pool_states(void *user, const struct bert *bert, size_t i, const float *states,
                       size_t length)
{
    size_t hidden = bert->config.hidden;
    float *out = (float *)user + i * hidden;
    int finite = 1;
    for (size_t d = 0; d < hidden; d++) {
        out[d] = (float)pool_column(bert->pool.pooling, states + d, hidden, length);
        finite &= isfinite(out[d]) != 0;
    }
    if (bert->pool.normalise) vec_normalise(out, hidden);
    return finite;
}

film_status bert_encode(const struct bert *bert, const film_text *texts, size_t count, int threads,
                        float *out, film_error *error)
{
    struct token_lists tokens = {0};
    struct token_source reading = {bert, texts, count, bert->pool.most_tokens, &tokens};
    film_status status = encode_texts(&reading, threads, pool_states, out, error);
    token_lists_free(&tokens);
    return status;
}

static int keep_states(void *user, const struct bert *bert, size_t i, const float *states,
                       size_t length)
{
    const struct bert_states *kept = user;
    size_t hidden = bert->config.hidden;
    float *out = kept->values + i * kept->most * hidden;
    int finite = 1;
    for (size_t v = 0; v < length * hidden; v++) finite &= isfinite(states[v]) != 0;
    memcpy(out, states, length * hidden * sizeof *out);
    memset(out + length * hidden, 0, (kept->most - length) * hidden * sizeof *out);
    return finite;
}

film_status bert_encode_tokens(const struct bert *bert, const film_text *texts, size_t count,
                               int threads, struct bert_states *out, film_error *error)
{
    struct token_lists tokens = {0};
    size_t most = out->most;
    if (most < 2) return status_set(error, FILM_USAGE, "a sentence has at least 2 tokens");
    size_t read = most < bert->pool.most_tokens ? most : bert->pool.most_tokens;
    struct token_source reading = {bert, texts, count, read, &tokens};
    film_status status = encode_texts(&reading, threads, keep_states, out, error);
    if (status == FILM_OK && count)
        memcpy(out->lengths, tokens.lengths, count * sizeof *out->lengths);
    token_lists_free(&tokens);
    return status;
}
