/* film_link: every record of A with its most probable records of B. It does not cluster; dedup.c
 * does.
 *
 * A match must also answer the record at all, as the first answer of a search (pair/answered.h).
 *
 * B is in an index; A is processed in batches. Memory grows with A and B and, for unique matches,
 * with the matches.
 *
 * In a job, the records of both are assigned round-robin (dedup/round_robin.h). Each process has an
 * index over its share of B, and the owner of B's record scores a pair. Matches are sent to the
 * first process, which reports them. With R records of A and B in N processes, each process holds
 * about R / N; the first also holds 12 bytes per match of a batch, or of all for unique matches. */
#include "base/mem.h"
#include "base/sort.h"
#include "base/sized.h"
#include "dedup/candidates.h"
#include "dedup/record_set.h"

#include <stdlib.h>
#include <string.h>

/* A pair at or above the threshold. */
struct found {
    uint32_t a, b;
    float probability;
};

/* A pair to be scored here. */
struct received_query {
    uint32_t a, b;
    uint64_t key; /* of A's words */
    film_text text;
};

struct link {
    const film_link_options *options;
    film_link_result *result;
    const struct comm *comm;
    struct record_set *a, *b;
    film_text *a_texts, *b_texts; /* of the records of this process */
    struct candidates search;
    struct index *index;
    uint32_t *lists;          /* of a batch */
    struct mailbox questions; /* A's texts for the owners of their candidates */
    struct received_query *received;
    size_t received_count;
    float *answered; /* by received query; NULL: the threshold of pairs decides alone */
    struct mailbox matches;
    /* Matches of a batch, or of all for unique matches; in the first process those of all
     * processes. */
    struct found *found;
    size_t found_count, found_capacity;
    struct record_set_found first, second; /* records to be reported */
};

static void link_free(struct link *link)
{
    candidates_free(&link->search);
    index_free(link->index);
    mem_free(link->a_texts);
    mem_free(link->b_texts);
    mem_free(link->lists);
    mailbox_free(&link->questions);
    mem_free(link->received);
    mem_free(link->answered);
    mailbox_free(&link->matches);
    mem_free(link->found);
    record_set_found_free(&link->first);
    record_set_found_free(&link->second);
}

/* In the order of A, the most probable first. */
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

/* Fetches records to the first process: A's from FIRST to LAST, B's of the matches from MATCH to
 * END. */
static film_status fetch_some(struct link *link, size_t first, size_t last, size_t match,
                              size_t end, film_error *error)
{
    film_status status = FILM_OK;
    int reports = link->comm->rank == 0;
    size_t as = reports ? last - first : 0, bs = reports ? end - match : 0;
    struct record_set_ref *refs = mem_array(as > bs ? as : bs, sizeof *refs);
    TRY_ALLOC(refs, error);
    for (size_t i = 0; i < as; i++) refs[i] = (struct record_set_ref){(uint32_t)(first + i), 0};
    TRY(record_set_fetch(link->a, refs, as, &link->first, error));
    for (size_t i = 0; i < bs; i++) refs[i] = (struct record_set_ref){link->found[match + i].b, 0};
    TRY(record_set_fetch(link->b, refs, bs, &link->second, error));
done:
    mem_free(refs);
    return status;
}

static film_status report_match(const struct link *link, const film_link_match *match,
                                film_error *error)
{
    int stop = link->options->match ? link->options->match(link->options->user, match) : 0;
    return stop ? status_set(error, FILM_CANCELLED, "stopped") : FILM_OK;
}

/* In the first process: reports the fetched records. */
static film_status report_matches(struct link *link, size_t first, size_t last, size_t *at,
                                  film_error *error)
{
    film_status status = FILM_OK;
    size_t begin = *at;
    for (size_t a = first; a < last; a++) {
        film_link_match match = {
            .a = a, .b = FILM_NO_MATCH, .first = link->first.records[a - first]};
        match.first_others = others_unpack(&link->a->others, &match.first.id, 0);
        int matched = *at < link->found_count && link->found[*at].a == a;
        link->result->matched += (uint64_t)matched;
        if (!matched) TRY(report_match(link, &match, error));
        for (; *at < link->found_count && link->found[*at].a == a; (*at)++) {
            match.b = link->found[*at].b;
            match.second = link->second.records[*at - begin];
            match.second_others = others_unpack(&link->b->others, &match.second.id, 0);
            match.probability = (double)link->found[*at].probability;
            TRY(report_match(link, &match, error));
        }
    }
done:
    return status;
}

/* Reports the records of A from FIRST to LAST, of all processes; the first process has their
 * matches in found. */
static film_status report_range(struct link *link, size_t first, size_t last, film_error *error)
{
    enum { SOME = 16384 };
    film_status status = FILM_OK;
    size_t at = 0;
    if (link->found_count)
        sort_array(link->found, link->found_count, sizeof *link->found, by_record);
    keep_most(link);
    for (size_t next; first < last; first = next) {
        size_t end = at;
        next = last - first < SOME ? last : first + SOME;
        while (end < link->found_count && link->found[end].a < next) end++;
        TRY(fetch_some(link, first, next, at, end, error));
        if (link->comm->rank == 0) status = report_matches(link, first, next, &at, error);
        TRY(comm_agree(link->comm, status, error));
    }
done:
    return status;
}

/* ---- Scoring ---- */

static void pair_of(const void *user, size_t i, film_text *a, film_text *b)
{
    const struct link *link = user;
    *a = link->received[i].text;
    *b = link->b_texts[round_robin_place(link->comm, link->received[i].b)];
}

static film_status judge_queries(struct link *link, film_error *error)
{
    film_status status = FILM_OK;
    struct candidates *search = &link->search;
    struct score_source source = {pair_of, link, link->answered};
    double least = search->model->decision.answered.threshold;
    TRY(candidates_judge(search, &source, link->received_count, error));
    for (size_t i = 0; i < link->received_count; i++) {
        const struct received_query *received = &link->received[i];
        int identical = received->key == link->b->keys[round_robin_place(link->comm, received->b)];
        float probability = identical ? 1 : (float)search->verdicts[i].probability;
        struct found found = {received->a, received->b, probability};
        int answers = identical || !link->answered || (double)link->answered[i] >= least;
        if (answers && (double)probability >= search->threshold)
            TRY(mailbox_put(&link->matches, 0, &found, sizeof found, error));
    }
    link->result->compared += link->received_count;
    link->received_count = 0;
done:
    return status;
}

/* Sends the records FIRST .. LAST of A of this process to the owners of their candidates. */
static film_status send_queries(struct link *link, size_t first, size_t last, film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = link->comm;
    size_t k = link->search.k;
    TRY(candidates_find(&link->search, link->index, link->a_texts + first, last - first, 0,
                        link->lists, error));
    for (size_t i = first; i < last; i++) {
        const uint32_t *list = link->lists + (i - first) * k;
        uint32_t number = round_robin_number(comm, comm->rank, i);
        for (int p = 0; p < comm->size; p++) {
            uint32_t count = 0;
            for (size_t c = 0; c < k && list[c] != CANDIDATES_NONE; c++)
                count += round_robin_owner(comm, list[c]) == p;
            if (count == 0) continue;
            TRY(mailbox_put(&link->questions, p, &number, sizeof number, error));
            TRY(mailbox_put(&link->questions, p, &link->a->keys[i], sizeof *link->a->keys, error));
            TRY(mailbox_put_text(&link->questions, p, link->a_texts[i], error));
            TRY(mailbox_put(&link->questions, p, &count, sizeof count, error));
            for (size_t c = 0; c < k && list[c] != CANDIDATES_NONE; c++)
                if (round_robin_owner(comm, list[c]) == p)
                    TRY(mailbox_put(&link->questions, p, &list[c], sizeof *list, error));
        }
    }
    TRY(mailbox_send(&link->questions, error));
done:
    return status;
}

static film_status answer_range(struct link *link, film_error *error)
{
    film_status status = FILM_OK;
    struct mailbox *questions = &link->questions;
    while (mailbox_next(questions)) {
        struct received_query received;
        uint32_t count;
        mailbox_get(questions, &received.a, sizeof received.a);
        mailbox_get(questions, &received.key, sizeof received.key);
        received.text = mailbox_get_text(questions);
        mailbox_get(questions, &count, sizeof count);
        for (; count > 0; count--) {
            mailbox_get(questions, &received.b, sizeof received.b);
            link->received[link->received_count++] = received;
            if (link->received_count == CANDIDATES_BATCH) TRY(judge_queries(link, error));
        }
    }
    TRY(judge_queries(link, error));
    TRY(mailbox_send(&link->matches, error));
    while (mailbox_next(&link->matches)) {
        void *found = link->found;
        int there =
            mem_grow(&found, &link->found_capacity, link->found_count + 1, sizeof *link->found);
        link->found = found;
        TRY_ALLOC(there, error);
        mailbox_get(&link->matches, &link->found[link->found_count++], sizeof *link->found);
    }
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
    TRY_ALLOC(taken_a = mem_zeroed(link->a->all_records, 1), error);
    TRY_ALLOC(taken_b = mem_zeroed(link->b->all_records, 1), error);
    if (link->found_count)
        sort_array(link->found, link->found_count, sizeof *link->found, by_probability);
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
    size_t batch = CANDIDATES_BATCH / link->search.k, all = link->a->all_records;
    size_t most = round_robin_count(link->comm, all, 0), step = batch * (size_t)link->comm->size;
    for (size_t first = 0; first < most; first += batch) {
        size_t last = link->a->count < first + batch ? link->a->count : first + batch;
        TRY(send_queries(link, first < last ? first : last, last, error));
        TRY(answer_range(link, error));
        size_t begin = first * (size_t)link->comm->size; /* among the records of all processes */
        size_t end = all - begin < step ? all : begin + step;
        if (!link->options->unique) {
            TRY(report_range(link, begin, end, error));
            link->found_count = 0;
        }
        TRY(progress_report(link->search.progress, "linking", (double)end, (double)all, error));
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
    TRY(candidates_init(search, link->comm, model,
                        &(struct candidates_request){&options->answer, options->threshold,
                                                     candidates, &options->progress, 0},
                        error));
    link->result->threshold = search->threshold;
    TRY(record_set_place(link->a, search->progress, error));
    TRY(record_set_place(link->b, search->progress, error));
    link->result->a = link->a->all_records;
    link->result->b = link->b->all_records;
    if (search->k > link->b->all_records) search->k = link->b->all_records;
done:
    return status;
}

/* Adds up the counts of all processes, and broadcasts those of the first. */
static film_status add_up(const struct link *link, film_error *error)
{
    size_t counts[] = {(size_t)link->result->compared, (size_t)link->result->matched};
    film_status status = comm_sum_counts(link->comm, counts, 2, error);
    link->result->compared = counts[0];
    link->result->matched = counts[1];
    return status;
}

static film_status link_run(struct link *link, const film_model *model, film_error *error)
{
    film_status status = FILM_OK;
    TRY(link_start(link, model, error));
    if (link->search.k == 0) {
        TRY(report_range(link, 0, link->a->all_records, error));
        goto done;
    }
    TRY(list_texts(link->a, &link->a_texts, error));
    TRY(list_texts(link->b, &link->b_texts, error));
    TRY(index_new_brief(&model->encoder, 0, &link->index, error));
    TRY(index_add(link->index, link->b_texts, link->b->count, link->search.threads,
                  link->search.progress, error));
    TRY_ALLOC(link->lists = mem_array(CANDIDATES_BATCH, sizeof *link->lists), error);
    TRY_ALLOC(link->received = mem_array(CANDIDATES_BATCH, sizeof *link->received), error);
    /* A caller's own threshold is the only one. */
    if (link->options->threshold == 0 && link->search.rule.full && model->decision.answered.learned)
        TRY_ALLOC(link->answered = mem_array(CANDIDATES_BATCH, sizeof *link->answered), error);
    TRY(mailbox_init(&link->questions, link->comm, error));
    TRY(mailbox_init(&link->matches, link->comm, error));
    TRY(go_through(link, error));
    TRY(add_up(link, error));
done:
    return status;
}

/* ---- film_pool.h ---- */

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
    struct link link = {
        .options = options, .result = result, .comm = comm_of(options->job), .a = a, .b = b};
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
    struct record_set as = {0}, bs = {0};
    if ((status = start_linking(&wanted, options, result, error)) != FILM_OK) return status;
    const struct comm *comm = comm_of(wanted.job);
    uint64_t sent = comm_sent(comm);
    if (!model || (a_count && !a) || (b_count && !b))
        return status_missing(error, model ? "a or b" : "model");
    TRY(record_set_view(&as, comm, a, a_count, error));
    TRY(record_set_view(&bs, comm, b, b_count, error));
    TRY(link_records(model, &as, &bs, &wanted, &figures, error));
    TRY(comm_sent_since(comm, sent, &figures.sent, error));
done:
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
    const struct comm *comm = comm_of(wanted.job);
    uint64_t sent = comm_sent(comm);
    if (!model || !path_a || !path_b) return status_missing(error, model ? "a path" : "model");
    if (strcmp(path_a, "-") == 0 && strcmp(path_b, "-") == 0)
        return status_set(error, FILM_USAGE,
                          "standard input cannot be both files; name a file for one of them");
    a.keeps_others = b.keeps_others = wanted.columns != NULL;
    TRY(record_fields_table(&model->fields, &wanted.table, &own, error));
    TRY(record_set_read(&a, comm, path_a, &wanted.table, &wanted.progress, &figures.skipped,
                        error));
    TRY(record_set_read(&b, comm, path_b, &wanted.table, &wanted.progress, &figures.skipped,
                        error));
    if (wanted.columns && comm->rank == 0) {
        wanted.columns(wanted.user, 0, a.others.names, a.others.count);
        wanted.columns(wanted.user, 1, b.others.names, b.others.count);
    }
    TRY(link_records(model, &a, &b, &wanted, &figures, error));
    TRY(comm_sent_since(comm, sent, &figures.sent, error));
done:
    mem_free(own);
    record_set_free(&a);
    record_set_free(&b);
    sized_fill(result, &figures, sizeof figures);
    return status;
}
