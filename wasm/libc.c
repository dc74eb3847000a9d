/* What a module of WebAssembly lacks: sorting with an argument, which wasi-libc does not have, and
 * files. Models come from memory. */
#include "libc.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

struct sorting {
    size_t size;
    int (*compare)(const void *a, const void *b, void *user);
    void *user;
};

/* Merges [0, MIDDLE) and [MIDDLE, COUNT) of FROM, both sorted, into TO. Equal elements keep their
 * order, as in glibc. */
static void merge(const struct sorting *sort, const char *from, size_t middle, size_t count,
                  char *to)
{
    size_t size = sort->size, left = 0, right = middle;
    for (size_t i = 0; i < count; i++) {
        int second = left == middle ||
                     (right < count &&
                      sort->compare(from + right * size, from + left * size, sort->user) < 0);
        size_t *taken = second ? &right : &left;
        memcpy(to + i * size, from + (*taken)++ * size, size);
    }
}

void qsort_r(void *base, size_t count, size_t size,
             int (*compare)(const void *a, const void *b, void *user), void *user)
{
    struct sorting sort = {size, compare, user};
    char *from = base, *spare = count > 1 ? malloc(count * size) : NULL, *to = spare;
    if (count > 1 && !spare) abort(); /* a trap, which film.js reports; C has no other way here */
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t at = 0; at < count; at += 2 * width) {
            size_t rest = count - at, chunk = rest < 2 * width ? rest : 2 * width;
            merge(&sort, from + at * size, chunk < width ? chunk : width, chunk, to + at * size);
        }
        char *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != base && count > 1) memcpy(base, from, count * size);
    free(spare);
}

film_status file_map_open(const char *path, struct file_map *map, film_error *error)
{
    *map = (struct file_map){(const unsigned char *)"", 0};
    return status_set(error, FILM_IO, "cannot open %s: there are no files here", path);
}

film_status file_map_read(const char *path, struct file_map *map, film_error *error)
{
    return file_map_open(path, map, error);
}

void file_map_close(struct file_map *map)
{
    *map = (struct file_map){(const unsigned char *)"", 0};
}
