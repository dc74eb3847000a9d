/* Checks that the write-ahead log next to a pool belongs to it, by random words that every writing
 * transaction stores (see lineage.h). It parses only what it needs of the WAL format of SQLite. */
#include "store/lineage.h"
#include "base/mem.h"
#include "store/lock_owner.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Sixteen hexadecimal digits; the setting is the previous word and this one. */
enum { WORD = 16, LOG_HEAD = 32, FRAME_HEAD = 24, SMALLEST_PAGE = 512, LARGEST_PAGE = 65536 };
static const char KEY[] = "lineage"; /* in a page, the value follows its key */

film_status lineage_renew(struct db *db, film_error *error)
{
    sqlite3_stmt *statement;
    film_status status = db_prepare(db,
                                    "INSERT INTO setting VALUES ('lineage', '0000000000000000' ||"
                                    " lower(hex(randomblob(8)))) ON CONFLICT (name) DO UPDATE"
                                    " SET value = substr(value, 17) || lower(hex(randomblob(8)))",
                                    &statement, error);
    return status == FILM_OK ? db_finish(db, statement, error) : status;
}

/* The state of the file without its log. */
struct origin {
    char word[WORD + 1];
    uint32_t page; /* of the settings table */
};

static film_status read_origin(const char *file, const char *path, struct origin *origin,
                               film_error *error)
{
    film_status status = FILM_OK;
    struct db db = {.handle = NULL};
    sqlite3_stmt *statement = NULL;
    int64_t page = 0;
    int row;
    snprintf(origin->word, sizeof origin->word, "%016d", 0); /* for a pool without words */
    TRY(db_open_alone(&db, file, path, error));
    TRY(db_number(&db, "SELECT rootpage FROM sqlite_schema WHERE name = 'setting'", &page, error));
    TRY(db_prepare(&db, "SELECT substr(value, 17) FROM setting WHERE name = 'lineage'", &statement,
                   error));
    TRY(db_step(&db, statement, &row, error));
    if (row) {
        film_text word = db_text(statement, 0);
        if (word.length == WORD) memcpy(origin->word, word.bytes, WORD);
    }
done:
    origin->page = page > 0 && page < UINT32_MAX ? (uint32_t)page : 0;
    db_close(&db);
    return status;
}

/* ---- The log ---- */

static uint32_t big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static int is_hex_word(const char *text)
{
    return strspn(text, "0123456789abcdef") >= 2 * (size_t)WORD;
}

/* Searches for the setting in a page of the log. *SEEN: it is there. *OURS: WORD is one of its
 * two. */
static void look_at_page(const char *page, size_t size, const char *word, int *seen, int *ours)
{
    const size_t key = sizeof KEY - 1;
    char words[2 * WORD + 1] = "";
    for (size_t i = 0; i + key + 2 * WORD <= size; i++) {
        if (page[i] != KEY[0] || memcmp(page + i, KEY, key) != 0) continue;
        memcpy(words, page + i + key, 2 * WORD);
        if (!is_hex_word(words)) continue;
        *seen = 1;
        if (memcmp(words, word, WORD) == 0 || memcmp(words + WORD, word, WORD) == 0) *ours = 1;
    }
}

/* Scans the frames that SQLite may read: those with the salt of the log's header. */
static void look_through(int log, const struct origin *origin, unsigned char *page, int *seen,
                         int *ours)
{
    unsigned char head[LOG_HEAD], frame[FRAME_HEAD];
    if (pread(log, head, sizeof head, 0) != LOG_HEAD) return;
    uint32_t size = big_endian(head + 8);
    if (size < SMALLEST_PAGE || size > LARGEST_PAGE || (size & (size - 1))) return;
    for (off_t at = LOG_HEAD; !*ours; at += FRAME_HEAD + (off_t)size) {
        if (pread(log, frame, sizeof frame, at) != FRAME_HEAD) return;
        if (memcmp(frame + 8, head + 16, 8) != 0) return;
        if (big_endian(frame) != origin->page) continue;
        if (pread(log, page, size, at + FRAME_HEAD) != (ssize_t)size) return;
        look_at_page((const char *)page, size, origin->word, seen, ours);
    }
}

/* Returns whether the log belongs to another pool. A log without a word (of another program) is
 * accepted. */
static film_status is_foreign(int log, const char *file, const char *path, int *foreign,
                              film_error *error)
{
    struct origin origin;
    int seen = 0, ours = 0;
    unsigned char *page = mem_array(LARGEST_PAGE, 1);
    *foreign = 0;
    if (!page) return status_no_memory(error);
    /* A file that cannot be read alone is refused, with a better message, when it is opened. */
    film_status status = read_origin(file, path, &origin, error);
    if (status == FILM_OK && origin.page) look_through(log, &origin, page, &seen, &ours);
    *foreign = seen && !ours;
    mem_free(page);
    return status == FILM_NO_MEMORY ? status : FILM_OK;
}

static film_status check_log(const char *file, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    size_t room = strlen(file) + 5;
    int foreign = 0;
    char *name = mem_array(room, 1);
    if (!name) return status_no_memory(error);
    snprintf(name, room, "%s-wal", file);
    int log = open(name, O_RDONLY | O_CLOEXEC); /* SQLite takes no locks on this file */
    mem_free(name);
    if (log < 0) return FILM_OK;
    status = is_foreign(log, file, path, &foreign, error);
    close(log);
    if (foreign)
        status = status_set(error, FILM_IO,
                            "%s-wal has changes of a different pool of this name; if %s is the "
                            "right one, remove %s-wal and %s-shm while no program uses them",
                            path, path, path, path);
    return status;
}

film_status lineage_check(const char *file, const char *path, film_error *error)
{
    enum { TIMES = 5 };
    film_status status = FILM_IO;
    char owner[100];
    /* Other processes may be writing, opening or closing: a problem must persist for a while. */
    for (int i = 0; status == FILM_IO && i < TIMES; i++) {
        if (i) nanosleep(&(struct timespec){0, 20000000}, NULL);
        if (lock_of_former_file(file, owner, sizeof owner))
            status = status_set(error, FILM_IO,
                                "%s replaced a pool that %s still uses; stop it, remove %s-wal and "
                                "%s-shm, and start it again",
                                path, owner, path, path);
        else
            status = check_log(file, path, error);
    }
    return status;
}
