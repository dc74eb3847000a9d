/* A library for LD_PRELOAD that sends the program a signal at a chosen system call, so that a test
 * of Ctrl-C or kill -9 does not depend on timing. signal_at in tests/cli/tap.sh uses it:
 *   SIGNAL_AT_CALL    rename, write, pwrite64 (SQLite's), read or clock_gettime (every report of
 *                     progress calls it)
 *   SIGNAL_AT_PATH    a part of the file's name (rename: the new name); empty: any file
 *   SIGNAL_AT_COUNT   the number of the call: 1 is the first
 *   SIGNAL_AT_RAISE   numbers of the signals, raised one after the other
 * The signal is raised after the rename, after half of the bytes of a write, and before any other
 * call. */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

static int is_call(const char *call)
{
    const char *chosen = getenv("SIGNAL_AT_CALL");
    return chosen && strcmp(chosen, call) == 0;
}

static int is_path(const char *path)
{
    const char *part = getenv("SIGNAL_AT_PATH");
    return !part || strstr(path, part) != NULL;
}

static int is_file(int fd)
{
    char link[40], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    return is_path(path);
}

static int is_time(void)
{
    static atomic_int calls;
    const char *count = getenv("SIGNAL_AT_COUNT");
    return count && atomic_fetch_add(&calls, 1) + 1 == atoi(count);
}

static void raise_all(void)
{
    const char *at = getenv("SIGNAL_AT_RAISE");
    char *end;
    for (long number; at && (number = strtol(at, &end, 10)) > 0; at = end) raise((int)number);
}

EXPORTED int rename(const char *old, const char *new)
{
    int result = (int)syscall(SYS_renameat, AT_FDCWD, old, AT_FDCWD, new);
    if (is_call("rename") && is_path(new) && is_time()) raise_all();
    return result;
}

EXPORTED ssize_t write(int fd, const void *bytes, size_t count)
{
    if (is_call("write") && is_file(fd) && is_time()) {
        ssize_t written = syscall(SYS_write, fd, bytes, (count + 1) / 2);
        raise_all();
        return written;
    }
    return syscall(SYS_write, fd, bytes, count);
}

EXPORTED ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset)
{
    if (is_call("pwrite64") && is_file(fd) && is_time()) {
        ssize_t written = syscall(SYS_pwrite64, fd, bytes, (count + 1) / 2, offset);
        raise_all();
        return written;
    }
    return syscall(SYS_pwrite64, fd, bytes, count, offset);
}

EXPORTED ssize_t read(int fd, void *bytes, size_t count)
{
    if (is_call("read") && is_file(fd) && is_time()) raise_all();
    return syscall(SYS_read, fd, bytes, count);
}

/* Libraries read the time before main begins. */
static int is_listening(void)
{
    struct sigaction now;
    return sigaction(SIGTERM, NULL, &now) == 0 && now.sa_handler != SIG_DFL;
}

EXPORTED int clock_gettime(clockid_t clock, struct timespec *time)
{
    if (is_call("clock_gettime") && is_listening() && is_time()) raise_all();
    return (int)syscall(SYS_clock_gettime, clock, time);
}
