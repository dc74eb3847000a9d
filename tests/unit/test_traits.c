/* Every trait, for a pair where its value can be computed by hand.
 *
 * Seven sentences make the vocabulary, so that rarities are round: idf - 1 = ln(8 / (1 + df)),
 * which is 0 for "the" (in all seven), ln 2 for card, lost, my, how (in three) and 2 ln 2 for the
 * others (in one). Rarity is the fraction of the highest: 0, 0.5 and 1; an unknown word has 1. */
#include "vocabulary.h"

#include "base/mem.h"
#include "pair/survey.h"

static film_error error;

static const char CORPUS[] = "the card lost my zebra\nthe card lost my india\n"
                             "the card lost my japan\nthe how 2019\nthe how 2020\n"
                             "the how what not\nthe bank pay where";

/* WORDS: words with vectors of length 2. LETTERS: words and character n-grams, no vectors. */
enum { WORDS, LETTERS, WORLDS, MOST_ITEMS = 100 };
static struct world {
    struct vocabulary vocabulary;
    struct relations relations;
    struct evidence evidence;
    struct survey survey;
    float *feature, *item, map[2 * 64];
    float weight[MOST_ITEMS]; /* of items, by number */
} worlds[WORLDS];

/* ---- The pairs ---- */

struct trait_case {
    const char *trait, *a, *b; /* the trait by its id */
    double expected;
    int world;
};

#define LENGTHS "the card", "lost my india zebra"           /* 2 and 4 words */
#define STOPS "Lost. Card? Yes!", "The card. My card."      /* two inside, one inside */
#define SIDES "the card lost my", "the zebra"               /* alone: card lost my; zebra */
#define OVERLAP "card zebra", "card lost"                   /* shared 0.5, alone 1 and 0.5 */
#define CONTENT "the card lost", "zebra"                    /* "the" is a common word */
#define NEIGHBOURS "the card lost", "my card lost the"      /* card lost */
#define ORDER "the card lost", "the zebra card my"          /* the .. card */
#define EDITS "the card lost", "the zebra lost my"          /* card -> zebra, my */
#define TURNED "card zebra lost", "zebra card lost"         /* one pair of three */
#define PLACES "the zebra card lost", "the card india lost" /* 2 of 4, 3 of 4 */
#define NUMBERS "card 2020 2021", "7 card"                  /* two and one */
#define NAMES "the India Japan card", "the Zebra card"      /* two and one */
#define SPELLED "zebra", "zebrra card"                      /* 6 letter pairs of 6 and 7; card */
#define VECTORS "india", "japan"                            /* (1, 0) and (3, 4) */
#define RESTS "india", "japan card"                         /* the card has no direction */
#define LETTER_PAIR "card", "cards" /* 7 n-grams; cards has 5 of them, others are unknown */
#define OPPOSITE "lend card", "borrow card"
#define EXCHANGED "from india to japan", "from japan to india"
#define KNOWN "car card", "automobile zebra" /* card 0.5 and zebra 1 remain */
#define EDITED "card india", "card japan"    /* opposed -2; edits -0.5, -0.25, -0.125, -0.0625 */

static const struct trait_case cases[] = {
    {"words_min", LENGTHS, 2},
    {"words_max", LENGTHS, 4},
    {"length_ratio", LENGTHS, 0.5},
    {"sentences_min", STOPS, 1},
    {"sentences_max", STOPS, 2},
    {"words_log", LENGTHS, 1.94591015},              /* ln 7 */
    {"rarity_mean", SIDES, (1.5 + 1) / (2 + 3 + 1)}, /* the shared word counts on both sides */
    {"question_mark_differs", "the card?", "the card", 1},
    {"question_mark_differs", "the card?", "card?", 0},
    {"question_mark_differs", "the card", "card", 0},
    {"shared_words", "the card lost", "card the zebra", 2},
    {"unshared_words_min", SIDES, 1},
    {"unshared_words_max", SIDES, 3},
    {"words_jaccard", SIDES, 1 / 5.0},
    {"shared_rarity", "the card zebra", "zebra card the", 0 + 0.5 + 1},
    {"unshared_rarity_min", SIDES, 1},
    {"unshared_rarity_max", SIDES, 0.5 + 0.5 + 0.5},
    {"rarity_jaccard", OVERLAP, 0.5 / (0.5 + 1 + 0.5)},
    {"coverage_min", OVERLAP, 0.5 / (0.5 + 1)},
    {"coverage_max", OVERLAP, 0.5 / (0.5 + 0.5)},
    {"sentence_coverage_min", OVERLAP, 0.5 / (0.5 + 1)}, /* one sentence each: the coverage */
    {"rarest_unshared_min", OVERLAP, 0.5},
    {"rarest_unshared_max", OVERLAP, 1},
    {"rarest_shared", "the card", "card the zebra", 0.5},
    {"unshared_content_min", CONTENT, 1},
    {"unshared_content_max", CONTENT, 2},
    {"rarest_words_shared", "the zebra", "zebra card", 2},
    {"rarest_words_shared", "the card", "card zebra", 1},
    {"shared_pairs", NEIGHBOURS, 1},
    {"shared_pairs_share", NEIGHBOURS, 1 / 3.0},
    {"shared_pairs_rarity", NEIGHBOURS, 0.5 + 0.5},
    {"common_order_of_longer", ORDER, 2 / 4.0},
    {"common_order_of_shorter", ORDER, 2 / 3.0},
    {"shared_phrase_longest", "the card lost my", "zebra card lost the", 2},
    {"edits", EDITS, 2},
    {"edits_share", EDITS, 2 / 4.0},
    {"out_of_order_rarity", "card zebra", "zebra card", 1.5 - 1},
    {"same_beginning", "the card lost", "the card zebra", 2},
    {"same_end", "lost the card", "zebra the card", 2},
    {"inversions", TURNED, 1},
    {"inversions_share", TURNED, 1 / 3.0},
    {"last_unshared_place_min", PLACES, 2 / 4.0},
    {"last_unshared_place_max", PLACES, 3 / 4.0},
    {"same_first_word", "how card", "how zebra", 1},
    {"same_first_word", "how card", "zebra how", 0},
    {"opening_min", "how card", "why card", 2}, /* what, how, why, ... */
    {"opening_max", "how card", "why card", 3},
    {"question_words_differ", "what and how", "what where", 2},
    {"last_words_shared", "zebra card", "card lost", 1},
    {"unshared_numbers_min", NUMBERS, 1},
    {"unshared_numbers_max", NUMBERS, 2},
    {"shared_numbers", "card 2019", "2019", 1},
    {"negation_differs", "not my card", "my card", 1},
    {"negation_differs", "not my card", "my card is not", 0},
    {"unshared_names_min", NAMES, 1},
    {"unshared_names_max", NAMES, 2},
    {"shared_names_share", "the India Japan card", "my India", 1 / 2.0},
    {"shared_names_share", "the card", "my card", 1},
    {"shared_names", "the India", "card India", 1},
    {"acronyms", "usa card", "united states america card", 1},
    /* letters of two bytes: "сша", "соединенные штаты америки"; one letter is no acronym */
    {"acronyms", "\xd1\x81\xd1\x88\xd0\xb0 card",
     "card \xd1\x81\xd0\xbe\xd0\xb5\xd0\xb4 \xd1\x88\xd1\x82\xd0\xb0\xd1\x82 "
     "\xd0\xb0\xd0\xbc\xd0\xb5\xd1\x80",
     1},
    {"acronyms", "\xd1\x81 card", "card \xd1\x81\xd0\xbe\xd0\xb5\xd0\xb4 lost", 0},
    {"opposites", OPPOSITE, 1},
    {"polarity_differs", OPPOSITE, 1},
    {"polarity_differs", "not lend card", "borrow card", 0}, /* twice is not at all */
    {"only_opposites", OPPOSITE, 1},
    {"only_opposites", "lend card zebra", "borrow card", 0},
    {"only_negation", "not my card", "my card", 1},
    {"only_numbers", "card 5", "card 7", 1},
    {"only_numbers", "card 60 minutes", "card 1 hour", 0},
    {"unshared_quantities_min", "card 5 and 9", "card 7", 1},
    {"unshared_quantities_max", "card 5 and 9", "card 7", 2},
    {"shared_quantities", "card 60 minutes", "card 1 hour", 1},
    {"rewritten_quantities", "card 60 minutes", "card 1 hour", 1},
    {"rewritten_quantities", "card 1 hour", "my card 1 hour", 0},
    {"unit_changes", "card 5 mg", "card 5 g", 1},
    {"exchanged_roles", EXCHANGED, 1},
    {"only_exchange", EXCHANGED, 1},
    {"qualified_min", "card in india", "card on zebra", 1}, /* both words are as rare */
    {"qualified_max", "lost card", "lost card in india for my zebra", 2},
    {"qualified_max", "card for a car", "card for an automobile", 0}, /* the same */
    {"qualified_max", "card to india", "card", 0},
    {"modified", "the zebra card", "the card", 1},
    {"modified", "the zebra card", "the bank card", 0}, /* replaced, not added */
    {"modified", "card zebra", "card", 0},              /* after it */
    {"owners", "my bank's card", "my card", 1},
    {"owners", "my bank's card", "my card of the bank", 0},
    {"limits_added", "all card lost", "card lost", 1},
    {"limits_added", "all card lost", "some card lost", 2},
    {"limits_changed", "all card lost", "some card lost", 1},
    {"limits_changed", "all card lost", "only card lost", 0}, /* of different kinds */
    {"limits_changed", "card before japan", "card after japan", 1},
    {"synonyms", KNOWN, 1},
    {"coordinates", "india card", "japan card", 1},
    {"known_share", KNOWN, (3.5 - 1.5) / 3.5},
    {"known_rest_min", KNOWN, 0.5},
    {"known_rest_max", KNOWN, 1},
    {"known_worst_min", KNOWN, 0.5},
    {"known_worst_max", KNOWN, 1},
    {"compounds", "creditcard lost", "credit card lost", 1},
    {"spelling_share", SPELLED, (1 + 1 + 0.5 - (2 / 13.0 + 0.5)) / 2.5},
    {"spelling_rest_min", SPELLED, 1 - 12 / 13.0},
    {"spelling_rest_max", SPELLED, 1 - 12 / 13.0 + 0.5},
    {"spelling_worst_min", SPELLED, 1 - 12 / 13.0},
    {"spelling_worst_max", SPELLED, 0.5},
    {"spelling_best", SPELLED, 12 / 13.0},
    {"word_cosine", "card lost", "card", 0.70710678},  /* 1 / sqrt 2 */
    {"char_cosine", LETTER_PAIR, 0.84515425, LETTERS}, /* 5 / sqrt(7 * 5) */
    {"vector_cosine", VECTORS, 3 / 5.0},
    {"vector_distance", VECTORS, 4.47213595}, /* |(2, 4)| */
    {"vector_length_min", VECTORS, 1},
    {"vector_length_max", VECTORS, 5},
    {"usage_share", RESTS, (1 + 1 + 0.5 - (0.4 + 0.4 + 0.5)) / 2.5},
    {"usage_rest_min", RESTS, 1 - 0.6},
    {"usage_rest_max", RESTS, 1 - 0.6 + 0.5},
    {"usage_worst_min", RESTS, 1 - 0.6},
    {"usage_worst_max", RESTS, 0.5},
    {"usage_best", RESTS, 0.6},
    {"rest_cosine", RESTS, 0.6},
    {"rest_length_min", RESTS, 1},
    {"rest_length_max", RESTS, 5},
};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- The worlds ---- */

static void weigh_word(struct world *world, const char *word, int alone, float weight)
{
    world->feature[2 * vocabulary_id(&world->vocabulary, word) + (size_t)alone] = weight;
}

/* Sets the weight of the items of KIND of this pair. */
static void weigh_items(struct world *world, const char *a, const char *b, enum item_kind kind,
                        float weight)
{
    struct survey *survey = &world->survey;
    uint32_t number, before = world->evidence.items.count;
    assert_ok(survey_read(survey, film_string(a), film_string(b), &error));
    assert_ok(items_collect(&survey->items, &survey->reading, &error));
    for (size_t i = 0; i < survey->items.count; i++)
        if (survey->items.list[i].kind == kind) {
            assert_ok(
                keytab_add(&world->evidence.items, survey->items.list[i].key, &number, &error));
            assert_true(number < MOST_ITEMS);
            world->weight[number] = weight;
        }
    assert_true(world->evidence.items.count > before);
}

/* Weights are stored by slot, and slots are known when all keys are added. */
static void place_weights(struct world *world)
{
    const struct keytab *items = &world->evidence.items;
    world->item = calloc(items->slot_mask + 1, sizeof(float));
    for (uint64_t slot = 0; slot <= items->slot_mask; slot++)
        if (items->keys[slot]) world->item[slot] = world->weight[items->number[slot]];
    world->evidence.item = world->item;
}

static void give_vector(struct world *world, const char *word, float x, float y)
{
    float *vector = world->map + 2 * vocabulary_id(&world->vocabulary, word);
    vector[0] = x;
    vector[1] = y;
}

static void make_world(struct world *world, unsigned groups)
{
    vocabulary_fit(&world->vocabulary, groups, CORPUS);
    size_t features = features_count(&world->vocabulary.features);
    world->feature = calloc(2 * features, sizeof(float));
    world->evidence.features = features;
    world->evidence.feature = world->feature;
    assert_ok(keytab_init(&world->evidence.items, &error));
}

/* lend ! borrow, car = automobile; India and Japan are of one kind. */
static void know_words(struct world *world)
{
    struct relations_builder builder;
    assert_ok(relations_builder_init(&builder, &error));
    assert_ok(relations_add(&builder, film_string("lend"), film_string("borrow"), RELATION_OPPOSITE,
                            &error));
    assert_ok(relations_add(&builder, film_string("car"), film_string("automobile"),
                            RELATION_SYNONYM, &error));
    assert_ok(relations_add_class(&builder, film_string("india"), 1, &error));
    assert_ok(relations_add_class(&builder, film_string("japan"), 1, &error));
    assert_ok(relations_build(&builder, &world->relations, &error));
    world->vocabulary.encoder.relations = &world->relations;
}

static int set_up(void **state)
{
    (void)state;
    struct world *words = &worlds[WORDS], *letters = &worlds[LETTERS];
    make_world(words, FILM_WORD);
    assert_true(features_count(&words->vocabulary.features) <= 64);
    words->vocabulary.encoder.map.rows = words->map;
    words->vocabulary.encoder.dim = 2;
    know_words(words);
    give_vector(words, "india", 1, 0);
    give_vector(words, "japan", 3, 4);
    assert_ok(survey_init(&words->survey, &words->vocabulary.encoder, &error));
    weigh_word(words, "card", 0, 0.5f);
    weigh_word(words, "zebra", 1, -0.25f);
    weigh_word(words, "india", 1, -0.5f);
    weigh_items(words, "india", "japan", ITEM_OPPOSED, -2);
    weigh_items(words, "card zebra", "card", ITEM_BESIDE, -1);
    weigh_items(words, "card india", "card", ITEM_BESIDE, 0.25f);
    weigh_items(words, "zebra", "japan", ITEM_OPPOSED, 0.75f);
    weigh_items(words, EDITED, ITEM_EDIT, -0.5f);
    weigh_items(words, EDITED, ITEM_EDIT_AFTER, -0.25f);
    weigh_items(words, EDITED, ITEM_EDIT_BEFORE, -0.125f);
    weigh_items(words, EDITED, ITEM_EDIT_AMONG, -0.0625f);
    weigh_items(words, "lost zebra", "lost bank", ITEM_EDIT, 1.25f);
    weigh_items(words, "card lost", "lost card", ITEM_TOGETHER, 1.5f);
    weigh_items(words, "my the", "my the", ITEM_RUN_SHARED, 0.75f);
    weigh_items(words, "how 2019", "2019", ITEM_RUN_ALONE, -0.375f);
    weigh_items(words, "how pay", "where pay", ITEM_FIRST, 0.5f);
    weigh_items(words, "how pay", "where pay", ITEM_LAST, -0.25f);
    weigh_items(words, "how pay", "where pay", ITEM_OPENED, 0.125f);
    words->evidence.bias = 0.25;
    place_weights(words);
    make_world(letters, FILM_WORD | FILM_CHAR);
    place_weights(letters);
    assert_ok(survey_init(&letters->survey, &letters->vocabulary.encoder, &error));
    for (size_t f = letters->vocabulary.features.first[GROUP_CHAR]; f < letters->evidence.features;
         f++) {
        letters->feature[2 * f] = 0.0625f;
        letters->feature[2 * f + 1] = -0.125f;
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int w = 0; w < WORLDS; w++) {
        survey_free(&worlds[w].survey);
        evidence_free(&worlds[w].evidence);
        relations_free(&worlds[w].relations);
        vocabulary_free(&worlds[w].vocabulary);
        free(worlds[w].feature);
        free(worlds[w].item);
    }
    return 0;
}

static const float *measure(int world, film_text a, film_text b)
{
    assert_ok(survey_make(&worlds[world].survey, &worlds[world].evidence, a, b, &error));
    return worlds[world].survey.traits;
}

/* ---- Tests ---- */

static size_t find(const char *id)
{
    size_t at = 0;
    while (at < traits_count() && strcmp(trait_at(at)->id, id) != 0) at++;
    return at;
}

static void every_trait_has_its_value(void **state)
{
    (void)state;
    int wrong = 0;
    for (int i = 0; i < CASES; i++) {
        size_t at = find(cases[i].trait);
        if (at == traits_count()) {
            print_error("there is no trait \"%s\"\n", cases[i].trait);
            wrong++;
            continue;
        }
        for (int turn = 0; turn < 2; turn++) {
            film_text a = film_string(turn ? cases[i].b : cases[i].a);
            film_text b = film_string(turn ? cases[i].a : cases[i].b);
            double found = (double)measure(cases[i].world, a, b)[at];
            if (fabs(found - cases[i].expected) <= 1e-6) continue;
            print_error("\"%s\" of \"%s\" and \"%s\": %.9g, expected %.9g\n", cases[i].trait,
                        a.bytes, b.bytes, found, cases[i].expected);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static void no_trait_is_without_a_test(void **state)
{
    (void)state;
    int missing = 0;
    for (size_t t = 0; t < traits_count(); t++) {
        int tested = 0;
        for (int i = 0; i < CASES; i++) tested |= strcmp(cases[i].trait, trait_at(t)->id) == 0;
        if (!tested) print_error("no case for \"%s\" in this file\n", trait_at(t)->id);
        missing += !tested;
    }
    assert_int_equal(missing, 0);
}

/* Lower-case letters and single underscores: other programs may rely on this. */
static void check_id(const char *id)
{
    assert_true(strlen(id) > 2 && strlen(id) < 32);
    assert_int_equal(strspn(id, "abcdefghijklmnopqrstuvwxyz_"), strlen(id));
    assert_null(strstr(id, "__"));
    assert_true(id[0] != '_' && id[strlen(id) - 1] != '_');
}

static void every_trait_describes_itself(void **state)
{
    (void)state;
    int traits_of[FAMILIES] = {0};
    for (size_t t = 0; t < traits_count(); t++) {
        const struct trait *trait = trait_at(t);
        assert_true(trait->family >= 0 && trait->family < FAMILIES);
        traits_of[trait->family]++;
        assert_true(trait->name[0] && strlen(trait->name) < 60);
        assert_true(strlen(trait->about) > 5 && !strchr(trait->about, '\n'));
        check_id(trait->id);
        assert_int_equal(trait_find(trait->id), t); /* no id twice */
        for (size_t other = 0; other < t; other++)  /* nor a name twice */
            assert_string_not_equal(trait_at(other)->name, trait->name);
    }
    for (int family = 0; family < FAMILIES; family++) {
        int of_traits = family != FAMILY_MEMORY && family != FAMILY_IDENTITY &&
                        family != FAMILY_BLACK_BOX && family != FAMILY_START &&
                        family != FAMILY_FIELDS && family != FAMILY_CODES; /* of records */
        assert_int_equal(traits_of[family] > 0, of_traits);
        assert_true(*family_name((enum family)family) && *family_title((enum family)family));
        check_id(family_id((enum family)family));
    }
    assert_int_equal(trait_find("no_such_trait"), TRAIT_NONE);
}

/* A long text, repeated until it has COUNT words. */
static char *repeat(const char *words, size_t count)
{
    size_t length = strlen(words), each = 1;
    for (const char *c = words; *c; c++) each += *c == ' ';
    size_t times = (count + each - 1) / each;
    char *text = malloc(times * (length + 1) + 1);
    for (size_t i = 0; i < times; i++) {
        memcpy(text + i * (length + 1), words, length);
        text[i * (length + 1) + length] = ' ';
    }
    text[times * (length + 1)] = 0;
    return text;
}

static void unusual_sentences_have_finite_traits_the_same_both_ways_round(void **state)
{
    (void)state;
    char *many = repeat("the card lost my zebra 2019 not unknown", 10000),
         *word = repeat("zebra", 10000), *letters = repeat("x", 1);
    const char *texts[] = {"",
                           " ",
                           "...?!",
                           "card",
                           "unknownword",
                           "the card lost my zebra",
                           "The Card? Lost. My ZEBRA!",
                           "can't won't cannot",
                           "\xe6\x88\x91\xe7\x9a\x84\xe5\x8d\xa1\xe4\xb8\xa2\xe4\xba\x86",
                           "\xf0\x9f\x98\x80 \xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd card",
                           "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xd7\xa2\xd7\x95\xd7\x9c\xd7\x9d",
                           "a\xcc\x81\xcc\x81\xcc\x81 \xe2\x80\x8f",
                           many,
                           word,
                           letters};
    enum { TEXTS = sizeof texts / sizeof *texts };
    size_t count = traits_count();
    float *there = malloc(count * sizeof *there);
    for (int w = 0; w < WORLDS; w++)
        for (int i = 0; i < TEXTS; i++)
            for (int j = 0; j < TEXTS; j++) {
                film_text a = film_string(texts[i]), b = film_string(texts[j]);
                memcpy(there, measure(w, a, b), count * sizeof *there);
                for (size_t t = 0; t < count; t++)
                    if (!isfinite(there[t])) {
                        print_error("%s of texts %d and %d\n", trait_at(t)->name, i, j);
                        fail();
                    }
                assert_memory_equal(there, measure(w, b, a), count * sizeof *there);
            }
    free(there);
    free(many);
    free(word);
    free(letters);
}

static void random_pairs_have_the_same_traits_both_ways_round(void **state)
{
    (void)state;
    static const char *const words[] = {"the",   "card", "lost", "my",  "India",  "Japan",
                                        "zebra", "2019", "not",  "how", "zebrra", "usa",
                                        "u",     "s",    "a",    "us.", "can't"};
    struct rng rng;
    rng_seed(&rng, 11);
    size_t count = traits_count();
    float *there = malloc(count * sizeof *there);
    for (int round = 0; round < 3000; round++) {
        char text[2][600];
        for (int s = 0; s < 2; s++)
            random_sentence(&rng, words, sizeof words / sizeof *words, round % 10 ? 9 : 80, text[s],
                            600);
        film_text a = film_string(text[0]), b = film_string(text[1]);
        int world = round % WORLDS;
        memcpy(there, measure(world, a, b), count * sizeof *there);
        assert_memory_equal(there, measure(world, b, a), count * sizeof *there);
    }
    free(there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_trait_has_its_value),
        cmocka_unit_test(no_trait_is_without_a_test),
        cmocka_unit_test(every_trait_describes_itself),
        cmocka_unit_test(unusual_sentences_have_finite_traits_the_same_both_ways_round),
        cmocka_unit_test(random_pairs_have_the_same_traits_both_ways_round),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
