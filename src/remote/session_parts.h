/* What session.c and session_copy.c share, and nobody else. */
#ifndef REMOTE_SESSION_PARTS_H
#define REMOTE_SESSION_PARTS_H

#include "remote/session.h"

/* The connection is of no use any more, as WORDS say: what is not committed is rolled back by the
 * server. */
film_status session_lost(struct session *session, const char *words, film_error *error);
film_status session_send_failed(struct session *session, film_error *error);

/* All results of a statement; the last one that matters is handed out, the first failure
 * reported. */
film_status session_collect(struct session *session, PGresult **out, film_error *error);

/* FILM_CANCELLED where the user wants to stop; the connection is then closed. */
film_status session_check_stop(struct session *session, film_error *error);

#endif
