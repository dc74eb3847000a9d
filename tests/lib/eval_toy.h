/* A small model and a file of made-up pairs for the tests of film_eval. */
#ifndef EVAL_TOY_H
#define EVAL_TOY_H

#include "testing.h"

#include "base/rng.h"

#include <jansson.h>

static film_error error;
static film_model *model;
static char pairs_path[300], pool_path[300];
enum { PAIRS = 120 };
static char text[PAIRS][2][120];
static int label[PAIRS];

/* Makes sentences of made-up words; duplicates share most of them. */
static inline void make_pairs(void)
{
    struct rng rng;
    rng_seed(&rng, 21);
    for (int i = 0; i < PAIRS; i++) {
        label[i] = i % 2;
        int words[2][6];
        for (int w = 0; w < 6; w++) {
            words[0][w] = (int)rng_below(&rng, 40);
            words[1][w] =
                rng_below(&rng, 10) < (label[i] ? 6u : 2u) ? words[0][w] : (int)rng_below(&rng, 40);
        }
        for (int side = 0; side < 2; side++) {
            size_t used = 0;
            for (int w = 0; w < 6; w++)
                used +=
                    (size_t)snprintf(text[i][side] + used, 120 - used, "%sword%c%c", w ? " " : "",
                                     'a' + words[side][w] / 7, 'a' + words[side][w] % 7);
        }
        if (i % 20 == 1) strcpy(text[i][1], text[i][0]);
    }
    strcpy(text[4][0], "quite unknown"); /* no vector */
}

static inline void write_pairs(const char *path)
{
    FILE *file = fopen(path, "w");
    fprintf(file, "label\tquestion1\tquestion2\n");
    for (int i = 0; i < PAIRS; i++) fprintf(file, "%d\t%s\t%s\n", label[i], text[i][0], text[i][1]);
    fclose(file);
}

static inline int set_up(void **state)
{
    (void)state;
    const char *paths[1] = {pairs_path};
    film_train_options train;
    strcpy(pairs_path, scratch("pairs.tsv"));
    strcpy(pool_path, scratch("pool.tsv"));
    make_pairs();
    write_pairs(pairs_path);
    FILE *pool = fopen(pool_path, "w");
    fprintf(pool, "text\n");
    for (int i = 0; i < 40; i++)
        fprintf(pool, "wordaa wordb%c wordc%c\n", 'a' + i % 7, 'a' + i % 5);
    fclose(pool);
    train = (film_train_options){.size = sizeof train};
    train.rank = 12;
    train.threads = 2;
    assert_ok(film_train(paths, 1, &train, &model, &error));
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    film_close(model);
    remove(pairs_path);
    remove(pool_path);
    return 0;
}

static inline film_eval_options quick(void)
{
    film_eval_options options = {.size = sizeof options};
    options.threads = 2;
    options.bootstrap = 50;
    options.k_last = 8;
    return options;
}

/* Calls film_eval and returns its result as JSON. */
static inline film_status eval_text(const film_model *of, const char *path,
                                    const film_eval_options *options, char **json,
                                    film_error *problem)
{
    film_eval_result result = {.size = sizeof result};
    *json = NULL;
    film_status status = film_eval(of, path, options, &result, problem);
    if (status == FILM_OK) status = film_eval_json(&result, json, problem);
    film_eval_result_free(&result);
    return status;
}

static inline json_t *evaluate(const char *path, const film_eval_options *options)
{
    char *json = NULL;
    assert_ok(eval_text(model, path, options, &json, &error));
    json_t *answer = json_loads(json, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(answer);
    film_free(json);
    return answer;
}

static inline double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_non_null(value);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static inline void match_one(film_context *context, int i, film_verdict *verdict)
{
    assert_ok(
        film_match(context, film_string(text[i][0]), film_string(text[i][1]), verdict, &error));
}

#endif
