/* Computes statistics of a labelled file: counts, contradictions, and overlap with the training
 * file. */
#include "report/file_stats.h"
#include "base/sort.h"
#include "base/mem.h"
#include "base/union_find.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_key(const void *left, const void *right)
{
    const struct pair_entry *a = left, *b = right;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->pair < b->pair ? -1 : a->pair > b->pair;
}

static uint64_t question_pair_key(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

void file_stats_free(struct file_stats *stats)
{
    labelled_free(&stats->pairs);
    mem_free(stats->number);
    mem_free(stats->a);
    mem_free(stats->b);
    mem_free(stats->sorted);
    memset(stats, 0, sizeof *stats);
}

static film_status number_file_questions(struct file_stats *stats, struct questions *numbers,
                                         const film_progress *progress, film_error *error)
{
    film_status status = FILM_OK;
    const struct strtab *sentences = &stats->corpus->sentences;
    const struct labelled *pairs = &stats->pairs;
    uint32_t *number = stats->number = mem_array(stats->sentences, sizeof *number);
    TRY_ALLOC(number && (stats->a = mem_array(pairs->count, sizeof *number)) &&
                  (stats->b = mem_array(pairs->count, sizeof *number)),
              error);
    for (uint32_t i = 0; i < stats->sentences; i++) {
        TRY(questions_number(numbers, strtab_get(sentences, i), &number[i], error));
        if (i % 16384 == 0) TRY(progress_report(progress, "questions", i, stats->sentences, error));
    }
    for (size_t i = 0; i < pairs->count; i++) {
        stats->a[i] = number[pairs->a[i]];
        stats->b[i] = number[pairs->b[i]];
    }
done:
    return status;
}

static void sample_pair(struct file_stats *stats, size_t pair, enum file_stats_odd kind)
{
    if (stats->odd_count == FILE_STATS_SHOWN) return;
    stats->odd_kind[stats->odd_count] = kind;
    stats->odd[stats->odd_count++] = (uint32_t)pair;
}

/* Counts repeated pairs and pairs with both labels. They are adjacent after sorting. */
static void compare_equal(struct file_stats *stats)
{
    const struct pair_entry *sorted = stats->sorted;
    for (size_t i = 0, end; i < stats->count; i = end) {
        size_t same = 0;
        for (end = i; end < stats->count && sorted[end].key == sorted[i].key; end++)
            same += sorted[end].same;
        stats->repeated += end - i - 1;
        if (same == 0 || same == end - i) continue;
        stats->contradicting++;
        sample_pair(stats, sorted[i].pair, FILE_STATS_BOTH_LABELS);
    }
}

static film_status find_connected(struct file_stats *stats, uint32_t questions, film_error *error)
{
    struct union_find sets;
    film_status status = union_find_init(&sets, questions, error);
    if (status != FILM_OK) return status;
    for (size_t i = 0; i < stats->count; i++)
        if (stats->pairs.label[i] >= 0.5f) union_find_join(&sets, stats->a[i], stats->b[i]);
    for (size_t i = 0; i < stats->count; i++) {
        if (stats->pairs.label[i] >= 0.5f) continue;
        stats->identical += stats->a[i] == stats->b[i];
        if (union_find_root(&sets, stats->a[i]) != union_find_root(&sets, stats->b[i])) continue;
        stats->connected++;
        sample_pair(stats, i,
                    stats->a[i] == stats->b[i] ? FILE_STATS_IDENTICAL : FILE_STATS_CONNECTED);
    }
    union_find_free(&sets);
    return FILM_OK;
}

static int larger_first(const void *left, const void *right)
{
    const struct category_size *a = left, *b = right;
    if (a->rows != b->rows) return a->rows > b->rows ? -1 : 1;
    return a->category < b->category ? -1 : a->category > b->category;
}

film_status categories_by_size(const struct corpus *corpus, struct category_size **sizes,
                               film_error *error)
{
    uint32_t count = corpus->categories.count;
    struct category_size *list = *sizes = mem_array(count, sizeof *list);
    if (!list) return status_no_memory(error);
    for (uint32_t c = 0; c < count; c++) list[c] = (struct category_size){c, 0};
    for (size_t i = 0; i < corpus->rows; i++)
        if (corpus->category[i] != STRTAB_NONE) list[corpus->category[i]].rows++;
    sort_array(list, count, sizeof *list, larger_first);
    return FILM_OK;
}

/* Counts sentences with more than one category. */
static film_status find_split(struct file_stats *stats, film_error *error)
{
    const struct corpus *corpus = stats->corpus;
    uint32_t *first = mem_array(corpus->sentences.count, sizeof *first);
    if (!first) return status_no_memory(error);
    memset(first, 0xff, corpus->sentences.count * sizeof *first);
    for (size_t i = 0; i < corpus->rows; i++) {
        uint32_t *category = &first[corpus->a[i]];
        if (*category == STRTAB_NONE)
            *category = corpus->category[i];
        else
            stats->split += *category != corpus->category[i];
    }
    mem_free(first);
    return FILM_OK;
}

film_status file_stats_make(struct file_stats *stats, const char *name, const struct corpus *corpus,
                            uint32_t sentences, struct questions *numbers,
                            const film_progress *progress, film_error *error)
{
    film_status status = FILM_OK;
    memset(stats, 0, sizeof *stats);
    stats->name = name;
    stats->corpus = corpus;
    stats->sentences = sentences;
    TRY(labelled_take(&stats->pairs, corpus, error));
    stats->count = stats->pairs.count;
    if (corpus->labels == FILM_LABELS_CATEGORIES) TRY(find_split(stats, error));
    TRY(number_file_questions(stats, numbers, progress, error));
    if (!stats->count) goto done;
    TRY_ALLOC(stats->sorted = mem_array(stats->count, sizeof *stats->sorted), error);
    for (size_t i = 0; i < stats->count; i++) {
        unsigned char same = stats->pairs.label[i] >= 0.5f;
        stats->sorted[i] =
            (struct pair_entry){question_pair_key(stats->a[i], stats->b[i]), (uint32_t)i, same};
        stats->same += same;
    }
    sort_array(stats->sorted, stats->count, sizeof *stats->sorted, by_key);
    if (!has_pairs(corpus)) goto done; /* scores do not contradict each other */
    compare_equal(stats);
    TRY(find_connected(stats, numbers->hashes.count, error));
done:
    if (status != FILM_OK) file_stats_free(stats);
    return status;
}

static int key_of_entry(const void *key, const void *entry)
{
    uint64_t a = *(const uint64_t *)key, b = ((const struct pair_entry *)entry)->key;
    return a < b ? -1 : a > b;
}

/* Returns the first pair with this key, or NULL. */
static const struct pair_entry *find_pair(const struct file_stats *file, uint64_t key)
{
    const struct pair_entry *found =
        bsearch(&key, file->sorted, file->count, sizeof *found, key_of_entry);
    while (found && found > file->sorted && found[-1].key == key) found--;
    return found;
}

film_status leaks_find(struct leaks *leaks, const struct file_stats *file,
                       const struct file_stats *other, uint32_t questions,
                       const unsigned char *same, film_error *error)
{
    memset(leaks, 0, sizeof *leaks);
    unsigned char *known = mem_zeroed(questions, 1);
    if (!known) return status_no_memory(error);
    for (uint32_t i = 0; i < other->sentences; i++) known[other->number[i]] = 1;
    for (uint32_t i = 0; i < file->sentences; i++) leaks->sentences += known[file->number[i]];
    for (size_t i = 0; i < file->count; i++) {
        unsigned char a = known[file->a[i]], b = known[file->b[i]];
        const struct pair_entry *there =
            a && b && other->count ? find_pair(other, question_pair_key(file->a[i], file->b[i]))
                                   : NULL;
        int label = file->pairs.label[i] >= 0.5f;
        leaks->either += a || b;
        leaks->clean += !a && !b;
        leaks->clean_right += !a && !b && same && same[i] == label;
        leaks->both += a && b;
        leaks->pair += there != NULL;
        leaks->opposed += there && there->same != label;
    }
    mem_free(known);
    return FILM_OK;
}
