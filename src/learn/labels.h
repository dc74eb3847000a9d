/* Labelled rows of any kind as pairs with a target: what a threshold is chosen on. */
#ifndef LEARN_LABELS_H
#define LEARN_LABELS_H

#include "pair/match.h"
#include "learn/corpus.h"

struct labelled_pairs {
    uint32_t *a, *b; /* sentence ids */
    float *target;   /* 1 same, 0 different; a score brought to 0 .. 1 */
    size_t count;
    size_t made_up; /* so many of them, the last, are random ones with target 0 */
};

/* Pairs and triplets as they are; where no pair is different, as many random ones are added. Scores
 * scaled by their range. Of categories DRAWN random pairs, about half of them inside one. Without
 * labels: DRAWN random pairs, all with target 0. */
film_status labels_to_pairs(const struct corpus *corpus, size_t drawn, uint64_t seed,
                            struct labelled_pairs *out, film_error *error);

/* Enough for a threshold: its accuracy is then known to half a per cent. */
enum { LABELS_DRAWN = 20000 };

/* What a target says where only yes and no are understood: 1 same, 0 different, -1 neither. The
 * upper fifth of a score's range is "same", the lower half "different". */
int labels_verdict(const struct corpus *corpus, float target);
void labelled_pairs_free(struct labelled_pairs *pairs);

/* Without any pair that is the same there is nothing a threshold could be chosen on. */
int labels_none_same(const struct labelled_pairs *pairs);

/* The pairs one process of a job works on, an even share, with their texts: of a shared corpus
 * each process brings those of its pairs alone. */
struct labelled_share {
    size_t first, count;   /* of all pairs */
    const uint32_t *a, *b; /* sentence ids; a view of all pairs, as the targets are */
    const float *target;
    const struct strtab *texts;
    uint32_t *at; /* 2 x count: a and b of each pair in TEXTS */
    struct strtab brought;
};

/* Every process of COMM calls it, with the same pairs. PAIRS must outlive it. Free after a
 * failure as well. */
film_status labels_share(const struct corpus *corpus, const struct labelled_pairs *pairs,
                         const struct comm *comm, struct labelled_share *share, film_error *error);
void labelled_share_free(struct labelled_share *share);

/* The texts of sentences IDS, those of a shared corpus brought to BROUGHT: sentence IDS[i] is
 * AT[i] in *TEXTS. */
film_status labels_bring(const struct corpus *corpus, const uint32_t *ids, size_t count,
                         struct strtab *brought, const struct strtab **texts, uint32_t *at,
                         film_error *error);

/* The texts of pair I of a struct labelled_share: for pair/score.h and learn/evidence_fit.h. */
void labels_text(const void *share, size_t i, film_text *a, film_text *b);

/* By what pairs are scored, and by whom. */
struct labels_scorer {
    const struct decision *decision;
    struct match_rule rule;
    const struct comm *comm;
    int threads;
};

/* The log-odds of each pair; OUT has PAIRS->count floats. By the path that answers, so that
 * thresholds fit it. The processes of the scorer's communicator score a share each; every one
 * gets all. */
film_status labels_score(const struct corpus *corpus, const struct labelled_pairs *pairs,
                         const struct labels_scorer *scorer, float *out, film_error *error);

#endif
