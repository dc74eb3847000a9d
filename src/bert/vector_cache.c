/* A cache of an encoder's vectors on disk, keyed by a hash of the text, in checksummed files. The
 * oldest files are deleted first. A damaged file is deleted, not repaired. */
#include "bert/vector_cache.h"
#include "base/sort.h"
#include "base/checksum.h"
#include "base/keytab.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define ENDING ".vectors"
#define FORMAT_VERSION "1"
/* Vectors per file: the most that a crash or Ctrl-C loses. */
enum { MOST_VECTORS = 16384 };

struct vector_cache {
    char root[PATH_MAX / 2], folder[PATH_MAX - 64]; /* for all encoders; for this one */
    uint64_t fingerprint, most;
    size_t dim, hits;
    struct safetensors **files;
    size_t file_count, file_capacity;
    struct keytab table; /* keyed by the low half of a key; its numbers are indices of entries */
    struct entry {
        uint64_t high;
        const float *vector;
    } * entries;
    size_t entries_capacity;
    struct vector_key *new_keys; /* not yet written */
    float *new_vectors;
    size_t new_count;
    film_error problem;
};

struct vector_key vector_key_of(film_text text)
{
    XXH128_hash_t hash = XXH3_128bits(text.length ? text.bytes : "", text.length);
    return (struct vector_key){hash.low64 ? hash.low64 : 1, hash.high64};
}

/* Keeps only the first problem: later ones follow from it. */
static void note_problem(struct vector_cache *cache, const film_error *error)
{
    if (!cache->problem.message[0]) cache->problem = *error;
}

/* ---- Reading ---- */

static int is_finite(const float *value, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (!isfinite(value[i])) return 0;
    return 1;
}

/* Returns whether FILE holds vectors of this encoder in this version of the format, and finds its
 * tensors. Any other file is removed: it is a cache. */
static int holds(const struct vector_cache *cache, const struct safetensors *file,
                 const struct safetensors_tensor **keys, const struct safetensors_tensor **vectors)
{
    const uint64_t key_shape[2] = {SAFETENSORS_ANY, 2};
    const char *encoder = safetensors_metadata(file, "encoder");
    const char *version = safetensors_metadata(file, "film_vectors");
    if (!safetensors_is_checked(file) || !encoder || !version ||
        strcmp(version, FORMAT_VERSION) != 0 ||
        strcmp(encoder, checksum_print(cache->fingerprint).digits) != 0 ||
        safetensors_require(file, "keys", SAFETENSORS_U64, 2, key_shape, keys, NULL) != FILM_OK)
        return 0;
    const uint64_t shape[2] = {(*keys)->shape[0], cache->dim};
    return safetensors_require(file, "vectors", SAFETENSORS_F32, 2, shape, vectors, NULL) ==
               FILM_OK &&
           is_finite((*vectors)->data, shape[0] * shape[1]);
}

static film_status enter(struct vector_cache *cache, const struct safetensors_tensor *keys,
                         const struct safetensors_tensor *vectors, film_error *error)
{
    film_status status = FILM_OK;
    const uint64_t *key = keys->data;
    for (uint64_t i = 0; i < keys->shape[0]; i++) {
        uint32_t number, before = cache->table.count;
        if (key[2 * i] == 0) continue; /* 0 is never written */
        TRY(keytab_add(&cache->table, key[2 * i], &number, error));
        if (number < before) continue;
        TRY_ALLOC(mem_grow((void **)&cache->entries, &cache->entries_capacity, number + (size_t)1,
                           sizeof *cache->entries),
                  error);
        cache->entries[number] =
            (struct entry){key[2 * i + 1], (const float *)vectors->data + i * cache->dim};
    }
done:
    return status;
}

/* Reads a file. A damaged file is removed. */
static film_status read_cache_file(struct vector_cache *cache, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    struct safetensors *file = NULL;
    const struct safetensors_tensor *keys, *vectors;
    film_status opened = safetensors_open(path, &file, NULL);
    if (opened == FILM_NO_MEMORY) return status_no_memory(error);
    if (opened != FILM_OK || !holds(cache, file, &keys, &vectors)) {
        safetensors_close(file);
        /* A file that another process just removed, or that is not readable, is not damaged. */
        if (opened == FILM_OK || opened == FILM_BAD_INPUT) unlink(path);
        return FILM_OK;
    }
    TRY_ALLOC(mem_grow((void **)&cache->files, &cache->file_capacity, cache->file_count + 1,
                       sizeof *cache->files),
              error);
    cache->files[cache->file_count++] = file;
    file = NULL;
    TRY(enter(cache, keys, vectors, error));
done:
    safetensors_close(file);
    return status;
}

static int is_ours(const char *name)
{
    size_t length = strlen(name), ending = strlen(ENDING);
    return length > ending && strcmp(name + length - ending, ENDING) == 0;
}

static film_status read_files(struct vector_cache *cache, film_error *error)
{
    film_status status = FILM_OK;
    char path[PATH_MAX];
    struct dirent *entry;
    DIR *folder = opendir(cache->folder);
    if (!folder) goto done;
    while ((entry = readdir(folder)))
        if (is_ours(entry->d_name) &&
            snprintf(path, sizeof path, "%s/%s", cache->folder, entry->d_name) < (int)sizeof path)
            TRY(read_cache_file(cache, path, error));
done:
    if (folder) closedir(folder);
    return status;
}

int vector_cache_find(struct vector_cache *cache, struct vector_key key, float *out)
{
    uint32_t number = keytab_find(&cache->table, key.low);
    if (number == KEYTAB_NONE || cache->entries[number].high != key.high) return 0;
    memcpy(out, cache->entries[number].vector, cache->dim * sizeof *out);
    cache->hits++;
    return 1;
}

/* ---- Size limit ---- */

struct old_file {
    char path[PATH_MAX];
    struct timespec changed;
    uint64_t size;
};

static int oldest_first(const void *left, const void *right)
{
    const struct old_file *a = left, *b = right;
    if (a->changed.tv_sec != b->changed.tv_sec)
        return a->changed.tv_sec < b->changed.tv_sec ? -1 : 1;
    if (a->changed.tv_nsec != b->changed.tv_nsec)
        return a->changed.tv_nsec < b->changed.tv_nsec ? -1 : 1;
    return strcmp(a->path, b->path);
}

struct old_files {
    struct old_file *list;
    size_t count, capacity;
    uint64_t bytes;
};

static int list_folder(const char *path, struct old_files *files)
{
    struct dirent *entry;
    struct stat about;
    DIR *folder = opendir(path);
    int memory = 1;
    while (folder && memory && (entry = readdir(folder))) {
        if (!is_ours(entry->d_name)) continue;
        memory = mem_grow((void **)&files->list, &files->capacity, files->count + 1,
                          sizeof *files->list);
        if (!memory) break;
        struct old_file *file = &files->list[files->count];
        if (snprintf(file->path, sizeof file->path, "%s/%s", path, entry->d_name) >=
                (int)sizeof file->path ||
            stat(file->path, &about) != 0)
            continue;
        file->changed = about.st_mtim;
        file->size = (uint64_t)about.st_size;
        files->bytes += file->size;
        files->count++;
    }
    if (folder) closedir(folder);
    return memory;
}

/* Removes the oldest files of all encoders until MORE bytes fit. A process that has one of them
 * open can still read it. */
static void evict_oldest(struct vector_cache *cache, uint64_t more)
{
    struct old_files files = {0};
    char path[PATH_MAX];
    struct dirent *entry;
    DIR *root = opendir(cache->root);
    int memory = root != NULL;
    while (memory && (entry = readdir(root)))
        if (entry->d_name[0] != '.' &&
            snprintf(path, sizeof path, "%s/%s", cache->root, entry->d_name) < (int)sizeof path)
            memory = list_folder(path, &files);
    if (root) closedir(root);
    if (files.count) sort_array(files.list, files.count, sizeof *files.list, oldest_first);
    for (size_t i = 0; i < files.count && files.bytes + more > cache->most; i++)
        if (unlink(files.list[i].path) == 0) files.bytes -= files.list[i].size;
    mem_free(files.list);
}

/* ---- Writing ---- */

static film_status make_folder(const char *path, film_error *error)
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    for (char *at = part + 1;; at++) {
        if (*at && *at != '/') continue;
        char here = *at;
        *at = '\0';
        if (mkdir(part, 0700) != 0 && errno != EEXIST)
            return status_errno(error, "cannot create the folder %s", part);
        if (!here) return FILM_OK;
        *at = here;
    }
}

static void write_new(struct vector_cache *cache)
{
    film_error error;
    char path[PATH_MAX];
    size_t count = cache->new_count, dim = cache->dim;
    struct safetensors_tensor tensors[2] = {
        {"keys", SAFETENSORS_U64, 2, {count, 2}, cache->new_keys, 0},
        {"vectors", SAFETENSORS_F32, 2, {count, dim}, cache->new_vectors, 0}};
    struct checksum_text encoder = checksum_print(cache->fingerprint);
    const char *keys[] = {"film_vectors", "encoder"}, *values[] = {FORMAT_VERSION, encoder.digits};
    uint64_t bytes = count * (dim * sizeof(float) + sizeof *cache->new_keys);
    cache->new_count = 0;
    if (count == 0 || cache->problem.message[0] || bytes > cache->most) return;
    uint64_t hash = checksum_bytes(cache->new_keys, count * sizeof *cache->new_keys);
    snprintf(path, sizeof path, "%s/%s" ENDING, cache->folder, checksum_print(hash).digits);
    evict_oldest(cache, bytes);
    if (safetensors_write(path, tensors, 2, keys, values, 2, &error) != FILM_OK)
        note_problem(cache, &error);
}

void vector_cache_add(struct vector_cache *cache, struct vector_key key, const float *vector)
{
    if (cache->problem.message[0]) return;
    cache->new_keys[cache->new_count] = key;
    memcpy(cache->new_vectors + cache->new_count * cache->dim, vector, cache->dim * sizeof *vector);
    if (++cache->new_count == MOST_VECTORS) write_new(cache);
}

/* ---- Opening and closing ---- */

film_status vector_cache_open(const char *folder, uint64_t fingerprint, size_t dim, uint64_t most,
                              struct vector_cache **out, film_error *error)
{
    film_status status = FILM_OK;
    film_error problem = {0};
    struct vector_cache *cache = mem_zeroed(1, sizeof *cache);
    *out = NULL;
    TRY_ALLOC(cache, error);
    cache->fingerprint = fingerprint;
    cache->dim = dim;
    cache->most = most;
    TRY(keytab_init(&cache->table, error));
    TRY_ALLOC((cache->new_keys = mem_array(MOST_VECTORS, sizeof *cache->new_keys)) &&
                  (cache->new_vectors = mem_array(MOST_VECTORS, dim * sizeof(float))),
              error);
    film_status usable = FILM_OK;
    if (snprintf(cache->root, sizeof cache->root, "%s", folder) >= (int)sizeof cache->root)
        usable = status_set(&problem, FILM_IO, "the path of the cache is too long");
    snprintf(cache->folder, sizeof cache->folder, "%s/%s", cache->root,
             checksum_print(fingerprint).digits);
    if (usable == FILM_OK) usable = make_folder(cache->folder, &problem);
    if (usable == FILM_OK)
        TRY(read_files(cache, error));
    else
        note_problem(cache, &problem);
    *out = cache;
done:
    if (status != FILM_OK) vector_cache_close(cache);
    return status;
}

void vector_cache_close(struct vector_cache *cache)
{
    if (!cache) return;
    write_new(cache);
    for (size_t i = 0; i < cache->file_count; i++) safetensors_close(cache->files[i]);
    mem_free(cache->files);
    keytab_free(&cache->table);
    mem_free(cache->entries);
    mem_free(cache->new_keys);
    mem_free(cache->new_vectors);
    mem_free(cache);
}

size_t vector_cache_hits(const struct vector_cache *cache)
{
    return cache->hits;
}

const char *vector_cache_problem(const struct vector_cache *cache)
{
    return cache->problem.message[0] ? cache->problem.message : NULL;
}
