/* What fuzz targets share: checks, a folder in memory, and a small model that is trained once. */
#ifndef FUZZ_H
#define FUZZ_H

#include "film_train.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(int condition)
{
    if (!condition) abort();
}

/* An execution of a search makes one of COUNT uses, which NUMBER selects (the input's length, so
 * that bytes keep their meaning); a replay makes all of them. */
static inline int chosen(size_t number, size_t count, size_t use)
{
#ifdef FUZZ_CORPUS
    (void)number, (void)count, (void)use;
    return 1;
#else
    return number % count == use;
#endif
}

/* A new folder in memory; *path has room for 100 bytes. */
static inline void memory_folder(char *path)
{
    const char *shared = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, 100, "%s/film-fuzz-XXXXXX", shared);
    require(mkdtemp(path) != NULL);
}

/* What a model knows of a word is computed when it is first met, and kept: not in the memory of an
 * execution (arena.h). */
static inline void meet_words(const film_model *model)
{
    char text[200] = "the how";
    film_context *context = NULL;
    film_verdict verdict;
    for (unsigned i = 0; i < 30; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " w%u%u", i / 6, i % 6);
    require(film_context_new(model, &context, NULL) == FILM_OK);
    require(film_match(context, film_string(text), film_string("the"), &verdict, NULL) == FILM_OK);
    film_context_free(context);
}

/* Five topics of six words; pairs of one topic are positive. One known relation of two words. */
static inline film_model *small_model(const char *folder)
{
    char rows[140], words[140];
    film_error error;
    film_model *model = NULL;
    snprintf(rows, sizeof rows, "%s/rows.tsv", folder);
    snprintf(words, sizeof words, "%s/words.txt", folder);
    FILE *file = fopen(rows, "w"), *known = fopen(words, "w");
    require(file && known);
    fputs("label\tquestion1\tquestion2\n", file);
    for (unsigned i = 0; i < 160; i++) {
        unsigned topic = i % 5, other = i % 2 ? topic : (topic + 1 + i / 7) % 5;
        fprintf(file, "%d\tw%u%u the w%u%u\thow w%u%u w%u%u\n", topic == other, topic, i / 3 % 6,
                topic, i / 5 % 6, other, i / 2 % 6, other, i / 11 % 6);
    }
    fputs("w00 = w01\nw11 ! w12\n", known);
    fclose(file);
    fclose(known);
    const char *paths[1] = {rows};
    film_train_options options = {.size = sizeof options,
                                  .dim = 4,
                                  .threads = 1,
                                  .min_df = 1,
                                  .max_features = 20,
                                  .decision = FILM_DECISION_FULL,
                                  .keep_examples = 3,
                                  .words = words};
    if (film_train(paths, 1, &options, &model, &error) != FILM_OK) puts(error.message), abort();
    unlink(rows);
    unlink(words);
    meet_words(model);
    return model;
}

#endif
