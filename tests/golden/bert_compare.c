/* bert_compare FOLDER EXPECTED.json: compares an encoder with stored values and prints TAP.
 * EXPECTED is a list of {text, ids, mean, cls}: the token ids, and the mean and the first vector of
 * the last layer. */
#include "base/jsonfile.h"
#include "bert/bert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 512 };
static const double tolerance = 1e-5;

static int same_ids(const json_t *wanted, const uint32_t *ids, size_t count)
{
    if (json_array_size(wanted) != count) return 0;
    for (size_t i = 0; i < count; i++)
        if (json_number_value(json_array_get(wanted, i)) != ids[i]) return 0;
    return 1;
}

static double largest_difference(const json_t *wanted, const float *vector, size_t dim)
{
    double largest = json_array_size(wanted) == dim ? 0 : INFINITY;
    for (size_t d = 0; d < dim; d++) {
        double off = fabs(json_number_value(json_array_get(wanted, d)) - (double)vector[d]);
        if (!(off <= largest)) largest = off;
    }
    return largest;
}

int main(int argc, char **argv)
{
    film_error error;
    struct bert *bert = NULL;
    json_t *expected = NULL;
    if (argc != 3 || bert_open(argv[1], &bert, &error) != FILM_OK ||
        jsonfile_read(argv[2], &expected, &error) != FILM_OK) {
        printf("not ok 1 - opening\n# %s\n1..1\n", argc == 3 ? error.message : "arguments");
        return 1;
    }
    size_t dim = bert_dim(bert), most = bert_most_tokens(bert), wrong = 0;
    float *vector = malloc(dim * sizeof *vector), *tokens = malloc(most * dim * sizeof *tokens);
    double mean = 0, first = 0;
    for (size_t i = 0; i < json_array_size(expected); i++) {
        const json_t *one = json_array_get(expected, i);
        film_text text = film_string(json_string_value(json_object_get(one, "text")));
        uint32_t ids[MOST], length;
        size_t count;
        if (bert_tokenize(bert, text, MOST, ids, &count, &error) != FILM_OK ||
            bert_encode(bert, &text, 1, 1, vector, &error) != FILM_OK ||
            bert_encode_tokens(bert, &text, 1, 1, &(struct bert_states){tokens, &length, most},
                               &error) != FILM_OK) {
            printf("# %s\n", error.message);
            wrong++;
            continue;
        }
        if (!same_ids(json_object_get(one, "ids"), ids, count)) {
            printf("# token numbers of \"%s\" differ\n", text.bytes);
            wrong++;
        }
        mean = fmax(mean, largest_difference(json_object_get(one, "mean"), vector, dim));
        first = fmax(first, largest_difference(json_object_get(one, "cls"), tokens, dim));
    }
    printf("%s 1 - token numbers of %zu texts\n", wrong ? "not ok" : "ok",
           json_array_size(expected));
    printf("%s 2 - mean vectors, off by %.1e at most\n", mean <= tolerance ? "ok" : "not ok", mean);
    printf("%s 3 - first vectors, off by %.1e at most\n1..3\n",
           first <= tolerance ? "ok" : "not ok", first);
    json_decref(expected);
    bert_free(bert);
    free(vector);
    free(tokens);
    return wrong || mean > tolerance || first > tolerance;
}
