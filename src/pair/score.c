#include "pair/score.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

enum { STRETCH = 128 }; /* pairs a thread takes at a time */

film_status score_prior(double prior, double *log_odds, film_error *error)
{
    if (!(prior > 0 && prior < 1))
        return status_set(error, FILM_USAGE, "the prior must lie between 0 and 1, not %g", prior);
    *log_odds = log(prior / (1 - prior));
    return FILM_OK;
}

film_status score_pairs(const struct encoder *encoder, const struct calibration *calibration,
                        const struct score_source *source, size_t count, double prior_log_odds,
                        int threads, film_verdict *verdicts, film_error *error)
{
    film_status status = FILM_OK;
    size_t stretches = (count + STRETCH - 1) / STRETCH;
    threads = threads_use(threads);
    if ((size_t)threads > stretches) threads = stretches ? (int)stretches : 1;
#pragma omp parallel num_threads(threads)
    {
        struct match match;
        film_error own_error;
        film_status own = match_init(&match, encoder, &own_error);
        match.prior_log_odds = prior_log_odds;
#pragma omp for schedule(dynamic, 1)
        for (size_t s = 0; s < stretches; s++) {
            size_t end = (s + 1) * STRETCH < count ? (s + 1) * STRETCH : count;
            for (size_t i = s * STRETCH; i < end && own == FILM_OK; i++) {
                film_text a, b;
                source->pair(source->user, i, &a, &b);
                own = match_score(&match, encoder, calibration, a, b, &verdicts[i], &own_error);
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
