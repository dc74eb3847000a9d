/* Checks that the write-ahead log next to a pool belongs to it.
 *
 * SQLite applies whatever is in POOL-wal to POOL. If somebody replaces the file of a pool that is
 * in use, or that has a log left by a crash, SQLite would write pages of the old pool into the new
 * one. So every writing transaction draws a random word and stores it in the pool together with the
 * previous one (the setting `lineage`). A log contains the words of its transactions. The word in
 * the file itself must be among them, or be the predecessor of the first. This works for copies
 * too: diverged copies have different words. */
#ifndef STORE_LINEAGE_H
#define STORE_LINEAGE_H

#include "store/db.h"

/* Draws the next word, in a writing transaction. */
film_status lineage_renew(struct db *db, film_error *error);

/* Fails with FILM_IO and advice when the log next to FILE belongs to another pool, or when a
 * process still uses a former file of this name. Call it before SQLite opens FILE, which messages
 * call PATH. */
film_status lineage_check(const char *file, const char *path, film_error *error);

#endif
