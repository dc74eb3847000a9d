/* Fuzzes a file of the cache of vectors with correct checksums and arbitrary content: it is
 * removed, or the vectors found in it are finite. The input is a list of changes to a valid file, 6
 * bytes each (tests/lib/spoil.h). */
#include "arena.h"
#include "base/checksum.h"
#include "bert/vector_cache.h"
#include "changed.h"

#include <fcntl.h>
#include <math.h>

enum { DIM = 3, VECTORS = 5, FINGERPRINT = 77, MOST = 1 << 20 };

static struct changed changed;
static char root[100], folder[130], path[200];

static struct vector_key key_at(int i)
{
    char text[2] = {(char)('a' + i), 0};
    return vector_key_of(film_string(text));
}

static struct vector_cache *open_cache(void)
{
    struct vector_cache *cache = NULL;
    require(vector_cache_open(root, FINGERPRINT, DIM, MOST, &cache, NULL) == FILM_OK);
    require(!vector_cache_problem(cache));
    return cache;
}

static void clean_up(void)
{
    unlink(path);
    rmdir(folder);
    rmdir(root);
}

/* The cache names its files by their keys, which are always the same here. */
static void make_good(void)
{
    struct vector_key keys[VECTORS];
    memory_folder(root);
    snprintf(folder, sizeof folder, "%s/%s", root, checksum_print(FINGERPRINT).digits);
    struct vector_cache *cache = open_cache();
    for (int i = 0; i < VECTORS; i++) {
        const float vector[DIM] = {0.5f, (float)i, -1};
        keys[i] = key_at(i);
        vector_cache_add(cache, keys[i], vector);
    }
    vector_cache_close(cache);
    snprintf(path, sizeof path, "%s/%s.vectors", folder,
             checksum_print(checksum_bytes(keys, sizeof keys)).digits);
    require(spoil_open(&changed.good, path));
    changed_start(&changed, path);
    atexit(clean_up);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct change change;
    if (!all_changed) make_good();
    if (access(path, F_OK) != 0) close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    changed_begin(&change, &changed, "encoder", data, size);
    arena_begin();
    struct vector_cache *cache = open_cache();
    for (int i = 0; i < VECTORS + 2; i++) {
        float vector[DIM] = {0};
        if (!vector_cache_find(cache, key_at(i), vector)) continue;
        for (int d = 0; d < DIM; d++) require(isfinite(vector[d]));
    }
    vector_cache_close(cache);
    arena_end();
    changed_end(&change, &changed);
    return 0;
}
