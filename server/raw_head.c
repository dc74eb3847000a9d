/* Finds bytes of a request's head that libmicrohttpd (0.9.75) does not show. It cuts the head into
 * C strings in place, so whatever follows a NUL byte in a path or a header is hidden from us, but
 * not from a proxy in front. */
#include "exchange.h"

#include <string.h>

struct walk {
    const char *at, *end;
    const char *version; /* comes after the arguments, before the headers; NULL: done */
    int hidden;
};

/* libmicrohttpd replaces one separator, or the two bytes of a line end, by NUL bytes. */
enum { SEPARATOR = 1, LINE_END = 2, LAST_LINE_ENDS = 4 };

/* Passes a string of the head: everything before it must be separators, at most MOST of them NUL
 * bytes. */
static void pass_over(struct walk *walk, const char *string, int most)
{
    int zeros = 0;
    if (walk->hidden || !string) return;
    if (string < walk->at || string > walk->end) {
        walk->hidden = 1; /* a copy: a header in several lines, which nobody sends */
        return;
    }
    for (; walk->at < string && strchr(" \t\r\n&=:", *walk->at); walk->at++)
        zeros += *walk->at == 0; /* strchr finds the end of its string too */
    walk->hidden = walk->at < string || zeros > most;
    walk->at = string;
    while (walk->at < walk->end && *walk->at) walk->at++;
}

static void pass_version(struct walk *walk)
{
    if (walk->version) pass_over(walk, walk->version, SEPARATOR);
    walk->version = NULL;
}

static enum MHD_Result pass_value(void *user, enum MHD_ValueKind kind, const char *name,
                                  const char *value)
{
    struct walk *walk = user;
    if (kind == MHD_HEADER_KIND) pass_version(walk);
    pass_over(walk, name, kind == MHD_HEADER_KIND ? LINE_END : SEPARATOR);
    pass_over(walk, value, SEPARATOR);
    return MHD_YES;
}

int raw_head_hides(struct MHD_Connection *connection, const char *method, const char *url,
                   const char *version)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    if (!info) return 0;
    struct walk walk = {.at = method, .end = method + info->header_size, .version = version};
    pass_over(&walk, method, 0);
    pass_over(&walk, url, SEPARATOR);
    MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND | MHD_HEADER_KIND, pass_value,
                              &walk);
    pass_version(&walk);
    pass_over(&walk, walk.end, LAST_LINE_ENDS);
    return walk.hidden;
}
