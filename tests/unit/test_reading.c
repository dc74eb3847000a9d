/* Tests pair/reading against comparing every word with every other. */
#include "testing.h"
#include "vocabulary.h"

#include "pair/reading.h"

static film_error error;
static struct vocabulary vocabulary;
static const char SENTENCES[] = "the card is lost\nthe card is stolen\nthe parcel is late\n"
                                "where is the parcel\nthe man bites the dog\nthe dog is not here";

static void read_pair(struct reading *reading, const char *a, const char *b)
{
    assert_ok(reading_read(reading, film_string(a), film_string(b), &error));
}

static int is_word(const struct reading *reading, int side, size_t at, const char *word)
{
    film_text text = reading_text(reading, side, at);
    return text.length == strlen(word) && memcmp(text.bytes, word, text.length) == 0;
}

/* The index of a word in a sentence; it must be there. */
static size_t place_of(const struct reading *reading, int side, const char *word)
{
    for (size_t i = 0; i < reading->side[side].count; i++)
        if (is_word(reading, side, i, word)) return i;
    fail_msg("no word %s", word);
    return 0;
}

static unsigned flags_of(const struct reading *reading, int side, const char *word)
{
    return reading->side[side].words[place_of(reading, side, word)].flags &
           (WORD_NUMBER | WORD_NEGATION | WORD_QUESTION);
}

static int same_text(film_text a, film_text b)
{
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/* Checks everything that the header promises with a slow reference. */
static void check_reading(const struct reading *reading)
{
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < reading->side[s].count; i++) {
            const struct reading_word *word = &reading->side[s].words[i];
            film_text text = reading_text(reading, s, i);
            size_t rank = 0, seen = 0;
            uint32_t first[2] = {READING_NONE, READING_NONE}, partner = READING_NONE;
            for (size_t k = 0; k < i; k++) rank += same_text(reading_text(reading, s, k), text);
            for (int t = 0; t < 2; t++)
                for (size_t k = 0; k < reading->side[t].count; k++) {
                    int equal = same_text(reading_text(reading, t, k), text);
                    assert_int_equal(reading->side[t].words[k].number == word->number, equal);
                    if (equal && first[t] == READING_NONE) first[t] = (uint32_t)k;
                    if (equal && t != s && seen++ == rank) partner = (uint32_t)k;
                }
            assert_int_equal(word->partner, partner);
            assert_true(word->number < reading->numbers);
            assert_int_equal(reading->first[0][word->number], first[0]);
            assert_int_equal(reading->first[1][word->number], first[1]);
            assert_int_equal(reading_is_shared(reading, word->number),
                             first[0] != READING_NONE && first[1] != READING_NONE);
            uint32_t id =
                strtab_find(&vocabulary.features.vocabulary[GROUP_WORD], text.bytes, text.length);
            assert_int_equal(word->id, id);
            assert_true(word->rarity >= 0 && word->rarity <= 1);
            if (id == STRTAB_NONE) assert_true(word->rarity == 1);
        }
}

static void equal_words_have_equal_numbers_and_partners_in_order(void **state)
{
    (void)state;
    struct reading reading;
    assert_ok(reading_init(&reading, &vocabulary.encoder, &error));
    read_pair(&reading, "card the card zork card", "the card, zork, the CARD!");
    assert_false(reading.swapped);
    static const uint32_t partner[2][5] = {{1, 0, 4, 2, READING_NONE}, {1, 0, 3, READING_NONE, 2}};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 5; i++)
            assert_int_equal(reading.side[s].words[i].partner, partner[s][i]);
    assert_int_equal(reading.numbers, 3);
    assert_int_equal(reading.side[0].words[3].id, READING_NONE); /* zork is unknown */
    assert_int_equal(reading.side[0].words[3].number, reading.side[1].words[2].number);
    check_reading(&reading);
    reading_free(&reading);
    reading_free(&reading);
}

static void random_pairs_agree_with_comparing_every_word_with_every_other(void **state)
{
    (void)state;
    static const char *const words[] = {"the", "card", "is", "zork", "blorp", "not", "7", "dog"};
    struct reading reading;
    struct rng rng;
    char a[200], b[200];
    rng_seed(&rng, 5);
    assert_ok(reading_init(&reading, &vocabulary.encoder, &error));
    for (int i = 0; i < 1500; i++) { /* one scratch for all: no state is left over */
        random_sentence(&rng, words, 8, 14, a, sizeof a);
        random_sentence(&rng, words, 8, 14, b, sizeof b);
        read_pair(&reading, a, b);
        check_reading(&reading);
    }
    reading_free(&reading);
}

static void words_say_what_they_are(void **state)
{
    (void)state;
    struct reading reading;
    assert_ok(reading_init(&reading, &vocabulary.encoder, &error));
    read_pair(&reading, "a: Why don't I pay 30 or b2b? Never without cash",
              "z: which one is noon, knot or whatever");
    assert_false(reading.swapped);
    assert_int_equal(flags_of(&reading, 0, "why"), WORD_QUESTION);
    assert_int_equal(flags_of(&reading, 0, "do"), 0);
    assert_int_equal(flags_of(&reading, 0, "not"), WORD_NEGATION);
    assert_int_equal(flags_of(&reading, 0, "30"), WORD_NUMBER);
    assert_int_equal(flags_of(&reading, 0, "b2b"), WORD_NUMBER);
    assert_int_equal(flags_of(&reading, 0, "never"), WORD_NEGATION);
    assert_int_equal(flags_of(&reading, 0, "without"), WORD_NEGATION);
    assert_int_equal(flags_of(&reading, 0, "cash"), 0);
    assert_int_equal(flags_of(&reading, 1, "which"), WORD_QUESTION);
    assert_int_equal(flags_of(&reading, 1, "noon"), 0); /* whole words only */
    assert_int_equal(flags_of(&reading, 1, "knot"), 0);
    assert_int_equal(flags_of(&reading, 1, "whatever"), 0);
    read_pair(&reading, "can't won't", "n\xc3\xa3o vou, ich will nicht");
    assert_true(is_word(&reading, 0, 0, "can") && is_word(&reading, 0, 2, "will"));
    assert_int_equal(reading.side[0].words[1].flags, WORD_NEGATION);
    assert_int_equal(reading.side[0].words[3].flags, WORD_NEGATION);
    assert_int_equal(flags_of(&reading, 1, "n\xc3\xa3o"),
                     WORD_NEGATION); /* the fold keeps accents */
    assert_int_equal(flags_of(&reading, 1, "nicht"), WORD_NEGATION);
    reading_free(&reading);
}

static void rarity_follows_the_idf(void **state)
{
    (void)state;
    struct reading reading;
    assert_ok(reading_init(&reading, &vocabulary.encoder, &error));
    read_pair(&reading, "the is lost", "zork");
    const struct reading_word *words = reading.side[0].words;
    /* All 6 sentences have "the", 5 "is", one "lost". */
    assert_close(words[0].rarity, 0, 1e-7);
    assert_close(words[1].rarity, log(7.0 / 6) / log(7.0 / 2), 1e-6);
    assert_close(words[2].rarity, 1, 1e-6);
    assert_true(reading.side[1].words[0].rarity == 1);
    reading_free(&reading);
    struct vocabulary flat; /* all words equally rare: no division by zero */
    vocabulary_fit(&flat, FILM_WORD, "same words\nwords same");
    assert_ok(reading_init(&reading, &flat.encoder, &error));
    read_pair(&reading, "same", "words words");
    assert_true(reading.side[0].words[0].rarity == 0);
    assert_true(reading.side[1].words[1].rarity == 0);
    reading_free(&reading);
    vocabulary_free(&flat);
}

static void the_hash_is_of_the_words_in_their_order(void **state)
{
    (void)state;
    struct reading reading;
    assert_ok(reading_init(&reading, &vocabulary.encoder, &error));
    read_pair(&reading, "What's it?", "what 's it ?");
    assert_true(reading.side[0].hash == reading.side[1].hash);
    uint64_t kept = reading.side[0].hash;
    read_pair(&reading, "zzz other", "WHAT'S IT"); /* with any partner, on either side */
    assert_true(reading.side[reading.swapped ? 0 : 1].hash == kept);
    static const char *const others[][2] = {{"man bites dog", "dog bites man"},
                                            {"a b", "b a"},
                                            {"a", "a a"},
                                            {"a a", "a a a"},
                                            {"a b c d", "a c b d"},
                                            {"ab c", "a bc"},
                                            {"zork", "blorp"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        read_pair(&reading, others[i][0], others[i][1]);
        assert_true(reading.side[0].hash != reading.side[1].hash);
        assert_true(reading.side[0].hash != 0 && reading.side[1].hash != 0);
    }
    reading_free(&reading);
}

static void swapped_sentences_read_the_same_to_the_last_bit(void **state)
{
    (void)state;
    enum { DIM = 5, SOME = 300 };
    static const char *const words[] = {"the", "card", "is", "zork", "The", "parcel", "what's"};
    static char some[SOME][200];
    struct reading one, two;
    struct rng rng;
    char a[200], b[200];
    size_t cells = (size_t)features_count(&vocabulary.features) * DIM;
    float *map = malloc(cells * sizeof *map);
    rng_seed(&rng, 9);
    for (size_t i = 0; i < cells; i++) map[i] = (float)rng_normal(&rng);
    struct encoder encoder = {&vocabulary.features, {.rows = map}, DIM, FILM_COSINE};
    assert_ok(reading_init(&one, &encoder, &error));
    assert_ok(reading_init(&two, &encoder, &error));
    for (int i = 0; i < 500; i++) {
        random_sentence(&rng, words, 7, 10, a, sizeof a);
        random_sentence(&rng, words, 7, 10, b, sizeof b);
        read_pair(&one, a, b);
        read_pair(&two, b, a);
        assert_int_equal(one.swapped, strcmp(b, a) < 0);
        assert_int_equal(two.swapped, strcmp(a, b) < 0);
        assert_int_equal(one.numbers, two.numbers);
        for (int s = 0; s < 2; s++) {
            const struct reading_side *left = &one.side[s], *right = &two.side[s];
            assert_int_equal(left->count, right->count);
            assert_true(left->hash == right->hash);
            assert_int_equal(left->row.count, right->row.count);
            assert_memory_equal(left->vector, right->vector, DIM * sizeof(float));
            for (size_t k = 0; k < left->row.count; k++) {
                assert_int_equal(left->row.id[k], right->row.id[k]);
                assert_true(left->row.value[k] == right->row.value[k]);
            }
            for (size_t k = 0; k < left->count; k++)
                assert_memory_equal(&left->words[k], &right->words[k],
                                    offsetof(struct reading_word, text));
        }
    }
    for (int i = 0; i < SOME; i++) random_sentence(&rng, words, 7, 10, some[i], sizeof *some);
    /* A sentence of the pair before, or one that is kept, is not read again; the result is that of
     * a new reading. */
    for (int i = 0; i < 2000; i++) {
        if (i == 500) assert_ok(reading_keep(&one, &error));
        if (rng_below(&rng, 2)) strcpy(a, some[rng_below(&rng, SOME)]);
        if (rng_below(&rng, 2)) strcpy(b, some[rng_below(&rng, SOME)]);
        char *here = rng_below(&rng, 2) ? a : b;
        reading_forget(&two);
        read_pair(&one, here, here == a ? b : a);
        read_pair(&two, here, here == a ? b : a);
        for (int s = 0; s < 2; s++) {
            assert_int_equal(one.side[s].row.count, two.side[s].row.count);
            assert_memory_equal(one.side[s].row.id, two.side[s].row.id,
                                one.side[s].row.count * sizeof(uint32_t));
            assert_memory_equal(one.side[s].vector, two.side[s].vector, DIM * sizeof(float));
            for (size_t k = 0; k < one.side[s].count; k++)
                assert_memory_equal(&one.side[s].words[k], &two.side[s].words[k],
                                    offsetof(struct reading_word, text));
        }
        assert_memory_equal(one.features.first_shared, two.features.first_shared,
                            sizeof one.features.first_shared);
    }
    reading_free(&one);
    reading_free(&two);
    free(map);
}

static void a_sentence_without_words_has_no_hash(void **state)
{
    (void)state;
    struct reading reading;
    assert_ok(reading_init(&reading, &vocabulary.encoder, &error));
    assert_ok(reading_read(&reading, (film_text){NULL, 0}, (film_text){NULL, 0}, &error));
    assert_int_equal(reading.side[0].count + reading.side[1].count, 0);
    read_pair(&reading, "the card", "?!");
    assert_true(reading.swapped); /* "?" sorts before "t" */
    assert_int_equal(reading.side[0].count, 0);
    assert_int_equal(reading.side[1].count, 2);
    assert_true(reading.side[0].hash == 0 && reading.side[1].hash != 0);
    assert_int_equal(reading.side[1].words[0].partner, READING_NONE);
    check_reading(&reading);
    read_pair(&reading, "", "...");
    assert_true(reading.side[0].hash == 0 && reading.side[1].hash == 0);
    assert_int_equal(reading.numbers, 0);
    assert_int_equal(reading_read(&reading, film_string("\xff"), film_string("a"), &error),
                     FILM_BAD_INPUT);
    read_pair(&reading, "the card", "the card"); /* works again after a bad one */
    check_reading(&reading);
    reading_free(&reading);
}

/* Random words "w0" .. "w499": the K-th occurrence pairs with the K-th of the other sentence. */
static void ten_thousand_words_find_their_partners(void **state)
{
    (void)state;
    enum { LENGTH = 10000, KINDS = 500 };
    struct reading reading;
    struct rng rng;
    char *text[2];
    unsigned *kind[2];
    uint32_t(*places)[LENGTH] = malloc(KINDS * sizeof *places);
    uint32_t count[KINDS] = {0}, seen[KINDS] = {0};
    rng_seed(&rng, 21);
    for (int s = 0; s < 2; s++) {
        size_t used = (size_t)sprintf(text[s] = malloc(8 * LENGTH + 20), "%d ", s);
        kind[s] = malloc(LENGTH * sizeof **kind);
        for (int i = 0; i < LENGTH; i++) {
            kind[s][i] = (unsigned)rng_below(&rng, KINDS);
            used += (size_t)sprintf(text[s] + used, "w%u ", kind[s][i]);
        }
    }
    for (uint32_t i = 0; i < LENGTH; i++) places[kind[1][i]][count[kind[1][i]]++] = i + 1;
    assert_ok(reading_init(&reading, &vocabulary.encoder, &error));
    read_pair(&reading, text[0], text[1]);
    assert_int_equal(reading.side[0].count, LENGTH + 1);
    assert_int_equal(reading.numbers, KINDS + 2);
    const struct reading_word *a = reading.side[0].words, *b = reading.side[1].words;
    for (uint32_t i = 0; i < LENGTH; i++) {
        unsigned k = kind[0][i];
        uint32_t expected = seen[k] < count[k] ? places[k][seen[k]] : READING_NONE;
        seen[k]++;
        assert_int_equal(a[i + 1].partner, expected);
        if (expected == READING_NONE) continue;
        assert_int_equal(b[expected].partner, i + 1);
        assert_int_equal(b[expected].number, a[i + 1].number);
    }
    size_t paired[2] = {0, 0};
    for (uint32_t i = 0; i <= LENGTH; i++) {
        paired[0] += a[i].partner != READING_NONE;
        paired[1] += b[i].partner != READING_NONE;
    }
    assert_int_equal(paired[0], paired[1]);
    reading_free(&reading);
    for (int s = 0; s < 2; s++) free(text[s]), free(kind[s]);
    free(places);
}

static void chinese_characters_and_their_pairs_are_words(void **state)
{
    (void)state;
    struct reading reading;
    assert_ok(reading_init(&reading, &vocabulary.encoder, &error));
    /* ni hao / ni hao ma: ni, hao, ni-hao; then ma, hao-ma */
    read_pair(&reading, "\xe4\xbd\xa0\xe5\xa5\xbd", "\xe4\xbd\xa0\xe5\xa5\xbd\xe5\x90\x97?");
    assert_int_equal(reading.side[0].count, 3);
    assert_int_equal(reading.side[1].count, 5);
    assert_int_equal(reading.numbers, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(reading.side[1].words[i].partner, i < 3 ? i : READING_NONE);
    assert_true(is_word(&reading, 1, 2, "\xe4\xbd\xa0\xe5\xa5\xbd"));
    assert_true(reading.side[0].hash != reading.side[1].hash);
    check_reading(&reading);
    reading_free(&reading);
}

static void without_a_word_group_words_are_numbered_but_not_known(void **state)
{
    (void)state;
    struct vocabulary characters;
    struct reading reading;
    vocabulary_fit(&characters, FILM_CHAR, SENTENCES);
    assert_ok(reading_init(&reading, &characters.encoder, &error));
    read_pair(&reading, "the card", "the dog");
    assert_int_equal(reading.side[0].words[0].partner, 0);
    assert_int_equal(reading.side[0].words[0].id, READING_NONE);
    assert_int_equal(reading.side[0].words[1].partner, READING_NONE);
    reading_free(&reading);
    vocabulary_free(&characters);
}

static film_status read_once(const struct encoder *encoder)
{
    struct reading reading;
    film_status status = reading_init(&reading, encoder, &error);
    int made = status == FILM_OK;
    if (made) status = reading_keep(&reading, &error);
    if (made && status == FILM_OK)
        status = reading_read(&reading, film_string("why don't the cards come"),
                              film_string("the card \xc3\xa9 is lost"), &error);
    if (status != FILM_OK && made) { /* the same scratch is usable again */
        long was = fail_at;
        fail_allocation(-1);
        read_pair(&reading, "the card is lost", "the card");
        check_reading(&reading);
        fail_allocation(was);
    }
    reading_free(&reading); /* also after a failure */
    return status;
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    float map[50 * 3] = {0};
    assert_true(features_count(&vocabulary.features) <= 50);
    struct encoder encoder = {&vocabulary.features, {.rows = map}, 3, FILM_COSINE};
    survives_every_failure(read_once(&encoder));
    assert_true(failures_survived > 15);
}

int main(void)
{
    vocabulary_fit(&vocabulary, FILM_WORD, SENTENCES);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_words_have_equal_numbers_and_partners_in_order),
        cmocka_unit_test(random_pairs_agree_with_comparing_every_word_with_every_other),
        cmocka_unit_test(words_say_what_they_are),
        cmocka_unit_test(rarity_follows_the_idf),
        cmocka_unit_test(the_hash_is_of_the_words_in_their_order),
        cmocka_unit_test(swapped_sentences_read_the_same_to_the_last_bit),
        cmocka_unit_test(a_sentence_without_words_has_no_hash),
        cmocka_unit_test(ten_thousand_words_find_their_partners),
        cmocka_unit_test(chinese_characters_and_their_pairs_are_words),
        cmocka_unit_test(without_a_word_group_words_are_numbered_but_not_known),
        cmocka_unit_test(no_memory_is_reported),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vocabulary_free(&vocabulary);
    return failed;
}
