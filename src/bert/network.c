/* Encodes sentences in batches and remembers their vectors, in memory and on disk, so that each
 * is encoded once. */
#include "bert/network.h"
#include "base/keytab.h"
#include "base/mem.h"

#include <pthread.h>
#include <string.h>

/* Memory for remembered vectors; pages that are never used are never taken. */
#define MEMORY ((size_t)64 << 20)
enum { WAYS = 4 }; /* places a text may be remembered at; the next to go takes turns */

struct network {
    struct bert *bert;
    struct deep head; /* of no shape: none */
    struct vector_cache *cache;
    struct memo {
        pthread_mutex_t lock;
        size_t sets; /* a power of two */
        struct vector_key *key;
        unsigned char *turn;
        float *vector;
    } * memo; /* its own block: remembering changes no answer, so a const network may */
};

film_status network_new(struct bert *bert, struct deep *head, struct network **out,
                        film_error *error)
{
    film_status status = FILM_OK;
    struct network *network = mem_zeroed(1, sizeof *network);
    struct memo *memo = NULL;
    size_t sets = 1;
    *out = NULL;
    if (!network) {
        bert_free(bert);
        if (head) deep_free(head);
    }
    TRY_ALLOC(network, error);
    network->bert = bert;
    if (head) network->head = *head;
    size_t row = network_dim(network) * sizeof(float);
    while (2 * sets * WAYS * row <= MEMORY && sets < 16384) sets *= 2;
    TRY_ALLOC(memo = network->memo = mem_zeroed(1, sizeof *memo), error);
    memo->sets = sets;
    TRY_ALLOC((memo->key = mem_zeroed(sets * WAYS, sizeof *memo->key)) &&
                  (memo->turn = mem_zeroed(sets, 1)) &&
                  (memo->vector = mem_array(sets * WAYS, row)),
              error);
    pthread_mutex_init(&memo->lock, NULL);
    *out = network;
done:
    if (status != FILM_OK) network_free(network);
    return status;
}

void network_free(struct network *network)
{
    if (!network) return;
    bert_free(network->bert);
    deep_free(&network->head);
    if (network->memo) {
        if (network->memo->vector) pthread_mutex_destroy(&network->memo->lock);
        mem_free(network->memo->key);
        mem_free(network->memo->turn);
        mem_free(network->memo->vector);
    }
    mem_free(network->memo);
    mem_free(network);
}

const struct bert *network_bert(const struct network *network)
{
    return network->bert;
}

size_t network_dim(const struct network *network)
{
    return network->head.shape.dim ? deep_dim(&network->head) : bert_dim(network->bert);
}

const struct deep *network_head(const struct network *network)
{
    return network->head.shape.dim ? &network->head : NULL;
}

void network_use_cache(struct network *network, struct vector_cache *cache)
{
    network->cache = cache;
}

/* Half of the places: texts fall on them unevenly. */
size_t network_room(const struct network *network)
{
    return network->memo->sets * WAYS / 2;
}

/* ---- Remembering; the lock is held ---- */

static int recall(const struct network *network, struct vector_key key, float *out)
{
    const struct memo *memo = network->memo;
    size_t set = key.low & (memo->sets - 1), dim = network_dim(network);
    for (size_t place = set * WAYS; place < (set + 1) * WAYS; place++)
        if (memo->key[place].low == key.low && memo->key[place].high == key.high) {
            memcpy(out, memo->vector + place * dim, dim * sizeof *out);
            return 1;
        }
    return 0;
}

static void remember(const struct network *network, struct vector_key key, const float *vector)
{
    struct memo *memo = network->memo;
    size_t set = key.low & (memo->sets - 1), dim = network_dim(network);
    size_t place = set * WAYS + memo->turn[set];
    memo->turn[set] = (unsigned char)((memo->turn[set] + 1) % WAYS);
    memo->key[place] = key;
    memcpy(memo->vector + place * dim, vector, dim * sizeof *vector);
}

/* ---- Asking ---- */

/* The head reads token matrices, some at a time: they are large. */
static film_status apply_head(const struct network *network, const film_text *texts, size_t count,
                              int threads, float *out, film_error *error)
{
    enum { SOME = 128 };
    film_status status = FILM_OK;
    const struct deep *head = &network->head;
    size_t some = count < SOME ? count : SOME;
    uint32_t lengths[SOME];
    float *matrices = mem_array(some * head->shape.tokens, head->shape.dim * sizeof *matrices);
    TRY_ALLOC(matrices, error);
    for (size_t first = 0; first < count; first += some) {
        size_t here = count - first < some ? count - first : some;
        TRY(bert_encode_tokens(network->bert, texts + first, here, head->shape.tokens, threads,
                               matrices, lengths, error));
        TRY(deep_vectors(head, matrices, here, threads, out + first * deep_dim(head), error));
    }
done:
    mem_free(matrices);
    return status;
}

/* The texts nobody remembered, each once. */
struct missing {
    struct keytab seen;
    film_text *texts;
    struct vector_key *keys;
    uint32_t *number; /* of each text asked for: its place among the missing, KEYTAB_NONE: found */
    float *vectors;
    size_t count;
};

static void missing_free(struct missing *missing)
{
    keytab_free(&missing->seen);
    mem_free(missing->texts);
    mem_free(missing->keys);
    mem_free(missing->number);
    mem_free(missing->vectors);
}

static film_status look_up(const struct network *network, const film_text *texts, size_t count,
                           struct missing *missing, float *out, film_error *error)
{
    film_status status = FILM_OK;
    size_t dim = network_dim(network);
    TRY(keytab_init(&missing->seen, error));
    TRY_ALLOC((missing->texts = mem_array(count, sizeof *missing->texts)) &&
                  (missing->keys = mem_array(count, sizeof *missing->keys)) &&
                  (missing->number = mem_array(count, sizeof *missing->number)),
              error);
    for (size_t i = 0; i < count; i++) {
        struct vector_key key = vector_key_of(texts[i]);
        missing->number[i] = KEYTAB_NONE;
        pthread_mutex_lock(&network->memo->lock);
        int found = recall(network, key, out + i * dim);
        pthread_mutex_unlock(&network->memo->lock);
        if (found || (network->cache && vector_cache_find(network->cache, key, out + i * dim)))
            continue;
        TRY(keytab_add(&missing->seen, key.low, &missing->number[i], error));
        if (missing->number[i] < missing->count) continue;
        missing->texts[missing->count] = texts[i];
        missing->keys[missing->count++] = key;
    }
done:
    return status;
}

film_status network_encode(const struct network *network, const film_text *texts, size_t count,
                           int threads, float *out, film_error *error)
{
    film_status status = FILM_OK;
    size_t dim = network_dim(network);
    struct missing missing = {0};
    TRY(look_up(network, texts, count, &missing, out, error));
    if (missing.count == 0) goto done;
    TRY_ALLOC(missing.vectors = mem_array(missing.count, dim * sizeof(float)), error);
    TRY(network_head(network)
            ? apply_head(network, missing.texts, missing.count, threads, missing.vectors, error)
            : bert_encode(network->bert, missing.texts, missing.count, threads, missing.vectors,
                          error));
    pthread_mutex_lock(&network->memo->lock);
    for (size_t m = 0; m < missing.count; m++)
        remember(network, missing.keys[m], missing.vectors + m * dim);
    pthread_mutex_unlock(&network->memo->lock);
    for (size_t m = 0; network->cache && m < missing.count; m++)
        vector_cache_add(network->cache, missing.keys[m], missing.vectors + m * dim);
    for (size_t i = 0; i < count; i++)
        if (missing.number[i] != KEYTAB_NONE)
            memcpy(out + i * dim, missing.vectors + missing.number[i] * dim, dim * sizeof *out);
done:
    missing_free(&missing);
    return status;
}
