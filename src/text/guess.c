/* Guesses from the first rows of a file whether it has a header, and the columns of a file without
 * one. Every rule requires that most
 * rows agree, not all: a bad row must be reported as such, with its line, and must not turn a file
 * of labelled pairs into triplets. */
#include "text/columns.h"
#include "text/value.h"

#include <stdio.h>
#include <string.h>

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

/* ---- Headers with unknown names ---- */

/* One to three words that are no number and no sentence. */
static int is_name(film_text field)
{
    double number;
    size_t spaces = 0;
    field = value_trim(field);
    if (field.length == 0 || field.length > 40 || value_number(field, &number)) return 0;
    for (size_t i = 0; i < field.length; i++) {
        spaces += field.bytes[i] == ' ';
        if ((unsigned char)field.bytes[i] < 32 || strchr(",;:!?\"", field.bytes[i])) return 0;
    }
    return spaces <= 2 && field.bytes[field.length - 1] != '.';
}

static int same(film_text a, film_text b)
{
    a = value_trim(a);
    b = value_trim(b);
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/* What the rows below the first have in one column. */
struct below {
    size_t rows, bytes, labels, numbers, repeated; /* repeated: values that an earlier row has */
    int has_first;                                 /* one of them is the value of the first row */
};

static struct below look_below(const struct columns_peek *peek, size_t column)
{
    struct below below = {0};
    double value;
    for (size_t i = 1; i < peek->count; i++) {
        const struct record *record = &peek->records[i];
        if (column >= record->field_count) continue;
        film_text field = record->fields[column];
        below.rows++;
        below.bytes += field.length;
        below.labels += (size_t)value_label(field, &value);
        below.numbers += (size_t)value_number(field, &value);
        if (same(field, peek->records[0].fields[column])) below.has_first = 1;
        for (size_t j = 1; j < i; j++)
            if (column < peek->records[j].field_count &&
                same(field, peek->records[j].fields[column])) {
                below.repeated++;
                break;
            }
    }
    return below;
}

const char *guess_data_reason(const struct columns_peek *peek)
{
    const struct record *first = &peek->records[0];
    if (!peek->from_start) return "it is not the start of the file";
    for (size_t i = 0; i < first->field_count; i++) {
        if (!is_name(first->fields[i])) return "a name is one to three words";
        if (look_below(peek, i).has_first) return "a row below has one of its values";
        for (size_t j = 0; j < i; j++)
            if (same(first->fields[i], first->fields[j])) return "two of its values are the same";
    }
    return NULL;
}

int guess_header(const struct columns_peek *peek)
{
    int found = 0;
    if (peek->count < 2 || guess_data_reason(peek)) return 0;
    for (size_t i = 0; i < peek->records[0].field_count; i++) {
        double value;
        film_text field = peek->records[0].fields[i];
        struct below below = look_below(peek, i);
        if (mostly(below.numbers, below.rows))
            found = 1;
        else if (mostly(below.labels, below.rows))
            found = found || !value_label(field, &value);
        else if (below.bytes >= 15 * below.rows && below.bytes >= 2 * field.length * below.rows)
            found = found || below.rows > 0;
    }
    return found;
}

/* Returns the column with the longest texts, other than the columns A and B. */
static size_t longest_value(const struct columns_peek *peek, size_t a, size_t b)
{
    size_t best = SIZE_MAX, most = 0;
    for (size_t i = 0; i < peek->records[0].field_count; i++) {
        struct below below = look_below(peek, i);
        if (i == a || i == b || (best != SIZE_MAX && below.bytes <= most)) continue;
        best = i;
        most = below.bytes;
    }
    return best;
}

const char *guess_example(const struct columns_peek *peek, char example[GUESS_EXAMPLE])
{
    const struct record *first = &peek->records[0];
    size_t label = SIZE_MAX, category = SIZE_MAX, text = longest_value(peek, SIZE_MAX, SIZE_MAX);
    size_t most = 0;
    char shown[3][VALUE_SHOWN];
    for (size_t i = 0; i < first->field_count; i++) {
        struct below below = look_below(peek, i);
        if (i == text) continue;
        if (mostly(below.labels, below.rows)) label = i;
        if (mostly(below.numbers, below.rows) || (category != SIZE_MAX && below.repeated <= most))
            continue;
        category = i;
        most = below.repeated;
    }
    const film_text *names = first->fields;
    if (label != SIZE_MAX && first->field_count > 2)
        snprintf(example, GUESS_EXAMPLE, "label=%s,a=%s,b=%s", value_show(names[label], shown[0]),
                 value_show(names[text], shown[1]),
                 value_show(names[longest_value(peek, text, label)], shown[2]));
    else if (category != SIZE_MAX)
        snprintf(example, GUESS_EXAMPLE, "text=%s,category=%s", value_show(names[text], shown[0]),
                 value_show(names[category], shown[1]));
    else
        snprintf(example, GUESS_EXAMPLE, "text=%s", value_show(names[text], shown[0]));
    size_t length = strlen(example);
    if (!strchr(example, ' ') || length + 3 > GUESS_EXAMPLE) return example;
    memmove(example + 1, example, length); /* a shell needs quotes */
    example[0] = example[length + 1] = '"';
    example[length + 2] = 0;
    return example;
}
