#include "train/verdicts.h"
#include "base/mem.h"
#include "train/fingerprint.h"
#include "train/labels.h"

enum { PAIRS_PER_SENTENCE = 8 };

film_status verdicts_make(struct verdicts *verdicts, const struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    struct labelled_pairs all = {0};
    struct rank_labels *labels = &verdicts->labels;
    TRY(labels_to_pairs(&run->corpus, PAIRS_PER_SENTENCE * run->corpus.rows, run->options->seed,
                        &all, error));
    TRY_ALLOC((verdicts->positive = mem_array(all.count, sizeof *verdicts->positive)) &&
                  (verdicts->negative = mem_array(all.count, sizeof *verdicts->negative)),
              error);
    for (size_t i = 0; i < all.count; i++) {
        struct rank_pair pair = {all.a[i], all.b[i]};
        int same = labels_verdict(&run->corpus, all.target[i]);
        if (same == 1) verdicts->positive[labels->positives++] = pair;
        if (same == 0) verdicts->negative[labels->negatives++] = pair;
    }
    labels->positive = verdicts->positive;
    labels->negative = verdicts->negative;
done:
    labelled_pairs_free(&all);
    return status;
}

void verdicts_free(struct verdicts *verdicts)
{
    mem_free(verdicts->positive);
    mem_free(verdicts->negative);
    *verdicts = (struct verdicts){.positive = NULL};
}

uint64_t verdicts_hash(const struct verdicts *verdicts)
{
    const struct rank_labels *labels = &verdicts->labels;
    uint64_t hash =
        fingerprint_add(0, labels->positive, labels->positives * sizeof *labels->positive);
    return fingerprint_add(hash, labels->negative, labels->negatives * sizeof *labels->negative);
}
