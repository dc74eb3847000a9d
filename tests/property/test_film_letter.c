/* Tests what the letter of the paper adds to FILM: the uniform start with hinge weights, and the
 * hinge loss over triplets. tests/golden/film_letter.py compares the equations with numpy. */
#include "testing.h"
#include "base/rng.h"
#include "learn/film.h"

enum { N = 400, R = 30, D = 6, CLUSTERS = 80 };

static film_error error;
static float v[N * R], sigma[R];
static struct triplets triplets;

static void random_point(double *p, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    for (size_t i = 0; i < R * D; i++) p[i] = rng_normal(&rng);
    assert_ok(film_orthonormalise(R, D, p, &error));
}

/* Rows of a cluster are near each other in the first directions; V has orthonormal columns. */
static int make_data(void **state)
{
    (void)state;
    static double rows[N * R], centre[CLUSTERS * R];
    uint32_t cluster[N];
    struct triplet_options options;
    struct rng rng;
    rng_seed(&rng, 42);
    for (size_t i = 0; i < CLUSTERS * R; i++) centre[i] = rng_normal(&rng);
    for (size_t i = 0; i < N * R; i++) {
        cluster[i / R] = (uint32_t)(i / R % CLUSTERS);
        rows[i] = (i % R < 12 ? centre[cluster[i / R] * R + i % R] : 0) + 0.6 * rng_normal(&rng);
    }
    if (film_orthonormalise(N, R, rows, &error) != FILM_OK) return 1;
    for (size_t i = 0; i < N * R; i++) v[i] = (float)rows[i];
    for (size_t i = 0; i < R; i++) sigma[i] = 9.0f / (float)(i + 1);
    triplets_defaults(&options);
    return triplets_from_categories(N, cluster, &options, &triplets, &error) != FILM_OK;
}

static int free_data(void **state)
{
    (void)state;
    triplets_free(&triplets);
    return 0;
}

/* P of the uniform start: orthonormal, every direction alike (the mean square of a row is d / r),
 * and another one for another seed. The other random start uses the first d directions alone. */
static void the_uniform_start_uses_all_directions(void **state)
{
    (void)state;
    double mean[R] = {0}, before[R * D] = {0};
    enum { SEEDS = 40 };
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct film_learn_options options;
        struct film_learned learned;
        film_learn_defaults(&options);
        options.power = 1.0;
        options.dim = D;
        options.threads = 2;
        options.start = FILM_START_UNIFORM;
        options.hinge_weights = 1;
        options.margin = 0.01;
        options.seed = seed;
        options.solver.iterations = 1;
        options.solver.first_tau = 1e-12; /* stays where it starts */
        assert_ok(film_learn(v, R, sigma, &triplets, &options, &learned, &error));
        double scratch[D * D];
        assert_true(stiefel_defect(R, D, learned.p, scratch, 1) < 1e-10);
        assert_memory_not_equal(before, learned.p, sizeof before);
        memcpy(before, learned.p, sizeof before);
        for (size_t i = 0; i < R * D; i++) mean[i / D] += learned.p[i] * learned.p[i] / SEEDS;
        for (size_t c = 0; c < D; c++) assert_close(learned.s[c], fmax(0, learned.k[c]), 1e-15);
        film_learned_free(&learned);
    }
    for (size_t i = 0; i < R; i++) assert_close(mean[i], (double)D / R, 0.4 * D / R);
}

/* Equation 32 by loops over the triplets, in double. */
static void the_hinge_loss_is_the_mean_over_triplets(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct film_problem q;
        double p[R * D], hinge, satisfied, sum = 0.0, zero = 0.0;
        struct film_space space = {R, D, sigma, kind ? 0.5 : 1.0, 2, 0};
        assert_ok(film_problem_init(&q, &space, v, R, &triplets, &error));
        q.margin = kind ? 0.02 : 0.01;
        random_point(p, 4);
        film_problem_refresh(&q, p);
        for (size_t c = 0; c < D; c++) q.s[c] *= 1.0 + 0.3 * (double)c;
        for (size_t a = 0; a < triplets.anchors; a++)
            for (size_t t = triplets.start[a]; t < triplets.start[a + 1]; t++) {
                double z = q.margin;
                for (size_t c = 0; c < D; c++) {
                    double y[3] = {0};
                    const uint32_t ids[] = {triplets.anchor[a], triplets.similar[t],
                                            triplets.dissimilar[t]};
                    for (size_t x = 0; x < R; x++)
                        for (int e = 0; e < 3; e++)
                            y[e] += p[x * D + c] * (q.scale ? q.scale[x] : 1.0) *
                                    (double)v[ids[e] * R + x];
                    z += q.s[c] * y[0] * (y[2] - y[1]);
                }
                sum += z > 0.0 ? z : 0.0;
                zero += z <= 0.0;
            }
        assert_ok(film_hinge_loss_measure(&q, p, q.s, &hinge, &satisfied, &error));
        assert_close(hinge, sum / (double)triplets.count, 1e-7);
        assert_close(satisfied, zero / (double)triplets.count, 2.5 / (double)triplets.count);
        assert_true(satisfied > 0.05 && satisfied < 0.95);
        film_problem_free(&q);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_uniform_start_uses_all_directions),
        cmocka_unit_test(the_hinge_loss_is_the_mean_over_triplets),
    };
    return cmocka_run_group_tests(tests, make_data, free_data);
}
