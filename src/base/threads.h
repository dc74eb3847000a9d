/* Parallel loops over POSIX threads, and the one place that chooses the number of threads.
 *
 * A loop of COUNT items is divided into chunks of GRAIN items. Every worker takes the next chunk
 * until none is left (dynamic scheduling). So slow workers, or threads that the system refused to
 * start, delay nothing:
 *
 *       static film_status embed_some(struct threads_worker *worker, void *user, film_error *error)
 *       {
 *           size_t begin, end;
 *           ... per-thread scratch space ...
 *           while (threads_next(worker, &begin, &end))
 *               for (size_t i = begin; i < end; i++) ...
 *           return FILM_OK;
 *       }
 *       TRY(threads_for(threads, count, 256, embed_some, &job, error));
 *
 * The assignment of chunks to workers is not deterministic: a result must depend on the chunk
 * alone. A sum over a loop is therefore stored per chunk, and the chunks are added in order.
 *
 * Starting a thread costs as much as some 20,000 additions. GRAIN should be at least that much
 * work: a loop of one chunk starts no thread. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include "base/status.h"

/* A browser has no threads unless the program was built for them. */
#if defined __EMSCRIPTEN__ && !defined __EMSCRIPTEN_PTHREADS__ && !defined FILM_NO_THREADS
#define FILM_NO_THREADS
#endif

/* Returns WANTED when it is positive, else FILM_THREADS of the environment, else the number of
 * cores that this process may use; at most 1024. Always 1 in a build without threads. */
int threads_count(int wanted);

struct threads_loop;

/* One thread of a loop. */
struct threads_worker {
    struct threads_loop *loop;
    /* Below the THREADS of the call; 0 is the calling thread. */
    int number;
    int began;
};

typedef film_status (*threads_work)(struct threads_worker *worker, void *user, film_error *error);

/* Runs WORK in at most THREADS threads, including the calling one, and returns when all have ended.
 * Fewer threads start when there are fewer chunks or when the system has no more. Inside another
 * loop, only the calling thread works. The first error of a worker is the error of the loop. */
film_status threads_for(int threads, size_t count, size_t grain, threads_work work, void *user,
                        film_error *error);

/* A loop that cannot fail and needs no scratch space: calls WORK once per chunk BEGIN .. END. */
typedef void (*threads_chunk)(size_t begin, size_t end, void *user);
void threads_each(int threads, size_t count, size_t grain, threads_chunk work, void *user);

/* Returns the next chunk, BEGIN .. END. Returns 0 when none is left or when another worker has
 * failed. The calling thread always gets chunk 0. */
int threads_next(struct threads_worker *worker, size_t *begin, size_t *end);

/* Returns the first error of any worker so far, so that a long chunk can stop early. */
film_status threads_status(const struct threads_worker *worker);

/* A lock for code that one worker at a time may run, such as adding up partial results. */
void threads_lock(struct threads_worker *worker);
void threads_unlock(struct threads_worker *worker);

#endif
