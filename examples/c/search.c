/* Makes a pool of a table of questions and asks whether a question has been asked before.
 *
 *     cc search.c $(pkg-config --cflags --libs film-pool) -o search
 *     ./search faq.film ../faq/questions.tsv faq.pool "my card has gone"
 */
#include <film_pool.h>
#include <stdio.h>

static int print_answer(void *user, const film_found *found)
{
    (void)user;
    printf("%.3f  %.*s  %.*s\n", found->verdict.probability, (int)found->sentence.id.length,
           found->sentence.id.bytes, (int)found->sentence.text.length, found->sentence.text.bytes);
    return 0;
}

int main(int argc, char **argv)
{
    film_error error;
    film_pool *pool = NULL;
    film_pool_added added = {.size = sizeof added};
    film_search_options options = {.size = sizeof options, .k = 3};
    if (argc != 5) {
        fprintf(stderr, "usage: search MODEL QUESTIONS POOL QUERY\n");
        return 1;
    }
    const char *files[] = {argv[2]};
    film_status status = film_pool_create(argv[3], argv[1], &error);
    if (status == FILM_OK) status = film_pool_open(argv[3], &pool, &error);
    if (status == FILM_OK) status = film_pool_add_files(pool, files, 1, NULL, &added, &error);
    if (status == FILM_OK) {
        printf("%llu questions\n", (unsigned long long)added.added);
        status = film_pool_search(pool, film_string(argv[4]), &options, print_answer, NULL, &error);
    }
    if (status != FILM_OK)
        fprintf(stderr, "search: %s (%s)\n", error.message, film_status_name(status));
    film_pool_close(pool);
    return status == FILM_OK ? 0 : 1;
}
