/* Decomposes the similarity of two sentences exactly into inner products of the vectors of their
 * words. The weights of single words are computed in pair/reasons.c. */
#include "explain/links.h"
#include "base/sort.h"
#include "base/mem.h"
#include "embed/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void links_free(struct links *links)
{
    mem_free(links->part[0]);
    mem_free(links->part[1]);
    mem_free(links->places);
    memset(links, 0, sizeof *links);
}

/* The dimension of the word contributions: that of the map, or without a map the features of side
 * 0. */
static size_t width(const struct reading *reading)
{
    return word_map_exists(&reading->encoder->map) ? reading->encoder->dim
                                                   : reading->side[0].row.count;
}

/* part += factor * feature */
static void add_feature(const struct reading *reading, uint32_t id, double factor, float *part)
{
    const struct encoder *encoder = reading->encoder;
    if (word_map_exists(&encoder->map)) {
        word_map_add(&encoder->map, id, (float)factor, part, encoder->dim);
        return;
    }
    const struct feature_row *base = &reading->side[0].row;
    size_t at = feature_row_position(base, id);
    if (at < base->count && base->id[at] == id) part[at] += (float)factor;
}

struct gathering {
    const struct words *words;
    struct reading *reading;
    int sentence; /* 0: a, 1: b */
    size_t count; /* number of words examined */
    float *part;
};

/* Adds a share of a feature to the words that the token covers. */
static void give(const struct gathering *to, const struct token *token, uint32_t id, double share)
{
    size_t from, end, first = to->words->first[to->sentence], dim = width(to->reading);
    words_at(to->words, to->sentence, token->from, token->to, &from, &end);
    for (size_t word = from; word < end; word++)
        if (word - first < to->count)
            add_feature(to->reading, id, share / (double)(end - from),
                        to->part + (word - first) * dim);
}

/* Splits every feature of a sentence over its occurrences, and each of those over its first and
 * last word, as pair/reasons.h does. */
static film_status gather_links(struct links *links, struct gathering *to, film_error *error)
{
    int a = to->reading->swapped ? 1 : 0, side = to->sentence ? !a : a;
    struct feature_row *row = &to->reading->side[side].row;
    const struct token *tokens = row->grams.tokens.items;
    size_t words = to->words->first[to->sentence + 1] - to->words->first[to->sentence];
    to->count = words < LINKS_WORDS ? words : LINKS_WORDS;
    size_t cells = to->count * width(to->reading);
    if (!mem_grow((void **)&links->part[to->sentence], &links->part_capacity[to->sentence],
                  cells + 1, sizeof(float)) ||
        !mem_grow((void **)&links->places, &links->places_capacity, row->count + 1,
                  sizeof *links->places))
        return status_no_memory(error);
    film_status status = feature_row_list(to->reading->encoder->features, row, error);
    if (status != FILM_OK) return status;
    to->part = links->part[to->sentence];
    memset(to->part, 0, cells * sizeof *to->part);
    feature_row_places(row, links->places);
    size_t gram = 0;
    for (int g = 0; g < GROUPS; g++) {
        const struct gram_list *list = &row->grams.group[g];
        for (size_t i = 0; i < list->count; i++, gram++) {
            uint32_t id = row->found[gram];
            if (id == STRTAB_NONE) continue;
            size_t at = feature_row_position(row, id);
            double half = 0.5 * (double)row->value[at] / links->places[at];
            give(to, &tokens[list->items[i].token], id, half);
            give(to, &tokens[list->items[i].last_token], id, half);
        }
    }
    return FILM_OK;
}

static double square_length(const struct reading *reading, int side)
{
    const struct reading_side *here = &reading->side[side];
    int mapped = word_map_exists(&reading->encoder->map);
    const float *vector = mapped ? here->vector : here->row.value;
    return vec_dot(vector, vector, mapped ? reading->encoder->dim : here->row.count);
}

static int stronger_link_first(const void *left, const void *right)
{
    const film_word_link *a = left, *b = right;
    double x = fabs(a->share), y = fabs(b->share);
    if (x != y) return x > y ? -1 : 1;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

/* Keeps the strongest links, unsorted: a new link replaces the weakest of a full list. */
static void offer(struct links *links, const film_word_link *link)
{
    size_t weakest = 0;
    if (link->share == 0) return;
    if (links->count < LINKS_MOST) {
        links->list[links->count++] = *link;
        return;
    }
    for (size_t i = 1; i < links->count; i++)
        if (stronger_link_first(&links->list[weakest], &links->list[i]) < 0) weakest = i;
    if (stronger_link_first(link, &links->list[weakest]) < 0) links->list[weakest] = *link;
}

film_status links_find(struct links *links, const struct words *words, struct reading *reading,
                       film_error *error)
{
    film_status status = FILM_OK;
    struct gathering to[2] = {{words, reading, 0, 0, NULL}, {words, reading, 1, 0, NULL}};
    size_t dim = width(reading);
    links->count = 0;
    links->sum = 0;
    TRY(gather_links(links, &to[0], error));
    TRY(gather_links(links, &to[1], error));
    double factor = 1;
    if (reading->encoder->similarity == FILM_COSINE) {
        double lengths = sqrt(square_length(reading, 0) * square_length(reading, 1));
        factor = lengths > 0 ? 1 / lengths : 0;
    }
    for (size_t i = 0; i < to[0].count; i++)
        for (size_t j = 0; j < to[1].count; j++) {
            film_word_link link = {words->first[0] + i, words->first[1] + j,
                                   factor *
                                       vec_dot(to[0].part + i * dim, to[1].part + j * dim, dim)};
            links->sum += link.share;
            offer(links, &link);
        }
    if (links->count)
        sort_array(links->list, links->count, sizeof *links->list, stronger_link_first);
done:
    return status;
}
