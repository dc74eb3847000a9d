/* What is measured on: the rows of the file, and the sentences of the pool.
 *
 * In a job every process reads a part of each. The rows are in all of them afterwards, the
 * sentences with their owners (learn/corpus_share.h). Owners number by a hash; here sentences are
 * numbered as they appear in the file, as one process does, so that neighbours that are equally
 * near come in the same order. */
#include "base/partition.h"
#include "text/table.h"
#include "base/mem.h"
#include "eval/run.h"
#include "learn/corpus_share.h"

/* As one process's table of strings would: the sentences of each row, in their order. */
static film_status number_sentences(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    const struct corpus *corpus = &run->corpus;
    const uint32_t *columns[] = {corpus->a, corpus->b, corpus->c};
    uint32_t next = 0, *number = NULL; /* by the owners' numbers */
    size_t first = corpus_first(corpus);
    run->own = (uint32_t)corpus_all(corpus);
    run->own_here = corpus->sentences.count;
    if (run->comm->size == 1) goto done;
    TRY_ALLOC((number = mem_array(run->own, sizeof *number)) &&
                  (run->source = mem_array(run->own, sizeof *run->source)) &&
                  (run->row = mem_array(run->own, sizeof *run->row)) &&
                  (run->number = mem_array(run->own_here, sizeof *run->number)),
              error);
    for (uint32_t i = 0; i < run->own; i++) number[i] = STRTAB_NONE;
    for (size_t i = 0; i < corpus->rows; i++)
        for (int c = 0; c < 3; c++) {
            uint32_t id = columns[c][i];
            if (id == STRTAB_NONE || number[id] != STRTAB_NONE) continue;
            number[id] = next;
            run->source[next++] = id;
        }
    for (uint32_t i = 0; i < run->own; i++) run->row[i] = FLAT_NONE;
    for (uint32_t i = 0; i < run->own_here; i++) {
        run->number[i] = number[first + i];
        run->row[run->number[i]] = i;
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

static film_status take_pairs(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    const struct corpus *corpus = &run->corpus;
    int triplets = corpus->labels == FILM_LABELS_TRIPLETS;
    size_t count = triplets ? 2 * corpus->rows : corpus->rows;
    if (corpus->labels == FILM_LABELS_CATEGORIES) return FILM_OK;
    TRY_ALLOC((run->a = mem_array(count, sizeof *run->a)) &&
                  (run->b = mem_array(count, sizeof *run->b)) &&
                  (run->label = mem_array(count, sizeof *run->label)),
              error);
    for (size_t i = 0; i < count; i++) {
        size_t row = triplets ? i / 2 : i;
        run->a[i] = corpus->a[row];
        run->b[i] = triplets && i % 2 ? corpus->c[row] : corpus->b[row];
        run->label[i] = triplets ? (float)(i % 2 == 0) : corpus->label[row];
    }
    run->pairs = count;
done:
    return status;
}

/* Adds the sentences of this process's part of the pool to a table. */
static film_status read_part(const struct run *run, struct strtab *sentences, film_error *error)
{
    film_status status = FILM_OK;
    film_table_options options = run->options->pool_table;
    film_table *table = NULL;
    film_row row;
    uint32_t id;
    uint64_t rows = 0;
    options.part = run->comm->rank;
    options.parts = run->comm->size;
    TRY(table_open(run->options->pool, &options, &table, error));
    while ((status = film_table_next(table, &row, error)) == FILM_OK) {
        const film_text texts[3] = {row.a, row.b, row.c};
        for (int i = 0; i < 3; i++)
            if (texts[i].bytes)
                TRY(strtab_add(sentences, texts[i].bytes, texts[i].length, &id, error));
        if (++rows % 65536 == 0)
            TRY(progress_report(&run->options->progress, "reading", film_table_progress(table), 1,
                                error));
    }
    if (status == FILM_END) status = FILM_OK;
done:
    film_table_close(table);
    return status;
}

/* Adds the pool's sentences behind the file's own, with their owners. */
static film_status read_pool(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    struct strtab *sentences = &run->corpus.sentences, mine = {0}, owned = {0};
    struct partition partition = {0};
    uint32_t id;
    if (run->comm->size == 1) return read_part(run, sentences, error);
    TRY(strtab_init(&mine, error));
    TRY(strtab_init(&owned, error));
    TRY(read_part(run, &mine, error));
    TRY(partition_strings(&partition, run->comm, &mine, &owned, error));
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

film_status run_read(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    const film_eval_options *options = run->options;
    film_table_options table = options->table;
    table.part = run->comm->rank;
    table.parts = run->comm->size;
    TRY(corpus_read(&run->corpus, &run->path, 1, &table, &options->progress, error));
    TRY(corpus_share(&run->corpus, run->comm, run->path, error));
    TRY(request_check_labels(run, error));
    TRY(number_sentences(run, error));
    if (options->pool) TRY(read_pool(run, error));
    TRY(take_pairs(run, error));
done:
    return status;
}

film_status run_texts(const struct run *run, const uint32_t *numbers, size_t count,
                      struct strtab *texts, uint32_t *at, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t *ids = mem_array(count, sizeof *ids);
    TRY_ALLOC(ids, error);
    for (size_t i = 0; i < count; i++) ids[i] = run->source[numbers[i]];
    TRY(corpus_fetch(&run->corpus, ids, count, texts, at, error));
done:
    mem_free(ids);
    return status;
}

void run_free_sentences(struct run *run)
{
    corpus_free(&run->corpus);
    mem_free(run->source);
    mem_free(run->row);
    mem_free(run->number);
    run->source = NULL;
    run->row = NULL;
    run->number = NULL;
}
