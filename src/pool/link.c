/* film_link: every record of A with its likeliest records of B.
 *
 * B is in an index; A goes through in batches, so that memory grows with B and, for unique matches, with
 * the matches alone. */
#include "base/mem.h"
#include "pool/compare.h"
#include "pool/pile.h"
#include "pool/pool.h"

#include <stdlib.h>
#include <string.h>

/* A pair at or above the threshold. */
struct found {
    uint32_t a, b;
    float probability;
};

struct link {
    const film_link_options *options;
    film_link_result *result;
    const film_record *a, *b;
    size_t a_count, b_count;
    film_text *a_texts, *b_texts;
    uint64_t *a_keys, *b_keys; /* equal for the same words (pool/pile.h) */
    struct compare compare;
    struct index *index;
    uint32_t *lists; /* of a batch */
    struct compare_pair *pairs;
    struct found *found; /* of a batch, or of all for unique matches */
    size_t found_count, found_capacity;
};

static void link_free(struct link *link)
{
    compare_free(&link->compare);
    index_free(link->index);
    mem_free(link->a_texts);
    mem_free(link->b_texts);
    mem_free(link->a_keys);
    mem_free(link->b_keys);
    mem_free(link->lists);
    mem_free(link->pairs);
    mem_free(link->found);
}

/* In the order of A, the likeliest first. */
static int by_record(const void *left, const void *right)
{
    const struct found *x = left, *y = right;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    if (x->probability != y->probability) return x->probability > y->probability ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

static int by_probability(const void *left, const void *right)
{
    const struct found *x = left, *y = right;
    if (x->probability != y->probability) return x->probability > y->probability ? -1 : 1;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

static film_status tell(const struct link *link, size_t a, size_t b, double probability,
                        film_error *error)
{
    film_link_match match = {.a = a, .b = b, .first = link->a[a], .probability = probability};
    if (b != FILM_NO_MATCH) match.second = link->b[b];
    int stop = link->options->match ? link->options->match(link->options->user, &match) : 0;
    return stop ? status_set(error, FILM_CANCELLED, "stopped") : FILM_OK;
}

/* The records of A from FIRST to LAST; found is sorted and holds theirs. */
static film_status tell_range(struct link *link, size_t first, size_t last, film_error *error)
{
    film_status status = FILM_OK;
    size_t at = 0, most = link->options->most ? link->options->most : 1;
    for (size_t a = first; a < last; a++) {
        size_t told = 0;
        for (; at < link->found_count && link->found[at].a == a; at++)
            if (told < most) {
                TRY(tell(link, a, link->found[at].b, (double)link->found[at].probability, error));
                told++;
            }
        link->result->matched += told > 0;
        if (told == 0) TRY(tell(link, a, FILM_NO_MATCH, 0, error));
    }
done:
    return status;
}

static film_status judge_range(struct link *link, size_t first, size_t last, film_error *error)
{
    film_status status = FILM_OK;
    struct compare *compare = &link->compare;
    size_t k = compare->candidates, count = 0;
    TRY(compare_candidates(compare, link->index, link->a_texts + first, last - first, 0,
                           link->lists, error));
    for (size_t i = 0; i < last - first; i++)
        for (size_t c = 0; c < k && link->lists[i * k + c] != COMPARE_NONE; c++)
            link->pairs[count++] =
                (struct compare_pair){(uint32_t)(first + i), link->lists[i * k + c]};
    TRY(compare_batch(compare, link->a_texts, link->b_texts, link->pairs, count, error));
    void *found = link->found;
    TRY_ALLOC(
        mem_grow(&found, &link->found_capacity, link->found_count + count, sizeof *link->found),
        error);
    link->found = found;
    for (size_t i = 0; i < count; i++) {
        int identical = link->a_keys[link->pairs[i].a] == link->b_keys[link->pairs[i].b];
        float probability = identical ? 1 : (float)compare->verdicts[i].probability;
        if ((double)probability >= compare->threshold)
            link->found[link->found_count++] =
                (struct found){link->pairs[i].a, link->pairs[i].b, probability};
    }
    link->result->compared += count;
done:
    return status;
}

/* Greedy by falling probability: not always the largest sum, but the likeliest match is always kept, and
 * what is taken can be said in one sentence. */
static film_status keep_unique(struct link *link, film_error *error)
{
    film_status status = FILM_OK;
    unsigned char *taken_a = NULL, *taken_b = NULL;
    size_t kept = 0;
    TRY_ALLOC(taken_a = mem_zeroed(link->a_count, 1), error);
    TRY_ALLOC(taken_b = mem_zeroed(link->b_count, 1), error);
    if (link->found_count)
        qsort(link->found, link->found_count, sizeof *link->found, by_probability);
    for (size_t i = 0; i < link->found_count; i++) {
        struct found pair = link->found[i];
        if (taken_a[pair.a] || taken_b[pair.b]) continue;
        taken_a[pair.a] = taken_b[pair.b] = 1;
        link->found[kept++] = pair;
    }
    link->found_count = kept;
done:
    mem_free(taken_a);
    mem_free(taken_b);
    return status;
}

static film_status go_through(struct link *link, film_error *error)
{
    film_status status = FILM_OK;
    size_t k = link->compare.candidates, batch = COMPARE_BATCH / k;
    for (size_t first = 0; first < link->a_count; first += batch) {
        size_t last = link->a_count - first < batch ? link->a_count : first + batch;
        TRY(judge_range(link, first, last, error));
        if (!link->options->unique) {
            if (link->found_count)
                qsort(link->found, link->found_count, sizeof *link->found, by_record);
            TRY(tell_range(link, first, last, error));
            link->found_count = 0;
        }
        TRY(progress_report(link->compare.progress, "linking", (double)last, (double)link->a_count,
                            error));
    }
    if (!link->options->unique) goto done;
    TRY(keep_unique(link, error));
    if (link->found_count) qsort(link->found, link->found_count, sizeof *link->found, by_record);
    TRY(tell_range(link, 0, link->a_count, error));
done:
    return status;
}

static film_status list_texts(const struct link *link, const film_record *records, size_t count,
                              film_text **texts, uint64_t **keys, film_error *error)
{
    film_status status = FILM_OK;
    struct pile pile;
    pile_view(&pile, records, count);
    TRY_ALLOC(*texts = mem_array(count, sizeof **texts), error);
    TRY_ALLOC(*keys = mem_array(count, sizeof **keys), error);
    for (size_t i = 0; i < count; i++) (*texts)[i] = records[i].text;
    TRY(pile_keys(&pile, *keys, link->compare.progress, error));
done:
    return status;
}

static film_status link_run(struct link *link, const film_model *model, film_error *error)
{
    film_status status = FILM_OK;
    const film_link_options *options = link->options;
    struct compare *compare = &link->compare;
    if (link->a_count >= UINT32_MAX || link->b_count >= UINT32_MAX)
        TRY(status_set(error, FILM_USAGE, "more records than can be compared"));
    if (options->unique && options->most > 1)
        TRY(status_set(error, FILM_USAGE, "unique matches are one for each record, not %zu",
                       options->most));
    size_t candidates = options->candidates;
    if (options->most > COMPARE_CANDIDATES && candidates == 0) candidates = options->most;
    TRY(compare_init(compare, model, &options->answer, options->threshold, candidates,
                     &options->progress, error));
    link->result->threshold = compare->threshold;
    link->result->a = link->a_count;
    link->result->b = link->b_count;
    if (compare->candidates > link->b_count) compare->candidates = link->b_count;
    if (compare->candidates == 0) {
        TRY(tell_range(link, 0, link->a_count, error));
        goto done;
    }
    TRY(list_texts(link, link->a, link->a_count, &link->a_texts, &link->a_keys, error));
    TRY(list_texts(link, link->b, link->b_count, &link->b_texts, &link->b_keys, error));
    TRY(index_new(&model->encoder, &link->index, error));
    TRY(index_add(link->index, link->b_texts, link->b_count, compare->threads, compare->progress,
                  error));
    TRY_ALLOC(link->lists = mem_array(COMPARE_BATCH, sizeof *link->lists), error);
    TRY_ALLOC(link->pairs = mem_array(COMPARE_BATCH, sizeof *link->pairs), error);
    TRY(go_through(link, error));
done:
    return status;
}

/* ---- film_pool.h ---- */

void film_link_defaults(film_link_options *options)
{
    *options = (film_link_options){.threshold = 0};
    film_answer_defaults(&options->answer);
}

film_status film_link(const film_model *model, const film_record *a, size_t a_count,
                      const film_record *b, size_t b_count, const film_link_options *options,
                      film_link_result *result, film_error *error)
{
    film_link_options wanted;
    film_link_result figures = {0};
    film_link_defaults(&wanted);
    if (options) wanted = *options;
    if (!model || (a_count && !a) || (b_count && !b))
        return pool_missing(error, model ? "a or b" : "model");
    struct link link = {.options = &wanted,
                        .result = &figures,
                        .a = a,
                        .b = b,
                        .a_count = a_count,
                        .b_count = b_count};
    film_status status = link_run(&link, model, error);
    link_free(&link);
    if (result) *result = figures;
    return status;
}

film_status film_link_files(const film_model *model, const char *path_a, const char *path_b,
                            const film_link_options *options, film_link_result *result,
                            film_error *error)
{
    film_status status = FILM_OK;
    film_link_options wanted;
    struct pile a = {0}, b = {0};
    uint64_t skipped = 0;
    film_link_defaults(&wanted);
    if (options) wanted = *options;
    if (!model || !path_a || !path_b) return pool_missing(error, model ? "a path" : "model");
    if (strcmp(path_a, "-") == 0 && strcmp(path_b, "-") == 0)
        return status_set(error, FILM_USAGE, "both files cannot be standard input");
    TRY(pile_read(&a, path_a, &wanted.table, &wanted.progress, &skipped, error));
    TRY(pile_read(&b, path_b, &wanted.table, &wanted.progress, &skipped, error));
    TRY(film_link(model, a.records, a.count, b.records, b.count, &wanted, result, error));
    if (result) result->skipped = skipped;
done:
    pile_free(&a);
    pile_free(&b);
    return status;
}
