/* What fuzz targets share: checks, files in memory, and a small model that is trained once. */
#ifndef FUZZ_H
#define FUZZ_H

#include "film_train.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(int condition)
{
    if (!condition) abort();
}

/* A file that no disk sees: one per use, emptied and filled again by every call. */
struct memory_file {
    int fd; /* 0: not created yet */
    char path[40];
};

static inline const char *memory_file_fill(struct memory_file *file, const void *bytes, size_t size)
{
    if (!file->fd) {
        file->fd = memfd_create("fuzz", MFD_CLOEXEC);
        require(file->fd > 0);
        snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->fd);
    }
    require(ftruncate(file->fd, 0) == 0);
    require(pwrite(file->fd, bytes, size, 0) == (ssize_t)size);
    return file->path;
}

/* A new folder in memory; *path has room for 100 bytes. */
static inline void memory_folder(char *path)
{
    const char *shared = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, 100, "%s/film-fuzz-XXXXXX", shared);
    require(mkdtemp(path) != NULL);
}

/* Five topics of six words; pairs of one topic are positive. One known relation of two words. */
static inline film_model *small_model(const char *folder)
{
    char rows[140], words[140];
    film_error error;
    film_model *model = NULL;
    snprintf(rows, sizeof rows, "%s/rows.tsv", folder);
    snprintf(words, sizeof words, "%s/words.txt", folder);
    FILE *file = fopen(rows, "w"), *known = fopen(words, "w");
    require(file && known);
    fputs("label\tquestion1\tquestion2\n", file);
    for (unsigned i = 0; i < 160; i++) {
        unsigned topic = i % 5, other = i % 2 ? topic : (topic + 1 + i / 7) % 5;
        fprintf(file, "%d\tw%u%u the w%u%u\thow w%u%u w%u%u\n", topic == other, topic, i / 3 % 6,
                topic, i / 5 % 6, other, i / 2 % 6, other, i / 11 % 6);
    }
    fputs("w00 = w01\nw11 ! w12\n", known);
    fclose(file);
    fclose(known);
    const char *paths[1] = {rows};
    film_train_options options = {.size = sizeof options,
                                  .dim = 4,
                                  .threads = 1,
                                  .min_df = 1,
                                  .max_features = 20,
                                  .decision = FILM_DECISION_FULL,
                                  .keep_examples = 3,
                                  .words = words};
    if (film_train(paths, 1, &options, &model, &error) != FILM_OK) puts(error.message), abort();
    unlink(rows);
    unlink(words);
    return model;
}

#endif
