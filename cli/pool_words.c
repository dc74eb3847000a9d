/* film pool words: stores what the user knows about words in a pool, or prints it. */
#include "pool.h"

struct words_values {
    double wait;
};

static const struct option words_options[] = {WAIT_OPTION(struct words_values, wait),
                                              END_OF_OPTIONS};

static void prepare_words(void *given)
{
    ((struct words_values *)given)->wait = POOL_WAIT;
}

static int run_words(const struct command *command, void *given)
{
    const struct words_values *values = given;
    const char *path = command->count > 1 ? command->words[1] : NULL;
    film_error error = {0};
    film_pool *pool = NULL;
    char *text = NULL;
    uint64_t words = 0;
    film_status status = pool_open(command->words[0], values->wait, &pool, &error);
    if (status == FILM_OK)
        status = path ? film_pool_store_words(pool, path, &words, &error)
                      : film_pool_words(pool, &text, &error);
    int code = report(status, &error);
    if (text) fputs(text, stdout);
    if (code == EXIT_DONE && path && command->json)
        printf("{\"words\": %llu}\n", (unsigned long long)words);
    else if (code == EXIT_DONE && path && !command->quiet)
        fprintf(stderr, "%s stored\n", counted(words, "word"));
    film_free(text);
    film_pool_close(pool);
    return code;
}

const struct verb pool_words = {
    "pool words",
    LIBRARY_POOL,
    "Store relations of words in a pool, or print them",
    .arguments = "POOL [FILE] [options]",
    .min_words = 1,
    .max_words = 2,
    .options = words_options,
    .size = sizeof(struct words_values),
    .prepare = prepare_words,
    .run = run_words,
    .details =
        "FILE has a line per relation: a = b (the same), a ! b (opposites), a > b (one way). "
        "It replaces\n"
        "the words stored before; an empty one removes them. They are added to what the "
        "model knows, and\n"
        "a server that serves the pool uses them at once. Without FILE, prints them.\n\n"
        "example:\n"
        "  film pool words faq.pool words.txt\n"};
