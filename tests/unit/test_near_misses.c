/* What is known about words and quantities: a user's file, values of quantities, edits of
 * sentences, and the guarantee that a number, a negation or an opposite alone is never the same.
 * Expected values are written by hand. */
#include "faq_model.h"

#include "learn/edits.h"
#include "model/model.h"
#include "pair/survey.h"
#include "text/quantity.h"
#include "text/relations_read.h"

#include <math.h>

/* ---- Relations ---- */

static const char WORDS[] = "# colours and doors\n"
                            "Car = automobile\n"
                            "open ! closed\r\n"
                            "poodle > dog\n"
                            "\n"
                            "switch on ! switch off\n"
                            "allow = permit\n";

static film_status read_words(const char *text, struct relations *out)
{
    struct relations_builder builder;
    struct source *source;
    *out = (struct relations){.own = NULL};
    assert_ok(relations_builder_init(&builder, &error));
    assert_ok(source_open_bytes(text, strlen(text), "own.txt", 0, &source, &error));
    film_status status = relations_read(&builder, source, &error);
    if (status == FILM_OK) status = relations_build(&builder, out, &error);
    relations_builder_free(&builder);
    return status;
}

static void relations_of_a_file(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        enum relation expected;
    } cases[] = {{"car", "automobile", RELATION_SYNONYM},
                 {"automobile", "car", RELATION_SYNONYM},
                 {"cars", "automobiles", RELATION_SYNONYM}, /* base forms */
                 {"open", "closed", RELATION_OPPOSITE},
                 {"poodle", "dog", RELATION_ONE_WAY},
                 {"dog", "poodle", RELATION_ONE_WAY},
                 {"switch on", "switch off", RELATION_OPPOSITE},
                 {"allowed", "permitting", RELATION_SYNONYM},
                 {"safe", "unsafe", RELATION_OPPOSITE}, /* by its prefix */
                 {"car", "dog", RELATION_NONE},
                 {"bicycle", "car", RELATION_NONE}};
    struct relations relations;
    assert_ok(read_words(WORDS, &relations));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (relations_of(&relations, film_string(cases[i].a), film_string(cases[i].b)) !=
            cases[i].expected)
            fail_msg("%s, %s", cases[i].a, cases[i].b);
    relations_free(&relations);
}

static void bad_lines_are_refused(void **state)
{
    (void)state;
    struct relations relations;
    assert_int_equal(read_words("car = automobile\nopen closed\n", &relations), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "own.txt:2: "));
    assert_int_equal(read_words("=\n", &relations), FILM_BAD_INPUT);
}

/* ---- Quantities ---- */

static void quantities_by_value(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        int equal;
    } cases[] = {{"1,000 users", "1000 users", 1},
                 {"one hundred", "100", 1},
                 {"two thousand five hundred", "2500", 1},
                 {"60 minutes", "1 hour", 1},
                 {"90 minutes", "1 hour", 0},
                 {"5 mg", "5 g", 0},
                 {"1000 mg", "1 g", 1},
                 {"3rd of May", "May 3", 1},
                 {"May 3", "May 4", 0},
                 {"6:20 pm", "18:20", 1},
                 {"6 am", "6 pm", 0},
                 {"Monday", "Tuesday", 0},
                 {"on Mondays", "every Monday", 1},
                 {"$5", "5 dollars", 1},
                 {"5 bucks", "5 usd", 1},
                 {"5 usd", "5 dollars", 1},
                 {"7 inr", "7 rupees", 1},
                 {"2 lbs", "2 pounds", 1},
                 {"1 kilo", "1 yard", 0},
                 {"5 euros", "5 dollars", 0},
                 {"50 %", "50 percent", 1},
                 {"3.5 km", "3500 m", 1},
                 {"version 2", "version 3", 0}};
    struct quantity a[QUANTITY_MOST], b[QUANTITY_MOST];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (quantities_find(film_string(cases[i].a), a) != 1 ||
            quantities_find(film_string(cases[i].b), b) != 1 ||
            quantity_equal(&a[0], &b[0]) != cases[i].equal)
            fail_msg("%s, %s", cases[i].a, cases[i].b);
    }
    assert_int_equal(quantities_find(film_string("which one may I march with?"), a), 0);
}

/* ---- Edits ---- */

static void assert_text(const char *found, size_t length, const char *expected)
{
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(found, expected, length);
}

static void edits_are_what_their_names_say(void **state)
{
    (void)state;
    struct relations relations;
    struct rng rng;
    char out[EDIT_ROOM], again[EDIT_ROOM];
    assert_ok(read_words(WORDS, &relations));
    static const char TEXT[] = "Is the shop open on 24 March?";
    static const struct {
        enum edit_kind kind;
        const char *expected;
    } cases[] = {{EDIT_OPPOSITE, "Is the shop closed on 24 March?"},
                 {EDIT_NEGATION, "Is the not shop open on 24 March?"},
                 {EDIT_KINDS, NULL}};
    rng_seed(&rng, 1);
    size_t length = edit_make(EDIT_OPPOSITE, &rng, &relations, film_string(TEXT),
                              film_string("Where is Lyon?"), out);
    assert_int_equal(length, strlen(cases[0].expected));
    assert_memory_equal(out, cases[0].expected, length);
    for (int kind = 0; kind < EDIT_KINDS; kind++)
        for (uint64_t seed = 1; seed <= 50; seed++) {
            rng_seed(&rng, seed);
            size_t first = edit_make((enum edit_kind)kind, &rng, &relations, film_string(TEXT),
                                     film_string("Where is Lyon?"), out);
            rng_seed(&rng, seed);
            size_t second = edit_make((enum edit_kind)kind, &rng, &relations, film_string(TEXT),
                                      film_string("Where is Lyon?"), again);
            assert_int_equal(first, second);
            assert_true(first < EDIT_ROOM);
            if (first) assert_memory_equal(out, again, first);
            if (first == strlen(TEXT) && kind != EDIT_PLAIN)
                assert_memory_not_equal(out, TEXT, first);
        }
    length = edit_make(EDIT_QUALIFIER, &rng, &relations, film_string(TEXT),
                       film_string("How can I learn to swim in a week?"), out);
    assert_text(out, length, "Is the shop open on 24 March in a week?");
    length = edit_make(EDIT_LIMIT, &rng, &relations, film_string(TEXT), film_string(""), out);
    assert_text(out, length, "Is the shop open only on 24 March?");
    length =
        edit_make(EDIT_LIMIT, &rng, &relations, film_string("Until when?"), film_string(""), out);
    assert_text(out, length, "since when?");
    for (int owner = 0, borrowed = 0; !owner || !borrowed;) { /* both occur */
        length = edit_make(EDIT_MODIFIER, &rng, &relations, film_string(TEXT),
                           film_string("Where is the electric boat?"), out);
        assert_memory_equal(out, "Is the ", 7);
        assert_memory_equal(out + length - 22, "shop open on 24 March?", 22);
        borrowed |= length == strlen(TEXT) + 9 && memcmp(out + 7, "electric ", 9) == 0;
        owner |= memcmp(out + length - 25, "'s ", 3) == 0;
    }
    rng_seed(&rng, 3);
    length = edit_make(EDIT_NUMBER, &rng, &relations, film_string(TEXT), film_string(""), out);
    assert_int_equal(length, strlen(TEXT));
    assert_memory_equal(out, TEXT, 20); /* up to the number */
    assert_memory_equal(out + 22, TEXT + 22, length - 22);
    assert_true(edit_keeps_meaning(EDIT_TYPO) && !edit_keeps_meaning(EDIT_NUMBER));
    relations_free(&relations);
}

/* Whether every lead byte is followed by its continuation bytes, and these by no more. */
static int is_utf8(const char *text, size_t length)
{
    size_t more = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if ((more > 0) != (c >> 6 == 2)) return 0;
        more = c >> 6 == 2 ? more - 1 : c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
    }
    return more == 0;
}

static void edits_keep_letters_of_several_bytes_whole(void **state)
{
    (void)state;
    static const char TEXT[] = "Will the Wroc\xc5\x82"
                               "aw caf\xc3\xa9s\xc3\xa9 na\xc3\xafvet\xc3\xa9 open?";
    struct relations relations = {.own = NULL};
    struct rng rng;
    char out[EDIT_ROOM];
    for (int kind = 0; kind < EDIT_KINDS; kind++)
        for (uint64_t seed = 1; seed <= 200; seed++) {
            rng_seed(&rng, seed);
            size_t length = edit_make((enum edit_kind)kind, &rng, &relations, film_string(TEXT),
                                      film_string(TEXT), out);
            assert_true(is_utf8(out, length));
        }
}

/* ---- Roles ---- */

/* Expected by reading the sentences. */
static void roles_are_exchanged_around_words_with_a_direction(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        int exchanged; /* 2: they differ in nothing else */
    } cases[] = {
        {"Fly from Oslo to Lisbon", "Fly from Lisbon to Oslo", 2},
        {"Fly from Oslo to Lisbon", "Fly to Lisbon from Oslo", 0},
        {"Fly from New York to Los Angeles", "Fly from Los Angeles to New York", 2},
        {"Fly to Lisbon from Oslo", "Fly from Lisbon to Oslo", 1},
        {"Is tea healthier than coffee?", "Is coffee healthier than tea?", 2},
        {"Why do dogs chase cats?", "Why do cats chase dogs?", 2},
        {"Cats are chased by dogs", "Dogs chase cats", 0},
        {"Can my landlord sue me?", "Can I sue my landlord?", 2},
        {"Who beat Norway?", "Who did Norway beat?", 2},
        {"Does the buyer pay the seller's fee?", "Does the seller pay the buyer's fee?", 2},
        {"Tea vs coffee for sleep", "Coffee vs tea for sleep", 0},
        {"Is tea or coffee better?", "Is coffee or tea better?", 0},
        {"The difference between tea and coffee", "The difference between coffee and tea", 0},
        {"How far is it from Oslo to Lisbon?", "How far is it from Lisbon to Oslo?", 0},
        {"Is travel to Egypt safe?", "Is Egypt safe to travel?", 1},
        {"What is the best text to speech software?", "What is the best speech to text software?",
         2},
        {"How do I learn Java quickly?", "How do I quickly learn Java?", 0},
        {"In India, how do I get a job?", "How do I get a job in India?", 0},
        {"Who invented the telephone?", "The telephone was invented by whom?", 0}};
    film_model *model = faq_shared();
    struct survey survey;
    assert_ok(survey_init(&survey, &model->encoder, &error));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int swap = 0; swap < 2; swap++) {
            const char *a = swap ? cases[i].b : cases[i].a, *b = swap ? cases[i].a : cases[i].b;
            assert_ok(survey_make(&survey, &model->decision.evidence, film_string(a),
                                  film_string(b), &error));
            if ((survey.comparison.exchanged > 0) + (survey.comparison.only == ONLY_EXCHANGE) !=
                cases[i].exchanged)
                fail_msg("%s, %s", a, b);
        }
    survey_free(&survey);
    film_close(model);
}

/* ---- Long sentences ---- */

/* WORDS fillers, START before and END after them; FILLER has a %zu for their number. */
static void write_long(char *out, size_t room, const char *start, size_t words, const char *filler,
                       const char *end)
{
    size_t length = (size_t)snprintf(out, room, "%s", start);
    for (size_t i = 0; i < words; i++)
        length += (size_t)snprintf(out + length, room - length, filler, i);
    snprintf(out + length, room - length, "%s", end);
}

static void long_sentences_may_differ_in_one_thing_alone(void **state)
{
    (void)state;
    enum { ROOM = 4000 };
    static const struct {
        const char *start[2], *filler, *end[2];
        size_t words;
        unsigned only;
    } cases[] = {{{"Hello", "Hello"}, " w%zu", {" order 12", " order 21"}, 90, ONLY_NUMBER},
                 {{"It is safe", "It is not safe"}, " w%zu", {" so.", " so."}, 90, ONLY_NEGATION},
                 {{"I ask", "I ask"}, " w%zu", {" open it", " close it"}, 500, ONLY_OPPOSITE},
                 {{"Is", "Is"}, " %zu kg", {" order 5", " order 7"}, 20, ONLY_NUMBER},
                 {{"Hello", "Hello"}, " w%zu", {" order 12", " order 12"}, 90, 0},
                 {{"Anna", "Bertha"}, " w%zu", {" order 12", " order 21"}, 90, 0},
                 {{"Hello", "Hello"}, " w%zu", {" blue order 12", " order 21"}, 90, 0}};
    static char a[ROOM], b[ROOM];
    struct relations relations;
    struct survey survey;
    film_model *model = faq_shared();
    assert_ok(read_words("open ! close\n", &relations));
    struct encoder encoder = model->encoder;
    encoder.relations = &relations;
    assert_ok(survey_init(&survey, &encoder, &error));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int swap = 0; swap < 2; swap++) {
            write_long(a, ROOM, cases[i].start[swap], cases[i].words, cases[i].filler,
                       cases[i].end[swap]);
            write_long(b, ROOM, cases[i].start[!swap], cases[i].words, cases[i].filler,
                       cases[i].end[!swap]);
            assert_ok(survey_make(&survey, &model->decision.evidence, film_string(a),
                                  film_string(b), &error));
            if (survey.comparison.only != cases[i].only)
                fail_msg("case %zu: %u", i, survey.comparison.only);
        }
    survey_free(&survey);
    relations_free(&relations);
    film_close(model);
}

/* ---- Guarantee ---- */

static void a_sole_difference_is_never_the_same(void **state)
{
    (void)state;
    static const char *const pairs[][3] = {
        {"How do I open the account?", "How do I close the account?", "guarantee_opposite"},
        {"Can I pay 20 euros in cash?", "Can I pay 30 euros in cash?", "guarantee_number"},
        {"Is my card blocked?", "Is my card not blocked?", "guarantee_negation"}};
    char path[300], saved[300];
    strcpy(path, scratch("own.txt"));
    strcpy(saved, scratch("near.film"));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("open ! close\n", file);
    fclose(file);
    film_train_options options;
    faq_options(&options);
    options.words = path;
    film_model *model = faq_train(&options);
    assert_ok(film_save(model, saved, &error));
    film_model *opened = NULL;
    assert_ok(film_open(saved, &opened, &error));
    unlink(path); /* the model answers the same without the file */
    film_context *contexts[2] = {NULL, NULL};
    assert_ok(film_context_new(model, &contexts[0], &error));
    assert_ok(film_context_new(opened, &contexts[1], &error));
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        double log_odds[2];
        for (int c = 0; c < 2; c++) {
            film_verdict verdict;
            assert_ok(film_match(contexts[c], film_string(pairs[i][0]), film_string(pairs[i][1]),
                                 &verdict, &error));
            assert_false(verdict.same);
            double sum = verdict.bias;
            for (size_t r = 0; r < verdict.reason_count; r++) {
                sum += verdict.reasons[r].weight;
                if (strcmp(verdict.reasons[r].kind, "guarantee") != 0) continue;
                assert_string_equal(verdict.reasons[r].id, pairs[i][2]);
                assert_true(verdict.reasons[r].weight < 0);
            }
            assert_true(fabs(sum - verdict.log_odds) < 1e-6);
            log_odds[c] = verdict.log_odds;
        }
        assert_true(log_odds[0] == log_odds[1]);
    }
    film_context_free(contexts[0]);
    film_context_free(contexts[1]);
    film_close(opened);
    film_close(model);
    unlink(saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relations_of_a_file),
        cmocka_unit_test(bad_lines_are_refused),
        cmocka_unit_test(quantities_by_value),
        cmocka_unit_test(edits_are_what_their_names_say),
        cmocka_unit_test(edits_keep_letters_of_several_bytes_whole),
        cmocka_unit_test(roles_are_exchanged_around_words_with_a_direction),
        cmocka_unit_test(long_sentences_may_differ_in_one_thing_alone),
        cmocka_unit_test(a_sole_difference_is_never_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
