/* Reads the data of an evaluation: the rows of the file and the sentences of the pool. */
#include "base/mem.h"
#include "eval/evaluation.h"
#include "text/table.h"

static film_status take_eval_pairs(struct evaluation *evaluation, film_error *error)
{
    film_status status = FILM_OK;
    const struct corpus *corpus = &evaluation->corpus;
    int triplets = corpus->labels == FILM_LABELS_TRIPLETS;
    size_t count = triplets ? 2 * corpus->rows : corpus->rows;
    if (corpus->labels == FILM_LABELS_CATEGORIES) return FILM_OK;
    TRY_ALLOC((evaluation->a = mem_array(count, sizeof *evaluation->a)) &&
                  (evaluation->b = mem_array(count, sizeof *evaluation->b)) &&
                  (evaluation->label = mem_array(count, sizeof *evaluation->label)),
              error);
    for (size_t i = 0; i < count; i++) {
        size_t row = triplets ? i / 2 : i;
        evaluation->a[i] = corpus->a[row];
        evaluation->b[i] = triplets && i % 2 ? corpus->c[row] : corpus->b[row];
        evaluation->label[i] = triplets ? (float)(i % 2 == 0) : corpus->label[row];
    }
    evaluation->pairs = count;
done:
    return status;
}

/* Adds the sentences of the pool after those of the file. */
static film_status read_eval_pool(struct evaluation *evaluation, film_error *error)
{
    film_status status = FILM_OK;
    const film_eval_options *options = evaluation->options;
    struct strtab *sentences = &evaluation->corpus.sentences;
    film_table *table = NULL;
    film_row row;
    uint32_t id;
    uint64_t rows = 0;
    TRY(table_open(options->pool, &options->pool_table, &table, error));
    while ((status = film_table_next(table, &row, error)) == FILM_OK) {
        const film_text texts[3] = {row.a, row.b, row.c};
        for (int i = 0; i < 3; i++)
            if (texts[i].bytes)
                TRY(strtab_add(sentences, texts[i].bytes, texts[i].length, &id, error));
        if (++rows % 65536 == 0)
            TRY(progress_report(&options->progress, "reading", film_table_progress(table), 1,
                                error));
    }
    if (status == FILM_END) status = FILM_OK;
done:
    film_table_close(table);
    return status;
}

film_status evaluation_read(struct evaluation *evaluation, film_error *error)
{
    film_status status = FILM_OK;
    const film_eval_options *options = evaluation->options;
    TRY(corpus_read(&evaluation->corpus, &evaluation->path, 1, &options->table, &options->progress,
                    error));
    TRY(request_check_labels(evaluation, error));
    evaluation->own = evaluation->corpus.sentences.count;
    if (options->pool) TRY(read_eval_pool(evaluation, error));
    TRY(take_eval_pairs(evaluation, error));
done:
    return status;
}

void evaluation_free(struct evaluation *evaluation)
{
    corpus_free(&evaluation->corpus);
    mem_free(evaluation->a);
    mem_free(evaluation->b);
    mem_free(evaluation->label);
}
