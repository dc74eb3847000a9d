/* Map: projects the vectors of sentences and words onto their first two principal
 * components. */
#include "base/mem.h"
#include "base/threads.h"
#include "embed/encoder.h"
#include "embed/vec.h"
#include "model/model.h"
#include "la/flat.h"
#include "la/svd.h"
#include "report/file_stats.h"

#include <math.h>
#include <string.h>

enum { MOST_PAIRS = 200, MOST_SENTENCES = 500, MOST_WORDS = 400, MOST_GROUPS = 8 };

/* What to show: normalised vectors, and the group of each. */
struct places {
    size_t count, dim;
    film_text *text;
    float *vector;  /* count x dim */
    int *group;     /* index of its name */
    double *at;     /* count x 2 */
    uint32_t *near; /* the nearest other place, and its similarity */
    float *score;
    double share; /* of the variance that the two components explain */
};

static void places_free(struct places *places)
{
    mem_free(places->text);
    mem_free_aligned(places->vector);
    mem_free(places->group);
    mem_free(places->at);
    mem_free(places->near);
    mem_free(places->score);
}

static film_status places_init(struct places *places, size_t most, size_t dim, film_error *error)
{
    film_status status = FILM_OK;
    places->dim = dim;
    TRY_ALLOC((places->text = mem_array(most, sizeof *places->text)) &&
                  (places->vector = mem_aligned(most * dim, sizeof *places->vector)) &&
                  (places->group = mem_array(most, sizeof *places->group)) &&
                  (places->at = mem_array(2 * most, sizeof *places->at)) &&
                  (places->near = mem_array(most, sizeof *places->near)) &&
                  (places->score = mem_array(most, sizeof *places->score)),
              error);
done:
    return status;
}

/* Centres the vectors, and projects them onto the two directions in which they vary most. */
static film_status project(struct places *places, int threads, film_error *error)
{
    film_status status = FILM_OK;
    size_t dim = places->dim, count = places->count;
    struct svd svd = {.rank = 0};
    double *mean = mem_zeroed(dim, sizeof *mean), variance = 0, kept = 0;
    TRY_ALLOC(mean, error);
    for (size_t i = 0; i < count * dim; i++)
        mean[i % dim] += (double)places->vector[i] / (double)count;
    for (size_t i = 0; i < count * dim; i++) {
        places->vector[i] -= (float)mean[i % dim];
        variance += (double)places->vector[i] * (double)places->vector[i];
    }
    if (variance > 0) /* otherwise all vectors are the same */
        TRY(svd_dense(places->vector, count, dim,
                      &(struct svd_options){.rank = 2, .threads = threads}, &svd, error));
    for (size_t i = 0; i < count; i++)
        for (size_t axis = 0; axis < 2; axis++) {
            double at =
                axis < svd.rank ? (double)(svd.v[i * svd.rank + axis] * svd.sigma[axis]) : 0;
            places->at[2 * i + axis] = at;
            kept += at * at;
        }
    places->share = variance > 0 ? kept / variance : 0;
done:
    svd_free(&svd);
    mem_free(mean);
    return status;
}

static json_t *place_json(const struct places *places, size_t i)
{
    int found = places->near[i] != FLAT_NONE;
    return json_pack("[o, o, i, o, o, o]", number_json(places->at[2 * i]),
                     number_json(places->at[2 * i + 1]), places->group[i],
                     text_json(places->text[i], 140),
                     found ? json_integer((json_int_t)places->near[i]) : json_null(),
                     found ? number_json((double)places->score[i]) : json_null());
}

/* Finds the nearest neighbour of each place among the places, and writes them. Takes the reference
 * to GROUPS, their names. LINKED: places 2 i and 2 i + 1 are a pair. */
static film_status put_map(struct report *report, struct places *places, json_t *groups, int linked,
                           film_error *error)
{
    film_status status = FILM_OK;
    struct writer *to = &report->data;
    int threads = report->options->threads;
    struct flat rows = {places->vector, NULL, places->count, places->dim};
    struct flat_queries all = {.count = places->count};
    for (size_t i = 0; i < places->count; i++) {
        vec_normalise(places->vector + i * places->dim, places->dim);
        places->near[i] = FLAT_NONE;
    }
    if (places->count > 1)
        TRY(flat_search(&rows, &all, 1, threads, &(film_progress){0},
                        &(struct nearest){places->near, places->score, 0}, error));
    TRY(project(places, threads, error));
    put_json(to, "groups", json_incref(groups));
    put_json(to, "linked", json_boolean(linked));
    put_json(to, "share", number_json(places->share));
    put_open(to, "points", '[');
    for (size_t i = 0; i < places->count; i++) put_json(to, NULL, place_json(places, i));
    writer_close(to, ']');
done:
    json_decref(groups);
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
    json_t *names = json_pack("[s, s]", scores ? "upper half of the scores" : "labelled the same",
                              scores ? "lower half of the scores" : "labelled different");
    TRY(put_map(report, &places, names, 1, error));
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
    struct category_size *size = NULL;
    json_t *names = json_array();
    TRY(categories_by_size(corpus, &size, error));
    TRY(places_init(&places, MOST_SENTENCES, report->model->encoder.dim, error));
    size_t count = corpus->categories.count, groups = count < MOST_GROUPS ? count : MOST_GROUPS;
    for (size_t g = 0; g < groups; g++)
        jsonfile_append(names, sentence_json(strtab_get(&corpus->categories, size[g].category)));
    for (size_t i = 0; i < corpus->rows && places.count < MOST_SENTENCES; i++)
        for (size_t g = 0; g < groups; g++)
            if (corpus->category[i] == size[g].category) {
                places.text[places.count] = strtab_get(&corpus->sentences, corpus->a[i]);
                places.group[places.count++] = (int)g;
                break;
            }
    TRY(embed_places(report, &places, error));
    TRY(put_map(report, &places, json_incref(names), 0, error));
done:
    json_decref(names);
    mem_free(size);
    places_free(&places);
    return status;
}

/* Maps frequent words, except the most frequent ones, which carry little meaning. */
static film_status map_words(struct report *report, film_error *error)
{
    enum { SKIPPED = 40 };
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
    if (places.count) TRY(put_map(report, &places, json_pack("[s]", "words"), 0, error));
done:
    places_free(&places);
    return status;
}

/* `sentences` and `words` are empty without a map, or without sentences. */
film_status map_part(struct report *report, const struct eval_view *view, film_error *error)
{
    film_status status = FILM_OK;
    struct writer *to = &report->data;
    const struct corpus *corpus = view ? view->corpus : &report->train;
    int known = word_map_exists(&report->model->encoder.map);
    put_open(to, "map", '{');
    put_open(to, "sentences", '{');
    if (known && corpus->rows && (has_pairs(corpus) || corpus->labels == FILM_LABELS_SCORES))
        TRY(map_pairs(report, corpus, error));
    else if (known && corpus->rows && corpus->labels == FILM_LABELS_CATEGORIES)
        TRY(map_categories(report, corpus, error));
    writer_close(to, '}');
    put_open(to, "words", '{');
    if (known) TRY(map_words(report, error));
    writer_close(to, '}');
    writer_close(to, '}');
done:
    return status;
}
