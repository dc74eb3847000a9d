#include "jobs.h"

static void *work(void *user)
{
    struct jobs *jobs = user;
    for (;;) {
        pthread_mutex_lock(&jobs->lock);
        while (!jobs->first && !jobs->ending) pthread_cond_wait(&jobs->some, &jobs->lock);
        struct job *job = jobs->first;
        if (job) {
            jobs->first = job->next;
            if (!jobs->first) jobs->last = &jobs->first;
            jobs->waiting--;
        }
        pthread_mutex_unlock(&jobs->lock);
        if (!job) return NULL;
        job->run(job);
    }
}

int jobs_start(struct jobs *jobs, int threads, size_t most)
{
    *jobs = (struct jobs){.most = most};
    jobs->last = &jobs->first;
    pthread_mutex_init(&jobs->lock, NULL);
    pthread_cond_init(&jobs->some, NULL);
    while (jobs->count < threads && jobs->count < JOBS_MOST_THREADS &&
           pthread_create(&jobs->threads[jobs->count], NULL, work, jobs) == 0)
        jobs->count++;
    return jobs->count > 0;
}

void jobs_end(struct jobs *jobs)
{
    pthread_mutex_lock(&jobs->lock);
    jobs->ending = 1;
    pthread_cond_broadcast(&jobs->some);
    pthread_mutex_unlock(&jobs->lock);
    for (int i = 0; i < jobs->count; i++) pthread_join(jobs->threads[i], NULL);
    pthread_cond_destroy(&jobs->some);
    pthread_mutex_destroy(&jobs->lock);
}

int jobs_push(struct jobs *jobs, struct job *job)
{
    pthread_mutex_lock(&jobs->lock);
    int taken = jobs->waiting < jobs->most && !jobs->ending;
    if (taken) {
        job->next = NULL;
        *jobs->last = job;
        jobs->last = &job->next;
        jobs->waiting++;
        pthread_cond_signal(&jobs->some);
    }
    pthread_mutex_unlock(&jobs->lock);
    return taken;
}
