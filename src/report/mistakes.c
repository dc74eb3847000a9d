/* Mistakes: examples of each cell of the confusion matrix, with their reasons. */
#include "base/mem.h"
#include "base/sort.h"
#include "model/model.h"
#include "report/reasons.h"

#include <math.h>
#include <stdlib.h>

enum { SUREST = 5, NARROWEST = 3 };

struct choice {
    double probability;
    size_t pair;
};

static int probabilities_rising(const void *left, const void *right)
{
    const struct choice *a = left, *b = right;
    if (a->probability != b->probability) return a->probability < b->probability ? -1 : 1;
    return a->pair < b->pair ? -1 : a->pair > b->pair;
}

static film_status put_pair(struct writer *to, struct verdict_reader *reader,
                            const struct eval_view *view, size_t pair, film_error *error)
{
    film_text text[2] = {strtab_get(&view->corpus->sentences, view->a[pair]),
                         strtab_get(&view->corpus->sentences, view->b[pair])};
    put_open(to, NULL, '{');
    put_sentence(to, "a", text[0]);
    put_sentence(to, "b", text[1]);
    put_number(to, "probability", view->probability[pair]);
    if (view->corpus->labels == FILM_LABELS_SCORES)
        put_number(to, "score", (double)view->label[pair]);
    film_status status = put_reasons(to, reader, text[0], text[1], error);
    writer_close(to, '}');
    return status;
}

/* Writes the FIRST pairs at the start of the list and the LAST pairs at its end. */
static film_status put_pairs(struct writer *to, struct verdict_reader *reader,
                             const struct eval_view *view, const struct choice *list,
                             const size_t counts[3], film_error *error)
{
    film_status status = FILM_OK;
    size_t count = counts[0], first = counts[1] < count ? counts[1] : count;
    size_t last = counts[2] < count - first ? counts[2] : count - first;
    put_open(to, "pairs", '[');
    for (size_t i = 0; i < count; i++)
        if (i < first || i >= count - last)
            TRY(put_pair(to, reader, view, list[i].pair, error));
    writer_close(to, ']');
done:
    return status;
}

static film_status write_cell(struct writer *to, struct verdict_reader *reader,
                              const struct eval_view *view, int same, int label,
                              struct choice *list, film_error *error)
{
    size_t count = 0;
    for (size_t i = 0; i < view->pairs; i++)
        if (view->same[i] == same && (view->label[i] >= 0.5f) == label)
            list[count++] = (struct choice){same ? -view->probability[i] : view->probability[i], i};
    sort_array(list, count, sizeof *list, probabilities_rising); /* most certain first */
    put_open(to, NULL, '{');
    put_truth(to, "same", same);
    put_truth(to, "label", label);
    put_count(to, "count", count);
    film_status status = put_pairs(to, reader, view, list,
                                   (const size_t[]){count, SUREST, NARROWEST}, error);
    writer_close(to, '}');
    return status;
}

/* Writes the pairs whose probability is farthest from their score, scaled to 0 to 1. */
static film_status write_scores(struct writer *to, struct verdict_reader *reader,
                                const struct eval_view *view, struct choice *list,
                                film_error *error)
{
    film_status status = FILM_OK;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < view->pairs; i++) {
        low = fmin(low, (double)view->label[i]);
        high = fmax(high, (double)view->label[i]);
    }
    for (size_t i = 0; i < view->pairs; i++) {
        double expected = high > low ? ((double)view->label[i] - low) / (high - low) : 0.5;
        list[i] = (struct choice){view->probability[i] - expected, i};
    }
    sort_array(list, view->pairs, sizeof *list, probabilities_rising);
    for (int higher = 0; higher < 2; higher++) {
        put_open(to, NULL, '{');
        put_truth(to, "higher", higher);
        TRY(put_pairs(to, reader, view, list,
                      (const size_t[]){view->pairs, higher ? 0 : SUREST, higher ? SUREST : 0},
                      error));
        writer_close(to, '}');
    }
done:
    return status;
}

film_status mistakes_part(struct report *report, const struct eval_view *view, film_error *error)
{
    film_status status = FILM_OK;
    struct writer *to = &report->data;
    struct verdict_reader reader = {.ready = 0};
    struct choice *list = NULL;
    put_open(to, "mistakes", '[');
    if (!view || !view->pairs) goto none;
    TRY(reader_init(&reader, &report->model->decision, error));
    TRY_ALLOC(list = mem_array(view->pairs, sizeof *list), error);
    if (!has_pairs(view->corpus)) TRY(write_scores(to, &reader, view, list, error));
    for (int cell = 0; has_pairs(view->corpus) && cell < 4; cell++) /* mistakes first */
        TRY(write_cell(to, &reader, view, cell == 0 || cell == 2, cell == 1 || cell == 2, list,
                       error));
none:
    writer_close(to, ']');
done:
    reader_free(&reader);
    mem_free(list);
    return status;
}
