/* Seeded random numbers by xoshiro256++ (Blackman and Vigna), seeded by splitmix64. Not for
 * cryptography. */
#include "base/rng.h"

#include <math.h>
#include <time.h>
#ifdef __linux__
#include <sys/random.h>
#endif

static uint64_t splitmix(uint64_t *x)
{
    uint64_t z = (*x += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void rng_seed(struct rng *rng, uint64_t seed)
{
    for (int i = 0; i < 4; i++) rng->state[i] = splitmix(&seed);
}

void rng_seed_part(struct rng *rng, uint64_t seed, uint64_t number)
{
    uint64_t mixed = number;
    rng_seed(rng, seed ^ splitmix(&mixed));
}

static uint64_t rotate(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

uint64_t rng_next(struct rng *rng)
{
    uint64_t *s = rng->state;
    uint64_t result = rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t rng_below(struct rng *rng, uint64_t limit)
{
    /* Values below 2^64 mod limit would make small results more likely: draw again. */
    uint64_t floor = (0 - limit) % limit, value;
    do value = rng_next(rng);
    while (value < floor);
    return value % limit;
}

double rng_uniform(struct rng *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

double rng_normal(struct rng *rng)
{
    /* Box-Muller; the second value is dropped, so that the generator has no hidden state. */
    double u = 1.0 - rng_uniform(rng), v = rng_uniform(rng);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

uint64_t rng_entropy(void)
{
    uint64_t number = 0;
#ifdef __linux__
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) == (ssize_t)sizeof number) return number;
#endif
    struct timespec now; /* shortly after the start of the machine, or on another system */
    clock_gettime(CLOCK_REALTIME, &now);
    number = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uintptr_t)&number;
    return splitmix(&number);
}
