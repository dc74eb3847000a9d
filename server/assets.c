/* Holds the page's files, compiled in from web/assets.def, and finds them by path. Reads no file
 * at run time. */
#include "assets.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The assembler copies the files; FILM_ROOT is the source folder. */
#define ASSET(name, path, file, type)                                \
    __asm__(".pushsection .rodata\n"                                 \
            "asset_" #name ":\n.incbin \"" FILM_ROOT "/" file "\"\n" \
            "asset_" #name "_end:\n.byte 0\n"                        \
            ".popsection\n");                                        \
    extern const char asset_##name[], asset_##name##_end[];
#include "../web/assets.def"
#undef ASSET

static struct asset assets[] = {
#define ASSET(name, path, file, type) {path, type, {asset_##name, 0}, ""},
#include "../web/assets.def"
#undef ASSET
};
static const char *const ends[] = {
#define ASSET(name, path, file, type) asset_##name##_end,
#include "../web/assets.def"
#undef ASSET
};
enum { ASSETS = sizeof assets / sizeof *assets };

/* Sets lengths and ETags. FNV-1a of the content is enough to distinguish versions. */
static void prepare_assets(void)
{
    for (size_t i = 0; i < ASSETS; i++) {
        uint64_t hash = 0xcbf29ce484222325u;
        film_text *content = &assets[i].content;
        content->length = (size_t)(ends[i] - content->bytes);
        for (size_t at = 0; at < content->length; at++)
            hash = (hash ^ (unsigned char)content->bytes[at]) * 0x100000001b3u;
        snprintf(assets[i].etag, sizeof assets[i].etag, "\"%016llx\"", (unsigned long long)hash);
    }
}

const struct asset *assets_find(const char *path)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_assets);
    for (size_t i = 0; i < ASSETS; i++)
        if (strcmp(assets[i].path, path) == 0) return &assets[i];
    return NULL;
}
