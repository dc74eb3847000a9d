/* Computes everything about a pair before the decision, in the same way for training and
 * prediction. It does not decide. */
#include "pair/survey.h"
#include "base/mem.h"

#include <string.h>

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
    memset(survey, 0, sizeof *survey);
}

film_status survey_read(struct survey *survey, film_text a, film_text b, film_error *error)
{
    return reading_read(&survey->reading, a, b, error);
}

film_status survey_start(struct survey *survey, film_text a, film_text b, film_error *error)
{
    film_status status = reading_read(&survey->reading, a, b, error);
    if (status == FILM_OK) comparison_start(&survey->comparison, &survey->reading);
    return status;
}

film_status survey_make(struct survey *survey, const struct evidence *evidence, film_text a,
                        film_text b, film_error *error)
{
    film_status status = survey_start(survey, a, b, error);
    return status == FILM_OK ? survey_finish(survey, evidence, error) : status;
}

film_status survey_finish(struct survey *survey, const struct evidence *evidence, film_error *error)
{
    film_status status = FILM_OK;
    TRY(items_collect(&survey->items, &survey->reading, error));
    comparison_finish(&survey->comparison);
    survey->margin = evidence_margin(evidence, &survey->reading, &survey->items, &survey->sums);
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
               ? encoder_similarity(encoder, side[0].vector, side[1].vector)
               : encoder_sparse_similarity(encoder, &side[0].row, &side[1].row);
}
