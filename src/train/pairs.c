/* Adds the labelled pairs and sentences of film_train_options to the rows of the files, with the
 * same checks as a table's rows. The caller provides them (a pool, a program). */
#include "train/pairs.h"
#include "base/utf8.h"

#include <stdio.h>

static film_status check_text(film_text text, const char *where, film_error *error)
{
    size_t bad;
    if (!text.bytes) return status_set(error, FILM_USAGE, "%s is NULL", where);
    if (utf8_valid(text.bytes, text.length, &bad)) return FILM_OK;
    return status_set(error, FILM_BAD_INPUT, "%s is not valid UTF-8 at byte %zu", where, bad + 1);
}

static film_status check_pair(const film_pair *pair, size_t i, film_error *error)
{
    const film_text texts[2] = {pair->a, pair->b};
    char where[64];
    for (int t = 0; t < 2; t++) {
        snprintf(where, sizeof where, "pair %zu: sentence %c", i, 'a' + t);
        film_status status = check_text(texts[t], where, error);
        if (status != FILM_OK) return status;
    }
    if (pair->label != 0 && pair->label != 1)
        return status_set(error, FILM_BAD_INPUT, "pair %zu: label %g is not 0 or 1", i,
                          pair->label);
    return FILM_OK;
}

film_status pairs_add(struct corpus *corpus, const film_pair *pairs, size_t count,
                      film_error *error)
{
    film_status status = FILM_OK;
    if (corpus->labels == FILM_LABELS_NONE) corpus_begin_labels(corpus, FILM_LABELS_PAIRS);
    if (corpus->labels != FILM_LABELS_PAIRS)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "the pairs have labels same or different, but the files have labels of "
                       "another kind; train on one kind at a time"));
    for (size_t i = 0; i < count; i++) {
        TRY(check_pair(&pairs[i], i, error));
        film_row row = {.a = pairs[i].a, .b = pairs[i].b, .label = pairs[i].label};
        TRY(corpus_add(corpus, &row, error));
    }
done:
    return status;
}

film_status sentences_add(struct corpus *corpus, const film_text *sentences, size_t count,
                          film_error *error)
{
    film_status status = FILM_OK;
    int labelled = corpus->labels != FILM_LABELS_NONE;
    char where[64];
    for (size_t i = 0; i < count; i++) {
        snprintf(where, sizeof where, "sentence %zu", i);
        TRY(check_text(sentences[i], where, error));
        film_row row = {.a = sentences[i]};
        TRY((labelled ? corpus_add_plain : corpus_add)(corpus, &row, error));
    }
done:
    return status;
}
