/* Tests rows as a stream: samples of bounded size, parts that share no question, batches through
 * film_train. */
#include "train/options.h"
#include "testing.h"
#include "base/strtab.h"
#include "learn/stream.h"

enum { ROWS = 4000 };

static film_error error;
static const char *path;
static film_train_options options;

/* A chain of pairs: row i joins questions i and i + 1, so that all are connected. */
static int make_file(void **state)
{
    (void)state;
    path = scratch("stream.tsv");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "label\tquestion1\tquestion2\n");
    for (int i = 0; i < ROWS; i++)
        fprintf(file, "%d\tq%d topic%d word%d\tq%d topic%d\n", i % 2, i, i / 2 % 40, i % 7, i + 1,
                (i / 2 + (i % 2 ? 0 : 11)) % 40);
    assert_int_equal(fclose(file), 0);
    assert_ok(options_complete(&options, NULL, &error));
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    return remove(path);
}

/* The results of a first pass over the file. */
struct sample {
    struct stream_source source;
    struct corpus corpus, dev;
};

static struct sample start(size_t sample, const char *dev)
{
    struct sample out = {.source = {.options = &options, .paths = &path, .path_count = 1}};
    options.solver.sample = sample;
    options.dev = dev;
    options.train_share = 0.5; /* q = 0.29: about 340 of 4,000 rows for dev */
    assert_ok(stream_sample(&out.source, &out.corpus, &out.dev, NULL, &error));
    return out;
}

static void stop(struct sample *sample)
{
    corpus_free(&sample->corpus);
    corpus_free(&sample->dev);
}

static void a_sample_has_everything_or_its_limit(void **state)
{
    (void)state;
    struct sample all = start(100000, "dev"), some = start(1000, "dev"), again = start(1000, "dev");
    assert_int_equal(all.source.rows, ROWS);
    assert_int_equal(all.corpus.rows, ROWS);
    assert_int_equal(some.source.rows, ROWS);
    assert_true(some.corpus.sentences.count <= 1000 && some.corpus.sentences.count > 300);
    assert_int_equal(some.corpus.rows, again.corpus.rows);
    assert_int_equal(some.corpus.sentences.count, again.corpus.sentences.count);
    assert_int_equal(some.corpus.labels, FILM_LABELS_PAIRS);
    /* The sample covers the whole file, not only its start. */
    size_t late = 0;
    for (uint32_t i = 0; i < some.corpus.sentences.count; i++)
        late += atoi(strtab_get(&some.corpus.sentences, i).bytes + 1) >= ROWS / 2;
    assert_true(4 * late > some.corpus.sentences.count);
    stop(&all), stop(&some), stop(&again);
}

static void the_parts_share_no_question(void **state)
{
    (void)state;
    struct sample run = start(100000, NULL);
    assert_true(run.source.holds_out);
    assert_true(run.dev.rows >= 200 && run.dev.rows < 600);
    assert_true(run.source.rows > 0.42 * ROWS && run.source.rows < 0.58 * ROWS);
    for (uint32_t i = 0; i < run.dev.sentences.count; i++) {
        film_text text = strtab_get(&run.dev.sentences, i);
        assert_int_equal(strtab_find(&run.corpus.sentences, text.bytes, text.length), STRTAB_NONE);
    }
    /* A second pass divides them in the same way. */
    struct stream stream;
    enum stream_part part;
    film_row row;
    uint64_t count[3] = {0};
    film_status status;
    assert_ok(stream_init(&stream, &run.source, &error));
    while ((status = stream_next(&stream, &row, &part, &error)) == FILM_OK) count[part]++;
    assert_int_equal(status, FILM_END);
    assert_int_equal(count[STREAM_LEARN], run.source.rows);
    assert_int_equal(count[STREAM_DEV], run.dev.rows);
    assert_int_equal(count[0] + count[1] + count[2], ROWS);
    stream_free(&stream);
    stop(&run);
}

static void standard_input_is_refused(void **state)
{
    (void)state;
    const char *name = "-";
    struct stream_source source = {.options = &options, .paths = &name, .path_count = 1};
    struct stream stream;
    assert_int_equal(stream_init(&stream, &source, &error), FILM_USAGE);
    assert_non_null(strstr(error.message, "standard input"));
    stream_free(&stream);
}

static film_status train(int basis, int threads, film_model **model)
{
    film_train_options small;
    assert_ok(options_complete(&small, NULL, &error));
    small.method = FILM_METHOD_MFILM;
    small.rank = 12;
    small.dim = 4;
    small.batch = 600;
    small.solver.sample = 500;
    small.epochs = 1;
    small.solver.hard = 1;
    small.solver.batch_basis = basis;
    small.train_share = 0.5;
    small.threads = threads;
    return film_train(&path, 1, &small, model, &error);
}

static void the_map_does_not_depend_on_the_threads(void **state)
{
    (void)state;
    float first[4], now[4];
    for (int threads = 1; threads <= 4; threads *= 2) {
        film_model *model = NULL;
        assert_ok(train(0, threads, &model));
        film_text text = film_string("q100 topic10 word2");
        assert_ok(film_embed_batch(model, &text, 1, 1, now, &error));
        if (threads == 1) memcpy(first, now, sizeof first);
        for (int i = 0; i < 4; i++) assert_close(first[i], now[i], 1e-5 * (1 + fabs(first[i])));
        film_close(model);
    }
}

static film_status train_and_close(int basis)
{
    film_model *model = NULL;
    film_status status = train(basis, 1, &model);
    if (status != FILM_OK) assert_null(model);
    film_close(model);
    return status;
}

static void no_memory_is_reported_everywhere(void **state)
{
    (void)state;
    for (int basis = 0; basis < 2; basis++) {
        survives_failures_of_training(FILM_OK, train_and_close(basis));
        assert_true(failures_survived > 500);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_has_everything_or_its_limit),
        cmocka_unit_test(the_parts_share_no_question),
        cmocka_unit_test(standard_input_is_refused),
        cmocka_unit_test(the_map_does_not_depend_on_the_threads),
        cmocka_unit_test(no_memory_is_reported_everywhere),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
