/* Implements embed/network.h: encodes sentences that are not in memory, and opens and saves the
 * encoder's part of a model file. The memory is a set-associative cache of fixed size. The
 * mathematics is in bert_forward.c and deep.c. */
#include "bert/network.h"
#include "base/keytab.h"
#include "base/mem.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* The size of the cache; the system allocates only pages that are used. A build for fuzzing, which
 * opens thousands of networks per second, has a smaller one. */
#ifndef NETWORK_MEMORY
#define NETWORK_MEMORY ((size_t)64 << 20)
#endif
/* Associativity: the number of slots a text may be stored in. Slots are replaced round-robin. */
enum { WAYS = 4 };

struct bert_network {
    struct network base; /* must be first: the public part */
    struct network_parts parts;
    int rounded; /* as it was trained, however it computes now */
    struct vector_cache *cache;
    struct memo {
        pthread_mutex_t lock;
        size_t sets; /* a power of two */
        struct vector_key *key;
        unsigned char *turn;
        float *vector;
    } * memo; /* allocated separately: a const network may cache, as caching changes no result */
};

static const struct bert_network *mine(const struct network *network)
{
    return (const struct bert_network *)network;
}

void network_parts_free(struct network_parts *parts)
{
    bert_free(parts->bert);
    deep_words_free(&parts->words);
    deep_free(&parts->head);
    *parts = (struct network_parts){.bert = NULL};
}

film_status network_new(struct network_parts *parts, struct network **out, film_error *error)
{
    film_status status = FILM_OK;
    struct bert_network *network = mem_zeroed(1, sizeof *network);
    struct memo *memo = NULL;
    size_t sets = 1;
    int black_box = parts->head.shape.dim > 0;
    *out = NULL;
    if (!network) network_parts_free(parts);
    TRY_ALLOC(network, error);
    network->parts = *parts;
    *parts = (struct network_parts){.bert = NULL}; /* moved: the caller may still free it */
    network->base = (struct network){.interface = &bert_network,
                                     .dim = black_box ? deep_dim(&network->parts.head)
                                                      : bert_dim(network->parts.bert),
                                     .black_box = black_box};
    if (network->parts.bert) {
        network->base.arithmetic = bert_arithmetic(network->parts.bert);
        network->rounded = bert_is_rounded(network->parts.bert);
    }
    size_t row = network->base.dim * sizeof(float);
    while (2 * sets * WAYS * row <= NETWORK_MEMORY && sets < 16384) sets *= 2;
    network->base.room = sets * WAYS / 2; /* half of the slots: texts are distributed unevenly */
    TRY_ALLOC(memo = network->memo = mem_zeroed(1, sizeof *memo), error);
    memo->sets = sets;
    TRY_ALLOC((memo->key = mem_zeroed(sets * WAYS, sizeof *memo->key)) &&
                  (memo->turn = mem_zeroed(sets, 1)) &&
                  (memo->vector = mem_array(sets * WAYS, row)),
              error);
    pthread_mutex_init(&memo->lock, NULL);
    *out = &network->base;
done:
    if (status != FILM_OK && network) network_free(&network->base);
    return status;
}

static void free_network(struct network *base)
{
    struct bert_network *network = (struct bert_network *)base;
    network_parts_free(&network->parts);
    if (network->memo) {
        if (network->memo->vector) pthread_mutex_destroy(&network->memo->lock);
        mem_free(network->memo->key);
        mem_free(network->memo->turn);
        mem_free(network->memo->vector);
    }
    mem_free(network->memo);
    mem_free(network);
}

const struct deep *network_head(const struct network *network)
{
    return network->black_box ? &mine(network)->parts.head : NULL;
}

film_status network_tokens(const struct network *network, const film_text *texts, size_t count,
                           int threads, struct bert_states *out, film_error *error)
{
    const struct network_parts *parts = &mine(network)->parts;
    return parts->bert ? bert_encode_tokens(parts->bert, texts, count, threads, out, error)
                       : deep_words_encode(&parts->words, texts, count, threads, out, error);
}

void network_use_cache(struct network *network, struct vector_cache *cache)
{
    ((struct bert_network *)network)->cache = cache;
}

/* ---- The cache; the caller holds the lock ---- */

static int find_vector(const struct bert_network *network, struct vector_key key, float *out)
{
    const struct memo *memo = network->memo;
    size_t set = key.low & (memo->sets - 1), dim = network->base.dim;
    for (size_t place = set * WAYS; place < (set + 1) * WAYS; place++)
        if (memo->key[place].low == key.low && memo->key[place].high == key.high) {
            memcpy(out, memo->vector + place * dim, dim * sizeof *out);
            return 1;
        }
    return 0;
}

static void store_vector(const struct bert_network *network, struct vector_key key,
                         const float *vector)
{
    struct memo *memo = network->memo;
    size_t set = key.low & (memo->sets - 1), dim = network->base.dim;
    size_t place = set * WAYS + memo->turn[set];
    memo->turn[set] = (unsigned char)((memo->turn[set] + 1) % WAYS);
    memo->key[place] = key;
    memcpy(memo->vector + place * dim, vector, dim * sizeof *vector);
}

/* ---- Encoding ---- */

/* Applies the head to token matrices, a few at a time because they are large. */
static film_status apply_head(const struct bert_network *network, const film_text *texts,
                              size_t count, int threads, float *out, film_error *error)
{
    enum { SOME = 128 };
    film_status status = FILM_OK;
    const struct deep *head = &network->parts.head;
    size_t some = count < SOME ? count : SOME;
    uint32_t lengths[SOME];
    float *matrices = mem_array(some * head->shape.tokens, head->shape.dim * sizeof *matrices);
    TRY_ALLOC(matrices, error);
    for (size_t first = 0; first < count; first += some) {
        size_t here = count - first < some ? count - first : some;
        TRY(network_tokens(&network->base, texts + first, here, threads,
                           &(struct bert_states){matrices, lengths, head->shape.tokens}, error));
        TRY(deep_vectors(head, matrices, here, threads, out + first * deep_dim(head), error));
    }
done:
    mem_free(matrices);
    return status;
}

/* The texts that are not cached, each once. */
struct missing {
    struct keytab seen;
    film_text *texts;
    struct vector_key *keys;
    uint32_t *number; /* per requested text: its index among the missing; KEYTAB_NONE: found */
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

static film_status look_up_texts(const struct bert_network *network, const film_text *texts,
                                 size_t count, struct missing *missing, float *out,
                                 film_error *error)
{
    film_status status = FILM_OK;
    size_t dim = network->base.dim;
    TRY(keytab_init(&missing->seen, error));
    TRY_ALLOC((missing->texts = mem_array(count, sizeof *missing->texts)) &&
                  (missing->keys = mem_array(count, sizeof *missing->keys)) &&
                  (missing->number = mem_array(count, sizeof *missing->number)),
              error);
    for (size_t i = 0; i < count; i++) {
        struct vector_key key = vector_key_of(texts[i]);
        missing->number[i] = KEYTAB_NONE;
        pthread_mutex_lock(&network->memo->lock);
        int found = find_vector(network, key, out + i * dim);
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

static film_status encode_network(const struct network *base, const film_text *texts, size_t count,
                                  int threads, float *out, film_error *error)
{
    film_status status = FILM_OK;
    const struct bert_network *network = mine(base);
    size_t dim = network->base.dim;
    struct missing missing = {0};
    TRY(look_up_texts(network, texts, count, &missing, out, error));
    if (missing.count == 0) goto done;
    TRY_ALLOC(missing.vectors = mem_array(missing.count, dim * sizeof(float)), error);
    TRY(base->black_box
            ? apply_head(network, missing.texts, missing.count, threads, missing.vectors, error)
            : bert_encode(network->parts.bert, missing.texts, missing.count, threads,
                          missing.vectors, error));
    pthread_mutex_lock(&network->memo->lock);
    for (size_t m = 0; m < missing.count; m++)
        store_vector(network, missing.keys[m], missing.vectors + m * dim);
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

/* ---- In a model file ---- */

static film_status open_network_file(struct safetensors *file, const struct features *features,
                                     const char *path, struct network **out, film_error *error)
{
    film_status status = FILM_OK;
    const char *settings = safetensors_metadata(file, "bert");
    const char *deep = safetensors_metadata(file, "deep");
    struct network_parts parts = {.bert = NULL};
    char name[300];
    snprintf(name, sizeof name, "%.200s: %s", path, settings ? "bert" : "deep");
    TRY(settings ? bert_from_file(file, settings, name, &parts.bert, error)
                 : deep_words_from_file(&parts.words, file, features, name, error));
    snprintf(name, sizeof name, "%.200s: deep", path);
    if (deep)
        TRY(deep_from_file(&parts.head, file, deep,
                           settings ? bert_dim(parts.bert) : parts.words.width, name, error));
    TRY(network_new(&parts, out, error));
done:
    network_parts_free(&parts);
    return status;
}

/* Vectors of the other arithmetic are forgotten. */
static film_status round_network(struct network *base, int rounded, film_error *error)
{
    struct bert_network *network = (struct bert_network *)base;
    struct memo *memo = network->memo;
    film_status status = bert_round(network->parts.bert, rounded, error);
    base->arithmetic = bert_arithmetic(network->parts.bert);
    memset(memo->key, 0, memo->sets * WAYS * sizeof *memo->key);
    return status;
}

/* Writes the black box first, then the encoder or the word vectors below it. */
static film_status save_network(const struct network *base, struct network_file *out,
                                film_error *error)
{
    film_status status = FILM_OK;
    const struct network_parts *parts = &mine(base)->parts;
    const struct bert *bert = parts->bert;
    const struct deep *head = network_head(base);
    size_t first = head ? DEEP_TENSORS : 0;
    *out = (struct network_file){.count = first + (bert ? bert_tensor_count(bert) : 1)};
    TRY_ALLOC(out->tensors = mem_array(out->count, sizeof *out->tensors), error);
    if (head) deep_tensors(head, out->tensors);
    if (bert) {
        TRY(bert_tensors(bert, out->tensors + first, &out->lengths, error));
        TRY(bert_settings(bert, mine(base)->rounded, &out->bert, error));
    } else {
        deep_words_tensor(&parts->words, out->tensors + first);
    }
    if (head) TRY(deep_settings(head, &out->deep, error));
done:
    if (status != FILM_OK) network_file_free(out);
    return status;
}

const struct network_interface bert_network = {.open = open_network_file,
                                               .free = free_network,
                                               .encode = encode_network,
                                               .round = round_network,
                                               .save = save_network};
