/* Who is writing to a pool, for the message of someone who waited in vain. */
#ifndef POOL_LOCK_OWNER_H
#define POOL_LOCK_OWNER_H

#include <stddef.h>

/* "process 1234 (film)", or "another process" where the system does not tell. Returns TEXT. */
const char *lock_owner(const char *path, char *text, size_t room);

#endif
