/* Monotonic time in seconds, for durations and timeouts. No other file of the library reads a
 * clock. Calendar time is not handled here. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <time.h>

/* CLOCK is CLOCK_MONOTONIC, or CLOCK_PROCESS_CPUTIME_ID for the processor time of this process. */
static inline double clock_read(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline double clock_seconds(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

#endif
