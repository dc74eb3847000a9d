/* A BERT folder of a few kilobytes with random weights, for tests that corrupt it.
 * tests/cli/bert.sh compares the network's results with NumPy. */
#ifndef TINY_BERT_H
#define TINY_BERT_H

#include "base/rng.h"
#include "base/safetensors.h"

#include <sys/stat.h>

/* A test that defines TINY_WIDE gets vectors long enough for the black box. */
#ifdef TINY_WIDE
enum { TINY_HIDDEN = 32 };
#define TINY_HIDDEN_TEXT "32"
#else
enum { TINY_HIDDEN = 12 };
#define TINY_HIDDEN_TEXT "12"
#endif
enum { TINY_INNER = 20, TINY_WORDS = 16, TINY_POSITIONS = 24, TINY_TENSORS = 37, TINY_MOST = 1024 };

#define TINY_CONFIG                                                                       \
    "{\"model_type\": \"bert\", \"vocab_size\": 16, \"hidden_size\": " TINY_HIDDEN_TEXT   \
    ", \"intermediate_size\": 20, \"num_hidden_layers\": 2, \"num_attention_heads\": 2, " \
    "\"max_position_embeddings\": 24, \"type_vocab_size\": 2}"
#define TINY_VOCABULARY \
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\nc\nd\n##a\n##b\n##c\nab\n?\n.\nthe\n"

struct tiny_tensors {
    struct safetensors_tensor tensor[TINY_TENSORS];
    char name[TINY_TENSORS][80];
    float data[TINY_TENSORS][TINY_MOST];
    size_t count;
};

static inline void tiny_add(struct tiny_tensors *all, struct rng *rng, const char *name,
                            uint64_t rows, uint64_t columns)
{
    size_t i = all->count++, count = (size_t)((rows ? rows : 1) * columns);
    snprintf(all->name[i], sizeof all->name[i], "%s", name);
    double around = strstr(name, "LayerNorm.weight") ? 1 : 0,
           width = strstr(name, "bias") ? 0.1 : 0.5;
    for (size_t v = 0; v < count; v++) all->data[i][v] = (float)(around + width * rng_normal(rng));
    all->tensor[i] = (struct safetensors_tensor){.name = all->name[i],
                                                 .type = SAFETENSORS_F32,
                                                 .dims = rows ? 2 : 1,
                                                 .shape = {rows ? rows : columns, columns},
                                                 .data = all->data[i]};
}

static inline void tiny_both(struct tiny_tensors *all, struct rng *rng, const char *name,
                             uint64_t rows, uint64_t columns)
{
    char full[80];
    snprintf(full, sizeof full, "%.60s.weight", name);
    tiny_add(all, rng, full, rows, columns);
    snprintf(full, sizeof full, "%.60s.bias", name);
    tiny_add(all, rng, full, 0, rows ? rows : columns);
}

static inline void tiny_make(struct tiny_tensors *all)
{
    static const struct {
        const char *name;
        uint64_t rows, columns;
    } parts[] = {{"attention.self.query", TINY_HIDDEN, TINY_HIDDEN},
                 {"attention.self.key", TINY_HIDDEN, TINY_HIDDEN},
                 {"attention.self.value", TINY_HIDDEN, TINY_HIDDEN},
                 {"attention.output.dense", TINY_HIDDEN, TINY_HIDDEN},
                 {"attention.output.LayerNorm", 0, TINY_HIDDEN},
                 {"intermediate.dense", TINY_INNER, TINY_HIDDEN},
                 {"output.dense", TINY_HIDDEN, TINY_INNER},
                 {"output.LayerNorm", 0, TINY_HIDDEN}};
    struct rng rng;
    char name[80];
    rng_seed(&rng, 7);
    all->count = 0;
    tiny_add(all, &rng, "embeddings.word_embeddings.weight", TINY_WORDS, TINY_HIDDEN);
    tiny_add(all, &rng, "embeddings.position_embeddings.weight", TINY_POSITIONS, TINY_HIDDEN);
    tiny_add(all, &rng, "embeddings.token_type_embeddings.weight", 2, TINY_HIDDEN);
    tiny_both(all, &rng, "embeddings.LayerNorm", 0, TINY_HIDDEN);
    for (int layer = 0; layer < 2; layer++)
        for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
            snprintf(name, sizeof name, "encoder.layer.%d.%s", layer, parts[p].name);
            tiny_both(all, &rng, name, parts[p].rows, parts[p].columns);
        }
}

static inline size_t tiny_find(const struct tiny_tensors *all, const char *name)
{
    size_t i = 0;
    while (i < all->count && strcmp(all->name[i], name) != 0) i++;
    return i;
}

static inline const char *tiny_path(const char *folder, const char *name)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline void tiny_write(const char *folder, const struct tiny_tensors *all)
{
    film_error why;
    mkdir(folder, 0777);
    write_file(tiny_path(folder, "config.json"), TINY_CONFIG, strlen(TINY_CONFIG));
    write_file(tiny_path(folder, "vocab.txt"), TINY_VOCABULARY, strlen(TINY_VOCABULARY));
    assert_int_equal(safetensors_write(tiny_path(folder, "model.safetensors"), all->tensor,
                                       all->count, NULL, NULL, 0, &why),
                     FILM_OK);
}

static inline void tiny_remove(const char *folder)
{
    static const char *const names[] = {"config.json",
                                        "vocab.txt",
                                        "model.safetensors",
                                        "tokenizer.json",
                                        "tokenizer_config.json",
                                        "modules.json",
                                        "1_Pooling/config.json",
                                        "1_Pooling",
                                        "sentence_bert_config.json",
                                        "model.safetensors.index.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) remove(tiny_path(folder, names[i]));
    rmdir(folder);
}

#endif
