/* Runs slow requests on separate threads, first in, first out, so that threads that serve sockets
 * never wait for them. */
#include "work_queue.h"

static void *work(void *user)
{
    struct work_queue *queue = user;
    for (;;) {
        pthread_mutex_lock(&queue->lock);
        while (!queue->first && !queue->ending) pthread_cond_wait(&queue->some, &queue->lock);
        struct task *task = queue->first;
        if (task) {
            queue->first = task->next;
            if (!queue->first) queue->last = &queue->first;
            queue->waiting--;
        }
        pthread_mutex_unlock(&queue->lock);
        if (!task) return NULL;
        task->run(task);
    }
}

int work_queue_start(struct work_queue *queue, int threads, size_t most)
{
    *queue = (struct work_queue){.most = most};
    queue->last = &queue->first;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->some, NULL);
    while (queue->count < threads && queue->count < WORK_QUEUE_MOST_THREADS &&
           pthread_create(&queue->threads[queue->count], NULL, work, queue) == 0)
        queue->count++;
    return queue->count > 0;
}

void work_queue_end(struct work_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->ending = 1;
    pthread_cond_broadcast(&queue->some);
    pthread_mutex_unlock(&queue->lock);
    for (int i = 0; i < queue->count; i++) pthread_join(queue->threads[i], NULL);
    pthread_cond_destroy(&queue->some);
    pthread_mutex_destroy(&queue->lock);
}

int work_queue_push(struct work_queue *queue, struct task *task)
{
    pthread_mutex_lock(&queue->lock);
    int taken = queue->waiting < queue->most && !queue->ending;
    if (taken) {
        task->next = NULL;
        *queue->last = task;
        queue->last = &task->next;
        queue->waiting++;
        pthread_cond_signal(&queue->some);
    }
    pthread_mutex_unlock(&queue->lock);
    return taken;
}
