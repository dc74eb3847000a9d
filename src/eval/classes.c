/* Classifies every row of the file, counts right and wrong categories, and measures how well the
 * probability of none separates categories that the model has not learned. */
#include "eval/classes.h"
#include "base/sort.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "eval/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The number of a category that the model does not have. */
#define UNKNOWN UINT32_MAX

struct class_tally {
    const film_model *model;
    const struct corpus *corpus;
    uint32_t *target, *answer; /* by row: number of the model's category */
    double *none;              /* by row */
    unsigned char *refused;
};

static void tally_free(struct class_tally *tally)
{
    mem_free(tally->target);
    mem_free(tally->answer);
    mem_free(tally->none);
    mem_free(tally->refused);
}

static uint32_t number_of(const struct strtab *names, film_text name)
{
    for (uint32_t c = 0; c < names->count; c++) { /* a mapped table has no slots */
        film_text own = strtab_get(names, c);
        if (own.length == name.length && memcmp(own.bytes, name.bytes, name.length) == 0) return c;
    }
    return UNKNOWN;
}

static int take(void *user, size_t row, const film_classification *result)
{
    struct class_tally *tally = user;
    const struct strtab *names = &tally->model->classifier.categories;
    tally->answer[row] = number_of(names, result->categories[0].name);
    tally->none[row] = result->none_probability;
    tally->refused[row] = result->none != 0;
    return 0;
}

/* Classifies all rows. */
static film_status classify_rows(struct evaluation *evaluation, struct class_tally *tally,
                                 film_error *error)
{
    film_status status = FILM_OK;
    const struct corpus *corpus = tally->corpus;
    const struct strtab *names = &tally->model->classifier.categories;
    film_text *text = mem_array(corpus->rows, sizeof *text);
    uint32_t *number = mem_array(corpus->categories.count, sizeof *number);
    film_classify_options options = {.size = sizeof options,
                                     .threads = evaluation->options->threads};
    TRY_ALLOC(text && number, error);
    for (uint32_t c = 0; c < corpus->categories.count; c++)
        number[c] = number_of(names, strtab_get(&corpus->categories, c));
    for (size_t i = 0; i < corpus->rows; i++) {
        text[i] = strtab_get(&corpus->sentences, corpus->a[i]);
        tally->target[i] = number[corpus->category[i]];
    }
    TRY(film_classify_many(tally->model, text, corpus->rows, &options, take, tally, error));
done:
    mem_free(text);
    mem_free(number);
    return status;
}

/* ---- Figures ---- */

struct scored {
    double none;
    int unknown;
};

static int by_none(const void *a, const void *b)
{
    double left = ((const struct scored *)a)->none, right = ((const struct scored *)b)->none;
    return left < right ? -1 : left > right;
}

/* The area under the ROC curve of the probability of none, from ranks (Mann-Whitney); equal values
 * count half. NaN where one of the two kinds has no row. */
static double none_auroc(struct scored *rows, size_t count)
{
    double ranks = 0, unknown = 0;
    sort_array(rows, count, sizeof *rows, by_none);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && rows[end].none == rows[i].none;) end++;
        for (size_t j = i; j < end; j++) {
            if (!rows[j].unknown) continue;
            ranks += 0.5 * (double)(i + end + 1);
            unknown++;
        }
    }
    double known = (double)count - unknown;
    return known > 0 && unknown > 0 ? (ranks - unknown * (unknown + 1) / 2) / (known * unknown)
                                    : NAN;
}

static int by_count(const void *a, const void *b)
{
    const film_confusion *left = a, *right = b;
    if (left->count != right->count) return left->count > right->count ? -1 : 1;
    int order = strcmp(left->category, right->category);
    return order ? order : strcmp(left->answered, right->answered);
}

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

/* Precision, recall and F1 of each category from the table of counts; returns the mean F1 of those
 * that occur in the file. */
static double fill_classes(const uint32_t *table, size_t count, film_class_figure *classes)
{
    double sum = 0;
    size_t occurring = 0;
    for (size_t c = 0; c < count; c++) {
        uint64_t rows = 0, answered = 0, right = table[c * count + c];
        for (size_t o = 0; o < count; o++) {
            rows += table[c * count + o];
            answered += table[o * count + c];
        }
        classes[c].rows = rows;
        classes[c].precision = ratio(right, answered);
        classes[c].recall = ratio(right, rows);
        classes[c].f1 = ratio(2 * right, rows + answered);
        if (!rows) continue;
        sum += classes[c].f1;
        occurring++;
    }
    return occurring ? sum / (double)occurring : NAN;
}

/* The most frequent wrong answers. */
static film_status fill_confusions(const uint32_t *table, size_t count, film_class_result *result,
                                   film_confusion *confusions, film_error *error)
{
    size_t found = 0;
    for (size_t i = 0; i < count * count; i++) found += table[i] && i / count != i % count;
    film_confusion *all = mem_array(found, sizeof *all);
    found = 0;
    if (!all) return status_no_memory(error);
    for (size_t i = 0; i < count * count; i++)
        if (table[i] && i / count != i % count)
            all[found++] = (film_confusion){result->classes[i / count].category,
                                            result->classes[i % count].category, table[i]};
    sort_array(all, found, sizeof *all, by_count);
    result->confusion_count = found < FILM_CONFUSIONS ? found : FILM_CONFUSIONS;
    memcpy(confusions, all, result->confusion_count * sizeof *all);
    mem_free(all);
    return FILM_OK;
}

/* One block: the result, its categories, its confusions and the names. */
static film_class_result *result_new(const struct strtab *names)
{
    size_t bytes = 0, count = names->count;
    for (uint32_t c = 0; c < count; c++) bytes += strtab_get(names, c).length + 1;
    film_class_result *result = mem_zeroed(1, sizeof *result + count * sizeof(film_class_figure) +
                                                  FILM_CONFUSIONS * sizeof(film_confusion) + bytes);
    if (!result) return NULL;
    film_class_figure *classes = (film_class_figure *)(result + 1);
    char *next = (char *)((film_confusion *)(classes + count) + FILM_CONFUSIONS);
    for (uint32_t c = 0; c < count; c++) {
        film_text name = strtab_get(names, c);
        memcpy(next, name.bytes, name.length);
        classes[c].category = next;
        next += name.length + 1;
    }
    result->classes = classes;
    result->confusions = (film_confusion *)(classes + count);
    result->class_count = count;
    return result;
}

/* Shares over rows: answered ones of known categories, refused ones of others; and the AUROC. */
static film_status measure_none(const struct class_tally *tally, film_class_result *result,
                                film_error *error)
{
    size_t count = tally->corpus->rows;
    uint64_t answered = 0, refused = 0;
    struct scored *scored = mem_array(count, sizeof *scored);
    if (!scored) return status_no_memory(error);
    for (size_t i = 0; i < count; i++) {
        scored[i] = (struct scored){tally->none[i], tally->target[i] == UNKNOWN};
        if (tally->target[i] == UNKNOWN)
            refused += tally->refused[i];
        else
            answered += !tally->refused[i];
        result->unknown_rows += tally->target[i] == UNKNOWN;
    }
    result->none_auroc = none_auroc(scored, count);
    result->answered = ratio(answered, count - result->unknown_rows);
    result->refused = result->unknown_rows ? ratio(refused, result->unknown_rows) : NAN;
    mem_free(scored);
    return FILM_OK;
}

static film_status fill_class_result(struct evaluation *evaluation, const struct class_tally *tally,
                                     film_class_result *result, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = result->class_count, known = 0, right = 0;
    unsigned char *correct = mem_array(tally->corpus->rows, 1);
    uint32_t *table = mem_zeroed(count * count, sizeof *table);
    double interval[2];
    TRY_ALLOC(correct && table, error);
    for (size_t i = 0; i < tally->corpus->rows; i++) {
        if (tally->target[i] == UNKNOWN) continue;
        table[tally->target[i] * count + tally->answer[i]]++;
        correct[known++] = tally->target[i] == tally->answer[i];
        right += tally->target[i] == tally->answer[i];
    }
    TRY(bootstrap_share(&evaluation->bootstrap, correct, known, interval, error));
    evaluation->result.accuracy =
        (film_figure){known ? (double)right / (double)known : NAN, interval[0], interval[1]};
    result->macro_f1 = fill_classes(table, count, (film_class_figure *)(result + 1));
    TRY(fill_confusions(table, count, result,
                        (film_confusion *)((film_class_figure *)(result + 1) + count), error));
    TRY(measure_none(tally, result, error));
done:
    mem_free(correct);
    mem_free(table);
    return status;
}

film_status classes_measure(struct evaluation *evaluation, const film_model *model,
                            film_error *error)
{
    film_status status = FILM_OK;
    struct answer_owned *owned = evaluation->result.owned;
    struct class_tally tally = {.model = model, .corpus = &evaluation->corpus};
    size_t rows = tally.corpus->rows;
    if (!model->classifier.categories.count) return FILM_OK;
    TRY_ALLOC((tally.target = mem_array(rows, sizeof *tally.target)) &&
                  (tally.answer = mem_array(rows, sizeof *tally.answer)) &&
                  (tally.none = mem_array(rows, sizeof *tally.none)) &&
                  (tally.refused = mem_array(rows, 1)) &&
                  (owned->classes = result_new(&model->classifier.categories)),
              error);
    TRY(classify_rows(evaluation, &tally, error));
    TRY(fill_class_result(evaluation, &tally, owned->classes, error));
    evaluation->result.classes = owned->classes;
done:
    tally_free(&tally);
    return status;
}

/* ---- JSON ---- */

static json_t *real(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

void classes_put(json_t *answer, const film_class_result *found)
{
    json_t *classes = json_array(), *confusions = json_array();
    for (size_t c = 0; found && c < found->class_count; c++) {
        const film_class_figure *figure = &found->classes[c];
        jsonfile_append(classes,
                        json_pack("{s:s, s:I, s:f, s:f, s:f}", "category", figure->category, "rows",
                                  (json_int_t)figure->rows, "precision", figure->precision,
                                  "recall", figure->recall, "f1", figure->f1));
    }
    for (size_t i = 0; found && i < found->confusion_count; i++)
        jsonfile_append(confusions,
                        json_pack("{s:s, s:s, s:I}", "category", found->confusions[i].category,
                                  "answered", found->confusions[i].answered, "rows",
                                  (json_int_t)found->confusions[i].count));
    jsonfile_put(answer, "macro_f1", found ? real(found->macro_f1) : json_null());
    jsonfile_put(answer, "classes", found ? json_incref(classes) : json_null());
    jsonfile_put(answer, "confusions", found ? json_incref(confusions) : json_null());
    jsonfile_put(answer, "none_auroc", found ? real(found->none_auroc) : json_null());
    jsonfile_put(answer, "answered", found ? real(found->answered) : json_null());
    jsonfile_put(answer, "refused", found ? real(found->refused) : json_null());
    json_decref(classes);
    json_decref(confusions);
}
