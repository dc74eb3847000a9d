/* Collects the tooltips of a plot in one buffer. */
#include "report/captions.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void captions_free(struct captions *captions)
{
    markup_free(&captions->text);
    mem_free(captions->end);
    mem_free(captions->list);
    memset(captions, 0, sizeof *captions);
}

void captions_put(struct captions *captions, film_text text, size_t most)
{
    size_t length = utf8_cut(text.bytes, text.length, most);
    markup_bytes(&captions->text, text.bytes, length);
    if (length < text.length) markup_raw(&captions->text, "\xE2\x80\xA6");
}

void captions_print(struct captions *captions, const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    markup_raw(&captions->text, text);
}

void captions_next(struct captions *captions)
{
    void *end = captions->end;
    if (!mem_grow(&end, &captions->capacity, captions->count + 1, sizeof *captions->end)) {
        captions->text.failed = 1;
        return;
    }
    captions->end = end;
    captions->end[captions->count++] = captions->text.length;
}

const film_text *captions_list(struct captions *captions)
{
    mem_free(captions->list);
    captions->list = mem_array(captions->count, sizeof *captions->list);
    if (!captions->list || captions->text.failed) return NULL;
    for (size_t i = 0; i < captions->count; i++) {
        size_t start = i ? captions->end[i - 1] : 0;
        captions->list[i] = (film_text){captions->text.bytes + start, captions->end[i] - start};
    }
    return captions->list;
}
