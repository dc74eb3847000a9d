/* Adds a user's own words to an open model. Training does the same in train/known_words.c. */
#include "base/mem.h"
#include "model/model.h"
#include "text/relations_read.h"
#include "text/source.h"

#include <string.h>

film_status model_add_words(film_model *model, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    struct relations_builder builder = {.pairs = NULL};
    struct relations all;
    struct source *source = NULL;
    size_t count = model->relations.words.count;
    unsigned char *wanted = mem_array(count + 1, 1);
    TRY_ALLOC(wanted, error);
    memset(wanted, 1, count + 1);
    TRY(relations_builder_init(&builder, error));
    if (count) TRY(relations_add_table(&builder, &model->relations, wanted, error));
    TRY(source_open(path, &source, error));
    TRY(relations_read(&builder, source, error));
    TRY(relations_build(&builder, &all, error));
    relations_free(&model->relations);
    model->relations = all;
    model->encoder.relations = all.words.count ? &model->relations : NULL;
    TRY(lexicon_renew(&model->features, model->encoder.relations, error));
done:
    relations_builder_free(&builder);
    mem_free(wanted);
    return status;
}
