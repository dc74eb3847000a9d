#include "visitors.h"
#include "bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

double visitors_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct visitor *visitors_enter(struct visitors *visitors, int socket)
{
    struct visitor *visitor = calloc(1, sizeof *visitor);
    if (!visitor) {
        visitors_turn_away(visitors);
        return NULL;
    }
    visitor->socket = socket;
    atomic_init(&visitor->since, visitors_now());
    atomic_init(&visitor->reading, 1);
    pthread_mutex_lock(&visitors->lock);
    visitor->next = visitors->list;
    visitor->from = &visitors->list;
    if (visitor->next) visitor->next->from = &visitor->next;
    visitors->list = visitor;
    pthread_mutex_unlock(&visitors->lock);
    return visitor;
}

void visitors_leave(struct visitors *visitors, struct visitor *visitor)
{
    if (!visitor) return;
    pthread_mutex_lock(&visitors->lock);
    *visitor->from = visitor->next;
    if (visitor->next) visitor->next->from = visitor->from;
    if (!visitor->gone) atomic_fetch_sub(&visitors->count, 1);
    pthread_mutex_unlock(&visitors->lock);
    free(visitor);
}

/* Its socket is open as long as it is in the list. While a request arrives nobody else writes to it. */
static void send_away(struct visitors *visitors, struct visitor *visitor)
{
    static const char body[] = "{\"error\": {\"status\": 408, \"message\": \"the request took too "
                               "long to arrive\"}}\n";
    char answer[300];
    int length = snprintf(answer, sizeof answer,
                          "HTTP/1.1 408 Request Timeout\r\nContent-Type: application/json\r\n"
                          "Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
                          sizeof body - 1, body);
    if (atomic_load(&visitor->reading))
        send(visitor->socket, answer, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL);
    shutdown(visitor->socket, SHUT_RDWR);
    visitor->gone = 1;
    atomic_fetch_sub(&visitors->count, 1);
}

void visitors_sweep(struct visitors *visitors)
{
    double now = visitors_now();
    pthread_mutex_lock(&visitors->lock);
    for (struct visitor *visitor = visitors->list; visitor; visitor = visitor->next) {
        double since = atomic_load(&visitor->since);
        if (visitor->gone || since == 0 || now - since <= visitors->patience) continue;
        /* One that had its answer and asks nothing more is no dawdler. */
        if (atomic_load(&visitor->reading)) atomic_fetch_add(&visitors->away->slow, 1);
        send_away(visitors, visitor);
    }
    pthread_mutex_unlock(&visitors->lock);
}

static void make_room(struct visitors *visitors)
{
    struct visitor *slowest = NULL;
    double earliest = 0;
    pthread_mutex_lock(&visitors->lock);
    for (struct visitor *visitor = visitors->list; visitor; visitor = visitor->next) {
        double since = atomic_load(&visitor->since);
        if (visitor->gone || since == 0 || (slowest && since >= earliest)) continue;
        slowest = visitor;
        earliest = since;
    }
    if (slowest) {
        atomic_fetch_add(&visitors->away->full, 1);
        send_away(visitors, slowest);
    }
    pthread_mutex_unlock(&visitors->lock);
}

int visitors_admit(struct visitors *visitors, size_t spare)
{
    if (atomic_load(&visitors->count) >= visitors->most) make_room(visitors);
    if (atomic_load(&visitors->count) >= visitors->most + spare) {
        atomic_fetch_add(&visitors->away->full, 1);
        return 0;
    }
    atomic_fetch_add(&visitors->count, 1);
    return 1;
}

void visitors_turn_away(struct visitors *visitors)
{
    atomic_fetch_sub(&visitors->count, 1);
}
