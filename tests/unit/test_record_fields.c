/* Records: types of fields against values computed by hand or by Python, traits of pairs computed
 * by hand. Rarities are those of test_traits.c: card and lost 0.5, zebra and unknown words 1. */
#include "vocabulary.h"

#include "base/mem.h"
#include "pair/field_traits.h"
#include "pair/record_codes.h"
#include "pair/survey.h"
#include "text/record_text.h"

#define N "\x1e"
#define V "\x1f"

static film_error error;

/* ---- Parsers ---- */

static void numbers_are_read_with_signs_groups_and_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double number;
        int money;
    } good[] = {{"12", 12, 0},
                {"1,299.00", 1299, 0},
                {"$ 1,299.00", 1299, 1},
                {"1.299,50", 1299.5, 0},
                {"8.10 %", 8.1, 0},
                {"12.5 oz", 12.5, 0},
                {"-3", -3, 0},
                {"3:45", 225, 0},
                {"1:02:03", 3723, 0},
                {"1,234,567", 1234567, 0},
                {"15 EUR", 15, 1},
                {"12,5", 12.5, 0},
                {"USD 7", 7, 1},
                {"\xe2\x82\xac"
                 "20",
                 20, 1},
                {".5", 0.5, 0}};
    static const char *const bad[] = {"",
                                      "abc",
                                      "12 of 15",
                                      "12 oak road",
                                      "canon 5d",
                                      "1-2",
                                      "3:4:5:6",
                                      "$",
                                      "2020-01-02",
                                      "..",
                                      "7 a much longer text after it"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double number = 0;
        int money = 0;
        if (!field_number(film_string(good[i].text), &number, &money)) fail_msg("%s", good[i].text);
        assert_float_equal(number, good[i].number, 1e-9);
        if (money != good[i].money) fail_msg("%s: money %d", good[i].text, money);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double number;
        if (field_number(film_string(bad[i]), &number, NULL)) fail_msg("%s", bad[i]);
    }
}

static void dates_are_read_in_every_usual_order(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int year, month, day, open;
    } good[] = {{"2020-04-03", 2020, 4, 3, 0},    {"04/03/2020", 2020, 4, 3, 1},
                {"25/03/2020", 2020, 3, 25, 0},   {"3 April 2020", 2020, 4, 3, 0},
                {"Apr 3, 2020", 2020, 4, 3, 0},   {"21-Mar-14", 2014, 3, 21, 0},
                {"April 2020", 2020, 4, 0, 0},    {"1999/12/31 23:59", 1999, 12, 31, 0},
                {"June 5 , 2012", 2012, 6, 5, 0}, {"3.4.98", 1998, 3, 4, 1}};
    static const char *const bad[] = {"", "2020", "hello", "13/13/2020", "415-555-1234", "1.2.3.4"};
    struct field_day day;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!field_date(film_string(good[i].text), &day)) fail_msg("%s", good[i].text);
        if (day.year != good[i].year || day.month != good[i].month || day.day != good[i].day ||
            day.open != good[i].open)
            fail_msg("%s: %d-%d-%d open %d", good[i].text, day.year, day.month, day.day, day.open);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (field_date(film_string(bad[i]), &day)) fail_msg("%s", bad[i]);
    /* Python: (date(2024, 3, 1) - date(1970, 1, 1)).days == 19783 */
    assert_int_equal(field_days(&(struct field_day){2024, 3, 1, 0}) -
                         field_days(&(struct field_day){1970, 1, 1, 0}),
                     19783);
    assert_int_equal(field_days(&(struct field_day){2000, 3, 1, 0}) -
                         field_days(&(struct field_day){2000, 2, 28, 0}),
                     2);
}

static enum field_type guess(const char *name, const char *const *values, size_t count)
{
    struct field_counts counts = {0};
    for (size_t i = 0; i < 40; i++) field_count(&counts, film_string(values[i % count]));
    counts.distinct = count > 2 ? 40 : count;
    return field_type_guess(film_string(name), &counts);
}

static void types_are_guessed_from_values_and_names(void **state)
{
    (void)state;
    static const char *const prices[] = {"$ 10.00", "$ 1,299.99", "25"},
                             *const numbers[] = {"1999", "2001", "2003"},
                             *const dates[] = {"2020-01-02", "3 May 2010", "1/2/1999"},
                             *const codes[] = {"DCS-855L", "ABC1234", "sku 99-12"},
                             *const urls[] = {"http://a.org/x", "https://b.com", "www.c.de/1"},
                             *const emails[] = {"a@b.org", "x.y@z.com", "me@here.de"},
                             *const brands[] = {"canon", "sony"},
                             *const texts[] = {"a long text with several words in it",
                                               "another text that is long", "and a third one here"},
                             *const people[] = {"john smith", "mary ann jones", "k. lee"},
                             *const phones[] = {"310/246-1501", "415-555-1234", "212 555 0000"};
    assert_int_equal(guess("price", prices, 3), TYPE_MONEY);
    assert_int_equal(guess("year", numbers, 3), TYPE_NUMBER);
    assert_int_equal(guess("cost", numbers, 3), TYPE_MONEY);
    assert_int_equal(guess("released", dates, 3), TYPE_DATE);
    assert_int_equal(guess("modelno", codes, 3), TYPE_CODE);
    assert_int_equal(guess("phone", phones, 3), TYPE_CODE);
    assert_int_equal(guess("link", urls, 3), TYPE_URL);
    assert_int_equal(guess("mail", emails, 3), TYPE_EMAIL);
    assert_int_equal(guess("brand", brands, 2), TYPE_CATEGORY);
    assert_int_equal(guess("title", texts, 3), TYPE_TEXT);
    assert_int_equal(guess("authors", people, 3), TYPE_NAME);
    assert_int_equal(guess("Brew_Factory_Name", texts, 3), TYPE_TEXT); /* not "actor" */
    assert_int_equal(guess("city", people, 3), TYPE_PLACE);
    assert_int_equal(guess("empty", texts, 0 + 3), TYPE_TEXT);
}

static void a_record_is_written_and_read_back(void **state)
{
    (void)state;
    struct record_text record = {0};
    film_text name, value;
    size_t at = 0;
    assert_ok(record_text_json(&record,
                               film_string("{\"title\": \"EOS "
                                           "\\u001e"
                                           "5D\", \"price\": 10.5, "
                                           "\"n\": 3, \"none\": null, \"gap\": \"N/A\", "
                                           "\"ok\": true}"),
                               &error));
    film_text text = {record.bytes, record.length};
    assert_string_equal(record.bytes,
                        N "title" V "EOS  5D" N "price" V "10.5" N "n" V "3" N "ok" V "true");
    assert_true(record_text_next(text, &at, &name, &value));
    assert_memory_equal(name.bytes, "title", 5);
    assert_memory_equal(record_text_find(text, film_string("PRICE")).bytes, "10.5", 4);
    assert_null(record_text_find(text, film_string("gap")).bytes);
    assert_int_equal(record_text_json(&record, film_string("[1]"), &error), FILM_BAD_INPUT);
    mem_free(record.bytes);
}

/* ---- Comparisons ---- */

static void spelling_is_edit_similarity(void **state)
{
    (void)state;
    assert_float_equal(field_spelling(film_string("kitten"), film_string("sitting")), 1 - 3.0 / 7,
                       1e-12);
    assert_float_equal(field_spelling(film_string(""), film_string("")), 1, 0);
    assert_float_equal(field_spelling(film_string("abc"), film_string("")), 0, 0);
}

static void codes_and_measurements_are_found_across_spaces_and_fields(void **state)
{
    (void)state;
    static struct record_codes a, b;
    double out[RECORD_CODE_MEASURES];
    record_codes_read(&a, film_string("lg lds4821ww dishwasher 24 inch"));
    record_codes_read(&b, film_string("LG LDS-4821WW 27 inch, 500 W"));
    record_codes_compare(&a, &b, out);
    assert_float_equal(out[0], 9.0 / 16, 1e-12); /* lds4821ww */
    assert_float_equal(out[1], 9.0 / 16, 1e-12);
    assert_float_equal(out[2], 1, 0);
    assert_float_equal(out[3], 0, 0);
    assert_float_equal(out[5], 1, 0);
    assert_float_equal(out[6], 0, 0); /* no equal measurement */
    assert_float_equal(out[7], 1, 0); /* 24 and 27 inch */
    memset(&b, 0, sizeof b);
    record_codes_read(&b, film_string("lds 4821 ww"));
    record_codes_compare(&a, &b, out);
    assert_float_equal(out[0], 0, 0);
    assert_float_equal(out[1], 9.0 / 16, 1e-12); /* inside the letters and digits */
    memset(&b, 0, sizeof b);
    record_codes_read(&b, film_string("lds4822ww"));
    record_codes_compare(&a, &b, out);
    assert_float_equal(out[2], 1 - 1.0 / 9, 1e-12);
    assert_float_equal(out[3], 1, 0); /* each has a code that the other lacks */
}

/* SHARED, DIFFER and PARTLY, counted by hand. */
static void expect_beside(const char *left, const char *right, double shared, double differ,
                          double partly)
{
    static struct record_codes a, b;
    double out[RECORD_CODE_MEASURES], back[RECORD_CODE_MEASURES];
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    record_codes_read(&a, film_string(left));
    record_codes_read(&b, film_string(right));
    record_codes_compare(&a, &b, out);
    record_codes_compare(&b, &a, back);
    assert_memory_equal(out, back, sizeof out);
    assert_true(out[8] == shared && out[9] == differ && out[10] == partly);
}

static void numbers_are_compared_beside_the_same_word(void **state)
{
    (void)state;
    expect_beside("card 16GB", "16 gb stick", 1, 0, 0);
    expect_beside("card 16GB", "card 64 GB", 0, 2, 2);    /* after card, and before GB */
    expect_beside("mark 3 body", "Mark-2 body", 0, 2, 2); /* after mark, and before body */
    expect_beside("8 mm and 20 mm", "20mm", 1, 0, 1);
    expect_beside("20,2 MP", "20.2mp", 1, 0, 0);
    expect_beside("DMC-FZ200K", "fz 200", 1, 0, 0);
    expect_beside("16 GB", "16 cm", 0, 0, 0);
    expect_beside("1.2.3x", "x", 0, 0, 0); /* no number */
    expect_beside("7", "7", 0, 0, 0);      /* no word */
    expect_beside("", "9", 0, 0, 0);
    char many[1000] = "";
    for (int i = 0; i < 200; i++) strcat(many, "a1 ");
    expect_beside(many, many, 2, 0, 0); /* "<a" and ">a"; more than there is room for */
}

static struct vocabulary vocabulary;
static struct record_fields fields;
static struct survey survey;
static struct evidence evidence;
static float *feature;

static int set_up(void **state)
{
    (void)state;
    vocabulary_fit(&vocabulary, FILM_WORD,
                   "the card lost my zebra\nthe card lost my india\nthe card lost my japan\n"
                   "the how 2019\nthe how 2020\nthe how what not\nthe bank pay where");
    static const struct {
        const char *name;
        enum field_type type;
    } list[] = {{"title", TYPE_TEXT},    {"who", TYPE_NAME}, {"price", TYPE_MONEY},
                {"year", TYPE_NUMBER},   {"day", TYPE_DATE}, {"model", TYPE_CODE},
                {"kind", TYPE_CATEGORY}, {"url", TYPE_URL},  {"mail", TYPE_EMAIL},
                {"place", TYPE_PLACE}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        assert_ok(record_fields_add(&fields, film_string(list[i].name), list[i].type, &error));
    assert_ok(record_fields_prepare(&fields, &error));
    vocabulary.encoder.fields = &fields;
    evidence.features = features_count(&vocabulary.features);
    evidence.feature = feature = calloc(2 * evidence.features, sizeof(float));
    assert_ok(keytab_init(&evidence.items, &error));
    evidence.item = evidence.own = mem_zeroed(evidence.items.slot_mask + 1, sizeof(float));
    assert_ok(survey_init(&survey, &vocabulary.encoder, &error));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    survey_free(&survey);
    evidence_free(&evidence);
    record_fields_free(&fields);
    vocabulary_free(&vocabulary);
    free(feature);
    return 0;
}

static double trait(const char *a, const char *b, const char *id)
{
    assert_ok(survey_make(&survey, &evidence, film_string(a), film_string(b), &error));
    size_t at = traits_search(&fields, id);
    if (at == TRAIT_NONE) fail_msg("%s", id);
    return (double)survey.traits[at];
}

static void every_measure_has_the_value_computed_by_hand(void **state)
{
    (void)state;
#define T(text) N "title" V text
    static const struct {
        const char *a, *b, *id;
        double expected;
    } cases[] = {
        {T("card zebra"), T("card lost"), "title:equal", 0},
        {T("Card, zebra"), T("card-zebra"), "title:equal", 1},
        /* words count 0.05 more than their rarity: 0.55^2 / sqrt((0.55^2 + 1.05^2) * 2 * 0.55^2) */
        {T("card zebra"), T("card lost"), "title:words", 0.328102},
        {T("card zebra"), T("card lost"), "title:cover_min", 0.34375},
        {T("card zebra"), T("card lost"), "title:cover_max", 0.5},
        {T("card zebra"), T("card lost"), "title:alone_min", 0.55},
        {T("card zebra"), T("card lost"), "title:alone_max", 1.05},
        {T("card zebra"), T("card lost"), "title:head_min", 0.55 / 1.39}, /* zebra: 1.05 / 1.25 */
        {T("card zebra"), T("card lost"), "title:head_max", 0.55 / 0.99},
        {T("card zebra"), T("card lost"), "title:spelling", 1 - 5.0 / 9},
        {T("card zebra"), T("card") N "kind" V "zebra", "title:elsewhere", 1},
        {T("card"), N "kind" V "card", "title:elsewhere", 1},
        {T("card"), N "kind" V "card", "title:words", -0.5},
        {T("card"), N "kind" V "card", "title:missing_one", 1},
        {T("card"), N "kind" V "card", "title:missing_both", 0},
        {T("card"), T("card"), "kind:missing_both", 1},
        {N "who" V "robert smith", N "who" V "bob smith", "who:names_min", 0.95},
        {N "who" V "r smith", N "who" V "robert smith", "who:names_max", 0.9},
        {N "who" V "smith robert", N "who" V "robert smith", "who:last", 0.9},
        {N "price" V "$ 10.00", N "price" V "8", "price:ratio", 0.8},
        {N "price" V "10.50", N "price" V "10", "price:rounded", 1},
        {N "year" V "1999", N "year" V "2001", "year:near", 1.0 / 3},
        {N "year" V "1999.0", N "year" V "1999", "year:equal", 1},
        {N "year" V "unknown thing here", N "year" V "1999", "year:equal", -0.5},
        {N "day" V "03/04/2020", N "day" V "04/03/2020", "day:swapped", 1},
        {N "day" V "2020-04-03", N "day" V "Apr 3, 2020", "day:equal", 1},
        {N "day" V "April 2020", N "day" V "Apr 3, 2020", "day:equal", 1},
        {N "day" V "2020-01-01", N "day" V "2021-01-01", "day:year", 0},
        {N "model" V "DCS-855L", N "model" V "dcs 855l", "model:equal", 1},
        {N "model" V "dcs855l", N "model" V "dcs930l", "model:prefix", 3.0 / 7},
        {N "model" V "dcs855l", N "model" V "855", "model:digits", 1},
        {N "kind" V "zebra", N "kind" V "card", "kind:words", 0},
        {N "url" V "http://www.a.org/x", N "url" V "https://a.org/y", "url:site", 1},
        {N "mail" V "me@a.org", N "mail" V "you@b.org", "mail:site", 0},
        {N "place" V "12 main st", N "place" V "12 main street", "place:numbers", 1},
        {N "place" V "12 main st", N "place" V "14 main st", "place:numbers", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int turn = 0; turn < 2; turn++) {
            double got =
                trait(turn ? cases[i].b : cases[i].a, turn ? cases[i].a : cases[i].b, cases[i].id);
            if (fabs(got - cases[i].expected) > 1e-5)
                fail_msg("case %zu, %s: %g, expected %g", i, cases[i].id, got, cases[i].expected);
        }
}

static void odd_records_have_finite_traits_the_same_both_ways_round(void **state)
{
    (void)state;
    char *many = malloc(1 << 20);
    size_t used = 0;
    while (used < (1 << 20) - 40)
        used += (size_t)sprintf(many + used, N "f%zu" V "value %zu", used, used % 977);
    char *large = malloc((1 << 20) + 1);
    memset(large, 'x', 1 << 20);
    memcpy(large, T("card lost "), strlen(T("card lost ")));
    large[1 << 20] = 0;
    const char *texts[] = {"",
                           N,
                           N V,
                           N "title",
                           N "title" V,
                           "card lost",
                           N N V V,
                           "zebra",
                           T("card lost"),
                           N "price" V "99999999999999999999",
                           N "day" V "99/99/9999",
                           N "who" V "",
                           many,
                           large,
                           T("\xe6\x88\x91\xe7\x9a\x84") N "title" V "twice"};
    enum { TEXTS = sizeof texts / sizeof *texts };
    size_t count = traits_total(&fields);
    float *there = malloc(count * sizeof *there);
    for (int i = 0; i < TEXTS; i++)
        for (int j = 0; j < TEXTS; j++) {
            film_text a = film_string(texts[i]), b = film_string(texts[j]);
            assert_ok(survey_make(&survey, &evidence, a, b, &error));
            memcpy(there, survey.traits, count * sizeof *there);
            for (size_t t = 0; t < count; t++)
                if (!isfinite(there[t]))
                    fail_msg("%s of %d and %d", traits_get(&fields, t)->id, i, j);
            assert_ok(survey_make(&survey, &evidence, b, a, &error));
            assert_memory_equal(there, survey.traits, count * sizeof *there);
        }
    free(there);
    free(many);
    free(large);
}

static void names_of_fields_are_no_words(void **state)
{
    (void)state;
    assert_ok(survey_make(&survey, &evidence, film_string(N "card" V "zebra"),
                          film_string(N "card" V "lost"), &error));
    assert_int_equal(survey.comparison.shared, 0);
    assert_int_equal(survey.comparison.side[0].words, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_with_signs_groups_and_units),
        cmocka_unit_test(dates_are_read_in_every_usual_order),
        cmocka_unit_test(types_are_guessed_from_values_and_names),
        cmocka_unit_test(a_record_is_written_and_read_back),
        cmocka_unit_test(spelling_is_edit_similarity),
        cmocka_unit_test(codes_and_measurements_are_found_across_spaces_and_fields),
        cmocka_unit_test(numbers_are_compared_beside_the_same_word),
        cmocka_unit_test(every_measure_has_the_value_computed_by_hand),
        cmocka_unit_test(odd_records_have_finite_traits_the_same_both_ways_round),
        cmocka_unit_test(names_of_fields_are_no_words),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
