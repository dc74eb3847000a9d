/* Traits: curves of single traits, heat maps of two.
 *
 * The linear model of the traits and the trees of depth 2 are sums of terms of one or two traits.
 * So these shapes are the decision itself, not an approximation: the log-odds of a pair are the sum
 * of its terms, word evidence and memory. */
#include "base/mem.h"
#include "base/sort.h"
#include "model/model.h"
#include "report/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 1000, CURVES = 9, HEATS = 6, MOST_CUTS = 120, MOST_CELLS = 24 };

struct shapes {
    const struct decision *decision;
    struct tree_terms terms;
    float *x;      /* traits of a probe pair */
    float *sample; /* rows x traits of real pairs */
    size_t rows;
    size_t traits;
    double *low, *high; /* traits: range shown, without 1 % of the sample at each end */
};

static int floats_rising(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;
    return a < b ? -1 : a > b;
}

/* ---- Real pairs ---- */

static film_status take_sample(struct shapes *shapes, const struct corpus *corpus,
                               const struct labelled *pairs, film_error *error)
{
    film_status status = FILM_OK;
    struct survey survey;
    int ready = 0;
    size_t stride = (pairs->count + SAMPLE - 1) / SAMPLE;
    TRY(survey_init(&survey, shapes->decision->encoder, error));
    ready = 1;
    for (size_t i = 0; i < pairs->count; i += stride) {
        TRY(survey_make(&survey, &shapes->decision->evidence,
                        strtab_get(&corpus->sentences, pairs->a[i]),
                        strtab_get(&corpus->sentences, pairs->b[i]), error));
        memcpy(shapes->sample + shapes->rows++ * shapes->traits, survey.traits,
               shapes->traits * sizeof(float));
    }
done:
    if (ready) survey_free(&survey);
    return status;
}

/* Finds the range of each trait: from the sample or, without one, from the training pairs. */
static film_status find_ranges(struct shapes *shapes, film_error *error)
{
    const struct linear *line = &shapes->decision->line;
    float *values = mem_array(shapes->rows, sizeof *values);
    if (!values) return status_no_memory(error);
    for (size_t t = 0; t < shapes->traits; t++) {
        for (size_t i = 0; i < shapes->rows; i++)
            values[i] = shapes->sample[i * shapes->traits + t];
        if (shapes->rows) {
            sort_array(values, shapes->rows, sizeof *values, floats_rising);
            shapes->low[t] = (double)values[shapes->rows / 100];
            shapes->high[t] = (double)values[shapes->rows - 1 - shapes->rows / 100];
            continue;
        }
        /* The linear model stores the range of the training pairs; few are near its ends. */
        shapes->low[t] = 0.5 * (double)(line->low[t] + line->mean[t]);
        shapes->high[t] = 0.5 * (double)(line->high[t] + line->mean[t]);
    }
    mem_free(values);
    return FILM_OK;
}

/* ---- Terms ---- */

/* Returns the index of the term of these traits in the plan, or the plan's count. */
static size_t find_term(const struct tree_terms_plan *plan, int32_t low, int32_t high)
{
    size_t i = 0;
    while (i < plan->count && (plan->term[i].low != low || plan->term[i].high != high)) i++;
    return i;
}

/* Returns what trait T adds to the log-odds at VALUE, by itself. */
static double one_trait(struct shapes *shapes, size_t t, size_t term, float value)
{
    const struct decision *d = shapes->decision;
    shapes->x[t] = value;
    trees_terms(&d->plan, &d->trees, shapes->x, &shapes->terms);
    double line = d->line.count ? linear_term(&d->line, t, shapes->x) : 0;
    return d->margin.scale * (line + (term < d->plan.count ? shapes->terms.weight[term] : 0));
}

static double two_traits(struct shapes *shapes, size_t term, float x, float y)
{
    const struct decision *d = shapes->decision;
    shapes->x[d->plan.term[term].low] = x;
    shapes->x[d->plan.term[term].high] = y;
    trees_terms(&d->plan, &d->trees, shapes->x, &shapes->terms);
    return d->margin.scale * shapes->terms.weight[term];
}

/* Finds the distinct cuts of trait T in its range, ascending. WITH: only from trees that also use
 * that trait; -1: from all trees. */
static size_t find_cuts(const struct shapes *shapes, int32_t t, int32_t with, float *cuts,
                        size_t most)
{
    const struct trees *trees = &shapes->decision->trees;
    size_t found = 0, kept = 0;
    float all[4096];
    for (size_t n = 0; n < trees->count; n++) {
        struct tree tree;
        trees_get(trees, n, &tree);
        int fits = with < 0;
        for (int i = 0; i < TREE_SPLITS; i++) fits |= tree.feature[i] == with && with >= 0;
        for (int i = 0; fits && i < TREE_SPLITS; i++)
            if (tree.feature[i] == t && found < 4096 && (double)tree.cut[i] > shapes->low[t] &&
                (double)tree.cut[i] <= shapes->high[t])
                all[found++] = tree.cut[i];
    }
    sort_array(all, found, sizeof *all, floats_rising);
    for (size_t i = 0; i < found; i++)
        if (!kept || all[i] > all[kept - 1]) all[kept++] = all[i];
    /* If there are too many, choose evenly spaced ones. */
    size_t stride = kept > most ? (kept + most - 1) / most : 1, count = 0;
    for (size_t i = 0; i < kept; i += stride) cuts[count++] = all[i];
    return count;
}

/* ---- Choosing the strongest ---- */

struct strength {
    double value;
    size_t number;
};

static int strongest_first(const void *left, const void *right)
{
    const struct strength *a = left, *b = right;
    if (a->value != b->value) return a->value > b->value ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Returns how much a trait affects decisions: the mean absolute value of its term over the sample
 * or, without one, over its range. */
static double trait_strength(struct shapes *shapes, size_t t, size_t term)
{
    enum { GRID = 40, PROBES = 200 };
    double sum = 0;
    size_t count = shapes->rows ? (shapes->rows < PROBES ? shapes->rows : PROBES) : GRID;
    for (size_t i = 0; i < count; i++) {
        double share = ((double)i + 0.5) / (double)count;
        double value = shapes->low[t] + share * (shapes->high[t] - shapes->low[t]);
        if (shapes->rows)
            value = (double)shapes->sample[i * shapes->rows / count * shapes->traits + t];
        sum += fabs(one_trait(shapes, t, term, (float)value));
    }
    return sum / (double)count;
}

static double pair_strength(struct shapes *shapes, size_t term)
{
    enum { GRID = 8, PROBES = 64 };
    const struct tree_term *of = &shapes->decision->plan.term[term];
    double sum = 0;
    size_t count = shapes->rows ? (shapes->rows < PROBES ? shapes->rows : PROBES) : GRID * GRID;
    for (size_t i = 0; i < count; i++) {
        double x = shapes->low[of->low] + ((double)(i % GRID) + 0.5) / GRID *
                                              (shapes->high[of->low] - shapes->low[of->low]);
        size_t line = i / GRID;
        double y = shapes->low[of->high] +
                   ((double)line + 0.5) / GRID * (shapes->high[of->high] - shapes->low[of->high]);
        const float *row = shapes->sample + i * shapes->rows / count * shapes->traits;
        if (shapes->rows) x = (double)row[of->low], y = (double)row[of->high];
        sum += fabs(two_traits(shapes, term, (float)x, (float)y));
    }
    return sum / (double)count;
}

/* ---- Writing ---- */

static void put_trait(struct writer *to, const struct shapes *shapes, size_t t)
{
    const struct trait *trait = traits_get(shapes->decision->encoder->fields, t);
    put_string(to, "group", family_title(trait->family));
    put_string(to, "name", trait->name);
    put_string(to, "about", trait->about);
}

/* A curve has a point just below each cut, and one at it. */
static void write_shape(struct writer *to, struct shapes *shapes, size_t t)
{
    float cuts[MOST_CUTS];
    double x[2 * MOST_CUTS + 2], y[2 * MOST_CUTS + 2];
    size_t term = find_term(&shapes->decision->plan, (int32_t)t, -1), count = 0;
    size_t found = find_cuts(shapes, (int32_t)t, -1, cuts, MOST_CUTS);
    if (!(shapes->low[t] < shapes->high[t])) return; /* the same in every pair of the sample */
    x[count++] = shapes->low[t];
    for (size_t i = 0; i < found; i++) {
        x[count++] = (double)nextafterf(cuts[i], -INFINITY);
        x[count++] = (double)cuts[i];
    }
    x[count++] = shapes->high[t];
    for (size_t i = 0; i < count; i++) y[i] = one_trait(shapes, t, term, (float)x[i]);
    put_open(to, NULL, '{');
    put_trait(to, shapes, t);
    put_numbers(to, "x", x, count);
    put_numbers(to, "y", y, count);
    writer_close(to, '}');
}

static size_t make_edges(const struct shapes *shapes, int32_t t, int32_t with, double *edge)
{
    float cuts[MOST_CELLS];
    size_t found = find_cuts(shapes, t, with, cuts, MOST_CELLS - 1), count = 0;
    edge[count++] = shapes->low[t];
    for (size_t i = 0; i < found; i++) edge[count++] = (double)cuts[i];
    edge[count] = shapes->high[t];
    return count;
}

static void put_axis(struct writer *to, const char *key, const struct shapes *shapes, int32_t t,
                     const double *edge, size_t cells)
{
    put_open(to, key, '{');
    put_trait(to, shapes, (size_t)t);
    put_numbers(to, "edges", edge, cells + 1);
    writer_close(to, '}');
}

/* Two traits: their values are rows of cells, each taken at its centre. */
static void write_heat(struct writer *to, struct shapes *shapes, size_t term)
{
    const struct tree_term *of = &shapes->decision->plan.term[term];
    double x[MOST_CELLS + 1], y[MOST_CELLS + 1], value[MOST_CELLS * MOST_CELLS];
    if (!(shapes->low[of->low] < shapes->high[of->low]) ||
        !(shapes->low[of->high] < shapes->high[of->high]))
        return;
    size_t columns = make_edges(shapes, of->low, of->high, x);
    size_t rows = make_edges(shapes, of->high, of->low, y);
    for (size_t i = 0; i < rows * columns; i++) {
        size_t r = i / columns, c = i % columns;
        value[i] = two_traits(shapes, term, (float)(0.5 * (x[c] + x[c + 1])),
                              (float)(0.5 * (y[r] + y[r + 1])));
    }
    put_open(to, NULL, '{');
    put_axis(to, "x", shapes, of->low, x, columns);
    put_axis(to, "y", shapes, of->high, y, rows);
    put_numbers(to, "values", value, rows * columns);
    writer_close(to, '}');
}

static film_status write_strongest(struct report *report, struct shapes *shapes,
                                   film_error *error)
{
    film_status status = FILM_OK;
    struct writer *to = &report->data;
    const struct tree_terms_plan *plan = &shapes->decision->plan;
    size_t most = plan->count > shapes->traits ? plan->count : shapes->traits, count = 0;
    struct strength *list = mem_array(most, sizeof *list);
    TRY_ALLOC(list, error);
    for (size_t t = 0; t < shapes->traits; t++)
        list[t] = (struct strength){trait_strength(shapes, t, find_term(plan, (int32_t)t, -1)), t};
    sort_array(list, shapes->traits, sizeof *list, strongest_first);
    put_open(to, "curves", '[');
    for (size_t i = 0; i < shapes->traits && i < CURVES && list[i].value > 0; i++)
        write_shape(to, shapes, list[i].number);
    writer_close(to, ']');
    TRY(progress_report(&report->options->progress, "shapes", 1, 2, error));
    for (size_t i = 0; i < plan->count; i++)
        if (plan->term[i].high >= 0) list[count++] = (struct strength){pair_strength(shapes, i), i};
    sort_array(list, count, sizeof *list, strongest_first);
    put_open(to, "heats", '[');
    for (size_t i = 0; i < count && i < HEATS && list[i].value > 0; i++)
        write_heat(to, shapes, list[i].number);
    writer_close(to, ']');
done:
    mem_free(list);
    return status;
}

static film_status prepare_shapes(struct shapes *shapes, film_error *error)
{
    film_status status = FILM_OK;
    shapes->traits = traits_total(shapes->decision->encoder->fields);
    TRY(tree_terms_init(&shapes->terms, &shapes->decision->plan, error));
    TRY_ALLOC((shapes->x = mem_zeroed(shapes->traits, sizeof *shapes->x)) &&
                  (shapes->sample = mem_array(SAMPLE * shapes->traits, sizeof *shapes->sample)) &&
                  (shapes->low = mem_array(shapes->traits, sizeof *shapes->low)) &&
                  (shapes->high = mem_array(shapes->traits, sizeof *shapes->high)),
              error);
done:
    return status;
}

film_status shapes_part(struct report *report, const struct eval_view *view, film_error *error)
{
    film_status status = FILM_OK;
    struct shapes shapes = {.decision = &report->model->decision};
    struct labelled pairs = {0};
    const struct corpus *corpus = view ? view->corpus : &report->train;
    put_open(&report->data, "shapes", '{');
    if (shapes.decision->full) { /* not a threshold on the similarity */
        TRY(prepare_shapes(&shapes, error));
        TRY(labelled_take(&pairs, corpus, error));
        TRY(take_sample(&shapes, corpus, &pairs, error));
        TRY(find_ranges(&shapes, error));
        TRY(write_strongest(report, &shapes, error));
    }
    writer_close(&report->data, '}');
done:
    labelled_free(&pairs);
    tree_terms_free(&shapes.terms);
    mem_free(shapes.x);
    mem_free(shapes.sample);
    mem_free(shapes.low);
    mem_free(shapes.high);
    return status;
}
