/* Scores many pairs in parallel, each by the same function as a single pair (match_score). */
#include "pair/score.h"
#include "base/mem.h"
#include "base/threads.h"
#include "pair/answered.h"

/* Pairs per chunk. */
enum { STRETCH = 128 };

/* Pairs that several threads score, numbered from `first`. */
struct scoring {
    const struct decision *decision;
    const struct match_rule *rule;
    const struct score_source *source;
    size_t first;
    film_verdict *verdicts; /* from pair 0 on */
};

/* Scores pairs FIRST .. END, at most a block. */
static film_status score_pairs_block(const struct scoring *scoring, struct match *match,
                                     size_t first, size_t end, film_error *error)
{
    film_status status = FILM_OK;
    film_text a[MATCH_BLOCK] = {{NULL, 0}}, b[MATCH_BLOCK] = {{NULL, 0}};
    const struct score_source *source = scoring->source;
    film_verdict *verdicts = scoring->verdicts + first;
    for (size_t i = first; i < end; i++)
        source->pair(source->user, i, &a[i - first], &b[i - first]);
    if (!source->answered) return match_score_block(match, a, b, end - first, verdicts, error);
    /* one by one: it needs what was measured of a pair */
    for (size_t i = 0; i < end - first; i++) {
        TRY(match_score(match, a[i], b[i], &verdicts[i], error));
        struct answered_pair pair = answered_pair(match, &verdicts[i]);
        source->answered[first + i] =
            (float)answered_probability(&scoring->decision->answered, &pair);
    }
done:
    return status;
}

static film_status score_some(struct threads_worker *worker, void *user, film_error *error)
{
    const struct scoring *scoring = user;
    struct match match;
    film_status status = FILM_OK;
    size_t begin, end;
    TRY(match_init(&match, scoring->decision, scoring->rule, error));
    while (threads_next(worker, &begin, &end))
        for (size_t i = scoring->first + begin; i < scoring->first + end; i += MATCH_BLOCK) {
            size_t left = scoring->first + end - i;
            TRY(score_pairs_block(scoring, &match, i, i + (left < MATCH_BLOCK ? left : MATCH_BLOCK),
                                  error));
        }
done:
    match_free(&match);
    return status;
}

/* A network encodes the sentences of many pairs at once, each of them once. */
static film_status expect_texts(const struct encoder *encoder, const struct score_source *source,
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
    struct scoring scoring = {decision, rule, source, 0, verdicts};
    threads = threads_count(threads);
    if (!encoder->network) return threads_for(threads, count, STRETCH, score_some, &scoring, error);
    size_t most = encoder_expects(encoder) / 2, some = count < most ? count : most;
    film_text *texts = mem_array(2 * some, sizeof *texts);
    TRY_ALLOC(texts, error);
    for (size_t first = 0; first < count; first += some) {
        size_t here = count - first < some ? count - first : some;
        TRY(expect_texts(encoder, source, first, here, threads, texts, error));
        scoring.first = first;
        TRY(threads_for(threads, here, STRETCH, score_some, &scoring, error));
    }
done:
    mem_free(texts);
    return status;
}
