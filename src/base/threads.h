/* Loops shared by POSIX threads, and the one place that decides how many there are.
 *
 * A loop of COUNT items is cut into chunks of GRAIN items. Every worker takes the next chunk
 * until none is left, so workers that are slow, or that the system refused to start, delay
 * nothing:
 *
 *     static film_status embed_some(struct threads_worker *worker, void *user, film_error *error)
 *     {
 *         size_t begin, end;
 *         ... what one thread needs for itself ...
 *         while (threads_next(worker, &begin, &end))
 *             for (size_t i = begin; i < end; i++) ...
 *         return FILM_OK;
 *     }
 *     TRY(threads_for(threads, count, 256, embed_some, &job, error));
 *
 * Who does which chunk is up to chance: a result must depend on the chunk alone. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include "base/status.h"

/* A browser has no threads unless it was built for them. */
#if defined __EMSCRIPTEN__ && !defined __EMSCRIPTEN_PTHREADS__ && !defined FILM_NO_THREADS
#define FILM_NO_THREADS
#endif

/* WANTED when positive, else FILM_THREADS of the environment, else the cores this process may
 * use; at most 1024. 1 where there are no threads. */
int threads_count(int wanted);

struct threads_loop;

/* One thread of a loop. */
struct threads_worker {
    struct threads_loop *loop;
    int number; /* below the THREADS of the call; 0 is the calling thread */
    int began;
};

typedef film_status (*threads_work)(struct threads_worker *worker, void *user, film_error *error);

/* Runs WORK in at most THREADS threads, the calling one among them, and returns when all have
 * ended. Fewer start when there are fewer chunks, when the system has no more, and inside
 * another loop, where only the calling thread works. The first error of a worker is the error of
 * the loop. */
film_status threads_for(int threads, size_t count, size_t grain, threads_work work, void *user,
                        film_error *error);

/* The next chunk, BEGIN .. END; 0 when there is none or another worker has failed. Chunk 0 is
 * the calling thread's. */
int threads_next(struct threads_worker *worker, size_t *begin, size_t *end);

/* The first error of a worker so far: why a long chunk should be given up. */
film_status threads_status(const struct threads_worker *worker);

/* Around what one worker at a time may do: adding up what each has found. */
void threads_lock(struct threads_worker *worker);
void threads_unlock(struct threads_worker *worker);

#endif
