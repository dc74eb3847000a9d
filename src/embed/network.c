/* Registers the implementation of networks: one pointer, set by the library that has it. It
 * computes nothing. */
#include "embed/network.h"
#include "base/mem.h"

#include <stdatomic.h>

static const struct network_interface *_Atomic registered;
static void (*_Atomic loader)(void *user);
static void *_Atomic loader_user;

void film_set_encoder_loader(void (*load)(void *user), void *user)
{
    atomic_store(&loader_user, user);
    atomic_store(&loader, load);
}

void network_register(const struct network_interface *interface)
{
    atomic_store(&registered, interface);
}

film_status network_open(struct safetensors *file, const struct features *features,
                         const char *path, struct network **out, film_error *error)
{
    const struct network_interface *interface = atomic_load(&registered);
    void (*load)(void *user) = atomic_load(&loader);
    *out = NULL;
    if (!interface && load) { /* the program may load the library now */
        load(atomic_load(&loader_user));
        interface = atomic_load(&registered);
    }
    if (!interface)
        return status_set(error, FILM_NEEDS_LIBRARY,
                          "%s: this model has a neural network; load libfilm-train and call "
                          "film_train_register() to open it",
                          path);
    return interface->open(file, features, path, out, error);
}

void network_free(struct network *network)
{
    if (network) network->interface->free(network);
}

void network_file_free(struct network_file *file)
{
    mem_free(file->tensors);
    mem_free(file->lengths);
    mem_free(file->bert);
    mem_free(file->deep);
    *file = (struct network_file){.tensors = NULL};
}
