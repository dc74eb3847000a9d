/* Maps files for reading; writes files atomically (temporary file, fsync, rename).
 * Reading tables is done in text/. */
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Copies SIZE bytes of FD into BYTES. */
static film_status read_whole(int fd, const char *path, unsigned char *bytes, size_t size,
                              film_error *error)
{
    while (size) {
        ssize_t got = read(fd, bytes, size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return status_errno(error, "cannot read %s", path);
        if (got == 0)
            return status_set(error, FILM_IO, "%s became shorter while it was read; try again",
                              path);
        bytes += got;
        size -= (size_t)got;
    }
    return FILM_OK;
}

static film_status map_file(const char *path, int copy, struct file_map *map, film_error *error)
{
    film_status status = FILM_OK;
    struct stat about;
    *map = (struct file_map){(const unsigned char *)"", 0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return status_errno(error, "cannot open %s", path);
    if (fstat(fd, &about) != 0) {
        status = status_errno(error, "cannot read %s", path);
    } else if (!S_ISREG(about.st_mode)) {
        status = status_set(error, FILM_IO, "%s is %s, not a file", path,
                            S_ISDIR(about.st_mode) ? "a directory" : "a device or pipe");
    } else if (about.st_size < 0 || (uint64_t)about.st_size > PTRDIFF_MAX) {
        status = status_set(error, FILM_IO, "%s is too large for the memory of this machine", path);
    } else if (about.st_size > 0) {
        size_t size = (size_t)about.st_size;
        void *bytes =
            copy ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                 : mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes == MAP_FAILED)
            status = status_errno(error, "cannot map %s", path);
        else
            *map = (struct file_map){bytes, size};
        if (copy && status == FILM_OK) status = read_whole(fd, path, bytes, size, error);
    }
    close(fd);
    if (status != FILM_OK) file_map_close(map);
    return status;
}

film_status file_map_open(const char *path, struct file_map *map, film_error *error)
{
    return map_file(path, 0, map, error);
}

film_status file_map_read(const char *path, struct file_map *map, film_error *error)
{
    return map_file(path, 1, map, error);
}

void file_map_close(struct file_map *map)
{
    if (map->size) munmap((void *)(uintptr_t)map->bytes, map->size);
    *map = (struct file_map){(const unsigned char *)"", 0};
}

enum { BUFFER_BYTES = 1 << 18 };

struct film_output {
    int fd;
    /* temporary is NULL when writing in place (standard output, a pipe). */
    char *path, *temporary;
    size_t used;
    unsigned char buffer[BUFFER_BYTES];
};

/* A device or pipe (/dev/stdout, a FIFO) cannot be replaced by renaming: it is written directly. */
static int is_special(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

/* Resolves links: renaming over a link would leave its target unchanged (and /dev/stdout is such a
 * link). A path that does not exist yet stays as given. */
static char *without_links(const char *path)
{
    char *real = realpath(path, NULL);
    char *copy = mem_string(real ? real : path, strlen(real ? real : path));
    free(real);
    return copy;
}

film_status file_temporary(const char *path, unsigned mode, char **name, int *fd, film_error *error)
{
    size_t room = strlen(path) + 40;
    char *temporary = mem_array(room, 1);
    *name = NULL;
    *fd = -1;
    if (!temporary) return status_no_memory(error);
    /* Not mkstemp: open honours the umask of the user. */
    for (int attempt = 0; attempt < 100 && *fd < 0; attempt++) {
        snprintf(temporary, room, "%s.tmp-%016llx", path, (unsigned long long)rng_entropy());
        *fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)mode);
        if (*fd < 0 && errno != EEXIST) break;
    }
    if (*fd >= 0) {
        *name = temporary;
        return FILM_OK;
    }
    film_status status = status_errno(error, "cannot write %s", path);
    mem_free(temporary);
    return status;
}

/* A file that is replaced keeps its permissions. */
static film_status open_temporary(struct film_output *output, film_error *error)
{
    struct stat about;
    int there = stat(output->path, &about) == 0;
    mode_t mode = there ? about.st_mode & 0777 : 0666;
    film_status status = file_temporary(output->path, mode, &output->temporary, &output->fd, error);
    if (status == FILM_OK && there && fchmod(output->fd, mode) != 0)
        status = status_errno(error, "cannot write %s", output->path);
    return status;
}

film_status output_open(const char *path, struct film_output **out, film_error *error)
{
    film_status status = FILM_OK;
    struct stat about;
    *out = NULL;
    struct film_output *output = mem_array(1, sizeof *output);
    if (!output) return status_no_memory(error);
    output->fd = -1;
    output->temporary = NULL;
    output->used = 0;
    TRY_ALLOC(output->path = without_links(path), error);
    if (strcmp(path, "-") == 0) {
        output->fd = STDOUT_FILENO;
    } else if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
        status = status_set(error, FILM_IO, "cannot write %s: it is a directory", path);
    } else if (is_special(path)) {
        output->fd = open(path, O_WRONLY | O_CLOEXEC);
        if (output->fd < 0) status = status_errno(error, "cannot write %s", path);
    } else {
        status = open_temporary(output, error);
    }
done:
    if (status != FILM_OK)
        output_discard(output);
    else
        *out = output;
    return status;
}

static film_status write_all(struct film_output *output, const unsigned char *bytes, size_t count,
                             film_error *error)
{
    while (count) {
        ssize_t written = write(output->fd, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0)
            return status_errno(error, "cannot write %s",
                                output->fd == STDOUT_FILENO ? "standard output" : output->path);
        bytes += written;
        count -= (size_t)written;
    }
    return FILM_OK;
}

static film_status flush(struct film_output *output, film_error *error)
{
    size_t used = output->used;
    output->used = 0;
    return write_all(output, output->buffer, used, error);
}

film_status output_write(struct film_output *output, const void *bytes, size_t count,
                         film_error *error)
{
    if (count > BUFFER_BYTES - output->used) {
        film_status status = flush(output, error);
        if (status != FILM_OK) return status;
        if (count >= BUFFER_BYTES) return write_all(output, bytes, count, error);
    }
    if (count) memcpy(output->buffer + output->used, bytes, count);
    output->used += count;
    return FILM_OK;
}

film_status output_patch(struct film_output *output, uint64_t offset, const void *bytes,
                         size_t count, film_error *error)
{
    film_status status = flush(output, error);
    const unsigned char *at = bytes;
    while (status == FILM_OK && count) {
        ssize_t written = pwrite(output->fd, at, count, (off_t)offset);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return status_errno(error, "cannot write %s", output->path);
        at += written;
        offset += (uint64_t)written;
        count -= (size_t)written;
    }
    return status;
}

/* The rename is durable only after its directory is synced. */
static film_status sync_directory(const char *path, film_error *error)
{
    const char *slash = strrchr(path, '/');
    char *directory = slash ? mem_string(path, (size_t)(slash - path) + 1) : mem_string(".", 1);
    if (!directory) return status_no_memory(error);
    film_status status = FILM_OK;
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* Some file systems refuse fsync on a directory (EINVAL): they guarantee no more than the
     * rename. */
    if (fd < 0 || (fsync(fd) != 0 && errno != EINVAL))
        status = status_errno(error, "cannot sync the directory of %s", path);
    if (fd >= 0) close(fd);
    mem_free(directory);
    return status;
}

film_status file_publish(const char *temporary, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    int fd = open(temporary, O_RDONLY | O_CLOEXEC);
    /* link, not rename: a file created under this name in the meantime must not be lost. On file
     * systems without hard links, the interval between the check and the rename is short. */
    if (fd < 0 || fsync(fd) != 0)
        status = status_errno(error, "cannot write %s", path);
    else if (link(temporary, path) != 0 &&
             (errno == EEXIST || access(path, F_OK) == 0 || rename(temporary, path) != 0))
        status = status_errno(error, "cannot write %s", path);
    else
        status = sync_directory(path, error);
    if (fd >= 0) close(fd);
    unlink(temporary);
    return status;
}

film_status output_commit(struct film_output *output, film_error *error)
{
    film_status status = FILM_OK;
    TRY(flush(output, error));
    if (output->temporary) {
        if (fsync(output->fd) != 0 || rename(output->temporary, output->path) != 0)
            TRY(status_errno(error, "cannot write %s", output->path));
        mem_free(output->temporary);
        output->temporary = NULL;
        status = sync_directory(output->path, error);
    }
done:
    output_discard(output);
    return status;
}

void output_discard(struct film_output *output)
{
    if (!output) return;
    if (output->fd >= 0 && output->fd != STDOUT_FILENO) close(output->fd);
    if (output->temporary) unlink(output->temporary);
    mem_free(output->temporary);
    mem_free(output->path);
    mem_free(output);
}
