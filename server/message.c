/* Requests and responses as plain bytes, and the JSON of an error. Knows no socket. */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

/* Bytes of the UTF-8 character at TEXT; 0: none is there. */
static size_t character(const unsigned char *text)
{
    size_t length = text[0] < 0x80   ? 1
                    : text[0] < 0xc2 ? 0
                    : text[0] < 0xe0 ? 2
                    : text[0] < 0xf0 ? 3
                    : text[0] < 0xf5 ? 4
                                     : 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
        (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))
        return 0; /* too long a form, a surrogate, above the last character */
    return length;
}

/* A message may repeat pieces of what was sent, cut anywhere: it stays one line of UTF-8. */
static void clean(char *message)
{
    for (unsigned char *at = (unsigned char *)message; *at;) {
        size_t length = character(at);
        if (length == 0 || *at < 0x20) *at = length ? ' ' : '?';
        at += length ? length : 1;
    }
}

int response_error(struct response *response, unsigned status, const char *format, ...)
{
    char message[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    clean(message);
    response_free(response);
    response->lasting = (film_text){NULL, 0};
    response->status = status;
    response->type = "application/json";
    bytes_error(&response->body, status, message);
    return 0;
}

int response_failure(struct response *response, film_status status, const film_error *error)
{
    switch (status) {
    case FILM_USAGE:
    case FILM_BAD_INPUT:
        return response_error(response, 400, "%s", error->message);
    case FILM_NO_MEMORY:
        return response_error(response, 503, "out of memory; ask for less at once");
    case FILM_CANCELLED:
        return response_error(response, 503, "the server is stopping; ask again");
    case FILM_DENIED:
        return response_error(response, 403, "%s", error->message);
    case FILM_IO: /* a pool that is locked, or whose database is away: later it may work */
        return response_error(response, 503, "%s", error->message);
    default:
        return response_error(response, 500, "%s", error->message);
    }
}

film_text response_content(const struct response *response)
{
    if (response->lasting.bytes) return response->lasting;
    if (response->given) return (film_text){response->given, response->given_length};
    return (film_text){response->body.data, response->body.length};
}

void response_free(struct response *response)
{
    bytes_free(&response->body);
    film_free(response->given);
    response->given = NULL;
}
