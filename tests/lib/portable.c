/* The program that tests/portable.sh runs in 32 bits: a loop without threads, and tables of strings
 * and of 64-bit keys. */
#include "base/keytab.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "base/threads.h"

#include <stdio.h>
#include <string.h>

/* There is no 32-bit jansson to link: base/mem.c only hands it an allocator. */
void json_set_alloc_funcs(void *(*allocate)(size_t), void (*release)(void *));
void json_set_alloc_funcs(void *(*allocate)(size_t), void (*release)(void *))
{
    (void)allocate, (void)release;
}

static film_status work(struct threads_worker *worker, void *user, film_error *error)
{
    size_t begin, end, *sum = user;
    if (worker->number) return status_set(error, FILM_USAGE, "worker %d", worker->number);
    while (threads_next(worker, &begin, &end))
        for (size_t i = begin; i < end; i++) *sum += i;
    return *sum > 4950 ? status_set(error, FILM_BAD_INPUT, "too much") : FILM_OK;
}

int main(void)
{
    film_error error = {0};
    size_t sum = 0;
    uint32_t id;
    struct strtab strings;
    struct keytab keys;
    if (sizeof(size_t) != 4) return 10;
    if (threads_count(8) != 1 || threads_for(8, 100, 7, work, &sum, &error) || sum != 4950)
        return 1;
    if (threads_for(8, 100, 7, work, &sum, &error) != FILM_BAD_INPUT) return 2;
    if (strcmp(error.message, "too much") != 0) return 3;
    if (mem_array((size_t)1 << 30, 8) || mem_zeroed(SIZE_MAX, 1)) return 4;
    if (strtab_init(&strings, &error) || keytab_init(&keys, &error)) return 5;
    for (uint32_t i = 0; i < 50000; i++) {
        char text[20];
        size_t length = (size_t)snprintf(text, sizeof text, "w%u", (unsigned)i);
        if (strtab_add(&strings, text, length, &id, &error) || id != i) return 6;
        if (keytab_add(&keys, ((uint64_t)i << 32) + 1, &id, &error) || id != i) return 7;
    }
    if (strtab_find(&strings, "w777", 4) != 777) return 8;
    if (keytab_find(&keys, (777ull << 32) + 1) != 777) return 9;
    strtab_free(&strings);
    keytab_free(&keys);
    return 0;
}
