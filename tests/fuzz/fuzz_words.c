/* Fuzzes files of word relations. The first byte is the size of reads. Besides memory errors it
 * checks that the table does not depend on the size of reads, that every word is found in it, and
 * that messages name the file. */
#include "arena.h"
#include "text/relations_read.h"
#include "base/utf8.h"

static film_status read_some(const uint8_t *data, size_t size, size_t chunk,
                             struct relations *relations, film_error *error)
{
    struct relations_builder builder;
    struct source *source;
    *relations = (struct relations){.own = NULL};
    require(relations_builder_init(&builder, error) == FILM_OK);
    film_status status = source_open_bytes(data, size, "x.words", chunk, &source, error);
    if (status == FILM_OK) status = relations_read(&builder, source, error);
    if (status == FILM_OK) status = relations_build(&builder, relations, error);
    relations_builder_free(&builder);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct relations whole, parts;
    film_error error = {FILM_OK, ""}, other = {FILM_OK, ""};
    if (size < 1) return 0;
    arena_begin();
    film_status status = read_some(data + 1, size - 1, 0, &whole, &error);
    require(read_some(data + 1, size - 1, (size_t)data[0] + 1, &parts, &other) == status);
    require(whole.words.count == parts.words.count);
    if (status != FILM_OK) require(strncmp(error.message, "x.words", 7) == 0);
    if (status != FILM_OK) require(utf8_valid(error.message, strlen(error.message), NULL));
    for (uint32_t w = 0; w < whole.words.count; w++) {
        film_text word = strtab_get(&whole.words, w);
        struct relations_word found = relations_word(&whole, word);
        require(found.count > 0 && found.id[0] == w);
        for (uint32_t v = 0; v < whole.words.count && v < 20; v++) {
            film_text second = strtab_get(&whole.words, v);
            require(relations_of(&whole, word, second) == relations_of(&parts, second, word));
        }
    }
    relations_free(&whole);
    relations_free(&parts);
    arena_end();
    return 0;
}
