/* The options of a tokenizer: the stemmer and the stop words. tokens.c splits the text. */
#include "base/file.h"
#include "base/mem.h"
#include "text/tokens.h"

#include <libstemmer.h>
#include <stdio.h>
#include <string.h>

/* English function words. Question words and negation are excluded on purpose: a matcher must see
 * "how" against "why" and "can" against "cannot". */
static const char ENGLISH[] =
    "a\nan\nthe\nthis\nthat\nthese\nthose\nand\nor\nbut\nif\nthen\nof\nto\nin\non\nat\nby\nfor\n"
    "with\nfrom\nas\ninto\nonto\nam\nis\nare\nwas\nwere\nbe\nbeen\nbeing\ni\nme\nmy\nwe\nus\nour\n"
    "you\nyour\nhe\nhim\nhis\nshe\nher\nit\nits\nthey\nthem\ntheir\ns\nre\nve\nll\nd\nm\ndo\ndoes\n"
    "did\nhave\nhas\nhad\nso\nthan\ntoo\nvery\njust\nthere\nhere\n";

static film_status check_language(const char *stem, film_error *error)
{
    if (!stem) return FILM_OK;
    struct sb_stemmer *stemmer = sb_stemmer_new(stem, NULL);
    if (stemmer) {
        sb_stemmer_delete(stemmer);
        return FILM_OK;
    }
    char known[600] = "";
    size_t used = 0;
    for (const char **name = sb_stemmer_list(); *name && used < sizeof known - 40; name++)
        used += (size_t)snprintf(known + used, sizeof known - used, " %s", *name);
    return status_set(error, FILM_USAGE, "unknown stemmer \"%s\"; available:%s", stem, known);
}

static film_status add_stop_word(struct tokenizer *tokenizer, struct fold *fold, film_text word,
                                 film_error *error)
{
    uint32_t id;
    while (word.length && strchr(" \t\r", word.bytes[word.length - 1])) word.length--;
    if (!word.length) return FILM_OK;
    film_status status = fold_text(fold, word, error);
    return status != FILM_OK ? status
                             : strtab_add(&tokenizer->stop, fold->bytes, fold->length, &id, error);
}

film_status tokenizer_restore(struct tokenizer *tokenizer, const char *stem, film_text words,
                              film_error *error)
{
    film_status status = FILM_OK;
    struct fold fold = {0};
    *tokenizer = (struct tokenizer){.stem = NULL};
    TRY(strtab_init(&tokenizer->stop, error));
    TRY(check_language(stem, error));
    if (stem) TRY_ALLOC(tokenizer->stem = mem_string(stem, strlen(stem)), error);
    const char *at = words.bytes, *end = words.bytes + words.length;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (!line_end) line_end = end;
        TRY(add_stop_word(tokenizer, &fold, (film_text){at, (size_t)(line_end - at)}, error));
        at = line_end + 1;
    }
done:
    fold_free(&fold);
    if (status != FILM_OK) tokenizer_free(tokenizer);
    return status;
}

film_status tokenizer_init(struct tokenizer *tokenizer, const char *stem, const char *stop,
                           film_error *error)
{
    struct file_map map;
    if (!stop) return tokenizer_restore(tokenizer, stem, (film_text){"", 0}, error);
    if (strcmp(stop, "english") == 0)
        return tokenizer_restore(tokenizer, stem, film_string(ENGLISH), error);
    memset(tokenizer, 0, sizeof *tokenizer);
    film_status status = file_map_open(stop, &map, error);
    if (status != FILM_OK) return status;
    film_text words = {(const char *)map.bytes, map.size};
    status = tokenizer_restore(tokenizer, stem, words, error);
    if (status == FILM_BAD_INPUT)
        status = status_set(error, FILM_BAD_INPUT,
                            "%s: invalid UTF-8; stop words are UTF-8, one per line", stop);
    file_map_close(&map);
    return status;
}

void tokenizer_free(struct tokenizer *tokenizer)
{
    mem_free((void *)(uintptr_t)tokenizer->stem);
    strtab_free(&tokenizer->stop);
    memset(tokenizer, 0, sizeof *tokenizer);
}
