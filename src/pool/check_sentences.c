/* For film pool check: checks the checksum, the vector and the number of every sentence, and lists
 * the vectors to recompute. check.c repairs them. */
#include "pool/check.h"
#include "base/mem.h"
#include "dedup/row_fields.h"
#include "pool/batch.h"
#include "base/utf8.h"
#include "text/value.h"

#include <math.h>
#include <string.h>

enum { ROWS = 4096, SAMPLE = 1000 };

/* Vectors to be compared with their texts. */
struct waiting {
    struct batch texts; /* `lines` are the numbers of the sentences */
    float *stored, *fresh;
    film_text *list;
};

static void waiting_free(struct waiting *waiting)
{
    batch_free(&waiting->texts);
    mem_free(waiting->stored);
    mem_free(waiting->fresh);
    mem_free(waiting->list);
}

static film_status wrong_vector(struct checking *checking, int64_t number, film_error *error)
{
    void *memory = checking->vectors;
    if (!mem_grow(&memory, &checking->vector_capacity, checking->vector_count + 1,
                  sizeof *checking->vectors))
        return status_no_memory(error);
    checking->vectors = memory;
    checking->vectors[checking->vector_count++] = number;
    return FILM_OK;
}

/* Instructions of other machines round differently, by about 1e-7 of the length. */
static int is_near(const float *a, const float *b, size_t dim)
{
    double difference = 0, length = 0;
    for (size_t i = 0; i < dim; i++) {
        difference += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
        length += (double)b[i] * b[i];
    }
    return difference <= 1e-8 * length + 1e-20;
}

static film_status compare_vectors(struct checking *checking, struct waiting *waiting,
                                   film_error *error)
{
    film_status status = FILM_OK;
    size_t dim = checking->dim, count = waiting->texts.count;
    char shown[VALUE_SHOWN];
    if (count == 0) return FILM_OK; /* without a model, nothing is collected */
    for (size_t i = 0; i < count; i++) waiting->list[i] = waiting->texts.rows[i].text;
    TRY(encoder_embed_all(&checking->model->encoder, waiting->list, count,
                          checking->options->threads, waiting->fresh, error));
    for (size_t i = 0; i < count; i++) {
        checking->result->compared++;
        if (is_near(waiting->stored + i * dim, waiting->fresh + i * dim, dim)) continue;
        check_problem(checking, "sentence \"%s\": the vector does not match the text",
                      value_show(waiting->texts.rows[i].id, shown));
        TRY(wrong_vector(checking, (int64_t)waiting->texts.lines[i], error));
    }
done:
    batch_clear(&waiting->texts);
    return status;
}

/* Reports fields that cannot be searched. */
static film_status check_more(struct checking *checking, const film_sentence *sentence,
                              film_error *error)
{
    char shown[VALUE_SHOWN];
    film_status status = row_fields_check_more(sentence->more, "", NULL);
    if (status == FILM_NO_MEMORY) return status_no_memory(error);
    if (status != FILM_OK || !fields_shallow(sentence->more))
        check_problem(checking,
                      "sentence \"%s\": the other fields are not a JSON object or nested more than "
                      "%d levels deep; add it again and replace it",
                      value_show(sentence->id, shown), FIELDS_DEPTH);
    return FILM_OK;
}

/* Checks the user's fields of a row; returns 1 when they are valid. */
static int check_fields(struct checking *checking, sqlite3_stmt *row, film_sentence *out)
{
    *out = (film_sentence){db_text(row, 1), db_text(row, 2), db_text(row, 3),
                           db_text(row, 4), db_text(row, 5), db_text(row, 6)};
    char shown[VALUE_SHOWN];
    film_text id = out->id.bytes ? out->id : (film_text){"", 0};
    if (out->id.bytes && out->text.bytes && store_checksum(out) == sqlite3_column_int64(row, 7) &&
        utf8_valid(out->text.bytes, out->text.length, NULL))
        return 1;
    check_problem(checking, "sentence \"%s\": checksum mismatch; add it again and replace it",
                  value_show(id, shown));
    return 0;
}

static film_status check_stored_row(struct checking *checking, sqlite3_stmt *row, int sampled,
                                    struct waiting *waiting, film_error *error)
{
    film_status status = FILM_OK;
    size_t dim = checking->dim;
    int64_t number = sqlite3_column_int64(row, 0);
    film_sentence sentence;
    char shown[VALUE_SHOWN];
    const char *problem = NULL;
    const void *bytes = sqlite3_column_blob(row, 8);
    checking->result->sentences++;
    checking->result->vectors += bytes != NULL;
    /* If the text is damaged, the vector cannot be checked. */
    int whole = check_fields(checking, row, &sentence);
    TRY(db_row_read(checking->db, error));
    if (whole) TRY(check_more(checking, &sentence, error));
    if (!whole || dim == 0) goto done; /* a model of features alone has no vectors */
    float *vector = waiting->stored + waiting->texts.count * dim;
    if (!bytes)
        problem = "has no vector";
    else if ((size_t)sqlite3_column_bytes(row, 8) != dim * sizeof *vector)
        problem = "has a vector of the wrong length";
    else
        memcpy(vector, bytes, dim * sizeof *vector);
    for (size_t i = 0; i < dim && !problem; i++)
        if (!isfinite(vector[i])) problem = "has a vector that is not finite";
    if (problem) {
        check_problem(checking, "sentence \"%s\" %s", value_show(sentence.id, shown), problem);
        TRY(wrong_vector(checking, number, error));
        goto done;
    }
    if (!sampled || !checking->model) goto done;
    sentence = (film_sentence){.id = sentence.id, .text = sentence.text};
    TRY(batch_add(&waiting->texts, &sentence, (uint64_t)number, error));
    if (waiting->texts.count == ROWS) TRY(compare_vectors(checking, waiting, error));
done:
    return status;
}

film_status check_sentences(struct checking *checking, film_error *error)
{
    static const char sql[] = "SELECT s.number, id, text, category, answer, url, more, checksum,"
                              " v.bytes FROM sentence s LEFT JOIN vector v ON v.number = s.number"
                              " ORDER BY s.number";
    film_status status = FILM_OK;
    struct waiting waiting = {0};
    sqlite3_stmt *statement = NULL;
    int64_t total;
    int row;
    size_t dim = checking->dim;
    TRY_ALLOC(waiting.stored = mem_array(ROWS, dim * sizeof(float)), error);
    TRY_ALLOC(waiting.fresh = mem_array(ROWS, dim * sizeof(float)), error);
    TRY_ALLOC(waiting.list = mem_array(ROWS, sizeof *waiting.list), error);
    TRY(db_number(checking->db, "SELECT count(*) FROM sentence", &total, error));
    int64_t every = checking->options->full || total <= SAMPLE ? 1 : total / SAMPLE;
    checking->db->total = (double)total;
    TRY(db_prepare(checking->db, sql, &statement, error));
    for (int64_t i = 0;; i++) {
        TRY(db_step(checking->db, statement, &row, error));
        if (!row) break;
        TRY(check_stored_row(checking, statement, i % every == 0, &waiting, error));
        checking->db->done = (double)i;
        if (i % ROWS == 0)
            TRY(progress_report(&checking->options->progress, "checking", (double)i, (double)total,
                                error));
    }
    TRY(compare_vectors(checking, &waiting, error));
done:
    if (statement) sqlite3_reset(statement);
    waiting_free(&waiting);
    return status;
}

static film_status note_difference(void *user, const struct remote_difference *difference,
                                   film_error *error)
{
    struct checking *checking = user;
    char shown[VALUE_SHOWN];
    if (difference->number)
        check_problem(checking, "sentence \"%s\" %s", value_show(difference->id, shown),
                      difference->problem);
    else
        check_problem(checking, "%s", difference->problem);
    /* A recomputed vector is written together with its whole sentence. */
    return difference->repairable ? wrong_vector(checking, difference->number, error) : FILM_OK;
}

film_status check_database_rows(struct checking *checking, film_error *error)
{
    if (!checking->pool->remote) return FILM_OK;
    return shared_compare(checking->pool, checking->db, note_difference, checking, error);
}
