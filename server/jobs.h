/* Threads for requests that take long, so that those that serve sockets never wait for one. */
#ifndef SERVER_JOBS_H
#define SERVER_JOBS_H

#include <pthread.h>
#include <stddef.h>

/* Part of what is to be done; jobs wait in a list. */
struct job {
    void (*run)(struct job *job);
    struct job *next;
};

enum { JOBS_MOST_THREADS = 64 };

struct jobs {
    pthread_mutex_t lock;
    pthread_cond_t some;
    struct job *first, **last;
    size_t waiting, most; /* jobs that may wait */
    int ending;
    pthread_t threads[JOBS_MOST_THREADS];
    int count;
};

/* 0: no thread could be started. */
int jobs_start(struct jobs *jobs, int threads, size_t most);
void jobs_end(struct jobs *jobs); /* after those that wait are done */

/* 0: too many wait already. */
int jobs_push(struct jobs *jobs, struct job *job);

#endif
