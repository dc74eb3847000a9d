/* Tests pair/items on pairs written by hand. */
#include "testing.h"
#include "item_text.h"

static int compare_lines(const void *left, const void *right)
{
    return strcmp(left, right);
}

/* Sorted lines "kind key [words of the first][words of the second]". */
static char *dump(void)
{
    static char text[20000];
    char(*line)[200] = malloc(items.count * sizeof *line + 1);
    text[0] = 0;
    for (size_t i = 0; i < items.count; i++) {
        const struct item *item = &items.list[i];
        strcpy(line[i], kinds[item->kind]);
        add_key(line[i], item);
        strcat(line[i], " ");
        add_words(line[i], 0, item->place[0]);
        add_words(line[i], 1, item->place[1]);
    }
    qsort(line, items.count, sizeof *line, compare_lines);
    for (size_t i = 0; i < items.count; i++) strcat(strcat(text, line[i]), "\n");
    free(line);
    return text;
}

static void a_word_for_a_word_has_items_of_every_kind(void **state)
{
    (void)state;
    collect("the blue card", "the red card");
    assert_string_equal(dump(), "after [blue][red]\n"
                                "alone blue-card [blue card][]\n"
                                "alone red-card [][red card]\n"
                                "alone the-blue [the blue][]\n"
                                "alone the-red [][the red]\n"
                                "among [blue][red]\n"
                                "before [blue][red]\n"
                                "beside card-blue [blue][card]\n"
                                "beside card-red [card][red]\n"
                                "beside the-blue [blue][the]\n"
                                "beside the-red [the][red]\n"
                                "edit [blue][red]\n"
                                "first the-the [the][the]\n"
                                "last card-card [card][card]\n"
                                "opened [blue][the]\n"
                                "opened [the][red]\n"
                                "opposed blue-red [blue][red]\n"
                                "run ^-the [the][the]\n"
                                "run card-$ [card][card]\n"
                                "together card-the [card][the]\n");
}

static void a_phrase_for_nothing_and_unknown_words(void **state)
{
    (void)state;
    collect("the card", "the card is lost");
    assert_string_equal(dump(), "after [][is lost]\n"
                                "alone card-$ [card][]\n"
                                "alone card-is [][card is]\n"
                                "alone is-lost [][is lost]\n"
                                "alone lost-$ [][lost]\n"
                                "among [][is lost]\n"
                                "before [][is lost]\n"
                                "beside card-is [card][is]\n"
                                "beside card-lost [card][lost]\n"
                                "beside the-is [the][is]\n"
                                "beside the-lost [the][lost]\n"
                                "edit [][is lost]\n"
                                "first the-the [the][the]\n"
                                "last card-lost [card][lost]\n"
                                "opened [the][is]\n"
                                "opened [the][lost]\n"
                                "run ^-the [the][the]\n"
                                "run the-card [the card][the card]\n"
                                "together card-the [card][the]\n");
    /* An unknown word has no id, so there is no item of two words; an edit uses the words. */
    collect("dog", "zork");
    assert_string_equal(dump(), "after [dog][zork]\n"
                                "alone ^-dog [dog][]\n"
                                "alone dog-$ [dog][]\n"
                                "among [dog][zork]\n"
                                "before [dog][zork]\n"
                                "edit [dog][zork]\n");
}

static void two_edits_surround_one_shared_word(void **state)
{
    (void)state;
    collect("blue card red", "dog card lost");
    assert_string_equal(dump(), "after [blue][dog]\n"
                                "after [red][lost]\n"
                                "alone ^-blue [blue][]\n"
                                "alone ^-dog [][dog]\n"
                                "alone blue-card [blue card][]\n"
                                "alone card-lost [][card lost]\n"
                                "alone card-red [card red][]\n"
                                "alone dog-card [][dog card]\n"
                                "alone lost-$ [][lost]\n"
                                "alone red-$ [red][]\n"
                                "among [blue][dog]\n"
                                "among [red][lost]\n"
                                "before [blue][dog]\n"
                                "before [red][lost]\n"
                                "beside card-blue [blue][card]\n"
                                "beside card-dog [card][dog]\n"
                                "beside card-lost [card][lost]\n"
                                "beside card-red [red][card]\n"
                                "edit [blue][dog]\n"
                                "edit [red][lost]\n"
                                "first blue-dog [blue][dog]\n"
                                "last lost-red [red][lost]\n"
                                "opened [blue][dog]\n"
                                "opened [blue][dog]\n"
                                "opened [blue][lost]\n"
                                "opened [red][dog]\n"
                                "opposed blue-dog [blue][dog]\n"
                                "opposed blue-lost [blue][lost]\n"
                                "opposed dog-red [red][dog]\n"
                                "opposed lost-red [red][lost]\n");
}

static uint64_t only_key(enum item_kind kind)
{
    uint64_t key = 0;
    for (size_t i = 0; i < items.count; i++)
        if (items.list[i].kind == kind) {
            assert_true(key == 0);
            key = items.list[i].key;
        }
    assert_true(key != 0);
    return key;
}

static void an_edit_is_independent_of_its_place_and_its_context_is_distinguished(void **state)
{
    (void)state;
    collect("the blue card", "the red card");
    uint64_t edit = only_key(ITEM_EDIT), after = only_key(ITEM_EDIT_AFTER),
             before = only_key(ITEM_EDIT_BEFORE);
    collect("the red dog", "the blue dog"); /* different following word, sides swapped */
    assert_true(only_key(ITEM_EDIT) == edit && only_key(ITEM_EDIT_AFTER) == after);
    assert_true(only_key(ITEM_EDIT_BEFORE) != before);
    collect("is lost red card", "is lost blue card"); /* different preceding word */
    assert_true(only_key(ITEM_EDIT) == edit && only_key(ITEM_EDIT_BEFORE) == before);
    assert_true(only_key(ITEM_EDIT_AFTER) != after);
    collect("red card", "blue card"); /* at the start */
    assert_true(only_key(ITEM_EDIT) == edit && only_key(ITEM_EDIT_BEFORE) == before);
    assert_true(only_key(ITEM_EDIT_AFTER) != after);
    collect("the blue lost card", "the red card"); /* another phrase */
    assert_true(only_key(ITEM_EDIT) != edit);
    collect("the card", "the red card"); /* for nothing */
    assert_true(only_key(ITEM_EDIT) != edit);
}

/* One to six edits: their number is distinguished up to 2. */
static void an_edit_among_others_is_another_item(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"blue the", "red the"},
        {"blue the is", "red the lost"},
        {"blue the is card dog", "red the lost card zork"},
        {"blue the is card dog the is", "red the lost card zork the dog"},
        {"blue the is card dog the is card is", "red the lost card zork the dog card dog"},
        {"blue the is card dog the is card is the is",
         "red the lost card zork the dog card dog the dog"},
    };
    uint64_t key[6];
    for (int i = 0; i < 6; i++) {
        int edits = 0, among = 0;
        collect(pairs[i][0], pairs[i][1]);
        key[i] = 0;
        for (size_t k = 0; k < items.count; k++) {
            edits += items.list[k].kind == ITEM_EDIT;
            if (items.list[k].kind != ITEM_EDIT_AMONG) continue;
            among++;
            if (items.list[k].place[0].from == 0) key[i] = items.list[k].key; /* blue for red */
        }
        assert_int_equal(edits, i + 1);
        assert_int_equal(among, i + 1);
        assert_true(key[i] != 0);
    }
    assert_true(key[0] != key[1] && key[1] != key[2] && key[0] != key[2]);
    assert_true(key[2] == key[3]); /* three to four */
    assert_true(key[3] != key[4] && key[4] == key[5]);
}

/* A long phrase is not an item, but still a change. */
static void an_edit_beside_a_long_one_is_not_the_only_one(void **state)
{
    (void)state;
    collect("blue the", "red the");
    uint64_t only = only_key(ITEM_EDIT_AMONG);
    collect("blue the", "red the dog dog dog dog dog");
    uint64_t beside = only_key(ITEM_EDIT_AMONG);
    collect("blue the is", "red the lost");
    uint64_t two = 0;
    for (size_t k = 0; k < items.count; k++)
        if (items.list[k].kind == ITEM_EDIT_AMONG && items.list[k].place[0].from == 0)
            two = items.list[k].key;
    assert_true(beside != only && beside == two);
}

static void a_word_after_different_first_words_is_a_different_item(void **state)
{
    (void)state;
    collect("the card", "the card lost");
    uint64_t lost = only_key(ITEM_OPENED);
    collect("the blue lost", "the blue"); /* the same, other words between, the other side */
    assert_true(only_key(ITEM_OPENED) == lost);
    collect("is card", "is card lost");
    assert_true(only_key(ITEM_OPENED) != lost);
    collect("the card", "the card dog");
    assert_true(only_key(ITEM_OPENED) != lost);
}

/* ---- Values ---- */

static double value_of(enum item_kind kind, const char *word)
{
    double value = -1;
    for (size_t i = 0; i < items.count; i++) {
        const struct item *item = &items.list[i];
        if (item->kind != kind) continue;
        for (int s = 0; s < 2; s++) {
            film_text text = item->place[s].from < item->place[s].to
                                 ? reading_text(&reading, s, item->place[s].from)
                                 : film_string("");
            if (text.length == strlen(word) && memcmp(text.bytes, word, text.length) == 0)
                value = (double)item->value;
        }
    }
    assert_true(value >= 0);
    return value;
}

/* Four sentences: idf - 1 = ln(5 / (1 + df)), as a fraction of the highest, ln(5 / 2). */
static double rarity(double sentences)
{
    return log(5 / (1 + sentences)) / log(5 / 2.0);
}

static void values_are_rarities_scaled_to_length_one(void **state)
{
    (void)state;
    double red = rarity(1), dog = rarity(1), lost = rarity(2), card = rarity(3);
    collect("the red card", "the lost card dog"); /* "the" is in all four sentences: rarity 0 */
    double opposed = hypot(red * lost, red * dog);
    assert_close(value_of(ITEM_OPPOSED, "lost"), red * lost / opposed, 1e-6);
    assert_close(value_of(ITEM_OPPOSED, "dog"), red * dog / opposed, 1e-6);
    double beside = card * sqrt(red * red + lost * lost + dog * dog);
    assert_close(value_of(ITEM_BESIDE, "red"), card * red / beside, 1e-6);
    assert_close(value_of(ITEM_BESIDE, "lost"), card * lost / beside, 1e-6);
    assert_close(value_of(ITEM_BESIDE, "dog"), card * dog / beside, 1e-6);
    assert_close(value_of(ITEM_TOGETHER, "card"), 0, 0); /* with "the": nothing, and no length */
    /* Others count alike: red for lost, dog for nothing; two ends; three words after the first
     * two. */
    for (int kind = ITEM_EDIT; kind <= ITEM_EDIT_AMONG; kind++)
        assert_close(value_of((enum item_kind)kind, "red"), sqrt(1 / 2.0), 1e-6);
    assert_close(value_of(ITEM_FIRST, "the"), 1, 1e-6);
    assert_close(value_of(ITEM_LAST, "dog"), 1, 1e-6);
    assert_close(value_of(ITEM_OPENED, "red"), sqrt(1 / 3.0), 1e-6);
    assert_close(value_of(ITEM_RUN_SHARED, "the"), 1, 1e-6);
    assert_close(value_of(ITEM_RUN_ALONE, "lost"), sqrt(1 / 7.0), 1e-6);
}

static int has_kind(enum item_kind kind)
{
    for (size_t i = 0; i < items.count; i++)
        if (items.list[i].kind == kind) return 1;
    return 0;
}

static void phrases_of_more_than_four_words_are_no_edit(void **state)
{
    (void)state;
    collect("the card", "the red blue dog lost card");
    assert_true(has_kind(ITEM_EDIT));
    collect("the card", "the red blue dog lost is card");
    assert_false(has_kind(ITEM_EDIT));
}

static void empty_sentences_have_no_item_of_two_sides(void **state)
{
    (void)state;
    collect("", "");
    assert_int_equal(items.count, 0);
    collect("?", "red card");
    assert_string_equal(dump(), "after [][red card]\n"
                                "alone ^-red [][red]\n"
                                "alone card-$ [][card]\n"
                                "alone red-card [][red card]\n"
                                "among [][red card]\n"
                                "before [][red card]\n"
                                "edit [][red card]\n");
}

/* 64 distinct words against 64 others: the largest possible number of items. */
static void the_most_different_sentences_fit(void **state)
{
    (void)state;
    struct vocabulary large;
    struct reading long_reading;
    char text[2][1000] = {"", ""}, both[2100], mixed[2][1000] = {"", ""};
    for (int i = 0; i < 2 * ITEMS_MOST_WORDS; i++)
        sprintf(text[i % 2] + strlen(text[i % 2]), "w%d ", i);
    for (int i = 0; i < ITEMS_MOST_WORDS; i++) /* every other word shared: many edits */
        for (int s = 0; s < 2; s++)
            sprintf(mixed[s] + strlen(mixed[s]), "w%d ", i % 2 ? 2 * i : 2 * i + s);
    sprintf(both, "%s\n%s", text[0], text[1]);
    vocabulary_fit(&large, FILM_WORD, both);
    assert_ok(reading_init(&long_reading, &large.encoder, &error));
    assert_ok(reading_read(&long_reading, film_string(text[0]), film_string(text[1]), &error));
    assert_ok(items_collect(&items, &long_reading, &error));
    /* opposed, runs alone with the ends, first and last, all words after the first two; the
     * phrases are too long for an edit */
    assert_int_equal(items.count, 64 * 64 + 2 * 65 + 2 + 128);
    assert_ok(reading_read(&long_reading, film_string(mixed[0]), film_string(mixed[1]), &error));
    assert_ok(items_collect(&items, &long_reading, &error));
    /* 32 shared, 32 alone on each side: opposed, beside, together; 64 runs alone on each side and
     * one shared at the end; first, last, the words alone after the first two; 32 edits of four
     * kinds */
    assert_int_equal(items.count, 32 * 32 + 32 * 64 + 32 * 31 / 2 + 2 * 64 + 1 + 2 + 64 + 4 * 32);
    reading_free(&long_reading);
    vocabulary_free(&large);
}

static void every_kind_has_a_name(void **state)
{
    (void)state;
    for (int a = 1; a < ITEM_KINDS; a++) assert_non_null(item_kind_name((enum item_kind)a));
    for (int a = 1; a < ITEM_KINDS; a++)
        for (int b = 1; b < ITEM_KINDS; b++)
            assert_int_equal(
                strcmp(item_kind_name((enum item_kind)a), item_kind_name((enum item_kind)b)) == 0,
                a == b);
}

static film_status collect_items(void)
{
    struct items own;
    film_status status = items_init(&own, &error);
    if (status == FILM_OK) status = items_collect(&own, &reading, &error);
    if (status == FILM_OK) assert_int_equal(own.count, 20);
    items_free(&own);
    return status;
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    assert_ok(
        reading_read(&reading, film_string("the blue card"), film_string("the red card"), &error));
    survives_every_failure(collect_items());
    assert_int_equal(failures_survived, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_for_a_word_has_items_of_every_kind),
        cmocka_unit_test(a_phrase_for_nothing_and_unknown_words),
        cmocka_unit_test(two_edits_surround_one_shared_word),
        cmocka_unit_test(an_edit_is_independent_of_its_place_and_its_context_is_distinguished),
        cmocka_unit_test(an_edit_among_others_is_another_item),
        cmocka_unit_test(an_edit_beside_a_long_one_is_not_the_only_one),
        cmocka_unit_test(a_word_after_different_first_words_is_a_different_item),
        cmocka_unit_test(values_are_rarities_scaled_to_length_one),
        cmocka_unit_test(phrases_of_more_than_four_words_are_no_edit),
        cmocka_unit_test(empty_sentences_have_no_item_of_two_sides),
        cmocka_unit_test(the_most_different_sentences_fit),
        cmocka_unit_test(every_kind_has_a_name),
        cmocka_unit_test(no_memory_is_reported),
    };
    return run_item_tests(tests, sizeof tests / sizeof *tests);
}
