/* Temporary files of this user alone. Each is in a folder of its own, whose name nobody can guess
 * and which nobody else may enter: in a folder that all users share, such as /tmp, another user
 * could otherwise read the file, or put a link in its place that leads to a file of ours. The
 * program and the server use this; the library has file_temporary (src/base/file.h). */
#ifndef SERVER_PRIVATE_FILE_H
#define SERVER_PRIVATE_FILE_H

#include "film_types.h"

struct private_file {
    char *folder, *path; /* NULL: there is none */
};

/* Creates a folder in TMPDIR, or /tmp, and in it the empty file NAME, with mode 0600. A writer that
 * replaces the file (film_save, film_output_open) keeps its mode. */
film_status private_file_create(struct private_file *file, const char *name, film_error *error);

/* The same in a folder next to PATH, with room for what is as large as PATH will be. The folder is
 * called PATH.part-PROCESS-XXXXXX; private_file_leftover recognises those of ended processes. */
film_status private_file_beside(struct private_file *file, const char *path, const char *name,
                                film_error *error);

/* Returns whether FOLDER, which begins with PATH, is one of a process that has ended. */
int private_file_leftover(const char *folder, const char *path);

/* Removes the file, all else in its folder, and the folder. */
void private_file_remove(struct private_file *file);

/* Removes FOLDER and the files in it, if it is a folder of this user and not a link. Returns
 * whether it is gone. */
int private_folder_remove(const char *folder);

#endif
