#include "train/unrelated.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/threads.h"
#include "pair/survey.h"

#include <string.h>

enum { STRETCH = 64, LONGEST_WORD = 9, LONGEST_PIECE = 4 };

/* What labelled pairs weigh is 1 each; so many of these, each half, moves what is learned about
 * labelled pairs by less than the seed does. */
static const float WEIGHT = 0.5f;

void unrelated_free(struct unrelated *unrelated)
{
    mem_free(unrelated->x);
    mem_free(unrelated->base);
    mem_free(unrelated->weight);
}

/* One to four words in a row of TEXT, cut at spaces. */
static film_text piece(struct rng *rng, film_text text)
{
    size_t spaces = 0, skip, words = 1 + (size_t)rng_below(rng, LONGEST_PIECE), start = 0;
    for (size_t i = 0; i < text.length; i++) spaces += text.bytes[i] == ' ';
    skip = (size_t)rng_below(rng, spaces + 1);
    while (skip) skip -= text.bytes[start++] == ' ';
    size_t end = start;
    while (end < text.length && (text.bytes[end] != ' ' || --words)) end++;
    return (film_text){text.bytes + start, end - start};
}

/* A word nobody knows. */
static film_text made_up_word(struct rng *rng, char *room)
{
    size_t length = 3 + (size_t)rng_below(rng, LONGEST_WORD - 2);
    for (size_t i = 0; i < length; i++) room[i] = (char)('a' + rng_below(rng, 26));
    return (film_text){room, length};
}

/* A sentence, more often a piece of one, seldom a made-up word or nothing. */
static film_text draw(struct rng *rng, const struct strtab *sentences, int whole, char *room)
{
    uint64_t kind = rng_below(rng, 20);
    film_text text = strtab_get(sentences, (uint32_t)rng_below(rng, sentences->count));
    if (whole) return text;
    if (kind == 0) return (film_text){room, 0};
    if (kind <= 3) return made_up_word(rng, room);
    return piece(rng, text);
}

/* Pair I: both whole in a third of them, one in a third, none in a third. */
static film_status make(const struct run *run, struct survey *survey, size_t i,
                        struct unrelated *out, film_error *error)
{
    const struct decision *decision = &run->model->decision;
    const struct strtab *sentences = &run->corpus.sentences;
    char room[2][LONGEST_WORD + 1];
    struct rng rng;
    rng_seed_part(&rng, run->options->seed, i);
    size_t whole = i % 3;
    film_text a = draw(&rng, sentences, whole > 0, room[0]),
              b = draw(&rng, sentences, whole > 1, room[1]);
    film_status status = survey_make(survey, &decision->evidence, a, b, error);
    if (status != FILM_OK) return status;
    float *x = out->x + i * traits_count();
    memcpy(x, survey->traits, traits_count() * sizeof *x);
    out->base[i] = (float)(linear_sum(&decision->line, x) + survey->margin);
    int related = whole == 2 ? survey->reading.side[0].hash == survey->reading.side[1].hash
                             : survey->comparison.shared > 0;
    related |= !survey->reading.side[0].count && !survey->reading.side[1].count;
    out->weight[i] = related ? 0 : WEIGHT;
    return FILM_OK;
}

film_status unrelated_gather(struct run *run, size_t count, struct unrelated *out,
                             film_error *error)
{
    film_status status = FILM_OK;
    *out = (struct unrelated){.count = count};
    if (!count || !run->corpus.sentences.count) return FILM_OK;
    TRY_ALLOC((out->x = mem_array(count, traits_count() * sizeof(float))) &&
                  (out->base = mem_array(count, sizeof(float))) &&
                  (out->weight = mem_array(count, sizeof(float))),
              error);
    size_t stretches = (count + STRETCH - 1) / STRETCH;
#pragma omp parallel num_threads(threads_use(run->options->threads))
    {
        struct survey survey;
        film_error own_error;
        film_status own = survey_init(&survey, &run->model->encoder, &own_error);
#pragma omp for schedule(dynamic, 1)
        for (size_t s = 0; s < stretches; s++)
            for (size_t i = s * STRETCH; i < count && i < (s + 1) * STRETCH && own == FILM_OK; i++)
                own = make(run, &survey, i, out, &own_error);
        if (own != FILM_OK) {
#pragma omp critical
            status = status_set(error, own, "%s", own_error.message);
        }
        survey_free(&survey);
    }
done:
    return status;
}
