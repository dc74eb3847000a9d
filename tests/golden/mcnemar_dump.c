/* mcnemar_dump: reads lines "b c" and prints for each "exact statistic p". */
#include "eval/mcnemar.h"

#include <stdio.h>

int main(void)
{
    size_t b, c;
    while (scanf("%zu %zu", &b, &c) == 2) {
        struct mcnemar test = mcnemar_test(b, c);
        printf("%d %.17g %.17g\n", test.exact, test.statistic, test.p);
    }
    return 0;
}
