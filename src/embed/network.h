/* The interface between the encoder and a neural network that embeds sentences: a table of
 * functions and a few numbers.
 *
 * Such a network (a BERT encoder, or the black box on top of one or of word vectors) needs a matrix
 * library, which matching by words does not. So its code is in another library, which registers
 * this table. Without that library, a model with a network is refused with a message that names the
 * library. */
#ifndef EMBED_NETWORK_H
#define EMBED_NETWORK_H

#include "base/safetensors.h"
#include "embed/features.h"

struct network_interface;

/* The common head of what network_interface.open returns; the implementation adds its own
 * fields. */
struct network {
    const struct network_interface *interface;
    size_t dim;    /* dimension of a vector */
    size_t room;   /* the largest useful number of texts to encode ahead */
    int black_box; /* its vectors cannot be explained, and no map is on top of them */
    /* Of its BERT encoder: "float" or "int8". NULL: it has none, and cannot be rounded. */
    const char *arithmetic;
};

/* The parts of a network that a model file stores. */
struct network_file {
    struct safetensors_tensor *tensors; /* the network owns their data, but for */
    uint8_t *lengths;                   /* of an encoder's vocabulary */
    size_t count;
    char *bert, *deep; /* metadata as JSON; NULL without an encoder, without a black box */
};

struct network_interface {
    /* Opens the network from the tensors and the metadata "bert" and "deep" of FILE, which must
     * stay open as long as the network, as must FEATURES, the model's. All of it is checked. PATH
     * is for messages. */
    film_status (*open)(struct safetensors *file, const struct features *features, const char *path,
                        struct network **out, film_error *error);
    void (*free)(struct network *network);

    /* OUT (count x dim) = the vectors of TEXTS. The vector of a text does not depend on the others.
     * Safe to call from several threads. */
    film_status (*encode)(const struct network *network, const film_text *texts, size_t count,
                          int threads, float *out, film_error *error);

    /* Computes with 8 bits from now on (ROUNDED), or with floats, where it has an arithmetic;
     * `save` ignores it. No thread may use the network meanwhile. */
    film_status (*round)(struct network *network, int rounded, film_error *error);

    /* Returns what to write so that `open` restores the same network. */
    film_status (*save)(const struct network *network, struct network_file *out, film_error *error);
};

/* Sets the interface that network_open uses. Thread-safe; may be called repeatedly. */
void network_register(const struct network_interface *interface);

/* Returns FILM_NEEDS_LIBRARY when no interface is registered. */
film_status network_open(struct safetensors *file, const struct features *features,
                         const char *path, struct network **out, film_error *error);
void network_free(struct network *network);
void network_file_free(struct network_file *file);

static inline film_status network_encode(const struct network *network, const film_text *texts,
                                         size_t count, int threads, float *out, film_error *error)
{
    return network->interface->encode(network, texts, count, threads, out, error);
}

#endif
