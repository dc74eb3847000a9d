/* Makes slowness a finding: an input that costs more processor time than its length allows is
 * reported as a crash, so that libFuzzer keeps it. Linked by -Wl,--wrap; tests that replay a corpus
 * measure nothing. FILM_FUZZ_MS and FILM_FUZZ_US_PER_BYTE set the limits. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double setting(const char *name, double fallback)
{
    const char *value = getenv(name);
    return value ? atof(value) : fallback;
}

static double run(clockid_t clock, const uint8_t *data, size_t size)
{
    double start = seconds(clock);
    __real_LLVMFuzzerTestOneInput(data, size);
    return seconds(clock) - start;
}

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static double fixed, per_byte;
    if (per_byte == 0) {
        fixed = 1e-3 * setting("FILM_FUZZ_MS", 200);
        per_byte = 1e-6 * setting("FILM_FUZZ_US_PER_BYTE", 100);
    }
    double limit = fixed + per_byte * (double)size, took;
    took = run(CLOCK_MONOTONIC, data, size); /* without a system call */
    /* The first execution also trains a model, and a busy machine disturbs: only an input that is
     * slow three times is slow. */
    for (int again = 0; again < 2 && took > limit; again++)
        took = run(CLOCK_PROCESS_CPUTIME_ID, data, size);
    if (took > limit) {
        fprintf(stderr, "slow: %.0f ms for %zu bytes; at most %.0f ms\n", 1e3 * took, size,
                1e3 * limit);
        abort();
    }
    return 0;
}
