/* Threads for requests that take long, so that those that serve sockets never wait for one. */
#ifndef SERVER_WORK_QUEUE_H
#define SERVER_WORK_QUEUE_H

#include <pthread.h>
#include <stddef.h>

/* Part of what is to be done; jobs wait in a list. */
struct task {
    void (*run)(struct task *task);
    struct task *next;
};

enum { WORK_QUEUE_MOST_THREADS = 64 };

struct work_queue {
    pthread_mutex_t lock;
    pthread_cond_t some;
    struct task *first, **last;
    size_t waiting, most; /* jobs that may wait */
    int ending;
    pthread_t threads[WORK_QUEUE_MOST_THREADS];
    int count;
};

/* 0: no thread could be started. */
int work_queue_start(struct work_queue *queue, int threads, size_t most);
void work_queue_end(struct work_queue *queue); /* after those that wait are done */

/* 0: too many wait already. */
int work_queue_push(struct work_queue *queue, struct task *task);

#endif
