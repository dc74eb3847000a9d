/* Does the log beside a pool belong to it?
 *
 * SQLite takes whatever lies in POOL-wal for changes of POOL. Whoever puts another file in the
 * pool's place while it is in use, or after a crash left a log, would have pages of the old pool
 * written into the new one. So every writing transaction draws a random word and keeps it in the
 * pool with the one before it (the setting `lineage`). A log holds the words of its transactions;
 * the word in the file itself must be among them, or be the one before the first. It holds for
 * copies too: what went another way has other words. */
#ifndef STORE_LINEAGE_H
#define STORE_LINEAGE_H

#include "store/db.h"

/* Draws the next word, in a writing transaction. */
film_status lineage_renew(struct db *db, film_error *error);

/* FILM_IO, and what to do, when the log beside FILE is that of another pool, or someone still uses
 * a file that had this name. To be asked before SQLite opens FILE, which messages call PATH. */
film_status lineage_check(const char *file, const char *path, film_error *error);

#endif
