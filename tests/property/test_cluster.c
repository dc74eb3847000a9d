/* Tests the clustering rule against a slow reference implementation, and its promises. */
#include "testing.h"
#include "base/rng.h"
#include "dedup/cluster.h"

enum { MOST = 14 };

/* A random instance: true groups, probabilities high inside and low between them, with noise. */
struct instance {
    uint32_t count;
    float p[MOST][MOST];
    struct record_set_label labels[8];
    size_t label_count;
    double threshold;
    double seen; /* fraction of the pairs that were scored before */
    uint64_t asked;
};

static film_error error;

static struct instance draw(struct rng *rng)
{
    struct instance made = {.count = 2 + (uint32_t)rng_below(rng, MOST - 1)};
    uint32_t group[MOST];
    made.threshold = 0.3 + 0.5 * rng_uniform(rng);
    made.seen = rng_uniform(rng);
    for (uint32_t i = 0; i < made.count; i++) group[i] = (uint32_t)rng_below(rng, 4);
    for (uint32_t i = 0; i < made.count; i++)
        for (uint32_t j = i + 1; j < made.count; j++) {
            double base = group[i] == group[j] ? 0.75 : 0.25;
            /* A coarse grid, so that there are ties. */
            double value = base + 0.7 * (rng_uniform(rng) - 0.5);
            value = floor(20 * fmin(fmax(value, 0), 1)) / 20;
            made.p[i][j] = made.p[j][i] = (float)value;
        }
    for (size_t wanted = rng_below(rng, 5); wanted > 0; wanted--) {
        uint32_t a = (uint32_t)rng_below(rng, made.count), b = (uint32_t)rng_below(rng, made.count);
        int known = a == b;
        for (size_t i = 0; i < made.label_count; i++)
            known |= made.labels[i].a == (a < b ? a : b) && made.labels[i].b == (a < b ? b : a);
        if (known) continue;
        int same = (int)rng_below(rng, 2);
        made.labels[made.label_count++] =
            (struct record_set_label){a < b ? a : b, a < b ? b : a, same};
        made.p[a][b] = made.p[b][a] = (float)same;
    }
    return made;
}

static int is_labelled(const struct instance *of, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < of->label_count; i++)
        if (of->labels[i].a == a && of->labels[i].b == b) return 1;
    return 0;
}

/* Pairs at or above the threshold are always scored before; some of the others too. */
static size_t scored_pairs(const struct instance *of, struct rng *rng, struct cluster_pair *pairs)
{
    size_t count = 0;
    for (uint32_t i = 0; i < of->count; i++)
        for (uint32_t j = i + 1; j < of->count; j++)
            if ((double)of->p[i][j] >= of->threshold || is_labelled(of, i, j) ||
                rng_uniform(rng) < of->seen)
                pairs[count++] = (struct cluster_pair){i, j, of->p[i][j]};
    for (size_t i = count; i > 1; i--) { /* in any order */
        size_t j = (size_t)rng_below(rng, i);
        struct cluster_pair other = pairs[i - 1];
        pairs[i - 1] = pairs[j];
        pairs[j] = other;
    }
    return count;
}

static film_status score(void *user, int thread, uint32_t a, uint32_t b, float *probability,
                         film_error *problem)
{
    struct instance *of = user;
    (void)problem;
    assert_in_range(thread, 0, 3);
    assert_true(a < b);
    __atomic_add_fetch(&of->asked, 1, __ATOMIC_RELAXED);
    *probability = of->p[a][b];
    return FILM_OK;
}

static void run(struct instance *of, struct rng *rng, int threads, uint32_t *cluster,
                struct cluster_figures *figures)
{
    struct cluster_pair list[MOST * MOST];
    struct cluster_pairs pairs;
    assert_ok(cluster_pairs_make(&pairs, list, scored_pairs(of, rng, list), of->count, &error));
    struct cluster_problem problem = {.pairs = &pairs,
                                      .labels = of->labels,
                                      .label_count = of->label_count,
                                      .threshold = of->threshold,
                                      .scorer = {score, of},
                                      .threads = threads};
    assert_ok(cluster_run(&problem, cluster, figures, &error));
    cluster_pairs_free(&pairs);
}

/* ---- The reference: all means from all pairs, every time ---- */

static int forbidden(const struct instance *of, const uint32_t *cluster, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < of->label_count; i++) {
        uint32_t x = cluster[of->labels[i].a], y = cluster[of->labels[i].b];
        if (!of->labels[i].same && ((x == a && y == b) || (x == b && y == a))) return 1;
    }
    return 0;
}

static void relabel(uint32_t *cluster, uint32_t count, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < count; i++)
        if (cluster[i] == (a > b ? a : b)) cluster[i] = a > b ? b : a;
}

static uint64_t slowly(const struct instance *of, uint32_t *cluster)
{
    unsigned char used[MOST][MOST] = {{0}};
    uint64_t contradictions = 0;
    for (uint32_t i = 0; i < of->count; i++) cluster[i] = i;
    for (size_t i = 0; i < of->label_count; i++) {
        uint32_t a = cluster[of->labels[i].a], b = cluster[of->labels[i].b];
        if (!of->labels[i].same || a == b) continue;
        if (forbidden(of, cluster, a, b))
            contradictions++;
        else
            relabel(cluster, of->count, a, b);
    }
    for (;;) {
        uint32_t x = MOST, y = MOST;
        for (uint32_t i = 0; i < of->count; i++)
            for (uint32_t j = i + 1; j < of->count; j++)
                if (!used[i][j] && (double)of->p[i][j] >= of->threshold &&
                    (x == MOST || of->p[i][j] > of->p[x][y])) {
                    x = i;
                    y = j;
                }
        if (x == MOST) return contradictions;
        used[x][y] = 1;
        uint32_t a = cluster[x], b = cluster[y];
        double sum = 0, number = 0;
        for (uint32_t i = 0; i < of->count; i++)
            for (uint32_t j = 0; j < of->count; j++)
                if (cluster[i] == a && cluster[j] == b) {
                    sum += (double)of->p[i][j];
                    number++;
                }
        if (a != b && !forbidden(of, cluster, a, b) && sum / number >= of->threshold - 1e-9)
            relabel(cluster, of->count, a, b);
    }
}

static void clusters_are_those_of_the_slow_way(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 11);
    for (int round = 0; round < 3000; round++) {
        struct instance of = draw(&rng);
        uint32_t one[MOST], four[MOST], slow[MOST];
        struct cluster_figures figures, again;
        run(&of, &rng, 1, one, &figures);
        run(&of, &rng, round % 50 ? 1 : 4, four, &again);
        assert_int_equal(slowly(&of, slow), figures.contradictions);
        assert_memory_equal(one, slow, of.count * sizeof *one);
        assert_memory_equal(four, slow, of.count * sizeof *four);
        assert_true(figures.connected == again.connected);
    }
}

static void no_pair_labelled_different_is_joined_and_means_reach_the_threshold(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 12);
    for (int round = 0; round < 3000; round++) {
        struct instance of = draw(&rng);
        uint32_t cluster[MOST];
        struct cluster_figures figures;
        run(&of, &rng, 1, cluster, &figures);
        int same_labels = 0;
        for (size_t i = 0; i < of.label_count; i++) {
            uint32_t a = cluster[of.labels[i].a], b = cluster[of.labels[i].b];
            same_labels += of.labels[i].same;
            if (!of.labels[i].same) assert_int_not_equal(a, b);
            if (of.labels[i].same && !figures.contradictions) assert_int_equal(a, b);
        }
        /* A partition; each part is named by its smallest member. */
        for (uint32_t i = 0; i < of.count; i++) {
            assert_true(cluster[i] <= i);
            assert_int_equal(cluster[cluster[i]], cluster[i]);
        }
        if (same_labels) continue; /* manual labels may join below the threshold */
        for (uint32_t c = 0; c < of.count; c++) {
            double sum = 0, number = 0;
            for (uint32_t i = 0; i < of.count; i++)
                for (uint32_t j = i + 1; j < of.count; j++)
                    if (cluster[i] == c && cluster[j] == c) {
                        sum += (double)of.p[i][j];
                        number++;
                    }
            if (number > 0) assert_true(sum / number >= of.threshold - 1e-6);
        }
    }
}

/* A chain 0 - 1 - 2 - ... of similar neighbours: single linkage would make one cluster of it. */
static void a_chain_is_not_one_cluster(void **state)
{
    (void)state;
    struct rng rng;
    struct instance chain = {.count = 12, .threshold = 0.5, .seen = 0};
    struct cluster_figures figures;
    uint32_t cluster[MOST], sizes[MOST] = {0};
    rng_seed(&rng, 13);
    for (uint32_t i = 0; i + 1 < chain.count; i++) chain.p[i][i + 1] = chain.p[i + 1][i] = 0.9f;
    run(&chain, &rng, 1, cluster, &figures);
    assert_int_equal(figures.connected, 12);
    for (uint32_t i = 0; i < chain.count; i++) assert_true(++sizes[cluster[i]] <= 2);
}

static film_status fail_to_score(void *user, int thread, uint32_t a, uint32_t b, float *probability,
                                 film_error *problem)
{
    (void)user, (void)thread, (void)a, (void)b;
    *probability = 0;
    if (problem) snprintf(problem->message, sizeof problem->message, "no");
    return FILM_IO;
}

static void failures_come_back(void **state)
{
    (void)state;
    const struct cluster_pair list[] = {{0, 1, 0.9f}, {1, 2, 0.8f}};
    struct cluster_pairs pairs;
    uint32_t cluster[3];
    assert_ok(cluster_pairs_make(&pairs, list, 2, 3, &error));
    struct cluster_problem problem = {
        .pairs = &pairs, .threshold = 0.5, .scorer = {fail_to_score, NULL}, .threads = 2};
    assert_int_equal(cluster_run(&problem, cluster, NULL, &error), FILM_IO);
    assert_string_equal(error.message, "no");
    struct instance of = {.count = 3};
    problem.scorer = (struct cluster_scorer){score, &of};
    problem.threads = 1;
    survives_every_failure(cluster_run(&problem, cluster, NULL, &error));
    assert_true(failures_survived > 3);
    cluster_pairs_free(&pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_are_those_of_the_slow_way),
        cmocka_unit_test(no_pair_labelled_different_is_joined_and_means_reach_the_threshold),
        cmocka_unit_test(a_chain_is_not_one_cluster),
        cmocka_unit_test(failures_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
