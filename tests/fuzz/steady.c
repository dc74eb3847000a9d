/* Hash seeds come from the system. Here they are always the same, so that an input does in every
 * process what it did when it was found. */
#include "base/rng.h"

uint64_t __wrap_rng_entropy(void);

uint64_t __wrap_rng_entropy(void)
{
    static uint64_t state = 1;
    return state = state * 6364136223846793005u + 1442695040888963407u;
}
