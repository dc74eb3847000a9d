/* Toy trainings that can be stopped at a chosen report, for the tests of checkpoints. */
#ifndef LIB_PAUSING_H
#define LIB_PAUSING_H

#include "testing.h"

enum { TOPICS = 14, TURNS = 5, MOST_BYTES = 1 << 20 };

static film_error error;
static char table_path[300], checkpoint_path[400], model_path[300];

/* Sentences of a topic share three words, and all share some others; adjacent sentences in the list
 * are negative pairs. */
static inline void write_table(int seed)
{
    static char text[1 << 16];
    static const char *const filler[] = {"how", "do", "i", "the", "my", "please", "can", "now"};
    size_t at = (size_t)sprintf(text, "label\tquestion1\tquestion2\n");
    for (int topic = 0; topic < TOPICS; topic++)
        for (int turn = 0; turn < TURNS; turn++)
            for (int same = 0; same < 2; same++) {
                int other = same ? topic : (topic + 1 + turn) % TOPICS;
                at +=
                    (size_t)sprintf(text + at, "%d\t%s %s a%d b%d c%d\t%s b%d %s c%d %s\n", same,
                                    filler[(turn + seed) % 8], filler[(turn + 3) % 8], topic, topic,
                                    topic, filler[(turn + 5) % 8], other,
                                    filler[(turn * 3 + topic) % 8], other, filler[(turn + 6) % 8]);
            }
    write_file(table_path, text, at);
}

static inline int set_up(void **state)
{
    (void)state;
    strcpy(table_path, scratch("rows.tsv"));
    strcpy(model_path, scratch("model.film"));
    sprintf(checkpoint_path, "%s.checkpoint", model_path);
    write_table(0);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    unlink(table_path), unlink(model_path), unlink(checkpoint_path);
    return 0;
}

/* Cancels at report number STOP_AT of the training; 0: never. */
struct stopper {
    int stop_at, seen;
};

static inline int on_progress(void *user, const char *phase, double done, double total)
{
    struct stopper *stopper = user;
    (void)done, (void)total;
    if (strcmp(phase, "film") != 0 && strcmp(phase, "ranking") != 0) return 0;
    return ++stopper->seen == stopper->stop_at;
}

static inline film_train_options toy_options(film_method method)
{
    film_train_options options = {.size = sizeof options};
    options.method = method;
    options.features = FILM_WORD;
    options.min_df = 1;
    options.rank = 20;
    options.dim = 6;
    options.solver.iterations = 12;
    options.solver.least_change = FILM_ZERO;
    options.solver.epsilon = FILM_ZERO;
    options.batch = 4;
    options.epochs = 6;
    options.threads = 1;
    options.decision = FILM_DECISION_THRESHOLD; /* only the map has checkpoints */
    options.checkpoint = checkpoint_path;
    options.checkpoint_only_when_cancelled = 1;
    return options;
}

static inline film_status train(film_train_options options, int stop_at, int *reports,
                                film_model **model)
{
    struct stopper stopper = {.stop_at = stop_at};
    const char *path = table_path;
    options.progress = (film_progress){on_progress, &stopper};
    film_status status = film_train(&path, 1, &options, model, &error);
    if (reports) *reports = stopper.seen;
    return status;
}

/* The bytes of a saved model. */
struct bytes {
    char data[MOST_BYTES];
    size_t size;
};
static struct bytes whole, again;

static inline void save_to(film_model *model, struct bytes *bytes)
{
    assert_non_null(model);
    assert_ok(film_save(model, model_path, &error));
    film_close(model);
    FILE *file = fopen(model_path, "rb");
    bytes->size = fread(bytes->data, 1, sizeof bytes->data, file);
    fclose(file);
    assert_true(bytes->size > 1000 && bytes->size < sizeof bytes->data);
}

static inline void assert_same_bytes(void)
{
    assert_int_equal(whole.size, again.size);
    assert_memory_equal(whole.data, again.data, whole.size);
}

/* Trains without interruption into WHOLE; returns the number of reports. */
static inline int train_whole(film_train_options options)
{
    film_model *model = NULL;
    int reports;
    options.checkpoint = NULL;
    assert_ok(train(options, 0, &reports, &model));
    save_to(model, &whole);
    return reports;
}

static inline void stop_at(film_train_options options, int report)
{
    film_model *model = NULL;
    assert_int_equal(train(options, report, NULL, &model), FILM_CANCELLED);
    assert_non_null(model);
    film_close(model);
}

static inline void resume_to_the_end(film_train_options options)
{
    film_model *model = NULL;
    options.resume = 1;
    assert_ok(train(options, 0, NULL, &model));
    save_to(model, &again);
    assert_same_bytes();
}

static const film_method both[] = {FILM_METHOD_FILM, FILM_METHOD_RANK};

#endif
