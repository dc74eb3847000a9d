#include "pair/match.h"
#include "base/mem.h"
#include "la/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

film_status match_init(struct match *match, const struct encoder *encoder, film_error *error)
{
    film_status status = FILM_OK;
    memset(match, 0, sizeof *match);
    for (int side = 0; side < 2; side++) {
        TRY(feature_row_init(&match->row[side], encoder->features, error));
        TRY_ALLOC(match->vector[side] = mem_aligned(encoder->dim, sizeof(float)), error);
    }
done:
    if (status != FILM_OK) match_free(match);
    return status;
}

void match_free(struct match *match)
{
    for (int side = 0; side < 2; side++) {
        feature_row_free(&match->row[side]);
        mem_free_aligned(match->vector[side]);
    }
    mem_free(match->reasons);
    mem_free(match->token_weight);
    memset(match, 0, sizeof *match);
}

static size_t position(const struct feature_row *row, uint32_t id)
{
    size_t low = 0, high = row->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (row->id[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Splits each feature's share of the cosine evenly over the places it occurs in, and each of those
 * over its first and last word. OTHER is the vector of the other sentence; FACTOR brings a plain
 * product to a weight. */
static film_status weigh_tokens(struct match *match, const struct encoder *encoder, int side,
                                const float *other, double factor, film_error *error)
{
    struct feature_row *row = &match->row[side];
    size_t tokens = row->grams.tokens.count, gram = 0;
    if (!mem_grow((void **)&match->token_weight, &match->weight_capacity, tokens + row->count * 2,
                  sizeof *match->token_weight))
        return status_no_memory(error);
    double *weight = match->token_weight, *share = weight + tokens, *places = share + row->count;
    memset(weight, 0, (tokens + row->count * 2) * sizeof *weight);
    for (size_t i = 0; i < row->count; i++) {
        const float *feature = encoder->map + (size_t)row->id[i] * encoder->dim;
        share[i] = factor * (double)row->value[i] * vec_dot(feature, other, encoder->dim);
    }
    for (int pass = 0; pass < 2; pass++) { /* count the places, then hand out */
        gram = 0;
        for (int g = 0; g < GROUPS; g++) {
            const struct gram_list *list = &row->grams.group[g];
            for (size_t i = 0; i < list->count; i++, gram++) {
                if (row->found[gram] == STRTAB_NONE) continue;
                size_t at = position(row, row->found[gram]);
                if (pass == 0) {
                    places[at] += 1;
                } else {
                    double half = 0.5 * share[at] / places[at];
                    weight[list->items[i].token] += half;
                    weight[list->items[i].last_token] += half;
                }
            }
        }
    }
    return FILM_OK;
}

static film_status add_reasons(struct match *match, int side, size_t *count, film_error *error)
{
    const struct tokens *tokens = &match->row[side].grams.tokens;
    if (!mem_grow((void **)&match->reasons, &match->reasons_capacity, *count + tokens->count,
                  sizeof *match->reasons))
        return status_no_memory(error);
    for (size_t i = 0; i < tokens->count; i++) {
        if (match->token_weight[i] == 0) continue;
        film_text word = token_text(tokens, &tokens->items[i]);
        match->reasons[(*count)++] = (film_reason){"word",
                                                   side ? 'b' : 'a',
                                                   word.bytes,
                                                   word.length,
                                                   tokens->items[i].from,
                                                   tokens->items[i].to,
                                                   match->token_weight[i]};
    }
    return FILM_OK;
}

static int stronger_first(const void *left, const void *right)
{
    const film_reason *a = left, *b = right;
    double x = fabs(a->weight), y = fabs(b->weight);
    if (x != y) return x > y ? -1 : 1;
    if (a->side != b->side) return a->side < b->side ? -1 : 1;
    return a->start < b->start ? -1 : a->start > b->start;
}

film_status match_score(struct match *match, const struct encoder *encoder,
                        const struct calibration *calibration, film_text a, film_text b,
                        film_verdict *verdict, film_error *error)
{
    film_status status = FILM_OK;
    const float *const *vector = (const float *const *)match->vector;
    TRY(encoder_embed(encoder, &match->row[0], a, match->vector[0], error));
    TRY(encoder_embed(encoder, &match->row[1], b, match->vector[1], error));
    match->lengths = sqrt(vec_dot(vector[0], vector[0], encoder->dim) *
                          vec_dot(vector[1], vector[1], encoder->dim));
    double cosine = 0;
    if (match->lengths > 0) cosine = vec_dot(vector[0], vector[1], encoder->dim) / match->lengths;
    double bias = calibration->bias + match->prior_log_odds;
    double log_odds = calibration->scale * cosine + bias;
    double wanted = calibration->scale * calibration->threshold + calibration->bias;
    *verdict = (film_verdict){
        .probability = calibrate_probability(log_odds),
        .same = log_odds >= wanted,
        .similarity = cosine,
        .log_odds = log_odds,
        .bias = bias,
    };
done:
    return status;
}

film_status match_pair(struct match *match, const struct encoder *encoder,
                       const struct calibration *calibration, film_text a, film_text b,
                       film_verdict *verdict, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = 0;
    double half = 0.5 * calibration->scale; /* each side explains half of the cosine */
    TRY(match_score(match, encoder, calibration, a, b, verdict, error));
    if (match->lengths > 0) {
        for (int side = 0; side < 2; side++) {
            TRY(weigh_tokens(match, encoder, side, match->vector[1 - side], half / match->lengths,
                             error));
            TRY(add_reasons(match, side, &count, error));
        }
        qsort(match->reasons, count, sizeof *match->reasons, stronger_first);
    }
    verdict->reasons = match->reasons;
    verdict->reason_count = count;
done:
    return status;
}
