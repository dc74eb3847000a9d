/* Adds the labelled pairs of film_train_options to the rows of the files, with the same checks as a
 * table's rows. The caller provides them (a pool, a program). */
#include "train/pairs.h"
#include "base/utf8.h"

static film_status check_pair(const film_pair *pair, size_t i, film_error *error)
{
    const film_text texts[2] = {pair->a, pair->b};
    size_t bad;
    for (int t = 0; t < 2; t++) {
        if (!texts[t].bytes)
            return status_set(error, FILM_USAGE, "pair %zu: sentence %c is NULL", i, 'a' + t);
        if (!utf8_valid(texts[t].bytes, texts[t].length, &bad))
            return status_set(error, FILM_BAD_INPUT,
                              "pair %zu: sentence %c is not valid UTF-8 at byte %zu", i, 'a' + t,
                              bad + 1);
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
    if (corpus->labels != FILM_LABELS_PAIRS)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "the pairs have labels same or different, but the files do not; train on "
                       "one kind at a time"));
    for (size_t i = 0; i < count; i++) {
        TRY(check_pair(&pairs[i], i, error));
        film_row row = {.a = pairs[i].a, .b = pairs[i].b, .label = pairs[i].label};
        TRY(corpus_add(corpus, &row, error));
    }
done:
    return status;
}
