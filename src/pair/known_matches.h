/* Records of the training pairs that have a known match, with their texts.
 *
 * Where the training pairs are of one table, whatever matches a record also matches its known
 * matches. So a verdict on a known record and another one also counts how the known matches compare
 * with the other one: half of their mean distance from the threshold. (Learned on WDC cameras and
 * computers, the weight was 0.54 and 0.50.) Pairs between two tables have none: the matches of a
 * record are then in the table of the other record, and nothing was learned about such pairs. */
#ifndef PAIR_KNOWN_MATCHES_H
#define PAIR_KNOWN_MATCHES_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

#define KNOWN_MATCHES_WEIGHT 0.5

/* At most this number of a record's matches are compared, and log-odds count up to this. */
enum { KNOWN_MATCHES_MOST = 4 };
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

film_text known_matches_text(const struct known_matches *matches, size_t record);

#endif
