/* Map: projects the vectors of sentences and words onto their first two principal
 * components. */
#include "base/mem.h"
#include "base/threads.h"
#include "embed/encoder.h"
#include "embed/vec.h"
#include "model/model.h"
#include "la/flat.h"
#include "report/parts.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PAIRS = 200, MOST_SENTENCES = 500, MOST_WORDS = 400, MOST_GROUPS = 8 };

/* What to show: normalised vectors, and the group of each. */
struct places {
    size_t count, dim;
    film_text *text;
    float *vector; /* count x dim */
    int *group;    /* index of its name */
    double *at;    /* count x 2 */
    double share;  /* of the variance that the two components explain */
};

static void places_free(struct places *places)
{
    mem_free(places->text);
    mem_free_aligned(places->vector);
    mem_free(places->group);
    mem_free(places->at);
}

static film_status places_init(struct places *places, size_t most, size_t dim, film_error *error)
{
    film_status status = FILM_OK;
    places->dim = dim;
    TRY_ALLOC((places->text = mem_array(most, sizeof *places->text)) &&
                  (places->vector = mem_aligned(most * dim, sizeof *places->vector)) &&
                  (places->group = mem_array(most, sizeof *places->group)) &&
                  (places->at = mem_array(2 * most, sizeof *places->at)),
              error);
done:
    return status;
}

/* Computes the two leading eigenvectors of the covariance matrix; BASIS is 2 x dim. */
static film_status leading(const struct places *places, const double *mean, double *basis,
                           double *share, film_error *error)
{
    film_status status = FILM_OK;
    size_t dim = places->dim;
    lapack_int n = (lapack_int)dim, found, from = n > 1 ? n - 1 : 1, support[4];
    double *covariance = mem_zeroed(dim * dim, sizeof *covariance), trace = 0;
    double *values = mem_array(dim, sizeof *values), *vectors = mem_array(2 * dim, sizeof *vectors);
    TRY_ALLOC(covariance && values && vectors, error);
    for (size_t i = 0; i < places->count; i++) {
        const float *v = places->vector + i * dim;
        for (size_t r = 0; r < dim; r++) {
            double off = (double)v[r] - mean[r];
            for (size_t c = r; c < dim; c++)
                covariance[r * dim + c] += off * ((double)v[c] - mean[c]);
        }
    }
    for (size_t r = 0; r < dim; r++) trace += covariance[r * dim + r];
    lapack_int columns = n > 1 ? 2 : 1;
    if (LAPACKE_dsyevr(LAPACK_ROW_MAJOR, 'V', 'I', 'U', n, covariance, n, 0, 0, from, n, 0, &found,
                       values, vectors, columns, support) ||
        found != columns)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "cannot project the vectors; check that all values are finite"));
    memset(basis, 0, 2 * dim * sizeof *basis);
    for (size_t r = 0; r < dim; r++)
        for (lapack_int c = 0; c < columns; c++) /* the largest eigenvalue comes last */
            basis[(size_t)(columns - 1 - c) * dim + r] = vectors[r * (size_t)columns + (size_t)c];
    *share = trace > 0 ? (values[columns - 1] + (columns > 1 ? values[0] : 0)) / trace : 0;
done:
    mem_free(covariance);
    mem_free(values);
    mem_free(vectors);
    return status;
}

static film_status project(struct places *places, film_error *error)
{
    film_status status = FILM_OK;
    size_t dim = places->dim;
    double *mean = mem_zeroed(dim, sizeof *mean), *basis = mem_array(2 * dim, sizeof *basis);
    TRY_ALLOC(mean && basis, error);
    for (size_t i = 0; i < places->count; i++) vec_normalise(places->vector + i * dim, dim);
    for (size_t i = 0; i < places->count; i++)
        for (size_t d = 0; d < dim; d++)
            mean[d] += (double)places->vector[i * dim + d] / (double)places->count;
    TRY(leading(places, mean, basis, &places->share, error));
    for (size_t i = 0; i < places->count; i++)
        for (size_t axis = 0; axis < 2; axis++) {
            double sum = 0;
            for (size_t d = 0; d < dim; d++)
                sum += basis[axis * dim + d] * ((double)places->vector[i * dim + d] - mean[d]);
            places->at[2 * i + axis] = sum;
        }
done:
    mem_free(mean);
    mem_free(basis);
    return status;
}

/* Names of the groups, and whether places 2 i and 2 i + 1 are a pair. */
struct legend {
    const char *const *groups;
    size_t count;
    int linked;
};

/* Writes each place with its text and its nearest neighbour among the places. */
static film_status put_places(struct writer *to, const struct places *places, int threads,
                              film_error *error)
{
    film_status status = FILM_OK;
    struct flat rows = {places->vector, NULL, places->count, places->dim};
    struct flat_queries all = {.count = places->count};
    uint32_t *near = mem_array(places->count, sizeof *near);
    float *score = mem_array(places->count, sizeof *score);
    TRY_ALLOC(near && score, error);
    if (places->count > 1)
        TRY(flat_search(&rows, &all, 1, threads, &(film_progress){0},
                        &(struct nearest){near, score, 0}, error));
    put_open(to, "points", '[');
    for (size_t i = 0; i < places->count; i++) {
        int found = places->count > 1 && near[i] != FLAT_NONE;
        put_open(to, NULL, '[');
        put_number(to, NULL, places->at[2 * i]);
        put_number(to, NULL, places->at[2 * i + 1]);
        put_count(to, NULL, (size_t)places->group[i]);
        put_text(to, NULL, places->text[i], 140);
        put_number(to, NULL, found ? (double)near[i] : (double)NAN);
        put_number(to, NULL, found ? (double)score[i] : (double)NAN);
        writer_close(to, ']');
    }
    writer_close(to, ']');
done:
    mem_free(near);
    mem_free(score);
    return status;
}

static film_status put_map(struct report *report, const char *key, struct places *places,
                           const struct legend *legend, film_error *error)
{
    film_status status = FILM_OK;
    struct writer *to = &report->data;
    TRY(project(places, error));
    put_open(to, key, '{');
    put_open(to, "groups", '[');
    for (size_t g = 0; g < legend->count; g++) put_string(to, NULL, legend->groups[g]);
    writer_close(to, ']');
    put_truth(to, "linked", legend->linked);
    put_number(to, "share", places->share);
    TRY(put_places(to, places, report->options->threads, error));
    writer_close(to, '}');
done:
    return status;
}

/* ---- Choosing what to show ---- */

static film_status embed_places(const struct report *report, struct places *places,
                                film_error *error)
{
    return encoder_embed_all(&report->model->encoder, places->text, places->count,
                             threads_count(report->options->threads), places->vector, error);
}

/* Maps an even sample of pairs of each label. */
static film_status map_pairs(struct report *report, const struct corpus *corpus, film_error *error)
{
    static const char *const names[] = {"labelled the same", "labelled different"};
    static const char *const scored[] = {"upper half of the scores", "lower half of the scores"};
    film_status status = FILM_OK;
    struct places places = {0};
    struct labelled pairs = {0};
    int scores = corpus->labels == FILM_LABELS_SCORES;
    float middle = 0.5f, low = INFINITY, high = -INFINITY;
    TRY(labelled_take(&pairs, corpus, error));
    TRY(places_init(&places, 4 * MOST_PAIRS, report->model->encoder.dim, error));
    for (size_t i = 0; i < pairs.count && scores; i++) {
        low = fminf(low, pairs.label[i]);
        high = fmaxf(high, pairs.label[i]);
        middle = 0.5f * (low + high);
    }
    for (int group = 0; group < 2; group++) {
        size_t of_group = 0, taken = 0;
        for (size_t i = 0; i < pairs.count; i++) of_group += (pairs.label[i] < middle) == group;
        size_t stride = (of_group + MOST_PAIRS / 2 - 1) / (MOST_PAIRS / 2);
        for (size_t i = 0; i < pairs.count; i++) {
            if ((pairs.label[i] < middle) != group || taken++ % stride) continue;
            places.text[places.count] = strtab_get(&corpus->sentences, pairs.a[i]);
            places.text[places.count + 1] = strtab_get(&corpus->sentences, pairs.b[i]);
            places.group[places.count] = places.group[places.count + 1] = group;
            places.count += 2;
        }
    }
    TRY(embed_places(report, &places, error));
    struct legend legend = {scores ? scored : names, 2, 1};
    TRY(put_map(report, "sentences", &places, &legend, error));
done:
    labelled_free(&pairs);
    places_free(&places);
    return status;
}

/* Maps sentences of the largest categories. */
static film_status map_categories(struct report *report, const struct corpus *corpus,
                                  film_error *error)
{
    film_status status = FILM_OK;
    struct places places = {0};
    char name[MOST_GROUPS][80];
    const char *names[MOST_GROUPS];
    size_t count = corpus->categories.count, groups = 0, chosen[MOST_GROUPS];
    size_t *size = mem_zeroed(count, sizeof *size);
    TRY_ALLOC(size, error);
    TRY(places_init(&places, MOST_SENTENCES, report->model->encoder.dim, error));
    for (size_t i = 0; i < corpus->rows; i++)
        if (corpus->category[i] != STRTAB_NONE) size[corpus->category[i]]++;
    for (; groups < MOST_GROUPS && groups < count; groups++) {
        size_t best = 0;
        for (size_t c = 1; c < count; c++)
            if (size[c] > size[best]) best = c;
        film_text text = strtab_get(&corpus->categories, (uint32_t)best);
        snprintf(name[groups], sizeof name[groups], "%.*s",
                 (int)(text.length < 60 ? text.length : 60), text.bytes);
        names[groups] = name[groups];
        chosen[groups] = best;
        size[best] = 0;
    }
    for (size_t i = 0; i < corpus->rows && places.count < MOST_SENTENCES; i++)
        for (size_t g = 0; g < groups; g++)
            if (corpus->category[i] == chosen[g]) {
                places.text[places.count] = strtab_get(&corpus->sentences, corpus->a[i]);
                places.group[places.count++] = (int)g;
                break;
            }
    TRY(embed_places(report, &places, error));
    TRY(put_map(report, "sentences", &places, &(struct legend){names, groups, 0}, error));
done:
    mem_free(size);
    places_free(&places);
    return status;
}

/* Maps frequent words, except the most frequent ones, which carry little meaning. */
static film_status map_words(struct report *report, film_error *error)
{
    enum { SKIPPED = 40 };
    static const char *const names[] = {"words"};
    film_status status = FILM_OK;
    const film_model *model = report->model;
    struct places places = {0};
    size_t dim = model->encoder.dim;
    uint32_t first = model->features.first[GROUP_WORD], end = model->features.first[GROUP_WORD + 1];
    if (end - first > 4 * SKIPPED) first += SKIPPED;
    TRY(places_init(&places, MOST_WORDS, dim, error));
    for (uint32_t f = first; f < end && places.count < MOST_WORDS; f++) {
        places.text[places.count] = features_name(&model->features, f);
        places.group[places.count] = 0;
        word_map_row(&model->encoder.map, f, places.vector + places.count++ * dim, dim);
    }
    if (places.count) TRY(put_map(report, "words", &places, &(struct legend){names, 1, 0}, error));
done:
    places_free(&places);
    return status;
}

film_status map_part(struct report *report, const struct eval_view *view, film_error *error)
{
    film_status status = FILM_OK;
    const struct corpus *corpus = view ? view->corpus : &report->train;
    put_open(&report->data, "map", '{');
    if (word_map_exists(&report->model->encoder.map)) {
        if (corpus->rows && (has_pairs(corpus) || corpus->labels == FILM_LABELS_SCORES))
            TRY(map_pairs(report, corpus, error));
        else if (corpus->rows && corpus->labels == FILM_LABELS_CATEGORIES)
            TRY(map_categories(report, corpus, error));
        TRY(map_words(report, error));
    }
    writer_close(&report->data, '}');
done:
    return status;
}
