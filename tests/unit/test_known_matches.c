/* Tests known matches of records: what is collected from labels and which records are in a cluster,
 * against a comparison of all rows; when the pairs are of one table; what a model file stores. */
#include "testing.h"

#include "base/rng.h"
#include "learn/known_matches_build.h"
#include "model/known_matches_file.h"

enum { ROWS = 300, RECORDS = 90 };

static film_error error;
static struct memory_row rows[ROWS];
static film_text texts[2 * ROWS];
static char names[RECORDS + 1][8];

static int setup(void **state)
{
    (void)state;
    struct rng rng;
    size_t same = 0;
    rng_seed(&rng, 3);
    for (int r = 0; r <= RECORDS; r++) snprintf(names[r], sizeof *names, "r%d", r);
    for (size_t i = 0; i < ROWS; i++) {
        uint64_t a = rng_below(&rng, RECORDS), b = rng_below(&rng, RECORDS); /* 0: no words */
        rows[i] = (struct memory_row){a, b, i % 3 == 0};
        if (!rows[i].same) continue;
        texts[same++] = film_string(names[a]);
        texts[same++] = film_string(names[b]);
    }
    return 0;
}

/* Returns whether a row says that A matches B. */
static int labelled_same(uint64_t a, uint64_t b)
{
    int found = 0;
    for (size_t i = 0; i < ROWS; i++)
        found |= rows[i].same &&
                 ((rows[i].a == a && rows[i].b == b) || (rows[i].a == b && rows[i].b == a));
    return found && a && b && a != b;
}

static void expect_all(const struct known_matches *matches)
{
    for (uint64_t a = 0; a < RECORDS; a++) {
        size_t record = known_matches_find(matches, a), count = 0;
        for (uint64_t b = 0; b < RECORDS; b++) {
            if (!labelled_same(a, b)) continue;
            assert_true(record < matches->count);
            uint32_t other = matches->list[matches->first[record] + count++];
            assert_true(matches->keys[other] == b);
        }
        if (record == matches->count) continue;
        assert_true(count > 0 && matches->first[record] + count == matches->first[record + 1]);
        film_text text = known_matches_text(matches, record);
        assert_int_equal(text.length, strlen(names[a]));
        assert_memory_equal(text.bytes, names[a], text.length);
    }
}

static void every_match_is_collected(void **state)
{
    (void)state;
    struct known_matches matches;
    assert_ok(known_matches_build(&matches, rows, ROWS, texts, &error));
    expect_all(&matches);
    known_matches_free(&matches);
    assert_ok(known_matches_build(&matches, rows + 1, 2, texts, &error)); /* none is the same */
    assert_int_equal(matches.count, 0);
    assert_int_equal(known_matches_find(&matches, 5), 0);
}

/* Sets together[a][b] where a chain of the first COUNT rows connects A and B. */
static void connect(size_t count, unsigned char (*together)[RECORDS])
{
    memset(together, 0, RECORDS * sizeof *together);
    for (size_t i = 0; i < count; i++)
        if (rows[i].same && rows[i].a && rows[i].b)
            together[rows[i].a][rows[i].b] = together[rows[i].b][rows[i].a] = 1;
    for (size_t k = 0; k < RECORDS; k++)
        for (size_t a = 0; a < RECORDS; a++)
            for (size_t b = 0; b < RECORDS && together[a][k]; b++) together[a][b] |= together[k][b];
}

static void a_cluster_has_the_matches_of_matches(void **state)
{
    (void)state;
    static unsigned char together[RECORDS][RECORDS];
    size_t small = 0, full = 0;
    for (size_t count = 60; count <= ROWS; count += 120) {
        struct known_matches matches;
        uint32_t found[KNOWN_MATCHES_MOST];
        assert_ok(known_matches_build(&matches, rows, count, texts, &error));
        connect(count, together);
        for (size_t record = 0; record < matches.count; record++) {
            size_t a = matches.keys[record], others = 0, members;
            for (size_t b = 0; b < RECORDS; b++) others += together[a][b] && a != b;
            members = known_matches_cluster(&matches, record, found);
            assert_int_equal(members, others < KNOWN_MATCHES_MOST ? others : KNOWN_MATCHES_MOST);
            small += members > 1 && members < KNOWN_MATCHES_MOST;
            full += members == KNOWN_MATCHES_MOST;
            for (size_t m = 0; m < members; m++) {
                assert_true(together[a][matches.keys[found[m]]] && found[m] != record);
                for (size_t other = 0; other < m; other++) assert_true(found[other] != found[m]);
            }
        }
        known_matches_free(&matches);
    }
    assert_true(small > 5 && full > 5);
}

static void one_table_has_records_on_both_sides(void **state)
{
    (void)state;
    struct memory_row some[ROWS];
    int one;
    for (uint64_t i = 0; i < ROWS; i++) some[i] = (struct memory_row){1 + i, 1000 + i, 1};
    assert_ok(known_matches_one_table(some, ROWS, &one, &error));
    assert_false(one);
    for (uint64_t i = 0; i < ROWS / 10 - 1; i++) some[i].b = 1 + i;
    assert_ok(known_matches_one_table(some, ROWS, &one, &error));
    assert_false(one);
    some[ROWS / 10].b = 1 + ROWS / 10;
    assert_ok(known_matches_one_table(some, ROWS, &one, &error));
    assert_true(one);
    assert_ok(known_matches_one_table(some, 0, &one, &error));
    assert_false(one);
}

/* Writes the tensors and opens them again. */
static film_status reopen(const struct known_matches *matches, struct safetensors **file,
                          struct known_matches *out)
{
    film_status status = FILM_OK;
    struct safetensors_tensor tensors[KNOWN_MATCHES_TENSORS];
    size_t count = known_matches_tensors(matches, tensors);
    const char *path = scratch("matches");
    *file = NULL;
    memset(out, 0, sizeof *out);
    TRY(safetensors_write(path, tensors, count, NULL, NULL, 0, &error));
    TRY(safetensors_open(path, file, &error));
    TRY(known_matches_open(out, *file, path, &error));
done:
    remove(path);
    return status;
}

static void expect_refused(const struct known_matches *matches)
{
    struct safetensors *file;
    struct known_matches out;
    assert_int_equal(reopen(matches, &file, &out), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "the known matches are damaged; train again"));
    assert_int_equal(out.count, 0);
    safetensors_close(file);
}

static void a_file_stores_them_and_damage_is_refused(void **state)
{
    (void)state;
    struct safetensors *file;
    struct known_matches matches, out;
    assert_ok(known_matches_build(&matches, rows, ROWS, texts, &error));
    assert_ok(reopen(&matches, &file, &out));
    expect_all(&out);
    known_matches_free(&out);
    safetensors_close(file);

    size_t last = matches.count - 1;
    matches.own_list[3] += (uint32_t)matches.count;
    expect_refused(&matches);
    matches.own_list[3] -= (uint32_t)matches.count;
    matches.own_keys[last] = 0;
    expect_refused(&matches);
    matches.own_keys[last] = UINT64_MAX;
    matches.own_first[2] += 1000000;
    expect_refused(&matches);
    matches.own_first[2] -= 1000000;
    matches.own_offsets[1] = UINT64_MAX;
    expect_refused(&matches);
    matches.own_offsets[1] = 2;
    matches.own_bytes[0] = (char)0xff;
    expect_refused(&matches);
    known_matches_free(&matches);
}

static film_status build_all(void)
{
    struct known_matches matches;
    int one;
    film_status status = known_matches_one_table(rows, ROWS, &one, &error);
    if (status == FILM_OK) status = known_matches_build(&matches, rows, ROWS, texts, &error);
    if (status == FILM_OK) known_matches_free(&matches);
    return status;
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    survives_every_failure(build_all());
    assert_true(failures_survived > 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_match_is_collected),
        cmocka_unit_test(a_cluster_has_the_matches_of_matches),
        cmocka_unit_test(one_table_has_records_on_both_sides),
        cmocka_unit_test(a_file_stores_them_and_damage_is_refused),
        cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
