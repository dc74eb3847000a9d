/* Guesses the columns of a file without a header from its first rows. Every rule requires that most
 * rows agree, not all: a bad row must be reported as such, with its line, and must not turn a file
 * of labelled pairs into triplets. */
#include "text/columns.h"
#include "text/value.h"

size_t guess_width(const struct columns_peek *peek)
{
    size_t best = 0, best_votes = 0;
    for (size_t i = 0; i < peek->count; i++) {
        size_t votes = 0;
        for (size_t j = 0; j < peek->count; j++)
            votes += peek->records[j].field_count == peek->records[i].field_count;
        if (votes > best_votes) {
            best_votes = votes;
            best = peek->records[i].field_count;
        }
    }
    return best;
}

/* Counts over column INDEX of the records with at least WIDTH columns. */
struct column_evidence {
    size_t rows, numbers, labels; /* labels: 0, 1 or a word for it */
};

static struct column_evidence inspect_column(const struct columns_peek *peek, size_t width,
                                             size_t index)
{
    struct column_evidence seen = {0, 0, 0};
    double value;
    for (size_t i = 0; i < peek->count; i++) {
        const struct record *record = &peek->records[i];
        if (record->field_count < width) continue;
        seen.rows++;
        int is_label = value_label(record->fields[index], &value);
        seen.labels += (size_t)is_label;
        seen.numbers += (size_t)(is_label || value_number(record->fields[index], &value));
    }
    return seen;
}

static int mostly(size_t part, size_t rows)
{
    return rows > 0 && part * 2 > rows;
}

static int is_numeric(const struct columns_peek *peek, size_t width, size_t index)
{
    struct column_evidence seen = inspect_column(peek, width, index);
    return mostly(seen.numbers, seen.rows);
}

/* Numeric, and only 0 and 1. */
static int is_binary(const struct columns_peek *peek, size_t width, size_t index)
{
    struct column_evidence seen = inspect_column(peek, width, index);
    return mostly(seen.labels, seen.rows) && seen.labels == seen.numbers;
}

/* STS Benchmark: genre, file, year, id, score 0..5, two sentences, and licences in some rows. */
static int is_sts(const struct columns_peek *peek)
{
    size_t wide = 0;
    for (size_t i = 0; i < peek->count; i++) {
        double score;
        const struct record *record = &peek->records[i];
        wide += record->field_count >= 7 && value_number(record->fields[4], &score) && score >= 0 &&
                score <= 5;
    }
    return mostly(wide, peek->count);
}

static const struct columns_layout *three_columns(const struct columns_peek *peek)
{
    static const struct columns_layout label_first = {"label,a,b", NULL, 0},
                                       score_first = {"score,a,b", NULL, 0},
                                       label_last = {"a,b,label", NULL, 0},
                                       score_last = {"a,b,score", NULL, 0},
                                       triplets = {"anchor,positive,negative", NULL, 0};
    int first = is_numeric(peek, 3, 0), middle = is_numeric(peek, 3, 1),
        last = is_numeric(peek, 3, 2);
    if (!first && !middle && !last) return &triplets;
    if (first && !middle && !last) return is_binary(peek, 3, 0) ? &label_first : &score_first;
    if (!first && !middle && last) return is_binary(peek, 3, 2) ? &label_last : &score_last;
    return NULL;
}

const struct columns_layout *guess_layout(const struct columns_peek *peek,
                                          enum record_format format, film_labels wanted,
                                          size_t width)
{
    static const struct columns_layout text = {"text", NULL, 0},
                                       categories = {"text,category", NULL, 0},
                                       quora = {"label,a,b,id", "label,question1,question2,id", 0},
                                       kaggle = {"id,-,-,a,b,label",
                                                 "id,qid1,qid2,question1,question2,is_duplicate",
                                                 0},
                                       sts = {"-,-,-,id,score,a,b",
                                              "genre,filename,year,id,score,sentence1,sentence2",
                                              1};
    if (format == RECORD_TSV && is_sts(peek)) return &sts;
    if (width == 1) return &text;
    if (width == 2 && wanted == FILM_LABELS_CATEGORIES) return &categories;
    if (width == 3) return three_columns(peek);
    if (width == 4 && is_binary(peek, 4, 0) && !is_numeric(peek, 4, 1) && !is_numeric(peek, 4, 2) &&
        is_numeric(peek, 4, 3))
        return &quora;
    if (width == 6 && is_numeric(peek, 6, 0) && is_numeric(peek, 6, 1) && is_numeric(peek, 6, 2) &&
        !is_numeric(peek, 6, 3) && !is_numeric(peek, 6, 4) && is_binary(peek, 6, 5))
        return &kaggle;
    return NULL;
}
