/* Leases of pairs for review: a short list, searched from the start. */
#include "leases.h"

#include <stdlib.h>
#include <string.h>

static const double lease_seconds = 600;

void leases_open(struct leases *leases)
{
    *leases = (struct leases){.list = NULL};
    pthread_mutex_init(&leases->lock, NULL);
}

void leases_close(struct leases *leases)
{
    for (size_t i = 0; i < leases->count; i++) free(leases->list[i].key);
    free(leases->list);
    pthread_mutex_destroy(&leases->lock);
}

/* Whether KEY, two ids with a tab between them, names these. */
static int is_key(const char *key, film_text first, film_text second)
{
    size_t length = strlen(key);
    return length == first.length + 1 + second.length &&
           memcmp(key, first.bytes, first.length) == 0 && key[first.length] == '\t' &&
           memcmp(key + first.length + 1, second.bytes, second.length) == 0;
}

static size_t lease_find(const struct leases *leases, film_text a, film_text b)
{
    size_t at = 0;
    while (at < leases->count && !is_key(leases->list[at].key, a, b) &&
           !is_key(leases->list[at].key, b, a))
        at++;
    return at;
}

static void lease_remove(struct leases *leases, size_t at)
{
    free(leases->list[at].key);
    leases->list[at] = leases->list[--leases->count];
}

void leases_expire(struct leases *leases, double now)
{
    for (size_t i = leases->count; i-- > 0;)
        if (leases->list[i].until <= now) lease_remove(leases, i);
}

int leases_has(const struct leases *leases, film_text a, film_text b)
{
    return lease_find(leases, a, b) < leases->count;
}

int leases_add(struct leases *leases, film_text a, film_text b, double now)
{
    if (leases->count == leases->capacity) {
        size_t larger = 2 * leases->capacity + 16;
        struct lease *list = realloc(leases->list, larger * sizeof *list);
        if (!list) return 0;
        leases->list = list;
        leases->capacity = larger;
    }
    char *key = malloc(a.length + b.length + 2);
    if (!key) return 0;
    memcpy(key, a.bytes, a.length);
    key[a.length] = '\t';
    memcpy(key + a.length + 1, b.bytes, b.length);
    key[a.length + 1 + b.length] = 0;
    leases->list[leases->count++] = (struct lease){key, now + lease_seconds};
    return 1;
}

void leases_end(struct leases *leases, film_text a, film_text b)
{
    size_t at = lease_find(leases, a, b);
    if (at < leases->count) lease_remove(leases, at);
}
