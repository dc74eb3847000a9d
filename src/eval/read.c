/* Reads the data of an evaluation: the rows of the file and the sentences of the pool.
 *
 * In a job every process reads a slice of each. Afterwards all processes have the rows, and each
 * sentence is with its owner (learn/corpus_share.h). Owners number sentences by a hash; here they
 * get numbers in the order of the file, as in one process, so that ties between neighbours are
 * broken in the same way. */
#include "base/partition.h"
#include "text/table.h"
#include "base/mem.h"
#include "eval/evaluation.h"
#include "learn/corpus_share.h"

/* Numbers the sentences row by row, as the string table of one process would. */
static film_status number_eval_sentences(struct evaluation *evaluation, film_error *error)
{
    film_status status = FILM_OK;
    const struct corpus *corpus = &evaluation->corpus;
    const uint32_t *columns[] = {corpus->a, corpus->b, corpus->c};
    uint32_t next = 0, *number = NULL; /* by number of the owners */
    size_t first = corpus_first(corpus);
    evaluation->own = (uint32_t)corpus_all(corpus);
    evaluation->own_here = corpus->sentences.count;
    if (evaluation->comm->size == 1) goto done;
    TRY_ALLOC(
        (number = mem_array(evaluation->own, sizeof *number)) &&
            (evaluation->source = mem_array(evaluation->own, sizeof *evaluation->source)) &&
            (evaluation->row = mem_array(evaluation->own, sizeof *evaluation->row)) &&
            (evaluation->number = mem_array(evaluation->own_here, sizeof *evaluation->number)),
        error);
    for (uint32_t i = 0; i < evaluation->own; i++) number[i] = STRTAB_NONE;
    for (size_t i = 0; i < corpus->rows; i++)
        for (int c = 0; c < 3; c++) {
            uint32_t id = columns[c][i];
            if (id == STRTAB_NONE || number[id] != STRTAB_NONE) continue;
            number[id] = next;
            evaluation->source[next++] = id;
        }
    for (uint32_t i = 0; i < evaluation->own; i++) evaluation->row[i] = FLAT_NONE;
    for (uint32_t i = 0; i < evaluation->own_here; i++) {
        evaluation->number[i] = number[first + i];
        evaluation->row[evaluation->number[i]] = i;
    }
    for (size_t i = 0; i < corpus->rows; i++) {
        uint32_t *ids[] = {&corpus->a[i], &corpus->b[i], &corpus->c[i]};
        for (int c = 0; c < 3; c++)
            if (*ids[c] != STRTAB_NONE) *ids[c] = number[*ids[c]];
    }
done:
    mem_free(number);
    return status;
}

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

/* Adds the sentences of this process's slice of the pool to a table. */
static film_status read_part(const struct evaluation *evaluation, struct strtab *sentences,
                             film_error *error)
{
    film_status status = FILM_OK;
    film_table_options options = evaluation->options->pool_table;
    film_table *table = NULL;
    film_row row;
    uint32_t id;
    uint64_t rows = 0;
    options.part = evaluation->comm->rank;
    options.parts = evaluation->comm->size;
    TRY(table_open(evaluation->options->pool, &options, &table, error));
    while ((status = film_table_next(table, &row, error)) == FILM_OK) {
        const film_text texts[3] = {row.a, row.b, row.c};
        for (int i = 0; i < 3; i++)
            if (texts[i].bytes)
                TRY(strtab_add(sentences, texts[i].bytes, texts[i].length, &id, error));
        if (++rows % 65536 == 0)
            TRY(progress_report(&evaluation->options->progress, "reading",
                                film_table_progress(table), 1, error));
    }
    if (status == FILM_END) status = FILM_OK;
done:
    film_table_close(table);
    return status;
}

/* Adds the sentences of the pool after those of the file, at their owners. */
static film_status read_eval_pool(struct evaluation *evaluation, film_error *error)
{
    film_status status = FILM_OK;
    struct strtab *sentences = &evaluation->corpus.sentences, mine = {0}, owned = {0};
    struct partition partition = {0};
    uint32_t id;
    if (evaluation->comm->size == 1) return read_part(evaluation, sentences, error);
    TRY(strtab_init(&mine, error));
    TRY(strtab_init(&owned, error));
    TRY(read_part(evaluation, &mine, error));
    TRY(partition_strings(&partition, evaluation->comm, &mine, &owned, error));
    for (uint32_t i = 0; i < owned.count; i++) {
        film_text text = strtab_get(&owned, i);
        TRY(strtab_add(sentences, text.bytes, text.length, &id, error));
    }
done:
    partition_free(&partition);
    strtab_free(&mine);
    strtab_free(&owned);
    return status;
}

film_status evaluation_read(struct evaluation *evaluation, film_error *error)
{
    film_status status = FILM_OK;
    const film_eval_options *options = evaluation->options;
    film_table_options table = options->table;
    table.part = evaluation->comm->rank;
    table.parts = evaluation->comm->size;
    TRY(corpus_read(&evaluation->corpus, &evaluation->path, 1, &table, &options->progress, error));
    TRY(corpus_share(&evaluation->corpus, evaluation->comm, evaluation->path, error));
    TRY(request_check_labels(evaluation, error));
    TRY(number_eval_sentences(evaluation, error));
    if (options->pool) TRY(read_eval_pool(evaluation, error));
    TRY(take_eval_pairs(evaluation, error));
done:
    return status;
}

film_status evaluation_texts(const struct evaluation *evaluation, const uint32_t *numbers,
                             size_t count, struct strtab *texts, uint32_t *at, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t *ids = mem_array(count, sizeof *ids);
    TRY_ALLOC(ids, error);
    for (size_t i = 0; i < count; i++) ids[i] = evaluation->source[numbers[i]];
    TRY(corpus_fetch(&evaluation->corpus, ids, count, texts, at, error));
done:
    mem_free(ids);
    return status;
}

void evaluation_free(struct evaluation *evaluation)
{
    corpus_free(&evaluation->corpus);
    mem_free(evaluation->source);
    mem_free(evaluation->row);
    mem_free(evaluation->number);
    mem_free(evaluation->a);
    mem_free(evaluation->b);
    mem_free(evaluation->label);
}
