/* Tables of made-up rows about six topics, with every kind of labels. */
#ifndef TOPICS_H
#define TOPICS_H

#include "base/rng.h"

#include <stdio.h>

/* Writes a table of COUNT made-up rows. Sentences of one topic are duplicates. */
enum kind { PAIRS, SCORES, TRIPLETS, CATEGORIES, KINDS };

static inline void sentence(struct rng *rng, unsigned topic, char *out)
{
    static const char *const about[][4] = {
        {"card", "lost", "stolen", "block"},    {"parcel", "late", "arrived", "track"},
        {"refund", "money", "back", "return"},  {"login", "password", "forgot", "account"},
        {"euro", "pay", "invoice", "currency"}, {"shop", "open", "sunday", "hours"}};
    static const char *const fillers[] = {"my", "the", "please", "how", "is", "can", "i", "why"};
    sprintf(out, "%s %s %s %s", fillers[rng_below(rng, 8)], about[topic][rng_below(rng, 4)],
            fillers[rng_below(rng, 8)], about[topic][rng_below(rng, 4)]);
}

static inline void write_rows(const char *name, enum kind kind, size_t count, uint64_t seed)
{
    struct rng rng;
    FILE *file = fopen(name, "w");
    static const char *const headers[KINDS] = {"label\tquestion1\tquestion2",
                                               "score\tsentence1\tsentence2",
                                               "anchor\tpositive\tnegative", "text\tcategory"};
    rng_seed(&rng, seed);
    fprintf(file, "%s\n", headers[kind]);
    for (size_t i = 0; i < count; i++) {
        char a[80], b[80], c[80];
        unsigned topic = (unsigned)rng_below(&rng, 6),
                 other = (topic + 1 + (unsigned)rng_below(&rng, 5)) % 6;
        int same = (int)(i % 2);
        sentence(&rng, topic, a);
        sentence(&rng, kind == TRIPLETS || same ? topic : other, b);
        sentence(&rng, other, c);
        if (kind == PAIRS) fprintf(file, "%d\t%s\t%s\n", same, a, b);
        if (kind == SCORES)
            fprintf(file, "%.1f\t%s\t%s\n", same ? 4 + rng_uniform(&rng) : 2 * rng_uniform(&rng), a,
                    b);
        if (kind == TRIPLETS) fprintf(file, "%s\t%s\t%s\n", a, b, c);
        if (kind == CATEGORIES) fprintf(file, "%s\ttopic%u\n", a, topic);
    }
    fclose(file);
}

#endif
