/* Opens damaged copies of a small model: each is refused with a message that names the defect, or
 * answers as far as possible. */
#ifndef SPOILED_MODEL_H
#define SPOILED_MODEL_H

#include "faq_model.h"
#include "film_explain.h"
#include "spoil.h"

static char good[300], spoiled[300]; /* paths */

/* Matches known and unknown questions, with reasons, and explains the model: whatever a table
 * contains, nothing outside it is read. */
static inline void ask(const film_model *model)
{
    film_context *context;
    film_verdict verdict;
    char *json = NULL;
    assert_ok(film_context_new(model, &context, &error));
    for (size_t i = 0; i < faq_count; i += 9) {
        assert_ok(
            film_match(context, film_string(faq[i].a), film_string(faq[i].b), &verdict, &error));
        assert_ok(
            film_match(context, film_string(faq[i].a), film_string("xyzzy"), &verdict, &error));
    }
    film_context_free(context);
    assert_ok(film_explain_model(model, 5, &json, &error));
    film_free(json);
}

/* Opens the corrupted file; MESSAGE NULL: it must open and match. */
static inline void expect(const struct spoil *spoil, const char *what, const char *message)
{
    film_model *model = NULL;
    assert_ok(spoil_write(spoil, spoiled, &error));
    film_status status = film_open(spoiled, &model, &error);
    if (status == FILM_OK && !message) {
        ask(model);
    } else if (status != FILM_BAD_INPUT || !message || !strstr(error.message, message) ||
               strncmp(error.message, spoiled, strlen(spoiled)) != 0 || model) {
        print_error("%s: status %d, \"%s\", expected \"%s\"\n", what, (int)status,
                    status == FILM_OK ? "" : error.message, message ? message : "an answer");
        fail();
    }
    film_close(model);
}

#endif
