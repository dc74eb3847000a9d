/* film pool create --from FILE: a pool from a table alone. Trains a model without labels on the
 * sentences of the table, creates the pool and adds the rows. The pool appears when it is
 * complete. */
#include "pool.h"
#include "modules.h"
#include "server/private_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct train_calls *prepare_training(film_train_options *options, int threads, int quiet,
                                           char language[PATH_MAX], film_error *error)
{
    const struct train_calls *calls = load_train_calls(error);
    if (!calls) return NULL;
    calls->register_encoders();
    *options = (film_train_options){
        .size = sizeof *options, .threads = threads, .progress = progress_start(quiet)};
    if (find_data("english.words", language)) options->language = language;
    return calls;
}

struct sentence_list {
    film_text *list;
    size_t count, capacity;
};

static film_status keep_text(struct sentence_list *texts, film_text text, film_error *error)
{
    if (texts->count == texts->capacity) {
        size_t larger = 2 * texts->capacity + 1024;
        film_text *list = realloc(texts->list, larger * sizeof *list);
        if (!list) return no_memory(error);
        texts->list = list;
        texts->capacity = larger;
    }
    char *copy = malloc(text.length + 1);
    if (!copy) return no_memory(error);
    memcpy(copy, text.bytes, text.length);
    texts->list[texts->count++] = (film_text){copy, text.length};
    return FILM_OK;
}

static void free_texts(struct sentence_list *texts)
{
    for (size_t i = 0; i < texts->count; i++) free((char *)(uintptr_t)texts->list[i].bytes);
    free(texts->list);
}

static film_status read_texts(const struct pool_start *start, struct sentence_list *texts,
                              film_error *error)
{
    film_table *table = NULL;
    film_row row;
    film_status status = film_table_open(start->from, &start->table, &table, error);
    while (status == FILM_OK && (status = film_table_next(table, &row, error)) == FILM_OK)
        if (row.a.bytes && row.a.length) status = keep_text(texts, row.a, error);
    film_table_close(table);
    if (status == FILM_END) status = FILM_OK;
    if (status == FILM_OK && texts->count == 0) {
        snprintf(error->message, sizeof error->message,
                 "%s has no sentences; name their column text, or choose it with --columns",
                 start->from);
        status = error->status = FILM_BAD_INPUT;
    }
    return status;
}

/* Trains on the sentences and saves the model. */
static film_status train_without_labels(const struct pool_start *start, const char *model_path,
                                        film_error *error)
{
    struct sentence_list texts = {.list = NULL};
    char language[PATH_MAX];
    film_train_options options;
    film_model *model = NULL;
    film_status status = read_texts(start, &texts, error);
    const struct train_calls *calls = NULL;
    if (status == FILM_OK) {
        calls = prepare_training(&options, start->threads, start->quiet, language, error);
        if (!calls) status = FILM_IO;
    }
    if (calls) {
        options.sentences = texts.list;
        options.sentence_count = texts.count;
        options.start = start->start;
        status = calls->train(NULL, 0, &options, &model, error);
    }
    if (status == FILM_OK) status = film_save(model, model_path, error);
    film_close(model);
    free_texts(&texts);
    return status;
}

/* Creates the pool PATH and adds the rows of the table. */
static film_status fill_pool(const struct pool_start *start, const char *path,
                             const char *model_path, film_pool_added *added, film_error *error)
{
    film_pool *pool = NULL;
    film_pool_add_options how = {.size = sizeof how,
                                 .table = start->table,
                                 .threads = start->threads,
                                 .progress = progress_start(start->quiet)};
    film_status status = film_pool_create(path, model_path, error);
    if (status == FILM_OK) status = film_pool_open(path, &pool, error);
    if (status == FILM_OK) status = film_pool_add_files(pool, &start->from, 1, &how, added, error);
    film_pool_close(pool); /* the log is part of the file afterwards */
    return status;
}

static film_status publish_pool(const char *part, const char *path, film_error *error)
{
    if (link(part, path) == 0) return FILM_OK;
    snprintf(error->message, sizeof error->message, "cannot create %s: %s", path, strerror(errno));
    return error->status = FILM_IO;
}

/* A killed run leaves its folder next to the pool: removes those of processes that have ended. */
static void remove_interrupted(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t before = slash ? (size_t)(slash - path) + 1 : 0;
    char *folder = strndup(slash ? path : "./", slash ? before : 2);
    DIR *list = folder ? opendir(folder) : NULL;
    const struct dirent *entry;
    while (list && (entry = readdir(list))) {
        size_t room = before + strlen(entry->d_name) + 1;
        char *found = malloc(room);
        if (!found) break;
        snprintf(found, room, "%.*s%s", (int)before, path, entry->d_name);
        if (private_file_leftover(found, path) && private_folder_remove(found))
            print_clean(stderr, "film: removed %s of an interrupted run\n", found);
        free(found);
    }
    if (list) closedir(list);
    free(folder);
}

/* The pool is made in a folder of its own next to PATH: nobody can put a link in its place. */
static film_status make_pool(const struct pool_start *start, film_pool_added *added,
                             film_error *error)
{
    struct private_file model;
    film_status status = private_file_beside(&model, start->path, "model.film", error);
    if (status != FILM_OK) return status;
    size_t room = strlen(model.folder) + sizeof "/pool";
    char *pool = malloc(room);
    if (pool)
        snprintf(pool, room, "%s/pool", model.folder);
    else
        status = no_memory(error);
    if (status == FILM_OK) status = train_without_labels(start, model.path, error);
    if (status == FILM_OK) status = fill_pool(start, pool, model.path, added, error);
    if (status == FILM_OK) status = publish_pool(pool, start->path, error);
    free(pool);
    private_file_remove(&model);
    return status;
}

film_status pool_start(const struct pool_start *start, film_pool_added *added, film_error *error)
{
    if (access(start->path, F_OK) == 0) {
        snprintf(error->message, sizeof error->message,
                 "%s exists already; remove it or choose another name", start->path);
        return error->status = FILM_IO;
    }
    remove_interrupted(start->path);
    return make_pool(start, added, error);
}
