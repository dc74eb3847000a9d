/* Rows of labelled files in memory: every distinct sentence once, rows as ids. labels.c defines
 * what labels mean for training. */
#include "learn/corpus.h"
#include "base/mem.h"
#include "learn/rows.h"
#include "text/record_text.h"

#include <string.h>

int corpus_reserve(struct corpus *corpus, size_t rows)
{
    return mem_grow((void **)&corpus->a, &corpus->a_capacity, rows, sizeof *corpus->a) &&
           mem_grow((void **)&corpus->b, &corpus->b_capacity, rows, sizeof *corpus->b) &&
           mem_grow((void **)&corpus->c, &corpus->c_capacity, rows, sizeof *corpus->c) &&
           mem_grow((void **)&corpus->label, &corpus->label_capacity, rows,
                    sizeof *corpus->label) &&
           mem_grow((void **)&corpus->category, &corpus->category_capacity, rows,
                    sizeof *corpus->category);
}

/* A missing column has no bytes at all; an empty sentence has length 0. */
static film_status sentence_id(struct strtab *table, film_text text, uint32_t *id,
                               film_error *error)
{
    *id = STRTAB_NONE;
    return text.bytes ? strtab_add(table, text.bytes, text.length, id, error) : FILM_OK;
}

film_status corpus_add(struct corpus *corpus, const film_row *row, film_error *error)
{
    film_status status = FILM_OK;
    size_t at = corpus->rows;
    TRY_ALLOC(corpus_reserve(corpus, at + 1), error);
    TRY(sentence_id(&corpus->sentences, row->a, &corpus->a[at], error));
    TRY(sentence_id(&corpus->sentences, row->b, &corpus->b[at], error));
    TRY(sentence_id(&corpus->sentences, row->c, &corpus->c[at], error));
    TRY(sentence_id(&corpus->categories, row->category, &corpus->category[at], error));
    corpus->label[at] = (float)row->label;
    if (record_text_is(row->a) || record_text_is(row->b)) corpus->records = 1;
    corpus->rows++;
done:
    return status;
}

film_status corpus_add_plain(struct corpus *corpus, const film_row *row, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t id;
    const film_text texts[] = {row->a, row->b, row->c};
    if (record_text_is(row->a)) corpus->records = 1;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        TRY(sentence_id(&corpus->sentences, texts[t], &id, error));
    corpus->plain = 1;
done:
    return status;
}

void corpus_begin_labels(struct corpus *corpus, film_labels labels)
{
    if (corpus->labels == labels) return;
    corpus->plain |= corpus->rows > 0;
    corpus->labels = labels;
    corpus->rows = 0;
}

film_status corpus_init(struct corpus *corpus, film_labels labels, film_error *error)
{
    film_status status = FILM_OK;
    memset(corpus, 0, sizeof *corpus);
    corpus->labels = labels;
    TRY(strtab_init(&corpus->sentences, error));
    TRY(strtab_init(&corpus->categories, error));
done:
    if (status != FILM_OK) corpus_free(corpus);
    return status;
}

film_status corpus_read(struct corpus *corpus, const char *const *paths, size_t count,
                        const film_table_options *options, const film_progress *progress,
                        film_error *error)
{
    film_status status = FILM_OK;
    struct rows rows;
    film_row row;
    size_t read = 0;
    rows_start(&rows, paths, count, options);
    rows.mixes = 1;
    TRY(corpus_init(corpus, FILM_LABELS_AUTO, error));
    while ((status = rows_next(&rows, &row, error)) == FILM_OK) {
        corpus_begin_labels(corpus, rows.labels);
        int plain = rows.plain && rows.labels != FILM_LABELS_NONE;
        TRY((plain ? corpus_add_plain : corpus_add)(corpus, &row, error));
        if (++read % 65536 == 0)
            TRY(progress_report(progress, "reading", rows_progress(&rows), 1, error));
    }
    if (status == FILM_END) status = FILM_OK;
    TRY(status);
    corpus_begin_labels(corpus, rows.labels);
    corpus->skipped = rows.skipped;
    if (corpus->rows == 0)
        TRY(status_set(error, FILM_BAD_INPUT, "%s: no rows", count ? paths[0] : "input"));
done:
    rows_close(&rows);
    if (status != FILM_OK) corpus_free(corpus);
    return status;
}

/* The text of an id as in a row: no bytes when there is none. */
static film_text table_text(const struct strtab *table, uint32_t id)
{
    return id == STRTAB_NONE ? (film_text){NULL, 0} : strtab_get(table, id);
}

void corpus_mark_used(const struct corpus *corpus, unsigned char *used)
{
    const uint32_t *columns[] = {corpus->a, corpus->b, corpus->c};
    memset(used, 0, corpus->sentences.count);
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < corpus->rows; i++)
            if (columns[c][i] != STRTAB_NONE) used[columns[c][i]] = 1;
}

/* Adds the sentences of no row. */
static film_status select_plain(const struct corpus *from, struct corpus *out, film_error *error)
{
    film_status status = FILM_OK;
    unsigned char *used = mem_array(from->sentences.count, 1);
    TRY_ALLOC(used, error);
    corpus_mark_used(from, used);
    for (uint32_t id = 0; id < from->sentences.count; id++)
        if (!used[id])
            TRY(corpus_add_plain(out, &(film_row){.a = strtab_get(&from->sentences, id)}, error));
done:
    mem_free(used);
    return status;
}

film_status corpus_select(const struct corpus *from, const unsigned char *part,
                          unsigned char wanted, struct corpus *out, film_error *error)
{
    film_status status = FILM_OK;
    TRY(corpus_init(out, from->labels, error));
    out->skipped = from->skipped;
    for (size_t i = 0; i < from->rows; i++) {
        if (part[i] != wanted) continue;
        film_row row = {.a = table_text(&from->sentences, from->a[i]),
                        .b = table_text(&from->sentences, from->b[i]),
                        .c = table_text(&from->sentences, from->c[i]),
                        .category = table_text(&from->categories, from->category[i]),
                        .label = (double)from->label[i]};
        TRY(corpus_add(out, &row, error));
    }
    if (from->plain && wanted == 0) TRY(select_plain(from, out, error));
done:
    if (status != FILM_OK) corpus_free(out);
    return status;
}

void corpus_free(struct corpus *corpus)
{
    strtab_free(&corpus->sentences);
    strtab_free(&corpus->categories);
    mem_free(corpus->a);
    mem_free(corpus->b);
    mem_free(corpus->c);
    mem_free(corpus->label);
    mem_free(corpus->category);
    memset(corpus, 0, sizeof *corpus);
}
