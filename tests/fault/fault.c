/* Preloaded by the tests of this folder: one chosen call of the program fails, all others succeed.
 *   FAULT_CALL    the kind of call: memory, open, read, write, ... (names below)
 *   FAULT_AT      the number of the call, from 1
 *   FAULT_ERROR   its errno; 0: a short count, half of the bytes
 *   FAULT_EVERY   instead: "memory=5003,send=701" fails every 5003rd allocation and 701st send with
 *                 ENOMEM and ECONNRESET, and so on (usual_error)
 *   FAULT_TRACE   a file for the stack at the failure
 *   FAULT_COUNT   a file for the number of calls of each kind, written at the end
 *   FAULT_SITES   a file for the first call from each place in our code: its kind, its number,
 *                 and a hash of the place (our innermost callers)
 * Calls before main are not counted. Calls that the C library makes by itself (stdio, the loader)
 * do not come through here; calls.py reaches those with strace. */
#undef _FILE_OFFSET_BITS /* both names of each call are defined here */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

enum kind {
    MEMORY,
    OPEN,
    READ,
    WRITE,
    SYNC,
    RENAME,
    UNLINK,
    MAP,
    TRUNCATE,
    ACCEPT,
    SEND,
    RECEIVE,
    KINDS
};
static const char *const names[KINDS] = {"memory", "open", "read",     "write",  "sync", "rename",
                                         "unlink", "map",  "truncate", "accept", "send", "receive"};

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_long counts[KINDS];
static long every[KINDS];
static const int usual_error[KINDS] = {ENOMEM, EMFILE, EIO,    ENOSPC, EIO,        EIO,
                                       EIO,    ENOMEM, ENOSPC, EMFILE, ECONNRESET, ECONNRESET};
static int started, chosen = -1, code;
static long at;
static int trace = -1, sites = -1;

/* A hash of the innermost callers that are ours. Addresses are relative to their library, so that
 * the hash is the same in every process. */
static unsigned long place_of_call(void)
{
    enum { FRAMES = 64, OURS = 6 };
    void *frames[FRAMES];
    unsigned long hash = 14695981039346656037u;
    int count = backtrace(frames, FRAMES), ours = 0;
    for (int i = 2; i < count && ours < OURS; i++) {
        struct dl_find_object found;
        if (_dl_find_object(frames[i], &found) != 0) continue;
        const char *name = found.dlfo_link_map->l_name; /* the program's is empty */
        if (*name && !strstr(name, "/libfilm") && !strstr(name, "/film-")) continue;
        hash = (hash ^ ((unsigned long)frames[i] - found.dlfo_link_map->l_addr)) * 1099511628211u;
        ours++;
    }
    return hash;
}

/* Writes a line about a call from a place that was not seen before. */
static void note_site(enum kind kind, long number)
{
    enum { ROOM = 1 << 16 };
    static unsigned long seen[ROOM];
    static size_t used;
    static atomic_flag busy = ATOMIC_FLAG_INIT;
    char line[80];
    int before = errno;
    if (used > ROOM / 2 || atomic_flag_test_and_set(&busy)) return;
    unsigned long hash = place_of_call() + (unsigned long)kind;
    size_t at_slot = hash % ROOM;
    while (seen[at_slot] && seen[at_slot] != hash) at_slot = (at_slot + 1) % ROOM;
    if (!seen[at_slot]) {
        seen[at_slot] = hash;
        used++;
        int length = snprintf(line, sizeof line, "%s %ld %lx\n", names[kind], number, hash);
        syscall(SYS_write, sites, line, (size_t)length);
    }
    atomic_flag_clear(&busy);
    errno = before;
}

/* Counts a call; returns whether it is the one that fails. */
static int hits(enum kind kind)
{
    if (!started) return 0;
    long number = atomic_fetch_add(&counts[kind], 1) + 1;
    if (sites >= 0) note_site(kind, number);
    if (every[kind] ? number % every[kind] : number != at || (int)kind != chosen) return 0;
    int before = errno;
    void *frames[64];
    if (trace >= 0) backtrace_symbols_fd(frames, backtrace(frames, 64), trace);
    errno = before;
    return 1;
}

static int fails(enum kind kind)
{
    if (!hits(kind)) return 0;
    errno = every[kind] ? usual_error[kind] : code;
    return 1;
}

/* The same for a call that moves COUNT bytes: shortens it, or returns 1 with errno set. */
static int fails_or_shortens(enum kind kind, size_t *count)
{
    if (!hits(kind)) return 0;
    int error = every[kind] ? usual_error[kind] : code;
    if (error == 0) *count = (*count + 1) / 2;
    errno = error;
    return error != 0;
}

static int new_file(const char *path)
{
    int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
}

/* Reads "memory=5003,send=701". */
static void read_every(const char *list)
{
    while (list && *list) {
        size_t length = strcspn(list, "=");
        for (int kind = 0; kind < KINDS; kind++)
            if (strlen(names[kind]) == length && memcmp(list, names[kind], length) == 0)
                every[kind] = strtol(list + length + (list[length] == '='), NULL, 10);
        list += strcspn(list, ",");
        list += *list == ',';
    }
}

__attribute__((constructor)) static void start(void)
{
    const char *call = getenv("FAULT_CALL"), *number = getenv("FAULT_AT");
    const char *error = getenv("FAULT_ERROR"), *path = getenv("FAULT_TRACE");
    void *frame;
    (void)backtrace(&frame, 1); /* loads libgcc now */
    for (int kind = 0; call && kind < KINDS; kind++)
        if (strcmp(call, names[kind]) == 0) chosen = kind;
    at = number ? strtol(number, NULL, 10) : 0;
    code = error ? atoi(error) : ENOMEM;
    read_every(getenv("FAULT_EVERY"));
    if (path) trace = new_file(path);
    path = getenv("FAULT_SITES");
    if (path) sites = new_file(path);
    started = 1;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAULT_COUNT");
    started = 0;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    for (int kind = 0; kind < KINDS; kind++)
        fprintf(file, "%s %ld\n", names[kind], atomic_load(&counts[kind]));
    fclose(file);
}

/* ---- memory ---- */

EXPORTED void *malloc(size_t size)
{
    return fails(MEMORY) ? NULL : __libc_malloc(size);
}

EXPORTED void *calloc(size_t count, size_t size)
{
    return fails(MEMORY) ? NULL : __libc_calloc(count, size);
}

EXPORTED void *realloc(void *memory, size_t size)
{
    return fails(MEMORY) ? NULL : __libc_realloc(memory, size);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(MEMORY) ? NULL : __libc_memalign(alignment, size);
}

EXPORTED int posix_memalign(void **memory, size_t alignment, size_t size)
{
    void *block = fails(MEMORY) ? NULL : __libc_memalign(alignment, size);
    if (!block) return ENOMEM;
    *memory = block;
    return 0;
}

/* ---- files ---- */

static int open_file(int folder, const char *path, int flags, mode_t mode)
{
    return fails(OPEN) ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

static mode_t mode_of(int flags, va_list arguments)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

#define OPEN_CALL(name)                                 \
    EXPORTED int name(const char *path, int flags, ...) \
    {                                                   \
        va_list arguments;                              \
        va_start(arguments, flags);                     \
        mode_t mode = mode_of(flags, arguments);        \
        va_end(arguments);                              \
        return open_file(AT_FDCWD, path, flags, mode);  \
    }
OPEN_CALL(open)
OPEN_CALL(open64)

#define READ_CALL(name, kind, number, type)                                              \
    EXPORTED ssize_t name(int fd, type bytes, size_t count)                              \
    {                                                                                    \
        return fails_or_shortens(kind, &count) ? -1 : syscall(number, fd, bytes, count); \
    }
READ_CALL(read, READ, SYS_read, void *)

/* An eventfd, which threads wake each other with, has no file type. It cannot fail. */
static int is_event(int fd)
{
    struct stat about;
    return fstat(fd, &about) == 0 && (about.st_mode & S_IFMT) == 0;
}

EXPORTED ssize_t write(int fd, const void *bytes, size_t count)
{
    if (!is_event(fd) && fails_or_shortens(WRITE, &count)) return -1;
    return syscall(SYS_write, fd, bytes, count);
}

#define PLACED_CALL(name, kind, number, type)                                                    \
    EXPORTED ssize_t name(int fd, type bytes, size_t count, off64_t offset)                      \
    {                                                                                            \
        return fails_or_shortens(kind, &count) ? -1 : syscall(number, fd, bytes, count, offset); \
    }
PLACED_CALL(pread, READ, SYS_pread64, void *)
PLACED_CALL(pread64, READ, SYS_pread64, void *)
PLACED_CALL(pwrite, WRITE, SYS_pwrite64, const void *)
PLACED_CALL(pwrite64, WRITE, SYS_pwrite64, const void *)

EXPORTED int fsync(int fd)
{
    return fails(SYNC) ? -1 : (int)syscall(SYS_fsync, fd);
}

EXPORTED int fdatasync(int fd)
{
    return fails(SYNC) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

EXPORTED int rename(const char *from, const char *to)
{
    return fails(RENAME) ? -1 : (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

EXPORTED int link(const char *from, const char *to)
{
    return fails(RENAME) ? -1 : (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

EXPORTED int unlink(const char *path)
{
    return fails(UNLINK) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

#define MAP_CALL(name)                                                                            \
    EXPORTED void *name(void *place, size_t size, int allowed, int flags, int fd, off64_t offset) \
    {                                                                                             \
        return fails(MAP) ? MAP_FAILED                                                            \
                          : (void *)syscall(SYS_mmap, place, size, allowed, flags, fd, offset);   \
    }
MAP_CALL(mmap)
MAP_CALL(mmap64)

#define TRUNCATE_CALL(name)                                                  \
    EXPORTED int name(int fd, off64_t size)                                  \
    {                                                                        \
        return fails(TRUNCATE) ? -1 : (int)syscall(SYS_ftruncate, fd, size); \
    }
TRUNCATE_CALL(ftruncate)
TRUNCATE_CALL(ftruncate64)

/* ---- sockets ---- */

EXPORTED int accept(int fd, struct sockaddr *address, socklen_t *length)
{
    return fails(ACCEPT) ? -1 : (int)syscall(SYS_accept4, fd, address, length, 0);
}

EXPORTED int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    return fails(ACCEPT) ? -1 : (int)syscall(SYS_accept4, fd, address, length, flags);
}

EXPORTED ssize_t send(int fd, const void *bytes, size_t count, int flags)
{
    if (fails_or_shortens(SEND, &count)) return -1;
    return syscall(SYS_sendto, fd, bytes, count, flags, NULL, 0);
}

/* A short count sends the first span. */
EXPORTED ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    size_t spans = message->msg_iovlen;
    if (fails_or_shortens(SEND, &spans)) return -1;
    struct msghdr sent = *message;
    sent.msg_iovlen = spans;
    return syscall(SYS_sendmsg, fd, &sent, flags);
}

EXPORTED ssize_t recv(int fd, void *bytes, size_t count, int flags)
{
    if (fails_or_shortens(RECEIVE, &count)) return -1;
    return syscall(SYS_recvfrom, fd, bytes, count, flags, NULL, NULL);
}
