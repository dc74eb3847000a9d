/* Creates and removes temporary files that only this user can reach: mkdtemp makes a folder with
 * mode 0700 under a random name. Folders of killed processes are found by the number in their
 * name. */
#include "private_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char part[] = ".part-";

/* Creates the folder, whose name is a template of mkdtemp, and in it the empty file NAME. A message
 * says WHERE that was, and has ADVICE. */
static film_status create(struct private_file *file, const char *name, const char *where[2],
                          const char *advice, film_error *error)
{
    int made = -1, cause = ENOMEM;
    file->path = NULL;
    if (file->folder && !mkdtemp(file->folder)) {
        cause = errno;
        free(file->folder);
        file->folder = NULL;
    }
    if (file->folder && asprintf(&file->path, "%s/%s", file->folder, name) < 0) file->path = NULL;
    if (file->path) {
        made = open(file->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        cause = errno;
    }
    if (made >= 0) {
        close(made);
        return FILM_OK;
    }
    private_file_remove(file);
    snprintf(error->message, sizeof error->message, "cannot create a folder %s %.300s: %s%s",
             where[0], where[1], strerror(cause), advice);
    return error->status = FILM_IO;
}

film_status private_file_create(struct private_file *file, const char *name, film_error *error)
{
    const char *folder = getenv("TMPDIR");
    if (!folder || !*folder) folder = "/tmp";
    if (asprintf(&file->folder, "%s/film-XXXXXX", folder) < 0) file->folder = NULL;
    return create(file, name, (const char *[]){"in", folder}, "; set TMPDIR to a writable folder",
                  error);
}

film_status private_file_beside(struct private_file *file, const char *path, const char *name,
                                film_error *error)
{
    if (asprintf(&file->folder, "%s%s%ld-XXXXXX", path, part, (long)getpid()) < 0)
        file->folder = NULL;
    return create(file, name, (const char *[]){"next to", path}, "", error);
}

int private_file_leftover(const char *folder, const char *path)
{
    size_t length = strlen(path);
    char *end = NULL;
    if (strncmp(folder, path, length) != 0 || strncmp(folder + length, part, sizeof part - 1) != 0)
        return 0;
    long process = strtol(folder + length + sizeof part - 1, &end, 10);
    return process > 0 && *end == '-' && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

int private_folder_remove(const char *folder)
{
    struct stat about;
    const struct dirent *entry;
    int opened = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int ours = opened >= 0 && fstat(opened, &about) == 0 && about.st_uid == geteuid();
    DIR *list = ours ? fdopendir(opened) : NULL;
    while (list && (entry = readdir(list)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(list), entry->d_name, 0);
    if (list)
        closedir(list);
    else if (opened >= 0)
        close(opened);
    return list && rmdir(folder) == 0;
}

void private_file_remove(struct private_file *file)
{
    if (file->folder) private_folder_remove(file->folder);
    free(file->folder);
    free(file->path);
    *file = (struct private_file){.path = NULL};
}
