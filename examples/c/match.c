/* Asks a model whether two sentences mean the same, and why.
 *
 *     cc match.c $(pkg-config --cflags --libs film) -o match
 *     ./match faq.film "I lost my card" "what if my card is lost?"
 */
#include <film_explain.h>
#include <stdio.h>

static void print_why(const film_explanation *why)
{
    printf("%s, probability %.3f\n", why->verdict.same ? "same" : "different",
           why->verdict.probability);
    for (size_t i = 0; i < why->word_count; i++)
        printf("%+.2f  %.*s (%c)\n", why->words[i].weight, (int)why->words[i].text.length,
               why->words[i].text.bytes, why->words[i].side);
    for (size_t i = 0; i < why->group_count; i++)
        printf("%+.2f  %s\n", why->groups[i].weight, why->groups[i].title);
}

int main(int argc, char **argv)
{
    film_error error;
    film_model *model = NULL;
    film_context *context = NULL;
    film_explanation why = {.size = sizeof why};
    if (argc != 4) {
        fprintf(stderr, "usage: match MODEL A B\n");
        return 1;
    }
    film_status status = film_open(argv[1], &model, &error);
    if (status == FILM_OK) status = film_context_new(model, &context, &error);
    if (status == FILM_OK)
        status =
            film_explain_pair(context, film_string(argv[2]), film_string(argv[3]), &why, &error);
    if (status == FILM_OK)
        print_why(&why);
    else
        fprintf(stderr, "match: %s (%s)\n", error.message, film_status_name(status));
    film_context_free(context);
    film_close(model);
    return status == FILM_OK ? 0 : 1;
}
