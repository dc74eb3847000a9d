/* Fuzzes the URI of a database: it is refused with a message that quotes nothing of it, or its
 * printable form is one line of UTF-8 without the password. The input is the URI up to its first
 * NUL. */
#include "base/utf8.h"
#include "fuzz.h"
#include "remote/libpq.h"
#include "remote/place.h"

/* What libpq itself reads as a secret must not be in a printable form. */
static void no_secret(const char *uri, const char *shown)
{
    static const char *const secrets[] = {"password", "sslpassword"};
    PQconninfoOption *options = libpq.PQconninfoParse(uri, NULL);
    for (PQconninfoOption *at = options; at && at->keyword; at++)
        for (int i = 0; i < 2; i++) require(strcmp(at->keyword, secrets[i]) != 0 || !at->val);
    if (options) libpq.PQconninfoFree(options);
    require(utf8_valid(shown, strlen(shown), NULL));
    for (const char *c = shown; *c; c++) require((unsigned char)*c >= 0x20 && *c != 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char refused[2][sizeof((film_error){0}).message];
    film_error error = {0};
    struct place place;
    char *uri = malloc(size + 1);
    require(uri != NULL);
    if (size) memcpy(uri, data, size);
    uri[size] = '\0';
    if (libpq_load(NULL) != FILM_OK) {
        free(uri);
        return 0;
    }
    film_status status = place_open(&place, uri, &error);
    if (status == FILM_OK) {
        require(strcmp(place.uri, uri) == 0 && strncmp(place.name, "postgresql://", 13) == 0);
        no_secret(uri, place.name);
    } else {
        /* There are two messages, and neither depends on the URI. */
        require(status == FILM_USAGE && error.message[0]);
        int which = strstr(error.message, "password") != NULL;
        if (!refused[which][0]) memcpy(refused[which], error.message, sizeof error.message);
        require(strcmp(refused[which], error.message) == 0);
    }
    place_free(&place);
    free(uri);
    return 0;
}
