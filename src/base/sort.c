/* Sorts arrays of ids (insertion sort for short arrays, byte-wise radix sort for long ones) and any
 * array, by merging. */
#include "base/sort.h"
#include "base/mem.h"

#include <string.h>

/* The arrays are the features of a sentence: a dozen words (insertion sort is fastest) or hundreds
 * of character n-grams (radix sort, which skips bytes that are all equal). */
enum { INSERTION_LIMIT = 40 };

static void insertion(uint32_t *ids, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t id = ids[i];
        size_t j = i;
        for (; j > 0 && ids[j - 1] > id; j--) ids[j] = ids[j - 1];
        ids[j] = id;
    }
}

static void radix_pass(const uint32_t *from, uint32_t *to, size_t count, unsigned shift)
{
    size_t start[257] = {0};
    for (size_t i = 0; i < count; i++) start[((from[i] >> shift) & 255) + 1]++;
    for (size_t b = 1; b < 257; b++) start[b] += start[b - 1];
    for (size_t i = 0; i < count; i++) to[start[(from[i] >> shift) & 255]++] = from[i];
}

void sort_ids(uint32_t *ids, uint32_t *scratch, size_t count)
{
    if (count <= INSERTION_LIMIT) {
        insertion(ids, count);
        return;
    }
    uint32_t differs = 0;
    for (size_t i = 1; i < count; i++) differs |= ids[i] ^ ids[0];
    uint32_t *from = ids, *to = scratch;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        if (((differs >> shift) & 255) == 0) continue;
        radix_pass(from, to, count, shift);
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != ids) memcpy(ids, from, count * sizeof *ids);
}

/* ---- Any array ---- */

struct order {
    size_t size;
    int (*compare)(const void *, const void *, void *);
    void *user;
};

static int is_in_order(const struct order *order, const char *left, const char *right)
{
    return order->compare(left, right, order->user) <= 0;
}

/* Inlined for the common sizes: a call of memcpy per element costs more than a comparison. */
static void copy_element(char *to, const char *from, size_t size)
{
    if (size == 4)
        memcpy(to, from, 4);
    else if (size == 8)
        memcpy(to, from, 8);
    else if (size == 16)
        memcpy(to, from, 16);
    else
        memcpy(to, from, size);
}

/* Merges the sorted halves [0, MIDDLE) and [MIDDLE, COUNT); SCRATCH has room for the first. */
static void merge_halves(char *array, size_t middle, size_t count, const struct order *order,
                         char *scratch)
{
    size_t size = order->size;
    char *right = array + middle * size, *end = array + count * size, *out = array;
    if (is_in_order(order, right - size, right)) return;
    memcpy(scratch, array, middle * size);
    for (char *left = scratch, *last = scratch + middle * size; left < last; out += size) {
        int take_left = right == end || is_in_order(order, left, right);
        copy_element(out, take_left ? left : right, size);
        if (take_left)
            left += size;
        else
            right += size;
    }
}

static void reverse_bytes(char *from, char *to)
{
    while (from < to) {
        char byte = *from;
        *from++ = *--to;
        *to = byte;
    }
}

/* Exchanges two adjacent ranges. Reversing all bytes twice keeps those of an element in order. */
static void rotate(char *array, size_t first, size_t second)
{
    reverse_bytes(array, array + first);
    reverse_bytes(array + first, array + first + second);
    reverse_bytes(array, array + first + second);
}

/* Returns how many of the COUNT sorted elements come before KEY; EQUAL: also those equal to it. */
static size_t rank_in_half(const char *array, size_t count, const char *key, int equal,
                           const struct order *order)
{
    size_t low = 0;
    while (count) {
        size_t half = count / 2;
        const char *at = array + (low + half) * order->size;
        int before = equal ? is_in_order(order, at, key) : !is_in_order(order, key, at);
        low = before ? low + half + 1 : low;
        count = before ? count - half - 1 : half;
    }
    return low;
}

/* The same as merge without memory: splits both halves at a value, exchanges the inner ranges,
 * merges the two sides. Its depth is logarithmic. */
static void merge_in_place(char *array, size_t middle, size_t count, const struct order *order)
{
    size_t size = order->size, right = count - middle;
    if (middle == 0 || right == 0 ||
        is_in_order(order, array + (middle - 1) * size, array + middle * size))
        return;
    if (count == 2) {
        rotate(array, size, size);
        return;
    }
    size_t i, j;
    if (middle > right) {
        i = middle / 2;
        j = rank_in_half(array + middle * size, right, array + i * size, 0, order);
    } else {
        j = right / 2;
        i = rank_in_half(array, middle, array + (middle + j) * size, 1, order);
    }
    rotate(array + i * size, (middle - i) * size, j * size);
    merge_in_place(array, i, i + j, order);
    merge_in_place(array + (i + j) * size, middle - i, count - i - j, order);
}

void sort_array_r(void *array, size_t count, size_t size,
                  int (*compare)(const void *, const void *, void *), void *user)
{
    struct order order = {size, compare, user};
    char few[1024], *scratch = few, *first = array;
    if (count < 2) return;
    if (count * size > sizeof few) scratch = mem_array(count, size);
    for (size_t width = 1; width < count; width *= 2)
        for (size_t at = 0; at + width < count; at += 2 * width) {
            size_t both = count - at < 2 * width ? count - at : 2 * width;
            if (scratch)
                merge_halves(first + at * size, width, both, &order, scratch);
            else
                merge_in_place(first + at * size, width, both, &order);
        }
    if (scratch != few) mem_free(scratch);
}

struct plain_order {
    int (*compare)(const void *, const void *);
};

static int compare_plain(const void *left, const void *right, void *user)
{
    const struct plain_order *plain = user;
    return plain->compare(left, right);
}

void sort_array(void *array, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    struct plain_order plain = {compare};
    sort_array_r(array, count, size, compare_plain, &plain);
}
