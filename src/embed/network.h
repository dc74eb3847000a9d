/* A network that turns sentences into vectors, as the encoder sees it: a table of functions and a
 * few numbers.
 *
 * Computing such a network (a BERT encoder, perhaps with the black box on top) takes a matrix
 * library, which answering from words does not need. So its code is in another library, which
 * registers this table; without it a model that has a network is refused with the name of what is
 * missing. */
#ifndef EMBED_NETWORK_H
#define EMBED_NETWORK_H

#include "base/safetensors.h"

struct network_interface;

/* The beginning of what network_interface.open returns; the rest is the implementation's. */
struct network {
    const struct network_interface *interface;
    size_t dim;    /* numbers of a vector */
    size_t room;   /* most texts it makes sense to encode ahead of asking for them */
    int black_box; /* its vectors cannot be explained, and there is no map on top of them */
};

/* What a model file holds of a network. */
struct network_file {
    struct safetensors_tensor *tensors; /* their data belongs to the network */
    size_t count;
    char *bert, *deep; /* metadata, as JSON; deep: NULL without a black box */
};

struct network_interface {
    /* From the tensors and the metadata "bert" and "deep" of FILE, which stays open as long as the
     * network. Nothing in it is trusted. PATH is for messages. */
    film_status (*open)(struct safetensors *file, const char *path, struct network **out,
                        film_error *error);
    void (*free)(struct network *network);

    /* OUT (count x dim) = the vectors of TEXTS, each of its text alone. Any number of threads may
     * ask. */
    film_status (*encode)(const struct network *network, const film_text *texts, size_t count,
                          int threads, float *out, film_error *error);

    /* What to write so that `open` makes the same network of it. */
    film_status (*save)(const struct network *network, struct network_file *out, film_error *error);
};

/* Makes INTERFACE the one that network_open uses. Any thread, any number of times. */
void network_register(const struct network_interface *interface);

/* FILM_NEEDS_LIBRARY where nothing is registered. */
film_status network_open(struct safetensors *file, const char *path, struct network **out,
                         film_error *error);
void network_free(struct network *network);
void network_file_free(struct network_file *file);

static inline film_status network_encode(const struct network *network, const film_text *texts,
                                         size_t count, int threads, float *out, film_error *error)
{
    return network->interface->encode(network, texts, count, threads, out, error);
}

#endif
