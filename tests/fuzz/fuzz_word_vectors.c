/* Fuzzes files of word vectors. The first byte is the size of reads. Besides memory errors it
 * checks that vectors are finite and do not depend on the size of reads, and that messages name the
 * file. */
#include "arena.h"
#include "learn/features_fit.h"
#include "learn/word_vectors.h"
#include "base/utf8.h"

#include <math.h>

/* A vocabulary of a few words, made once. */
static const struct features *vocabulary(void)
{
    static struct features features;
    static const char *const texts[] = {"the card is lost", "naïve Zoë at home", "card 12 home"};
    struct tokenizer tokenizer;
    struct strtab sentences;
    struct csr x;
    film_error error;
    uint32_t id;
    if (features.idf) return &features;
    features.groups = 1;
    require(tokenizer_init(&tokenizer, NULL, NULL, &error) == FILM_OK);
    require(strtab_init(&sentences, &error) == FILM_OK);
    for (int i = 0; i < 3; i++)
        require(strtab_add(&sentences, texts[i], strlen(texts[i]), &id, &error) == FILM_OK);
    struct features_options options = {.groups = 1, .min_df = 1};
    require(features_fit(&features, &tokenizer, &sentences, &options, &x, &error) == FILM_OK);
    csr_free(&x);
    strtab_free(&sentences);
    return &features;
}

static film_status read_some(const uint8_t *data, size_t size, size_t chunk,
                             struct word_vectors *vectors, film_error *error)
{
    struct source *source;
    film_status status = source_open_bytes(data, size, "x.vec", chunk, &source, error);
    return status == FILM_OK ? word_vectors_read(vectors, source, vocabulary(), error) : status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct word_vectors whole = {0}, parts = {0};
    film_error error = {FILM_OK, ""}, other = {FILM_OK, ""};
    size_t words = features_count(vocabulary());
    if (size < 1) return 0;
    arena_begin();
    film_status status = read_some(data + 1, size - 1, 0, &whole, &error);
    require(read_some(data + 1, size - 1, (size_t)data[0] + 1, &parts, &other) == status);
    require(whole.width == parts.width && whole.found == parts.found && whole.found <= words);
    require((status == FILM_OK) == (whole.rows != NULL));
    if (status != FILM_OK) require(strncmp(error.message, "x.vec", 5) == 0);
    if (status != FILM_OK) require(utf8_valid(error.message, strlen(error.message), NULL));
    for (size_t i = 0; whole.rows && i < words * whole.width; i++)
        require(isfinite(whole.rows[i]) && whole.rows[i] == parts.rows[i]);
    word_vectors_free(&whole);
    word_vectors_free(&parts);
    arena_end();
    return 0;
}
