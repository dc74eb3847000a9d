/* Rounds the rows of character n-grams to few bits so that the errors of the n-grams of a word
 * cancel. A sentence adds the rows of its words' n-grams, so the sums matter, not the rows.
 *
 * Coordinate descent over the codes (adaptive rounding, Nagel et al. 2020): it minimises the
 * squared error of the sum of every word, plus that of every n-gram alone, for unknown words. */
#include "model/packed.h"
#include "base/mem.h"
#include "embed/vec.h"

#include <math.h>
#include <string.h>

/* Which words of the vocabulary an n-gram occurs in, with repetitions, and their errors. */
struct gram_words {
    const struct features *features;
    size_t dim, *start; /* the words of n-gram g: start[g] .. start[g + 1] */
    uint32_t *word;
    float *error;                /* words x dim: of the sum of its n-grams, weighted by idf */
    float *row, *pull, *changed; /* dim each */
};

/* Counts the words of each n-gram (COUNT), or lists them. */
static film_status visit_words(struct gram_words *uses, int count, film_error *error)
{
    film_status status = FILM_OK;
    const struct features *features = uses->features;
    struct grams grams;
    struct lexeme_room room = {NULL, 0};
    const struct lexeme *lexeme;
    TRY(grams_init(&grams, &features->tokenizer, error));
    for (uint32_t w = 0; w < features->first[GROUP_WORD + 1]; w++) {
        TRY(lexicon_word(features, features_name(features, w), w, &grams, &room, &lexeme, error));
        for (uint32_t i = 0; i < lexeme->gram_count; i++) {
            size_t *place = &uses->start[lexeme->gram[i] - features->first[GROUP_CHAR]];
            if (!count) uses->word[*place] = w;
            ++*place;
        }
    }
done:
    mem_free(room.lexeme);
    grams_free(&grams);
    return status;
}

static film_status list_gram_words(struct gram_words *uses, size_t grams, film_error *error)
{
    film_status status = FILM_OK;
    size_t total = 0;
    TRY_ALLOC(uses->start = mem_zeroed(grams + 1, sizeof *uses->start), error);
    TRY(visit_words(uses, 1, error));
    for (size_t g = 0; g <= grams; g++) {
        size_t count = uses->start[g];
        uses->start[g] = total;
        total += count;
    }
    TRY_ALLOC(uses->word = mem_array(total, sizeof *uses->word), error);
    TRY(visit_words(uses, 0, error)); /* moves every start to the next one */
    memmove(uses->start + 1, uses->start, grams * sizeof *uses->start);
    uses->start[0] = 0;
done:
    return status;
}

/* Adds CHANGED times the weight of n-gram G to the errors of its words. */
static void change_words(struct gram_words *uses, size_t g)
{
    float idf = uses->features->idf[uses->features->first[GROUP_CHAR] + g];
    for (size_t u = uses->start[g]; u < uses->start[g + 1]; u++)
        vec_add_scaled(uses->error + uses->word[u] * uses->dim, idf, uses->changed, uses->dim);
}

/* Moves each code of n-gram G to the better of the two numbers next to its value. */
static void round_gram(struct gram_words *uses, size_t g, int8_t *code, float scale)
{
    float idf = uses->features->idf[uses->features->first[GROUP_CHAR] + g];
    float count = (float)(uses->start[g + 1] - uses->start[g]);
    if (!(scale > 0) || !(idf > 0) || count == 0) return;
    memset(uses->pull, 0, uses->dim * sizeof *uses->pull);
    for (size_t u = uses->start[g]; u < uses->start[g + 1]; u++)
        vec_add_scaled(uses->pull, 1 / idf, uses->error + uses->word[u] * uses->dim, uses->dim);
    for (size_t d = 0; d < uses->dim; d++) {
        float value = uses->row[d] / scale, now = (float)code[d];
        float pull = (uses->pull[d] / scale + now - value) / (count + 1);
        float next = fmaxf(floorf(value), fminf(rintf(now - pull), ceilf(value)));
        next = fmaxf(-PACKED_MOST, fminf(next, PACKED_MOST));
        uses->changed[d] = (next - now) * scale;
        code[d] = (int8_t)next;
    }
    change_words(uses, g);
}

film_status pack_grams(const film_model *model, const float *scales, int8_t *codes,
                       film_error *error)
{
    enum { SWEEPS = 4 };
    film_status status = FILM_OK;
    const struct features *features = &model->features;
    size_t dim = model->encoder.dim, words = features->first[GROUP_WORD + 1];
    uint32_t first = features->first[GROUP_CHAR], grams = features->first[GROUP_CHAR + 1] - first;
    struct gram_words uses = {.features = features, .dim = dim};
    TRY_ALLOC(uses.error = mem_zeroed(words * dim + 1, sizeof *uses.error), error);
    TRY_ALLOC(uses.row = mem_array(3 * dim, sizeof *uses.row), error);
    uses.pull = uses.row + dim;
    uses.changed = uses.pull + dim;
    TRY(list_gram_words(&uses, grams, error));
    for (int sweep = 0; sweep <= SWEEPS; sweep++)
        for (uint32_t g = 0; g < grams; g++) {
            int8_t *code = codes + (size_t)(first + g) * dim;
            float scale = scales[first + g];
            word_map_row(&model->encoder.map, first + g, uses.row, dim);
            if (sweep > 0) {
                round_gram(&uses, g, code, scale);
                continue;
            }
            for (size_t d = 0; d < dim; d++) uses.changed[d] = (float)code[d] * scale - uses.row[d];
            change_words(&uses, g);
        }
done:
    mem_free(uses.start);
    mem_free(uses.word);
    mem_free(uses.error);
    mem_free(uses.row);
    return status;
}
