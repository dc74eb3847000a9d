/* film_pool_export: writes a table from which film_pool_add_files restores the same pool. Labels
 * are a table of their own (film_pool_export_labels).
 *
 * The five columns of the pool are always present, used or not: without "category", a reader would
 * search for another name with this meaning. */
#include "base/mem.h"
#include "base/jsonfile.h"
#include "base/strtab.h"
#include "dedup/row_fields.h"
#include "pool/pool.h"
#include "text/format.h"
#include "text/value.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct export
{
    film_output *output;
    enum record_format format;
    struct strtab names; /* of further columns, in the order of first appearance */
    const film_progress *progress;
    double total;
    uint64_t written;
    film_status status;
    film_error *error;
};

/* ---- Fields ---- */

static film_status write_bytes(struct export *export, const char *bytes, size_t count)
{
    return film_output_write(export->output, bytes, count, export->error);
}

static film_status put_csv(struct export *export, film_text text)
{
    film_status status = FILM_OK;
    int plain = text.length == 0 || (text.bytes[0] != ' ' && text.bytes[text.length - 1] != ' ');
    for (size_t i = 0; i < text.length; i++)
        if (strchr(",\"\n\r\t", text.bytes[i])) plain = 0;
    if (plain) return write_bytes(export, text.bytes, text.length);
    TRY(write_bytes(export, "\"", 1));
    for (size_t i = 0; i < text.length; i++)
        TRY(write_bytes(export, text.bytes[i] == '"' ? "\"\"" : &text.bytes[i],
                        text.bytes[i] == '"' ? 2 : 1));
    TRY(write_bytes(export, "\"", 1));
done:
    return status;
}

static film_status put_field(struct export *export, film_text text, film_text id)
{
    char shown[VALUE_SHOWN];
    if (export->format == RECORD_CSV) return put_csv(export, text);
    for (size_t i = 0; i < text.length; i++)
        if (strchr("\t\n\r", text.bytes[i]))
            return status_set(export->error, FILM_BAD_INPUT,
                              "sentence \"%s\" contains a tab or line end, which TSV cannot store; "
                              "use format csv or jsonl",
                              value_show(id, shown));
    return write_bytes(export, text.bytes, text.length);
}

/* A value of `more`: strings unchanged, all others as JSON. */
static film_status put_value(struct export *export, const json_t *value, film_text id)
{
    if (!value) return FILM_OK;
    if (json_is_string(value))
        return put_field(export, (film_text){json_string_value(value), json_string_length(value)},
                         id);
    char *text = row_fields_dump(value);
    if (!text) return status_no_memory(export->error);
    film_status status = put_field(export, value_of(text), id);
    jsonfile_free_text(text);
    return status;
}

/* ---- Rows ---- */

static film_status put_row(struct export *export, const film_sentence *sentence)
{
    film_status status = FILM_OK;
    const char *separator = export->format == RECORD_CSV ? "," : "\t";
    const film_text columns[] = {sentence->id, sentence->text, sentence->category, sentence->answer,
                                 sentence->url};
    json_t *more = NULL;
    TRY(row_fields_load(sentence->more, &more, export->error));
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        if (i) TRY(write_bytes(export, separator, 1));
        TRY(put_field(export, columns[i], sentence->id));
    }
    for (uint32_t i = 0; i < export->names.count; i++) {
        film_text name = strtab_get(&export->names, i);
        TRY(write_bytes(export, separator, 1));
        TRY(put_value(export, json_object_getn(more, name.bytes, name.length), sentence->id));
    }
    TRY(write_bytes(export, "\n", 1));
done:
    json_decref(more);
    return status;
}

/* Returns 0 when out of memory. */
static int set_member(json_t *row, const char *name, film_text text)
{
    return jsonfile_put(row, name,
                        text.bytes ? json_stringn(text.bytes, text.length) : json_null()) == 0;
}

static film_status put_sentence_json(struct export *export, const film_sentence *sentence)
{
    film_status status = FILM_OK;
    char *text = NULL;
    json_t *more = NULL, *row = json_object();
    TRY_ALLOC(row, export->error);
    TRY_ALLOC(set_member(row, "id", sentence->id) && set_member(row, "text", sentence->text) &&
                  set_member(row, "category", sentence->category),
              export->error);
    /* No other name means these two: they are omitted when empty. */
    if (sentence->answer.bytes)
        TRY_ALLOC(set_member(row, "answer", sentence->answer), export->error);
    if (sentence->url.bytes) TRY_ALLOC(set_member(row, "url", sentence->url), export->error);
    TRY(row_fields_load(sentence->more, &more, export->error));
    if (more) TRY_ALLOC(json_object_update_missing(row, more) == 0, export->error);
    TRY_ALLOC(text = row_fields_dump(row), export->error);
    TRY(write_bytes(export, text, strlen(text)));
    TRY(write_bytes(export, "\n", 1));
done:
    jsonfile_free_text(text);
    json_decref(more);
    json_decref(row);
    return status;
}

static int export_one(void *user, const struct store_sentence *sentence)
{
    struct export *export = user;
    export->status = export->format == RECORD_JSONL ? put_sentence_json(export, &sentence->fields)
                                                    : put_row(export, &sentence->fields);
    if (export->status == FILM_OK && ++export->written % 1024 == 0)
        export->status = progress_report(export->progress, "exporting", (double)export->written,
                                         export->total, export->error);
    return export->status != FILM_OK;
}

/* ---- Header ---- */

static int collect_names(void *user, const struct store_sentence *sentence)
{
    struct export *export = user;
    const char *key;
    json_t *value, *more;
    uint32_t ignored;
    export->status = row_fields_load(sentence->fields.more, &more, export->error);
    json_object_foreach(more, key, value)
    {
        export->status = strtab_add(&export->names, key, strlen(key), &ignored, export->error);
        if (export->status != FILM_OK) break;
    }
    json_decref(more);
    return export->status != FILM_OK;
}

static film_status put_header(struct export *export, struct db *db)
{
    film_status status = FILM_OK;
    static const char *const own[] = {"id", "text", "category", "answer", "url"};
    const char *separator = export->format == RECORD_CSV ? "," : "\t";
    const film_text none = {"(header)", 8};
    if (export->format == RECORD_JSONL) return FILM_OK;
    TRY(store_each(db, NULL, collect_names, export, export->error));
    TRY(export->status);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (i) TRY(write_bytes(export, separator, 1));
        TRY(write_bytes(export, own[i], strlen(own[i])));
    }
    for (uint32_t i = 0; i < export->names.count; i++) {
        TRY(write_bytes(export, separator, 1));
        TRY(put_field(export, strtab_get(&export->names, i), none));
    }
    TRY(write_bytes(export, "\n", 1));
done:
    return status;
}

/* ---- Run ---- */

static int has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

static film_status choose_format(const char *path, film_format format, enum record_format *out,
                                 film_error *error)
{
    if (format == FILM_FORMAT_AUTO)
        *out = has_ending(path, ".csv")     ? RECORD_CSV
               : has_ending(path, ".jsonl") ? RECORD_JSONL
                                            : RECORD_TSV;
    else if (format == FILM_FORMAT_TSV || format == FILM_FORMAT_CSV || format == FILM_FORMAT_JSONL)
        *out = format_of(format);
    else
        return status_set(error, FILM_USAGE,
                          "a pool cannot be exported as %s; use format tsv, csv or jsonl",
                          film_format_name(format));
    return FILM_OK;
}

film_status film_pool_export(film_pool *pool, const char *path, film_format format,
                             const film_progress *progress, uint64_t *written, film_error *error)
{
    film_status status = FILM_OK;
    struct export export = {.progress = progress, .error = error};
    struct db *db = NULL;
    int64_t total;
    if (!pool || !path) return pool_missing(error, pool ? "path" : "pool");
    TRY(choose_format(path, format, &export.format, error));
    TRY(strtab_init(&export.names, error));
    TRY(pool_read(pool, &db, error));
    db->progress = progress;
    db->phase = "exporting";
    TRY(db_number(db, "SELECT count(*) FROM sentence", &total, error));
    db->total = export.total = (double)total;
    TRY(film_output_open(path, &export.output, error));
    TRY(put_header(&export, db));
    TRY(store_each(db, NULL, export_one, &export, error));
    TRY(export.status);
    film_output *output = export.output;
    export.output = NULL;
    TRY(film_output_commit(output, error));
    if (written) *written = export.written;
done:
    film_output_discard(export.output);
    pool_read_end(pool, db);
    strtab_free(&export.names);
    return status;
}

/* ---- Labels ---- */

static const char *const label_columns[] = {"same",   "id_a", "id_b",  "text_a",
                                            "text_b", "when", "origin"};
enum { LABEL_COLUMNS = sizeof label_columns / sizeof *label_columns };

static film_status put_label_json(struct export *export, const film_text *columns)
{
    film_status status = FILM_OK;
    char *text = NULL;
    json_t *row = json_object();
    TRY_ALLOC(row, export->error);
    TRY_ALLOC(jsonfile_put(row, label_columns[0], json_boolean(columns[0].bytes[0] == 'y')) == 0,
              export->error);
    for (int i = 1; i < LABEL_COLUMNS; i++)
        TRY_ALLOC(set_member(row, label_columns[i], columns[i]), export->error);
    TRY_ALLOC(text = row_fields_dump(row), export->error);
    TRY(write_bytes(export, text, strlen(text)));
    TRY(write_bytes(export, "\n", 1));
done:
    jsonfile_free_text(text);
    json_decref(row);
    return status;
}

static film_status put_columns(struct export *export, const film_text *columns)
{
    film_status status = FILM_OK;
    for (int i = 0; i < LABEL_COLUMNS; i++) {
        if (i) TRY(write_bytes(export, export->format == RECORD_CSV ? "," : "\t", 1));
        TRY(put_field(export, columns[i], columns[1]));
    }
    TRY(write_bytes(export, "\n", 1));
done:
    return status;
}

static film_status put_labels(struct export *export, struct db *db)
{
    static const char sql[] =
        "SELECT l.same, a.id, b.id, a.text, b.text, l.made, l.origin"
        " FROM label l JOIN sentence a ON a.number = l.a"
        " JOIN sentence b ON b.number = l.b WHERE l." STORE_LABELLED " ORDER BY l.a, l.b";
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL;
    film_text columns[LABEL_COLUMNS];
    int row;
    for (int i = 0; i < LABEL_COLUMNS; i++) columns[i] = value_of(label_columns[i]);
    if (export->format != RECORD_JSONL) TRY(put_columns(export, columns));
    TRY(db_prepare(db, sql, &statement, export->error));
    for (;;) {
        TRY(db_step(db, statement, &row, export->error));
        if (!row) break;
        columns[0] = value_of(sqlite3_column_int(statement, 0) ? "yes" : "no");
        for (int i = 1; i < LABEL_COLUMNS; i++) columns[i] = db_text(statement, i);
        TRY(db_row_read(db, export->error));
        TRY((export->format == RECORD_JSONL ? put_label_json : put_columns)(export, columns));
        export->written++;
    }
done:
    if (statement) sqlite3_reset(statement);
    return status;
}

film_status film_pool_export_labels(film_pool *pool, const char *path, film_format format,
                                    uint64_t *written, film_error *error)
{
    film_status status = FILM_OK;
    struct export export = {.error = error};
    struct db *db = NULL;
    if (!pool || !path) return pool_missing(error, pool ? "path" : "pool");
    TRY(choose_format(path, format, &export.format, error));
    TRY(pool_read(pool, &db, error));
    TRY(film_output_open(path, &export.output, error));
    TRY(put_labels(&export, db));
    film_output *output = export.output;
    export.output = NULL;
    TRY(film_output_commit(output, error));
    if (written) *written = export.written;
done:
    film_output_discard(export.output);
    pool_read_end(pool, db);
    return status;
}
