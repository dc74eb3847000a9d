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
    if (!visitor) return NULL;
    visitor->socket = socket;
    atomic_init(&visitor->since, visitors_now());
    atomic_init(&visitor->reading, 1);
    pthread_mutex_lock(&visitors->lock);
    visitor->next = visitors->list;
    visitor->from = &visitors->list;
    if (visitor->next) visitor->next->from = &visitor->next;
    visitors->list = visitor;
    pthread_mutex_unlock(&visitors->lock);
    atomic_fetch_add(&visitors->count, 1);
    return visitor;
}

void visitors_leave(struct visitors *visitors, struct visitor *visitor)
{
    if (!visitor) return;
    pthread_mutex_lock(&visitors->lock);
    *visitor->from = visitor->next;
    if (visitor->next) visitor->next->from = visitor->from;
    pthread_mutex_unlock(&visitors->lock);
    atomic_fetch_sub(&visitors->count, 1);
    free(visitor);
}

/* Its socket is open as long as it is in the list. While a request arrives nobody else writes to it. */
static void send_away(struct visitor *visitor)
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
    atomic_store(&visitor->since, 0);
}

void visitors_sweep(struct visitors *visitors)
{
    double now = visitors_now();
    double patience = atomic_load(&visitors->count) >= visitors->most && visitors->patience > 1
                          ? 1
                          : visitors->patience;
    pthread_mutex_lock(&visitors->lock);
    for (struct visitor *visitor = visitors->list; visitor; visitor = visitor->next) {
        double since = atomic_load(&visitor->since);
        if (since > 0 && now - since > patience) send_away(visitor);
    }
    pthread_mutex_unlock(&visitors->lock);
}
