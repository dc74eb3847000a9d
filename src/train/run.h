/* One training run: what its phases work on and write down. */
#ifndef TRAIN_RUN_H
#define TRAIN_RUN_H

#include "bert/network.h"
#include "la/svd.h"
#include "model/model.h"
#include "learn/corpus.h"
#include "film_train.h"

#include <jansson.h>

struct run {
    const film_train_options *options; /* as given */
    film_method method;                /* of the words' map; never AUTO */
    film_method network_method;        /* of the map on top of a BERT encoder, where there is one */
    size_t dim;                        /* of a vector; at most what the data allow */
    film_model *model;
    const char *const *paths; /* the input */
    size_t path_count;
    struct corpus corpus;          /* what is learned from; a method that streams: a sample of it */
    struct corpus dev;             /* what the threshold is chosen on; empty: the corpus itself */
    const char *dev_name;          /* "dev", "held out" or "train" */
    struct csr x;                  /* a row per distinct sentence of the corpus */
    const struct network *network; /* while a map on top of it is learned: */
    const float *encoded;          /* its vectors take the place of x */
    struct svd svd;                /* empty where the method needs none */
    uint64_t rows;                 /* learned from, in the corpus or the stream */
    uint64_t own_rows;             /* of a stream: those in this process's part of it */
    int full;                      /* learn the full decision */
    int too_few;                   /* why that failed: too few labelled pairs */
    int holds_out;                 /* a stream: some questions are kept for the threshold */
    struct vector_cache *cache;    /* of a BERT encoder's vectors, or NULL */
    film_train_options words;      /* the options again, as the words' map takes them */
    film_status interrupted; /* not FILM_OK: learning was stopped early, the model holds the best
                                so far; FILM_CANCELLED, or why there is no checkpoint */
    film_error interruption;
    json_t *figures, *seconds;
    double started;              /* the current phase */
    struct comm_traffic traffic; /* as it was then */
};

/* Notes how long the phase took that has just ended and, in a job, what this process handed to the others in it: bytes
 * by kind (base/comm.h), and the seconds it waited in the calls. */
void run_note_time(struct run *run, const char *phase);
void run_note(struct run *run, const char *key, json_t *value);

/* How many numbers a sentence is before the map: features, or the network's. */
size_t run_inputs(const struct run *run);

/* Sentences to where they lie in the SVD's basis. */
struct encoder run_project(const struct run *run);

/* A history in the model's figures has at most so many entries: of a longer one every STRIDE-th, the
 * last among them. Returns the first to take. */
enum { RUN_MOST_HISTORY = 500 };
static inline size_t run_history(size_t count, size_t *stride)
{
    *stride = (count + RUN_MOST_HISTORY - 1) / RUN_MOST_HISTORY;
    return count ? (count - 1) % *stride : 0;
}

/* run->svd of run->x, or of the network's vectors. */
film_status run_factorise(struct run *run, film_error *error);

/* Learns the map by run->method. */
film_status run_learn(struct run *run, film_error *error);

/* The methods: each sets the model's map (features x dim). */
film_status learn_svd(struct run *run, film_error *error);
film_status learn_film(struct run *run, film_error *error);
film_status learn_mfilm(struct run *run, film_error *error);
film_status learn_rank(struct run *run, film_error *error);

/* The BERT encoder of the options, to model->network, and the cache of its vectors; for method DEEP with the black
 * box as it starts. */
film_status run_open_network(struct run *run, film_error *error);

/* The black box on the tokens of that encoder. Sets the model's encoder. */
film_status learn_deep(struct run *run, film_error *error);
film_status learn_deep_start(const struct run *run, size_t width, struct deep *deep,
                             film_error *error);

/* Encodes all sentences and learns the map on top. Sets the model's encoder. */
film_status run_learn_network(struct run *run, film_error *error);

/* Without a dev file: moves a part of the corpus, sharing no question with the rest, to run->dev. Leaves
 * it empty when that cannot be done. */
film_status run_hold_out(struct run *run, film_error *error);

/* Lines from scores to log-odds and the operating point, on LABELLED. */
film_status run_calibrate(struct run *run, const struct corpus *labelled, film_error *error);

/* Chooses the threshold among scores by the options' operating point and notes what it is like. For the
 * accuracy, EVEN (may be NULL) is a line from scores to log-odds to trust instead of the few rows about the
 * best threshold: where it says even odds (84.6 against 84.3 % on Quora's dev). */
film_status run_operate(struct run *run, const float *score, const float *target, size_t count,
                        const struct calibration *even, double *threshold, film_error *error);

/* Refuses a criterion where there is nothing to choose by. */
film_status run_check_operating(const struct run *run, int none_is_same, film_error *error);

/* Keeps options->keep_examples of the labelled pairs in the model. */
film_status run_keep_examples(struct run *run, film_error *error);

/* For a method that streams (train/stream.h): a sample of the rows to run->corpus, the rows held out
 * to run->dev, and how many rows there are to learn from. */
film_status run_sample(struct run *run, film_error *error);

#endif
