/* Counts what a labelled file holds and finds contradictions and pairs shared with the training
 * file. */
#include "report/holdings.h"
#include "base/mem.h"
#include "base/union_find.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_key(const void *left, const void *right)
{
    const struct holding *a = left, *b = right;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->pair < b->pair ? -1 : a->pair > b->pair;
}

static uint64_t key_of(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

void holdings_free(struct holdings *holdings)
{
    labelled_free(&holdings->pairs);
    mem_free(holdings->number);
    mem_free(holdings->a);
    mem_free(holdings->b);
    mem_free(holdings->sorted);
    memset(holdings, 0, sizeof *holdings);
}

static film_status number_questions(struct holdings *holdings, struct questions *numbers,
                                    const film_progress *progress, film_error *error)
{
    film_status status = FILM_OK;
    const struct strtab *sentences = &holdings->corpus->sentences;
    const struct labelled *pairs = &holdings->pairs;
    uint32_t *number = holdings->number = mem_array(holdings->sentences, sizeof *number);
    TRY_ALLOC(number && (holdings->a = mem_array(pairs->count, sizeof *number)) &&
                  (holdings->b = mem_array(pairs->count, sizeof *number)),
              error);
    for (uint32_t i = 0; i < holdings->sentences; i++) {
        TRY(questions_number(numbers, strtab_get(sentences, i), &number[i], error));
        if (i % 16384 == 0)
            TRY(progress_report(progress, "questions", i, holdings->sentences, error));
    }
    for (size_t i = 0; i < pairs->count; i++) {
        holdings->a[i] = number[pairs->a[i]];
        holdings->b[i] = number[pairs->b[i]];
    }
done:
    return status;
}

static void show(struct holdings *holdings, size_t pair)
{
    if (holdings->odd_count < HOLDINGS_SHOWN) holdings->odd[holdings->odd_count++] = (uint32_t)pair;
}

/* Repetitions and pairs with both labels: neighbours once sorted. */
static void compare_equal(struct holdings *holdings)
{
    const struct holding *sorted = holdings->sorted;
    for (size_t i = 0, end; i < holdings->count; i = end) {
        size_t same = 0;
        for (end = i; end < holdings->count && sorted[end].key == sorted[i].key; end++)
            same += sorted[end].same;
        holdings->repeated += end - i - 1;
        if (same == 0 || same == end - i) continue;
        holdings->contradicting++;
        show(holdings, sorted[i].pair);
    }
}

static film_status find_connected(struct holdings *holdings, uint32_t questions, film_error *error)
{
    struct union_find sets;
    film_status status = union_find_init(&sets, questions, error);
    if (status != FILM_OK) return status;
    for (size_t i = 0; i < holdings->count; i++)
        if (holdings->pairs.label[i] >= 0.5f)
            union_find_join(&sets, holdings->a[i], holdings->b[i]);
    for (size_t i = 0; i < holdings->count; i++) {
        if (holdings->pairs.label[i] >= 0.5f) continue;
        holdings->identical += holdings->a[i] == holdings->b[i];
        if (union_find_root(&sets, holdings->a[i]) != union_find_root(&sets, holdings->b[i]))
            continue;
        holdings->connected++;
        show(holdings, i);
    }
    union_find_free(&sets);
    return FILM_OK;
}

/* Sentences that stand under two categories. */
static film_status find_split(struct holdings *holdings, film_error *error)
{
    const struct corpus *corpus = holdings->corpus;
    uint32_t *first = mem_array(corpus->sentences.count, sizeof *first);
    if (!first) return status_no_memory(error);
    memset(first, 0xff, corpus->sentences.count * sizeof *first);
    for (size_t i = 0; i < corpus->rows; i++) {
        uint32_t *category = &first[corpus->a[i]];
        if (*category == STRTAB_NONE)
            *category = corpus->category[i];
        else
            holdings->split += *category != corpus->category[i];
    }
    mem_free(first);
    return FILM_OK;
}

film_status holdings_make(struct holdings *holdings, const char *name, const struct corpus *corpus,
                          uint32_t sentences, struct questions *numbers,
                          const film_progress *progress, film_error *error)
{
    film_status status = FILM_OK;
    memset(holdings, 0, sizeof *holdings);
    holdings->name = name;
    holdings->corpus = corpus;
    holdings->sentences = sentences;
    TRY(labelled_take(&holdings->pairs, corpus, error));
    holdings->count = holdings->pairs.count;
    if (corpus->labels == FILM_LABELS_CATEGORIES) TRY(find_split(holdings, error));
    TRY(number_questions(holdings, numbers, progress, error));
    if (!holdings->count) goto done;
    TRY_ALLOC(holdings->sorted = mem_array(holdings->count, sizeof *holdings->sorted), error);
    for (size_t i = 0; i < holdings->count; i++) {
        unsigned char same = holdings->pairs.label[i] >= 0.5f;
        holdings->sorted[i] =
            (struct holding){key_of(holdings->a[i], holdings->b[i]), (uint32_t)i, same};
        holdings->same += same;
    }
    qsort(holdings->sorted, holdings->count, sizeof *holdings->sorted, by_key);
    if (!has_pairs(corpus)) goto done; /* scores neither contradict nor connect */
    compare_equal(holdings);
    TRY(find_connected(holdings, numbers->hashes.count, error));
done:
    if (status != FILM_OK) holdings_free(holdings);
    return status;
}

/* The first pair of the other file with this key, or NULL. */
static const struct holding *find_pair(const struct holdings *file, uint64_t key)
{
    size_t low = 0, high = file->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (file->sorted[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < file->count && file->sorted[low].key == key ? &file->sorted[low] : NULL;
}

film_status leaks_find(struct leaks *leaks, const struct holdings *file,
                       const struct holdings *other, uint32_t questions, film_error *error)
{
    memset(leaks, 0, sizeof *leaks);
    unsigned char *known = mem_zeroed(questions, 1);
    if (!known) return status_no_memory(error);
    for (uint32_t i = 0; i < other->sentences; i++) known[other->number[i]] = 1;
    for (uint32_t i = 0; i < file->sentences; i++) leaks->sentences += known[file->number[i]];
    for (size_t i = 0; i < file->count; i++) {
        unsigned char a = known[file->a[i]], b = known[file->b[i]];
        const struct holding *there =
            a && b && other->count ? find_pair(other, key_of(file->a[i], file->b[i])) : NULL;
        leaks->either += a || b;
        leaks->both += a && b;
        leaks->pair += there != NULL;
        leaks->opposed += there && there->same != (file->pairs.label[i] >= 0.5f);
    }
    mem_free(known);
    return FILM_OK;
}
