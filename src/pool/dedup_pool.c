/* film_pool_dedup: converts the sentences and labels of a pool to records (dedup/record_set.h).
 * src/dedup finds the duplicates; it knows neither pools nor SQLite. */
#include "base/jsonfile.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "dedup/dedup.h"
#include "dedup/row_fields.h"
#include "pool/pool.h"
#include "text/value.h"

#include <jansson.h>
#include <string.h>

struct pooled {
    struct record_set *set;
    int64_t *numbers; /* of the records, ascending */
    size_t capacity;
    film_status status;
    film_error *error;
};

/* ---- Other fields ---- */

enum { FIELD_CATEGORY, FIELD_ANSWER, FIELD_URL, FIELD_MORE };

static film_text field_of(const film_sentence *fields, size_t column)
{
    return column == FIELD_CATEGORY ? fields->category
           : column == FIELD_ANSWER ? fields->answer
                                    : fields->url;
}

/* The fields that any sentence has. */
struct field_names {
    struct strtab more;
    int used[FIELD_MORE];
    film_status status;
    film_error *error;
};

static int see_fields(void *user, const struct store_sentence *sentence)
{
    struct field_names *names = user;
    const film_sentence *fields = &sentence->fields;
    const char *key;
    json_t *value, *more;
    uint32_t ignored;
    names->status = row_fields_load(fields->more, &more, names->error);
    for (size_t i = 0; i < FIELD_MORE; i++) names->used[i] |= field_of(fields, i).length > 0;
    json_object_foreach(more, key, value)
    {
        names->status = strtab_add(&names->more, key, strlen(key), &ignored, names->error);
        if (names->status != FILM_OK) break;
    }
    json_decref(more);
    return names->status != FILM_OK;
}

static film_status find_fields(struct others *others, struct db *db, film_error *error)
{
    static const char *const own[] = {"category", "answer", "url"};
    film_status status = FILM_OK;
    struct field_names names = {.error = error};
    TRY(strtab_init(&names.more, error));
    TRY(store_each(db, NULL, see_fields, &names, error));
    TRY(names.status);
    for (size_t i = 0; i < FIELD_MORE; i++)
        if (names.used[i]) TRY(others_add(others, value_of(own[i]), i, error));
    for (uint32_t i = 0; i < names.more.count; i++)
        TRY(others_add(others, strtab_get(&names.more, i), FIELD_MORE, error));
done:
    strtab_free(&names.more);
    return status;
}

/* Packs the id of a sentence with its other fields. Values that are not strings become JSON. */
static film_status pack_fields(struct others *others, const film_sentence *fields,
                               film_text *packed, film_error *error)
{
    film_status status = FILM_OK;
    json_t *more = NULL;
    char **made = NULL;
    *packed = fields->id;
    if (others->count == 0) return FILM_OK;
    TRY_ALLOC(made = mem_zeroed(others->count, sizeof *made), error);
    TRY(row_fields_load(fields->more, &more, error));
    for (size_t i = 0; i < others->count; i++) {
        film_text name = others->names[i], *value = &others->values[i];
        *value = others->column[i] < FIELD_MORE ? field_of(fields, others->column[i])
                                                : (film_text){NULL, 0};
        if (others->column[i] < FIELD_MORE) continue;
        const json_t *found = json_object_getn(more, name.bytes, name.length);
        if (json_is_string(found))
            *value = (film_text){json_string_value(found), json_string_length(found)};
        else if (found) {
            TRY_ALLOC(made[i] = row_fields_dump(found), error);
            *value = value_of(made[i]);
        }
    }
    TRY(others_pack(others, fields->id, others->values, packed, error));
done:
    for (size_t i = 0; made && i < others->count; i++) jsonfile_free_text(made[i]);
    mem_free(made);
    json_decref(more);
    return status;
}

/* ---- Sentences ---- */

static int add_sentence(void *user, const struct store_sentence *sentence)
{
    struct pooled *pooled = user;
    const film_sentence *fields = &sentence->fields;
    struct record_set *set = pooled->set;
    void *numbers = pooled->numbers;
    film_text packed;
    int grown = mem_grow(&numbers, &pooled->capacity, set->count + 1, sizeof *pooled->numbers);
    pooled->numbers = numbers;
    pooled->status = grown ? FILM_OK : status_no_memory(pooled->error);
    if (!grown) return 1;
    pooled->numbers[set->count] = sentence->number;
    pooled->status = pack_fields(&set->others, fields, &packed, pooled->error);
    if (pooled->status == FILM_OK)
        pooled->status = record_set_add(set, packed, fields->text, pooled->error);
    return pooled->status != FILM_OK;
}

/* Returns the record of a sentence, or count when there is none, as in a damaged pool. */
static size_t record_position(const struct pooled *pooled, int64_t number)
{
    size_t low = 0, high = pooled->set->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pooled->numbers[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    int found = low < pooled->set->count && pooled->numbers[low] == number;
    return found ? low : pooled->set->count;
}

static film_status read_labels(struct pooled *pooled, struct db *db, film_error *error)
{
    static const char sql[] = "SELECT a, b, same FROM label WHERE " STORE_LABELLED " ORDER BY a, b";
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL;
    int row;
    TRY(db_prepare(db, sql, &statement, error));
    for (;;) {
        TRY(db_step(db, statement, &row, error));
        if (!row) break;
        size_t a = record_position(pooled, sqlite3_column_int64(statement, 0));
        size_t b = record_position(pooled, sqlite3_column_int64(statement, 1));
        if (a < pooled->set->count && b < pooled->set->count)
            TRY(record_set_label(pooled->set, a, b, sqlite3_column_int(statement, 2), error));
    }
done:
    if (statement) sqlite3_reset(statement);
    return status;
}

/* Representatives that a person chose (cluster_edit.c). Numbers ascend with the padded names. */
static film_status read_representatives(struct pooled *pooled, struct db *db, film_error *error)
{
    static const char sql[] = "SELECT CAST(substr(name, 16) AS INTEGER), CAST(value AS INTEGER)"
                              " FROM setting WHERE name GLOB 'representative:*' ORDER BY name";
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL;
    int row;
    TRY(db_prepare(db, sql, &statement, error));
    for (;;) {
        TRY(db_step(db, statement, &row, error));
        if (!row) break;
        size_t at = record_position(pooled, sqlite3_column_int64(statement, 0));
        int64_t rank = sqlite3_column_int64(statement, 1);
        if (at < pooled->set->count && rank > 0)
            TRY(record_set_choose(pooled->set, at, (uint64_t)rank, error));
    }
done:
    if (statement) sqlite3_reset(statement);
    return status;
}

/* Reads all sentences and labels of a pool, in one transaction. */
static film_status read_pool_records(struct record_set *set, film_pool *pool,
                                     const film_progress *progress, film_error *error)
{
    film_status status = FILM_OK;
    struct pooled pooled = {.set = set, .error = error};
    struct db *db = NULL;
    TRY(pool_read(pool, &db, error));
    db->progress = progress;
    db->phase = "reading";
    if (set->keeps_others) TRY(find_fields(&set->others, db, error));
    TRY(store_each(db, NULL, add_sentence, &pooled, error));
    TRY(pooled.status);
    TRY(read_labels(&pooled, db, error));
    TRY(read_representatives(&pooled, db, error));
done:
    pool_read_end(pool, db);
    mem_free(pooled.numbers);
    return status;
}

static film_status stored_threshold(film_pool *pool, double *threshold, film_error *error)
{
    struct db *db = NULL;
    film_status status = pool_read(pool, &db, error);
    if (status == FILM_OK) status = pool_stored_threshold(db, threshold, error);
    pool_read_end(pool, db);
    return status;
}

film_status film_pool_dedup(film_pool *pool, const film_dedup_options *options,
                            film_dedup_result *result, film_error *error)
{
    film_status status = FILM_OK;
    const film_model *model = NULL;
    struct dedup_call call;
    status = dedup_call_start(&call, options, result, error);
    if (status != FILM_OK) return status;
    if (!pool) TRY(pool_missing(error, "pool"));
    TRY(film_pool_model(pool, &model, error));
    call.set.keeps_others = call.options.columns != NULL;
    if (call.options.threshold == 0) TRY(stored_threshold(pool, &call.options.threshold, error));
    TRY(read_pool_records(&call.set, pool, &call.options.progress, error));
    dedup_call_columns(&call);
    TRY(dedup_run(&call.set, model, &call.options, &call.result, error));
done:
    return dedup_call_end(&call, status, result);
}
