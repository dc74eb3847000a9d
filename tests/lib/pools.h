/* A small model and pools made with it, for tests. */
#ifndef POOLS_H
#define POOLS_H

#include "testing.h"

#include "film_pool.h"

#include <sqlite3.h>

static const char POOL_TABLE[] = "label\tquestion1\tquestion2\n"
                                 "1\tI lost my card\tmy card is lost\n"
                                 "0\tI lost my card\thow do I order a new card\n"
                                 "1\twhere is my parcel\tmy parcel has not arrived, where is it\n"
                                 "0\twhere is my parcel\twhere is my card\n"
                                 "1\tcan I pay in euro\tis it possible to pay in euro?\n"
                                 "0\tcan I pay in euro\thow do I order in euro\n";

static inline void save_model(const char *path, film_method method)
{
    film_error error;
    const char *table = scratch("train.tsv");
    film_train_options options;
    film_model *model = NULL;
    write_file(table, POOL_TABLE, strlen(POOL_TABLE));
    options = (film_train_options){.size = sizeof options};
    options.min_df = 1;
    options.rank = 5;
    options.threads = 1;
    options.method = method;
    assert_ok(film_train(&table, 1, &options, &model, &error));
    assert_ok(film_save(model, path, &error));
    film_close(model);
    unlink(table);
}

static inline void remove_pool(const char *path)
{
    char name[400];
    unlink(path);
    snprintf(name, sizeof name, "%s-wal", path);
    unlink(name);
    snprintf(name, sizeof name, "%s-shm", path);
    unlink(name);
}

/* Creates and opens an empty pool; PATH is static. */
static inline film_pool *new_pool(const char *path)
{
    film_error error;
    film_pool *pool = NULL;
    const char *model = scratch("pool.film");
    save_model(model, FILM_METHOD_SVD);
    remove_pool(path);
    assert_ok(film_pool_create(path, model, &error));
    assert_ok(film_pool_open(path, &pool, &error));
    unlink(model);
    return pool;
}

static inline film_sentence sentence(const char *id, const char *text)
{
    film_sentence made = {.text = film_string(text)};
    if (id) made.id = film_string(id);
    return made;
}

static inline void add_one(film_pool *pool, const char *id, const char *text)
{
    film_error error;
    film_sentence one = sentence(id, text);
    assert_ok(film_pool_add(pool, &one, 1, NULL, NULL, &error));
}

/* "id=text|category|answer|url|more;" for every sentence, in a static buffer. */
static inline int append_sentence(void *user, const film_sentence *s)
{
    char *out = user;
    size_t used = strlen(out);
    snprintf(out + used, 4000 - used, "%.*s=%.*s|%.*s|%.*s|%.*s|%.*s;", (int)s->id.length,
             s->id.bytes, (int)s->text.length, s->text.bytes, (int)s->category.length,
             s->category.bytes ? s->category.bytes : "", (int)s->answer.length,
             s->answer.bytes ? s->answer.bytes : "", (int)s->url.length,
             s->url.bytes ? s->url.bytes : "", (int)s->more.length,
             s->more.bytes ? s->more.bytes : "");
    return 0;
}

static inline const char *list_pool(film_pool *pool, const film_pool_filter *filter)
{
    static char out[4000];
    film_error error;
    out[0] = 0;
    assert_ok(film_pool_list(pool, filter, append_sentence, out, &error));
    return out;
}

/* Changes a pool's file with SQL, without the library. */
static inline void run_sql(const char *path, const char *sql)
{
    sqlite3 *handle = NULL;
    char *message = NULL;
    assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
    if (sqlite3_exec(handle, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    sqlite3_close(handle);
}

#endif
