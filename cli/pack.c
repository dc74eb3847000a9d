/* film pack: writes a smaller copy of a model, for shipping. */
#include "modules.h"

#include <stdlib.h>
#include <sys/stat.h>

struct values {
    const char *output;
    enum bits { SIX, FOUR, EIGHT } bits;
};

static const struct option options[] = {{.name = "output",
                                         .letter = 'o',
                                         .kind = OPTION_FILE,
                                         .at = offsetof(struct values, output),
                                         .argument = "OUT",
                                         .help = "the packed model"},
                                        {.name = "bits",
                                         .kind = OPTION_CHOICE,
                                         .at = offsetof(struct values, bits),
                                         .argument = "6|4|8",
                                         .help = "bits of each value of the map",
                                         .fallback = "6"},
                                        END_OF_OPTIONS};

static unsigned long long file_bytes(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (unsigned long long)about.st_size : 0;
}

static int run(const struct command *command, void *given)
{
    static const int bits_of[] = {[SIX] = 6, [FOUR] = 4, [EIGHT] = 8};
    const struct values *values = given;
    const char *path = command->words[0];
    if (!values->output) return usage_error(command->verb, "-o OUT is missing");
    unsigned long long before = file_bytes(path);
    film_error error;
    film_model *model = NULL;
    film_status status = open_model(path, FILM_ARITHMETIC_OWN, &model, &error);
    if (status == FILM_OK) status = film_pack(model, bits_of[values->bits], values->output, &error);
    close_model(model);
    unsigned long long after = file_bytes(values->output);
    if (status == FILM_OK && command->json)
        printf("{\"before\": %llu, \"after\": %llu}\n", before, after);
    else if (status == FILM_OK && !command->quiet)
        printf("%.2f MB to %.2f MB\n", (double)before / 1e6, (double)after / 1e6);
    return report(status, &error);
}

const struct verb verb_pack = {
    VERB_PACK,
    .arguments = "MODEL -o OUT [options]",
    .page = "docs/how-to/pack.md",
    .min_words = 1,
    .max_words = 1,
    .options = options,
    .size = sizeof(struct values),
    .run = run,
    .details =
        "A packed model opens wherever a model does. Its probabilities\n"
        "differ slightly, because values are rounded; keep the original to train or compare.\n"
        "\n"
        "example:\n"
        "  film pack faq.film -o faq-small.film\n"};
