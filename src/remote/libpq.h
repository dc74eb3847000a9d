/* libpq, loaded when the first pool in PostgreSQL is opened: a pool in a file needs neither it nor
 * the TLS and Kerberos libraries behind it. Its calls are members of a table,
 * libpq.PQclear(result). */
#ifndef REMOTE_LIBPQ_H
#define REMOTE_LIBPQ_H

#include "base/status.h"

#include <libpq-fe.h>

/* All that is used of it. */
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

/* Filled by libpq_load, which place_open calls: everything else here comes after it. */
extern struct libpq libpq;

/* Any thread, any number of times; it stays loaded. FILM_IO where it is not installed. */
film_status libpq_load(film_error *error);

#endif
