/* Internals shared by session.c and session_copy.c only. */
#ifndef REMOTE_SESSION_PARTS_H
#define REMOTE_SESSION_PARTS_H

#include "remote/session.h"

/* Closes an unusable connection and returns a message with WORDS. The server rolls back what was
 * not committed. */
film_status session_lost(struct session *session, const char *words, film_error *error);
film_status session_send_failed(struct session *session, film_error *error);

/* Reads all results of a statement; returns the last one that matters, or the first failure. */
film_status session_collect(struct session *session, PGresult **out, film_error *error);

/* Returns FILM_CANCELLED when the user wants to stop, and closes the connection. */
film_status session_check_stop(struct session *session, film_error *error);

#endif
