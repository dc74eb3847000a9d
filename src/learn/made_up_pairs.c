/* Draws unrelated pairs of sentences, excerpts and made-up words, and computes their traits for the
 * trees. It decides their weight; it does not train on them. */
#include "learn/made_up_pairs.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/threads.h"
#include "pair/survey.h"
#include "learn/corpus_share.h"
#include "learn/labels.h"

#include <string.h>

enum { CHUNK = 64, LONGEST_WORD = 9, LONGEST_EXCERPT = 4 };

/* Labelled pairs have weight 1. With this number and weight, unrelated pairs change what is learned
 * about labelled pairs by less than a different seed does. Edits of names and question words
 * have little weight: people often label such pairs as the same, and with the weight of the others
 * they cause most of what edits cost in log loss on an unseen fold of Quora. Edits of the scope
 * have traits of their own and need more weight against labels that ignore an added phrase. */
static const float WEIGHT = 0.5f, EDIT_WEIGHT = 0.2f, WEAK_EDIT_WEIGHT = 0.05f, SCOPE_WEIGHT = 0.6f;

void made_up_pairs_free(struct made_up_pairs *pairs)
{
    mem_free(pairs->x);
    mem_free(pairs->base);
    mem_free(pairs->target);
    mem_free(pairs->weight);
    *pairs = (struct made_up_pairs){.x = NULL};
}

/* One to four consecutive words of TEXT, cut at spaces. */
static film_text excerpt(struct rng *rng, film_text text)
{
    size_t spaces = 0, skip, words = 1 + (size_t)rng_below(rng, LONGEST_EXCERPT), start = 0;
    for (size_t i = 0; i < text.length; i++) spaces += text.bytes[i] == ' ';
    skip = (size_t)rng_below(rng, spaces + 1);
    while (skip) skip -= text.bytes[start++] == ' ';
    size_t end = start;
    while (end < text.length && (text.bytes[end] != ' ' || --words)) end++;
    return (film_text){text.bytes + start, end - start};
}

/* A random string that is in no vocabulary. */
static film_text made_up_word(struct rng *rng, char *room)
{
    size_t length = 3 + (size_t)rng_below(rng, LONGEST_WORD - 2);
    for (size_t i = 0; i < length; i++) room[i] = (char)('a' + rng_below(rng, 26));
    return (film_text){room, length};
}

/* One pair under construction. The draw for the second sentence depends on the text of the first,
 * which another process of the job may own. So all first sentences are fetched first, then all
 * second ones. */
struct drawn {
    struct rng rng;
    uint64_t kind;
    film_text text[2];
    char room[2][LONGEST_WORD + 1];
    char *edited; /* the second sentence of an edit */
    enum edit_kind made;
};

struct pair_drawing {
    size_t first, count; /* the range of this process */
    size_t unrelated;    /* pairs from here on are edits */
    int records;         /* never cut */
    const struct labelled_edits *labelled;
    struct drawn *pair;
    uint32_t *id, *at;        /* of the drawn sentence; its index in the fetched table */
    struct strtab fetched[2]; /* first and second sentences */
};

static void drawing_free(struct pair_drawing *drawing)
{
    for (size_t i = 0; drawing->pair && i < drawing->count; i++) mem_free(drawing->pair[i].edited);
    mem_free(drawing->pair);
    mem_free(drawing->id);
    mem_free(drawing->at);
    for (int side = 0; side < 2; side++) strtab_free(&drawing->fetched[side]);
}

/* A whole sentence if WHOLE, otherwise mostly an excerpt, rarely a made-up word or an empty
 * text. */
static film_text cut(struct drawn *drawn, film_text text, int whole, char *room)
{
    if (whole) return text;
    if (drawn->kind == 0) return (film_text){room, 0};
    if (drawn->kind <= 3) return made_up_word(&drawn->rng, room);
    return excerpt(&drawn->rng, text);
}

static int is_edit(const struct pair_drawing *drawing, size_t i)
{
    return drawing->first + i >= drawing->unrelated;
}

/* Both sides are whole in a third of the pairs, one in a third, none in a third. */
static int whole_sides(const struct pair_drawing *drawing, size_t i)
{
    return is_edit(drawing, i) || drawing->records ? 2 : (int)((drawing->first + i) % 3);
}

int made_up_allowed(unsigned guarantees, enum edit_kind kind)
{
    static const unsigned needs[EDIT_KINDS] = {[EDIT_OPPOSITE] = ONLY_OPPOSITE,
                                               [EDIT_NEGATION] = ONLY_NEGATION,
                                               [EDIT_NUMBER] = ONLY_NUMBER,
                                               [EDIT_EXCHANGE] = ONLY_EXCHANGE};
    return !needs[kind] || needs[kind] & guarantees;
}

/* Draws an edit that applies; tries several kinds. */
static film_status edit(struct drawn *pair, const struct decision *decision, film_error *error)
{
    static const unsigned char often[EDIT_KINDS] = {5, 5, 4, 5, 3, 3, 2, 2, 2,
                                                    4, 4, 2, 2, 2, 2, 2, 2};
    char out[EDIT_ROOM];
    unsigned all = 0;
    for (int k = 0; k < EDIT_KINDS; k++) all += often[k];
    for (int attempt = 0; attempt < 8; attempt++) {
        uint64_t draw = rng_below(&pair->rng, all);
        int kind = 0;
        while (draw >= often[kind]) draw -= often[kind++];
        if (!made_up_allowed(decision->guarantees, (enum edit_kind)kind)) continue;
        size_t length = edit_make((enum edit_kind)kind, &pair->rng, decision->encoder->relations,
                                  pair->text[0], pair->text[1], out);
        if (!length) continue;
        if (!(pair->edited = mem_string(out, length))) return status_no_memory(error);
        pair->text[1] = (film_text){pair->edited, length};
        pair->made = (enum edit_kind)kind;
        return FILM_OK;
    }
    pair->text[1] = (film_text){"", 0};
    return FILM_OK;
}

static film_status draw_sentences(const struct corpus *corpus, const struct decision *decision,
                                  uint64_t seed, struct pair_drawing *drawing, film_error *error)
{
    film_status status = FILM_OK;
    const struct strtab *texts;
    uint32_t *order = NULL;
    TRY(corpus_order(corpus, &order, error));
    for (size_t i = 0; i < drawing->count; i++)
        rng_seed_part(&drawing->pair[i].rng, seed, drawing->first + i);
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < drawing->count; i++) {
            drawing->pair[i].kind = rng_below(&drawing->pair[i].rng, 20);
            drawing->id[i] = order[rng_below(&drawing->pair[i].rng, corpus_all(corpus))];
        }
        TRY(labels_fetch_texts(corpus, drawing->id, drawing->count, &drawing->fetched[side], &texts,
                               drawing->at, error));
        for (size_t i = 0; i < drawing->count; i++) {
            struct drawn *pair = &drawing->pair[i];
            pair->text[side] = cut(pair, strtab_get(texts, drawing->at[i]),
                                   whole_sides(drawing, i) > side, pair->room[side]);
        }
    }
    for (size_t i = 0; i < drawing->count; i++)
        if (is_edit(drawing, i)) TRY(edit(&drawing->pair[i], decision, error));
done:
    mem_free(order);
    return status;
}

static film_status make_pair(const struct decision *decision, const struct pair_drawing *drawing,
                             struct survey *survey, size_t i, struct made_up_pairs *out,
                             film_error *error)
{
    const film_text *text = drawing->pair[i].text;
    film_status status = survey_make(survey, &decision->evidence, text[0], text[1], error);
    if (status != FILM_OK) return status;
    size_t traits = traits_total(decision->encoder->fields);
    float *x = out->x + i * traits;
    memcpy(x, survey->traits, traits * sizeof *x);
    out->base[i] = (float)(linear_sum(&decision->line, x) + survey->margin);
    int related = whole_sides(drawing, i) == 2
                      ? survey->reading.side[0].hash == survey->reading.side[1].hash
                      : survey->comparison.shared > 0;
    related |= !survey->reading.side[0].count && !survey->reading.side[1].count;
    out->weight[i] = related ? 0 : WEIGHT;
    if (is_edit(drawing, i)) {
        enum edit_kind made = drawing->pair[i].made;
        int scope = made == EDIT_QUALIFIER || made == EDIT_MODIFIER || made == EDIT_LIMIT;
        int weak = made == EDIT_NAME || made == EDIT_QUESTION;
        out->weight[i] = weak ? WEAK_EDIT_WEIGHT : scope ? SCOPE_WEIGHT : EDIT_WEIGHT;
        if (!drawing->pair[i].edited || related ||
            labelled_edits_contradict(drawing->labelled, &survey->items, edit_keeps_meaning(made)))
            out->weight[i] = 0;
        out->target[i] = (float)edit_keeps_meaning(made);
    }
    return FILM_OK;
}

static film_status make_all(const struct decision *decision, const struct pair_drawing *drawing,
                            int threads, struct made_up_pairs *out, film_error *error)
{
    film_status status = FILM_OK;
    size_t chunks = (out->count + CHUNK - 1) / CHUNK;
#pragma omp parallel num_threads(threads_count(threads))
    {
        struct survey survey;
        film_error own_error;
        film_status own = survey_init(&survey, decision->encoder, &own_error);
#pragma omp for schedule(dynamic, 1)
        for (size_t s = 0; s < chunks; s++)
            for (size_t i = s * CHUNK; i < out->count && i < (s + 1) * CHUNK && own == FILM_OK; i++)
                own = make_pair(decision, drawing, &survey, i, out, &own_error);
        if (own != FILM_OK) {
#pragma omp critical
            status = status_set(error, own, "%s", own_error.message);
        }
        survey_free(&survey);
    }
    return status;
}

/* Gathers COLUMN, COUNT items of SIZE bytes, of all processes in process 0; frees it in the
 * others. */
static film_status gather_in_first(const struct comm *comm, float **column, size_t count,
                                   size_t size, film_error *error)
{
    film_status status = FILM_OK;
    void *all = NULL;
    if (comm->size == 1) return FILM_OK;
    TRY(comm_collect(comm, *column, count * size, &all, error));
    mem_free(*column);
    *column = all;
done:
    return status;
}

film_status made_up_pairs_draw(const struct corpus *corpus, const struct decision *decision,
                               const struct made_up_options *options, struct made_up_pairs *out,
                               film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = corpus->comm;
    size_t traits = traits_total(decision->encoder->fields) * sizeof(float),
           count = options->count + options->edits;
    struct pair_drawing drawing = {.first = comm_begin(comm, count, comm->rank),
                                   .unrelated = options->count,
                                   .records = corpus->records != 0,
                                   .labelled = options->labelled};
    *out = (struct made_up_pairs){0};
    if (!count || !corpus_all(corpus)) return FILM_OK;
    drawing.count = comm_begin(comm, count, comm->rank + 1) - drawing.first;
    out->count = drawing.count;
    TRY_ALLOC((out->x = mem_array(out->count, traits)) &&
                  (out->base = mem_array(out->count, sizeof(float))) &&
                  (out->weight = mem_array(out->count, sizeof(float))) &&
                  (out->target = mem_zeroed(out->count, sizeof(float))) &&
                  (drawing.pair = mem_zeroed(out->count, sizeof *drawing.pair)) &&
                  (drawing.id = mem_array(out->count, sizeof *drawing.id)) &&
                  (drawing.at = mem_array(out->count, sizeof *drawing.at)),
              error);
    TRY(draw_sentences(corpus, decision, options->seed, &drawing, error));
    TRY(make_all(decision, &drawing, options->threads, out, error));
    TRY(gather_in_first(comm, &out->x, out->count, traits, error));
    TRY(gather_in_first(comm, &out->base, out->count, sizeof(float), error));
    TRY(gather_in_first(comm, &out->target, out->count, sizeof(float), error));
    TRY(gather_in_first(comm, &out->weight, out->count, sizeof(float), error));
    out->count = comm->rank == 0 ? count : 0;
done:
    drawing_free(&drawing);
    return status;
}
