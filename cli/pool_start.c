/* film pool create --from FILE: a pool from a table alone. Trains a model without labels on the
 * sentences of the table, creates the pool and adds the rows. The pool appears when it is
 * complete. */
#include "pool.h"
#include "modules.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
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
        .size = sizeof *options, .bits = 8, .threads = threads, .progress = progress_start(quiet)};
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

/* A killed run leaves its files PATH.part-PID...: removes those of processes that have ended. */
static void remove_interrupted(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name), folder_length = slash ? (size_t)(slash - path) + 1 : 0;
    char *folder = strndup(slash ? path : "./", slash ? folder_length : 2);
    DIR *list = folder ? opendir(folder) : NULL;
    const struct dirent *entry;
    while (list && (entry = readdir(list))) {
        char *end = NULL, *file = NULL;
        if (strncmp(entry->d_name, name, length) != 0 ||
            strncmp(entry->d_name + length, ".part-", 6) != 0)
            continue;
        long process = strtol(entry->d_name + length + 6, &end, 10);
        if (process <= 0 || (*end && *end != '.' && *end != '-') || kill((pid_t)process, 0) == 0 ||
            errno != ESRCH)
            continue;
        size_t room = strlen(folder) + strlen(entry->d_name) + 1;
        if (!(file = malloc(room))) break;
        snprintf(file, room, "%s%s", folder, entry->d_name);
        if (unlink(file) == 0) fprintf(stderr, "film: removed %s of an interrupted run\n", file);
        free(file);
    }
    if (list) closedir(list);
    free(folder);
}

film_status pool_start(const struct pool_start *start, film_pool_added *added, film_error *error)
{
    size_t room = strlen(start->path) + 40;
    char *part = malloc(room), *model = malloc(room);
    film_status status = part && model ? FILM_OK : no_memory(error);
    if (status == FILM_OK && access(start->path, F_OK) == 0) {
        snprintf(error->message, sizeof error->message,
                 "%s exists already; remove it or choose another name", start->path);
        status = error->status = FILM_IO;
    }
    if (status == FILM_OK) {
        remove_interrupted(start->path);
        snprintf(part, room, "%s.part-%ld", start->path, (long)getpid());
        snprintf(model, room, "%s.model", part);
        status = train_without_labels(start, model, error);
        if (status == FILM_OK) status = fill_pool(start, part, model, added, error);
        if (status == FILM_OK) status = publish_pool(part, start->path, error);
        unlink(part);
        unlink(model);
    }
    free(part);
    free(model);
    return status;
}
