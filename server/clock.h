/* A monotonic clock in seconds, to measure durations. The program and the server use this one
 * because they see the installed headers only; the library has src/base/clock.h. */
#ifndef SERVER_CLOCK_H
#define SERVER_CLOCK_H

#include <time.h>

static inline double monotonic_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
