/* Finds the stored labelled pairs nearest to a pair, by the vectors of their sentences (exact
 * scan). They are shown, but do not influence any decision. */
#include "explain/nearest.h"
#include "base/mem.h"

#include <string.h>

void nearest_free(struct nearest_examples *nearest)
{
    feature_row_free(&nearest->row);
    mem_free(nearest->vectors);
    mem_free(nearest->rows.start);
    mem_free(nearest->rows.id);
    mem_free(nearest->rows.value);
    memset(nearest, 0, sizeof *nearest);
}

static film_text text_of(const struct nearest_examples *nearest, size_t sentence)
{
    return examples_text(nearest->examples, sentence / 2, (int)(sentence % 2));
}

/* Without a map: computes the sparse rows, concatenated. */
static film_status keep_rows(struct nearest_examples *nearest, const struct encoder *encoder,
                             film_error *error)
{
    film_status status = FILM_OK;
    struct nearest_rows *rows = &nearest->rows;
    size_t sentences = 2 * nearest->examples->count, entries = 0;
    TRY_ALLOC(rows->start = mem_zeroed(sentences + 1, sizeof *rows->start), error);
    for (size_t i = 0; i < sentences; i++) {
        const struct feature_row *row = &nearest->row;
        TRY(encoder_read_words(encoder, &nearest->row, text_of(nearest, i), NULL, error));
        size_t more = entries + row->count;
        TRY_ALLOC(
            mem_grow((void **)&rows->id, &rows->id_capacity, more, sizeof *rows->id) &&
                mem_grow((void **)&rows->value, &rows->value_capacity, more, sizeof *rows->value),
            error);
        if (row->count) {
            memcpy(rows->id + entries, row->id, row->count * sizeof *row->id);
            memcpy(rows->value + entries, row->value, row->count * sizeof *row->value);
        }
        rows->start[i + 1] = entries = more;
    }
done:
    return status;
}

static film_status make_ready(struct nearest_examples *nearest, const struct encoder *encoder,
                              film_error *error)
{
    film_status status = FILM_OK;
    size_t sentences = 2 * nearest->examples->count;
    const struct examples *examples = nearest->examples;
    nearest_free(nearest); /* discards an unfinished earlier attempt */
    nearest->examples = examples;
    TRY(feature_row_init(&nearest->row, encoder->features, error));
    if (encoder_has_vectors(encoder)) {
        size_t dim = encoder_dim(encoder);
        TRY_ALLOC(nearest->vectors = mem_array(sentences, dim * sizeof(float)), error);
        for (size_t i = 0; i < sentences; i++)
            TRY(encoder_embed(encoder, &nearest->row, text_of(nearest, i),
                              nearest->vectors + i * dim, error));
    } else {
        TRY(keep_rows(nearest, encoder, error));
    }
    nearest->ready = 1;
done:
    return status;
}

static double similarity(const struct nearest_examples *nearest, const struct reading *reading,
                         int side, size_t sentence)
{
    const struct encoder *encoder = reading->encoder;
    const struct reading_side *here = &reading->side[side];
    if (encoder_has_vectors(encoder))
        return encoder_similarity(encoder, encoder->network ? here->encoded : here->vector,
                                  nearest->vectors + sentence * encoder_dim(encoder));
    size_t start = nearest->rows.start[sentence];
    const struct feature_row row = {.id = nearest->rows.id + start,
                                    .value = nearest->rows.value + start,
                                    .count = nearest->rows.start[sentence + 1] - start};
    return encoder_sparse_similarity(encoder, &here->row, &row);
}

/* Keeps the list sorted; ties stay in order. */
static void offer(struct nearest_examples *nearest, const film_example *example)
{
    size_t at = nearest->count;
    while (at > 0 && nearest->list[at - 1].similarity < example->similarity) at--;
    if (at == NEAREST_MOST) return;
    if (nearest->count < NEAREST_MOST) nearest->count++;
    memmove(&nearest->list[at + 1], &nearest->list[at],
            (nearest->count - 1 - at) * sizeof *nearest->list);
    nearest->list[at] = *example;
}

film_status nearest_find(struct nearest_examples *nearest, const struct reading *reading,
                         film_error *error)
{
    film_status status = FILM_OK;
    int a = reading->swapped ? 1 : 0;
    nearest->count = 0;
    if (!nearest->examples || !nearest->examples->count) return FILM_OK;
    if (!nearest->ready) TRY(make_ready(nearest, reading->encoder, error));
    for (size_t i = 0; i < nearest->examples->count; i++) {
        double straight =
            similarity(nearest, reading, a, 2 * i) + similarity(nearest, reading, !a, 2 * i + 1);
        double crossed =
            similarity(nearest, reading, a, 2 * i + 1) + similarity(nearest, reading, !a, 2 * i);
        int turned = crossed > straight; /* shown in the order that is nearer */
        film_example example = {examples_text(nearest->examples, i, turned),
                                examples_text(nearest->examples, i, !turned),
                                nearest->examples->same[i], 0.5 * (turned ? crossed : straight)};
        offer(nearest, &example);
    }
done:
    return status;
}
