/* The handle, shared by the files of this folder only, so that remote.h does not need libpq. */
#ifndef REMOTE_REMOTE_PARTS_H
#define REMOTE_REMOTE_PARTS_H

#include "remote/remote.h"
#include "remote/session.h"

/* Number of hexadecimal digits. */
enum { REMOTE_TOKEN = 32 };

struct remote {
    struct place place;
    char identity[REMOTE_TOKEN + 1];
    char *file; /* path of the copy */
    size_t dim;
    enum row_vectors vectors;
    struct session reader; /* updates the copy and listens: one thread at a time */
    struct session writer; /* one thread at a time */
    /* In the current transaction: */
    int64_t last_number; /* sentences with higher numbers are new */
    float *vector;       /* scratch space of `reader`, then of `writer`: dim each */
    unsigned char *turned;
};

/* pull.c: a quick check, outside a transaction: whether the database has changes that DB lacks. */
film_status pull_is_outdated(const struct remote *remote, struct session *session, struct db *db,
                             int *outdated, film_error *error);

/* Copies the missing changes to the copy, inside transactions of both; WRITE continues from
 * there. */
film_status pull_changes(struct remote *remote, struct session *session, struct store_write *write,
                         film_error *error);

/* push.c: sends the changes of WRITE, inside transactions of both. */
film_status push_changes(struct remote *remote, struct store_write *write, const char *token,
                         film_error *error);

/* copy_file.c: opens remote->file, or creates it. */
film_status copy_file_open(struct remote *remote, film_error *error);

/* Hexadecimal digits of random bytes. */
film_status remote_token(char token[REMOTE_TOKEN + 1], film_error *error);

#endif
