/* Tests base/compressed: models compressed with zstd give the same results in a file, in memory and
 * as a start model; bombs, damaged and cut frames are refused with a message. */
#include "base/compressed.h"
#include "base/mem.h"
#include "faq_model.h"
#include "packing.h"
#include "spoil.h"

static char plain[300], packed[300];
static struct packed frame; /* of the model's file */

static int set_up(void **state)
{
    (void)state;
    film_model *model = faq_shared();
    strcpy(plain, scratch("plain.film"));
    strcpy(packed, scratch("packed.film"));
    assert_ok(film_save(model, plain, &error));
    film_close(model);
    FILE *file = fopen(plain, "rb");
    static char bytes[8000000];
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size > 0 && size < sizeof bytes);
    frame = pack_zstd(bytes, size);
    assert_true(frame.size < size);
    write_file(packed, frame.bytes, frame.size);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(plain);
    unlink(packed);
    free(frame.bytes);
    return 0;
}

/* The log-odds of some pairs. */
enum { PAIRS = 20 };
static void answer(const film_model *model, double *log_odds)
{
    film_context *context;
    film_verdict verdict;
    assert_ok(film_context_new(model, &context, &error));
    for (size_t i = 0; i < PAIRS; i++) {
        assert_ok(film_match(context, film_string(faq[7 * i].a), film_string(faq[7 * i].b),
                             &verdict, &error));
        log_odds[i] = verdict.log_odds;
    }
    film_context_free(context);
}

static void a_compressed_model_gives_the_same_results(void **state)
{
    (void)state;
    double wanted[PAIRS], found[PAIRS];
    film_model *model;
    assert_ok(film_open(plain, &model, &error));
    answer(model, wanted);
    film_close(model);
    for (int way = 0; way < 3; way++) {
        if (way == 0) assert_ok(film_open(packed, &model, &error));
        if (way == 1) assert_ok(film_open_private(packed, &model, &error));
        if (way == 2) assert_ok(film_open_memory(frame.bytes, frame.size, &model, &error));
        memset(found, 0, sizeof found);
        answer(model, found);
        assert_memory_equal(found, wanted, sizeof wanted);
        film_close(model);
    }
}

static void a_compressed_model_can_be_the_start(void **state)
{
    (void)state;
    static const char *const texts = "text\nI lost my card\nwhere is my parcel\nopening hours\n";
    char path[2][300];
    film_train_options options = {.size = sizeof options, .min_df = 1, .threads = 1};
    const char *table = scratch("texts.tsv");
    write_file(table, texts, strlen(texts));
    for (int way = 0; way < 2; way++) {
        film_model *model;
        strcpy(path[way], scratch(way ? "from-packed.film" : "from-plain.film"));
        options.start = way ? packed : plain;
        assert_ok(film_train(&table, 1, &options, &model, &error));
        assert_ok(film_save(model, path[way], &error));
        film_close(model);
    }
    struct spoil spoil[2];
    for (int way = 0; way < 2; way++) assert_true(spoil_open(&spoil[way], path[way]));
    const struct safetensors_tensor *one = spoil_find(&spoil[0], "start"),
                                    *two = spoil_find(&spoil[1], "start");
    assert_int_equal(one->bytes, two->bytes); /* it is stored as it was before compression */
    assert_memory_equal(one->data, two->data, one->bytes);
    /* Compressed inside of another model, it would be expanded twice. */
    struct safetensors_tensor *start = spoil_find(&spoil[1], "start");
    struct safetensors_tensor *size = spoil_find(&spoil[1], "start.size");
    memcpy((void *)(uintptr_t)start->data, frame.bytes, frame.size);
    start->shape[0] = (frame.size + 7) / 8;
    *(uint64_t *)(uintptr_t)size->data = frame.size;
    assert_ok(spoil_write(&spoil[1], path[1], &error));
    film_model *model = NULL;
    assert_int_equal(film_open(path[1], &model, &error), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "start"));
    for (int way = 0; way < 2; way++) {
        spoil_close(&spoil[way]);
        unlink(path[way]);
    }
    unlink(table);
}

static void refused(const char *bytes, size_t size, const char *message)
{
    void *out;
    size_t all;
    film_model *model = NULL;
    assert_int_equal(compressed_expand(bytes, size, "m.zst", &out, &all, &error), FILM_BAD_INPUT);
    assert_null(out);
    if (!strstr(error.message, message) || strncmp(error.message, "m.zst: ", 7) != 0)
        fail_msg("%s", error.message);
    assert_int_equal(film_open_memory(bytes, size, &model, &error), FILM_BAD_INPUT);
    assert_null(model);
}

static void bombs_and_damaged_frames_are_refused(void **state)
{
    (void)state;
    enum { ZEROS = 4000000 };
    char *copy = calloc(ZEROS, 1);
    struct packed bomb = pack_zstd(copy, ZEROS);
    refused(bomb.bytes, bomb.size, "would become 4000000, more than 100 times as many");
    free(bomb.bytes);
    memcpy(copy, frame.bytes, frame.size);
    for (size_t size = 5; size < frame.size; size += frame.size / 9) {
        void *out;
        size_t all;
        film_status status = compressed_expand(copy, size, "m.zst", &out, &all, &error);
        assert_int_equal(status, FILM_BAD_INPUT); /* cut off: or then too small for its content */
        assert_null(out);
    }
    copy[frame.size] = 1;
    refused(copy, frame.size + 1, "other bytes follow what zstd compressed");
    copy[frame.size / 2] ^= 0x5a;
    refused(copy, frame.size, "(zstd); the file is cut off or damaged");
    /* Nothing but the magic number is another file. */
    void *out = copy;
    size_t all;
    assert_ok(compressed_expand("\x28\xb5\x2f", 3, "x", &out, &all, &error));
    assert_null(out);
    /* A stream does not know its size. */
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_inBuffer input = {"some text", 9, 0};
    ZSTD_outBuffer output = {copy, ZEROS, 0};
    ZSTD_compressStream2(context, &output, &input, ZSTD_e_continue);
    assert_int_equal(ZSTD_compressStream2(context, &output, &input, ZSTD_e_end), 0);
    ZSTD_freeCCtx(context);
    refused(copy, output.pos, "compress the file, not a pipe");
    /* A frame that holds no model. */
    struct packed text = pack_zstd("some text that is no model", 26);
    film_model *model = NULL;
    assert_int_equal(film_open_memory(text.bytes, text.size, &model, &error), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "not a model"));
    free(text.bytes);
    free(copy);
}

static film_status open_and_close(void)
{
    film_model *model = NULL;
    film_status status = film_open(packed, &model, &error);
    film_close(model);
    if (status == FILM_OK) status = film_open_memory(frame.bytes, frame.size, &model, &error);
    film_close(status == FILM_OK ? model : NULL);
    return status;
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    survives_every_failure(open_and_close());
    assert_true(failures_survived > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_compressed_model_gives_the_same_results),
        cmocka_unit_test(a_compressed_model_can_be_the_start),
        cmocka_unit_test(bombs_and_damaged_frames_are_refused),
        cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
