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

/* The squared length of a side's vector. */
static double squares(const struct match *match, const struct encoder *encoder, int side)
{
    const struct feature_row *row = &match->row[side];
    const float *vector = encoder->map ? match->vector[side] : row->value;
    return vec_dot(vector, vector, encoder->map ? encoder->dim : row->count);
}

/* L_w . y for feature number I of SIDE and the vector of TARGET; without a map, x_w of that side. */
static double toward(const struct match *match, const struct encoder *encoder, int side, size_t i,
                     int target)
{
    uint32_t id = match->row[side].id[i];
    if (encoder->map)
        return vec_dot(encoder->map + (size_t)id * encoder->dim, match->vector[target],
                       encoder->dim);
    const struct feature_row *row = &match->row[target];
    size_t at = position(row, id);
    return at < row->count && row->id[at] == id ? (double)row->value[at] : 0;
}

/* What the features of SIDE add to the similarity, each. */
static void share_out(const struct match *match, const struct encoder *encoder, int side,
                      double *share)
{
    const struct feature_row *row = &match->row[side];
    double factor = 0.5;
    if (encoder->similarity == FILM_COSINE) {
        double lengths = sqrt(squares(match, encoder, 0) * squares(match, encoder, 1));
        factor = lengths > 0 ? 0.5 / lengths : 0;
    }
    for (size_t i = 0; i < row->count; i++) {
        double product = toward(match, encoder, side, i, !side);
        if (encoder->similarity == FILM_EUCLIDEAN)
            share[i] = (double)row->value[i] * (product - toward(match, encoder, side, i, side));
        else
            share[i] = factor * (double)row->value[i] * product;
    }
}

/* Splits each feature's share of the similarity evenly over the places it occurs in, and each of those
 * over its first and last word; SCALE brings it to log-odds. */
static film_status weigh_tokens(struct match *match, const struct encoder *encoder, int side,
                                double scale, film_error *error)
{
    struct feature_row *row = &match->row[side];
    size_t tokens = row->grams.tokens.count, gram = 0;
    if (!mem_grow((void **)&match->token_weight, &match->weight_capacity, tokens + row->count * 2,
                  sizeof *match->token_weight))
        return status_no_memory(error);
    double *weight = match->token_weight, *share = weight + tokens, *places = share + row->count;
    memset(weight, 0, (tokens + row->count * 2) * sizeof *weight);
    share_out(match, encoder, side, share);
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
                    double half = 0.5 * scale * share[at] / places[at];
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
    TRY(encoder_embed(encoder, &match->row[0], a, match->vector[0], error));
    TRY(encoder_embed(encoder, &match->row[1], b, match->vector[1], error));
    double similarity = encoder->map
                            ? encoder_similarity(encoder, match->vector[0], match->vector[1])
                            : encoder_sparse_similarity(encoder, &match->row[0], &match->row[1]);
    double bias = calibration->bias + match->prior_log_odds;
    double log_odds = calibration->scale * similarity + bias;
    double wanted = calibration->scale * calibration->threshold + calibration->bias;
    *verdict = (film_verdict){
        .probability = calibrate_probability(log_odds),
        .same = log_odds >= wanted,
        .similarity = similarity,
        .log_odds = log_odds,
        .bias = bias,
    };
done:
    return status;
}

/* The vectors are rounded to float on the way, the shares are not: their sum misses TOTAL by some 1e-7
 * of it. Spread evenly, the difference is nowhere seen and the sum holds as promised. */
static void settle_sum(film_reason *reasons, size_t count, double total)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += reasons[i].weight;
    for (size_t i = 0; i < count; i++) reasons[i].weight += (total - sum) / (double)count;
}

film_status match_pair(struct match *match, const struct encoder *encoder,
                       const struct calibration *calibration, film_text a, film_text b,
                       film_verdict *verdict, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = 0;
    TRY(match_score(match, encoder, calibration, a, b, verdict, error));
    for (int side = 0; side < 2; side++) {
        TRY(weigh_tokens(match, encoder, side, calibration->scale, error));
        TRY(add_reasons(match, side, &count, error));
    }
    settle_sum(match->reasons, count, calibration->scale * verdict->similarity);
    if (count) qsort(match->reasons, count, sizeof *match->reasons, stronger_first);
    verdict->reasons = match->reasons;
    verdict->reason_count = count;
done:
    return status;
}
