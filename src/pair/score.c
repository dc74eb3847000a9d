#include "pair/score.h"
#include "base/threads.h"

enum { STRETCH = 128 }; /* pairs a thread takes at a time */

film_status score_pairs(const struct decision *decision, const struct match_rule *rule,
                        const struct score_source *source, size_t count, int threads,
                        film_verdict *verdicts, film_error *error)
{
    film_status status = FILM_OK;
    size_t stretches = (count + STRETCH - 1) / STRETCH;
    threads = threads_use(threads);
    if ((size_t)threads > stretches) threads = stretches ? (int)stretches : 1;
#pragma omp parallel num_threads(threads)
    {
        struct match match;
        film_error own_error;
        film_status own = match_init(&match, decision, rule, &own_error);
#pragma omp for schedule(dynamic, 1)
        for (size_t s = 0; s < stretches; s++) {
            size_t end = (s + 1) * STRETCH < count ? (s + 1) * STRETCH : count;
            for (size_t i = s * STRETCH; i < end && own == FILM_OK; i++) {
                film_text a, b;
                source->pair(source->user, i, &a, &b);
                own = match_score(&match, a, b, &verdicts[i], &own_error);
            }
        }
        if (own != FILM_OK) {
#pragma omp critical
            status = status_set(error, own, "%s", own_error.message);
        }
        match_free(&match);
    }
    return status;
}
