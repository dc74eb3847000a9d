/* Tests base/utf8 on every code point and every short string. */
#include "testing.h"

#include "base/utf8.h"

/* An independent reference: decodes by arithmetic and compares with the encoder's shortest form. */
static size_t encode(uint32_t code, unsigned char out[4])
{
    if (code < 0x80) return out[0] = (unsigned char)code, 1;
    if (code < 0x800) {
        out[0] = (unsigned char)(0xC0 | code >> 6);
        out[1] = (unsigned char)(0x80 | (code & 63));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (unsigned char)(0xE0 | code >> 12);
        out[1] = (unsigned char)(0x80 | (code >> 6 & 63));
        out[2] = (unsigned char)(0x80 | (code & 63));
        return 3;
    }
    out[0] = (unsigned char)(0xF0 | code >> 18);
    out[1] = (unsigned char)(0x80 | (code >> 12 & 63));
    out[2] = (unsigned char)(0x80 | (code >> 6 & 63));
    out[3] = (unsigned char)(0x80 | (code & 63));
    return 4;
}

static void every_code_point_is_valid_and_every_surrogate_is_not(void **state)
{
    (void)state;
    unsigned char bytes[4];
    for (uint32_t code = 0; code < 0x110000; code++) {
        size_t length = encode(code, bytes);
        int surrogate = code >= 0xD800 && code <= 0xDFFF;
        assert_int_equal(utf8_valid((char *)bytes, length, NULL), !surrogate);
    }
    for (uint32_t code = 0x110000; code < 0x1FFFFF; code += 97)
        assert_int_equal(utf8_valid((char *)bytes, encode(code, bytes), NULL), 0);
}

/* Exactly those two- and three-byte strings are valid that the encoder produces: counted. */
static void no_other_short_string_is_valid(void **state)
{
    (void)state;
    size_t valid2 = 0, valid3 = 0;
    for (uint32_t x = 0; x < 0x1000000; x++) {
        char bytes[3] = {(char)(x >> 16), (char)(x >> 8), (char)x};
        valid3 += (size_t)utf8_valid(bytes, 3, NULL);
        if (x < 0x10000) valid2 += (size_t)utf8_valid(bytes + 1, 2, NULL);
    }
    size_t one = 128, two = 0x800 - 0x80, three = 0x10000 - 0x800 - 0x800;
    assert_int_equal(valid2, one * one + two);
    assert_int_equal(valid3, one * one * one + 2 * one * two + three);
}

static void the_offset_of_the_first_bad_byte_is_given(void **state)
{
    (void)state;
    char text[64];
    for (size_t length = 1; length <= sizeof text; length++)
        for (size_t at = 0; at < length; at++) {
            size_t bad = 999;
            memset(text, 'x', sizeof text);
            assert_int_equal(utf8_valid(text, length, &bad), 1);
            text[at] = (char)0xFF;
            assert_int_equal(utf8_valid(text, length, &bad), 0);
            assert_int_equal(bad, at);
        }
    size_t bad = 0;
    assert_int_equal(utf8_valid("ab\xC3\xA4\xE4\xB8", 6, &bad), 0); /* cut in a character */
    assert_int_equal(bad, 4);
    assert_int_equal(utf8_valid("\xC0\x80", 2, &bad), 0); /* overlong NUL */
    assert_int_equal(utf8_valid("", 0, &bad), 1);
}

static void steps_and_cuts_fall_between_characters(void **state)
{
    (void)state;
    static const char text[] = "a\xC3\xA4\xE4\xB8\xAD\xF0\x9F\x98\x80z"; /* 1, 2, 3, 4, 1 bytes */
    static const size_t starts[] = {0, 1, 3, 6, 10, 11};
    size_t length = sizeof text - 1, at = 0;
    for (size_t i = 0; i + 1 < sizeof starts / sizeof *starts; i++) {
        assert_int_equal(at, starts[i]);
        assert_int_equal(utf8_character(text + at, length - at), starts[i + 1] - at);
        at = utf8_next(text, length, at);
    }
    assert_int_equal(at, length);
    for (size_t most = 0; most <= length + 2; most++) {
        size_t last = 0;
        for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
            if (starts[i] <= most) last = starts[i];
        assert_int_equal(utf8_cut(text, length, most), last);
        assert_int_equal(film_text_cut(film_string(text), most), last);
    }
    assert_int_equal(utf8_character("\x80", 1), 0);
    assert_int_equal(utf8_character("\xE4\xB8", 2), 0); /* cut off */
    assert_int_equal(film_text_valid(film_string("a\xFF"), &at), 0);
    assert_int_equal(at, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point_is_valid_and_every_surrogate_is_not),
        cmocka_unit_test(no_other_short_string_is_valid),
        cmocka_unit_test(the_offset_of_the_first_bad_byte_is_given),
        cmocka_unit_test(steps_and_cuts_fall_between_characters),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
