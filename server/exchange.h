/* One request and its response, from the headers' arrival to the last byte sent: the callbacks of
 * libmicrohttpd. */
#ifndef SERVER_EXCHANGE_H
#define SERVER_EXCHANGE_H

#include "http.h"

#include <microhttpd.h>

/* Called by libmicrohttpd for the head of a request, for each chunk of its body, at its end, and
 * again when a suspended connection is resumed. USER is the struct http. */
enum MHD_Result exchange_step(void *user, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *length, void **state);

/* Called when the response was sent, or the connection was lost. */
void exchange_end(void *user, struct MHD_Connection *connection, void **state,
                  enum MHD_RequestTerminationCode how);

/* Returns whether a NUL byte hides a part of the request's head from us (raw_head.c). The strings
 * are those that libmicrohttpd passed. */
int raw_head_hides(struct MHD_Connection *connection, const char *method, const char *url,
                   const char *version);

/* Returns the worker of this thread; creates it on the first request. NULL: out of memory. */
struct worker *exchange_worker(struct service *service);

#endif
