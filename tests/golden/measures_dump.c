/* measures_dump FILE: reads cases ("CASE count", then a line "score label" per row) and prints one
 * line of our measures per case, in the order of enum measure, then the rates of threshold
 * 0.4 at a prior of 0.11, then the best threshold; "nan" for an undefined measure.
 * Labels other than 0 and 1 make it a case of scores. */
#include "eval/measures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void print_case(const double *score, const float *label, size_t count)
{
    film_error error;
    struct measures measures;
    double value[MEASURES];
    unsigned set = MEASURES_OF_PAIRS | MEASURES_OF_SCORES;
    for (size_t i = 0; i < count; i++)
        if (label[i] != 0 && label[i] != 1) set = MEASURES_OF_SCORES;
    double *ranks = malloc((count + 1) * sizeof *ranks);
    if (!ranks || measures_init(&measures, set, score, label, NULL, count, &error) != FILM_OK)
        exit(1);
    measures_compute(&measures, NULL, ranks, value);
    for (int m = 0; m < MEASURES; m++) printf("%.17g ", value[m]);
    struct measures_rates rates = measures_at(&measures, 0.4, 0.11);
    if (!(set & 1u << MEASURE_ACCURACY)) rates = (struct measures_rates){NAN, NAN, NAN};
    printf("%.17g %.17g %.17g ", rates.precision, rates.recall, rates.called_same);
    printf("%.17g\n", measures_best_threshold(&measures));
    measures_free(&measures);
    free(ranks);
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    size_t count;
    if (!file) return 1;
    while (fscanf(file, " CASE %zu", &count) == 1) {
        double *score = malloc((count + 1) * sizeof *score);
        float *label = malloc((count + 1) * sizeof *label);
        if (!score || !label) return 1;
        for (size_t i = 0; i < count; i++)
            if (fscanf(file, "%lf %f", &score[i], &label[i]) != 2) return 2;
        print_case(score, label, count);
        free(score);
        free(label);
    }
    fclose(file);
    return 0;
}
