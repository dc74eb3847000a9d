/* Top k documents by inner product of term weights, with the MaxScore algorithm (Turtle and Flood):
 * terms by decreasing upper bound; documents that can no longer reach the top k are skipped. */
#include "index/lexical_parts.h"
#include "base/sort.h"
#include "base/mem.h"
#include "base/topk.h"

#include <stdlib.h>
#include <string.h>

/* A word in more than one of COMMON documents (or MOST_COMMON of them) is common. Once rarer
 * words have found MANY times k documents, its list is probed only for those: documents that share
 * only common words are not among the best. This is the only step that is not exact; without it, a
 * search spends most of its time on "what is the". */
enum { COMMON = 32, LEAST_COMMON = 4096, MOST_COMMON = 32768, MANY = 16 };

static size_t longest_list(const struct lexical *lexical)
{
    size_t length = lexical->count / COMMON;
    return length < LEAST_COMMON ? LEAST_COMMON : length < MOST_COMMON ? length : MOST_COMMON;
}

/* A term of the query and its posting list. */
struct wanted {
    const uint32_t *document;
    const uint16_t *weight;
    size_t length;
    uint32_t term, code;
    uint64_t bound; /* the most that it can add to a score */
};

struct lexical_searcher {
    uint32_t *sum; /* partial score by document; all 0 between searches */
    size_t sum_capacity;
    uint32_t *touched; /* documents with a partial score */
    size_t touched_count, touched_capacity;
    uint32_t *order; /* scratch space for sorting */
    size_t order_capacity;
    const uint8_t *mask; /* of this search; NULL: all */
    struct wanted *wanted;
    size_t wanted_count, wanted_capacity;
};

film_status lexical_searcher_new(struct lexical_searcher **out, film_error *error)
{
    *out = mem_zeroed(1, sizeof **out);
    return *out ? FILM_OK : status_no_memory(error);
}

void lexical_searcher_free(struct lexical_searcher *searcher)
{
    if (!searcher) return;
    mem_free(searcher->sum);
    mem_free(searcher->touched);
    mem_free(searcher->order);
    mem_free(searcher->wanted);
    mem_free(searcher);
}

static int fit(struct lexical_searcher *searcher, size_t count, size_t terms)
{
    size_t before = searcher->sum_capacity;
    void *sum = searcher->sum, *touched = searcher->touched, *order = searcher->order,
         *wanted = searcher->wanted;
    int there = mem_grow(&sum, &searcher->sum_capacity, count + 1, sizeof(uint32_t)) &&
                mem_grow(&touched, &searcher->touched_capacity, count + 1, sizeof(uint32_t)) &&
                mem_grow(&order, &searcher->order_capacity, count + 1, sizeof(uint32_t)) &&
                mem_grow(&wanted, &searcher->wanted_capacity, terms + 1, sizeof(struct wanted));
    searcher->sum = sum;
    searcher->touched = touched;
    searcher->order = order;
    searcher->wanted = wanted;
    if (searcher->sum_capacity > before)
        memset(searcher->sum + before, 0,
               (searcher->sum_capacity - before) * sizeof *searcher->sum);
    return there;
}

/* ---- Terms of the query ---- */

static int by_bound(const void *a, const void *b)
{
    const struct wanted *left = a, *right = b;
    if (left->bound != right->bound) return left->bound > right->bound ? -1 : 1;
    return left->term < right->term ? -1 : left->term > right->term;
}

static int by_term(const void *a, const void *b)
{
    const struct wanted *left = a, *right = b;
    return left->term < right->term ? -1 : left->term > right->term;
}

/* Looks the terms up; a duplicate term is ignored. Sorted by term. */
static void look_up_terms(const struct lexical *lexical, struct lexical_searcher *searcher,
                          struct lexical_terms query)
{
    const struct lexical_view *view = &lexical->view;
    const struct keytab *terms = lexical->borrowed ? &view->terms : &lexical->terms;
    size_t count = 0, most = query.count < LEXICAL_MOST_TERMS ? query.count : LEXICAL_MOST_TERMS;
    struct wanted *wanted = searcher->wanted;
    for (size_t i = 0; i < most; i++) {
        uint32_t code = lexical_code(query.weight[i]), term;
        if (!code || (term = keytab_find(terms, query.key[i])) == KEYTAB_NONE) continue;
        wanted[count] = (struct wanted){.term = term, .code = code};
        /* Each is read once: a mapped file may change. */
        int known = term < view->terms.count;
        uint64_t begin = known ? view->start[term] : 0, end = known ? view->start[term + 1] : 0;
        if (begin < end && end <= view->postings) {
            wanted[count].document = view->document + begin;
            wanted[count].weight = view->weight + begin;
            wanted[count].length = (size_t)(end - begin);
            wanted[count].bound = (uint64_t)code * view->most[term];
        }
        count++;
    }
    sort_array(wanted, count, sizeof *wanted, by_term);
    searcher->wanted_count = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || wanted[i].term != wanted[i - 1].term)
            wanted[searcher->wanted_count++] = wanted[i];
}

/* ---- Accumulation ---- */

static void add_to(struct lexical_searcher *searcher, uint32_t document, uint32_t value)
{
    if (searcher->sum[document] == 0) searcher->touched[searcher->touched_count++] = document;
    searcher->sum[document] += value;
}

static void add_tail(const struct lexical *lexical, struct lexical_searcher *searcher)
{
    for (size_t d = 0; d < lexical->tail; d++) {
        size_t at = lexical->tail_start[d], end = lexical->tail_start[d + 1], w = 0;
        uint32_t sum = 0;
        while (at < end && w < searcher->wanted_count) {
            uint32_t term = lexical->tail_term[at], other = searcher->wanted[w].term;
            if (term == other) sum += lexical->tail_weight[at] * searcher->wanted[w].code;
            at += term <= other;
            w += other <= term;
        }
        if (sum) add_to(searcher, (uint32_t)(lexical->view.count + d), sum);
    }
}

/* Adds a whole list. The id is checked because the file may be unchecked. */
static void add_list(struct lexical_searcher *searcher, const struct wanted *wanted, size_t count)
{
    uint32_t *sum = searcher->sum, *touched = searcher->touched;
    size_t touched_count = searcher->touched_count;
    for (size_t i = 0; i < wanted->length; i++) {
        uint32_t document = wanted->document[i], value = wanted->weight[i] * wanted->code;
        if (document >= count || value == 0) continue;
        uint32_t before = sum[document];
        touched[touched_count] = document;
        touched_count += before == 0;
        sum[document] = before + value;
        if (before + value == 0) sum[document] = 1; /* overflow: only with damaged weights */
    }
    searcher->touched_count = touched_count;
}

/* Galloping search in ascending documents: returns the position, from AT on, of the first that is
 * not below DOCUMENT. */
static size_t gallop(const struct wanted *wanted, size_t at, uint32_t document)
{
    size_t step = 1, low = at;
    while (at < wanted->length && wanted->document[at] < document) {
        low = at + 1;
        at += step;
        step *= 2;
    }
    size_t high = at < wanted->length ? at : wanted->length;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (wanted->document[middle] < document)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds a list only for the remaining candidates (touched, ascending). */
static void add_candidates(struct lexical_searcher *searcher, const struct wanted *wanted)
{
    size_t at = 0;
    for (size_t i = 0; i < searcher->touched_count && at < wanted->length; i++) {
        uint32_t document = searcher->touched[i];
        at = gallop(wanted, at, document);
        if (at < wanted->length && wanted->document[at] == document)
            searcher->sum[document] += wanted->weight[at] * wanted->code;
    }
}

/* ---- Remaining candidates ---- */

static int is_out(const struct lexical *lexical, const struct lexical_searcher *searcher,
                  uint32_t document)
{
    const uint8_t *dead = lexical->borrowed ? lexical->view.dead : lexical->dead;
    return (lexical->removed && dead[document]) || (searcher->mask && !searcher->mask[document]);
}

/* Returns a score that K living documents reach, at most RANGE below the best such score; 0 when
 * there are fewer documents. A histogram has no branches that depend on the scores. */
static uint32_t least_of_best(const struct lexical *lexical,
                              const struct lexical_searcher *searcher, size_t k)
{
    enum { BITS = 13, RANGE = 1 << BITS, RANGES = (LEXICAL_ONE * LEXICAL_ONE >> BITS) + 1 };
    uint32_t count[RANGES] = {0};
    int all = !lexical->removed && !searcher->mask;
    for (size_t i = 0; i < searcher->touched_count; i++) {
        uint32_t document = searcher->touched[i], range = searcher->sum[document] / RANGE;
        if (all || !is_out(lexical, searcher, document))
            count[range < RANGES ? range : RANGES - 1]++;
    }
    size_t above = 0;
    for (uint32_t range = RANGES; range-- > 0;)
        if ((above += count[range]) >= k) return range * RANGE;
    return 0;
}

/* Drops the candidates that cannot reach LEAST with REST more. */
static void drop(struct lexical_searcher *searcher, uint32_t least, uint64_t rest)
{
    size_t kept = 0;
    for (size_t i = 0; i < searcher->touched_count; i++) {
        uint32_t document = searcher->touched[i];
        if (searcher->sum[document] + rest >= least)
            searcher->touched[kept++] = document;
        else
            searcher->sum[document] = 0;
    }
    searcher->touched_count = kept;
}

/* Processes the terms by decreasing bound. REST is the upper bound of all terms from the current
 * one on. */
static void add_terms(const struct lexical *lexical, struct lexical_searcher *searcher, size_t k)
{
    uint64_t rest = 0;
    size_t i = 0, count = searcher->wanted_count, longest = longest_list(lexical);
    struct wanted *wanted = searcher->wanted;
    sort_array(wanted, count, sizeof *wanted, by_bound);
    for (size_t t = 0; t < count; t++) rest += wanted[t].bound;
    for (uint32_t least = 0; i < count; i++) {
        /* Computing the threshold reads all scores once: only before a list that costs as much. */
        if (searcher->touched_count >= k && 2 * wanted[i].length > searcher->touched_count)
            least = least_of_best(lexical, searcher, k);
        if (rest < least || (wanted[i].length > longest && searcher->touched_count > MANY * k)) {
            drop(searcher, least, rest);
            break;
        }
        add_list(searcher, &wanted[i], lexical->view.count);
        rest -= wanted[i].bound;
    }
    if (i == count) return;
    sort_ids(searcher->touched, searcher->order, searcher->touched_count);
    for (; i < count; i++) {
        if (searcher->touched_count > 4 * k)
            drop(searcher, least_of_best(lexical, searcher, k), rest);
        add_candidates(searcher, &wanted[i]);
        rest -= wanted[i].bound;
    }
}

film_status lexical_search(const struct lexical *lexical, struct lexical_searcher *searcher,
                           struct lexical_terms query, const uint8_t *mask, size_t k,
                           struct nearest *out, film_error *error)
{
    film_status status = FILM_OK;
    struct topk top = topk_over(out->score, out->id, k);
    out->found = 0;
    if (k == 0) goto done;
    TRY_ALLOC(fit(searcher, lexical->count, query.count), error);
    searcher->touched_count = 0;
    searcher->mask = mask;
    look_up_terms(lexical, searcher, query);
    add_tail(lexical, searcher);
    add_terms(lexical, searcher, k);
    for (size_t i = 0; i < searcher->touched_count; i++) {
        uint32_t document = searcher->touched[i], sum = searcher->sum[document];
        searcher->sum[document] = 0;
        if (sum && !is_out(lexical, searcher, document))
            topk_offer(&top, (float)sum / ((float)LEXICAL_ONE * LEXICAL_ONE), document);
    }
    topk_finish(&top);
    out->found = top.count;
done:
    return status;
}
