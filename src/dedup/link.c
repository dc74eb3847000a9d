/* film_link: every record of A with its most probable records of B. It does not cluster; dedup.c
 * does.
 *
 * A match must also answer the record at all, as the first answer of a search (pair/answered.h).
 *
 * B is in an index; A is processed in batches. Memory grows with A and B and, for unique matches,
 * with the matches. */
#include "base/mem.h"
#include "base/sort.h"
#include "base/sized.h"
#include "dedup/candidates.h"
#include "dedup/record_set.h"

#include <string.h>

/* A record of each side, and the probability of their pair once it is known. */
struct link_pair {
    uint32_t a, b;
    float probability;
};

struct link {
    const film_link_options *options;
    film_link_result *result;
    struct record_set *a, *b;
    film_text *a_texts, *b_texts; /* of the records */
    struct candidates search;
    struct index *index;
    uint32_t *lists;         /* of a batch */
    struct link_pair *batch; /* pairs to be scored */
    size_t batch_count;
    float *answered; /* by pair of the batch; NULL: the threshold of pairs decides alone */
    /* Matches of a batch, or of all for unique matches. */
    struct link_pair *found;
    size_t found_count, found_capacity;
};

static void link_free(struct link *link)
{
    candidates_free(&link->search);
    index_free(link->index);
    mem_free(link->a_texts);
    mem_free(link->b_texts);
    mem_free(link->lists);
    mem_free(link->batch);
    mem_free(link->answered);
    mem_free(link->found);
}

/* In the order of A, the most probable first. */
static int by_record(const void *left, const void *right)
{
    const struct link_pair *x = left, *y = right;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    if (x->probability != y->probability) return x->probability > y->probability ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

static int by_probability(const void *left, const void *right)
{
    const struct link_pair *x = left, *y = right;
    if (x->probability != y->probability) return x->probability > y->probability ? -1 : 1;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

/* ---- Reporting ---- */

/* Keeps the first matches of each record; found is sorted. */
static void keep_most(struct link *link)
{
    size_t kept = 0, most = link->options->most ? link->options->most : 1, of_record = 0;
    for (size_t i = 0; i < link->found_count; i++) {
        of_record = i && link->found[i].a == link->found[i - 1].a ? of_record + 1 : 1;
        if (of_record <= most) link->found[kept++] = link->found[i];
    }
    link->found_count = kept;
}

static film_status report_match(const struct link *link, const film_link_match *match,
                                film_error *error)
{
    int stop = link->options->match ? link->options->match(link->options->user, match) : 0;
    return stop ? status_set(error, FILM_CANCELLED, "stopped") : FILM_OK;
}

/* Reports the records of A from FIRST to LAST with their matches, which are in found. */
static film_status report_range(struct link *link, size_t first, size_t last, film_error *error)
{
    film_status status = FILM_OK;
    size_t at = 0;
    if (link->found_count)
        sort_array(link->found, link->found_count, sizeof *link->found, by_record);
    keep_most(link);
    for (size_t a = first; a < last; a++) {
        film_link_match match = {.a = a, .b = FILM_NO_MATCH, .first = link->a->records[a]};
        match.first_others = others_unpack(&link->a->others, &match.first.id, 0);
        int matched = at < link->found_count && link->found[at].a == a;
        link->result->matched += (uint64_t)matched;
        if (!matched) TRY(report_match(link, &match, error));
        for (; at < link->found_count && link->found[at].a == a; at++) {
            match.b = link->found[at].b;
            match.second = link->b->records[match.b];
            match.second_others = others_unpack(&link->b->others, &match.second.id, 0);
            match.probability = (double)link->found[at].probability;
            TRY(report_match(link, &match, error));
        }
    }
done:
    return status;
}

/* ---- Scoring ---- */

static void pair_of(const void *user, size_t i, film_text *a, film_text *b)
{
    const struct link *link = user;
    *a = link->a_texts[link->batch[i].a];
    *b = link->b_texts[link->batch[i].b];
}

static film_status judge_batch(struct link *link, film_error *error)
{
    film_status status = FILM_OK;
    struct candidates *search = &link->search;
    struct score_source source = {pair_of, link, link->answered};
    double least = search->model->decision.answered.threshold;
    TRY(candidates_judge(search, &source, link->batch_count, error));
    void *found = link->found;
    int there = mem_grow(&found, &link->found_capacity, link->found_count + link->batch_count,
                         sizeof *link->found);
    link->found = found;
    TRY_ALLOC(there, error);
    for (size_t i = 0; i < link->batch_count; i++) {
        struct link_pair pair = link->batch[i];
        int identical = link->a->keys[pair.a] == link->b->keys[pair.b];
        int answers = identical || !link->answered || (double)link->answered[i] >= least;
        pair.probability = identical ? 1 : (float)search->verdicts[i].probability;
        if ((double)pair.probability < search->threshold) continue;
        if (answers)
            link->found[link->found_count++] = pair;
        else
            link->result->unanswered++;
    }
    link->result->compared += link->batch_count;
done:
    return status;
}

/* Finds the matches of the records FIRST .. LAST of A; all their pairs fit into a batch. */
static film_status find_matches(struct link *link, size_t first, size_t last, film_error *error)
{
    film_status status = FILM_OK;
    size_t k = link->search.k;
    TRY(candidates_find(&link->search, link->index, link->a_texts + first, last - first, 0,
                        link->lists, error));
    link->batch_count = 0;
    for (size_t i = first; i < last; i++) {
        const uint32_t *list = link->lists + (i - first) * k;
        for (size_t c = 0; c < k && list[c] != CANDIDATES_NONE; c++)
            link->batch[link->batch_count++] = (struct link_pair){.a = (uint32_t)i, .b = list[c]};
    }
    TRY(judge_batch(link, error));
done:
    return status;
}

/* Greedy matching by decreasing probability. It does not always maximise the sum, but it always
 * keeps the most probable match and is easy to explain. */
static film_status keep_unique(struct link *link, film_error *error)
{
    film_status status = FILM_OK;
    unsigned char *taken_a = NULL, *taken_b = NULL;
    size_t kept = 0;
    TRY_ALLOC(taken_a = mem_zeroed(link->a->count, 1), error);
    TRY_ALLOC(taken_b = mem_zeroed(link->b->count, 1), error);
    if (link->found_count)
        sort_array(link->found, link->found_count, sizeof *link->found, by_probability);
    for (size_t i = 0; i < link->found_count; i++) {
        struct link_pair pair = link->found[i];
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
    size_t batch = CANDIDATES_BATCH / link->search.k, all = link->a->count;
    for (size_t first = 0; first < all; first += batch) {
        size_t last = all - first < batch ? all : first + batch;
        TRY(find_matches(link, first, last, error));
        if (!link->options->unique) {
            TRY(report_range(link, first, last, error));
            link->found_count = 0;
        }
        TRY(progress_report(link->search.progress, "linking", (double)last, (double)all, error));
    }
    if (!link->options->unique) goto done;
    TRY(keep_unique(link, error));
    TRY(report_range(link, 0, all, error));
done:
    return status;
}

/* ---- Run ---- */

static film_status list_texts(const struct record_set *set, film_text **texts, film_error *error)
{
    *texts = mem_array(set->count, sizeof **texts);
    if (!*texts) return status_no_memory(error);
    for (size_t i = 0; i < set->count; i++) (*texts)[i] = set->records[i].text;
    return FILM_OK;
}

static film_status link_start(struct link *link, const film_model *model, film_error *error)
{
    film_status status = FILM_OK;
    const film_link_options *options = link->options;
    struct candidates *search = &link->search;
    size_t candidates = options->candidates;
    if (options->unique && options->most > 1)
        TRY(status_set(error, FILM_USAGE,
                       "unique matches: %zu matches per record are not possible; choose 1",
                       options->most));
    if (options->most > CANDIDATES_K && candidates == 0) candidates = options->most;
    TRY(candidates_init(search, model,
                        &(struct candidates_request){&options->answer, options->threshold,
                                                     candidates, &options->progress, 0},
                        error));
    link->result->threshold = search->threshold;
    TRY(record_set_make_keys(link->a, search->progress, error));
    TRY(record_set_make_keys(link->b, search->progress, error));
    link->result->a = link->a->count;
    link->result->b = link->b->count;
    if (search->k > link->b->count) search->k = link->b->count;
done:
    return status;
}

static film_status link_run(struct link *link, const film_model *model, film_error *error)
{
    film_status status = FILM_OK;
    TRY(link_start(link, model, error));
    if (link->search.k == 0) {
        TRY(report_range(link, 0, link->a->count, error));
        goto done;
    }
    TRY(list_texts(link->a, &link->a_texts, error));
    TRY(list_texts(link->b, &link->b_texts, error));
    TRY(index_new_brief(&model->encoder, 0, &link->index, error));
    TRY(index_add(link->index, link->b_texts, link->b->count, link->search.threads,
                  link->search.progress, error));
    TRY_ALLOC(link->lists = mem_array(CANDIDATES_BATCH, sizeof *link->lists), error);
    TRY_ALLOC(link->batch = mem_array(CANDIDATES_BATCH, sizeof *link->batch), error);
    /* A caller's own threshold is the only one. */
    if (link->options->threshold == 0 && link->search.rule.full && model->decision.answered.learned)
        TRY_ALLOC(link->answered = mem_array(CANDIDATES_BATCH, sizeof *link->answered), error);
    TRY(go_through(link, error));
done:
    return status;
}

/* ---- film_dedup.h ---- */

/* Reads the options of the caller; RESULT is the struct that the call will fill. */
static film_status start_linking(film_link_options *wanted, const film_link_options *options,
                                 const film_link_result *result, film_error *error)
{
    film_status status = sized_options(wanted, sizeof *wanted, options, "film_link_options", error);
    return status == FILM_OK ? sized_check(result, "film_link_result", error) : status;
}

static film_status link_records(const film_model *model, struct record_set *a, struct record_set *b,
                                const film_link_options *options, film_link_result *result,
                                film_error *error)
{
    struct link link = {.options = options, .result = result, .a = a, .b = b};
    film_status status = link_run(&link, model, error);
    link_free(&link);
    return status;
}

film_status film_link(const film_model *model, const film_record *a, size_t a_count,
                      const film_record *b, size_t b_count, const film_link_options *options,
                      film_link_result *result, film_error *error)
{
    film_status status = FILM_OK;
    film_link_options wanted = {0};
    film_link_result figures = {0};
    if ((status = start_linking(&wanted, options, result, error)) != FILM_OK) return status;
    if (!model || (a_count && !a) || (b_count && !b))
        return status_missing(error, model ? "a or b" : "model");
    struct record_set as = {.records = a, .count = a_count};
    struct record_set bs = {.records = b, .count = b_count};
    status = link_records(model, &as, &bs, &wanted, &figures, error);
    record_set_free(&as);
    record_set_free(&bs);
    sized_fill(result, &figures, sizeof figures);
    return status;
}

film_status film_link_files(const film_model *model, const char *path_a, const char *path_b,
                            const film_link_options *options, film_link_result *result,
                            film_error *error)
{
    film_status status = FILM_OK;
    film_link_options wanted = {0};
    film_link_result figures = {0};
    struct record_set a = {0}, b = {0};
    char *own = NULL;
    if ((status = start_linking(&wanted, options, result, error)) != FILM_OK) return status;
    if (!model || !path_a || !path_b) return status_missing(error, model ? "a path" : "model");
    if (strcmp(path_a, "-") == 0 && strcmp(path_b, "-") == 0)
        return status_set(error, FILM_USAGE,
                          "standard input cannot be both files; name a file for one of them");
    a.keeps_others = b.keeps_others = wanted.columns != NULL;
    TRY(record_fields_table(&model->fields, &wanted.table, &own, error));
    TRY(record_set_read(&a, path_a, &wanted.table, &wanted.progress, &figures.skipped, error));
    TRY(record_set_read(&b, path_b, &wanted.table, &wanted.progress, &figures.skipped, error));
    if (wanted.columns) {
        wanted.columns(wanted.user, 0, a.others.names, a.others.count);
        wanted.columns(wanted.user, 1, b.others.names, b.others.count);
    }
    TRY(link_records(model, &a, &b, &wanted, &figures, error));
done:
    mem_free(own);
    record_set_free(&a);
    record_set_free(&b);
    sized_fill(result, &figures, sizeof figures);
    return status;
}
