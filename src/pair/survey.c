/* Computes everything about a pair before the decision, in the same way for training and
 * prediction. It does not decide. */
#include "pair/survey.h"
#include "base/mem.h"

#include <string.h>

/* ---- Long sentences ---- */

/* The part of two long sentences around the words in which they differ. */
struct survey_window {
    struct reading reading;
    struct comparison comparison;
};

static void window_free(struct survey_window *window)
{
    if (!window) return;
    reading_free(&window->reading);
    comparison_free(&window->comparison);
    mem_free(window);
}

static film_status window_new(struct survey *survey, film_error *error)
{
    film_status status = FILM_OK;
    const struct encoder *encoder = survey->reading.encoder;
    TRY_ALLOC(survey->window = mem_zeroed(1, sizeof *survey->window), error);
    TRY(reading_init(&survey->window->reading, encoder, error));
    TRY(comparison_init(&survey->window->comparison, encoder, error));
done:
    if (status != FILM_OK) {
        window_free(survey->window);
        survey->window = NULL;
    }
    return status;
}

/* Leaves out the words that begin and end both sentences, but for a few next to those that differ.
 * Returns 0 when too many are left. */
static int cut_window(const struct reading *reading, film_text texts[2])
{
    enum { CONTEXT = 8 };
    const struct reading_side *a = &reading->side[0], *b = &reading->side[1];
    size_t fewer = a->count < b->count ? a->count : b->count, start = 0, end = 0;
    while (start < fewer && a->words[start].number == b->words[start].number) start++;
    while (end < fewer - start &&
           a->words[a->count - 1 - end].number == b->words[b->count - 1 - end].number)
        end++;
    start -= start < CONTEXT ? start : CONTEXT;
    end -= end < CONTEXT ? end : CONTEXT;
    for (int s = 0; s < 2; s++) {
        const struct reading_side *side = &reading->side[s];
        const struct token *tokens = side->row.grams.tokens.items;
        size_t words = side->count - start - end;
        if (!words || words > COMPARISON_MOST) return 0;
        size_t from = tokens[start].from, to = tokens[start + words - 1].to;
        texts[s] = (film_text){side->text.bytes + from, to - from};
    }
    return 1;
}

/* A comparison has a limited number of words and quantities. Where these do not suffice, what alone
 * differs is looked for in the window, so that the guarantees hold for sentences of any length. */
static film_status look_in_window(struct survey *survey, film_error *error)
{
    film_status status = FILM_OK;
    film_text texts[2];
    survey->comparison.only = 0;
    if (!cut_window(&survey->reading, texts)) return FILM_OK;
    if (!survey->window) TRY(window_new(survey, error));
    TRY(reading_read(&survey->window->reading, texts[0], texts[1], error));
    comparison_start(&survey->window->comparison, &survey->window->reading);
    comparison_finish(&survey->window->comparison);
    survey->comparison.only = survey->window->comparison.only;
done:
    return status;
}

/* ---- Any ---- */

film_status survey_init(struct survey *survey, const struct encoder *encoder, film_error *error)
{
    film_status status = FILM_OK;
    memset(survey, 0, sizeof *survey);
    TRY(reading_init(&survey->reading, encoder, error));
    TRY(items_init(&survey->items, error));
    TRY(comparison_init(&survey->comparison, encoder, error));
    TRY_ALLOC(survey->traits = mem_array(traits_total(encoder->fields), sizeof *survey->traits),
              error);
done:
    if (status != FILM_OK) survey_free(survey);
    return status;
}

void survey_free(struct survey *survey)
{
    reading_free(&survey->reading);
    items_free(&survey->items);
    comparison_free(&survey->comparison);
    mem_free(survey->traits);
    field_scratch_free(&survey->fields);
    window_free(survey->window);
    memset(survey, 0, sizeof *survey);
}

film_status survey_read(struct survey *survey, film_text a, film_text b, film_error *error)
{
    return reading_read(&survey->reading, a, b, error);
}

film_status survey_start(struct survey *survey, film_text a, film_text b, film_error *error)
{
    film_status status = reading_read(&survey->reading, a, b, error);
    survey->weighed = 0;
    if (status == FILM_OK) comparison_start(&survey->comparison, &survey->reading);
    return status;
}

film_status survey_make(struct survey *survey, const struct evidence *evidence, film_text a,
                        film_text b, film_error *error)
{
    film_status status = survey_start(survey, a, b, error);
    return status == FILM_OK ? survey_finish(survey, evidence, error) : status;
}

film_status survey_weigh(struct survey *survey, const struct evidence *evidence, film_error *error)
{
    film_status status = FILM_OK;
    survey->margin = 0;
    if (evidence) {
        TRY(items_collect(&survey->items, &survey->reading, error));
        survey->margin = evidence_margin(evidence, &survey->reading, &survey->items, &survey->sums);
    }
    survey->weighed = 1;
done:
    return status;
}

film_status survey_finish(struct survey *survey, const struct evidence *evidence, film_error *error)
{
    film_status status = FILM_OK;
    if (!survey->weighed) TRY(survey_weigh(survey, evidence, error));
    comparison_finish(&survey->comparison);
    if (survey->comparison.cut) TRY(look_in_window(survey, error));
    traits_measure(&survey->comparison, survey->traits);
    const struct record_fields *fields = survey->reading.encoder->fields;
    if (fields)
        TRY(record_fields_measure(fields, &survey->reading, &survey->fields,
                                  survey->traits + traits_count(), error));
done:
    return status;
}

double survey_similarity(const struct survey *survey)
{
    const struct encoder *encoder = survey->reading.encoder;
    const struct reading_side *side = survey->reading.side;
    if (encoder->network) return encoder_similarity(encoder, side[0].encoded, side[1].encoded);
    return word_map_exists(&encoder->map)
               ? encoder_similarity_of(encoder, survey->reading.product, survey->reading.squares)
               : encoder_sparse_similarity(encoder, &side[0].row, &side[1].row);
}
