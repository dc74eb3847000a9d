/* Scores many pairs in parallel, each by the same function as one. */
#include "pair/score.h"
#include "base/mem.h"
#include "base/threads.h"

enum { STRETCH = 128 }; /* pairs a thread takes at a time */

/* Pairs FIRST .. FIRST + COUNT. */
static film_status score_some(const struct decision *decision, const struct match_rule *rule,
                              const struct score_source *source, size_t first, size_t count,
                              int threads, film_verdict *verdicts, film_error *error)
{
    film_status status = FILM_OK;
    size_t stretches = (count + STRETCH - 1) / STRETCH;
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
                source->pair(source->user, first + i, &a, &b);
                own = match_score(&match, a, b, &verdicts[first + i], &own_error);
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

/* A network encodes the sentences of many pairs at once, each of them once. */
static film_status expect(const struct encoder *encoder, const struct score_source *source,
                          size_t first, size_t count, int threads, film_text *texts,
                          film_error *error)
{
    for (size_t i = 0; i < count; i++)
        source->pair(source->user, first + i, &texts[2 * i], &texts[2 * i + 1]);
    return encoder_expect(encoder, texts, 2 * count, threads, error);
}

film_status score_pairs(const struct decision *decision, const struct match_rule *rule,
                        const struct score_source *source, size_t count, int threads,
                        film_verdict *verdicts, film_error *error)
{
    film_status status = FILM_OK;
    const struct encoder *encoder = decision->encoder;
    threads = threads_use(threads);
    if (!encoder->network)
        return score_some(decision, rule, source, 0, count, threads, verdicts, error);
    size_t most = encoder_expects(encoder) / 2, some = count < most ? count : most;
    film_text *texts = mem_array(2 * some, sizeof *texts);
    TRY_ALLOC(texts, error);
    for (size_t first = 0; first < count; first += some) {
        size_t here = count - first < some ? count - first : some;
        TRY(expect(encoder, source, first, here, threads, texts, error));
        TRY(score_some(decision, rule, source, first, here, threads, verdicts, error));
    }
done:
    mem_free(texts);
    return status;
}
