/* Builds a sparse matrix of TF-IDF rows with a fitted vocabulary; no vocabulary is learned here. */
#include "learn/features_fit.h"
#include "base/mem.h"

#include <string.h>

film_status features_matrix(const struct features *features, const film_text *texts, size_t count,
                            struct csr *out, film_error *error)
{
    film_status status = FILM_OK;
    size_t entries = 0, col_capacity = 0, val_capacity = 0;
    struct feature_row row = {0};
    *out = (struct csr){.rows = count, .cols = features_count(features)};
    TRY(feature_row_init(&row, features, error));
    TRY_ALLOC(out->start = mem_zeroed(count + 1, sizeof *out->start), error);
    for (size_t i = 0; i < count; i++) {
        size_t more = entries;
        TRY(features_transform(features, &row, texts[i], error));
        more += row.count;
        TRY_ALLOC(mem_grow((void **)&out->col, &col_capacity, more, sizeof *out->col) &&
                      mem_grow((void **)&out->val, &val_capacity, more, sizeof *out->val),
                  error);
        if (row.count) {
            memcpy(out->col + entries, row.id, row.count * sizeof *out->col);
            memcpy(out->val + entries, row.value, row.count * sizeof *out->val);
        }
        out->start[i + 1] = entries = more;
    }
done:
    feature_row_free(&row);
    if (status != FILM_OK) csr_free(out);
    return status;
}
