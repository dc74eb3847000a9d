/* Learns a model from a table of labelled pairs, measures it on another and saves it.
 *
 *     cc train.c $(pkg-config --cflags --libs film-train) -o train
 *     ./train ../faq/train.tsv ../faq/heldout.tsv faq.film
 */
#include <film_train.h>
#include <stdio.h>

static int show_progress(void *user, const char *phase, double done, double total)
{
    (void)user;
    if (total > 0 && done == total) fprintf(stderr, "%s: done\n", phase);
    return 0;
}

static void print_figures(const film_eval_result *result)
{
    printf("%llu rows\n", (unsigned long long)result->rows);
    printf("accuracy %.1f %% (95 %%: %.1f to %.1f)\n", 100 * result->accuracy.value,
           100 * result->accuracy.low, 100 * result->accuracy.high);
    printf("log loss %.4f\n", result->log_loss.value);
}

int main(int argc, char **argv)
{
    film_error error;
    film_model *model = NULL;
    film_eval_result result = {.size = sizeof result};
    if (argc != 4) {
        fprintf(stderr, "usage: train PAIRS DEV MODEL\n");
        return 1;
    }
    const char *files[] = {argv[1]};
    film_train_options options = {.size = sizeof options, .progress = {.call = show_progress}};
    film_status status = film_train(files, 1, &options, &model, &error);
    if (status == FILM_OK) status = film_eval(model, argv[2], NULL, &result, &error);
    if (status == FILM_OK) status = film_save(model, argv[3], &error);
    if (status == FILM_OK)
        print_figures(&result);
    else
        fprintf(stderr, "train: %s (%s)\n", error.message, film_status_name(status));
    film_eval_result_free(&result);
    film_close(model);
    return status == FILM_OK ? 0 : 1;
}
