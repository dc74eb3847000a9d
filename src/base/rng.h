/* Seeded pseudo-random numbers (xoshiro256++ seeded by splitmix64): the same on every machine. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

struct rng {
    uint64_t state[4];
};

void rng_seed(struct rng *rng, uint64_t seed);

/* Seeds an independent generator for part NUMBER of some work, so that results do not depend on
 * which thread runs the part. */
void rng_seed_part(struct rng *rng, uint64_t seed, uint64_t number);

uint64_t rng_next(struct rng *rng);
/* Uniform on 0 .. limit - 1, without bias; limit > 0. */
uint64_t rng_below(struct rng *rng, uint64_t limit);
/* Uniform on [0, 1). */
double rng_uniform(struct rng *rng);
/* Mean 0, variance 1. */
double rng_normal(struct rng *rng);

/* Returns an unpredictable number from the system: for names and hash seeds, never for results. */
uint64_t rng_entropy(void);

#endif
