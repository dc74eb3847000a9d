/* Reads the rows of several files, one after the other, all with one kind of labels. It stores no
 * rows. */
#include "learn/rows.h"
#include "text/table.h"

#include <string.h>

static const char *kind_name(film_labels labels)
{
    static const char *const names[FILM_LABELS_COUNT] = {
        "rows", "unlabelled rows", "labelled pairs", "scored pairs", "triplets", "categories"};
    return names[labels];
}

void rows_start(struct rows *rows, const char *const *paths, size_t count,
                const film_table_options *options)
{
    *rows = (struct rows){.paths = paths, .count = count, .options = options};
}

void rows_close(struct rows *rows)
{
    film_table_close(rows->table);
    memset(rows, 0, sizeof *rows);
}

static film_status open_next(struct rows *rows, film_error *error)
{
    const char *path = rows->paths[rows->next];
    film_status status = table_open(path, rows->options, &rows->table, error);
    if (status != FILM_OK) return status;
    film_labels labels = film_table_labels(rows->table);
    rows->plain = labels == FILM_LABELS_NONE;
    int first =
        rows->labels == FILM_LABELS_AUTO || (rows->mixes && rows->labels == FILM_LABELS_NONE);
    if (!first && rows->labels != labels && !(rows->mixes && rows->plain))
        return status_set(error, FILM_BAD_INPUT,
                          "%s has %s, the preceding files have %s; train on one kind at a time",
                          path, kind_name(labels), kind_name(rows->labels));
    if (first) rows->labels = labels;
    rows->next++;
    return FILM_OK;
}

film_status rows_next(struct rows *rows, film_row *row, film_error *error)
{
    for (;;) {
        if (!rows->table) {
            if (rows->next == rows->count) return FILM_END;
            film_status opened = open_next(rows, error);
            if (opened != FILM_OK) return opened;
        }
        film_status status = film_table_next(rows->table, row, error);
        if (status != FILM_END) return status;
        rows->skipped += film_table_skipped(rows->table);
        film_table_close(rows->table);
        rows->table = NULL;
    }
}

double rows_progress(const struct rows *rows)
{
    if (!rows->table) return rows->count ? (double)rows->next / (double)rows->count : 1;
    double inside = film_table_progress(rows->table);
    return inside < 0 ? -1 : ((double)(rows->next - 1) + inside) / (double)rows->count;
}
