/* Tests the kernels of embed/vec.c against plain loops in the documented order: every machine must
 * compute these bits. */
#include "testing.h"

#include "base/rng.h"
#include "embed/vec.h"

enum { MOST = 700 };

/* One operation at a time: volatile keeps the compiler from fusing or reordering them. */
static float product(float x, float y)
{
    volatile float rounded = x * y;
    return rounded;
}

static double wanted_dot(const float *a, const float *b, size_t n)
{
    double total = 0;
    for (size_t start = 0; start < n; start += 256) {
        volatile float lane[16] = {0};
        for (size_t i = start; i < n && i < start + 256; i++) lane[i % 16] += product(a[i], b[i]);
        for (int i = 0; i < 4; i++) {
            volatile float low = lane[i] + lane[i + 4], high = lane[i + 8] + lane[i + 12];
            lane[i] = low + high;
        }
        volatile float low = lane[0] + lane[1], high = lane[2] + lane[3];
        volatile float block = low + high;
        total += (double)block;
    }
    return total;
}

static void sums_have_a_fixed_order(void **state)
{
    (void)state;
    static float a[MOST + 1], b[MOST + 1], sum[MOST], wanted[MOST];
    struct rng rng;
    rng_seed(&rng, 7);
    for (size_t i = 0; i <= MOST; i++) {
        a[i] = (float)rng_normal(&rng);
        b[i] = (float)rng_normal(&rng);
    }
    for (size_t n = 0; n <= MOST; n += n < 70 ? 1 : 61)
        for (size_t shift = 0; shift < 2 && n + shift <= MOST; shift++) {
            double got = vec_dot(a + shift, b, n), expected = wanted_dot(a + shift, b, n);
            assert_memory_equal(&got, &expected, sizeof got);
        }
    memcpy(sum, a, sizeof sum);
    vec_add_scaled(sum, 0.3f, b, MOST);
    for (size_t i = 0; i < MOST; i++) wanted[i] = a[i] + product(0.3f, b[i]);
    assert_memory_equal(sum, wanted, sizeof sum);
    const float *both[2] = {a, b};
    memcpy(sum, b, sizeof sum);
    vec_add_sum(sum, 0.7f, both, 2, MOST);
    for (size_t i = 0; i < MOST; i++) wanted[i] = b[i] + product(0.7f, a[i] + b[i]);
    assert_memory_equal(sum, wanted, sizeof sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_have_a_fixed_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
