/* Judges the pairs of a TSV file (label, a, b; with a header) one after the other with film_match,
 * writes the probabilities to OUT as doubles and prints the processor seconds of the loop.
 *
 *     doors_driver MODEL PAIRS.tsv OUT
 */
#include <film.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int argc, char **argv)
{
    film_error error = {.message = "usage: doors_driver MODEL PAIRS.tsv OUT"};
    film_model *model = NULL;
    film_context *context = NULL;
    film_answer_options options = {.size = sizeof options, .no_reasons = 1};
    char *line = NULL;
    size_t room = 0, rows = 0;
    double seconds = 0;
    FILE *pairs = argc == 4 ? fopen(argv[2], "r") : NULL,
         *out = pairs ? fopen(argv[3], "wb") : NULL;
    film_status status = out ? film_open(argv[1], &model, &error) : FILM_USAGE;
    if (status == FILM_OK) status = film_context_new(model, &context, &error);
    if (status == FILM_OK) status = film_context_set(context, &options, &error);
    while (status == FILM_OK && getline(&line, &room, pairs) > 0) {
        char *a = strchr(line, '\t'), *b = a ? strchr(a + 1, '\t') : NULL;
        film_verdict verdict;
        if (!b || rows++ == 0) continue;
        *b++ = 0;
        b[strcspn(b, "\n")] = 0;
        clock_t start = clock();
        status = film_match(context, film_string(a + 1), film_string(b), &verdict, &error);
        seconds += (double)(clock() - start) / CLOCKS_PER_SEC;
        fwrite(&verdict.probability, sizeof verdict.probability, 1, out);
    }
    if (status == FILM_OK)
        printf("%.6f\n", seconds);
    else
        fprintf(stderr, "doors_driver: %s\n", error.message);
    free(line);
    film_context_free(context);
    film_close(model);
    if (out && fclose(out) != 0) status = FILM_IO;
    if (pairs) fclose(pairs);
    return status == FILM_OK ? 0 : 1;
}
