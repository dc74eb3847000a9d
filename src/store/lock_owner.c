/* Finds the process that holds the lock of a pool, and detects that the file of a pool was
 * replaced, by /proc/locks of Linux. It takes no locks. */
#include "store/lock_owner.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* SQLite's locks: the writer holds byte 120 of the log's shared memory, every process that has it
 * open holds byte 128, and every reader holds bytes from 2^30 on of the database. A process takes
 * the latter first and releases it last. fcntl would need the files open, and closing them would
 * drop our own locks; so we read the list of all locks that Linux provides. */
enum { WRITE_LOCK = 120, OPEN_LOCK = 128, DATABASE_LOCKS = 1 << 30 };

struct lock {
    int writing;
    long process;
    unsigned long long inode, first, last;
};

/* "1: POSIX  ADVISORY  WRITE 1234 08:01:5678 120 120". The device is ignored: with an overlay file
 * system, it differs from that of stat. */
static int next_lock(FILE *locks, struct lock *lock)
{
    char line[256], kind[8];
    while (fgets(line, sizeof line, locks))
        if (sscanf(line, "%*d: %*s %*s %7s %ld %*x:%*x:%llu %llu %llu", kind, &lock->process,
                   &lock->inode, &lock->first, &lock->last) == 5) {
            lock->writing = strcmp(kind, "WRITE") == 0;
            return 1;
        }
    return 0;
}

static int covers(const struct lock *lock, const struct stat *file, unsigned long long byte)
{
    return lock->inode == file->st_ino && lock->first <= byte && lock->last >= byte;
}

static FILE *open_locks(const char *path, struct stat *shared)
{
    char name[4200];
    snprintf(name, sizeof name, "%.4000s-shm", path);
    return stat(name, shared) == 0 ? fopen("/proc/locks", "re") : NULL;
}

static void describe_process(long process, char *text, size_t room)
{
    char name[64];
    snprintf(text, room, "process %ld", process);
    snprintf(name, sizeof name, "/proc/%ld/comm", process);
    FILE *file = fopen(name, "re");
    if (file && fgets(name, sizeof name, file)) {
        name[strcspn(name, "\n")] = 0;
        snprintf(text, room, "process %ld (%.40s)", process, name);
    }
    if (file) fclose(file);
}

const char *lock_owner(const char *path, char *text, size_t room)
{
    struct stat shared;
    struct lock lock;
    long process = 0;
    snprintf(text, room, "another process");
    FILE *locks = open_locks(path, &shared);
    if (!locks) return text;
    while (!process && next_lock(locks, &lock))
        if (lock.writing && covers(&lock, &shared, WRITE_LOCK)) process = lock.process;
    fclose(locks);
    if (process == (long)getpid())
        snprintf(text, room, "another thread of this process");
    else if (process > 0)
        describe_process(process, text, room);
    return text;
}

int lock_of_former_file(const char *path, char *text, size_t room)
{
    struct stat shared, file;
    struct lock lock;
    long process = 0;
    int used = 0;
    FILE *locks = stat(path, &file) == 0 ? open_locks(path, &shared) : NULL;
    if (!locks) return 0;
    while (next_lock(locks, &lock)) {
        if (covers(&lock, &shared, OPEN_LOCK)) process = lock.process;
        if (lock.inode == file.st_ino && lock.last >= DATABASE_LOCKS) used = 1;
    }
    fclose(locks);
    if (!process || used) return 0;
    if (process == (long)getpid())
        snprintf(text, room, "this process");
    else if (process > 0)
        describe_process(process, text, room);
    else
        snprintf(text, room, "another process");
    return 1;
}
