/* A corpus that is distributed over the processes of a job.
 *
 * Every distinct sentence has one owner, the only process that stores its text, and one id, the
 * same in every process; the ids of one owner are consecutive. All processes have all rows as ids:
 * 20 bytes per row, where a sentence's text and vectors take hundreds or thousands. So every
 * process can compute anything that depends on labels alone (connected components, the validation
 * split) without communication, with the same result. */
#ifndef LEARN_CORPUS_SHARE_H
#define LEARN_CORPUS_SHARE_H

#include "learn/corpus.h"

/* Collective: each process passes the rows it has read, perhaps none; CORPUS becomes the corpus of
 * all rows. Does nothing in a job of one process. NAME is the input's name, for messages. */
film_status corpus_share(struct corpus *corpus, const struct comm *comm, const char *name,
                         film_error *error);

/* Collective: fetches the texts of any sentences from their owners. Each process passes its own
 * COUNT ids, in any order, possibly repeated. TEXTS, an empty table, receives each once; sentence
 * IDS[i] is entry AT[i] of it. */
film_status corpus_fetch(const struct corpus *corpus, const uint32_t *ids, size_t count,
                         struct strtab *texts, uint32_t *at, film_error *error);

/* ORDER[k] is the sentence that appears k-th in the rows; free with mem_free. With one process
 * these are the ids themselves. Code that draws sentences by this order draws the same ones for
 * every number of processes. */
film_status corpus_order(const struct corpus *corpus, uint32_t **order, film_error *error);

/* corpus_select in a job: owners stay the same, ids become dense again. */
film_status corpus_select_shared(const struct corpus *from, const unsigned char *part,
                                 unsigned char wanted, struct corpus *out, film_error *error);

/* The same, but every process gets the whole result: for the rows a threshold is chosen on. */
film_status corpus_select_whole(const struct corpus *from, const unsigned char *part,
                                unsigned char wanted, struct corpus *out, film_error *error);

#endif
