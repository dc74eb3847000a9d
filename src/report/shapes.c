/* Traits: curves of single traits, heat maps of two.
 *
 * The linear model of the traits and the trees of depth 2 are sums of terms of one or two traits.
 * So these shapes are the decision itself, not an approximation: the log-odds of a pair are the sum
 * of its terms, word evidence and memory. */
#include "base/mem.h"
#include "base/rng.h"
#include "base/sort.h"
#include "model/model.h"
#include "report/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 1000, CURVES = 9, HEATS = 6, MOST_CUTS = 120, MOST_CELLS = 24 };

struct shapes {
    const struct decision *decision;
    struct tree_terms terms; /* of the traits last evaluated */
    float *x;                /* traits of a probe pair */
    float *sample;           /* rows x traits */
    size_t rows, traits;
    double *low, *high; /* traits: range shown, without 1 % of the sample at each end */
};

/* What one trait or two add to the log-odds. */
struct shape {
    int32_t low, high; /* traits; high -1: one */
    size_t term;       /* of the trees; the plan's count: none */
    double strength;   /* mean absolute value over the sample */
};

static int floats_rising(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;
    return a < b ? -1 : a > b;
}

/* ---- Pairs ---- */

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

/* Without pairs: draws the traits from the range of the training pairs, which the linear model
 * keeps. Few pairs are near its ends. */
static void draw_sample(struct shapes *shapes)
{
    const struct linear *line = &shapes->decision->line;
    struct rng rng;
    rng_seed(&rng, 1);
    for (; shapes->rows < SAMPLE; shapes->rows++)
        for (size_t t = 0; t < shapes->traits; t++) {
            double low = line->count ? 0.5 * (double)(line->low[t] + line->mean[t]) : 0;
            double high = line->count ? 0.5 * (double)(line->high[t] + line->mean[t]) : 0;
            shapes->sample[shapes->rows * shapes->traits + t] =
                (float)(low + (high - low) * rng_uniform(&rng));
        }
}

static film_status find_ranges(struct shapes *shapes, film_error *error)
{
    float *values = mem_array(shapes->rows, sizeof *values);
    if (!values) return status_no_memory(error);
    for (size_t t = 0; t < shapes->traits; t++) {
        for (size_t i = 0; i < shapes->rows; i++)
            values[i] = shapes->sample[i * shapes->traits + t];
        sort_array(values, shapes->rows, sizeof *values, floats_rising);
        shapes->low[t] = (double)values[shapes->rows / 100];
        shapes->high[t] = (double)values[shapes->rows - 1 - shapes->rows / 100];
    }
    mem_free(values);
    return FILM_OK;
}

/* ---- Terms ---- */

/* Returns what a shape adds to the log-odds of the traits last evaluated, X. */
static double added(const struct shapes *shapes, const struct shape *of, const float *x)
{
    const struct decision *d = shapes->decision;
    double line = of->high < 0 && d->line.count ? linear_term(&d->line, (size_t)of->low, x) : 0;
    double trees = of->term < d->plan.count ? shapes->terms.weight[of->term] : 0;
    return d->margin.scale * (line + trees);
}

static void evaluate(struct shapes *shapes, const float *x)
{
    trees_terms(&shapes->decision->plan, &shapes->decision->trees, x, &shapes->terms);
}

static double added_at(struct shapes *shapes, const struct shape *of, double x, double y)
{
    shapes->x[of->low] = (float)x;
    if (of->high >= 0) shapes->x[of->high] = (float)y;
    evaluate(shapes, shapes->x);
    return added(shapes, of, shapes->x);
}

static int strongest_first(const void *left, const void *right)
{
    const struct shape *a = left, *b = right;
    if (a->strength != b->strength) return a->strength > b->strength ? -1 : 1;
    return a->low != b->low ? a->low - b->low : a->high - b->high;
}

/* Lists each trait and each pair of traits that the trees combine; the strongest first. */
static size_t list_shapes(struct shapes *shapes, struct shape *list)
{
    const struct tree_terms_plan *plan = &shapes->decision->plan;
    size_t count = 0;
    for (size_t t = 0; t < shapes->traits; t++)
        list[count++] = (struct shape){(int32_t)t, -1, plan->count, 0};
    for (size_t i = 0; i < plan->count; i++)
        if (plan->term[i].high < 0)
            list[plan->term[i].low].term = i;
        else
            list[count++] = (struct shape){plan->term[i].low, plan->term[i].high, i, 0};
    for (size_t i = 0; i < shapes->rows; i++) {
        const float *row = shapes->sample + i * shapes->traits;
        evaluate(shapes, row);
        for (size_t s = 0; s < count; s++)
            list[s].strength += fabs(added(shapes, &list[s], row)) / (double)shapes->rows;
    }
    sort_array(list, count, sizeof *list, strongest_first);
    return count;
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

/* ---- Writing ---- */

static void put_trait(struct writer *to, const struct shapes *shapes, int32_t t)
{
    const struct trait *trait = traits_get(shapes->decision->encoder->fields, (size_t)t);
    put_json(to, "group", json_string(family_title(trait->family)));
    put_json(to, "name", json_string(trait->name));
    put_json(to, "about", json_string(trait->about));
}

/* A curve has a point just below each cut, and one at it. */
static void write_curve(struct writer *to, struct shapes *shapes, const struct shape *of)
{
    float cuts[MOST_CUTS];
    double x[2 * MOST_CUTS + 2], y[2 * MOST_CUTS + 2];
    size_t found = find_cuts(shapes, of->low, -1, cuts, MOST_CUTS), count = 0;
    x[count++] = shapes->low[of->low];
    for (size_t i = 0; i < found; i++) {
        x[count++] = (double)nextafterf(cuts[i], -INFINITY);
        x[count++] = (double)cuts[i];
    }
    x[count++] = shapes->high[of->low];
    for (size_t i = 0; i < count; i++) y[i] = added_at(shapes, of, x[i], 0);
    put_trait(to, shapes, of->low);
    put_numbers(to, "x", x, count);
    put_numbers(to, "y", y, count);
}

/* Writes a trait and the edges of its cells; returns the number of cells. */
static size_t write_axis(struct writer *to, const char *key, const struct shapes *shapes, int32_t t,
                         int32_t with, double *edge)
{
    float cuts[MOST_CELLS];
    size_t found = find_cuts(shapes, t, with, cuts, MOST_CELLS - 1);
    edge[0] = shapes->low[t];
    for (size_t i = 0; i < found; i++) edge[i + 1] = (double)cuts[i];
    edge[found + 1] = shapes->high[t];
    put_open(to, key, '{');
    put_trait(to, shapes, t);
    put_numbers(to, "edges", edge, found + 2);
    writer_close(to, '}');
    return found + 1;
}

/* The values are rows of cells, each taken at its centre. */
static void write_heat(struct writer *to, struct shapes *shapes, const struct shape *of)
{
    double x[MOST_CELLS + 1], y[MOST_CELLS + 1];
    size_t columns = write_axis(to, "x", shapes, of->low, of->high, x);
    size_t rows = write_axis(to, "y", shapes, of->high, of->low, y);
    put_open(to, "values", '[');
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++)
            put_json(to, NULL,
                     number_json(
                         added_at(shapes, of, 0.5 * (x[c] + x[c + 1]), 0.5 * (y[r] + y[r + 1]))));
    writer_close(to, ']');
}

/* Writes the MOST strongest shapes of one trait, or of two. */
static void write_strongest(struct writer *to, struct shapes *shapes, const struct shape *list,
                            size_t count, int two, size_t most)
{
    put_open(to, two ? "heats" : "curves", '[');
    for (size_t i = 0; i < count && most && list[i].strength > 0; i++) {
        const struct shape *of = &list[i];
        if ((of->high >= 0) != two) continue;
        most--;
        if (!(shapes->low[of->low] < shapes->high[of->low]) || /* the same in every pair */
            (two && !(shapes->low[of->high] < shapes->high[of->high])))
            continue;
        put_open(to, NULL, '{');
        if (two)
            write_heat(to, shapes, of);
        else
            write_curve(to, shapes, of);
        writer_close(to, '}');
    }
    writer_close(to, ']');
}

static film_status write_shapes(struct report *report, const struct corpus *corpus,
                                film_error *error)
{
    film_status status = FILM_OK;
    struct shapes shapes = {.decision = &report->model->decision};
    struct labelled pairs = {0};
    struct shape *list = NULL;
    shapes.traits = traits_total(shapes.decision->encoder->fields);
    TRY(tree_terms_init(&shapes.terms, &shapes.decision->plan, error));
    TRY_ALLOC((shapes.x = mem_zeroed(shapes.traits, sizeof *shapes.x)) &&
                  (shapes.sample = mem_array(SAMPLE * shapes.traits, sizeof *shapes.sample)) &&
                  (shapes.low = mem_array(shapes.traits, sizeof *shapes.low)) &&
                  (shapes.high = mem_array(shapes.traits, sizeof *shapes.high)) &&
                  (list = mem_array(shapes.traits + shapes.decision->plan.count, sizeof *list)),
              error);
    TRY(labelled_take(&pairs, corpus, error));
    TRY(take_sample(&shapes, corpus, &pairs, error));
    if (!shapes.rows) draw_sample(&shapes);
    TRY(find_ranges(&shapes, error));
    TRY(progress_report(&report->options->progress, "shapes", 1, 2, error));
    size_t count = list_shapes(&shapes, list);
    write_strongest(&report->data, &shapes, list, count, 0, CURVES);
    write_strongest(&report->data, &shapes, list, count, 1, HEATS);
done:
    labelled_free(&pairs);
    tree_terms_free(&shapes.terms);
    mem_free(shapes.x);
    mem_free(shapes.sample);
    mem_free(shapes.low);
    mem_free(shapes.high);
    mem_free(list);
    return status;
}

film_status shapes_part(struct report *report, const struct eval_view *view, film_error *error)
{
    film_status status = FILM_OK;
    put_open(&report->data, "shapes", '{');
    if (report->model->decision.full) /* not a threshold on the similarity */
        status = write_shapes(report, view ? view->corpus : &report->train, error);
    writer_close(&report->data, '}');
    return status;
}
