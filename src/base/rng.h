/* Seeded random numbers (xoshiro256++ filled by splitmix64): the same on every machine. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

struct rng {
    uint64_t state[4];
};

void rng_seed(struct rng *rng, uint64_t seed);

/* An independent generator for part NUMBER of a job, so that results do not depend on who runs it.
 */
void rng_seed_part(struct rng *rng, uint64_t seed, uint64_t number);

uint64_t rng_next(struct rng *rng);
uint64_t rng_below(struct rng *rng, uint64_t limit); /* 0 .. limit-1, without bias; limit > 0 */
double rng_uniform(struct rng *rng);                 /* [0, 1) */
double rng_normal(struct rng *rng);                  /* mean 0, variance 1 */

#endif
