/* Adds sentences to a pool in batches. A batch is looked up and embedded without a lock, so that
 * several processes can work in parallel, and then written in one transaction.
 *
 * Nothing is stored to resume after a crash: an id that exists with the same text is skipped, and
 * a row without an id gets one derived from its text. Reading the file again up to the last batch
 * costs one lookup per row and no embedding. */
#include "base/mem.h"
#include "base/sized.h"
#include "pool/batch.h"
#include "dedup/row_fields.h"
#include "pool/pool.h"
#include "text/table.h"
#include "text/value.h"

#include <stdio.h>
#include <string.h>

/* Long texts make smaller batches. */
enum { ROWS = 4096, BATCH_BYTES = 16 << 20, SENTENCE_BYTES = 65536 };

struct adding {
    film_pool *pool;
    struct pool_learned *learned; /* the model that the vectors are made with */
    const film_pool_add_options *options;
    const char *file; /* for messages; NULL: an array of the caller */
    film_pool_added *added;
    struct batch batch;
    film_text *texts; /* of the rows to embed */
    size_t *place;    /* row -> its vector, or NOWHERE */
    float *vectors;
    size_t texts_capacity, place_capacity, vectors_capacity;
    double share; /* fraction of the input that was read, for progress */
};
#define NOWHERE SIZE_MAX

static void adding_free(struct adding *adding)
{
    batch_free(&adding->batch);
    mem_free(adding->texts);
    mem_free(adding->place);
    mem_free(adding->vectors);
}

static int same_text(film_text a, film_text b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

static int same_fields(const film_sentence *a, const film_sentence *b)
{
    return same_text(a->category, b->category) && same_text(a->answer, b->answer) &&
           same_text(a->url, b->url) && same_text(a->more, b->more);
}

/* ---- Vectors ---- */

static film_status reserve_vectors(struct adding *adding, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = adding->batch.count;
    void *texts = adding->texts, *place = adding->place, *vectors = adding->vectors;
    TRY_ALLOC(mem_grow(&texts, &adding->texts_capacity, count, sizeof *adding->texts), error);
    adding->texts = texts;
    TRY_ALLOC(mem_grow(&place, &adding->place_capacity, count, sizeof *adding->place), error);
    adding->place = place;
    /* One more, for sentence_vector. */
    TRY_ALLOC(mem_grow(&vectors, &adding->vectors_capacity, (count + 1) * adding->learned->dim + 1,
                       sizeof(float)),
              error);
    adding->vectors = vectors;
done:
    return status;
}

/* Embeds the rows that are not in the pool in this form. Concurrent additions and removals are
 * checked again when the batch is written. */
static film_status embed_new(struct adding *adding, film_error *error)
{
    film_status status = FILM_OK;
    struct db *db = NULL;
    size_t count = 0;
    TRY(pool_read(adding->pool, &db, error));
    TRY(pool_learned(adding->pool, db, &adding->learned, error));
    TRY(reserve_vectors(adding, error));
    for (size_t i = 0; i < adding->batch.count; i++) {
        struct store_sentence there;
        int found;
        TRY(store_find(db, adding->batch.rows[i].id, &there, &found, error));
        int known = found && same_text(there.fields.text, adding->batch.rows[i].text);
        adding->place[i] = known ? NOWHERE : count;
        if (!known) adding->texts[count++] = adding->batch.rows[i].text;
    }
    pool_read_end(adding->pool, db);
    db = NULL;
    TRY(encoder_embed_all(&adding->learned->model->encoder, adding->texts, count,
                          adding->options->threads, adding->vectors, error));
done:
    pool_read_end(adding->pool, db);
    return status;
}

/* Returns the vector of row I; computes it now if the row was expected to be in the pool. */
static film_status sentence_vector(struct adding *adding, size_t i, float **vector,
                                   film_error *error)
{
    if (adding->place[i] != NOWHERE) {
        *vector = adding->vectors + adding->place[i] * adding->learned->dim;
        return FILM_OK;
    }
    *vector = adding->vectors + adding->batch.count * adding->learned->dim;
    return encoder_embed_all(&adding->learned->model->encoder, &adding->batch.rows[i].text, 1, 1,
                             *vector, error);
}

/* ---- Writing ---- */

static film_status conflict(const struct adding *adding, size_t i, film_text there,
                            film_error *error)
{
    char id[VALUE_SHOWN], text[VALUE_SHOWN], where[600];
    unsigned long long line = adding->batch.lines[i];
    if (adding->file)
        snprintf(where, sizeof where, "%.500s:%llu", adding->file, line);
    else
        snprintf(where, sizeof where, "sentence %llu", line);
    return status_set(error, FILM_BAD_INPUT,
                      "%s: id \"%s\" is in the pool with a different text (\"%s\"); replace "
                      "existing sentences or choose another id",
                      where, value_show(adding->batch.rows[i].id, id), value_show(there, text));
}

static film_status write_row(struct adding *adding, struct store_write *write, size_t i,
                             film_pool_added *added, film_error *error)
{
    film_status status = FILM_OK;
    const film_sentence *row = &adding->batch.rows[i];
    struct store_sentence there;
    float *vector;
    int found;
    TRY(store_find(write->db, row->id, &there, &found, error));
    if (!found) {
        TRY(sentence_vector(adding, i, &vector, error));
        TRY(store_insert(write, row, vector, adding->learned->dim, error));
        added->added++;
        goto done;
    }
    int text = same_text(there.fields.text, row->text), fields = same_fields(&there.fields, row);
    if (text && (fields || !adding->options->replace)) {
        added->present++;
        added->differ += !fields;
        goto done;
    }
    if (!adding->options->replace) TRY(conflict(adding, i, there.fields.text, error));
    TRY(sentence_vector(adding, i, &vector, error));
    TRY(store_replace(write, there.number, row, vector, adding->learned->dim, error));
    added->replaced++;
done:
    return status;
}

/* Writes the batch, all or nothing; updates the counts after the commit. */
static film_status write_sentences(struct adding *adding, film_error *error)
{
    film_status status = FILM_OK;
    struct store_write write;
    int writing = 0;
    film_pool_added added = *adding->added;
    if (adding->batch.count == 0) return FILM_OK;
    for (int current = 0; !current;) { /* again, when the model was replaced in between */
        if (writing) pool_write_end(adding->pool);
        writing = 0;
        TRY(embed_new(adding, error));
        TRY(pool_write(adding->pool, &adding->options->progress, "adding", adding->share, &write,
                       error));
        writing = 1;
        TRY(pool_is_current(write.db, adding->learned, &current, error));
    }
    for (size_t i = 0; i < adding->batch.count; i++)
        TRY(write_row(adding, &write, i, &added, error));
    TRY(pool_commit(adding->pool, &write, error));
    *adding->added = added;
done:
    if (writing) pool_write_end(adding->pool);
    batch_clear(&adding->batch);
    return status;
}

/* Checks that a sentence can be stored. */
static film_status check_sentence(const struct adding *adding, const film_sentence *sentence,
                                  const char *where, film_error *error)
{
    if (sentence->text.length > adding->options->max_sentence)
        return status_set(error, FILM_BAD_INPUT,
                          "%sthe text has %zu bytes, at most %zu are allowed", where,
                          sentence->text.length, adding->options->max_sentence);
    return row_fields_check(sentence, where, error);
}

/* ---- Arrays of the caller ---- */

static film_status add_all(struct adding *adding, const film_sentence *sentences, size_t count,
                           film_error *error)
{
    film_status status = FILM_OK;
    char where[60];
    for (size_t i = 0; i < count; i++) {
        film_sentence row = sentences[i];
        row.id = row_fields_or_none(row.id);
        row.category = row_fields_or_none(row.category);
        row.answer = row_fields_or_none(row.answer);
        row.url = row_fields_or_none(row.url);
        row.more = row_fields_or_none(row.more);
        snprintf(where, sizeof where, "sentence %zu: ", i + 1);
        TRY(check_sentence(adding, &row, where, error));
        TRY(row_fields_check_more(row.more, where, error));
        TRY(batch_add(&adding->batch, &row, i + 1, error));
    }
    TRY(write_sentences(adding, error));
done:
    return status;
}

/* Reads the options of the caller; ADDED is the struct that the call will fill. */
static film_status start_adding(const film_pool *pool, film_pool_add_options *with,
                                const film_pool_add_options *options, const film_pool_added *added,
                                film_error *error)
{
    film_status status = pool_stores_vectors(pool, error);
    if (status == FILM_OK)
        status = sized_options(with, sizeof *with, options, "film_pool_add_options", error);
    if (!with->max_sentence) with->max_sentence = SENTENCE_BYTES;
    return status == FILM_OK ? sized_check(added, "film_pool_added", error) : status;
}

film_status film_pool_add(film_pool *pool, const film_sentence *sentences, size_t count,
                          const film_pool_add_options *options, film_pool_added *added,
                          film_error *error)
{
    film_status status = FILM_OK;
    film_pool_add_options with = {0};
    film_pool_added counts = {.size = sizeof counts};
    struct adding adding = {.pool = pool, .options = &with, .added = &counts};
    if (!pool || (count && !sentences)) return pool_missing(error, pool ? "sentences" : "pool");
    if ((status = start_adding(pool, &with, options, added, error)) != FILM_OK) return status;
    TRY(add_all(&adding, sentences, count, error));
done:
    adding_free(&adding);
    sized_fill(added, &counts, sizeof counts);
    return status;
}

/* ---- Files ---- */

/* Adds the row to the batch, or counts why not. */
static film_status take_row(struct adding *adding, const film_table *table, const film_row *row,
                            film_error *error)
{
    film_status status = FILM_OK;
    struct row_fields fields = {.more = NULL};
    char where[600];
    if (row->b.bytes)
        return status_set(error, FILM_BAD_INPUT,
                          "%s has two sentences per row, but a pool takes one; name the columns, "
                          "for example id,text,-",
                          table_name(table));
    if (film_table_format(table) == FILM_FORMAT_LINES && value_trim(row->a).length == 0) {
        adding->added->blank++;
        return FILM_OK;
    }
    snprintf(where, sizeof where, "%.500s:%llu: ", table_name(table),
             (unsigned long long)row->line);
    TRY(row_fields_read(table, row, &fields, error));
    status = check_sentence(adding, &fields.sentence, where, error);
    if (status == FILM_BAD_INPUT && adding->options->table.skip_bad) {
        adding->added->skipped++;
        status = FILM_OK;
        goto done;
    }
    if (status == FILM_BAD_INPUT && error) {
        size_t used = strlen(error->message);
        snprintf(error->message + used, sizeof error->message - used,
                 "; fix the row or skip bad rows");
    }
    if (status == FILM_OK) status = batch_add(&adding->batch, &fields.sentence, row->line, error);
done:
    row_fields_free(&fields);
    return status;
}

/* Writes the batch, then reports it. */
static film_status finish_batch(struct adding *adding, film_error *error)
{
    const film_pool_add_options *options = adding->options;
    film_status status = write_sentences(adding, error);
    if (status == FILM_OK && options->committed)
        options->committed(options->committed_user, adding->added);
    if (status == FILM_OK)
        status = progress_report(&options->progress, "adding", adding->share, 1, error);
    return status;
}

static film_status add_table(struct adding *adding, film_table *table, double first, double part,
                             film_error *error)
{
    film_status status = FILM_OK;
    film_row row;
    size_t rows = adding->options->batch ? adding->options->batch : ROWS;
    adding->file = table_name(table);
    for (;;) {
        status = film_table_next(table, &row, error);
        if (status == FILM_END) break;
        if (status != FILM_OK) goto done;
        TRY(take_row(adding, table, &row, error));
        if (adding->batch.count < rows && adding->batch.bytes < BATCH_BYTES) continue;
        double inside = film_table_progress(table);
        adding->share = first + (inside > 0 ? inside : 0) * part;
        TRY(finish_batch(adding, error));
    }
    adding->share = first + part;
    TRY(finish_batch(adding, error));
done:
    adding->added->skipped +=
        film_table_skipped(table); /* in addition to those that take_row refused */
    return status;
}

film_status film_pool_add_files(film_pool *pool, const char *const *paths, size_t count,
                                const film_pool_add_options *options, film_pool_added *added,
                                film_error *error)
{
    film_status status = FILM_OK;
    film_pool_add_options with = {0};
    film_pool_added counts = {.size = sizeof counts};
    film_table *table = NULL;
    const film_model *model;
    char *own = NULL;
    struct adding adding = {.pool = pool, .options = &with, .added = &counts};
    if (!pool || !paths || !count) return pool_missing(error, pool ? "paths" : "pool");
    if ((status = start_adding(pool, &with, options, added, error)) != FILM_OK) return status;
    film_table_options table_options = with.table;
    table_options.labels = FILM_LABELS_NONE; /* a column of labels is an ordinary column here */
    TRY(film_pool_model(pool, &model, error));
    TRY(record_fields_table(&model->fields, &table_options, &own, error));
    for (size_t i = 0; i < count; i++) {
        TRY(table_open(paths[i], &table_options, &table, error));
        TRY(add_table(&adding, table, (double)i / (double)count, 1 / (double)count, error));
        film_table_close(table);
        table = NULL;
    }
done:
    mem_free(own);
    film_table_close(table);
    adding_free(&adding);
    sized_fill(added, &counts, sizeof counts);
    return status;
}
