/* Sparse TF-IDF rows of sentences.
 *
 * A feature is a word, a pair of adjacent words, or a character n-gram (embed/grams.h). Its weight
 * in a sentence is (1 + log count) * idf, with idf = log((1 + n) / (1 + df)) + 1. Each group is
 * normalised to length 1, then the whole row. Ids are grouped, and sorted by decreasing document
 * frequency inside a group, so that frequent features are adjacent in memory. */
#ifndef EMBED_FEATURES_H
#define EMBED_FEATURES_H

#include "embed/lexicon.h"

/* The fitted vocabulary; immutable, shared by threads. */
struct features {
    struct tokenizer tokenizer;
    unsigned groups;
    struct strtab vocabulary[GROUPS];
    uint32_t first[GROUPS + 1]; /* group g has the ids first[g] .. first[g+1] */
    const float *idf;           /* first[GROUPS] */
    float *own_idf;             /* the same, when computed here and not mapped */
    struct lexicon *lexicon;    /* of a model that is used; NULL: words are computed each time */
};

void features_free(struct features *features);

static inline uint32_t features_count(const struct features *features)
{
    return features->first[GROUPS];
}

/* Returns the group of a feature. */
enum group features_group(const struct features *features, uint32_t id);
film_text features_name(const struct features *features, uint32_t id);

/* The row of a sentence; scratch space and result, one per thread. */
struct feature_row {
    struct grams grams;
    uint32_t *id; /* ascending */
    float *value;
    size_t count;
    const struct lexeme **word; /* of each token */
    uint32_t *found; /* id of each gram, group by group, or STRTAB_NONE: see feature_row_list */
    uint32_t *scratch;
    uint64_t *seen; /* sorts the features: see collect_plain; all 0 between calls */
    size_t id_capacity, value_capacity, found_capacity, scratch_capacity, seen_capacity;
    struct lexeme_room *room; /* of the words that no lexicon keeps */
    size_t word_capacity, room_capacity;
    /* Of a sentence whose features are those of its words: the factor between the idf of a
     * character n-gram that occurs once and its value. The n-grams that occur more often, in
     * ascending order, are the first REPEATED of SCRATCH, each once less than it occurs; their
     * positions in the row follow. */
    int is_plain;
    float gram_factor;
    size_t repeated;
    int listed; /* the lists of `grams` and `found` are filled */
};

film_status feature_row_init(struct feature_row *row, const struct features *features,
                             film_error *error);
void feature_row_free(struct feature_row *row);

/* Exchanges two rows, but not their scratch space. */
void feature_row_swap(struct feature_row *a, struct feature_row *b);

/* Computes the row of TEXT under a fitted vocabulary; unknown features are skipped. */
film_status features_transform(const struct features *features, struct feature_row *row,
                               film_text text, film_error *error);

/* Returns whether the features of the sentence are those of its words: no word pairs, and no script
 * without spaces, whose n-grams cross words. */
int feature_row_is_plain(const struct features *features, const struct feature_row *row);

/* Fills the lists of row->grams and row->found for the row that was computed, unless they are. */
film_status feature_row_list(const struct features *features, struct feature_row *row,
                             film_error *error);

/* Returns the position of feature ID in the row, or its insertion point. */
size_t feature_row_position(const struct feature_row *row, uint32_t id);

/* PLACES[i] = the number of occurrences of the row's feature i in the sentence. The row must have
 * its lists. */
void feature_row_places(const struct feature_row *row, double *places);

/* Computes the final weights of an id-sorted row; VALUE holds tf on entry. Fitting and transforming
 * share it, so that both give the same numbers. Returns the factor of the last group. */
float features_weigh(const struct features *features, const uint32_t *id, float *value,
                     size_t count);

/* 1 + log(count) */
float features_tf(uint32_t count);

#endif
