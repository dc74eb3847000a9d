/* What the files of this folder share of the handle, and nobody else: remote.h is free of libpq. */
#ifndef REMOTE_REMOTE_PARTS_H
#define REMOTE_REMOTE_PARTS_H

#include "remote/remote.h"
#include "remote/session.h"

enum { REMOTE_TOKEN = 32 }; /* hexadecimal digits */

struct remote {
    struct place place;
    char identity[REMOTE_TOKEN + 1];
    char *file; /* of the copy */
    size_t dim;
    enum row_vectors vectors;
    struct session reader; /* brings up to date and listens: one thread at a time */
    struct session writer; /* the same */
    /* Of the transaction in progress: */
    int64_t last_number; /* sentences above are new */
    float *vector;       /* scratch of `reader`, then of `writer`: dim each */
    unsigned char *turned;
};

/* pull.c: a quick look, outside of a transaction: does the database have changes DB has not? */
film_status pull_is_behind(const struct remote *remote, struct session *session, struct db *db,
                           int *behind, film_error *error);

/* Takes over what the copy does not have yet, inside transactions of both; WRITE goes on from
 * there. */
film_status pull_changes(struct remote *remote, struct session *session, struct store_write *write,
                         film_error *error);

/* push.c: sends the changes of WRITE, inside transactions of both. */
film_status push_changes(struct remote *remote, struct store_write *write, const char *token,
                         film_error *error);

/* copy_file.c: remote->file, made when it is not there. */
film_status copy_file_open(struct remote *remote, film_error *error);

/* Digits of random bytes. */
film_status remote_token(char token[REMOTE_TOKEN + 1], film_error *error);

#endif
