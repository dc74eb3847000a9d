/* Collects the records with a known match from labelled pairs: a table of records by their hash,
 * and for each the numbers of its matches. */
#include "learn/known_matches_build.h"
#include "base/mem.h"
#include "base/sort.h"

#include <string.h>

static int smaller_number_first(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Sorts NUMBERS and returns how many are distinct. */
static size_t sort_distinct(uint64_t *numbers, size_t count)
{
    size_t kept = 0;
    sort_array(numbers, count, sizeof *numbers, smaller_number_first);
    for (size_t i = 0; i < count; i++)
        if (!kept || numbers[i] != numbers[kept - 1]) numbers[kept++] = numbers[i];
    return kept;
}

film_status known_matches_one_table(const struct memory_row *rows, size_t count, int *one,
                                    film_error *error)
{
    enum { SHARE = 10 };
    size_t both = 0;
    uint64_t *left = mem_array(2 * count, sizeof *left), *right = left + count;
    if (!left) return status_no_memory(error);
    for (size_t i = 0; i < count; i++) {
        left[i] = rows[i].a;
        right[i] = rows[i].b;
    }
    size_t lefts = sort_distinct(left, count), rights = sort_distinct(right, count);
    for (size_t i = 0, j = 0; i < lefts && j < rights;) {
        both += left[i] == right[j];
        if (left[i] < right[j])
            i++;
        else
            j++;
    }
    *one = SHARE * both >= lefts && SHARE * both >= rights && both > 0;
    mem_free(left);
    return FILM_OK;
}

/* A row labelled the same, of two records with words. */
static int is_match(const struct memory_row *row)
{
    return row->same == 1 && row->a && row->b && row->a != row->b;
}

/* Copies the text of every record, the first one of each hash. */
static film_status copy_texts(struct known_matches *matches, const struct memory_row *rows,
                              size_t count, const film_text *texts, film_error *error)
{
    film_status status = FILM_OK;
    film_text *of = mem_zeroed(matches->count, sizeof *of);
    TRY_ALLOC(of && (matches->own_offsets = mem_zeroed(matches->count + 1, sizeof(uint64_t))),
              error);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].same != 1) continue;
        for (int s = 0; s < 2 && is_match(&rows[i]); s++) {
            size_t record = known_matches_find(matches, s ? rows[i].b : rows[i].a);
            if (!of[record].bytes) of[record] = texts[s];
        }
        texts += 2;
    }
    uint64_t *offset = matches->own_offsets;
    for (size_t r = 0; r < matches->count; r++) offset[r + 1] = offset[r] + of[r].length;
    TRY_ALLOC(matches->own_bytes = mem_array((size_t)offset[matches->count], 1), error);
    for (size_t r = 0; r < matches->count; r++)
        if (of[r].length) memcpy(matches->own_bytes + offset[r], of[r].bytes, of[r].length);
    matches->offsets = offset;
    matches->bytes = matches->own_bytes;
done:
    mem_free(of);
    return status;
}

/* EDGES (2 per row) is scratch space: record << 32 | match. */
static film_status list_matches(struct known_matches *matches, const struct memory_row *rows,
                                size_t count, uint64_t *edges, film_error *error)
{
    film_status status = FILM_OK;
    size_t listed = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_match(&rows[i])) continue;
        uint64_t a = known_matches_find(matches, rows[i].a);
        uint64_t b = known_matches_find(matches, rows[i].b);
        edges[listed++] = a << 32 | b;
        edges[listed++] = b << 32 | a;
    }
    listed = sort_distinct(edges, listed);
    TRY_ALLOC((matches->own_list = mem_array(listed, sizeof(uint32_t))) &&
                  (matches->own_first = mem_zeroed(matches->count + 1, sizeof(uint64_t))),
              error);
    for (size_t i = 0; i < listed; i++) {
        matches->own_list[i] = (uint32_t)edges[i];
        matches->own_first[(edges[i] >> 32) + 1] = i + 1;
    }
    matches->list = matches->own_list;
    matches->first = matches->own_first;
done:
    return status;
}

film_status known_matches_build(struct known_matches *matches, const struct memory_row *rows,
                                size_t count, const film_text *texts, film_error *error)
{
    film_status status = FILM_OK;
    size_t hashes = 0;
    uint64_t *edges = mem_array(2 * count, sizeof *edges);
    memset(matches, 0, sizeof *matches);
    TRY_ALLOC(edges && (matches->own_keys = mem_array(2 * count, sizeof(uint64_t))), error);
    for (size_t i = 0; i < count; i++) {
        if (!is_match(&rows[i])) continue;
        matches->own_keys[hashes++] = rows[i].a;
        matches->own_keys[hashes++] = rows[i].b;
    }
    matches->keys = matches->own_keys;
    matches->count = sort_distinct(matches->own_keys, hashes);
    if (!matches->count) goto done;
    TRY(list_matches(matches, rows, count, edges, error));
    TRY(copy_texts(matches, rows, count, texts, error));
done:
    mem_free(edges);
    if (status != FILM_OK || !matches->count) known_matches_free(matches);
    return status;
}
