/* FILM-BERT: the vectors of a BERT encoder take the place of the sparse rows, and everything from the SVD on is
 * the same. */
#include "base/mem.h"
#include "train/run.h"

/* What may lie in the cache, of all encoders together. */
#define CACHE_MOST ((uint64_t)4 << 30)
enum { STRETCH = 2048 }; /* sentences between two looks at whether to stop */

film_status run_open_network(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    struct bert *bert = NULL;
    film_model *model = run->model;
    int deep = run->options->method == FILM_METHOD_DEEP;
    struct deep head = {0};
    TRY(bert_open(run->options->bert, &bert, error));
    if (deep) status = learn_deep_start(run, bert_dim(bert), &head, error);
    if (status != FILM_OK) bert_free(bert);
    TRY(status);
    TRY(network_new(bert, deep ? &head : NULL, &model->network, error));
    if (run->options->cache && !deep) /* kept are the encoder's own vectors */
        TRY(vector_cache_open(run->options->cache, bert_fingerprint(bert), bert_dim(bert),
                              CACHE_MOST, &run->cache, error));
    network_use_cache(model->network, run->cache);
done:
    return status;
}

/* OUT (sentences x dim; NULL: only remembered) = the vectors of SENTENCES; DONE counts on over several calls. */
static film_status encode(struct run *run, const struct strtab *sentences, float *out,
                          size_t *done_before, size_t total, film_error *error)
{
    film_status status = FILM_OK;
    const struct network *network = run->model->network;
    size_t dim = network->dim;
    film_text texts[STRETCH];
    float *scratch = out ? NULL : mem_array(STRETCH, dim * sizeof *scratch);
    TRY_ALLOC(out || scratch, error);
    for (uint32_t first = 0; first < sentences->count; first += STRETCH) {
        uint32_t here = sentences->count - first < STRETCH ? sentences->count - first : STRETCH;
        for (uint32_t i = 0; i < here; i++) texts[i] = strtab_get(sentences, first + i);
        TRY(progress_report(&run->options->progress, "encoding", (double)*done_before,
                            (double)total, error));
        TRY(network_encode(network, texts, here, run->options->threads,
                           out ? out + first * dim : scratch, error));
        *done_before += here;
    }
done:
    mem_free(scratch);
    return status;
}

static film_status encode_all(struct run *run, float **vectors, film_error *error)
{
    film_status status = FILM_OK;
    const struct strtab *own = &run->corpus.sentences, *dev = &run->dev.sentences;
    size_t total = (size_t)own->count + (run->dev.rows ? dev->count : 0), done = 0;
    TRY_ALLOC(*vectors = mem_array(own->count, run->model->network->dim * sizeof(float)),
              error);
    TRY(encode(run, own, *vectors, &done, total, error));
    if (run->dev.rows) TRY(encode(run, dev, NULL, &done, total, error));
    run_note(run, "encoded", json_integer((json_int_t)total));
    run_note_time(run, "encoding");
    /* Beside the times, which are not saved either: the same training gives the same bytes. */
    if (run->cache)
        json_object_set_new(run->seconds, "from_cache",
                            json_integer((json_int_t)vector_cache_hits(run->cache)));
    if (run->cache && vector_cache_problem(run->cache))
        json_object_set_new(run->seconds, "cache_problem",
                            json_string(vector_cache_problem(run->cache)));
done:
    return status;
}

/* The words' map comes after: it cannot be paused, and has the size that suits it. */
static void turn_to_words(struct run *run)
{
    enum { WORDS_DIM = 200 };
    run->words = *run->options;
    run->words.checkpoint = NULL;
    run->words.resume = 0;
    run->words.epochs = run->words.batch = 0;
    run->options = &run->words;
    run->dim = WORDS_DIM;
}

film_status run_learn_network(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    film_model *model = run->model, learned = {.features = model->features};
    float *vectors = NULL;
    struct run part = {.corpus = {0}};
    TRY(encode_all(run, &vectors, error));
    part = *run; /* figures and times are noted in the same objects */
    part.method = run->network_method;
    part.network = model->network;
    part.encoded = vectors;
    part.model = &learned;
    TRY(run_learn(&part, error));
    run->interrupted = part.interrupted;
    run->interruption = part.interruption;
    run->started = part.started;
    model->own_network_map = learned.own_map;
    model->own_sigma = learned.own_sigma;
    model->sigma = learned.sigma;
    model->rank = learned.rank;
    learned.own_map = learned.own_sigma = NULL;
    model->encoder.network = model->network;
    model->encoder.network_map = model->own_network_map;
    model->encoder.network_dim = part.dim;
    turn_to_words(run);
done:
    svd_free(&part.svd);
    mem_free(learned.own_map);
    mem_free(learned.own_sigma);
    mem_free(vectors);
    return status;
}
