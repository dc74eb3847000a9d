/* What the actions of film pool and film search share. */
#ifndef CLI_POOL_H
#define CLI_POOL_H

#include "cli.h"
#include "film_pool.h"

enum { POOL_WAIT = 10 }; /* seconds */

#define WAIT_OPTION(type, place)                                                             \
    {                                                                                        \
        .name = "wait", .kind = OPTION_NUMBER, .at = offsetof(type, place), .argument = "S", \
        .help = "wait so many seconds for another process that writes", .fallback = "10"     \
    }
#define WHERE_OPTION(type, place)                                                     \
    {                                                                                 \
        .name = "where", .kind = OPTION_TEXTS, .at = offsetof(type, place),           \
        .argument = "FIELD=VALUE", .help = "only these; several times: all must hold" \
    }

/* Opens the pool at PATH, which waits WAIT seconds for other writers; stays NULL after a failure.
 */
film_status pool_open(const char *path, double wait, film_pool **pool, film_error *error);

/* "category=card" of each of TEXTS to WHERE; NULL, or the first that is none (pool_list.c). */
const char *pool_parse_where(const struct option_texts *texts, film_pool_where *where);

/* For the eye: what would end the field or the line becomes a space. */
void pool_print_field(film_text text);

extern const struct verb pool_create, pool_add, pool_remove, pool_list, pool_export, pool_check,
    pool_label;

#endif
