/* Explains a whole model: its strongest and its ignored words, and the effect of each trait. Single
 * words and dimensions are in learned_word.c and learned_dimension.c. */
#include "base/mem.h"
#include "base/sort.h"
#include "explain/learned.h"
#include "explain/ranking.h"
#include "embed/vec.h"
#include "text/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Words ---- */

/* A measure of word ID. */
typedef double (*measure_fn)(const film_model *model, uint32_t id);

/* Log-odds of the word when it is the only shared or the only unshared word. */
static double evidence_of(const film_model *model, uint32_t id, int alone)
{
    const struct decision *decision = &model->decision;
    return decision->margin.scale * decision->evidence.scale *
           (double)evidence_feature(&decision->evidence, id, alone);
}

static double against_alone(const film_model *model, uint32_t id)
{
    return -evidence_of(model, id, 1);
}

static double for_shared(const film_model *model, uint32_t id)
{
    return evidence_of(model, id, 0);
}

/* The closer to 0, the less it matters whether one or both sentences have the word. */
static double ignored(const film_model *model, uint32_t id)
{
    return -fmax(fabs(evidence_of(model, id, 1)), fabs(evidence_of(model, id, 0)));
}

/* The contribution of a word to a vector: the length of its row in L, times idf. */
static double loud(const film_model *model, uint32_t id)
{
    const struct encoder *encoder = &model->encoder;
    return (double)model->features.idf[id] *
           sqrt(word_map_product(&encoder->map, id, id, encoder->dim));
}

static double quiet(const film_model *model, uint32_t id)
{
    return -loud(model, id);
}

/* Lists are limited to frequent words. Little was learned about a word that hardly any pair had;
 * its weight may be 0 although it is not ignored. */
enum { FREQUENT = 5000, VERY_FREQUENT = 500 };

/* A list of words. */
struct word_list {
    const char *key;
    measure_fn measure;
    double sign;       /* as in ranking_write_words */
    uint32_t frequent; /* how many of the most frequent words are read */
};

static film_status write_list(const film_model *model, const struct word_list *list, size_t most,
                              struct writer *to, film_error *error)
{
    film_status status = FILM_OK;
    struct ranking ranking;
    uint32_t first, end;
    ranking_words(&model->features, &first, &end);
    if (end - first > list->frequent) end = first + list->frequent;
    TRY(ranking_init(&ranking, most, error));
    for (uint32_t id = first; id < end; id++)
        topk_offer(&ranking.top, (float)list->measure(model, id), id);
    writer_key(to, list->key);
    ranking_write_words(&ranking, &model->features, "weight", list->sign, to);
    ranking_free(&ranking);
done:
    return status;
}

static film_status write_words(const film_model *model, size_t most, struct writer *to,
                               film_error *error)
{
    film_status status = FILM_OK;
    int words = (model->features.groups & GROUP_BIT(GROUP_WORD)) != 0;
    if (model->decision.full && words) {
        TRY(write_list(model, &(struct word_list){"insists_on", against_alone, -1, FREQUENT}, most,
                       to, error));
        TRY(write_list(model, &(struct word_list){"welcomes", for_shared, 1, FREQUENT}, most, to,
                       error));
        TRY(write_list(model, &(struct word_list){"ignores", ignored, -1, VERY_FREQUENT}, most, to,
                       error));
    }
    if (word_map_exists(&model->encoder.map) && words) {
        TRY(write_list(model, &(struct word_list){"loudest", loud, 1, FREQUENT}, most, to, error));
        TRY(write_list(model, &(struct word_list){"quietest", quiet, -1, VERY_FREQUENT}, most, to,
                       error));
    }
done:
    return status;
}

/* ---- Traits ---- */

/* The range of the contribution of a single trait to the log-odds. */
struct trait_shape {
    size_t trait;
    double at_least, at_most, lowest, highest;
};

struct shaping {
    const struct decision *decision;
    struct tree_terms terms;
    float *x; /* traits; all but one at the mean of the line, which does not affect the others */
    size_t *single; /* by trait: its term of the trees, or NONE */
};
#define NONE SIZE_MAX

static double value_at(struct shaping *shaping, size_t trait, float x)
{
    const struct decision *decision = shaping->decision;
    shaping->x[trait] = x;
    double value = linear_term(&decision->line, trait, shaping->x);
    if (shaping->single[trait] != NONE) {
        trees_terms(&decision->plan, &decision->trees, shaping->x, &shaping->terms);
        value += shaping->terms.weight[shaping->single[trait]];
    }
    return decision->margin.scale * value;
}

/* The sum of a step function and a clipped line takes its extremes at a step or at a bend. */
static void extend_shape(struct shaping *shaping, struct trait_shape *shape, float x, float *least,
                         float *most)
{
    double value = value_at(shaping, shape->trait, x);
    shape->lowest = fmin(shape->lowest, value);
    shape->highest = fmax(shape->highest, value);
    if (x <= *least) *least = x, shape->at_least = value;
    if (x >= *most) *most = x, shape->at_most = value;
}

static void find_shape(struct shaping *shaping, size_t trait, struct trait_shape *shape)
{
    const struct decision *decision = shaping->decision;
    const struct trees *trees = &decision->trees;
    float least = INFINITY, most = -INFINITY;
    *shape = (struct trait_shape){.trait = trait, .lowest = INFINITY, .highest = -INFINITY};
    extend_shape(shaping, shape, decision->line.low[trait], &least, &most);
    extend_shape(shaping, shape, decision->line.high[trait], &least, &most);
    for (size_t i = 0; i < TREE_SPLITS * trees->count && shaping->single[trait] != NONE; i++)
        if (trees->feature[i] == (int32_t)trait) {
            extend_shape(shaping, shape, trees->cut[i], &least, &most);
            extend_shape(shaping, shape, nextafterf(trees->cut[i], -INFINITY), &least, &most);
        }
    shaping->x[trait] = decision->line.mean[trait];
}

static int wider_first(const void *left, const void *right)
{
    const struct trait_shape *a = left, *b = right;
    double x = a->highest - a->lowest, y = b->highest - b->lowest;
    if (x != y) return x > y ? -1 : 1;
    return a->trait < b->trait ? -1 : a->trait > b->trait;
}

static void write_shape(const struct record_fields *fields, const struct trait_shape *shape,
                        struct writer *to)
{
    const struct trait *trait = traits_get(fields, shape->trait);
    writer_open(to, '{');
    writer_key(to, "id");
    writer_text(to, value_of(trait->id));
    writer_key(to, "name");
    writer_text(to, value_of(trait->name));
    writer_key(to, "about");
    writer_text(to, value_of(trait->about));
    writer_key(to, "family");
    writer_text(to, value_of(trait_family(trait)));
    writer_key(to, "group");
    writer_text(to, value_of(family_id(trait->family)));
    writer_key(to, "title");
    writer_text(to, value_of(family_title(trait->family)));
    writer_key(to, "at_least");
    writer_weight(to, shape->at_least);
    writer_key(to, "at_most");
    writer_weight(to, shape->at_most);
    writer_key(to, "lowest");
    writer_weight(to, shape->lowest);
    writer_key(to, "highest");
    writer_weight(to, shape->highest);
    writer_close(to, '}');
}

/* The fields of records: how far all traits of each can move the log-odds together. */
static void write_field_ranges(const struct record_fields *fields, const struct trait_shape *shapes,
                               size_t count, struct writer *to)
{
    writer_key(to, "fields");
    writer_open(to, '[');
    for (size_t f = 0; f < fields->count; f++) {
        double range = 0;
        for (size_t t = 0; t < count; t++)
            if (traits_get(fields, shapes[t].trait)->field == fields->list[f].family)
                range += shapes[t].highest - shapes[t].lowest;
        writer_open(to, '{');
        writer_key(to, "name");
        writer_text(to, value_of(fields->list[f].name));
        writer_key(to, "type");
        writer_text(to, value_of(field_type_name(fields->list[f].type)));
        writer_key(to, "range");
        writer_weight(to, range);
        writer_close(to, '}');
    }
    writer_close(to, ']');
}

static film_status write_traits(const film_model *model, size_t most, struct writer *to,
                                film_error *error)
{
    film_status status = FILM_OK;
    size_t count = traits_total(model->encoder.fields);
    const struct tree_terms_plan *plan = &model->decision.plan;
    struct shaping shaping = {.decision = &model->decision};
    struct trait_shape *shapes = mem_array(count, sizeof *shapes);
    TRY_ALLOC(shapes, error);
    TRY_ALLOC(shaping.x = mem_array(count, sizeof *shaping.x), error);
    TRY_ALLOC(shaping.single = mem_array(count, sizeof *shaping.single), error);
    TRY(tree_terms_init(&shaping.terms, plan, error));
    for (size_t t = 0; t < count; t++) {
        shaping.x[t] = model->decision.line.mean[t];
        shaping.single[t] = NONE;
    }
    for (size_t t = 0; t < plan->count; t++)
        if (plan->term[t].high < 0) shaping.single[plan->term[t].low] = t;
    for (size_t t = 0; t < count; t++) find_shape(&shaping, t, &shapes[t]);
    sort_array(shapes, count, sizeof *shapes, wider_first);
    if (model->fields.count) write_field_ranges(&model->fields, shapes, count, to);
    writer_key(to, "traits");
    writer_open(to, '[');
    for (size_t t = 0; t < count && t < most; t++)
        write_shape(model->encoder.fields, &shapes[t], to);
    writer_close(to, ']');
done:
    mem_free(shapes);
    mem_free(shaping.x);
    mem_free(shaping.single);
    tree_terms_free(&shaping.terms);
    return status;
}

film_status explain_model(const film_model *model, size_t most, char **json, film_error *error)
{
    film_status status = FILM_OK;
    struct writer to = {0};
    const struct decision *decision = &model->decision;
    writer_open(&to, '{');
    writer_key(&to, "method");
    writer_text(&to, value_of(model->settings.method));
    writer_key(&to, "dimensions");
    writer_count(&to, encoder_dim(&model->encoder));
    writer_key(&to, "decision");
    writer_text(&to, value_of(decision->full ? "full" : "threshold"));
    writer_key(&to, "examples");
    writer_count(&to, model->examples.count);
    TRY(write_words(model, most, &to, error));
    if (decision->full) {
        TRY(write_traits(model, most, &to, error));
        writer_key(&to, "memory");
        writer_open(&to, '{');
        writer_key(&to, "same");
        writer_weight(&to, decision->memory.weight[MEMORY_SAME]);
        writer_key(&to, "different");
        writer_weight(&to, decision->memory.weight[MEMORY_DIFFERENT]);
        if (decision->memory.weight[MEMORY_TAKEN] != 0) {
            writer_key(&to, "other_match");
            writer_weight(&to, decision->memory.weight[MEMORY_TAKEN]);
        }
        writer_close(&to, '}');
    }
    writer_close(&to, '}');
    TRY(writer_finish(&to, json, NULL, error));
done:
    writer_free(&to);
    return status;
}
