/* Who uses a pool: for the message of someone who waited in vain, and to notice a pool whose file
 * was exchanged below its users. */
#ifndef STORE_LOCK_OWNER_H
#define STORE_LOCK_OWNER_H

#include <stddef.h>

/* "process 1234 (film)", or "another process" where the system does not tell. Returns TEXT. */
const char *lock_owner(const char *path, char *text, size_t room);

/* 1 when someone has the log's shared memory of PATH open and nobody has PATH itself: what they use
 * is a file that had this name before. TEXT: who. 0 also where the system does not tell. */
int lock_of_former_file(const char *path, char *text, size_t room);

#endif
