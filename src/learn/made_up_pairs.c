/* Draws unrelated pairs of sentences, excerpts and made-up words, and computes their traits for the
 * trees. It decides their weight; it does not train on them. */
#include "learn/made_up_pairs.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/threads.h"
#include "pair/survey.h"

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

/* One pair under construction. */
struct drawn {
    struct rng rng;
    uint64_t kind;
    film_text text[2];
    char room[2][LONGEST_WORD + 1];
    char edited[EDIT_ROOM]; /* the second sentence of an edit */
    int is_edited;
    enum edit_kind made;
};

struct pair_drawing {
    const struct corpus *corpus;
    const struct decision *decision;
    const struct made_up_options *options;
    struct made_up_pairs *out;
};

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
    return i >= drawing->options->count;
}

/* Both sides are whole in a third of the pairs, one in a third, none in a third. */
static int whole_sides(const struct pair_drawing *drawing, size_t i)
{
    return is_edit(drawing, i) || drawing->corpus->records ? 2 : (int)(i % 3);
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
static void edit(struct drawn *pair, const struct decision *decision)
{
    static const unsigned char often[EDIT_KINDS] = {5, 5, 4, 5, 3, 3, 2, 2, 2,
                                                    4, 4, 2, 2, 2, 2, 2, 2};
    unsigned all = 0;
    for (int k = 0; k < EDIT_KINDS; k++) all += often[k];
    for (int attempt = 0; attempt < 8; attempt++) {
        uint64_t draw = rng_below(&pair->rng, all);
        int kind = 0;
        while (draw >= often[kind]) draw -= often[kind++];
        if (!made_up_allowed(decision->guarantees, (enum edit_kind)kind)) continue;
        size_t length = edit_make((enum edit_kind)kind, &pair->rng, decision->encoder->relations,
                                  pair->text[0], pair->text[1], pair->edited);
        if (!length) continue;
        pair->text[1] = (film_text){pair->edited, length};
        pair->made = (enum edit_kind)kind;
        pair->is_edited = 1;
        return;
    }
    pair->text[1] = (film_text){"", 0};
}

static void draw_pair(const struct pair_drawing *drawing, size_t i, struct drawn *pair)
{
    const struct strtab *sentences = &drawing->corpus->sentences;
    int whole = whole_sides(drawing, i);
    pair->is_edited = 0;
    pair->made = EDIT_OPPOSITE;
    rng_seed_part(&pair->rng, drawing->options->seed, i);
    for (int side = 0; side < 2; side++) {
        pair->kind = rng_below(&pair->rng, 20);
        uint32_t id = (uint32_t)rng_below(&pair->rng, sentences->count);
        pair->text[side] = cut(pair, strtab_get(sentences, id), whole > side, pair->room[side]);
    }
    if (is_edit(drawing, i)) edit(pair, drawing->decision);
}

static film_status make_pair(const struct pair_drawing *drawing, struct survey *survey, size_t i,
                             film_error *error)
{
    const struct decision *decision = drawing->decision;
    struct made_up_pairs *out = drawing->out;
    struct drawn pair;
    draw_pair(drawing, i, &pair);
    film_status status =
        survey_make(survey, &decision->evidence, pair.text[0], pair.text[1], error);
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
        enum edit_kind made = pair.made;
        int scope = made == EDIT_QUALIFIER || made == EDIT_MODIFIER || made == EDIT_LIMIT;
        int weak = made == EDIT_NAME || made == EDIT_QUESTION;
        out->weight[i] = weak ? WEAK_EDIT_WEIGHT : scope ? SCOPE_WEIGHT : EDIT_WEIGHT;
        if (!pair.is_edited || related ||
            labelled_edits_contradict(drawing->options->labelled, &survey->items,
                                      edit_keeps_meaning(made)))
            out->weight[i] = 0;
        out->target[i] = (float)edit_keeps_meaning(made);
    }
    return FILM_OK;
}

static film_status make_some(struct threads_worker *worker, void *user, film_error *error)
{
    film_status status = FILM_OK;
    const struct pair_drawing *drawing = user;
    struct survey survey;
    size_t i, end;
    TRY(survey_init(&survey, drawing->decision->encoder, error));
    while (threads_next(worker, &i, &end))
        for (; i < end; i++) TRY(make_pair(drawing, &survey, i, error));
done:
    survey_free(&survey);
    return status;
}

film_status made_up_pairs_draw(const struct corpus *corpus, const struct decision *decision,
                               const struct made_up_options *options, struct made_up_pairs *out,
                               film_error *error)
{
    film_status status = FILM_OK;
    size_t traits = traits_total(decision->encoder->fields) * sizeof(float),
           count = options->count + options->edits;
    struct pair_drawing drawing = {corpus, decision, options, out};
    *out = (struct made_up_pairs){0};
    if (!count || !corpus->sentences.count) return FILM_OK;
    out->count = count;
    TRY_ALLOC((out->x = mem_array(count, traits)) &&
                  (out->base = mem_array(count, sizeof(float))) &&
                  (out->weight = mem_array(count, sizeof(float))) &&
                  (out->target = mem_zeroed(count, sizeof(float))),
              error);
    TRY(threads_for(threads_count(options->threads), count, CHUNK, make_some, &drawing, error));
done:
    return status;
}
