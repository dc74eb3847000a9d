/* A BERT encoder read from a Hugging Face folder: turns sentences into vectors with a pretrained
 * network.
 *
 * Read are BERT, MiniLM and DistilBERT folders as downloaded, and sentence-transformers folders
 * made of them; docs/explanation/bert.md lists files and settings. A vector depends on its sentence
 * alone, neither on those encoded with it nor on the number of threads: to the last bit with
 * OpenBLAS's AVX-512 kernels and after bert_round, within 2e-6 with kernels that add up the rows of
 * a product in different orders (Haswell's). */
#ifndef BERT_BERT_H
#define BERT_BERT_H

#include "base/safetensors.h"

/* Immutable after opening; any number of threads may use it. */
struct bert;

film_status bert_open(const char *folder, struct bert **out, film_error *error);
void bert_free(struct bert *bert);

/* ROUNDED: rounds weights, and from then on activations, to 8 bits: faster where the machine
 * multiplies bytes (AVX-512 VNNI), slightly different vectors (docs/explanation/bert.md). 0: back
 * to floats. Before the encoder is shared by threads. A failure leaves floats. */
film_status bert_round(struct bert *bert, int rounded, film_error *error);

int bert_is_rounded(const struct bert *bert);
/* The same in a word: "int8" or "float". */
const char *bert_arithmetic(const struct bert *bert);

size_t bert_dim(const struct bert *bert);

/* Tokens read per sentence, [CLS] and [SEP] included; longer sentences are truncated. */
size_t bert_most_tokens(const struct bert *bert);

/* ---- As part of a model file (docs/reference/model-file.md): tensors called bert.* and settings
 * as JSON ---- */

/* The settings to store with the tensors, and whether the encoder that is read from them is
 * ROUNDED; free with mem_free. */
film_status bert_settings(const struct bert *bert, int rounded, char **json, film_error *error);

/* The tensors to store, in the types they were read in; they belong to the encoder, but for
 * *LENGTHS, which the caller frees. */
size_t bert_tensor_count(const struct bert *bert);
film_status bert_tensors(const struct bert *bert, struct safetensors_tensor *out, uint8_t **lengths,
                         film_error *error);

/* Creates an encoder from FILE, which must stay open, and from the text of its settings. Both are
 * validated. NAME is used in messages. */
film_status bert_from_file(struct safetensors *file, const char *settings, const char *name,
                           struct bert **out, film_error *error);

/* A hash of everything that determines the vectors (weights, vocabulary, settings), independent of
 * the files they came from. */
uint64_t bert_fingerprint(const struct bert *bert);

/* Describes what was read as one JSON object; free with mem_free. */
film_status bert_describe(const struct bert *bert, char **json, film_error *error);

/* OUT (count x dim) = the vectors of TEXTS, pooled as the folder specifies (mean by default).
 * THREADS 0 uses all cores. */
film_status bert_encode(const struct bert *bert, const film_text *texts, size_t count, int threads,
                        float *out, film_error *error);

/* Where the last layer of COUNT texts is written. */
struct bert_states {
    float *values;     /* count x most x dim: a row per token, zeros after the last */
    uint32_t *lengths; /* count: tokens of each text */
    size_t most;       /* at least 2; more than bert_most_tokens are never used */
};

/* The last layer as it is. */
film_status bert_encode_tokens(const struct bert *bert, const film_text *texts, size_t count,
                               int threads, struct bert_states *out, film_error *error);

/* The token ids of one text (capacity MOST), for comparing tokenizers. */
film_status bert_tokenize(const struct bert *bert, film_text text, size_t most, uint32_t *ids,
                          size_t *count, film_error *error);

#endif
