/* Tests what would change a verdict on records: every edit is applied here to names and values,
 * judged again by film_match, and cannot be left out; a brute-force search over all edits of one
 * word or one value, and over pairs of them, finds nothing smaller. */
#include "testing.h"

#include "base/rng.h"
#include "film_explain.h"
#include "film_train.h"

enum { FIELDS = 3, SIZE = 120, MOST_EDITS = 400 };
static const char *const names[FIELDS] = {"title", "brand", "price"};

#define N "\x1e"
#define V "\x1f"

static film_error error;
static film_model *model;
static film_context *context, *second;

/* A record; an empty value is missing. */
struct product {
    char value[FIELDS][SIZE];
};

static const char *const brands[] = {"Canon", "Sony", "Nikon", "Leica"};
static const char *const kinds[] = {"camera", "lens", "flash", "tripod", "charger"};

static struct product random_product(struct rng *rng)
{
    struct product p;
    const char *brand = brands[rng_below(rng, 4)];
    snprintf(p.value[0], SIZE, "%s %s %c%c%u", brand, kinds[rng_below(rng, 5)],
             (char)('A' + rng_below(rng, 5)), (char)('A' + rng_below(rng, 5)),
             100 + (unsigned)rng_below(rng, 30));
    snprintf(p.value[1], SIZE, "%s", brand);
    snprintf(p.value[2], SIZE, "%u.50", 10 + (unsigned)rng_below(rng, 300));
    return p;
}

/* The same product in another shop, or one that looks like it. */
static struct product other_shop(struct rng *rng, const struct product *p, int same)
{
    struct product q = same ? *p : random_product(rng);
    double price = strtod(p->value[2], NULL);
    if (!same && rng_below(rng, 2)) snprintf(q.value[1], SIZE, "%s", p->value[1]);
    if (same) snprintf(q.value[2], SIZE, "%.2f", price * (0.9 + 0.02 * (double)rng_below(rng, 11)));
    if (rng_below(rng, 3) == 0) strncat(q.value[0], " black", 10);
    if (rng_below(rng, 4) == 0) q.value[1 + rng_below(rng, 2)][0] = 0;
    return q;
}

static void write_product(FILE *out, const char *side, const struct product *p)
{
    for (int f = 0; f < FIELDS; f++)
        fprintf(out, ", \"%s_%s\": \"%s\"", side, names[f], p->value[f]);
}

static int set_up(void **state)
{
    (void)state;
    const char *path = scratch("products.jsonl");
    film_train_options options = {.size = sizeof options, .dim = 12, .threads = 2};
    FILE *out = fopen(path, "w");
    struct rng rng;
    rng_seed(&rng, 5);
    for (int i = 0; i < 240; i++) {
        struct product p = random_product(&rng), q = other_shop(&rng, &p, i % 2);
        fprintf(out, "{\"label\": %d", i % 2);
        write_product(out, "left", &p);
        write_product(out, "right", &q);
        fprintf(out, "}\n");
    }
    assert_int_equal(fclose(out), 0);
    assert_ok(film_train(&path, 1, &options, &model, &error));
    unlink(path);
    assert_int_equal(film_field_count(model), FIELDS);
    assert_ok(film_context_new(model, &context, &error));
    assert_ok(film_context_new(model, &second, &error));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    film_context_free(context);
    film_context_free(second);
    film_close(model);
    return 0;
}

static char *text_of(const struct product *p)
{
    film_text name[FIELDS], value[FIELDS];
    char *text;
    for (int f = 0; f < FIELDS; f++) {
        name[f] = film_string(names[f]);
        value[f] = film_string(p->value[f]);
    }
    assert_ok(film_record_text(name, value, FIELDS, &text, &error));
    return text;
}

static int judge(const struct product *pair, double *probability)
{
    char *a = text_of(&pair[0]), *b = text_of(&pair[1]);
    film_verdict verdict;
    assert_ok(film_match(second, film_string(a), film_string(b), &verdict, &error));
    if (probability) *probability = verdict.probability;
    film_free(a);
    film_free(b);
    return verdict.same;
}

/* ---- The edits that were found, applied by their names and spans ---- */

static int field_number_of(film_text name)
{
    for (int f = 0; f < FIELDS; f++)
        if (name.length == strlen(names[f]) && memcmp(name.bytes, names[f], name.length) == 0)
            return f;
    fail_msg("%.*s is no field", (int)name.length, name.bytes);
    return 0;
}

/* Where the value of a field begins in the text of a record. */
static size_t value_start(film_text text, int field)
{
    film_text name, value;
    for (size_t at = 0; film_record_next(text, &at, &name, &value);)
        if (field_number_of(name) == field) return (size_t)(value.bytes - text.bytes);
    fail();
    return 0;
}

static void splice(char *value, size_t start, size_t end, film_text by)
{
    char rest[SIZE];
    assert_true(start <= end && end <= strlen(value) && strlen(value) + by.length < SIZE);
    snprintf(rest, sizeof rest, "%s", value + end);
    snprintf(value + start, SIZE - start, "%.*s%s", (int)by.length, by.length ? by.bytes : "",
             rest);
}

/* Edits come in the order of the text: those of one value are applied from the last on. */
static void apply_edit(const film_explanation *why, const film_text_edit *edit,
                       struct product *pair)
{
    int side = edit->side == 'b', field = field_number_of(edit->field);
    char *value = pair[side].value[field];
    if (edit->value) {
        assert_int_equal(edit->text.length, strlen(value));
        snprintf(value, SIZE, "%.*s", (int)edit->by.length, edit->by.length ? edit->by.bytes : "");
        return;
    }
    size_t start = value_start(side ? why->b : why->a, field);
    splice(value, edit->start - start, edit->end - start, edit->by);
}

static void check_record_reversal(const film_explanation *why, const film_reversal *reversal,
                                  const struct product *pair)
{
    for (size_t skipped = 0; skipped <= reversal->edit_count; skipped++) {
        struct product edited[2] = {pair[0], pair[1]};
        double probability;
        if (reversal->edit_count == 1 && skipped == 0) continue;
        for (size_t e = reversal->edit_count; e-- > 0;)
            if (e != skipped) apply_edit(why, &reversal->edits[e], edited);
        int all = skipped == reversal->edit_count;
        assert_int_equal(judge(edited, &probability), all ? !why->verdict.same : why->verdict.same);
    }
    film_verdict verdict; /* the records that are shown have the probability that is shown */
    assert_ok(film_match(second, reversal->a, reversal->b, &verdict, &error));
    assert_true(verdict.probability == reversal->probability);
    assert_int_equal(verdict.same, !why->verdict.same);
}

/* ---- Brute force: all edits of size 1, as closures over values ---- */

struct small_edit {
    int side, field;
    char value[SIZE]; /* after the edit */
};

static void add_small(struct small_edit *list, size_t *count, int side, int field,
                      const char *value)
{
    assert_true(*count < MOST_EDITS);
    list[*count] = (struct small_edit){.side = side, .field = field};
    snprintf(list[(*count)++].value, SIZE, "%s", value);
}

/* Splits a title into words; returns their number. */
static size_t split_title(const char *title, char out[8][SIZE])
{
    size_t count = 0;
    char copy[SIZE];
    snprintf(copy, sizeof copy, "%.*s", SIZE - 1, title);
    for (char *word = strtok(copy, " "); word && count < 8; word = strtok(NULL, " "))
        snprintf(out[count++], SIZE, "%s", word);
    return count;
}

static void join_title(char words[8][SIZE], size_t count, size_t changed, const char *by, char *out)
{
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < count; i++) {
        const char *word = i == changed ? by : words[i];
        if (*word) used += (size_t)snprintf(out + used, SIZE - used, "%s%s", used ? " " : "", word);
    }
}

/* Brand and price: the other's value, or none. Title: a word less, or, where the verdict is
 * "different", a word at the same place of the other title. */
static size_t list_small(const struct product *pair, int same, struct small_edit *list)
{
    size_t count = 0;
    char words[2][8][SIZE], joined[SIZE];
    size_t length[2];
    for (int side = 0; side < 2; side++)
        length[side] = split_title(pair[side].value[0], words[side]);
    for (int side = 0; side < 2; side++) {
        for (int field = 1; field < FIELDS; field++) {
            const char *own = pair[side].value[field], *other = pair[!side].value[field];
            if (!same && strcmp(own, other) != 0 && *other)
                add_small(list, &count, side, field, other);
            if (*own && (same || !*other)) add_small(list, &count, side, field, "");
        }
        for (size_t i = 0; same && length[side] > 1 && i < length[side]; i++) {
            join_title(words[side], length[side], i, "", joined);
            add_small(list, &count, side, 0, joined);
        }
        for (size_t i = 0; !same && i < length[0] && i < length[1]; i++) {
            if (strcmp(words[0][i], words[1][i]) == 0) continue;
            join_title(words[side], length[side], i, words[!side][i], joined);
            add_small(list, &count, side, 0, joined);
        }
    }
    return count;
}

static int reverses(const struct product *pair, const struct small_edit *x,
                    const struct small_edit *y, int same)
{
    struct product edited[2] = {pair[0], pair[1]};
    if (y && x->side == y->side && x->field == y->field) return 0;
    if (y && x->field == y->field) return 0; /* one takes what the other changes */
    snprintf(edited[x->side].value[x->field], SIZE, "%s", x->value);
    if (y) snprintf(edited[y->side].value[y->field], SIZE, "%s", y->value);
    return judge(edited, NULL) != same;
}

/* The smallest number of words, 1 or 2, by brute force; 3: neither. */
static size_t smallest(const struct product *pair, int same)
{
    static struct small_edit list[MOST_EDITS];
    size_t count = list_small(pair, same, list);
    for (size_t i = 0; i < count; i++)
        if (reverses(pair, &list[i], NULL, same)) return 1;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            if (reverses(pair, &list[i], &list[j], same)) return 2;
    return 3;
}

static void reversals_of_records_are_real_and_small(void **state)
{
    (void)state;
    struct rng rng;
    size_t sizes[4] = {0}, found = 0, values = 0, words = 0;
    rng_seed(&rng, 77);
    for (int i = 0; i < 80; i++) {
        struct product pair[2] = {random_product(&rng)};
        pair[1] = other_shop(&rng, &pair[0], i % 2);
        char *a = text_of(&pair[0]), *b = text_of(&pair[1]);
        film_explanation why = {.size = sizeof why};
        assert_ok(film_explain_pair(context, film_string(a), film_string(b), &why, &error));
        assert_ok(film_explain_reversals(context, 0, &why, &error));
        assert_true(why.causes && why.judgements <= 200);
        for (size_t r = 0; r < why.reversal_count; r++) {
            check_record_reversal(&why, &why.reversals[r], pair);
            for (size_t e = 0; e < why.reversals[r].edit_count; e++)
                *(why.reversals[r].edits[e].value ? &values : &words) += 1;
        }
        size_t best = smallest(pair, why.verdict.same);
        sizes[best]++;
        found += why.reversal_count > 0;
        if (best < 3) assert_true(why.reversal_count && why.reversals[0].words <= best);
        film_free(a);
        film_free(b);
    }
    assert_true(found > 75 && values > 5 && words > 20);
    assert_true(sizes[1] > 3 && sizes[2] > 3);
}

/* ---- Differences, by field ---- */

static void records_differ_field_by_field(void **state)
{
    (void)state;
    const struct product pair[2] = {{{"Canon lens AB123 black", "Canon", "10.50"}},
                                    {{"Canon lens AC123 black new", "", "12.00"}}};
    static const char *const wanted[] = {"title AB123/AC123", "title /new", "brand Canon/",
                                         "price 10.50/12.00"};
    char *a = text_of(&pair[0]), *b = text_of(&pair[1]), got[100];
    film_explanation why = {.size = sizeof why};
    assert_ok(film_explain_pair(context, film_string(a), film_string(b), &why, &error));
    assert_int_equal(why.difference_count, 4);
    for (size_t w = 0; w < 4; w++) {
        size_t i = 0;
        for (; i < 4; i++) {
            const film_word_difference *d = &why.differences[i];
            snprintf(got, sizeof got, "%.*s %.*s/%.*s", (int)d->field.length, d->field.bytes,
                     (int)d->a.length, d->a.bytes, (int)d->b.length, d->b.bytes);
            if (strcmp(got, wanted[w]) == 0) break;
        }
        if (i == 4) fail_msg("%s", wanted[w]);
    }
    film_free(a);
    film_free(b);
}

/* A sentence beside a record is its first field; equal records differ nowhere. */
static void sentences_and_empty_records_are_explained_too(void **state)
{
    (void)state;
    static const char *const texts[] = {"Canon lens AB123", "", N "title" V "Canon",
                                        N "colour" V "red", N "price" V "***"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) {
            film_explanation why = {.size = sizeof why};
            char *json;
            assert_ok(film_explain_pair(context, film_string(texts[i]), film_string(texts[j]), &why,
                                        &error));
            if (i == j) assert_int_equal(why.difference_count, 0);
            if (why.word_count) assert_ok(film_explain_reversals(context, 0, &why, &error));
            assert_ok(film_explanation_json(&why, 3, &json, NULL, &error));
            film_free(json);
        }
}

static film_status find_again(film_error *failure)
{
    film_context *fresh = NULL;
    film_explanation why = {.size = sizeof why};
    film_status status = film_context_new(model, &fresh, failure);
    if (status == FILM_OK)
        status = film_explain_pair(
            fresh, film_string(N "title" V "Canon lens AB123" N "brand" V "Canon"),
            film_string(N "title" V "Canon lens AB124" N "price" V "10"), &why, failure);
    if (status == FILM_OK) status = film_explain_reversals(fresh, 0, &why, failure);
    film_context_free(fresh);
    return status;
}

static void a_search_over_records_survives_every_failure(void **state)
{
    (void)state;
    survives_every_failure(find_again(&error));
}

/* ---- Which records a model takes ---- */

static void unknown_fields_are_refused_by_name(void **state)
{
    (void)state;
    assert_ok(film_record_check(model, film_string(N "Title" V "Canon"), &error));
    assert_ok(film_record_check(model, film_string("a sentence"), &error));
    film_text coloured = film_string(N "title" V "Canon" N "colour" V "red");
    assert_int_equal(film_record_check(model, coloured, &error), FILM_BAD_INPUT);
    assert_string_equal(error.message,
                        "unknown field \"colour\"; fields of the model: title, brand, price");
    assert_int_equal(film_record_check(model, film_string(""), &error), FILM_BAD_INPUT);
    assert_string_equal(error.message,
                        "the record has no value; fields of the model: title, brand, price");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reversals_of_records_are_real_and_small),
        cmocka_unit_test(records_differ_field_by_field),
        cmocka_unit_test(sentences_and_empty_records_are_explained_too),
        cmocka_unit_test(a_search_over_records_survives_every_failure),
        cmocka_unit_test(unknown_fields_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
