/* Fewer candidates for a large set: by vector alone, with a lowest cosine, and judged to the end
 * only with enough word evidence; of records by blocking. A sample, searched and judged
 * in full, chooses the limits and shows what would be lost. Where that is more than one pair in a
 * hundred, nothing is left out. */
#include "base/mem.h"
#include "base/sort.h"
#include "base/strtab.h"
#include "dedup/candidates.h"

#include <float.h>
#include <string.h>

enum {
    LEAST_SAMPLE = 1024, /* sentences */
    EVERY = 32,          /* sentences for one of the sample */
    LEAST_PAIRS = 200,   /* duplicates in the sample: fewer decide nothing */
    AFFORDED = 1,        /* candidates of a record that are judged in any case */
    MOST_LOST = 500,     /* at most 1 of these is below the cosine */
    MOST_BLOCKED = 200,  /* the same of records, whose sample is small */
    MOST_MISSED = 100,   /* at most 1 of these is in no list, or excluded by its terms */
    MOST_UNBLOCKED = 20  /* the same of records: the more there are, the more of the duplicates
                            that no rare term proposes are mistakes of the model */
};

struct near_pair {
    uint32_t place, lister, candidate;
    float cosine;
    struct pair_terms terms;
    double log_odds;
    int is_known, is_duplicate; /* a known pair does not count as a duplicate */
};

struct sample {
    const struct candidates *search;
    const film_text *texts;
    struct blocking *blocking; /* of records; duplicates are then those of candidates_sure */
    uint32_t *which;           /* numbers of the sentences */
    size_t count;
    struct near_pair *pairs; /* candidates */
    size_t pair_count;
    size_t found, known; /* duplicates among them, without and with those known to the model */
    int weighed;         /* their terms are known */
};

/* Chooses sentences by their bytes: the choice does not depend on the order of the sentences. */
static film_status choose_sentences(struct sample *sample, size_t count, film_error *error)
{
    int records = sample->blocking != NULL; /* their vectors have no cells: each reads all */
    size_t wanted = count / EVERY, most = CANDIDATES_BATCH / sample->search->k / (records ? 2 : 1);
    if (wanted < LEAST_SAMPLE || records) wanted = LEAST_SAMPLE;
    if (wanted > most) wanted = most;
    size_t every = count / wanted + 1;
    sample->which = mem_array(wanted, sizeof *sample->which);
    if (!sample->which) return status_no_memory(error);
    for (size_t i = 0; i < count && sample->count < wanted; i++)
        if (strtab_hash(sample->texts[i].bytes, sample->texts[i].length) % every == 0)
            sample->which[sample->count++] = (uint32_t)i;
    return FILM_OK;
}

static void sample_texts(const void *user, size_t i, film_text *a, film_text *b)
{
    const struct sample *sample = user;
    const struct near_pair *pair = &sample->pairs[i];
    *a = sample->texts[pair->lister];
    *b = sample->texts[pair->candidate];
}

/* Judges the candidates of the sample. */
static film_status judge_sample(struct sample *sample, struct candidates *search, film_error *error)
{
    film_status status = FILM_OK;
    struct score_source source = {.pair = sample_texts, .user = sample};
    struct pair_terms *terms = mem_zeroed(sample->pair_count, sizeof *terms);
    TRY_ALLOC(terms, error);
    sample->weighed = search->rule.full && !search->model->encoder.network && !sample->blocking;
    if (sample->weighed)
        TRY(candidates_weigh(search, &source, sample->pair_count, terms, error));
    else
        TRY(candidates_judge(search, &source, sample->pair_count, error));
    for (size_t i = 0; i < sample->pair_count; i++) {
        const film_verdict *verdict = &search->verdicts[i];
        struct near_pair *pair = &sample->pairs[i];
        pair->terms = terms[i];
        pair->is_duplicate = sample->blocking
                                 ? candidates_sure(search, verdict)
                                 : (double)(float)verdict->probability >= search->threshold;
        sample->known += (size_t)pair->is_duplicate;
        pair->log_odds = verdict->log_odds;
        pair->is_known = is_known_pair(&search->known, pair->lister, pair->candidate);
        if (pair->is_known) pair->is_duplicate = 0;
        sample->found += (size_t)pair->is_duplicate;
    }
done:
    mem_free(terms);
    return status;
}

static int has_candidate(const uint32_t *list, size_t k, uint32_t id)
{
    for (size_t c = 0; c < k; c++)
        if (list[c] == id) return 1;
    return 0;
}

/* Adds the candidates in the lists of REQUEST that are not in those of KNOWN (NULL: none). */
static void add_sample_pairs(struct sample *sample, const struct candidate_query *request,
                             const uint32_t *known)
{
    size_t k = request->k;
    for (size_t i = 0; i < sample->count * k; i++)
        if (request->lists[i] != CANDIDATES_NONE &&
            !(known && has_candidate(known + i / k * k, k, request->lists[i])))
            sample->pairs[sample->pair_count++] = (struct near_pair){.place = (uint32_t)(i / k),
                                                                     .lister = sample->which[i / k],
                                                                     .candidate = request->lists[i],
                                                                     .cosine = request->cosine[i]};
}

/* Lists the candidates of the sample, of records also those of the blocking. */
static film_status list_sample(struct sample *sample, const struct candidates *search,
                               const struct index *index, film_error *error)
{
    film_status status = FILM_OK;
    size_t k = search->k;
    struct candidate_query request = {.search = search,
                                      .index = index,
                                      .queries = sample->texts,
                                      .own = 1,
                                      .which = sample->which,
                                      .k = k};
    struct candidate_query blocked = request;
    TRY_ALLOC((request.lists = mem_array(sample->count, k * sizeof *request.lists)) &&
                  (blocked.lists = mem_array(sample->count, k * sizeof *blocked.lists)) &&
                  (request.cosine = mem_array(sample->count, k * sizeof *request.cosine)) &&
                  (sample->pairs = mem_array(sample->count, 2 * k * sizeof *sample->pairs)),
              error);
    TRY(candidates_fill(&request, sample->count, error));
    add_sample_pairs(sample, &request, NULL);
    if (!sample->blocking) goto done;
    blocked.blocking = sample->blocking;
    blocked.cosine = request.cosine;
    blocked.least = FLT_MIN;
    TRY(candidates_fill(&blocked, sample->count, error));
    add_sample_pairs(sample, &blocked, request.lists);
done:
    mem_free(request.lists);
    mem_free(blocked.lists);
    mem_free(request.cosine);
    return status;
}

/* ---- The limits ---- */

static int by_sum(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Returns a limit that 0.1 % (filter of words) or 0.2 % of the pairs are below, known ones
 * included. A tail of a few pairs says little: the distance of the lowest twentieth of the sorted
 * sums from the median is continued, as far as a normal distribution would need. */
static double lowest_sum(const struct sample *sample, const double *sum, int which)
{
    double low = sum[sample->found / 20], middle = sum[sample->found / 2];
    double known = (double)sample->known / (double)sample->found;
    double factor = (which == FILTER_WORDS ? 2.0 : 1.85) - 0.2 * log(known);
    return middle - fmax(factor, 1) * (middle - low);
}

/* Adds a pair to the normal equations of a least-squares fit; the last column is its result. */
static void add_equation(double sums[][PAIR_TERMS + 2], const struct near_pair *pair, int which,
                         double result)
{
    double row[PAIR_TERMS + 2] = {[PAIR_TERMS] = 1, [PAIR_TERMS + 1] = result};
    for (int t = which == FILTER_WORDS ? PAIR_EVIDENCE + 1 : 0; t < PAIR_TERMS; t++)
        row[t] = (double)pair->terms.term[t];
    for (int i = 0; i <= PAIR_TERMS; i++)
        for (int j = 0; j <= PAIR_TERMS + 1; j++) sums[i][j] += row[i] * row[j];
}

/* Gaussian elimination; the matrix is positive definite. WEIGHT is without the constant term. */
static void solve_equations(double sums[][PAIR_TERMS + 2], double *weight)
{
    enum { COUNT = PAIR_TERMS + 1 };
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++) {
            double factor = sums[j][i] / sums[i][i];
            for (int c = i; c <= COUNT && j != i; c++) sums[j][c] -= factor * sums[i][c];
        }
    for (int t = 0; t < PAIR_TERMS; t++) weight[t] = sums[t][COUNT] / sums[t][t];
}

/* Fits the log-odds of the pairs that are not far below the threshold by their terms, and sets the
 * limit. Fitting all log-odds would spend the weights on pairs that nobody wants. FOUND is
 * scratch. */
static void choose_filter(struct candidates *search, const struct sample *sample, int which,
                          double *found)
{
    double sums[PAIR_TERMS + 1][PAIR_TERMS + 2] = {{0}};
    double middle = log(search->threshold / (1 - search->threshold));
    struct pair_filter *filter = &search->filter[which];
    size_t count = 0;
    for (size_t i = 0; i < sample->pair_count; i++) {
        const struct near_pair *pair = &sample->pairs[i];
        if (!pair->is_known && pair->log_odds > middle - 4)
            add_equation(sums, pair, which, fmin(pair->log_odds, middle + 2));
    }
    for (int t = 0; t <= PAIR_TERMS; t++) sums[t][t] += 1e-3;
    solve_equations(sums, filter->weight);
    for (size_t i = 0; i < sample->pair_count; i++)
        if (sample->pairs[i].is_duplicate)
            found[count++] = pair_filter_sum(filter, &sample->pairs[i].terms);
    sort_array(found, count, sizeof *found, by_sum);
    filter->least = lowest_sum(sample, found, which);
}

static film_status choose_filters(struct candidates *search, const struct sample *sample,
                                  film_error *error)
{
    double *found = mem_array(sample->found, sizeof *found);
    if (!found) return status_no_memory(error);
    for (int which = 0; which < FILTERS; which++) choose_filter(search, sample, which, found);
    search->filters = 1;
    mem_free(found);
    return FILM_OK;
}

static int passes_filters(const struct candidates *search, const struct pair_terms *terms)
{
    for (int which = 0; search->filters && which < FILTERS; which++)
        if (pair_filter_sum(&search->filter[which], terms) < search->filter[which].least) return 0;
    return 1;
}

/* Duplicates first. */
static int pairs_by_cosine(const void *left, const void *right)
{
    const struct near_pair *a = left, *b = right;
    if (a->is_duplicate != b->is_duplicate) return b->is_duplicate - a->is_duplicate;
    if (a->cosine != b->cosine) return a->cosine < b->cosine ? -1 : 1;
    if (a->lister != b->lister) return a->lister < b->lister ? -1 : 1;
    return a->candidate < b->candidate ? -1 : a->candidate > b->candidate;
}

/* Fills LISTS (k of each) for the sentences WHICH, or all. */
static film_status fill_near(const struct candidates *search, const struct index *index,
                             const struct sample *sample, const uint32_t *which, size_t count,
                             struct candidate_query *request, film_error *error)
{
    request->search = search;
    request->index = index;
    request->queries = sample->texts;
    request->own = 1;
    request->which = which;
    request->order = which ? NULL : search->order;
    request->lists = mem_array(count, request->k * sizeof *request->lists);
    if (!request->lists) return status_no_memory(error);
    return candidates_fill(request, count, error);
}

static int by_falling_score(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;
    return a > b ? -1 : a < b;
}

/* Returns a score that AFFORDED pairs of each record of the sample reach: few enough to judge. */
static film_status afforded_score(const struct sample *sample, float *score, film_error *error)
{
    film_status status = FILM_OK;
    size_t wanted = AFFORDED * sample->count;
    float *all = mem_array(sample->pair_count, sizeof *all);
    TRY_ALLOC(all, error);
    for (size_t i = 0; i < sample->pair_count; i++) all[i] = sample->pairs[i].cosine;
    sort_array(all, sample->pair_count, sizeof *all, by_falling_score);
    *score = all[wanted < sample->pair_count ? wanted : sample->pair_count - 1];
done:
    mem_free(all);
    return status;
}

/* Fits the score of the blocking to the sample, and makes it the cosine of its pairs. */
static film_status score_by_blocking(struct sample *sample, film_error *error)
{
    struct blocking *blocking = sample->blocking;
    film_status status = FILM_OK;
    struct blocking_example *examples = mem_array(sample->pair_count, sizeof *examples);
    TRY_ALLOC(examples, error);
    for (size_t i = 0; i < sample->pair_count; i++) {
        const struct near_pair *pair = &sample->pairs[i];
        examples[i] = (struct blocking_example){pair->lister, pair->candidate, pair->is_duplicate};
    }
    TRY(blocking_learn(blocking, examples, sample->pair_count, error));
    for (size_t i = 0; i < sample->pair_count; i++) {
        struct near_pair *pair = &sample->pairs[i];
        pair->cosine = blocking_score(blocking, pair->lister, pair->candidate);
    }
done:
    mem_free(examples);
    return status;
}

/* Returns whether LIST has ID. A full list of records may lack it: K others are as good, so that
 * nothing tells which of them it is (a name and a city among a million persons). */
static int is_candidate_listed(const struct candidate_query *near, const uint32_t *list,
                               uint32_t id)
{
    int full = near->blocking && list[near->k - 1] != CANDIDATES_NONE;
    return full || has_candidate(list, near->k, id);
}

/* Counts the duplicates of the sample, its first pairs, that neither sentence lists or that the
 * filter excludes. */
static film_status count_missed(const struct candidates *search, const struct index *index,
                                const struct sample *sample, const struct candidate_query *near,
                                size_t *missed, film_error *error)
{
    film_status status = FILM_OK;
    size_t found = sample->found, excluded = 0;
    struct candidate_query forth = *near, back = *near;
    uint32_t *which = NULL, *lister = NULL;
    size_t left = 0;
    forth.lists = back.lists = NULL;
    TRY_ALLOC((which = mem_array(found, sizeof *which)) &&
                  (lister = mem_array(found, sizeof *lister)),
              error);
    TRY(fill_near(search, index, sample, sample->which, sample->count, &forth, error));
    for (size_t i = 0; i < found; i++) {
        const struct near_pair *pair = &sample->pairs[i];
        if (!passes_filters(search, &pair->terms)) {
            excluded++;
            continue;
        }
        if (is_candidate_listed(near, forth.lists + pair->place * near->k, pair->candidate))
            continue;
        lister[left] = pair->lister;
        which[left++] = pair->candidate;
    }
    TRY(fill_near(search, index, sample, which, left, &back, error));
    *missed = excluded;
    for (size_t i = 0; i < left; i++)
        *missed += !is_candidate_listed(near, back.lists + i * near->k, lister[i]);
done:
    mem_free(forth.lists);
    mem_free(back.lists);
    mem_free(which);
    mem_free(lister);
    return status;
}

/* Sentences are searched and judged in the order of the index: what one of them needs is then in
 * the caches. */
static film_status keep_order(struct candidates *search, const struct index *index, size_t count,
                              film_error *error)
{
    film_status status = FILM_OK;
    const uint32_t *order = index_order(index);
    if (!order) return FILM_OK;
    mem_free(search->order);
    TRY_ALLOC(search->order = mem_array(count, sizeof *search->order), error);
    memcpy(search->order, order, count * sizeof *order);
    if (search->filters)
        for (int i = 0; i < search->threads; i++)
            TRY(reading_keep(&search->match[i].survey.reading, error));
done:
    return status;
}

film_status candidates_find_near(struct candidates *search, const struct index *index,
                                 const film_text *texts, size_t count, uint32_t **lists,
                                 film_error *error)
{
    film_status status = FILM_OK;
    int records = search->blocking_from > 0,
        large = records ? count >= search->blocking_from : index_order(index) != NULL;
    struct sample sample = {.search = search, .texts = texts};
    /* Words proposed candidates of their own: without them, vectors may propose more. */
    struct candidate_query near = {.k = search->k + search->k / 2};
    size_t missed = 0, most = records ? MOST_UNBLOCKED : MOST_MISSED;
    float afforded = 1;
    *lists = NULL;
    if (!large || near.k >= CANDIDATES_NEAR) return FILM_OK;
    if (records)
        TRY(blocking_new(&search->model->encoder, texts, count, search->threads, &sample.blocking,
                         error));
    else
        TRY(known_items_find(search, texts, count, error));
    near.blocking = sample.blocking;
    TRY(choose_sentences(&sample, count, error));
    TRY(list_sample(&sample, search, index, error));
    TRY(judge_sample(&sample, search, error));
    if (sample.found < LEAST_PAIRS) goto done;
    if (records) TRY(score_by_blocking(&sample, error));
    sort_array(sample.pairs, sample.pair_count, sizeof *sample.pairs, pairs_by_cosine);
    near.least =
        sample.pairs[sample.known / (records ? MOST_BLOCKED : MOST_LOST) % sample.found].cosine;
    if (records) TRY(afforded_score(&sample, &afforded, error));
    near.least = fminf(near.least, afforded);
    if (!(near.least > 0)) goto done;
    if (sample.weighed) TRY(choose_filters(search, &sample, error));
    /* At first more of the sentences in the cells (of the records in the lists), then more cells. A
     * step that may just suffice is not taken while there is another: the sample is small. */
    int last = 3 * search->k >= CANDIDATES_NEAR ? 0 : records ? 1 : 2;
    for (int step = 0; step <= last; step++) {
        if (step) near.k = 3 * search->k;
        if (step && records) blocking_widen(sample.blocking);
        near.wide = step == 2;
        TRY(count_missed(search, index, &sample, &near, &missed, error));
        size_t allowed = sample.known / most;
        if (missed <= (step < last ? allowed - allowed / 5 : allowed)) break;
    }
    if (missed > sample.known / most) {
        search->filters = 0;
        goto done;
    }
    TRY(keep_order(search, index, count, error));
    TRY(fill_near(search, index, &sample, NULL, count, &near, error));
    *lists = near.lists;
    search->k = near.k;
done:
    if (status != FILM_OK) mem_free(near.lists);
    blocking_free(sample.blocking);
    mem_free(sample.which);
    mem_free(sample.pairs);
    return status;
}
