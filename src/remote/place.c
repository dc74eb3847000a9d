/* Parses a postgresql:// URI and derives a printable name without the password. It does not
 * connect; session.c does. */
#include "remote/place.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "remote/libpq.h"

#include <stdio.h>
#include <string.h>

static const char *value_of_option(const PQconninfoOption *options, const char *keyword)
{
    for (; options->keyword; options++)
        if (strcmp(options->keyword, keyword) == 0) return options->val;
    return NULL;
}

/* Appends BEFORE, VALUE and AFTER, if there is a value. */
static size_t append_value(char *name, size_t room, size_t used, const char *before,
                           const char *value, const char *after)
{
    if (!value || !*value || used >= room) return used;
    return used + (size_t)snprintf(name + used, room - used, "%s%s%s", before, value, after);
}

/* The parts of a URI are any bytes (%0A, %FF). A name is one line of valid UTF-8: it is shown in
 * messages and written as JSON. */
static void make_printable(char *name)
{
    int valid = utf8_valid(name, strlen(name), NULL);
    for (; *name; name++) {
        unsigned char c = (unsigned char)*name;
        if (c < 0x20 || c == 0x7f || (c > 0x7f && !valid)) *name = '?';
    }
}

static char *printable(const PQconninfoOption *options)
{
    char name[600];
    const size_t room = sizeof name;
    const char *host = value_of_option(options, "host");
    size_t used = (size_t)snprintf(name, room, "postgresql://");
    used = append_value(name, room, used, "", value_of_option(options, "user"), "@");
    used =
        append_value(name, room, used, "", host ? host : value_of_option(options, "hostaddr"), "");
    used = append_value(name, room, used, ":", value_of_option(options, "port"), "");
    used = append_value(name, room, used, "/", value_of_option(options, "dbname"), "");
    append_value(name, room, used, "?service=", value_of_option(options, "service"), "");
    make_printable(name);
    return mem_string(name, strlen(name));
}

film_status place_open(struct place *place, const char *uri, film_error *error)
{
    film_status status = FILM_OK;
    char *message = NULL;
    *place = (struct place){.uri = NULL};
    PQconninfoOption *options = NULL;
    TRY(libpq_load(error));
    options = libpq.PQconninfoParse(uri, &message);
    /* The message of libpq quotes the URI, perhaps with a password. */
    libpq.PQfreemem(message);
    if (!options)
        TRY(status_set(error, FILM_USAGE,
                       "not the URI of a database; write postgresql://USER@HOST:PORT/DATABASE, "
                       "with other characters as %%XX"));
    if (value_of_option(options, "password") || value_of_option(options, "sslpassword"))
        TRY(status_set(error, FILM_USAGE,
                       "a password in a URI can be seen by others on this machine; put it into "
                       "~/.pgpass (HOST:PORT:DATABASE:USER:PASSWORD, mode 0600), a service file or "
                       "PGPASSWORD, and leave it out of the URI"));
    TRY_ALLOC(place->uri = mem_string(uri, strlen(uri)), error);
    TRY_ALLOC(place->name = printable(options), error);
done:
    if (options) libpq.PQconninfoFree(options);
    return status;
}

void place_free(struct place *place)
{
    mem_free(place->uri);
    mem_free(place->name);
    *place = (struct place){.uri = NULL};
}
