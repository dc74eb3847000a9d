/* Classifies a sentence: adds up the weights of its words, lets the nearest examples vote, and
 * turns both into probabilities and the probability of "none". Nothing is learned here, and files
 * are read in classifier_file.c. */
#include "model/classifier.h"
#include "base/mem.h"
#include "base/topk.h"
#include "embed/vec.h"

#include <math.h>
#include <string.h>

/* A category that no neighbour has keeps this share, and near neighbours count more. */
#define LEAST_SHARE 0.01
#define SHARPNESS 10.0
#define LEAST_LENGTH 0.001

void classifier_free(struct classifier *classifier)
{
    strtab_free(&classifier->categories);
    strtab_free(&classifier->texts);
    keytab_free(&classifier->items);
    mem_free(classifier->own_category);
    mem_free(classifier->own_code);
    mem_free(classifier->own_code_scale);
    mem_free(classifier->own_idf);
    mem_free(classifier->own_weight);
    mem_free(classifier->own_weight_scale);
    *classifier = (struct classifier){.dim = 0};
}

float classifier_encode(const float *vector, size_t dim, int8_t *code)
{
    float most = 0;
    double square = 0;
    for (size_t i = 0; i < dim; i++) most = fmaxf(most, fabsf(vector[i]));
    for (size_t i = 0; i < dim; i++) {
        code[i] = most > 0 ? (int8_t)lrintf(vector[i] / most * 127) : 0;
        square += (double)code[i] * code[i];
    }
    return square > 0 ? (float)(1 / sqrt(square)) : 0;
}

film_status class_asker_init(struct class_asker *asker, const struct classifier *classifier,
                             const struct encoder *encoder, film_error *error)
{
    film_status status = FILM_OK;
    size_t classes = classifier->categories.count;
    *asker = (struct class_asker){
        .classifier = classifier, .encoder = encoder, .tokenizer = &encoder->features->tokenizer};
    for (uint32_t i = 0; i < classifier->items.count; i++)
        asker->rarest = fmaxf(asker->rarest, classifier->idf[i]);
    TRY(class_row_init(&asker->row, asker->tokenizer, error));
    TRY(grams_init(&asker->example, asker->tokenizer, error));
    TRY(feature_row_init(&asker->features, encoder->features, error));
    TRY_ALLOC((asker->vector = mem_array(classifier->dim, sizeof(float))) &&
                  (asker->sum = mem_array(classifier->dim, sizeof(float))) &&
                  (asker->code = mem_array(classifier->dim, 1)) &&
                  (asker->linear = mem_array(classes, sizeof(float))) &&
                  (asker->half = mem_array(classes, sizeof(float))) &&
                  (asker->share = mem_array(classes, sizeof(float))) &&
                  (asker->probability = mem_array(classes, sizeof(double))),
              error);
done:
    if (status != FILM_OK) class_asker_free(asker);
    return status;
}

void class_asker_free(struct class_asker *asker)
{
    class_row_free(&asker->row);
    grams_free(&asker->example);
    feature_row_free(&asker->features);
    mem_free(asker->vector);
    mem_free(asker->sum);
    mem_free(asker->code);
    mem_free(asker->linear);
    mem_free(asker->half);
    mem_free(asker->share);
    mem_free(asker->probability);
    *asker = (struct class_asker){.classifier = NULL};
}

/* ---- The linear part ---- */

VEC_KERNEL static void add_weights(float *sum, float factor, const int8_t *weight, size_t count)
{
    for (size_t c = 0; c < count; c++) sum[c] += factor * (float)weight[c];
}

static void add_linear(struct class_asker *asker)
{
    const struct classifier *classifier = asker->classifier;
    size_t classes = classifier->categories.count;
    memset(asker->linear, 0, classes * sizeof *asker->linear);
    for (size_t i = 0; i < asker->row.count; i++) {
        const struct class_item *item = &asker->row.items[i];
        add_weights(asker->linear, item->value * classifier->weight_scale[item->number],
                    classifier->weight + item->number * classes, classes);
    }
}

double class_asker_weight(const struct class_asker *asker, size_t i, uint32_t category)
{
    const struct classifier *classifier = asker->classifier;
    const struct class_item *item = &asker->row.items[i];
    size_t classes = classifier->categories.count;
    const int8_t *weight = classifier->weight + item->number * classes;
    double mean = 0;
    for (size_t c = 0; c < classes; c++) mean += weight[c];
    return (double)item->value * (double)classifier->weight_scale[item->number] *
           (weight[category] - mean / (double)classes);
}

/* ---- The nearest examples ---- */

VEC_KERNEL static int32_t dot_codes(const int8_t *a, const int8_t *b, size_t n)
{
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += (int16_t)((int16_t)a[i] * (int16_t)b[i]);
    return sum;
}

static film_status find_nearest(struct class_asker *asker, film_text text, film_error *error)
{
    film_status status = FILM_OK;
    const struct classifier *classifier = asker->classifier;
    struct topk top = topk_over(asker->similarity, asker->nearest, CLASS_NEAREST);
    asker->nearest_count = 0;
    asker->length = 0;
    if (!classifier->dim) return FILM_OK;
    TRY(encoder_read_words(asker->encoder, &asker->features, text, asker->vector, error));
    asker->length = sqrt(vec_dot(asker->vector, asker->vector, classifier->dim));
    float scale = classifier_encode(asker->vector, classifier->dim, asker->code);
    if (scale == 0) goto done; /* no known word: near to nothing */
    for (uint32_t e = 0; e < classifier->texts.count; e++) {
        int32_t dot =
            dot_codes(asker->code, classifier->code + e * classifier->dim, classifier->dim);
        topk_offer(&top, scale * classifier->code_scale[e] * (float)dot, e);
    }
    topk_finish(&top);
    asker->nearest_count = top.count;
done:
    return status;
}

/* The squared rarity of the query's words that EXAMPLE has, each once. */
static film_status common_words(struct class_asker *asker, film_text example, double *out,
                                film_error *error)
{
    const struct gram_list *words = &asker->example.group[GROUP_WORD];
    film_status status =
        grams_collect(&asker->example, asker->tokenizer, GROUP_BIT(GROUP_WORD), example, error);
    *out = 0;
    for (size_t i = 0; i < asker->row.count && status == FILM_OK; i++) {
        const struct class_item *item = &asker->row.items[i];
        double idf = (double)asker->classifier->idf[item->number];
        if ((item->key & 7) != CLASS_WORD) continue;
        for (size_t w = 0; w < words->count; w++)
            if (class_word_key(gram_text(words, &words->items[w])) == item->key) {
                *out += idf * idf;
                break;
            }
    }
    return status;
}

/* Lets the nearest examples vote: near ones count more. */
static film_status count_votes(struct class_asker *asker, film_error *error)
{
    enum { FIRST = 5 };
    film_status status = FILM_OK;
    const struct classifier *classifier = asker->classifier;
    double sum = 0, common, all = 0, rarest = (double)asker->rarest;
    memset(asker->share, 0, classifier->categories.count * sizeof *asker->share);
    asker->near = asker->covered = 0;
    for (size_t i = 0; i < asker->row.count; i++) {
        double idf = (double)classifier->idf[asker->row.items[i].number];
        if ((asker->row.items[i].key & 7) == CLASS_WORD) all += idf * idf;
    }
    all += (double)asker->row.unknown * rarest * rarest;
    for (size_t i = 0; i < asker->nearest_count; i++) {
        double vote = exp(SHARPNESS * ((double)asker->similarity[i] - 1));
        asker->share[classifier->category[asker->nearest[i]]] += (float)vote;
        sum += vote;
        if (i < FIRST) asker->near += (double)asker->similarity[i] / FIRST;
        TRY(common_words(asker, strtab_get(&classifier->texts, asker->nearest[i]), &common, error));
        if (all > 0) asker->covered += vote * common / all;
    }
    if (sum > 0) asker->covered /= sum;
    for (size_t c = 0; c < classifier->categories.count && sum > 0; c++)
        asker->share[c] = (float)((double)asker->share[c] / sum);
done:
    return status;
}

/* ---- Halves of the words ---- */

/* The categories' logits LINEAR and votes give, and the best of them: weights that do not depend on
 * the rule, which is learned later. Returns the log probability of category OF, or of the best if
 * it is SIZE_MAX. */
static double usual_answer(const struct class_asker *asker, const float *linear, double factor,
                           size_t of, size_t *best)
{
    static const double neighbours = 0.3;
    double *logit = asker->probability, sum = 0; /* class_asker_decide overwrites it */
    uint32_t classes = asker->classifier->categories.count;
    *best = 0;
    for (uint32_t c = 0; c < classes; c++) {
        logit[c] =
            factor * (double)linear[c] + neighbours * log(LEAST_SHARE + (double)asker->share[c]);
        if (logit[c] > logit[*best]) *best = c;
    }
    for (uint32_t c = 0; c < classes; c++) sum += exp(logit[c] - logit[*best]);
    return fmax(logit[of == SIZE_MAX ? *best : of] - logit[*best] - log(sum), log(1e-9));
}

static unsigned odd_bits(uint32_t bits)
{
    return (bits ^ bits >> 1 ^ bits >> 2 ^ bits >> 3) & 1;
}

/* Adds up the items whose words are all in one half; returns the share of the row's length, 0 where
 * there are none. */
static double add_half(struct class_asker *asker, uint32_t split, unsigned side)
{
    const struct classifier *classifier = asker->classifier;
    size_t classes = classifier->categories.count;
    double some = 0, all = 0;
    memset(asker->half, 0, classes * sizeof *asker->half);
    for (size_t i = 0; i < asker->row.count; i++) {
        const struct class_item *item = &asker->row.items[i];
        double square = (double)item->value * (double)item->value;
        all += square;
        if (odd_bits(item->first & split) != side || odd_bits(item->second & split) != side)
            continue;
        some += square;
        add_weights(asker->half, item->value * classifier->weight_scale[item->number],
                    classifier->weight + item->number * classes, classes);
    }
    return all > 0 ? sqrt(some / all) : 0;
}

/* Classifies halves of the words again: a sentence of a known category has it in most of them, one
 * of another category owes it to a word or two. The 30 halves are the rows of a Hadamard matrix
 * over the positions modulo 16, so that any two words are together in as many halves. */
static void ask_halves(struct class_asker *asker, size_t whole)
{
    enum { SPLITS = 16 };
    size_t best, asked = 0;
    asker->halves = asker->agreed = 0;
    for (uint32_t half = 2; half < 2 * SPLITS; half++) {
        double length = add_half(asker, half / 2, half % 2);
        if (length == 0) continue;
        asker->halves += usual_answer(asker, asker->half, 1 / length, whole, &best);
        asker->agreed += best == whole;
        asked++;
    }
    if (!asked) return;
    asker->halves /= (double)asked;
    asker->agreed /= (double)asked;
}

/* ---- The centre of a category ---- */

/* Compares the sentence with the sum of CATEGORY's examples, and this similarity with the mean of
 * its examples, which is the sum's length over their number: examples of a category that is worded
 * in many ways are far from its centre. */
static void ask_centre(struct class_asker *asker, size_t category)
{
    const struct classifier *classifier = asker->classifier;
    size_t dim = classifier->dim, count = 0;
    asker->centre = 0;
    if (asker->length == 0) return;
    memset(asker->sum, 0, dim * sizeof *asker->sum);
    for (uint32_t e = 0; e < classifier->texts.count; e++) {
        if (classifier->category[e] != category) continue;
        add_weights(asker->sum, classifier->code_scale[e], classifier->code + e * dim, dim);
        count++;
    }
    double length = sqrt(vec_dot(asker->sum, asker->sum, dim));
    if (length > 0)
        asker->centre = vec_dot(asker->vector, asker->sum, dim) / (asker->length * length) -
                        length / (double)count;
}

/* ---- The decision ---- */

static void set_signs(struct class_asker *asker, double mean)
{
    const double *probability = asker->probability;
    double first = 0, second = 0, entropy = 0, floor = 1e-9;
    for (uint32_t c = 0; c < asker->classifier->categories.count; c++) {
        double p = probability[c];
        entropy -= p * log(fmax(p, floor));
        if (p > first) {
            second = first;
            first = p;
        } else if (p > second) {
            second = p;
        }
    }
    double *sign = asker->sign;
    sign[SIGN_BEST] = log(fmax(first, floor));
    sign[SIGN_MARGIN] = log(fmax(first, floor) / fmax(second, floor));
    sign[SIGN_ENTROPY] = -entropy;
    sign[SIGN_NEAREST] = asker->nearest_count ? (double)asker->similarity[0] : 0;
    sign[SIGN_SHARE] = (double)asker->share[asker->best];
    sign[SIGN_STRENGTH] = (double)asker->linear[asker->best] - mean;
    sign[SIGN_KNOWN] = asker->known;
    sign[SIGN_NEAR] = asker->near;
    sign[SIGN_COVERED] = asker->covered;
    sign[SIGN_HALVES] = asker->halves;
    sign[SIGN_AGREED] = asker->agreed;
    sign[SIGN_TOTAL] = (double)asker->linear[asker->best];
    sign[SIGN_LENGTH] = log(asker->length + LEAST_LENGTH);
    sign[SIGN_CENTRE] = asker->centre;
}

void class_asker_decide(struct class_asker *asker)
{
    const struct class_rule *rule = &asker->classifier->rule;
    uint32_t classes = asker->classifier->categories.count;
    double sum = 0, mean = 0;
    asker->best = 0;
    for (uint32_t c = 0; c < classes; c++) {
        asker->probability[c] = rule->scale * (double)asker->linear[c] +
                                rule->neighbours * log(LEAST_SHARE + (double)asker->share[c]);
        mean += (double)asker->linear[c] / classes;
        if (asker->probability[c] > asker->probability[asker->best]) asker->best = c;
    }
    double most = asker->probability[asker->best];
    for (uint32_t c = 0; c < classes; c++)
        sum += asker->probability[c] = exp(asker->probability[c] - most);
    for (uint32_t c = 0; c < classes; c++) asker->probability[c] /= sum;
    set_signs(asker, mean);
    double logit = rule->none[CLASS_SIGNS];
    for (int s = 0; s < CLASS_SIGNS; s++) logit += rule->none[s] * asker->sign[s];
    asker->none = asker->row.count ? 1 / (1 + exp(-logit)) : 1; /* not one known word or n-gram */
}

film_status class_asker_ask(struct class_asker *asker, film_text text, film_error *error)
{
    film_status status = FILM_OK;
    const struct classifier *classifier = asker->classifier;
    size_t usual;
    TRY(class_row_collect(&asker->row, asker->tokenizer, text, error));
    class_row_weigh(&asker->row, &classifier->items, classifier->idf);
    double unknown = (double)asker->row.unknown * (double)asker->rarest;
    asker->known = asker->row.known > 0 ? asker->row.known / (asker->row.known + unknown) : 0;
    add_linear(asker);
    TRY(find_nearest(asker, text, error));
    TRY(count_votes(asker, error));
    usual_answer(asker, asker->linear, 1, SIZE_MAX, &usual);
    ask_halves(asker, usual);
    ask_centre(asker, usual);
    class_asker_decide(asker);
done:
    return status;
}
