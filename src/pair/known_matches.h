/* Records of the training pairs that have a known match, with their texts.
 *
 * Where the training pairs are of one table, whatever matches a record also matches its known
 * matches, and their matches. So a verdict on a known record and another one also counts how the
 * cluster of the known record compares with the other one: a share of the distance of its least
 * similar member from the threshold. (In five folds of WDC cameras and computers, the least similar
 * member of the cluster gave better F1 than the mean, and than direct matches only. Shares of 0.5
 * to 0.9 differed by less than 0.3.) Pairs between two tables have none: the matches of a record
 * are then in the table of the other record, and nothing was learned about such pairs. */
#ifndef PAIR_KNOWN_MATCHES_H
#define PAIR_KNOWN_MATCHES_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

#define KNOWN_MATCHES_WEIGHT 0.7

/* At most this number of records of a cluster are compared, and log-odds count up to this. */
enum { KNOWN_MATCHES_MOST = 8 };
#define KNOWN_MATCHES_SURE 6.0

struct known_matches {
    size_t count;            /* records; may be 0 */
    const uint64_t *keys;    /* their hashes (struct reading_side), ascending */
    const uint64_t *offsets; /* count + 1: of their texts in bytes */
    const uint64_t *first;   /* count + 1: of their matches in `list` */
    const uint32_t *list;    /* numbers of records */
    const char *bytes;
    uint64_t *own_keys, *own_offsets, *own_first; /* NULL when mapped, like the following */
    uint32_t *own_list;
    char *own_bytes;
};

void known_matches_free(struct known_matches *matches);

/* Returns the number of the record with this hash, or `count`. */
size_t known_matches_find(const struct known_matches *matches, uint64_t hash);

/* Lists in FOUND (KNOWN_MATCHES_MOST) the matches of a record, then their matches, and so on, and
 * returns how many. */
size_t known_matches_cluster(const struct known_matches *matches, size_t record, uint32_t *found);

film_text known_matches_text(const struct known_matches *matches, size_t record);

#endif
