/* A checkpoint of a different run, or an invalid one, is refused; a full disk and a lack of memory
 * are reported. */
#include "pausing.h"
#include "base/safetensors.h"

static void assert_refused(film_train_options options, const char *words)
{
    film_model *model = NULL;
    options.resume = 1;
    film_status status = train(options, 0, NULL, &model);
    if (status != FILM_BAD_INPUT || !strstr(error.message, words)) {
        print_error("status %d, \"%s\" without \"%s\"\n", (int)status, error.message, words);
        fail();
    }
    assert_null(model);
}

static void another_training_is_refused_with_what_differs(void **state)
{
    (void)state;
    film_train_options options = toy_options(FILM_METHOD_FILM), other = options;
    stop_at(options, 4);
    other.seed = 2;
    assert_refused(other, "option seed was 1, now it is 2");
    other = options, other.dim = 5;
    assert_refused(other, "option dim was 6, now it is 5");
    other = options, other.solver.gamma = 0.5;
    assert_refused(other, "option gamma was 0.8");
    other = options, other.similarity = FILM_DOT;
    assert_refused(other, "option sim was 0, now it is 1");
    other = options, other.method = FILM_METHOD_RANK;
    assert_refused(other, "option method was \"film\", now it is \"rank\"");
    other = options, other.solver.iterations = 3;
    assert_refused(other, "4 iterations are done, but the limit is 3");
    other = options, other.method = FILM_METHOD_SVD;
    assert_refused(other, "nothing to resume");
    write_table(1);
    assert_refused(options, "its sentences differ");
    write_table(0);
    resume_to_the_end((train_whole(options), options));
    unlink(checkpoint_path);
    assert_refused(options, "does not exist");
    film_model *model = NULL;
    options.resume = 1, options.checkpoint = NULL;
    assert_int_equal(train(options, 0, NULL, &model), FILM_USAGE);
    options.resume = 0, options.checkpoint_only_when_cancelled = 0;
    options.checkpoint_every = -1;
    assert_int_equal(train(options, 0, NULL, &model), FILM_USAGE);
}

/* Stops a training of METHOD and keeps the checkpoint; later calls write it again. */
static film_train_options stopped(film_method method)
{
    static char kept[1 << 18];
    static size_t bytes;
    static film_method of;
    film_train_options options = toy_options(method);
    if (!bytes || of != method) {
        stop_at(options, 3);
        FILE *file = fopen(checkpoint_path, "rb");
        bytes = fread(kept, 1, sizeof kept, file);
        fclose(file);
        assert_true(bytes > 0 && bytes < sizeof kept);
        of = method;
    } else {
        write_file(checkpoint_path, kept, bytes);
    }
    return options;
}

/* Rewrites the checkpoint with tensor NAME changed by CHANGE and correct checksums. */
static void tamper(const char *name, void (*change)(struct safetensors_tensor *tensor))
{
    struct safetensors *file = NULL;
    struct safetensors_tensor tensors[64];
    static char copy[1 << 16];
    size_t count = 0, found = 0;
    assert_ok(safetensors_open(checkpoint_path, &file, &error));
    for (size_t i = 0; i < safetensors_count(file); i++) {
        tensors[count] = *safetensors_at(file, i);
        if (strcmp(tensors[count].name, name) == 0) {
            found = 1;
            assert_true(tensors[count].bytes <= sizeof copy);
            memcpy(copy, tensors[count].data, tensors[count].bytes);
            tensors[count].data = copy;
            change(&tensors[count]);
        }
        count += tensors[count].dims < 2; /* 2: omit it */
    }
    assert_true(found);
    const char *keys[] = {"format", "format_version", "fingerprint"}, *values[3];
    for (int i = 0; i < 3; i++) values[i] = safetensors_metadata(file, keys[i]);
    assert_ok(safetensors_write(checkpoint_path, tensors, count, keys, values, 3, &error));
    safetensors_close(file);
}

static void fill(struct safetensors_tensor *t, int byte)
{
    memset((void *)(uintptr_t)t->data, byte, t->bytes);
}
static void all_ones(struct safetensors_tensor *t) /* NaN; 2^64 - 1; 255 */
{
    fill(t, 0xff);
}
static void zeros(struct safetensors_tensor *t)
{
    fill(t, 0);
}
static void negative(struct safetensors_tensor *t) /* small and below 0 as float and double */
{
    fill(t, 0xbf);
}
static void twos(struct safetensors_tensor *t)
{
    fill(t, 2);
}
static void shorter(struct safetensors_tensor *t)
{
    t->shape[0]--;
}
static void absent(struct safetensors_tensor *t)
{
    t->dims = 2;
}
static void as_bytes(struct safetensors_tensor *t)
{
    t->type = SAFETENSORS_U8;
}

struct damage {
    const char *name;
    void (*change)(struct safetensors_tensor *tensor);
    const char *words;
};

static void assert_damages_refused(film_method method, const struct damage *damages, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        film_train_options options = stopped(method);
        tamper(damages[i].name, damages[i].change);
        assert_refused(options, damages[i].words);
    }
}

static void a_film_checkpoint_that_cannot_be_is_refused(void **state)
{
    (void)state;
    static const struct damage damages[] = {
        {"P", all_ones, "not a number"},
        {"P", zeros, "not orthonormal"},
        {"P", shorter, "P"},
        {"P", absent, "P"},
        {"P", as_bytes, "P"},
        {"sum", all_ones, "not a number"},
        {"active", twos, "flags"},
        {"active", shorter, "active"},
        {"iteration", zeros, "iteration"},
        {"iteration", all_ones, "iteration"},
        {"still", all_ones, "state"},
        {"weight", zeros, "state"},
        {"f", all_ones, "not a number"},
        {"margin", negative, "margin"},
        {"s", negative, "weight"},
        {"best_s", negative, "weight"},
        {"best_at", all_ones, "best"},
        {"history", negative, "history"},
        {"history", shorter, "history"},
        {"history", all_ones, "not a number"},
    };
    assert_damages_refused(FILM_METHOD_FILM, damages, sizeof damages / sizeof *damages);
}

static void a_rank_checkpoint_that_cannot_be_is_refused(void **state)
{
    (void)state;
    static const struct damage damages[] = {
        {"map", all_ones, "not a number"},
        {"map", shorter, "map"},
        {"map", absent, "map"},
        {"gain", negative, "term weights"},
        {"gain_squares", negative, "weight"},
        {"step", all_ones, "step count"},
        {"step", zeros, "history"},
        {"losses", all_ones, "history"},
        {"history_count", all_ones, "hist"},
        {"opposed_next", all_ones, "negative pairs"},
        {"pairs", all_ones, "pairs"},
        {"opposed", all_ones, "pairs"},
        {"random", zeros, "random"},
        {"border", all_ones, "not a number"},
        {"squares", negative, "squares"},
        {"squares", shorter, "squares"},
        {"history", shorter, "history"},
    };
    assert_damages_refused(FILM_METHOD_RANK, damages, sizeof damages / sizeof *damages);
}

static void huge(struct safetensors_tensor *t) /* 1e38 as float, 1e301 as double */
{
    fill(t, 0x7e);
}

/* Nonsensical numbers within range may give a poor model or an error, nothing worse. */
static void nonsense_never_crashes(void **state)
{
    (void)state;
    static const char *const names[2][8] = {
        {"sum", "gradient", "gradient_old", "P_old", "best_P", "s", "reference", "margin"},
        {"map", "gain", "log_gain", "squares", "gain_squares", "border", "loss", "labelled_drawn"}};
    for (int i = 0; i < 16; i++) {
        film_train_options options = stopped(both[i / 8]);
        film_model *model = NULL;
        tamper(names[i / 8][i % 8], huge);
        options.resume = 1;
        film_status status = train(options, 0, NULL, &model);
        if (status != FILM_OK && status != FILM_BAD_INPUT)
            fail_msg("%s: %s", names[i / 8][i % 8], error.message);
        film_close(model);
    }
}

static void a_damaged_file_is_refused(void **state)
{
    (void)state;
    film_train_options options = toy_options(FILM_METHOD_RANK);
    stop_at(options, 1);
    FILE *file = fopen(checkpoint_path, "r+b");
    fseek(file, -3, SEEK_END);
    int byte = fgetc(file);
    fseek(file, -3, SEEK_END);
    fputc(byte ^ 1, file);
    fclose(file);
    assert_refused(options, checkpoint_path);
    assert_int_equal(truncate(checkpoint_path, 1000), 0);
    assert_refused(options, checkpoint_path);
    write_file(checkpoint_path, "", 0);
    assert_refused(options, checkpoint_path);
    options.checkpoint = NULL;
    film_model *model = NULL;
    assert_ok(train(options, 0, NULL, &model));
    assert_ok(film_save(model, checkpoint_path, &error));
    film_close(model);
    options.checkpoint = checkpoint_path;
    assert_refused(options, "is not a checkpoint");
}

static void where_it_cannot_be_written_the_model_is_kept(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        film_train_options options = toy_options(both[i]);
        film_model *model = NULL;
        options.checkpoint = "/nonexistent/model.film.checkpoint";
        assert_int_equal(train(options, 2, NULL, &model), FILM_IO);
        assert_non_null(model);
        assert_non_null(strstr(error.message, "cannot write /nonexistent"));
        film_close(model);
        model = NULL;
        options.checkpoint_only_when_cancelled = 0;
        options.checkpoint_every = 1e-9;
        assert_int_equal(train(options, 0, NULL, &model), FILM_IO);
        assert_non_null(model);
        film_close(model);
    }
}

static film_status train_and_close(film_train_options options)
{
    film_model *model = NULL;
    film_status status = train(options, options.resume ? 0 : 1, NULL, &model);
    film_close(model);
    return status;
}

/* Every allocation of an interrupted training, then of a resumed one, fails once. */
static void without_memory_it_reports_it(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        film_train_options options = toy_options(both[i / 2]);
        options.resume = i % 2;
        options.solver.iterations = 3;
        survives_failures(options.resume ? FILM_OK : FILM_CANCELLED, 0, train_and_close(options));
        assert_true(failures_survived > 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_training_is_refused_with_what_differs),
        cmocka_unit_test(a_film_checkpoint_that_cannot_be_is_refused),
        cmocka_unit_test(a_rank_checkpoint_that_cannot_be_is_refused),
        cmocka_unit_test(nonsense_never_crashes),
        cmocka_unit_test(a_damaged_file_is_refused),
        cmocka_unit_test(where_it_cannot_be_written_the_model_is_kept),
        cmocka_unit_test(without_memory_it_reports_it),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
