/* Mistakes: examples of each cell of the confusion matrix, with their reasons. */
#include "base/mem.h"
#include "base/sort.h"
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

/* What is written, by whom, of which pairs. */
struct listing {
    struct writer *to;
    film_context *context;
    const struct eval_view *view;
    struct choice *list;
    size_t count;
};

static film_status put_pair(const struct listing *pairs, size_t pair, film_error *error)
{
    const struct eval_view *view = pairs->view;
    film_text a = strtab_get(&view->corpus->sentences, view->a[pair]);
    film_text b = strtab_get(&view->corpus->sentences, view->b[pair]);
    json_t *object = json_pack("{s:o, s:o, s:o}", "a", sentence_json(a), "b", sentence_json(b),
                               "probability", number_json(view->probability[pair]));
    if (view->corpus->labels == FILM_LABELS_SCORES)
        jsonfile_put(object, "score", number_json((double)view->label[pair]));
    film_status status = reasons_put(object, pairs->context, a, b, error);
    put_json(pairs->to, NULL, object);
    return status;
}

/* Writes the FIRST pairs at the start of the sorted list and the LAST pairs at its end. */
static film_status put_pairs(const struct listing *pairs, size_t first, size_t last,
                             film_error *error)
{
    film_status status = FILM_OK;
    sort_array(pairs->list, pairs->count, sizeof *pairs->list, probabilities_rising);
    put_open(pairs->to, "pairs", '[');
    for (size_t i = 0; i < pairs->count; i++)
        if (i < first || i + last >= pairs->count) TRY(put_pair(pairs, pairs->list[i].pair, error));
    writer_close(pairs->to, ']');
done:
    return status;
}

/* The pairs with this decision and label, the most certain first. */
static film_status write_cell(struct listing *pairs, int same, int label, film_error *error)
{
    const struct eval_view *view = pairs->view;
    pairs->count = 0;
    for (size_t i = 0; i < view->pairs; i++)
        if (view->same[i] == same && (view->label[i] >= 0.5f) == label)
            pairs->list[pairs->count++] =
                (struct choice){same ? -view->probability[i] : view->probability[i], i};
    put_open(pairs->to, NULL, '{');
    put_json(pairs->to, "same", json_boolean(same));
    put_json(pairs->to, "label", json_boolean(label));
    put_json(pairs->to, "count", json_integer((json_int_t)pairs->count));
    film_status status = put_pairs(pairs, SUREST, NARROWEST, error);
    writer_close(pairs->to, '}');
    return status;
}

/* Writes the pairs whose probability is farthest from their score, scaled to 0 to 1. */
static film_status write_scores(struct listing *pairs, film_error *error)
{
    film_status status = FILM_OK;
    const struct eval_view *view = pairs->view;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < view->pairs; i++) {
        low = fmin(low, (double)view->label[i]);
        high = fmax(high, (double)view->label[i]);
    }
    for (size_t i = 0; i < view->pairs; i++) {
        double expected = high > low ? ((double)view->label[i] - low) / (high - low) : 0.5;
        pairs->list[i] = (struct choice){view->probability[i] - expected, i};
    }
    pairs->count = view->pairs;
    for (int higher = 0; higher < 2; higher++) {
        put_open(pairs->to, NULL, '{');
        put_json(pairs->to, "higher", json_boolean(higher));
        TRY(put_pairs(pairs, higher ? 0 : SUREST, higher ? SUREST : 0, error));
        writer_close(pairs->to, '}');
    }
done:
    return status;
}

film_status mistakes_part(struct report *report, const struct eval_view *view, film_error *error)
{
    film_status status = FILM_OK;
    struct listing pairs = {.to = &report->data, .view = view};
    put_open(&report->data, "mistakes", '[');
    if (view && view->pairs) {
        TRY(film_context_new(report->model, &pairs.context, error));
        TRY_ALLOC(pairs.list = mem_array(view->pairs, sizeof *pairs.list), error);
        if (!has_pairs(view->corpus)) TRY(write_scores(&pairs, error));
        for (int cell = 0; has_pairs(view->corpus) && cell < 4; cell++) /* mistakes first */
            TRY(write_cell(&pairs, cell == 0 || cell == 2, cell == 1 || cell == 2, error));
    }
    writer_close(&report->data, ']');
done:
    film_context_free(pairs.context);
    mem_free(pairs.list);
    return status;
}
