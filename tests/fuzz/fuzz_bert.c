/* Fuzzes the files of a BERT folder. The first byte selects one: c config.json, v vocab.txt, t
 * tokenizer.json, w weights of a small network. Each is refused with a message or usable. */
#include "bert/bert_parts.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition) abort();
}

static void check_message(film_status status, const film_error *error)
{
    if (status != FILM_OK) require(error->message[0] && !strchr(error->message, '\n'));
}

static void try_config(const uint8_t *data, size_t size)
{
    film_error error = {0};
    struct bert_config config;
    film_status status = bert_config_parse(data, size, "fuzz", &config, &error);
    check_message(status, &error);
    if (status == FILM_OK)
        require(config.hidden && config.layers && config.heads && config.inner &&
                config.hidden % config.heads == 0);
}

/* Also encodes the bytes of the vocabulary itself: a text full of its pieces. */
static void try_tokenizer(const uint8_t *data, size_t size, int json)
{
    film_error error = {0};
    struct wordpiece wordpiece = {.rules = wordpiece_default_rules()};
    film_status status = (json ? bert_parse_tokenizer : bert_parse_vocabulary)(data, size, "fuzz",
                                                                               &wordpiece, &error);
    if (status == FILM_OK)
        status = wordpiece_finish(&wordpiece, "[UNK]", "[CLS]", "[SEP]", "fuzz", &error);
    check_message(status, &error);
    if (status == FILM_OK) {
        struct wordpiece_scratch scratch = {0};
        uint32_t ids[40];
        size_t count;
        film_text text = {(const char *)data, size};
        if (wordpiece_encode(&wordpiece, &scratch, text, 40, ids, &count, &error) == FILM_OK) {
            require(count >= 2 && count <= 40);
            for (size_t i = 0; i < count; i++) require(ids[i] < wordpiece.vocabulary.count);
        }
        wordpiece_scratch_free(&scratch);
    }
    wordpiece_free(&wordpiece);
}

static void try_weights(const uint8_t *data, size_t size)
{
    film_error error = {0};
    const struct bert_config config = {.vocabulary = 4,
                                       .hidden = 4,
                                       .inner = 4,
                                       .layers = 1,
                                       .heads = 2,
                                       .positions = 3,
                                       .types = 1,
                                       .epsilon = 1e-12f};
    struct bert_weights weights;
    film_status status = bert_parse_weights(data, size, "fuzz", &config, &weights, &error);
    check_message(status, &error);
    struct bert_buffers buffers;
    if (status == FILM_OK && bert_buffers_init(&buffers, &config, 3, 3, &error) == FILM_OK) {
        const uint32_t ids[] = {2, 0, 3}, *const sentences[] = {ids}, length = 3;
        bert_forward(&config, &weights, &(struct bert_pack){sentences, &length, 1, 3}, &buffers);
        if (bert_weights_round(&weights, &config, &error) == FILM_OK)
            bert_forward(&config, &weights, &(struct bert_pack){sentences, &length, 1, 3},
                         &buffers);
        bert_buffers_free(&buffers);
    }
    bert_weights_free(&weights, &config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    switch (data[0]) {
    case 'c':
        try_config(data + 1, size - 1);
        break;
    case 'v':
        try_tokenizer(data + 1, size - 1, 0);
        break;
    case 't':
        try_tokenizer(data + 1, size - 1, 1);
        break;
    case 'w':
        try_weights(data + 1, size - 1);
        break;
    }
    return 0;
}
