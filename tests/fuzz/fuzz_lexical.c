/* Fuzzes the arrays of a lexical index: they are refused with a message, or the index can be
 * searched, extended and reduced. Searching never leaves the arrays, validated or not. The bytes:
 * slots (a power of two by its exponent), terms, postings, documents (one byte each), then the
 * arrays of lexical_view. */
#include "index/lexical.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition) abort();
}

/* The next BYTES as a block of their own, so that a read past its end is detected; padded with
 * zeros. */
static void *take(const uint8_t **data, size_t *size, size_t bytes)
{
    size_t there = bytes < *size ? bytes : *size;
    uint8_t *block = calloc(bytes ? bytes : 1, 1);
    if (!block) abort();
    if (there) memcpy(block, *data, there);
    *data += there;
    *size -= there;
    return block;
}

static void search(struct lexical *lexical, const struct lexical_view *view)
{
    struct lexical_searcher *searcher = NULL;
    uint64_t key[8] = {1, 2, 3};
    float weight[8], score[5];
    uint32_t id[5];
    struct nearest out = {id, score, 0};
    for (size_t i = 0; i < 8; i++) {
        weight[i] = 0.3f;
        if (i > 2) key[i] = view->terms.keys[i % (view->terms.slot_mask + 1)];
    }
    require(lexical_searcher_new(&searcher, NULL) == FILM_OK);
    for (int i = 0; i < 2; i++) { /* the second run must not see state of the first */
        require(lexical_search(lexical, searcher, (struct lexical_terms){key, weight, 8}, NULL, 5,
                               &out, NULL) == FILM_OK);
        for (size_t f = 0; f < out.found; f++) require(id[f] < lexical_count(lexical));
    }
    lexical_searcher_free(searcher);
}

static void grow(struct lexical *lexical)
{
    uint64_t key[2] = {7, 9};
    float weight[2] = {0.5f, 0.5f};
    uint32_t gone = 0;
    require(lexical_add(lexical, (struct lexical_terms){key, weight, 2}, NULL) == FILM_OK);
    require(lexical_remove(lexical, &gone, 1, NULL) == FILM_OK);
    require(lexical_settle(lexical, NULL) == FILM_OK);
    struct lexical_view after = lexical_view(lexical);
    require(lexical_check(&after, NULL) == FILM_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    film_error error = {0};
    struct lexical *lexical = NULL;
    if (size < 4) return 0;
    size_t slots = (size_t)1 << data[0] % 7, terms = data[1] % slots, postings = data[2];
    struct lexical_view view = {.postings = postings, .count = data[3]};
    data += 4;
    size -= 4;
    uint64_t *keys = take(&data, &size, slots * 8);
    uint32_t *number = take(&data, &size, slots * 4);
    view.start = take(&data, &size, (terms + 1) * 8);
    view.most = take(&data, &size, terms * 2);
    view.document = take(&data, &size, postings * 4);
    view.weight = take(&data, &size, postings * 2);
    view.dead = take(&data, &size, view.count);
    if (keytab_map(&view.terms, keys, number, slots, terms, "keys", NULL) == FILM_OK) {
        film_status status = lexical_check(&view, &error);
        require(status == FILM_OK || (status == FILM_BAD_INPUT && error.message[0]));
        if (lexical_open(&view, &lexical, NULL) == FILM_OK) {
            search(lexical, &view);
            if (status == FILM_OK) grow(lexical);
            lexical_free(lexical);
        }
    }
    free(keys);
    free(number);
    free((void *)view.start);
    free((void *)view.most);
    free((void *)view.document);
    free((void *)view.weight);
    free((void *)view.dead);
    return 0;
}
