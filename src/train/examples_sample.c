/* Reservoir sampling of labelled pairs. Random negatives and scores in the middle of their range
 * are not used as examples. */
#include "train/examples_sample.h"
#include "base/sort.h"
#include "base/mem.h"
#include "base/rng.h"
#include "learn/labels.h"

#include <stdlib.h>

/* The sampled pairs, for examples_make. */
struct sampled_pairs {
    struct labelled_texts texts;
};

static int sampled_pair(const void *user, size_t i, film_text *a, film_text *b)
{
    const struct sampled_pairs *chosen = user;
    labels_text(&chosen->texts, i, a, b);
    return labels_verdict(chosen->texts.corpus, chosen->texts.pairs->target[i]);
}

static int ascending(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

film_status examples_sample(struct examples *examples, const struct corpus *corpus, size_t wanted,
                            uint64_t seed, film_error *error)
{
    film_status status = FILM_OK;
    struct labelled_pairs pairs = {.count = 0};
    struct rng rng;
    size_t kept = 0, seen = 0;
    if (!wanted) return FILM_OK;
    uint32_t *number = mem_array(wanted, sizeof *number);
    TRY_ALLOC(number, error);
    TRY(labels_to_pairs(corpus, LABELS_DRAWN, seed, &pairs, error));
    rng_seed(&rng, seed);
    for (size_t i = 0; i < pairs.count - pairs.made_up; i++) { /* equal probability for each */
        if (labels_verdict(corpus, pairs.target[i]) < 0) continue;
        uint64_t at = rng_below(&rng, ++seen);
        if (kept < wanted)
            number[kept++] = (uint32_t)i;
        else if (at < wanted)
            number[at] = (uint32_t)i;
    }
    if (kept) sort_array(number, kept, sizeof *number, ascending);
    for (size_t i = 0; i < kept; i++) {
        pairs.a[i] = pairs.a[number[i]];
        pairs.b[i] = pairs.b[number[i]];
        pairs.target[i] = pairs.target[number[i]];
    }
    pairs.count = kept;
    struct sampled_pairs chosen = {{corpus, &pairs}};
    TRY(examples_make(examples, kept, sampled_pair, &chosen, error));
done:
    mem_free(number);
    labelled_pairs_free(&pairs);
    return status;
}
