/* Tests film_pool.h: what is added is returned, in one snapshot, despite concurrent writers. */
#include "pools.h"

#include "pool/pool.h"

#include <pthread.h>

static film_error error;

static void sentences_come_back_in_order(void **state)
{
    (void)state;
    const char *path = scratch("order.pool");
    film_pool *pool = new_pool(path);
    film_sentence rows[] = {sentence("b", "where is my parcel"), sentence("a", "I lost my card")};
    rows[0].category = film_string("post");
    rows[0].answer = film_string("at the depot");
    rows[1].url = film_string("http://x");
    rows[1].more = film_string("{\"n\":1}");
    film_pool_added added = {.size = sizeof added};
    assert_ok(film_pool_add(pool, rows, 2, NULL, &added, &error));
    assert_int_equal(added.added, 2);
    const char *all =
        "b=where is my parcel|post|at the depot||;a=I lost my card|||http://x|{\"n\":1};";
    assert_string_equal(list_pool(pool, NULL), all);
    film_pool_close(pool);
    assert_ok(film_pool_open(path, &pool, &error));
    assert_string_equal(list_pool(pool, NULL), all);
    char out[4000] = "";
    assert_ok(film_pool_get(pool, film_string("a"), append_sentence, out, &error));
    assert_string_equal(out, "a=I lost my card|||http://x|{\"n\":1};");
    assert_int_equal(film_pool_get(pool, film_string("c"), append_sentence, out, &error), FILM_END);
    film_pool_close(pool);
    remove_pool(path);
}

static void an_identical_record_is_skipped_another_text_is_not(void **state)
{
    (void)state;
    const char *path = scratch("again.pool");
    film_pool *pool = new_pool(path);
    film_sentence rows[] = {sentence("1", "I lost my card"), sentence(NULL, "where is my parcel"),
                            sentence(NULL, "where is my parcel")};
    film_pool_added added = {.size = sizeof added};
    film_pool_add_options options = {.size = sizeof options, .replace = 1};
    uint64_t before, after;
    assert_ok(film_pool_add(pool, rows, 3, NULL, &added, &error));
    assert_int_equal(added.added, 2); /* the same text without an id is the same sentence */
    assert_int_equal(added.present, 1);
    assert_ok(film_pool_changes(pool, &before, &error));
    rows[0].category = film_string("card");
    assert_ok(film_pool_add(pool, rows, 3, NULL, &added, &error));
    assert_int_equal(added.present, 3);
    assert_int_equal(added.differ, 1);
    assert_ok(film_pool_changes(pool, &after, &error));
    assert_int_equal(before, after);
    rows[2] = rows[0];
    rows[2].text = film_string("my card is lost");
    rows[0] = sentence("new", "can I pay in euro");
    assert_int_equal(film_pool_add(pool, rows, 3, NULL, &added, &error), FILM_BAD_INPUT);
    assert_string_equal(error.message,
                        "sentence 3: id \"1\" is in the pool with a different text (\"I lost my "
                        "card\"); replace existing sentences or choose another id");
    film_pool_where new_id = {film_string("id"), film_string("new")};
    film_pool_filter by_id = {.size = sizeof by_id, .where = &new_id, .where_count = 1};
    assert_string_equal(list_pool(pool, &by_id), ""); /* all or nothing */
    assert_ok(film_pool_add(pool, rows, 3, &options, &added, &error));
    assert_int_equal(added.replaced, 1);
    assert_int_equal(added.added, 1);
    by_id.where = &(film_pool_where){film_string("id"), film_string("1")};
    assert_string_equal(list_pool(pool, &by_id), "1=my card is lost|card|||;");
    film_pool_close(pool);
    remove_pool(path);
}

/* The look-up before embedding finds the second row in the pool; the first row changes that. */
static void a_batch_may_change_a_sentence_and_change_it_back(void **state)
{
    (void)state;
    const char *path = scratch("back.pool");
    film_pool *pool = new_pool(path);
    add_one(pool, "1", "I lost my card");
    film_sentence rows[] = {sentence("1", "where is my parcel"), sentence("1", "I lost my card"),
                            sentence("2", "can I pay in euro")};
    film_pool_add_options replace = {.size = sizeof replace, .replace = 1};
    film_pool_added added = {.size = sizeof added};
    film_pool_checked checked = {.size = sizeof checked};
    assert_ok(film_pool_add(pool, rows, 3, &replace, &added, &error));
    assert_int_equal(added.replaced, 2);
    assert_string_equal(list_pool(pool, NULL), "1=I lost my card||||;2=can I pay in euro||||;");
    assert_ok(film_pool_check(pool, NULL, &checked, &error));
    assert_int_equal(checked.compared, 2);
    assert_int_equal(checked.problems, 0);
    film_pool_close(pool);
    remove_pool(path);
}

static void what_cannot_be_stored_is_refused(void **state)
{
    (void)state;
    const char *path = scratch("refused.pool");
    film_pool *pool = new_pool(path);
    static char long_id[1002];
    memset(long_id, 'x', 1001);
    film_sentence bad[] = {sentence("1", " "), sentence("a\tb", "x"), sentence("1", "caf\xe9"),
                           sentence(long_id, "x"), sentence("1", "x")};
    const char *messages[] = {
        "sentence 1: the text is empty",
        "sentence 1: the id \"a?b\" contains a tab, line end or other control character",
        "sentence 1: the text is not valid UTF-8 at byte 3",
        "sentence 1: the id is longer than 1000 bytes",
        "sentence 1: the other fields are not a JSON object"};
    bad[4].more = film_string("[1]");
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(film_pool_add(pool, &bad[i], 1, NULL, NULL, &error), FILM_BAD_INPUT);
        assert_string_equal(error.message, messages[i]);
    }
    assert_string_equal(list_pool(pool, NULL), "");
    film_pool_close(pool);
    remove_pool(path);
}

static void filters_look_at_every_field(void **state)
{
    (void)state;
    const char *path = scratch("filter.pool");
    film_pool *pool = new_pool(path);
    film_sentence rows[3] = {sentence("1", "one"), sentence("2", "two"), sentence("3", "three")};
    rows[0].more = film_string("{\"paid\":true,\"n\":3.8,\"deep key\":\"x\"}");
    rows[1].more = film_string("{\"paid\":false,\"n\":\"3.8\"}");
    rows[1].category = rows[2].category = film_string("c");
    assert_ok(film_pool_add(pool, rows, 3, NULL, NULL, &error));
    struct {
        const char *field, *value, *ids;
    } cases[] = {{"paid", "true", "1"},  {"paid", "false", "2"},  {"n", "3.8", "12"},
                 {"deep key", "x", "1"}, {"category", "c", "23"}, {"Category", "c", "23"},
                 {"text", "two", "2"},   {"none", "x", ""},       {"id", "3", "3"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        film_pool_where where = {film_string(cases[i].field), film_string(cases[i].value)};
        film_pool_filter filter = {.size = sizeof filter, .where = &where, .where_count = 1};
        char ids[20] = "";
        size_t used = 0;
        for (const char *at = list_pool(pool, &filter); *at; at = strchr(at, ';') + 1)
            ids[used++] = *at;
        assert_string_equal(ids, cases[i].ids);
    }
    film_pool_where two[] = {{film_string("category"), film_string("c")},
                             {film_string("paid"), film_string("false")}};
    assert_string_equal(list_pool(pool, &(film_pool_filter){sizeof(film_pool_filter), two, 2, 0}),
                        "2=two|c|||{\"paid\":false,\"n\":\"3.8\"};");
    assert_string_equal(list_pool(pool, &(film_pool_filter){sizeof(film_pool_filter), NULL, 0, 1}),
                        "1=one||||{\"paid\":true,\"n\":3.8,\"deep key\":\"x\"};");
    two[0].field = film_string("a\"b");
    film_pool_filter odd = {.size = sizeof odd, .where = two, .where_count = 2};
    assert_int_equal(film_pool_list(pool, &odd, append_sentence, (char[4000]){""}, &error),
                     FILM_USAGE);
    film_pool_close(pool);
    remove_pool(path);
}

/* ---- Changes ---- */

static int append_change(void *user, const struct store_change *change)
{
    char *out = user;
    size_t used = strlen(out);
    snprintf(out + used, 1000 - used, "%d:%d%s ", (int)change->change, (int)change->number,
             change->removed  ? "-"
             : change->vector ? ""
                              : "?");
    return 0;
}

static const char *changes_since(film_pool *pool, uint64_t since, uint64_t *upto)
{
    static char out[1000];
    struct db *db;
    size_t dim;
    out[0] = 0;
    assert_ok(pool_read(pool, &db, &error));
    assert_ok(pool_dim(db, pool->path, &dim, &error));
    assert_ok(store_scan_vectors(db, dim, since, append_change, out, upto, &error));
    pool_read_end(pool, db);
    return out;
}

static void a_reader_catches_up_by_changes(void **state)
{
    (void)state;
    const char *path = scratch("changes.pool");
    film_pool *pool = new_pool(path);
    uint64_t upto;
    add_one(pool, "a", "one");
    add_one(pool, "b", "two");
    add_one(pool, "c", "three");
    assert_string_equal(changes_since(pool, 0, &upto), "1:1 2:2 3:3 ");
    assert_int_equal(upto, 3);
    film_text id = film_string("c");
    assert_ok(film_pool_remove(pool, &id, 1, 0, NULL, &error));
    film_pool_add_options replace = {.size = sizeof replace, .replace = 1};
    film_sentence again = sentence("a", "uno");
    assert_ok(film_pool_add(pool, &again, 1, &replace, NULL, &error));
    add_one(pool, "c", "three"); /* the id may be reused, the number is not */
    assert_string_equal(changes_since(pool, upto, &upto), "4:3- 5:1 6:4 ");
    assert_int_equal(upto, 6);
    assert_string_equal(changes_since(pool, 0, &upto), "2:2 4:3- 5:1 6:4 ");
    assert_string_equal(changes_since(pool, 6, &upto), "");
    assert_ok(film_pool_label(pool, film_string("a"), film_string("b"), 1, NULL, &error));
    assert_string_equal(changes_since(pool, 6, &upto), "");
    assert_int_equal(upto, 7);
    film_pool_close(pool);
    remove_pool(path);
}

static void removing_is_all_or_none(void **state)
{
    (void)state;
    const char *path = scratch("remove.pool");
    film_pool *pool = new_pool(path);
    uint64_t removed;
    add_one(pool, "a", "one");
    add_one(pool, "b", "two");
    film_text ids[] = {film_string("a"), film_string("x")};
    assert_int_equal(film_pool_remove(pool, ids, 2, 0, &removed, &error), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "has no sentence with id \"x\""));
    assert_string_equal(list_pool(pool, NULL), "a=one||||;b=two||||;");
    assert_ok(film_pool_remove(pool, ids, 2, 1, &removed, &error));
    assert_int_equal(removed, 1);
    assert_string_equal(list_pool(pool, NULL), "b=two||||;");
    film_pool_close(pool);
    remove_pool(path);
}

/* ---- Labels ---- */

static int append_member(void *user, film_text cluster, film_text id)
{
    char *out = user;
    size_t used = strlen(out);
    snprintf(out + used, 200 - used, "%.*s<%.*s ", (int)id.length, id.bytes, (int)cluster.length,
             cluster.bytes);
    return 0;
}

static int append_label(void *user, const film_pool_label_row *label)
{
    char *out = user;
    size_t used = strlen(out);
    assert_int_equal(label->when.length, 20);
    snprintf(out + used, 200 - used, "%.*s%s%.*s(%.*s) ", (int)label->a.length, label->a.bytes,
             label->same ? "=" : "#", (int)label->b.length, label->b.bytes,
             (int)label->origin.length, label->origin.bytes);
    return 0;
}

static int append_pair(void *user, const film_pair *pair)
{
    char *out = user;
    size_t used = strlen(out);
    snprintf(out + used, 200 - used, "%.*s%s%.*s ", (int)pair->a.length, pair->a.bytes,
             pair->label == 1   ? "="
             : pair->label == 0 ? "#"
                                : "?",
             (int)pair->b.length, pair->b.bytes);
    return strlen(out) > 40;
}

/* The texts come in the order of the sentences, not of the labelling; the caller may stop early. */
static void labelled_pairs_are_listed_with_their_texts(void **state)
{
    (void)state;
    const char *path = scratch("pairs.pool");
    film_pool *pool = new_pool(path);
    char out[200] = "";
    add_one(pool, "z", "lost my card");
    add_one(pool, "b", "card is gone");
    add_one(pool, "a", "other thing");
    assert_ok(film_pool_labelled_pairs(pool, append_pair, out, &error));
    assert_string_equal(out, "");
    assert_ok(film_pool_label(pool, film_string("a"), film_string("b"), 0, NULL, &error));
    assert_ok(film_pool_labelled_pairs(pool, append_pair, out, &error));
    assert_string_equal(out, "card is gone#other thing ");
    out[0] = 0;
    assert_ok(film_pool_label(pool, film_string("b"), film_string("z"), 1, NULL, &error));
    assert_ok(film_pool_labelled_pairs(pool, append_pair, out, &error));
    assert_string_equal(out, "lost my card=card is gone card is gone#other thing ");
    assert_ok(film_pool_label(pool, film_string("a"), film_string("z"), 0, NULL, &error));
    out[0] = 0;
    assert_ok(film_pool_labelled_pairs(pool, append_pair, out, &error));
    assert_string_equal(out, "lost my card=card is gone lost my card#other thing ");
    assert_int_equal(film_pool_labelled_pairs(pool, NULL, out, &error), FILM_USAGE);
    film_pool_close(pool);
    remove_pool(path);
}

static void labels_make_clusters(void **state)
{
    (void)state;
    const char *path = scratch("labels.pool");
    film_pool *pool = new_pool(path);
    const char *ids[] = {"a", "b", "c", "d", "e", "f"};
    char out[200] = "";
    film_pool_checked checked = {.size = sizeof checked};
    for (int i = 0; i < 6; i++) add_one(pool, ids[i], ids[i]);
    struct {
        const char *a, *b;
        int same;
    } labels[] = {{"e", "b", 1}, {"c", "d", 1}, {"b", "f", 1}, {"a", "c", 0},
                  {"d", "c", 1}, {"a", "d", 1}, {"a", "d", 0}};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        assert_ok(film_pool_label(pool, film_string(labels[i].a), film_string(labels[i].b),
                                  labels[i].same, i ? NULL : "me", &error));
    assert_ok(film_pool_labels(pool, append_label, out, &error));
    assert_string_equal(out, "a#c(user) a#d(user) b=e(me) b=f(user) c=d(user) ");
    out[0] = 0;
    assert_ok(film_pool_clusters(pool, append_member, out, &error));
    assert_string_equal(out, "b<b e<b f<b c<c d<c ");
    assert_ok(film_pool_check(pool, NULL, &checked, &error));
    assert_int_equal(checked.labels, 5);
    assert_int_equal(checked.contradictions, 0);
    assert_ok(film_pool_label(pool, film_string("e"), film_string("f"), 0, NULL, &error));
    assert_ok(film_pool_check(pool, NULL, &checked, &error));
    assert_int_equal(checked.contradictions, 1);
    assert_int_equal(checked.problems, 0);
    assert_int_equal(film_pool_label(pool, film_string("a"), film_string("a"), 1, NULL, &error),
                     FILM_USAGE);
    assert_int_equal(film_pool_label(pool, film_string("a"), film_string("x"), 1, NULL, &error),
                     FILM_BAD_INPUT);
    film_text gone = film_string("b");
    assert_ok(film_pool_remove(pool, &gone, 1, 0, NULL, &error));
    out[0] = 0;
    assert_ok(film_pool_clusters(pool, append_member, out, &error)); /* its labels are gone too */
    assert_string_equal(out, "c<c d<c ");
    char *json = NULL;
    assert_ok(film_pool_describe_json(pool, &json, &error));
    assert_non_null(strstr(json, "\"sentences\": 5, \"labels\": 4, \"clusters\": 1"));
    film_free(json);
    film_pool_close(pool);
    remove_pool(path);
}

/* ---- Many at once ---- */

enum { GROUPS_ADDED = 60, GROUP_SIZE = 7 };

static void *add_groups(void *user)
{
    film_error own;
    char ids[GROUP_SIZE][40];
    film_sentence rows[GROUP_SIZE];
    for (int group = 0; group < GROUPS_ADDED; group++) {
        for (int i = 0; i < GROUP_SIZE; i++) {
            snprintf(ids[i], sizeof ids[i], "%lx-%d-%d", (unsigned long)pthread_self(), group, i);
            rows[i] = sentence(ids[i], "my parcel has not arrived");
        }
        film_pool_add_options one_thread = {.size = sizeof one_thread, .threads = 1};
        if (film_pool_add(user, rows, GROUP_SIZE, &one_thread, NULL, &own) != FILM_OK)
            return "failed";
    }
    return NULL;
}

static int count_one(void *user, const film_sentence *s)
{
    (void)s;
    return ++*(int *)user < 0;
}

static void *read_groups(void *user)
{
    film_error own;
    int last = 0, count;
    do {
        count = 0;
        if (film_pool_list(user, NULL, count_one, &count, &own) != FILM_OK) return "failed";
        if (count % GROUP_SIZE || count < last) return "not a snapshot";
        last = count;
    } while (count < 2 * GROUPS_ADDED * GROUP_SIZE);
    return NULL;
}

static void readers_see_snapshots_while_threads_write(void **state)
{
    (void)state;
    const char *path = scratch("threads.pool");
    film_pool *pool = new_pool(path), *other = NULL;
    pthread_t threads[5];
    assert_ok(film_pool_open(path, &other, &error)); /* like another process */
    film_pool *who[5] = {pool, other, pool, pool, other};
    for (int i = 0; i < 5; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, i < 2 ? add_groups : read_groups, who[i]), 0);
    for (int i = 0; i < 5; i++) {
        void *problem;
        pthread_join(threads[i], &problem);
        if (problem) fail_msg("%s", (char *)problem);
    }
    film_pool_close(other);
    film_pool_checked checked = {.size = sizeof checked};
    assert_ok(film_pool_check(
        pool, &(film_pool_check_options){.size = sizeof(film_pool_check_options), .full = 1},
        &checked, &error));
    assert_int_equal(checked.problems, 0);
    assert_int_equal(checked.compared, 2 * GROUPS_ADDED * GROUP_SIZE);
    film_pool_close(pool);
    remove_pool(path);
}

static void a_pool_has_its_own_model(void **state)
{
    (void)state;
    const char *path = scratch("model.pool"), *file = scratch("own.film");
    film_pool *pool = new_pool(path);
    const film_model *inside = NULL, *again = NULL;
    film_model *outside = NULL;
    save_model(file, FILM_METHOD_SVD);
    assert_ok(film_open(file, &outside, &error));
    assert_ok(film_pool_model(pool, &inside, &error));
    assert_ok(film_pool_model(pool, &again, &error));
    assert_ptr_equal(inside, again);
    float a[8], b[8];
    film_text text = film_string("where is my card");
    assert_int_equal(film_dim(inside), film_dim(outside));
    assert_ok(film_embed_batch(inside, &text, 1, 1, a, &error));
    assert_ok(film_embed_batch(outside, &text, 1, 1, b, &error));
    assert_memory_equal(a, b, film_dim(inside) * sizeof *a);
    assert_int_equal(film_pool_create(path, file, &error), FILM_IO);
    assert_non_null(strstr(error.message, "exists already"));
    film_close(outside);
    film_pool_close(pool);
    save_model(file, FILM_METHOD_TFIDF);
    remove_pool(path);
    assert_ok(film_pool_create(path, file, &error)); /* without vectors, searched by words */
    assert_ok(film_pool_open(path, &pool, &error));
    add_one(pool, "a", "where is my card");
    film_pool_checked checked = {.size = sizeof checked};
    assert_ok(film_pool_check(pool, NULL, &checked, &error));
    assert_int_equal(checked.problems, 0);
    film_pool_close(pool);
    remove_pool(path);
    unlink(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentences_come_back_in_order),
        cmocka_unit_test(an_identical_record_is_skipped_another_text_is_not),
        cmocka_unit_test(a_batch_may_change_a_sentence_and_change_it_back),
        cmocka_unit_test(what_cannot_be_stored_is_refused),
        cmocka_unit_test(filters_look_at_every_field),
        cmocka_unit_test(a_reader_catches_up_by_changes),
        cmocka_unit_test(removing_is_all_or_none),
        cmocka_unit_test(labelled_pairs_are_listed_with_their_texts),
        cmocka_unit_test(labels_make_clusters),
        cmocka_unit_test(readers_see_snapshots_while_threads_write),
        cmocka_unit_test(a_pool_has_its_own_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
