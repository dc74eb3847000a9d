/* Tests text/tokens on many scripts and contractions. */
#include "testing.h"

#include "text/tokens.h"

#include <utf8proc.h>

static film_error error;
static struct tokenizer plain;

/* The tokens of TEXT joined by '|'. */
static const char *split_with(const struct tokenizer *tokenizer, const char *text)
{
    static char joined[4096];
    struct tokens tokens;
    size_t used = 0;
    assert_ok(tokens_init(&tokens, tokenizer, &error));
    assert_ok(tokens_split(&tokens, tokenizer, film_string(text), &error));
    joined[0] = 0;
    for (size_t i = 0; i < tokens.count; i++) {
        film_text token = token_text(&tokens, &tokens.items[i]);
        used += (size_t)snprintf(joined + used, sizeof joined - used, "%s%.*s", i ? "|" : "",
                                 (int)token.length, token.bytes);
    }
    tokens_free(&tokens);
    return joined;
}

static const char *split(const char *text)
{
    return split_with(&plain, text);
}

static void words_are_runs_of_letters_and_digits(void **state)
{
    (void)state;
    assert_string_equal(split("How do I get to 10 Downing-Street, U.K.?"),
                        "how|do|i|get|to|10|downing|street|u|k");
    assert_string_equal(split(""), "");
    assert_string_equal(split(" ?! ... "), "");
    assert_string_equal(split("Caf\xc3\xa9 STRA\xc3\x9f"
                              "E na\xc3\xafve"),
                        "caf\xc3\xa9|strasse|na\xc3\xafve");
    assert_string_equal(split("e\xcc\x81t\xc3\xa9"), "\xc3\xa9t\xc3\xa9"); /* composed */
    assert_string_equal(split("\xef\xbc\xa6\xef\xbc\xa9\xef\xbc\xac\xef\xbc\xad \xe2\x91\xa0"),
                        "film|1"); /* full width, circled */
}

static void contractions_come_out_the_same_raw_and_tokenised(void **state)
{
    (void)state;
    const char *same[][4] = {
        {"do|not", "don't", "do n't", "DON\xe2\x80\x99T"},
        {"can|not", "can't", "ca n't", "cannot"},
        {"can|not", "can not", "can n't", "CAN\xe2\x80\x98t"},
        {"will|not", "won't", "wo n't", "will not"},
        {"shall|not", "shan't", "sha n't", "shall not"},
        {"it|s|anna|s", "It's Anna's", "It 's Anna 's", "it\xe2\x80\x99s anna\xe2\x80\x99s"},
        {"i|m|you|re|we|ve", "I'm you're we've", "I 'm you 're we 've", "i m you re we ve"},
        {"i|ll|i|d", "I'll I'd", "I 'll I 'd",
         "i\xc2\xb4ll i\xc2\xb4"
         "d"},
        {"i|wan|na|go", "I wanna go", "I wan na go", "i WANNA go"},
        {"foo|bar", "foo (bar)", "foo -LRB- bar -RRB-", "foo -lsb- bar -rsb-"},
        {"is|not|it", "isn't it", "is n't it", "isn't, it"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        for (int j = 1; j < 4; j++) assert_string_equal(split(same[i][j]), same[i][0]);
    assert_string_equal(split("n't"), "not");
    assert_string_equal(split("can'table lrb rrb"), "can|table|lrb|rrb");
    assert_string_equal(split("wo. n't"), "wo|not"); /* not adjacent */
}

static void names_with_signs_are_tokens(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        /* text, tokens, plain tokens */
        {"Learn C++ or C#?", "learn|c++|or|c#", "learn|c|or|c"},
        {"C/C + + , F #", "c|c++|f#", "c|c|f"},
        {"a .NET, ASP.NET job", "a|.net|asp.net|job", "a|net|asp|net|job"},
        {"node.js (Node.js)", "node.js|node.js", "node|js|node|js"},
        {"notepad++", "notepad++", "notepad"},
        {"1+1 a+b C+++ x+", "1|1|a|b|c|x", "1|1|a|b|c|x"},
        {"c#4 no #1 issue#2", "c|4|no|1|issue|2", "c|4|no|1|issue|2"},
        {"the net. network .networks a.jsx", "the|net|network|networks|a|jsx",
         "the|net|network|networks|a|jsx"},
        {"\xc3\xa9++ \xc3\xa9#", "\xc3\xa9++|\xc3\xa9", "\xc3\xa9|\xc3\xa9"}};
    struct tokenizer signs = {.plain = 0}, letters = {.plain = 1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(split_with(&signs, cases[i][0]), cases[i][1]);
        assert_string_equal(split_with(&letters, cases[i][0]), cases[i][2]);
    }
}

static void scripts_without_spaces_give_characters_and_pairs(void **state)
{
    (void)state;
    assert_string_equal(split("\xe5\xa4\xa9\xe5\xa5\xbd iPhone\xe6\x89\x8b"),
                        "\xe5\xa4\xa9|\xe5\xa5\xbd|\xe5\xa4\xa9\xe5\xa5\xbd|iphone|\xe6\x89\x8b");
    /* Hangul, also composed from conjoining letters. */
    assert_string_equal(split("\xed\x95\x9c"), "\xed\x95\x9c");
    assert_string_equal(split("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab"), "\xed\x95\x9c");
    /* Half-width Kana with a voice mark becomes one full-width letter. */
    assert_string_equal(split("\xef\xbd\xb6\xef\xbe\x9e"), "\xe3\x82\xac");
    /* Thai: a mark stays with its letter. */
    assert_string_equal(
        split("\xe0\xb8\x81\xe0\xb8\xb4\xe0\xb8\x99"),
        "\xe0\xb8\x81\xe0\xb8\xb4|\xe0\xb8\x99|\xe0\xb8\x81\xe0\xb8\xb4\xe0\xb8\x99");
}

static void tokens_have_their_positions(void **state)
{
    (void)state;
    const char *text = "A caf\x65\xcc\x81 can\xe2\x80\x99t";
    struct tokens tokens;
    assert_ok(tokens_init(&tokens, &plain, &error));
    assert_ok(tokens_split(&tokens, &plain, film_string(text), &error));
    assert_int_equal(tokens.count, 4);
    size_t expected[4][2] = {{0, 1}, {2, 8}, {9, 11}, {11, 16}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(tokens.items[i].from, expected[i][0]);
        assert_int_equal(tokens.items[i].to, expected[i][1]);
    }
    tokens_free(&tokens);
}

static void stemming_and_stop_words_are_options(void **state)
{
    (void)state;
    struct tokenizer tokenizer;
    assert_ok(tokenizer_init(&tokenizer, "english", "english", &error));
    assert_string_equal(split_with(&tokenizer, "The cards are not arriving"), "card|not|arriv");
    tokenizer_free(&tokenizer);
    assert_int_equal(tokenizer_init(&tokenizer, "klingon", NULL, &error), FILM_USAGE);
    assert_non_null(strstr(error.message, "unknown stemmer \"klingon\""));
    assert_int_equal(tokenizer_init(&tokenizer, NULL, "/nowhere/stop", &error), FILM_IO);
    const char *path = scratch("stop");
    write_file(path, "Karte\r\n\nUND\n", 12);
    assert_ok(tokenizer_init(&tokenizer, NULL, path, &error));
    assert_string_equal(split_with(&tokenizer, "karte und geld"), "geld");
    tokenizer_free(&tokenizer);
    write_file(path, "\xff\xfe", 2);
    assert_int_equal(tokenizer_init(&tokenizer, NULL, path, &error), FILM_BAD_INPUT);
    unlink(path);
}

/* Segment-wise folding must equal utf8proc over the whole string (except for quotes). */
static void folding_equals_the_whole_string_normalised(void **state)
{
    (void)state;
    static const int32_t letters[] = {
        'a',    'Z',    ' ',    0x301,  0x308, 0xe9,  0xdf,   0x130,  0x3c2,  0x1100,  0x1161,
        0x11a8, 0xac00, 0xff76, 0xff9e, 0x9c7, 0x9be, 0xfb01, 0x2126, 0x1f71, 0x4e00,  0x1d15e,
        0x345,  0x627,  0x653,  0x1e9b, 0x323, 0xbb,  0x2026, 0x0e33, 0xf73,  0x1109a, 0x110ba};
    uint64_t seed = 1;
    struct fold fold = {0};
    for (int round = 0; round < 20000; round++) {
        uint8_t text[64];
        size_t length = 0;
        for (int i = 0; i < 8; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            length += (size_t)utf8proc_encode_char(
                letters[(seed >> 33) % (sizeof letters / sizeof *letters)], text + length);
        }
        uint8_t *whole = NULL;
        ssize_t wanted =
            utf8proc_map(text, (ssize_t)length, &whole,
                         UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
        assert_true(wanted >= 0);
        assert_ok(fold_text(&fold, (film_text){(char *)text, length}, &error));
        assert_int_equal(fold.length, wanted);
        assert_memory_equal(fold.bytes, whole, (size_t)wanted);
        for (size_t i = 0; !fold.ascii && i < fold.length; i++)
            assert_true(fold.from[i] < fold.to[i] && fold.to[i] <= length);
        free(whole);
    }
    fold_free(&fold);
}

/* A run of marks is cut after 30, as UAX #15 does with a combining grapheme joiner, so that its
 * cost is linear. The oracle normalises the text with the joiners, then removes them. */
static void long_runs_of_marks_are_cut_as_in_stream_safe_text(void **state)
{
    (void)state;
    enum { RUN = 100, JOINER = 0x34f };
    static const int32_t marks[] = {0x301, 0x323, 0x345, 0x308, 0x5b0};
    uint8_t text[400], joined[500], *whole = NULL;
    size_t length = 1, joined_length = 1, wanted = 0;
    uint64_t seed = 7;
    text[0] = joined[0] = 'a';
    for (int i = 0; i < RUN; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int32_t c = marks[(seed >> 33) % (sizeof marks / sizeof *marks)];
        if (i && i % 30 == 0)
            joined_length += (size_t)utf8proc_encode_char(JOINER, joined + joined_length);
        length += (size_t)utf8proc_encode_char(c, text + length);
        joined_length += (size_t)utf8proc_encode_char(c, joined + joined_length);
    }
    ssize_t mapped =
        utf8proc_map(joined, (ssize_t)joined_length, &whole,
                     UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
    assert_true(mapped > 0);
    for (ssize_t i = 0; i < mapped; i++) {
        if (whole[i] == 0xcd && whole[i + 1] == 0x8f)
            i++;
        else
            whole[wanted++] = whole[i];
    }
    struct fold fold = {0};
    assert_ok(fold_text(&fold, (film_text){(char *)text, length}, &error));
    assert_int_equal(fold.length, wanted);
    assert_memory_equal(fold.bytes, whole, wanted);
    fold_free(&fold);
    free(whole);
}

static film_status split_once(const struct tokenizer *tokenizer)
{
    struct tokens tokens;
    film_status status = tokens_init(&tokens, tokenizer, &error);
    if (status == FILM_OK)
        status =
            tokens_split(&tokens, tokenizer,
                         film_string("can't se\xc3\xb1or \xe5\xa4\xa9\xe5\xa5\xbd won't"), &error);
    tokens_free(&tokens);
    return status;
}

static film_status split_english(void)
{
    struct tokenizer tokenizer;
    film_status status = tokenizer_init(&tokenizer, NULL, "english", &error);
    if (status == FILM_OK) status = split_once(&tokenizer);
    tokenizer_free(&tokenizer);
    return status;
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    survives_every_failure(split_english());
    assert_true(failures_survived > 5);
}

static int set_up(void **state)
{
    (void)state;
    return tokenizer_init(&plain, NULL, NULL, &error) == FILM_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    tokenizer_free(&plain);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_runs_of_letters_and_digits),
        cmocka_unit_test(contractions_come_out_the_same_raw_and_tokenised),
        cmocka_unit_test(names_with_signs_are_tokens),
        cmocka_unit_test(scripts_without_spaces_give_characters_and_pairs),
        cmocka_unit_test(tokens_have_their_positions),
        cmocka_unit_test(stemming_and_stop_words_are_options),
        cmocka_unit_test(folding_equals_the_whole_string_normalised),
        cmocka_unit_test(long_runs_of_marks_are_cut_as_in_stream_safe_text),
        cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
