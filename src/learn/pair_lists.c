/* Turns labels of any kind into the positive and negative pairs of the ranking loss. labels.h
 * defines which pairs a kind of label makes; scores in the middle of their range are dropped. */
#include "learn/pair_lists.h"
#include "base/mem.h"
#include "learn/labels.h"

/* Of categories. 8 made no better map in twice the time (BANKING77). */
enum { PAIRS_PER_SENTENCE = 4 };

film_status pair_lists_make(struct pair_lists *lists, const struct corpus *corpus, uint64_t seed,
                            film_error *error)
{
    film_status status = FILM_OK;
    struct labelled_pairs all = {0};
    struct rank_labels *labels = &lists->labels;
    TRY(labels_to_pairs(corpus, PAIRS_PER_SENTENCE * corpus->rows, seed, &all, error));
    TRY_ALLOC((lists->positive = mem_array(all.count, sizeof *lists->positive)) &&
                  (lists->negative = mem_array(all.count, sizeof *lists->negative)),
              error);
    for (size_t i = 0; i < all.count; i++) {
        struct rank_pair pair = {all.a[i], all.b[i]};
        int same = labels_verdict(corpus, all.target[i]);
        if (same == 1) lists->positive[labels->positives++] = pair;
        if (same == 0) lists->negative[labels->negatives++] = pair;
    }
    labels->positive = lists->positive;
    labels->negative = lists->negative;
done:
    labelled_pairs_free(&all);
    return status;
}

void pair_lists_free(struct pair_lists *lists)
{
    mem_free(lists->positive);
    mem_free(lists->negative);
}
