/* libpq, loaded when the first pool in PostgreSQL is opened. A pool in a file then needs neither
 * libpq nor its TLS and Kerberos libraries. The functions are members of a table:
 * libpq.PQclear(result). */
#ifndef REMOTE_LIBPQ_H
#define REMOTE_LIBPQ_H

#include "base/status.h"

#include <libpq-fe.h>

/* All functions that are used. */
#define LIBPQ_CALLS(CALL)      \
    CALL(PQclear)              \
    CALL(PQconnectdbParams)    \
    CALL(PQconninfoFree)       \
    CALL(PQconninfoParse)      \
    CALL(PQconsumeInput)       \
    CALL(PQenterPipelineMode)  \
    CALL(PQerrorMessage)       \
    CALL(PQexitPipelineMode)   \
    CALL(PQfinish)             \
    CALL(PQfreemem)            \
    CALL(PQgetResult)          \
    CALL(PQgetisnull)          \
    CALL(PQgetlength)          \
    CALL(PQgetvalue)           \
    CALL(PQisBusy)             \
    CALL(PQnfields)            \
    CALL(PQnotifies)           \
    CALL(PQntuples)            \
    CALL(PQpipelineSync)       \
    CALL(PQputCopyData)        \
    CALL(PQputCopyEnd)         \
    CALL(PQresultErrorField)   \
    CALL(PQresultErrorMessage) \
    CALL(PQresultStatus)       \
    CALL(PQsendPrepare)        \
    CALL(PQsendQuery)          \
    CALL(PQsendQueryPrepared)  \
    CALL(PQsetNoticeReceiver)  \
    CALL(PQsetSingleRowMode)   \
    CALL(PQsocket)             \
    CALL(PQstatus)             \
    CALL(PQtransactionStatus)

struct libpq {
#define LIBPQ_MEMBER(name) __typeof__(name) *name;
    LIBPQ_CALLS(LIBPQ_MEMBER)
#undef LIBPQ_MEMBER
};

/* Filled by libpq_load, which place_open calls before anything else. */
extern struct libpq libpq;

/* Thread-safe; may be called repeatedly; libpq stays loaded. FILM_IO when it is not installed. */
film_status libpq_load(film_error *error);

#endif
