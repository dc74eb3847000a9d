/* Tests learn/operating against trying every threshold. */
#include "testing.h"

#include "base/rng.h"
#include "learn/operating.h"

static film_error error;

#define ROWS(scores, targets, number) \
    (&(struct operating_rows){.score = (scores), .target = (targets), .count = (number)})

/* The measures of a threshold, computed row by row without sorting. */
struct worth {
    double precision, recall, f1, accuracy;
};

static struct worth worth_of(double threshold, double prior, const double *score,
                             const float *target, size_t count)
{
    double all[2] = {0, 0}, passed[2] = {0, 0};
    for (size_t i = 0; i < count; i++) {
        int same = target[i] >= 0.5f;
        all[same]++;
        if (score[i] >= threshold) passed[same]++;
    }
    double tp = prior * passed[1] / all[1], fn = prior - tp;
    double fp = (1 - prior) * passed[0] / all[0], tn = (1 - prior) - fp;
    return (struct worth){tp / (tp + fp), passed[1] / all[1], 2 * tp / (2 * tp + fp + fn), tp + tn};
}

enum { MOST = 30 };
struct sample {
    double score[MOST], prior;
    float target[MOST];
    size_t count;
};

/* Both classes, many ties. */
static void draw(struct rng *rng, struct sample *out)
{
    out->count = 2 + rng_below(rng, MOST - 2);
    out->prior = 0.05 + 0.9 * rng_uniform(rng);
    for (size_t i = 0; i < out->count; i++) {
        out->score[i] = (double)rng_below(rng, 9) / 8 - 0.5;
        out->target[i] = i < 2 ? (float)i : (float)rng_uniform(rng);
    }
}

static void check_figures(const struct sample *s, const struct operating_point *point)
{
    struct worth worth = worth_of(point->threshold, s->prior, s->score, s->target, s->count);
    assert_close(point->accuracy, worth.accuracy, 1e-12);
    assert_close(point->recall, worth.recall, 1e-12);
    assert_close(point->f1, worth.f1, 1e-12);
    assert_true(isnan(point->precision) == isnan(worth.precision));
    if (!isnan(worth.precision)) assert_close(point->precision, worth.precision, 1e-12);
}

/* Thresholds between all possible scores, the lowest first: -9/16, -7/16, ..., 9/16. */
enum { CUTS = 10 };
static double cut(int i)
{
    return (i - 0.5) / 8 - 0.5;
}

static void the_best_threshold_equals_trying_all(void **state)
{
    (void)state;
    struct rng rng;
    struct sample s;
    struct operating_point point;
    rng_seed(&rng, 8);
    for (int round = 0; round < 2000; round++) {
        film_operating wanted = {round % 2 ? FILM_F1 : FILM_ACCURACY, 0};
        draw(&rng, &s);
        assert_ok(
            operating_choose(&wanted, s.prior, ROWS(s.score, s.target, s.count), &point, &error));
        check_figures(&s, &point);
        double accuracy = 0, f1 = 0;
        for (int i = 0; i < CUTS; i++) {
            struct worth w = worth_of(cut(i), s.prior, s.score, s.target, s.count);
            accuracy = fmax(accuracy, w.accuracy);
            f1 = fmax(f1, w.f1);
        }
        if (wanted.criterion == FILM_ACCURACY) assert_close(point.accuracy, accuracy, 1e-12);
        if (wanted.criterion == FILM_F1) assert_close(point.f1, f1, 1e-12);
        assert_true(point.reached && isnan(point.low) && isnan(point.high) && point.pairs == 0);
    }
}

/* Ten rows by hand: from the highest score down 1 1 0 1 0 | 1 0 0 0 0. */
static const double hand_score[10] = {0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1};
static const float hand_target[10] = {1, 1, 0, 1, 0, 1, 0, 0, 0, 0};

static struct operating_point by_hand(film_criterion criterion, double target, double prior)
{
    struct operating_point point;
    film_operating wanted = {criterion, target};
    assert_ok(operating_check(&wanted, &error));
    assert_ok(operating_choose(&wanted, prior, ROWS(hand_score, hand_target, 10), &point, &error));
    return point;
}

static void ten_rows_by_hand(void **state)
{
    (void)state;
    const double own = 0.4; /* the rows' own share of positives: measures are plain counts */
    struct operating_point point = by_hand(FILM_F1, 0, own);
    assert_close(point.threshold, 0.45, 1e-12);
    assert_close(point.precision, 4.0 / 6, 1e-12);
    assert_close(point.f1, 0.8, 1e-12); /* 4 of 6 at 0.45; 3 of 4 at 0.65 has 0.75 */
    point = by_hand(FILM_ACCURACY, 0, own);
    assert_close(point.threshold, 0.85, 1e-12); /* a tie at 0.8: the highest is taken */
    assert_close(point.recall, 0.5, 1e-12);
    assert_close(operating_share(ROWS(hand_score, hand_target, 10)), own, 1e-12);
}

/* A threshold must separate the two even when no double is between them. */
static void neighbouring_scores_are_parted(void **state)
{
    (void)state;
    const double score[2] = {nextafter(0.5, 1), 0.5};
    const float target[2] = {1, 0};
    struct operating_point point;
    film_operating wanted = {FILM_ACCURACY, 0};
    assert_ok(operating_choose(&wanted, 0.5, ROWS(score, target, 2), &point, &error));
    assert_true(score[0] >= point.threshold && score[1] < point.threshold);
    assert_close(point.accuracy, 1, 0);
}

static void bad_targets_are_refused(void **state)
{
    (void)state;
    const film_operating bad[] = {{FILM_PRECISION, 0},         {FILM_PRECISION, 1.01},
                                  {FILM_RECALL, -1},           {FILM_RECALL, NAN},
                                  {FILM_CRITERION_COUNT, 0.5}, {FILM_PRECISION, 90}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(operating_check(&bad[i], &error), FILM_USAGE);
    const film_operating good[] = {{FILM_ACCURACY, 0}, {FILM_F1, 7}, {FILM_RECALL, 1}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_ok(operating_check(&good[i], &error));
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    struct operating_point point;
    film_operating wanted = {FILM_F1, 0};
    fail_allocation(0);
    film_status status =
        operating_choose(&wanted, 0.5, ROWS(hand_score, hand_target, 10), &point, &error);
    fail_allocation(-1);
    assert_int_equal(status, FILM_NO_MEMORY);
}

static void a_given_threshold_is_measured_as_the_chosen_one(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 11);
    for (int round = 0; round < 100; round++) {
        enum { N = 40 };
        double score[N];
        float target[N];
        for (int i = 0; i < N; i++) {
            score[i] = (double)rng_below(&rng, 20);
            target[i] = (float)rng_below(&rng, 2);
        }
        target[0] = 1;
        target[1] = 0;
        film_operating wanted = {.criterion = FILM_F1};
        struct operating_point chosen, given;
        assert_ok(operating_choose(&wanted, 0.3, ROWS(score, target, N), &chosen, &error));
        operating_at(chosen.threshold, 0.3, ROWS(score, target, N), &given);
        assert_true(given.threshold == chosen.threshold && given.reached);
        assert_close(given.accuracy, chosen.accuracy, 1e-12);
        assert_close(given.f1, chosen.f1, 1e-12);
        assert_close(given.recall, chosen.recall, 1e-12);
        double right = 0, all[2] = {0, 0}, hit[2] = {0, 0}; /* balanced accuracy, by hand */
        for (int i = 0; i < N; i++) {
            int same = target[i] >= 0.5f;
            all[same]++;
            hit[same] += (score[i] >= chosen.threshold) == same;
        }
        right = 0.5 * hit[0] / all[0] + 0.5 * hit[1] / all[1];
        assert_close(given.balanced_accuracy, right, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_given_threshold_is_measured_as_the_chosen_one),
        cmocka_unit_test(the_best_threshold_equals_trying_all),
        cmocka_unit_test(ten_rows_by_hand),
        cmocka_unit_test(neighbouring_scores_are_parted),
        cmocka_unit_test(bad_targets_are_refused),
        cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests_name("operating", tests, NULL, NULL);
}
