/* Requests and responses as plain bytes, and the JSON of an error. Knows no socket. */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A message may quote parts of the request, cut anywhere. Keeps it one line of valid UTF-8. */
static void clean(char *message)
{
    size_t bad;
    while (!film_text_valid(film_string(message), &bad)) message[bad] = '?';
    for (char *at = message; *at; at++)
        if ((unsigned char)*at < 0x20) *at = ' ';
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
        return response_error(response, 400, "%s", error->message);
    case FILM_BAD_INPUT: /* of the request, or of a file: then it is no fault of the client */
        return response_error(response, strstr(error->message, " is damaged") ? 500 : 400, "%s",
                              error->message);
    case FILM_NO_MEMORY:
        return response_error(response, 503, "out of memory; send a smaller request");
    case FILM_CANCELLED:
        return response_error(response, 503, "the server is stopping; try again");
    case FILM_DENIED:
        return response_error(response, 403, "%s", error->message);
    case FILM_IO: /* a locked pool or an unreachable database: may work later */
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
