/* A queue of tasks and the threads that run them: slow requests must not block threads that serve
 * sockets. */
#ifndef SERVER_WORK_QUEUE_H
#define SERVER_WORK_QUEUE_H

#include <pthread.h>
#include <stddef.h>

/* A task. Embed it as the first member of a struct with the task's data. */
struct task {
    void (*run)(struct task *task);
    struct task *next;
};

enum { WORK_QUEUE_MOST_THREADS = 64 };

struct work_queue {
    pthread_mutex_t lock;
    pthread_cond_t some;
    struct task *first, **last;
    size_t waiting, most; /* queued tasks, and their maximum */
    int ending;
    pthread_t threads[WORK_QUEUE_MOST_THREADS];
    int count;
};

/* Starts the threads; returns 0 if none could be started. */
int work_queue_start(struct work_queue *queue, int threads, size_t most);
/* Ends the threads after they have run all queued tasks. */
void work_queue_end(struct work_queue *queue);

/* Adds a task; returns 0 if the queue is full or ending. */
int work_queue_push(struct work_queue *queue, struct task *task);

#endif
