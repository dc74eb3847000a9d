/* Tests trainings that are cancelled while a map is learned: there is no model. */
#include "testing.h"

enum { TOPICS = 14, TURNS = 5 };

static film_error error;
static char table_path[300];
static const film_method methods[] = {FILM_METHOD_FILM, FILM_METHOD_RANK};

/* Sentences of a topic share three words, and all share some others; adjacent sentences in the list
 * are negative pairs. */
static int write_table(void **state)
{
    (void)state;
    static char text[1 << 16];
    static const char *const filler[] = {"how", "do", "i", "the", "my", "please", "can", "now"};
    size_t at = (size_t)sprintf(text, "label\tquestion1\tquestion2\n");
    for (int topic = 0; topic < TOPICS; topic++)
        for (int turn = 0; turn < TURNS; turn++)
            for (int same = 0; same < 2; same++) {
                int other = same ? topic : (topic + 1 + turn) % TOPICS;
                at += (size_t)sprintf(text + at, "%d\t%s %s a%d b%d c%d\t%s b%d %s c%d %s\n", same,
                                      filler[turn % 8], filler[(turn + 3) % 8], topic, topic, topic,
                                      filler[(turn + 5) % 8], other, filler[(turn * 3 + topic) % 8],
                                      other, filler[(turn + 6) % 8]);
            }
    strcpy(table_path, scratch("rows.tsv"));
    write_file(table_path, text, at);
    return 0;
}

static int remove_table(void **state)
{
    (void)state;
    return unlink(table_path);
}

/* Cancels at report number STOP_AT of the map. */
struct stopper {
    int stop_at, seen;
};

static int on_progress(void *user, const char *phase, double done, double total)
{
    struct stopper *stopper = user;
    (void)done, (void)total;
    if (strcmp(phase, "film") != 0 && strcmp(phase, "ranking") != 0) return 0;
    return ++stopper->seen == stopper->stop_at;
}

static film_status train_until(film_method method, int stop_at, film_model **model)
{
    struct stopper stopper = {.stop_at = stop_at};
    const char *path = table_path;
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
    options.decision = FILM_DECISION_THRESHOLD;
    options.progress = (film_progress){on_progress, &stopper, NULL};
    return film_train(&path, 1, &options, model, &error);
}

static void a_stop_leaves_no_model(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        film_model *model = NULL;
        assert_int_equal(train_until(methods[i], 2, &model), FILM_CANCELLED);
        assert_null(model);
    }
}

static film_status train_and_close(film_method method)
{
    film_model *model = NULL;
    film_status status = train_until(method, 1, &model);
    film_close(model);
    return status;
}

static void without_memory_it_reports_it(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        survives_failures(FILM_CANCELLED, 0, train_and_close(methods[i]));
        assert_true(failures_survived > 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_leaves_no_model),
        cmocka_unit_test(without_memory_it_reports_it),
    };
    return cmocka_run_group_tests(tests, write_table, remove_table);
}
