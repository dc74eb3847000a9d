/* Finds the processes that use a pool: for the message after a lock timeout, and to detect that the
 * file of a pool was replaced while in use. */
#ifndef STORE_LOCK_OWNER_H
#define STORE_LOCK_OWNER_H

#include <stddef.h>

/* Returns TEXT: "process 1234 (film)", or "another process" where the system does not provide
 * it. */
const char *lock_owner(const char *path, char *text, size_t room);

/* Returns 1 when a process has the shared memory of the log of PATH open but no process has PATH
 * itself: they use a former file of this name. TEXT names the process. Returns 0 also where the
 * system does not provide it. */
int lock_of_former_file(const char *path, char *text, size_t room);

#endif
