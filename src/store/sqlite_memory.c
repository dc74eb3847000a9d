/* film_pool_set_process_allocator: SQLite allocates through the program's allocator. SQLite needs
 * the size of a block, which the allocator does not provide, so each block begins with its size. */
#include "base/status.h"
#include "film_pool.h"

#include <sqlite3.h>
#include <string.h>

/* Keeps blocks as aligned as those of malloc. */
enum { HEAD = 16 };

static film_allocator hook;
static sqlite3_mem_methods own; /* SQLite's own, before the first call */
static int has_own;

static void *start_block(unsigned char *block, int size)
{
    if (!block) return NULL;
    memcpy(block, &size, sizeof size);
    return block + HEAD;
}

static void *heap_allocate(int size)
{
    return start_block(hook.allocate(hook.user, (size_t)size + HEAD), size);
}

static void heap_release(void *memory)
{
    if (memory) hook.release(hook.user, (unsigned char *)memory - HEAD);
}

static void *reallocate(void *memory, int size)
{
    unsigned char *block = memory ? (unsigned char *)memory - HEAD : NULL;
    return start_block(hook.reallocate(hook.user, block, (size_t)size + HEAD), size);
}

static int heap_size(void *memory)
{
    int size = 0;
    if (memory) memcpy(&size, (unsigned char *)memory - HEAD, sizeof size);
    return size;
}

static int round_up(int size)
{
    return (size + 7) & ~7;
}

static int heap_start(void *user)
{
    (void)user;
    return SQLITE_OK;
}

static void heap_stop(void *user)
{
    (void)user;
}

film_status film_pool_set_process_allocator(const film_allocator *allocator, film_error *error)
{
    sqlite3_mem_methods methods = {heap_allocate, heap_release, reallocate, heap_size,
                                   round_up,      heap_start,   heap_stop,  NULL};
    int code = has_own ? SQLITE_OK : sqlite3_config(SQLITE_CONFIG_GETMALLOC, &own);
    has_own = has_own || code == SQLITE_OK;
    if (code == SQLITE_OK) code = sqlite3_config(SQLITE_CONFIG_MALLOC, allocator ? &methods : &own);
    if (code != SQLITE_OK)
        return status_set(
            error, FILM_USAGE,
            "SQLite is in use already; set its allocator before you open the first pool");
    if (allocator) hook = *allocator;
    return FILM_OK;
}
