/* Internal declarations of the files bert*.c; no other file includes this header. */
#ifndef BERT_BERT_PARTS_H
#define BERT_BERT_PARTS_H

#include "bert/bert.h"
#include "bert/bert_int8.h"
#include "base/jsonfile.h"
#include "base/safetensors.h"
#include "bert/wordpiece.h"

#include <limits.h>

/* ---- config.json (bert_config.c) ---- */

enum bert_activation { BERT_GELU, BERT_GELU_TANH, BERT_RELU };
enum bert_pooling { BERT_MEAN, BERT_CLS, BERT_MAX };

struct bert_config {
    int distil; /* uses DistilBERT's names of settings and tensors */
    size_t vocabulary, hidden, inner, layers, heads, positions, types;
    float epsilon; /* of the layer norms */
    enum bert_activation activation;
};

struct bert_pool {
    enum bert_pooling pooling;
    int normalise;      /* scale vectors to length 1 */
    size_t most_tokens; /* per sentence */
    int lowercase;      /* lower-case before the tokenizer, whatever the tokenizer does */
};

film_status bert_config_parse(const void *bytes, size_t size, const char *name,
                              struct bert_config *config, film_error *error);

/* Reads modules.json and the files it names, if present. INNER (PATH_MAX) receives the folder with
 * the network: FOLDER itself or a subfolder. */
film_status bert_read_modules(const char *folder, struct bert_pool *pool, char *inner,
                              film_error *error);

/* Reads the limits on sentence length, and whether sentences are lower-cased first. */
film_status bert_read_limits(const char *folder, const struct bert_config *config,
                             struct bert_pool *pool, film_error *error);

/* ---- Reading settings from any JSON file (bert_json.c) ---- */

/* Writes FOLDER/NAME to PATH (PATH_MAX). */
film_status bert_path(const char *folder, const char *name, char *path, film_error *error);
int bert_exists(const char *path);

/* Of a whole number. */
struct bert_limits {
    size_t least, most;
    size_t fallback; /* where it is missing or null; 0: it must be there */
};

/* The whole number called KEY. */
film_status bert_json_size(const json_t *object, const char *key, struct bert_limits limits,
                           const char *name, size_t *out, film_error *error);
/* A truth value; *OUT stays as it is where there is none. */
film_status bert_json_flag(const json_t *object, const char *key, const char *name, int *out,
                           film_error *error);
/* Reads a string owned by OBJECT; *OUT is unchanged when it is missing. */
film_status bert_json_text(const json_t *object, const char *key, const char *name,
                           const char **out, film_error *error);

/* ---- The tokenizer (bert_tokenizer.c) ---- */

/* Reads tokenizer.json, or vocab.txt if there is none, and tokenizer_config.json. */
film_status bert_read_tokenizer(const char *folder, const struct bert_config *config,
                                struct wordpiece *out, film_error *error);
/* Parses the two kinds of vocabulary from memory. The caller zeroes OUT except for its rules; a
 * tokenizer.json sets the rules too. */
film_status bert_parse_vocabulary(const void *bytes, size_t size, const char *name,
                                  struct wordpiece *out, film_error *error);
film_status bert_parse_tokenizer(const void *bytes, size_t size, const char *name,
                                 struct wordpiece *out, film_error *error);

/* ---- Weights (bert_weights.c) ---- */

/* Matrices are stored transposed, inputs x outputs: OpenBLAS is then up to twice as fast on few
 * rows. */
struct bert_layer {
    float *qkv; /* hidden x 3 hidden: query, key and value side by side */
    /* hidden. There is no key bias: it adds the same to all scores of a query, which the softmax
     * cancels. The value bias is folded into mix_bias. */
    float *query_bias;
    float *mix, *mix_bias;   /* hidden x hidden, hidden: the attention's output */
    float *norm, *norm_bias; /* hidden: layer norm after the attention */
    float *up, *up_bias;     /* hidden x inner, inner */
    float *down, *down_bias; /* inner x hidden, hidden */
    float *last_norm, *last_norm_bias;
};

/* The four matrices of a layer. */
enum bert_matrix { BERT_QKV, BERT_MIX, BERT_UP, BERT_DOWN, BERT_MATRICES };

struct bert_weights {
    float *words;     /* vocabulary x hidden */
    float *positions; /* positions x hidden; the embedding of token type 0 is already added */
    float *norm, *norm_bias;
    struct bert_layer *layers;
    float *block;                            /* one allocation that holds all of them */
    size_t count;                            /* floats in the block */
    struct bert_int8 (*int8)[BERT_MATRICES]; /* by layer; NULL when floats are used */
    /* The file they were read from. It stays open: a model that contains the encoder is written
     * from it, so that half-precision tensors stay in half precision. */
    struct tensor_source *source;
    struct safetensors_tensor *tensors; /* named bert.NAME, whatever the file's own names */
    size_t tensor_count, tensor_capacity;
};

film_status bert_read_weights(const char *folder, const struct bert_config *config,
                              struct bert_weights *out, film_error *error);
/* Parses one file in memory. */
film_status bert_parse_weights(const void *bytes, size_t size, const char *name,
                               const struct bert_config *config, struct bert_weights *out,
                               film_error *error);
/* Reads from an open file. The weights take ownership of it unless it is BORROWED; a borrowed file
 * must stay open while they are used. */
film_status bert_take_weights(struct safetensors *file, int borrowed, const char *name,
                              const struct bert_config *config, struct bert_weights *out,
                              film_error *error);
/* bert.c: quantises the matrices to 8 bits, besides the floats. */
film_status bert_weights_round(struct bert_weights *weights, const struct bert_config *config,
                               film_error *error);
void bert_weights_forget_rounded(struct bert_weights *weights, const struct bert_config *config);
void bert_weights_free(struct bert_weights *weights, const struct bert_config *config);

/* ---- The network (bert_forward.c) ---- */

/* A batch of sentences, packed one after the other without padding. */
struct bert_pack {
    const uint32_t *const *ids; /* by sentence */
    const uint32_t *lengths;
    size_t sentences;
    size_t tokens; /* total */
};

/* Buffers for packs of at most TOKENS tokens in total, LONGEST in one sentence. */
struct bert_buffers {
    size_t rows;
    float *states;              /* rows x hidden: the last layer, after bert_forward */
    float *wide, *mixed, *more; /* rows x max(3 hidden, inner), rows x hidden, rows x hidden */
    float *head;                /* scratch of one attention head */
    int8_t *bytes;              /* a group of rows for bert_int8_multiply */
};

film_status bert_buffers_init(struct bert_buffers *buffers, const struct bert_config *config,
                              size_t tokens, size_t longest, film_error *error);
void bert_buffers_free(struct bert_buffers *buffers);

void bert_forward(const struct bert_config *config, const struct bert_weights *weights,
                  const struct bert_pack *pack, struct bert_buffers *buffers);

/* A hash of everything that determines the vectors (bert.c). */
uint64_t bert_hash(const struct bert *bert);

struct bert {
    struct bert_config config;
    struct bert_pool pool;
    struct wordpiece wordpiece;
    struct bert_weights weights;
    uint64_t fingerprint; /* whatever the arithmetic */
};

#endif
