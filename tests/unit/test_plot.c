/* Tests plots: ticks, escaping, values that are not finite, memory. */
#include "testing.h"

#include "base/mem.h"
#include "plot/plot.h"
#include "plot/scale.h"

static film_error error; /* for survives_every_failure; drawing has no messages */

static film_text text_of(const char *bytes)
{
    return (film_text){bytes, strlen(bytes)};
}

/* The output of a call as a string; the markup is freed. */
static char *taken(struct markup *out)
{
    static char copy[400000];
    assert_false(out->failed);
    assert_true(out->length < sizeof copy);
    memcpy(copy, out->bytes ? out->bytes : "", out->length);
    copy[out->length] = 0;
    markup_free(out);
    return copy;
}

/* Every tag is closed in order, attributes are quoted, and the text has no stray & or <. */
static void assert_well_formed(const char *page)
{
    char open[100][20];
    size_t depth = 0;
    for (const char *at = page; *at;) {
        if (*at == '&') {
            const char *end = strchr(at, ';');
            assert_non_null(end);
            assert_true(end - at <= 6);
        }
        if (*at++ != '<') continue;
        int closing = *at == '/';
        size_t length = strcspn(at + closing, " />");
        char name[20];
        assert_true(length > 0 && length < sizeof name);
        snprintf(name, sizeof name, "%.*s", (int)length, at + closing);
        int quoted = 0;
        for (; *at && (quoted || *at != '>'); at++) {
            if (*at == '"') quoted = !quoted;
            assert_true(*at != '<');
        }
        assert_int_equal(*at, '>');
        if (closing) {
            assert_true(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (at[-1] != '/') {
            assert_true(depth < 100);
            strcpy(open[depth++], name);
        }
    }
    assert_int_equal(depth, 0);
}

/* ---- Scales ---- */

static void assert_round(const struct scale *scale)
{
    for (size_t i = 0; i < scale->ticks; i++) {
        assert_true(isfinite(scale->tick[i]));
        assert_true(scale_holds(scale, scale->tick[i]));
        if (i) assert_true(scale->tick[i] > scale->tick[i - 1]);
        if (scale->tick[i] == 0) continue;
        /* At most two significant digits: 0.25 never, 0.2 and 15 yes. */
        double digits = fabs(scale->tick[i]) / pow(10, floor(log10(fabs(scale->tick[i]))) - 2);
        assert_close(digits / 10, round(digits / 10), 1e-6 * digits);
    }
}

static void ticks_are_round_and_few(void **state)
{
    (void)state;
    const double ranges[][2] = {{0, 1},       {0, 0.37},    {-3, 7},    {0.901, 0.999},
                                {1e-9, 3e-9}, {0, 123456},  {-1, -0.2}, {17, 17.0001},
                                {1, 55},      {-5e12, 9e12}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        for (int rounded = 0; rounded < 2; rounded++) {
            struct scale_range range = scale_nothing(0);
            scale_include(&range, ranges[i][0]);
            scale_include(&range, ranges[i][1]);
            struct scale scale = scale_make(&range, 0, 100, 5, rounded);
            assert_true(scale.ticks >= 2 && scale.ticks <= 9);
            assert_true(scale.low <= ranges[i][0] + 1e-9 * fabs(ranges[i][0]));
            assert_true(scale.high >= ranges[i][1] - 1e-9 * fabs(ranges[i][1]));
            if (i < 6) assert_round(&scale);
            if (rounded) assert_close(scale.tick[0], scale.low, 1e-9 * fabs(scale.low));
            assert_close(scale_place(&scale, scale.low), 0, 1e-9);
            assert_close(scale_place(&scale, scale.high), 100, 1e-9);
        }
}

static void logarithmic_ticks_are_powers(void **state)
{
    (void)state;
    struct scale_range range = scale_nothing(1);
    scale_include(&range, 0); /* not on a logarithmic scale */
    scale_include(&range, -4);
    scale_include(&range, 0.003);
    scale_include(&range, 5000);
    struct scale scale = scale_make(&range, 0, 60, 5, 1);
    assert_int_equal(scale.ticks, 6); /* 0.01 to 1000 */
    for (size_t i = 0; i < scale.ticks; i++)
        assert_close(log10(scale.tick[i]), (double)i - 2, 1e-9);
    assert_false(scale_holds(&scale, 0));
    char label[40];
    scale_label(&scale, 0.01, 0, label, sizeof label);
    assert_string_equal(label, "0.01");
    scale_label(&scale, 1000, 0, label, sizeof label);
    assert_string_equal(label, "1,000");
}

static void odd_ranges_make_a_scale(void **state)
{
    (void)state;
    const double odd[][2] = {{NAN, NAN},      {INFINITY, -INFINITY}, {5, 5},           {0, 0},
                             {-1e308, 1e308}, {5e-324, 1e-323},      {1e20, 1e20 + 1}, {-2, -2},
                             {1e308, 1.7e308}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        for (int log = 0; log < 2; log++) {
            struct scale_range range = scale_nothing(log);
            scale_include(&range, odd[i][0]);
            scale_include(&range, odd[i][1]);
            struct scale scale = scale_make(&range, 10, 20, 5, !log);
            assert_true(scale.low < scale.high);
            assert_true(scale.ticks <= SCALE_MOST_TICKS);
            double middle = scale.low + 0.5 * (scale.high - scale.low);
            double place = scale_place(&scale, middle);
            assert_true(isfinite(place) && place >= 9.99 && place <= 20.01);
        }
}

static void counts_have_commas(void **state)
{
    (void)state;
    const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {999, "999"},
                 {1000, "1,000"},
                 {-1234567, "-1,234,567"},
                 {105919, "105,919"},
                 {1e30, "1e+30"}};
    char out[40];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scale_count(cases[i].value, out, sizeof out);
        assert_string_equal(out, cases[i].text);
    }
}

/* ---- Text ---- */

static void what_a_user_wrote_is_escaped(void **state)
{
    (void)state;
    struct markup out = {0};
    markup_string(&out, "<script>alert('x' & \"y\")</script>");
    assert_string_equal(taken(&out),
                        "&lt;script&gt;alert(&#39;x&#39; &amp; &quot;y&quot;)&lt;/script&gt;");
}

static void bytes_that_are_no_text_are_replaced(void **state)
{
    (void)state;
    const char *const cases[][2] = {
        {"a\x01z", "a\xEF\xBF\xBDz"},
        {"a\x7fz", "a\xEF\xBF\xBDz"},
        {"a\xffz", "a\xEF\xBF\xBDz"},
        {"cut \xc3", "cut \xEF\xBF\xBD"},
        {"\xc0\xaf", "\xEF\xBF\xBD\xEF\xBF\xBD"},                    /* overlong */
        {"\xed\xa0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},    /* a surrogate */
        {"\xef\xbf\xbe", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},    /* U+FFFE: not in XML */
        {"\xf0\x9f\x98\x80 \xd7\x90", "\xf0\x9f\x98\x80 \xd7\x90"}}; /* an emoji, Hebrew */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct markup out = {0};
        markup_string(&out, cases[i][0]);
        assert_string_equal(taken(&out), cases[i][1]);
    }
}

static void long_text_is_cut_between_characters(void **state)
{
    (void)state;
    const char *text = "\xc3\xa4\xc3\xb6\xc3\xbc"; /* three of two bytes */
    const char *const shown[] = {"\xE2\x80\xA6",
                                 "\xE2\x80\xA6",
                                 "\xc3\xa4\xE2\x80\xA6",
                                 "\xc3\xa4\xE2\x80\xA6",
                                 NULL,
                                 NULL,
                                 text};
    for (size_t most = 0; most < 7; most++) {
        struct markup out = {0};
        if (!shown[most]) continue;
        markup_text(&out, text_of(text), most);
        assert_string_equal(taken(&out), shown[most]);
    }
}

/* The address of a link with its %XX decoded. */
static void decode(const char *link, char *out)
{
    const char *at = strstr(link, "utf-8,") + 6;
    for (; *at && *at != '"'; at++) {
        unsigned code = (unsigned char)*at;
        if (*at == '%') {
            assert_int_equal(sscanf(at + 1, "%2x", &code), 1);
            at += 2;
        }
        *out++ = (char)code;
    }
    *out = 0;
}

static void tables_are_csv_and_never_formulas(void **state)
{
    (void)state;
    struct markup out = {0};
    char table[2000];
    const char *const cells[] = {"plain",  "a,b",     "say \"hi\"", "two\nlines",   "=1+1",
                                 "-cmd|x", "\" onx=", "<b>&",       "50 % \xc3\xa9"};
    markup_csv_begin(&out, "t");
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        markup_csv_text(&out, text_of(cells[i]));
        markup_csv_comma(&out);
        markup_csv_number(&out, i == 1 ? NAN : -0.25 * (double)i);
        markup_csv_row(&out);
    }
    markup_csv_end(&out);
    char *link = taken(&out);
    assert_well_formed(link);
    decode(link, table);
    assert_string_equal(table, "plain,-0\n\"a,b\",\n\"say \"\"hi\"\"\",-0.5\n\"two\nlines\",-0.75\n"
                               "\"'=1+1\",-1\n\"'-cmd|x\",-1.25\n\"\"\" onx=\",-1.5\n<b>&,-1.75\n"
                               "50 % \xc3\xa9,-2\n");
}

/* ---- Plots ---- */

static struct plot simple(const struct plot_series *series, size_t count)
{
    return (struct plot){.id = "p",
                         .title = "A <title>",
                         .about = "About & more",
                         .x = {.title = "x \"quoted\""},
                         .y = {.title = "y"},
                         .series = series,
                         .count = count};
}

static size_t occurrences(const char *page, const char *what)
{
    size_t count = 0;
    for (const char *at = page; (at = strstr(at, what)); at++) count++;
    return count;
}

static void every_kind_is_drawn(void **state)
{
    (void)state;
    double x[] = {1, 2, 3, 4}, y[] = {0.5, -1, 2, 1};
    film_text label[] = {text_of("<one>"), text_of("two"), text_of("three"), text_of("four")};
    struct plot_series series[] = {
        {.name = "line", .kind = PLOT_LINE, .colour = 1, .x = x, .y = y, .count = 4},
        {.name = "points",
         .kind = PLOT_POINTS,
         .colour = 2,
         .x = x,
         .y = y,
         .count = 4,
         .label = label},
        {.name = "bars", .kind = PLOT_BARS, .colour = 3, .x = x, .y = y, .count = 4},
        {.name = "stems", .kind = PLOT_STEMS, .colour = 4, .x = x, .y = y, .count = 4}};
    struct plot_mark mark = {2.5, "here"};
    struct plot plot = simple(series, 4);
    struct markup out = {0};
    plot.marks = &mark;
    plot.mark_count = 1;
    plot_write(&out, &plot);
    const char *page = taken(&out);
    assert_well_formed(page);
    assert_int_equal(occurrences(page, "<circle"), 8);
    assert_int_equal(occurrences(page, "<rect"), 4);
    assert_int_equal(occurrences(page, "class=\"stem"), 4);
    assert_int_equal(occurrences(page, "class=\"line s1\""), 1);
    assert_int_equal(occurrences(page, "class=\"key\""), 4);
    assert_non_null(strstr(page, "<title>&lt;one&gt;</title>"));
    assert_non_null(strstr(page, "x &quot;quoted&quot;"));
    assert_null(strstr(page, "nan"));
}

static void gaps_split_a_line(void **state)
{
    (void)state;
    double x[] = {1, 2, 3, 4, 5}, y[] = {1, 2, NAN, INFINITY, 3};
    struct plot_series series = {
        .name = "s", .kind = PLOT_LINE, .colour = 1, .x = x, .y = y, .count = 5};
    struct plot plot = simple(&series, 1);
    struct markup out = {0};
    plot_write(&out, &plot);
    const char *page = taken(&out);
    const char *line = strstr(page, "class=\"line s1\" d=\"");
    assert_non_null(line);
    char path[200];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(line + 19, "\""), line + 19);
    assert_int_equal(occurrences(path, "M"), 2);
    assert_int_equal(occurrences(path, "L"), 1);
    assert_null(strstr(page, "nan"));
    assert_null(strstr(page, "inf"));
    char table[500];
    decode(strstr(page, "class=\"csv\""), table);
    assert_string_equal(table, "series,\"x \"\"quoted\"\"\",y\ns,1,1\ns,2,2\ns,5,3\n");
}

static void nothing_to_draw_is_not_drawn(void **state)
{
    (void)state;
    double none[] = {NAN, INFINITY, -INFINITY}, one[] = {1, 2, 3}, zero[] = {0, 0, 0};
    struct plot_series cases[] = {
        {.name = "empty", .kind = PLOT_LINE, .colour = 1, .x = one, .y = one, .count = 0},
        {.name = "y", .kind = PLOT_POINTS, .colour = 1, .x = one, .y = none, .count = 3},
        {.name = "x", .kind = PLOT_BARS, .colour = 1, .x = none, .y = one, .count = 3},
        {.name = "log", .kind = PLOT_LINE, .colour = 1, .x = one, .y = zero, .count = 3}};
    for (size_t i = 0; i < 5; i++) {
        struct plot plot = simple(i < 4 ? &cases[i] : NULL, i < 4);
        struct markup out = {0};
        plot.y.log = i == 3;
        plot_write(&out, &plot);
        assert_int_equal(out.length, 0);
        markup_free(&out);
    }
    struct plot_heat heat = {
        .id = "h", .title = "heat", .x_title = "x", .y_title = "y", .value_title = "v"};
    struct markup out = {0};
    plot_heat_write(&out, &heat);
    assert_int_equal(out.length, 0);
    markup_free(&out);
}

static void one_value_is_enough(void **state)
{
    (void)state;
    double x = 7, y = 0;
    for (int kind = PLOT_LINE; kind <= PLOT_STEMS; kind++)
        for (int bare = 0; bare < 2; bare++) {
            struct plot_series series = {
                .name = "s", .kind = kind, .colour = 1, .x = &x, .y = &y, .count = 1};
            film_text name = text_of("a&b");
            struct plot plot = simple(&series, 1);
            struct markup out = {0};
            plot.bare = bare;
            plot.names = bare ? &name : NULL;
            plot.name_count = 1;
            plot_write(&out, &plot);
            const char *page = taken(&out);
            assert_well_formed(page);
            assert_non_null(strstr(page, "<svg"));
            assert_null(strstr(page, "nan"));
        }
}

static void heat_cells_have_their_sign(void **state)
{
    (void)state;
    double x[] = {0, 1, 4}, y[] = {0, 2, 3}, value[] = {0.5, -1, NAN, 0};
    struct plot_heat heat = {.id = "h",
                             .title = "heat",
                             .x_title = "x",
                             .y_title = "y",
                             .value_title = "v",
                             .x_edge = x,
                             .y_edge = y,
                             .columns = 2,
                             .rows = 2,
                             .value = value};
    struct markup out = {0};
    plot_heat_write(&out, &heat);
    const char *page = taken(&out);
    assert_well_formed(page);
    assert_int_equal(occurrences(page, "<rect"), 3); /* NaN has no colour */
    assert_int_equal(occurrences(page, "<rect class=\"f2\""), 1);
    const char *const names[] = {"said <same>", "said different"};
    double counts[] = {12345, 2, 3, 4};
    heat.x_names = heat.y_names = names;
    heat.value = counts;
    plot_heat_write(&out, &heat);
    page = taken(&out);
    assert_well_formed(page);
    assert_non_null(strstr(page, ">12,345</text>"));
    assert_int_equal(occurrences(page, "<rect class=\"f2\""), 2); /* off the diagonal */
}

static film_status draw(const struct plot *plot)
{
    struct markup out = {0};
    plot_write(&out, plot);
    film_status status = out.failed ? FILM_NO_MEMORY : FILM_OK;
    markup_free(&out);
    return status;
}

static void without_memory_it_fails_and_reports_it(void **state)
{
    (void)state;
    double x[] = {1, 2, 3};
    struct plot_series series = {
        .name = "s", .kind = PLOT_STEMS, .colour = 1, .x = x, .y = x, .count = 3};
    struct plot plot = simple(&series, 1);
    survives_every_failure(draw(&plot));
    assert_true(failures_survived > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_round_and_few),
        cmocka_unit_test(logarithmic_ticks_are_powers),
        cmocka_unit_test(odd_ranges_make_a_scale),
        cmocka_unit_test(counts_have_commas),
        cmocka_unit_test(what_a_user_wrote_is_escaped),
        cmocka_unit_test(bytes_that_are_no_text_are_replaced),
        cmocka_unit_test(long_text_is_cut_between_characters),
        cmocka_unit_test(tables_are_csv_and_never_formulas),
        cmocka_unit_test(every_kind_is_drawn),
        cmocka_unit_test(gaps_split_a_line),
        cmocka_unit_test(nothing_to_draw_is_not_drawn),
        cmocka_unit_test(one_value_is_enough),
        cmocka_unit_test(heat_cells_have_their_sign),
        cmocka_unit_test(without_memory_it_fails_and_reports_it),
    };
    return cmocka_run_group_tests_name("plot", tests, NULL, NULL);
}
