/* Learns the TF-IDF vocabulary and builds the matrix; each sentence is read once.
 *
 * 1. Every thread takes a chunk of sentences, counts with its own string table and packs the
 *    counts by local id (packed_rows.h).
 * 2. The local tables are merged, features below min_df dropped and the others sorted by frequency.
 *    The order does not depend on the chunks, so every thread count gives the same result.
 * 3. Every thread translates its entries to final ids and writes them, packed again or with their
 *    weights into the CSR matrix.
 *
 * Memory besides the result: about 2 bytes per entry, and the tables including dropped
 * features. */
#include "learn/features_fit.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/threads.h"
#include "base/varint.h"
#include "learn/packed_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One thread's chunk of sentences. */
struct sentence_chunk {
    uint32_t begin, end; /* sentences */
    struct grams grams;
    struct strtab seen[GROUPS];
    uint32_t *df[GROUPS];
    size_t df_capacity[GROUPS];
    uint32_t *global[GROUPS]; /* local id -> final id, or STRTAB_NONE */
    uint8_t *bytes;           /* the packed counts of each (sentence, group), after their number */
    size_t size, capacity;
    struct gram_count *row; /* of one sentence */
    size_t longest, row_capacity;
    uint32_t *ids, *scratch;
    size_t ids_capacity, scratch_capacity;
};

/* What the steps of a fit share. */
struct fitting {
    const struct strtab *sentences;
    struct features *features;
    struct sentence_chunk *parts;
    size_t part_count;
    struct packed_rows *packed; /* NULL: no packed rows */
    struct csr *x;
};

typedef film_status (*part_step)(const struct fitting *fit, struct sentence_chunk *part,
                                 film_error *error);

struct step_job {
    const struct fitting *fit;
    part_step step;
};

static film_status step_some(struct threads_worker *worker, void *user, film_error *error)
{
    const struct step_job *job = user;
    film_status status = FILM_OK;
    size_t p, end;
    while (status == FILM_OK && threads_next(worker, &p, &end))
        status = job->step(job->fit, &job->fit->parts[p], error);
    return status;
}

/* Runs one step for all parts, each in its own thread. */
static film_status run_step(const struct fitting *fit, part_step step, film_error *error)
{
    struct step_job job = {fit, step};
    return threads_for((int)fit->part_count, fit->part_count, 1, step_some, &job, error);
}

/* ---- 1. Counting ---- */

/* Finds the ids of one group's n-grams in one sentence; adds new ones. */
static film_status number_grams(struct sentence_chunk *part, int group, film_error *error)
{
    const struct gram_list *list = &part->grams.group[group];
    struct strtab *seen = &part->seen[group];
    film_status status = FILM_OK;
    TRY_ALLOC(mem_grow((void **)&part->ids, &part->ids_capacity, list->count, sizeof *part->ids) &&
                  mem_grow((void **)&part->scratch, &part->scratch_capacity, list->count,
                           sizeof *part->scratch),
              error);
    for (size_t i = 0; i < list->count; i++) {
        film_text text = gram_text(list, &list->items[i]);
        uint32_t before = seen->count;
        TRY(strtab_add(seen, text.bytes, text.length, &part->ids[i], error));
        if (seen->count > before) {
            TRY_ALLOC(mem_grow((void **)&part->df[group], &part->df_capacity[group], seen->count,
                               sizeof *part->df[group]),
                      error);
            part->df[group][before] = 0;
        }
    }
done:
    return status;
}

/* Adds the number of different n-grams to *ENTRIES. */
static film_status count_group(struct sentence_chunk *part, int group, size_t *entries,
                               film_error *error)
{
    film_status status = number_grams(part, group, error);
    if (status != FILM_OK) return status;
    size_t count = part->grams.group[group].count, distinct = 0;
    if (!mem_grow((void **)&part->row, &part->row_capacity, count, sizeof *part->row) ||
        !mem_grow((void **)&part->bytes, &part->capacity,
                  part->size + (2 * count + 1) * VARINT_MOST, 1))
        return status_no_memory(error);
    sort_ids(part->ids, part->scratch, count);
    for (size_t i = 0; i < count;) {
        size_t start = i;
        uint32_t id = part->ids[i];
        while (i < count && part->ids[i] == id) i++;
        part->df[group][id]++;
        part->row[distinct++] = (struct gram_count){id, (uint32_t)(i - start)};
    }
    part->size += varint_put(part->bytes + part->size, (uint32_t)distinct);
    part->size += packed_rows_put(part->bytes + part->size, part->row, distinct);
    *entries += distinct;
    return FILM_OK;
}

static film_status count_part(const struct fitting *fit, struct sentence_chunk *part,
                              film_error *error)
{
    film_status status = FILM_OK;
    const struct features *features = fit->features;
    TRY(grams_init(&part->grams, &features->tokenizer, error));
    for (int g = 0; g < GROUPS; g++) TRY(strtab_init(&part->seen[g], error));
    for (uint32_t s = part->begin; s < part->end; s++) {
        TRY(grams_collect(&part->grams, &features->tokenizer, features->groups,
                          strtab_get(fit->sentences, s), error));
        size_t entries = 0;
        for (int g = 0; g < GROUPS; g++)
            if (features->groups & GROUP_BIT(g)) TRY(count_group(part, g, &entries, error));
        if (entries > part->longest) part->longest = entries;
    }
    TRY_ALLOC(mem_grow((void **)&part->row, &part->row_capacity, part->longest, sizeof *part->row),
              error);
done:
    return status;
}

/* ---- 2. Merging and selection ---- */

struct gram_candidate {
    uint64_t hash; /* breaks ties of df without comparing strings */
    uint32_t df, id;
};

static int more_frequent_first(const void *left, const void *right)
{
    const struct gram_candidate *a = left, *b = right;
    if (a->df != b->df) return a->df > b->df ? -1 : 1;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    return a->id < b->id ? -1 : 1; /* equal 64-bit hashes: extremely rare */
}

/* Merges all parts' features of GROUP into one table and sums df. part->global receives ids of that
 * table. */
static film_status merge_tables(const struct fitting *fit, int group, struct strtab *merged,
                                uint32_t **df, film_error *error)
{
    film_status status = FILM_OK;
    size_t total = 0;
    TRY(strtab_init(merged, error));
    for (size_t p = 0; p < fit->part_count; p++) total += fit->parts[p].seen[group].count;
    TRY_ALLOC(*df = mem_zeroed(total, sizeof **df), error);
    for (size_t p = 0; p < fit->part_count; p++) {
        struct sentence_chunk *part = &fit->parts[p];
        struct strtab *seen = &part->seen[group];
        TRY_ALLOC(part->global[group] = mem_array(seen->count, sizeof(uint32_t)), error);
        for (uint32_t i = 0; i < seen->count; i++) {
            film_text text = strtab_get(seen, i);
            uint32_t *id = &part->global[group][i];
            TRY(strtab_add(merged, text.bytes, text.length, id, error));
            (*df)[*id] += part->df[group][i];
        }
    }
done:
    return status;
}

/* Selects the features of GROUP in their final order. RENUMBER[merged id] becomes the id inside the
 * group or STRTAB_NONE. */
static film_status choose_vocabulary(const struct strtab *merged, const uint32_t *df,
                                     const struct features_options *options,
                                     struct strtab *vocabulary, uint32_t *renumber,
                                     film_error *error)
{
    film_status status = FILM_OK;
    size_t kept = 0;
    struct gram_candidate *candidates = mem_array(merged->count, sizeof *candidates);
    TRY_ALLOC(candidates, error);
    for (uint32_t i = 0; i < merged->count; i++) {
        renumber[i] = STRTAB_NONE;
        if (df[i] < options->min_df) continue;
        film_text text = strtab_get(merged, i);
        candidates[kept++] =
            (struct gram_candidate){strtab_hash(text.bytes, text.length), df[i], i};
    }
    sort_array(candidates, kept, sizeof *candidates, more_frequent_first);
    if (options->max_features && kept > options->max_features) kept = options->max_features;
    TRY(strtab_init(vocabulary, error));
    for (size_t i = 0; i < kept; i++) {
        film_text text = strtab_get(merged, candidates[i].id);
        TRY(strtab_add(vocabulary, text.bytes, text.length, &renumber[candidates[i].id], error));
    }
done:
    mem_free(candidates);
    return status;
}

static film_status set_idf(struct features *features, int group, const uint32_t *df,
                           const uint32_t *renumber, uint32_t merged_count, uint32_t sentences,
                           film_error *error)
{
    uint32_t first = features->first[group];
    features->first[group + 1] = first + features->vocabulary[group].count;
    float *idf = mem_resize(features->own_idf, features->first[group + 1], sizeof *idf);
    if (!idf) return status_no_memory(error);
    features->idf = features->own_idf = idf;
    for (uint32_t i = 0; i < merged_count; i++)
        if (renumber[i] != STRTAB_NONE)
            idf[first + renumber[i]] = (float)(log((1.0 + sentences) / (1.0 + df[i])) + 1.0);
    return FILM_OK;
}

static film_status settle_group(const struct fitting *fit, int group,
                                const struct features_options *options, film_error *error)
{
    film_status status = FILM_OK;
    struct features *features = fit->features;
    struct strtab merged = {0};
    uint32_t *df = NULL, *renumber = NULL;
    TRY(merge_tables(fit, group, &merged, &df, error));
    TRY_ALLOC(renumber = mem_array(merged.count, sizeof *renumber), error);
    TRY(choose_vocabulary(&merged, df, options, &features->vocabulary[group], renumber, error));
    TRY(set_idf(features, group, df, renumber, merged.count, fit->sentences->count, error));
    for (size_t p = 0; p < fit->part_count; p++) {
        struct sentence_chunk *part = &fit->parts[p];
        for (uint32_t i = 0; i < part->seen[group].count; i++) {
            uint32_t *id = &part->global[group][i];
            *id = renumber[*id];
            if (*id != STRTAB_NONE) *id += features->first[group];
        }
        strtab_free(&part->seen[group]);
    }
done:
    strtab_free(&merged);
    mem_free(df);
    mem_free(renumber);
    return status;
}

/* ---- 3. The matrix ---- */

/* Reads the next sentence at *AT into part->row, with final ids, in the order of the local ones.
 * Returns the number of entries. */
static size_t translate(struct sentence_chunk *part, unsigned groups, const uint8_t **at)
{
    size_t kept = 0;
    for (int g = 0; g < GROUPS; g++) {
        uint32_t entries = 0;
        if (!(groups & GROUP_BIT(g))) continue;
        varint_get(at, part->bytes + part->size, &entries);
        struct gram_count *row = part->row + kept;
        *at = packed_rows_get(*at, row, entries);
        for (uint32_t i = 0; i < entries; i++) {
            uint32_t id = part->global[g][row[i].id];
            if (id != STRTAB_NONE) part->row[kept++] = (struct gram_count){id, row[i].count};
        }
    }
    return kept;
}

/* The lengths of the rows. */
static film_status count_chunk_rows(const struct fitting *fit, struct sentence_chunk *part,
                                    film_error *error)
{
    const uint8_t *at = part->bytes;
    (void)error;
    for (uint32_t s = part->begin; s < part->end; s++)
        fit->x->start[s + 1] = translate(part, fit->features->groups, &at);
    return FILM_OK;
}

static int by_id(const void *left, const void *right)
{
    uint32_t a = ((const struct gram_count *)left)->id, b = ((const struct gram_count *)right)->id;
    return a < b ? -1 : a > b;
}

static void sort_entries(struct gram_count *entries, size_t count)
{
    if (count > 64) {
        sort_array(entries, count, sizeof *entries, by_id);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        struct gram_count entry = entries[i];
        size_t j = i;
        for (; j > 0 && entries[j - 1].id > entry.id; j--) entries[j] = entries[j - 1];
        entries[j] = entry;
    }
}

static film_status fill_rows(const struct fitting *fit, struct sentence_chunk *part,
                             film_error *error)
{
    struct csr *x = fit->x;
    const uint8_t *at = part->bytes;
    (void)error;
    for (uint32_t s = part->begin; s < part->end; s++) {
        size_t start = x->start[s], count = translate(part, fit->features->groups, &at);
        sort_entries(part->row, count);
        for (size_t i = 0; i < count; i++) {
            x->col[start + i] = part->row[i].id;
            x->val[start + i] = features_tf(part->row[i].count);
        }
        features_weigh(fit->features, x->col + start, x->val + start, count);
    }
    return FILM_OK;
}

/* Packs the rows again, with final ids, in place of the counts. Their places count from the part's
 * first on. */
static film_status pack_rows(const struct fitting *fit, struct sentence_chunk *part,
                             film_error *error)
{
    const uint8_t *at = part->bytes;
    uint8_t *bytes = NULL;
    size_t size = 0, capacity = 0;
    for (uint32_t s = part->begin; s < part->end; s++) {
        size_t count = translate(part, fit->features->groups, &at);
        sort_entries(part->row, count);
        if (!mem_grow((void **)&bytes, &capacity, size + 2 * VARINT_MOST * count, 1)) {
            mem_free(bytes);
            return status_no_memory(error);
        }
        fit->packed->start[s] = size;
        size += packed_rows_put(bytes + size, part->row, count);
    }
    mem_free(part->bytes);
    part->bytes = bytes;
    part->size = size;
    return FILM_OK;
}

static film_status join_packed(const struct fitting *fit, film_error *error)
{
    struct packed_rows *packed = fit->packed;
    size_t size = 0;
    for (size_t p = 0; p < fit->part_count; p++) size += fit->parts[p].size;
    if (!(packed->bytes = mem_array(size, 1))) return status_no_memory(error);
    size = 0;
    for (size_t p = 0; p < fit->part_count; p++) {
        struct sentence_chunk *part = &fit->parts[p];
        if (part->size) memcpy(packed->bytes + size, part->bytes, part->size);
        for (uint32_t s = part->begin; s < part->end; s++) packed->start[s] += size;
        size += part->size;
        mem_free(part->bytes);
        part->bytes = NULL;
    }
    packed->size = size;
    return FILM_OK;
}

/* Gives X the starts of its rows; they have no columns yet. */
static film_status start_rows(const struct fitting *fit, film_error *error)
{
    film_status status = FILM_OK;
    size_t sentences = fit->sentences->count;
    struct csr *x = fit->x;
    *x = (struct csr){.rows = sentences, .cols = features_count(fit->features)};
    TRY_ALLOC(x->start = mem_array(sentences + 1, sizeof *x->start), error);
    x->start[0] = 0;
    TRY(run_step(fit, count_chunk_rows, error));
    for (size_t s = 0; s < sentences; s++) x->start[s + 1] += x->start[s];
done:
    return status;
}

static film_status build_matrix(const struct fitting *fit, film_error *error)
{
    film_status status = FILM_OK;
    struct csr *x = fit->x;
    size_t entries = x->start[x->rows];
    if (fit->packed) {
        *fit->packed = (struct packed_rows){.features = fit->features,
                                            .start = mem_array(x->rows, sizeof(uint64_t))};
        TRY_ALLOC(fit->packed->start, error);
        TRY(run_step(fit, pack_rows, error));
        TRY(join_packed(fit, error));
        x->packed = fit->packed;
        goto done;
    }
    TRY_ALLOC((x->col = mem_array(entries, sizeof *x->col)) &&
                  (x->val = mem_array(entries, sizeof *x->val)),
              error);
    TRY(run_step(fit, fill_rows, error));
done:
    return status;
}

/* ---- All steps ---- */

/* Divides the sentences into chunks of about equal bytes. */
static void cut(const struct fitting *fit)
{
    const struct strtab *sentences = fit->sentences;
    uint64_t bytes = sentences->offsets[sentences->count];
    uint32_t at = 0;
    for (size_t p = 0; p < fit->part_count; p++) {
        uint64_t limit = bytes / fit->part_count * (p + 1);
        fit->parts[p].begin = at;
        while (at < sentences->count &&
               (p == fit->part_count - 1 || sentences->offsets[at] < limit))
            at++;
        fit->parts[p].end = at;
    }
}

static void free_part(struct sentence_chunk *part)
{
    grams_free(&part->grams);
    for (int g = 0; g < GROUPS; g++) {
        strtab_free(&part->seen[g]);
        mem_free(part->df[g]);
        mem_free(part->global[g]);
    }
    mem_free(part->bytes);
    mem_free(part->row);
    mem_free(part->ids);
    mem_free(part->scratch);
}

film_status features_fit(struct features *features, struct tokenizer *tokenizer,
                         const struct strtab *sentences, const struct features_options *options,
                         struct csr *x, film_error *error)
{
    film_status status = FILM_OK;
    size_t part_count = (size_t)threads_count(options->threads);
    struct fitting fit = {.sentences = sentences,
                          .features = features,
                          .parts = mem_zeroed(part_count, sizeof *fit.parts),
                          .part_count = part_count,
                          .packed = options->packed,
                          .x = x};
    memset(features, 0, sizeof *features);
    features->tokenizer = *tokenizer;
    memset(tokenizer, 0, sizeof *tokenizer);
    features->groups = options->groups;
    TRY_ALLOC(fit.parts, error);
    TRY(progress_report(&options->progress, "features", 0, sentences->count, error));
    cut(&fit);
    TRY(run_step(&fit, count_part, error));
    for (int g = 0; g < GROUPS; g++) TRY(settle_group(&fit, g, options, error));
    if (features_count(features) == 0)
        TRY(status_set(
            error, FILM_BAD_INPUT,
            "no word occurs in at least %zu sentences; give more text or choose a smaller min-df",
            options->min_df));
    if (x) {
        TRY(start_rows(&fit, error));
        TRY(build_matrix(&fit, error));
    }
    TRY(progress_report(&options->progress, "features", sentences->count, sentences->count, error));
done:
    for (size_t p = 0; fit.parts && p < part_count; p++) free_part(&fit.parts[p]);
    mem_free(fit.parts);
    if (status != FILM_OK) features_free(features);
    return status;
}
