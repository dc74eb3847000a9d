/* Method MFILM: turns batches of streamed rows into triplets and vectors, and these into a map. The
 * optimisation is in mfilm.c.
 *
 * A batch holds whole anchors as far as a stream allows: consecutive rows with the same first
 * sentence stay together, and clusters come from the positive pairs of the batch alone. Negatives
 * are the labelled and hard ones of the batch, then random ones. Shuffle files whose categories or
 * labels are sorted.
 *
 * A batch ends after `batch` anchors, or after 4 times as many sentences, because vectors take the
 * memory: 4 * rank bytes each. It continues into the next pass, so that the last rows of a file do
 * not become a small, noisy batch. Only a batch that holds the whole file ends with it. */
#include "base/mem.h"
#include "base/threads.h"
#include "learn/mfilm.h"
#include "learn/corpus_triplets.h"
#include "learn/judge.h"
#include "learn/learn_film.h"
#include "learn/stream.h"
#include "learn/features_fit.h"

#include <math.h>
#include <string.h>

enum { SENTENCES_PER_ANCHOR = 4, ROWS_PER_ANCHOR = 16 };

struct batches {
    const struct learn_input *input;
    const struct svd *svd; /* of the sample */
    struct judge judge;    /* of the dev pairs, if any */
    struct stream stream;
    struct corpus corpus; /* the current batch */
    struct triplets triplets;
    struct triplet_recipe recipe;
    float *sigma; /* rank: as if the SVD were that of all rows */
    float *v;     /* sentences x rank */
    size_t v_capacity;
    struct csr x;          /* sentences x features, for one basis per batch */
    unsigned char *anchor; /* which sentences of the batch will be anchors */
    size_t anchor_capacity, anchors;
    film_row row; /* read ahead; belongs to the next batch */
    int pending;
    size_t made, passes;         /* batches; passes started */
    uint64_t pass_rows, rows_in; /* rows read in this pass; in total */
};

static void batches_free(struct batches *b)
{
    judge_free(&b->judge);
    stream_free(&b->stream);
    corpus_free(&b->corpus);
    triplets_free(&b->triplets);
    csr_free(&b->x);
    mem_free(b->sigma), mem_free(b->v), mem_free(b->anchor);
}

/* ---- Rows to a batch ---- */

static void mark(struct batches *b, uint32_t id)
{
    b->anchors += !b->anchor[id];
    b->anchor[id] = 1;
}

static film_status add_batch_row(struct batches *b, film_error *error)
{
    film_status status = FILM_OK;
    struct corpus *corpus = &b->corpus;
    size_t at = corpus->rows, before = corpus->sentences.count;
    TRY(corpus_add(corpus, &b->row, error));
    TRY_ALLOC(mem_grow((void **)&b->anchor, &b->anchor_capacity, corpus->sentences.count, 1),
              error);
    memset(b->anchor + before, 0, corpus->sentences.count - before);
    int pair = corpus->labels == FILM_LABELS_PAIRS || corpus->labels == FILM_LABELS_SCORES;
    if (!pair || corpus_same(corpus->labels, corpus->label[at], b->recipe.range) > 0) {
        mark(b, corpus->a[at]);
        if (pair) mark(b, corpus->b[at]);
    }
    b->pending = 0;
    b->pass_rows++, b->rows_in++;
done:
    return status;
}

static size_t batch_anchors(const struct batches *b)
{
    enum { DEFAULT_ANCHORS = 8192 };
    return b->input->batch ? b->input->batch : DEFAULT_ANCHORS;
}

/* Returns whether the batch is full and the row read ahead starts another anchor, or the batch is
 * twice too full. */
static int is_full(const struct batches *b)
{
    const struct corpus *corpus = &b->corpus;
    size_t batch = batch_anchors(b), sentences = corpus->sentences.count;
    size_t most = SENTENCES_PER_ANCHOR * batch, most_rows = ROWS_PER_ANCHOR * batch;
    if (corpus->rows == 0) return 0;
    if (b->anchors < batch && sentences < most && corpus->rows < most_rows) return 0;
    if (sentences >= 2 * most || corpus->rows >= 2 * most_rows) return 1;
    film_text last = strtab_get(&corpus->sentences, corpus->a[corpus->rows - 1]);
    return last.length != b->row.a.length || memcmp(last.bytes, b->row.a.bytes, last.length) != 0;
}

static int another_pass(const struct batches *b)
{
    const film_solver_options *solver = &b->input->options->solver;
    return b->input->epochs ? b->passes < b->input->epochs
                            : b->made < solver->iterations / solver->inner;
}

static film_status end_pass(struct batches *b, film_error *error)
{
    const struct stream_source *source = b->input->stream;
    if (b->pass_rows != source->rows)
        return status_set(error, FILM_IO,
                          "%s: had %llu rows, now has %llu; method mfilm reads files several "
                          "times, so do not change them meanwhile",
                          source->paths[0], (unsigned long long)source->rows,
                          (unsigned long long)b->pass_rows);
    b->pass_rows = 0;
    b->passes++;
    stream_rewind(&b->stream);
    return FILM_OK;
}

/* Reads rows until the batch is full. FILM_END when too little is left for a batch. */
static film_status collect_batch(struct batches *b, film_error *error)
{
    film_status status = FILM_OK;
    enum stream_part part;
    size_t enough = b->made ? batch_anchors(b) / 2 : 0;
    corpus_free(&b->corpus);
    b->anchors = 0;
    TRY(corpus_init(&b->corpus, b->input->corpus->labels, error));
    if (b->input->stream->rows == 0) TRY(FILM_END); /* all rows are held out */
    for (;;) {
        if (!b->pending) {
            if (b->pass_rows == 0 && b->rows_in > 0 && b->corpus.rows == 0 && !another_pass(b))
                TRY(FILM_END);
            status = stream_next(&b->stream, &b->row, &part, error);
            if (status == FILM_END) {
                TRY(end_pass(b, error));
                if (b->corpus.rows == b->input->stream->rows) break;
                if (another_pass(b)) continue;
                if (b->corpus.rows == 0 || b->anchors < enough) TRY(FILM_END);
                break;
            }
            TRY(status);
            if (part != STREAM_LEARN) continue;
            b->pending = 1;
        }
        if (is_full(b)) break;
        TRY(add_batch_row(b, error));
    }
done:
    return status;
}

/* ---- The vectors of a batch ---- */

/* v = Sigma^-1 U'x for every sentence. */
static film_status compute_batch_vectors(struct batches *b, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = b->corpus.sentences.count, rank = b->svd->rank;
    struct encoder encoder = {.features = b->input->features, .map.rows = b->svd->u, .dim = rank};
    film_text *texts = mem_array(count, sizeof *texts);
    TRY_ALLOC(texts, error);
    for (uint32_t i = 0; i < count; i++) texts[i] = strtab_get(&b->corpus.sentences, i);
    if (count > b->v_capacity) { /* the old content is not needed */
        mem_free(b->v);
        b->v_capacity = 0;
        TRY_ALLOC(b->v = mem_array(count, rank * sizeof *b->v), error);
        b->v_capacity = count;
    }
    TRY(encoder_embed_all(&encoder, texts, count, b->recipe.threads, b->v, error));
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < rank; j++) b->v[i * rank + j] /= b->sigma[j];
done:
    mem_free(texts);
    return status;
}

/* The sparse TF-IDF rows of every sentence. */
static film_status weigh(struct batches *b, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = b->corpus.sentences.count;
    film_text *texts = mem_array(count, sizeof *texts);
    TRY_ALLOC(texts, error);
    for (uint32_t i = 0; i < count; i++) texts[i] = strtab_get(&b->corpus.sentences, i);
    csr_free(&b->x);
    TRY(features_matrix(b->input->features, texts, count, &b->x, error));
done:
    mem_free(texts);
    return status;
}

static film_status next_batch(void *self, struct mfilm_batch *batch, film_error *error)
{
    film_status status = FILM_OK;
    struct batches *b = self;
    const film_train_options *options = b->input->options;
    int own_basis = options->solver.batch_basis;
    do { /* until there is a triplet */
        TRY(collect_batch(b, error));
        TRY(own_basis ? weigh(b, error) : compute_batch_vectors(b, error));
        b->made++;
        b->recipe.v = own_basis ? NULL : b->v;
        b->recipe.seed = options->seed + b->made - 1; /* different negatives in every pass */
        triplets_free(&b->triplets);
        TRY(corpus_triplets(&b->corpus, &b->recipe, &b->triplets, error));
    } while (b->triplets.anchors == 0);
    *batch =
        (struct mfilm_batch){.triplets = &b->triplets,
                             .v = b->v,
                             .x = &b->x,
                             .weight = (double)b->input->stream->rows / (double)b->corpus.rows};
done:
    return status;
}

/* ---- Learning ---- */

static int on_batch(void *user, size_t batch, const struct film_iteration *now)
{
    const struct batches *b = user;
    const film_train_options *options = b->input->options;
    const film_solver_options *solver = &options->solver;
    double pass = (double)b->rows_in / (double)b->input->stream->rows,
           done = pass / (double)b->input->epochs;
    learn_film_report(&options->progress, now);
    if (!b->input->epochs)
        done = fmin(pass, (double)batch * (double)solver->inner / (double)solver->iterations);
    return progress_report(&options->progress, "mfilm", done, 1, NULL) != FILM_OK;
}

/* The judge's v is made with the sample's Sigma, which differs from ours by one constant factor.
 * That does not change the order of similarities. */
static double on_judge(void *user, const double *p, const double *s)
{
    return judge_map(&((struct batches *)user)->judge, p, s);
}

static film_status batches_init(struct batches *b, const struct learn_input *input,
                                const struct svd *svd, film_error *error)
{
    film_status status = FILM_OK;
    size_t rank = svd->rank;
    *b = (struct batches){.input = input, .svd = svd};
    b->recipe = (struct triplet_recipe){.solver = &input->options->solver,
                                        .rank = rank,
                                        .threads = threads_count(input->options->threads)};
    corpus_score_range(input->corpus, b->recipe.range);
    TRY(stream_init(&b->stream, input->stream, error));
    TRY_ALLOC(b->sigma = mem_array(rank, sizeof *b->sigma), error);
    /* The sample's V has orthonormal columns over the sample; that of all rows would be shorter.
     * With this factor k and mu(k) have the scale of the full batch. */
    double longer = sqrt((double)input->stream->rows / (double)input->corpus->rows);
    for (size_t i = 0; i < rank; i++) b->sigma[i] = (float)(longer * (double)svd->sigma[i]);
    b->recipe.sigma = b->sigma;
done:
    return status;
}

static void note_learned(const struct batches *b, const struct film_learned *learned)
{
    struct training_log *log = b->input->log;
    learn_film_note(log, "mfilm", learned);
    training_log_note(log, "batch_anchors",
                      json_real((double)learned->anchors / (double)learned->solver.iterations));
    training_log_note(log, "passes",
                      json_real((double)b->rows_in / (double)b->input->stream->rows));
    training_log_phase(log, "mfilm");
}

film_status learn_mfilm(const struct learn_input *input, struct learned_map *out, film_error *error)
{
    film_status status = FILM_OK;
    int batch_basis = input->options->solver.batch_basis;
    struct svd svd = {0};
    struct batches batches = {0};
    struct film_learned learned = {0};
    struct mfilm_source source = {&batches, next_batch};
    size_t features = input->x->cols;
    TRY(learn_factorise(input, &svd, out, error));
    mem_free(svd.v); /* the largest array; batches compute their own */
    svd.v = NULL;
    TRY(batches_init(&batches, input, &svd, error));
    struct film_learn_options options = learn_film_options(input, out->dim);
    options.solver.refresh_every = 1;     /* one step per batch */
    options.solver.iterations = SIZE_MAX; /* the stream determines the end */
    options.report = on_batch;
    if (input->dev->rows && !batch_basis && input->options->paper.keep == 1) {
        TRY(judge_init(&batches.judge, input, &svd, out->dim, error));
        options.judge = on_judge;
    }
    options.user = &batches;
    if (batch_basis) {
        TRY_ALLOC(out->map = mem_array(features * out->dim, sizeof(float)), error);
        TRY(mfilm_average(&source, input->options->rank, features, &options, out->map, &learned,
                          error));
    } else {
        TRY(mfilm_learn(&source, svd.rank, batches.sigma, &options, &learned, error));
        TRY(learn_film_map(input, &svd, batches.sigma, &learned, &out->map, error));
    }
    note_learned(&batches, &learned);
done:
    batches_free(&batches);
    film_learned_free(&learned);
    svd_free(&svd);
    return status;
}
