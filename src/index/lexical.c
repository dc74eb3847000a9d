/* An inverted index over weighted terms: adds, removes and merges documents, and checks arrays from
 * a file before a change. Searching is in lexical_search.c. */
#include "index/lexical_parts.h"
#include "base/mem.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

/* A search spends about 0.1 ms on a tail of MOST_TAIL documents; merging a million documents takes
 * about a tenth of a second. During bulk additions nobody searches, so the tail may grow longer. */
enum { MOST_TAIL = 4096, MOST_WHILE_ADDING = 65536 };

film_status lexical_new(struct lexical **out, film_error *error)
{
    film_status status = FILM_OK;
    struct lexical *lexical = mem_zeroed(1, sizeof *lexical);
    *out = NULL;
    TRY_ALLOC(lexical, error);
    /* Words come from strangers. The seed is stored in the index file. */
    TRY(keytab_init_seeded(&lexical->terms, rng_entropy(), error));
    *out = lexical;
    lexical = NULL;
done:
    lexical_free(lexical);
    return status;
}

/* Checks only what keeps a search inside the arrays. */
static film_status check_sizes(const struct lexical_view *view, film_error *error)
{
    if (view->count > LEXICAL_MAX_COUNT || view->terms.count > view->postings)
        return status_set(error, FILM_BAD_INPUT,
                          "terms: invalid size: %zu documents, %u terms, %zu postings", view->count,
                          view->terms.count, view->postings);
    return FILM_OK;
}

film_status lexical_open(const struct lexical_view *view, struct lexical **out, film_error *error)
{
    *out = NULL;
    film_status status = check_sizes(view, error);
    if (status != FILM_OK) return status;
    struct lexical *lexical = mem_zeroed(1, sizeof *lexical);
    if (!lexical) return status_no_memory(error);
    lexical->view = *view;
    lexical->borrowed = 1;
    lexical->count = view->count;
    for (size_t i = 0; i < view->count; i++) lexical->removed += view->dead[i] != 0;
    *out = lexical;
    return FILM_OK;
}

void lexical_free(struct lexical *lexical)
{
    if (!lexical) return;
    keytab_free(&lexical->terms);
    mem_free(lexical->start);
    mem_free(lexical->most);
    mem_free(lexical->weight);
    mem_free(lexical->document);
    mem_free(lexical->dead);
    mem_free(lexical->tail_start);
    mem_free(lexical->tail_term);
    mem_free(lexical->tail_weight);
    mem_free(lexical);
}

size_t lexical_count(const struct lexical *lexical)
{
    return lexical->count;
}

size_t lexical_removed(const struct lexical *lexical)
{
    return lexical->removed;
}

struct lexical_view lexical_view(const struct lexical *lexical)
{
    struct lexical_view view = lexical->view;
    if (lexical->borrowed) return view;
    view.terms = lexical->terms;
    view.dead = lexical->dead;
    return view;
}

size_t lexical_frequency(const struct lexical *lexical, uint64_t key)
{
    const struct lexical_view *view = &lexical->view;
    uint32_t term = keytab_find(lexical->borrowed ? &view->terms : &lexical->terms, key);
    if (term >= view->terms.count || view->start[term] > view->start[term + 1]) return 0;
    return (size_t)(view->start[term + 1] - view->start[term]);
}

/* ---- Checks ---- */

static film_status check_list(const struct lexical_view *view, size_t term, film_error *error)
{
    uint16_t most = 0;
    for (uint64_t at = view->start[term]; at < view->start[term + 1]; at++) {
        if (view->document[at] >= view->count ||
            (at > view->start[term] && view->document[at] <= view->document[at - 1]))
            return status_set(error, FILM_BAD_INPUT,
                              "terms: list %zu: documents are not in ascending order", term);
        if (view->weight[at] == 0 || view->weight[at] > LEXICAL_ONE)
            return status_set(error, FILM_BAD_INPUT, "terms: list %zu: invalid weight", term);
        if (view->weight[at] > most) most = view->weight[at];
    }
    if (most != view->most[term])
        return status_set(error, FILM_BAD_INPUT, "terms: list %zu: wrong largest weight", term);
    return FILM_OK;
}

/* Checks that every term has exactly one key, and that it is found. */
static film_status check_term_keys(const struct lexical_view *view, film_error *error)
{
    film_status status = FILM_OK;
    size_t terms = view->terms.count, slots = (size_t)view->terms.slot_mask + 1, used = 0;
    unsigned char *seen = mem_zeroed(terms, 1);
    TRY_ALLOC(seen, error);
    for (size_t i = 0; i < slots; i++) {
        uint32_t number = view->terms.number[i]; /* once: a mapped file may change */
        if (view->terms.keys[i] == 0) continue;
        used++;
        if (number >= terms || keytab_find(&view->terms, view->terms.keys[i]) != number)
            TRY(status_set(error, FILM_BAD_INPUT, "terms: slot %zu: its key is not reachable", i));
        if (seen[number]++)
            TRY(status_set(error, FILM_BAD_INPUT, "terms: two keys for term %u", number));
    }
    if (used != terms)
        TRY(status_set(error, FILM_BAD_INPUT, "terms: %zu keys for %zu terms", used, terms));
done:
    mem_free(seen);
    return status;
}

film_status lexical_check(const struct lexical_view *view, film_error *error)
{
    film_status status = FILM_OK;
    size_t terms = view->terms.count;
    TRY(check_sizes(view, error));
    TRY(check_term_keys(view, error));
    if (view->start[0] != 0 || view->start[terms] != view->postings)
        TRY(status_set(error, FILM_BAD_INPUT, "terms: lists and postings differ in length"));
    for (size_t t = 0; t < terms; t++)
        if (view->start[t] >= view->start[t + 1])
            TRY(status_set(error, FILM_BAD_INPUT, "terms: list %zu is empty", t));
    for (size_t t = 0; t < terms; t++) TRY(check_list(view, t, error));
    for (size_t i = 0; i < view->count; i++)
        if (view->dead[i] > 1)
            TRY(status_set(error, FILM_BAD_INPUT, "terms: document %zu: invalid deleted flag", i));
done:
    return status;
}

/* ---- Changes ---- */

/* Copies the terms of a file into a growable table, with the same numbers. */
static film_status copy_terms(const struct keytab *from, struct keytab *to, film_error *error)
{
    film_status status = FILM_OK;
    uint64_t *key = NULL;
    uint32_t number;
    TRY(keytab_init_seeded(to, from->seed, error));
    TRY_ALLOC(key = mem_zeroed(from->count, sizeof *key), error);
    for (size_t i = 0; i <= from->slot_mask; i++) {
        number = from->number[i]; /* once: a mapped file may change */
        if (from->keys[i] && number < from->count) key[number] = from->keys[i];
    }
    for (size_t t = 0; t < from->count; t++) TRY(keytab_add(to, key[t], &number, error));
done:
    mem_free(key);
    return status;
}

/* Before the first change of an index over a file: copies everything except the lists, which stay
 * in the file until they are merged. */
static film_status own(struct lexical *lexical, film_error *error)
{
    film_status status = FILM_OK;
    if (!lexical->borrowed) return FILM_OK;
    if (!lexical->start) { /* checked as a copy: merging trusts it, and a mapped file may change */
        size_t room = (size_t)lexical->view.terms.count + 1;
        TRY_ALLOC(lexical->start = mem_array(room, sizeof *lexical->start), error);
        memcpy(lexical->start, lexical->view.start, room * sizeof *lexical->start);
        lexical->view.start = lexical->start;
    }
    TRY(lexical_check(&lexical->view, error));
    TRY(copy_terms(&lexical->view.terms, &lexical->terms, error));
    TRY_ALLOC(lexical->dead = mem_array(lexical->count + 1, 1), error);
    lexical->dead_capacity = lexical->count + 1;
    if (lexical->count) memcpy(lexical->dead, lexical->view.dead, lexical->count);
    lexical->borrowed = 0;
done:
    return status;
}

static int reserve_postings(struct lexical *lexical, size_t terms)
{
    size_t used = lexical->tail ? lexical->tail_start[lexical->tail] : 0;
    void *start = lexical->tail_start, *term = lexical->tail_term, *weight = lexical->tail_weight,
         *dead = lexical->dead;
    int there =
        mem_grow(&start, &lexical->tail_start_capacity, lexical->tail + 2, sizeof(size_t)) &&
        mem_grow(&term, &lexical->tail_term_capacity, used + terms + 1, sizeof(uint32_t)) &&
        mem_grow(&weight, &lexical->tail_weight_capacity, used + terms + 1, sizeof(uint16_t)) &&
        mem_grow(&dead, &lexical->dead_capacity, lexical->count + 1, 1);
    lexical->tail_start = start;
    lexical->tail_term = term;
    lexical->tail_weight = weight;
    lexical->dead = dead;
    if (there && !lexical->tail) lexical->tail_start[0] = 0;
    return there;
}

/* Inserts (TERM, CODE) into the row that ends at *END, terms ascending; an existing term stays. */
static void insert(struct lexical *lexical, size_t begin, size_t *end, uint32_t term, uint32_t code)
{
    size_t at = *end;
    while (at > begin && lexical->tail_term[at - 1] > term) at--;
    if (at > begin && lexical->tail_term[at - 1] == term) return;
    memmove(lexical->tail_term + at + 1, lexical->tail_term + at,
            (*end - at) * sizeof *lexical->tail_term);
    memmove(lexical->tail_weight + at + 1, lexical->tail_weight + at,
            (*end - at) * sizeof *lexical->tail_weight);
    lexical->tail_term[at] = term;
    lexical->tail_weight[at] = (uint16_t)code;
    ++*end;
}

film_status lexical_add(struct lexical *lexical, struct lexical_terms terms, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = terms.count < LEXICAL_MOST_TERMS ? terms.count : LEXICAL_MOST_TERMS;
    TRY(own(lexical, error));
    if (lexical->count >= LEXICAL_MAX_COUNT)
        TRY(status_set(error, FILM_USAGE, "index: more than %d documents are not supported",
                       LEXICAL_MAX_COUNT));
    TRY_ALLOC(reserve_postings(lexical, count), error);
    size_t begin = lexical->tail_start[lexical->tail], end = begin;
    for (size_t i = 0; i < count; i++) {
        uint32_t code = lexical_code(terms.weight[i]), term;
        if (!code) continue;
        TRY(keytab_add(&lexical->terms, terms.key[i], &term, error));
        insert(lexical, begin, &end, term, code);
    }
    lexical->tail_start[++lexical->tail] = end;
    lexical->dead[lexical->count++] = 0;
    if (lexical->tail >= MOST_WHILE_ADDING && lexical->tail >= lexical->view.count / 8)
        TRY(lexical_settle(lexical, error));
done:
    return status;
}

film_status lexical_remove(struct lexical *lexical, const uint32_t *id, size_t count,
                           film_error *error)
{
    film_status status = own(lexical, error);
    if (status != FILM_OK) return status;
    for (size_t i = 0; i < count; i++) {
        if (id[i] >= lexical->count || lexical->dead[id[i]]) continue;
        lexical->dead[id[i]] = 1;
        lexical->removed++;
    }
    return FILM_OK;
}

/* The new arrays of a merge. */
struct merged {
    uint64_t *start;
    uint16_t *most, *weight;
    uint32_t *document;
};

/* Merges the lists, old before new: the ids of the tail are higher, so the lists stay sorted. */
static void merge_postings(const struct lexical *lexical, const struct merged *to)
{
    const struct lexical_view *view = &lexical->view;
    size_t terms = lexical->terms.count, tail_entries = lexical->tail_start[lexical->tail];
    for (size_t i = 0; i < tail_entries; i++) to->start[lexical->tail_term[i] + 1]++;
    for (size_t t = 0; t < view->terms.count; t++)
        to->start[t + 1] += view->start[t + 1] - view->start[t];
    for (size_t t = 0; t < terms; t++) to->start[t + 1] += to->start[t];
    for (size_t t = 0; t < view->terms.count; t++) {
        size_t length = (size_t)(view->start[t + 1] - view->start[t]);
        memcpy(to->document + to->start[t], view->document + view->start[t],
               length * sizeof *to->document);
        memcpy(to->weight + to->start[t], view->weight + view->start[t],
               length * sizeof *to->weight);
        to->most[t] = view->most[t];
        to->start[t] += length; /* position of the next posting; restored below */
    }
    for (size_t d = 0; d < lexical->tail; d++)
        for (size_t i = lexical->tail_start[d]; i < lexical->tail_start[d + 1]; i++) {
            uint32_t term = lexical->tail_term[i];
            uint64_t at = to->start[term]++;
            to->document[at] = (uint32_t)(view->count + d);
            to->weight[at] = lexical->tail_weight[i];
            if (lexical->tail_weight[i] > to->most[term]) to->most[term] = lexical->tail_weight[i];
        }
    memmove(to->start + 1, to->start, terms * sizeof *to->start);
    to->start[0] = 0;
}

film_status lexical_settle(struct lexical *lexical, film_error *error)
{
    film_status status = FILM_OK;
    struct merged to = {0};
    if (lexical->borrowed || !lexical->tail) return FILM_OK;
    size_t terms = lexical->terms.count,
           postings = lexical->view.postings + lexical->tail_start[lexical->tail];
    TRY_ALLOC((to.start = mem_zeroed(terms + 2, sizeof *to.start)) &&
                  (to.most = mem_zeroed(terms + 1, sizeof *to.most)) &&
                  (to.document = mem_array(postings, sizeof *to.document)) &&
                  (to.weight = mem_array(postings, sizeof *to.weight)),
              error);
    merge_postings(lexical, &to);
    mem_free(lexical->start);
    mem_free(lexical->most);
    mem_free(lexical->document);
    mem_free(lexical->weight);
    lexical->start = to.start;
    lexical->most = to.most;
    lexical->document = to.document;
    lexical->weight = to.weight;
    to = (struct merged){0};
    lexical->view =
        (struct lexical_view){lexical->terms,  lexical->start, lexical->most, lexical->document,
                              lexical->weight, lexical->dead,  postings,      lexical->count};
    lexical->tail = 0;
done:
    mem_free(to.start);
    mem_free(to.most);
    mem_free(to.document);
    mem_free(to.weight);
    return status;
}

film_status lexical_tidy(struct lexical *lexical, film_error *error)
{
    return lexical->tail >= MOST_TAIL ? lexical_settle(lexical, error) : FILM_OK;
}
