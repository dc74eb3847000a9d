/* A corpus spread over the processes of a job.
 *
 * Every distinct sentence has one owner, who alone keeps its text, and one number, the same in
 * every process: the owner's come behind each other. The rows, as numbers, are in all processes:
 * 20 bytes a row, where a sentence's text and vectors are hundreds or thousands. So whatever is
 * asked of the labels (who is connected to whom, which rows are held out) is answered by every
 * process for itself, and the same. */
#ifndef LEARN_CORPUS_SHARE_H
#define LEARN_CORPUS_SHARE_H

#include "learn/corpus.h"

/* Each process comes with the part of the rows it has read, perhaps none; the corpus becomes
 * that of all. Nothing changes in a job of one process. NAME is the input's, for messages. */
film_status corpus_share(struct corpus *corpus, const struct comm *comm, const char *name,
                         film_error *error);

/* The texts of any sentences, brought from their owners: every process calls it, each with
 * numbers of its own, COUNT of them, in any order and perhaps several times. TEXTS, an empty
 * table, gets each once; sentence IDS[i] is AT[i] there. */
film_status corpus_fetch(const struct corpus *corpus, const uint32_t *ids, size_t count,
                         struct strtab *texts, uint32_t *at, film_error *error);

/* ORDER[k], to be freed with mem_free: the sentence that appears k-th in the rows. In a job of
 * one process these are its numbers themselves; who draws sentences by their place here draws
 * the same ones in any job. */
film_status corpus_order(const struct corpus *corpus, uint32_t **order, film_error *error);

/* corpus_select in a job: owners stay owners, numbers become dense again. */
film_status corpus_select_shared(const struct corpus *from, const unsigned char *part,
                                 unsigned char wanted, struct corpus *out, film_error *error);

/* The same as a corpus every process has whole: for the rows a threshold is chosen on. */
film_status corpus_select_whole(const struct corpus *from, const unsigned char *part,
                                unsigned char wanted, struct corpus *out, film_error *error);

#endif
