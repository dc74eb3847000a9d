#include "pool/lock_owner.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Byte 120 of the log's shared memory is locked by the one writer (SQLite's WAL_WRITE_LOCK). Asking
 * with fcntl would need the file open, and closing it would drop our own locks: Linux's list of all
 * locks is read instead. */
enum { WRITE_LOCK = 120 };

/* "1: POSIX  ADVISORY  WRITE 1234 08:01:5678 120 120" */
static long owner_in(FILE *locks, const struct stat *about)
{
    char line[256];
    while (fgets(line, sizeof line, locks)) {
        long process;
        unsigned long long inode, first, last;
        if (sscanf(line, "%*d: %*s %*s WRITE %ld %*x:%*x:%llu %llu %llu", &process, &inode, &first,
                   &last) != 4)
            continue;
        /* Not the device: an overlay shows another one here than in stat. */
        if (inode == about->st_ino && first <= WRITE_LOCK && last >= WRITE_LOCK) return process;
    }
    return 0;
}

const char *lock_owner(const char *path, char *text, size_t room)
{
    char name[4200];
    struct stat about;
    long process = 0;
    snprintf(text, room, "another process");
    snprintf(name, sizeof name, "%.4000s-shm", path);
    FILE *locks = stat(name, &about) == 0 ? fopen("/proc/locks", "re") : NULL;
    if (locks) {
        process = owner_in(locks, &about);
        fclose(locks);
    }
    if (process <= 0) return text;
    if (process == (long)getpid()) {
        snprintf(text, room, "another thread of this process");
        return text;
    }
    snprintf(text, room, "process %ld", process);
    snprintf(name, sizeof name, "/proc/%ld/comm", process);
    FILE *file = fopen(name, "re");
    if (file && fgets(name, sizeof name, file)) {
        name[strcspn(name, "\n")] = 0;
        snprintf(text, room, "process %ld (%.40s)", process, name);
    }
    if (file) fclose(file);
    return text;
}
