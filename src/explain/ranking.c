/* Top-k lists of words and dimensions, and their JSON. base/topk.c keeps the k best. */
#include "explain/ranking.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "text/value.h"

#include <math.h>
#include <string.h>

film_status ranking_init(struct ranking *ranking, size_t most, film_error *error)
{
    film_status status = FILM_OK;
    memset(ranking, 0, sizeof *ranking);
    TRY_ALLOC(ranking->score = mem_array(most, sizeof *ranking->score), error);
    TRY_ALLOC(ranking->id = mem_array(most, sizeof *ranking->id), error);
    ranking->top = topk_over(ranking->score, ranking->id, most);
done:
    if (status != FILM_OK) ranking_free(ranking);
    return status;
}

void ranking_free(struct ranking *ranking)
{
    mem_free(ranking->score);
    mem_free(ranking->id);
    memset(ranking, 0, sizeof *ranking);
}

void ranking_words(const struct features *features, uint32_t *first, uint32_t *end)
{
    int group = GROUP_WORD;
    while (group < GROUPS - 1 && features->first[group] == features->first[group + 1]) group++;
    *first = features->first[group];
    *end = features->first[group + 1];
}

film_text ranking_name(const struct features *features, uint32_t id)
{
    film_text name = features_name(features, id);
    return utf8_valid(name.bytes, name.length, NULL) ? name : value_of("\xef\xbf\xbd");
}

void ranking_write_words(struct ranking *ranking, const struct features *features, const char *key,
                         double sign, struct writer *to)
{
    topk_finish(&ranking->top);
    writer_open(to, '[');
    for (size_t i = 0; i < ranking->top.count; i++) {
        writer_open(to, '{');
        writer_key(to, "text");
        writer_text(to, ranking_name(features, ranking->id[i]));
        writer_key(to, key);
        writer_weight(to, sign * (double)ranking->score[i]);
        writer_close(to, '}');
    }
    writer_close(to, ']');
}

film_status ranking_write_dimensions(const float *weight, size_t stride, size_t count, size_t most,
                                     struct writer *to, film_error *error)
{
    film_status status = FILM_OK;
    struct ranking ranking;
    TRY(ranking_init(&ranking, most, error));
    for (size_t i = 0; i < count; i++)
        topk_offer(&ranking.top, fabsf(weight[i * stride]), (uint32_t)i);
    topk_finish(&ranking.top);
    writer_open(to, '[');
    for (size_t i = 0; i < ranking.top.count; i++) {
        writer_open(to, '{');
        writer_key(to, "dimension");
        writer_count(to, ranking.id[i]);
        writer_key(to, "weight");
        writer_weight(to, (double)weight[ranking.id[i] * stride]);
        writer_close(to, '}');
    }
    writer_close(to, ']');
    ranking_free(&ranking);
done:
    return status;
}
