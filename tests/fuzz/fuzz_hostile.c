/* Fuzzes search, deduplication and explanation of hostile text. The lines of the input are the
 * records; its length selects whether they are compared, explained, searched or deduplicated. Text
 * is refused with a message, or every record is in exactly one cluster, every candidate exists, and
 * a verdict does not depend on the order of the two sentences. */
#include "arena.h"
#include "film_dedup.h"
#include "film_explain.h"
#include "index/index.h"
#include "model/model.h"

#include <math.h>

enum { MOST = 24 };

struct seen {
    size_t count;
    unsigned members[MOST];
};

static int is_probability(double value)
{
    return value >= 0 && value <= 1;
}

static int on_pair(void *user, const film_duplicate *pair)
{
    const struct seen *seen = user;
    require(pair->a < seen->count && pair->b < seen->count && is_probability(pair->probability));
    return 0;
}

static int on_member(void *user, const film_member *member)
{
    struct seen *seen = user;
    require(member->at < seen->count && is_probability(member->probability));
    seen->members[member->at]++;
    return 0;
}

static void find_duplicates(const film_model *model, const film_text *texts, size_t count)
{
    film_record records[MOST] = {0};
    struct seen seen = {.count = count};
    film_error error = {0};
    film_dedup_options options = {.size = sizeof options,
                                  .answer = {.size = sizeof options.answer, .threads = 1},
                                  .candidates = 6,
                                  .review = 3,
                                  .singles = 1,
                                  .pair = on_pair,
                                  .borderline = on_pair,
                                  .member = on_member,
                                  .user = &seen};
    for (size_t i = 0; i < count; i++) records[i].text = texts[i];
    film_status status = film_dedup(model, records, count, &options, NULL, &error);
    require(status == FILM_OK || (status == FILM_BAD_INPUT && error.message[0]));
    for (size_t i = 0; i < count; i++) require(status != FILM_OK || seen.members[i] == 1);
}

static void search(const film_model *model, const film_text *texts, size_t count)
{
    struct index *index = NULL;
    struct index_searcher *searcher = NULL;
    struct index_candidate found[4];
    size_t hits = 0;
    require(index_new(&model->encoder, &index, NULL) == FILM_OK);
    if (index_add(index, texts, count, 1, NULL, NULL) == FILM_OK) {
        require(index_searcher_new(index, &searcher, NULL) == FILM_OK);
        require(index_candidates_text(index, searcher, texts[0], 4, found, &hits, NULL) == FILM_OK);
        for (size_t i = 0; i < hits; i++) require(found[i].id < count && !isnan(found[i].score));
        index_searcher_free(searcher);
    }
    index_free(index);
}

static void explain(film_context *context, film_text a, film_text b)
{
    film_error error = {0};
    film_explanation why = {.size = sizeof why};
    char *json = NULL;
    size_t length = 0;
    film_status status = film_explain_pair(context, a, b, &why, &error);
    require(status == FILM_OK || (status == FILM_BAD_INPUT && error.message[0]));
    if (status != FILM_OK) return;
    require(film_explanation_json(&why, 3, &json, &length, &error) == FILM_OK);
    require(strlen(json) == length);
    film_free(json);
}

static void match(film_context *context, film_text a, film_text b)
{
    film_error error = {0};
    film_verdict verdict, other;
    film_status status = film_match(context, a, b, &verdict, &error);
    require(status == FILM_OK || (status == FILM_BAD_INPUT && error.message[0]));
    if (status != FILM_OK) return;
    double probability = verdict.probability;
    require(is_probability(probability));
    require(film_match(context, b, a, &other, &error) == FILM_OK);
    require(fabs(other.probability - probability) < 1e-6);
}

static void compare(const film_model *model, film_text a, film_text b, size_t size)
{
    film_context *context = NULL;
    require(film_context_new(model, &context, NULL) == FILM_OK);
    if (chosen(size, 4, 0)) match(context, a, b);
    if (chosen(size, 4, 1)) explain(context, a, b);
    film_context_free(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static film_model *model;
    film_text texts[MOST];
    size_t count = 0;
    if (!model) {
        char folder[100];
        memory_folder(folder);
        model = small_model(folder);
        rmdir(folder);
    }
    const char *at = (const char *)data, *end = at + size;
    while (size && at <= end && count < MOST) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        texts[count++] = (film_text){at, (size_t)(stop - at)};
        at = stop + 1;
    }
    if (count == 0) return 0;
    arena_begin();
    if (chosen(size, 4, 0) || chosen(size, 4, 1)) compare(model, texts[0], texts[count - 1], size);
    if (chosen(size, 4, 2)) search(model, texts, count);
    if (chosen(size, 4, 3)) find_duplicates(model, texts, count);
    arena_end();
    return 0;
}
