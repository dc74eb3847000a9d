/* Scores every candidate pair once, in the process that owns the candidate. Finding candidates is
 * in candidates.c, reporting in dedup_report.c. */
#include "base/mem.h"
#include "dedup/dedup.h"

/* The item whose list contains the pair, and its candidate, an item of this process. */
struct dedup_waiting {
    uint32_t lister, candidate;
    uint32_t at;    /* the position of the lister's first record */
    film_text text; /* the text of the lister */
};

static uint64_t pair_key(uint32_t a, uint32_t b)
{
    return (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
}

/* Returns -1 without a label. */
static int label_of(const struct dedup *dedup, uint32_t a, uint32_t b)
{
    uint32_t at = dedup->label_count ? keytab_find(&dedup->labelled, pair_key(a, b)) : KEYTAB_NONE;
    return at == KEYTAB_NONE ? -1 : dedup->labels[at].same;
}

/* ---- Scoring ---- */

static void pair_of(const void *user, size_t i, film_text *a, film_text *b)
{
    const struct dedup *dedup = user;
    const struct dedup_waiting *pair = &dedup->batch[i];
    film_text own = dedup->set->texts[round_robin_place(dedup->comm, pair->candidate)];
    *a = pair->lister < pair->candidate ? pair->text : own;
    *b = pair->lister < pair->candidate ? own : pair->text;
}

static film_status take_verdict(struct dedup *dedup, const struct dedup_waiting *pair,
                                const film_verdict *verdict, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t a = pair->lister < pair->candidate ? pair->lister : pair->candidate;
    uint32_t b = pair->lister < pair->candidate ? pair->candidate : pair->lister;
    int label = label_of(dedup, a, b);
    if (label < 0 && candidates_excluded(verdict)) return FILM_OK;
    float probability = label < 0 ? (float)verdict->probability : (float)label;
    if (label < 0) TRY(dedup_consider(dedup, a, b, verdict, error));
    if (dedup->options->member)
        dedup->pairs[dedup->pair_count++] = (struct cluster_pair){a, b, probability};
    if (!((double)probability >= dedup->search.threshold)) goto done;
    dedup->result->pairs++;
    dedup->result->sure += label >= 0 || candidates_sure(&dedup->search, verdict);
    if (dedup->options->pair) {
        uint32_t place = round_robin_place(dedup->comm, pair->candidate);
        uint32_t here = record_set_position(dedup->set, place, 0), there = pair->at;
        TRY(dedup_note(dedup,
                       (struct dedup_reported){here < there ? here : there,
                                               here < there ? there : here,
                                               {a, 0},
                                               {b, 0},
                                               probability},
                       error));
    }
done:
    return status;
}

static film_status judge_waiting(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    struct score_source source = {.pair = pair_of, .user = dedup};
    size_t count = dedup->batch_count;
    TRY(candidates_judge(&dedup->search, &source, count, error));
    if (dedup->options->member) {
        void *pairs = dedup->pairs;
        int there = mem_grow(&pairs, &dedup->pair_capacity, dedup->pair_count + count,
                             sizeof *dedup->pairs);
        dedup->pairs = pairs;
        TRY_ALLOC(there, error);
    }
    for (size_t i = 0; i < count; i++)
        TRY(take_verdict(dedup, &dedup->batch[i], &dedup->search.verdicts[i], error));
    dedup->result->compared += count;
    dedup->batch_count = 0;
done:
    return status;
}

/* ---- Candidate lists ---- */

/* ITEM is the local index of an item of this process. */
static int lists_it(const struct dedup *dedup, uint32_t item, uint32_t other)
{
    const uint32_t *list = dedup->lists + (size_t)item * dedup->search.k;
    for (size_t c = 0; c < dedup->search.k; c++)
        if (list[c] == other) return 1;
    return 0;
}

/* ITEM is the local index of the lister. */
static film_status put_question(struct dedup *dedup, int to, uint32_t item, uint32_t candidates,
                                film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = dedup->comm;
    uint32_t lister[] = {round_robin_number(comm, comm->rank, item),
                         record_set_position(dedup->set, item, 0)};
    TRY(mailbox_put(&dedup->questions, to, lister, sizeof lister, error));
    TRY(mailbox_put_text(&dedup->questions, to, dedup->set->texts[item], error));
    TRY(mailbox_put(&dedup->questions, to, &candidates, sizeof candidates, error));
done:
    return status;
}

static film_status put_candidate(struct dedup *dedup, uint32_t candidate, film_error *error)
{
    return mailbox_put(&dedup->questions, round_robin_owner(dedup->comm, candidate), &candidate,
                       sizeof candidate, error);
}

/* Sends the text and the list of an item to the owners of its candidates. */
static film_status put_list(struct dedup *dedup, uint32_t item, film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = dedup->comm;
    const uint32_t *list = dedup->lists + (size_t)item * dedup->search.k;
    for (int p = 0; p < comm->size; p++) {
        uint32_t count = 0;
        for (size_t c = 0; c < dedup->search.k && list[c] != CANDIDATES_NONE; c++)
            count += round_robin_owner(comm, list[c]) == p;
        if (count == 0) continue;
        TRY(put_question(dedup, p, item, count, error));
        for (uint32_t c = 0; c < dedup->search.k && list[c] != CANDIDATES_NONE; c++)
            if (round_robin_owner(comm, list[c]) == p) TRY(put_candidate(dedup, list[c], error));
    }
done:
    return status;
}

/* Sends the queued items and scores those received. Each pair once: the list of the smaller item
 * comes first, that of the larger adds the rest. EXTRA: only pairs that are in no list. */
static film_status judge_round(struct dedup *dedup, int extra, film_error *error)
{
    film_status status = FILM_OK;
    struct mailbox *questions = &dedup->questions;
    TRY(mailbox_send(questions, error));
    while (mailbox_next(questions)) {
        uint32_t lister[2], candidates, candidate;
        mailbox_get(questions, lister, sizeof lister);
        film_text text = mailbox_get_text(questions);
        mailbox_get(questions, &candidates, sizeof candidates);
        for (; candidates > 0; candidates--) {
            mailbox_get(questions, &candidate, sizeof candidate);
            int listed = lists_it(dedup, round_robin_place(dedup->comm, candidate), lister[0]);
            if (listed && (extra || lister[0] > candidate)) continue;
            dedup->batch[dedup->batch_count++] =
                (struct dedup_waiting){lister[0], candidate, lister[1], text};
            if (dedup->batch_count == CANDIDATES_BATCH) TRY(judge_waiting(dedup, error));
        }
    }
    TRY(judge_waiting(dedup, error));
done:
    return status;
}

static film_status judge_labels(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = dedup->comm;
    for (size_t i = 0; i < dedup->label_count; i++) {
        uint32_t a = dedup->labels[i].a, b = dedup->labels[i].b, item = round_robin_place(comm, a);
        if (round_robin_owner(comm, a) != comm->rank || lists_it(dedup, item, b)) continue;
        TRY(put_question(dedup, round_robin_owner(comm, b), item, 1, error));
        TRY(put_candidate(dedup, b, error));
    }
    TRY(judge_round(dedup, 1, error));
done:
    return status;
}

/* Judges the pairs that the model remembers and no list has: in a large cluster, each item with
 * CANDIDATES_NEAR others. There is one process. */
static film_status judge_known(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    const struct known_items *known = &dedup->search.known;
    size_t waiting = 0;
    for (size_t i = 0; i < known->count; i++) {
        uint32_t a = known->items[i];
        for (size_t j = i + 1; j < known->count && j - i <= CANDIDATES_NEAR; j++) {
            uint32_t b = known->items[j];
            if (!is_known_pair(known, a, b)) break;
            if (lists_it(dedup, a, b) || label_of(dedup, a, b) >= 0) continue;
            TRY(put_question(dedup, 0, a, 1, error));
            TRY(put_candidate(dedup, b, error));
            waiting++;
        }
        if (waiting < CANDIDATES_BATCH) continue;
        TRY(judge_round(dedup, 1, error));
        waiting = 0;
    }
    TRY(judge_round(dedup, 1, error));
done:
    return status;
}

film_status dedup_judge(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    const struct record_set *set = dedup->set;
    size_t most = round_robin_count(dedup->comm, set->all_items, 0);
    size_t some = CANDIDATES_BATCH / dedup->search.k;
    const uint32_t *order = dedup->search.order;
    TRY_ALLOC(dedup->batch = mem_array(CANDIDATES_BATCH, sizeof *dedup->batch), error);
    for (size_t first = 0; first < most; first += some) {
        for (size_t i = first; i < first + some && i < set->items; i++)
            TRY(put_list(dedup, order ? order[i] : (uint32_t)i, error));
        TRY(judge_round(dedup, 0, error));
        TRY(progress_report(dedup->search.progress, "judging", (double)first, (double)most, error));
    }
    if (dedup->search.known.count) TRY(judge_known(dedup, error));
    TRY(judge_labels(dedup, error));
done:
    mem_free(dedup->batch);
    mem_free(dedup->lists);
    dedup->batch = NULL;
    dedup->lists = NULL;
    return status;
}
