/* Round-robin assignment of items 0, 1, ... all - 1 to the processes of a job. Each process has an
 * even share of any range of numbers, computes the owner of a number without a table, and has its
 * own numbers in ascending order. */
#ifndef DEDUP_ROUND_ROBIN_H
#define DEDUP_ROUND_ROBIN_H

#include "base/comm.h"

static inline int round_robin_owner(const struct comm *comm, uint32_t number)
{
    return (int)(number % (uint32_t)comm->size);
}

/* The local index of a number in its owner. */
static inline uint32_t round_robin_place(const struct comm *comm, uint32_t number)
{
    return number / (uint32_t)comm->size;
}

static inline uint32_t round_robin_number(const struct comm *comm, int owner, size_t place)
{
    return (uint32_t)(place * (size_t)comm->size + (size_t)owner);
}

/* Number of items of a process; the first process has the most. */
static inline size_t round_robin_count(const struct comm *comm, size_t all, int owner)
{
    size_t size = (size_t)comm->size;
    return all / size + ((size_t)owner < all % size);
}

#endif
