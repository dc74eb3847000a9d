/* Reads word vectors from text files of word2vec, GloVe and fastText into a matrix with a row per
 * feature. The bytes are untrusted; tests/fuzz/fuzz_word_vectors.c. */
#include "learn/word_vectors.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "text/value.h"

#include <string.h>

enum { MOST_WIDTH = 4096, MOST_LINE = 1 << 20, BLOCK = 1 << 16 };

/* How a word's vector was found; a better one replaces it. */
enum { NONE, FOLDED, EXACT };

struct vector_reader {
    struct source *source;
    const struct features *features;
    struct word_vectors *out;
    unsigned char *quality; /* by word: NONE, FOLDED or EXACT */
    struct tokens tokens;
    char *buffer; /* the unread bytes are START .. END - 1 */
    size_t start, end, capacity;
    int at_end;
    uint64_t line;
};

void word_vectors_free(struct word_vectors *vectors)
{
    mem_free(vectors->rows);
    *vectors = (struct word_vectors){0};
}

static film_status refuse(const struct vector_reader *reader, film_error *error, const char *what)
{
    return status_set(error, FILM_BAD_INPUT,
                      "%s:%llu: %s; expected a word and its numbers, separated by spaces",
                      source_name(reader->source), (unsigned long long)reader->line, what);
}

/* Makes room for a block after the unread bytes. */
static film_status reserve_line(struct vector_reader *reader, film_error *error)
{
    void *buffer = reader->buffer;
    if (!mem_grow(&buffer, &reader->capacity, reader->end + BLOCK, 1))
        return status_no_memory(error);
    reader->buffer = buffer;
    return FILM_OK;
}

/* *LINE = the next line without its end; FILM_END after the last. */
static film_status next_vector_line(struct vector_reader *reader, film_text *line,
                                    film_error *error)
{
    film_status status = FILM_OK;
    size_t seen = 0, got;
    reader->line++;
    for (;;) {
        char *from = reader->buffer + reader->start;
        size_t have = reader->end - reader->start;
        char *stop = have > seen ? memchr(from + seen, '\n', have - seen) : NULL;
        if (stop || (reader->at_end && have)) {
            size_t length = stop ? (size_t)(stop - from) : have;
            reader->start += length + (stop != NULL);
            if (length && from[length - 1] == '\r') length--;
            *line = (film_text){from, length};
            return FILM_OK;
        }
        if (reader->at_end) return FILM_END;
        seen = have;
        if (have > MOST_LINE) return refuse(reader, error, "this line is longer than 1 MiB");
        memmove(reader->buffer, from, have);
        reader->start = 0, reader->end = have;
        TRY(reserve_line(reader, error));
        TRY(source_read(reader->source, reader->buffer + have, BLOCK, &got, error));
        reader->end += got;
        reader->at_end = got == 0;
    }
done:
    return status;
}

static int is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

/* Removes and returns the last field of *LINE; its length is 0 when there is none. */
static film_text last_field(film_text *line)
{
    while (line->length && is_blank(line->bytes[line->length - 1])) line->length--;
    size_t end = line->length;
    while (line->length && !is_blank(line->bytes[line->length - 1])) line->length--;
    return (film_text){line->bytes + line->length, end - line->length};
}

static size_t count_fields(film_text line)
{
    size_t count = 0;
    while (last_field(&line).length) count++;
    return count;
}

/* Takes the width from the first line. *HEADING = whether it holds no vector. */
static film_status read_width(struct vector_reader *reader, film_text line, int *heading,
                              film_error *error)
{
    film_text rest = line;
    double words, width;
    size_t fields = count_fields(line);
    film_text last = last_field(&rest), first = last_field(&rest);
    *heading = fields == 2 && value_number(last, &width) && value_number(first, &words) &&
               width >= 1 && words >= 0 && width <= MOST_WIDTH && width == (double)(size_t)width;
    if (fields < 2) return refuse(reader, error, "no numbers");
    if (!*heading) width = (double)(fields - 1);
    if (width > MOST_WIDTH) return refuse(reader, error, "more than 4096 numbers");
    reader->out->width = (size_t)width;
    size_t count = features_count(reader->features);
    reader->out->rows = mem_zeroed(count, reader->out->width * sizeof(float));
    return reader->out->rows ? FILM_OK : status_no_memory(error);
}

/* *ID = the word's number in the vocabulary, or STRTAB_NONE; returns how it was found. */
static film_status find_vector_word(struct vector_reader *reader, film_text word, uint32_t *id,
                                    int *quality, film_error *error)
{
    film_status status = FILM_OK;
    const struct strtab *words = &reader->features->vocabulary[GROUP_WORD];
    *quality = EXACT;
    *id = strtab_find(words, word.bytes, word.length);
    if (*id != STRTAB_NONE || !utf8_valid(word.bytes, word.length, NULL)) goto done;
    TRY(tokens_split(&reader->tokens, &reader->features->tokenizer, word, error));
    if (reader->tokens.count != 1) goto done;
    film_text token = token_text(&reader->tokens, &reader->tokens.items[0]);
    *quality = FOLDED;
    *id = strtab_find(words, token.bytes, token.length);
done:
    return status;
}

static film_status read_vector(struct vector_reader *reader, film_text line, film_error *error)
{
    film_status status = FILM_OK;
    size_t width = reader->out->width;
    uint32_t id;
    int quality;
    film_text word = line, numbers;
    for (size_t i = 0; i < width; i++) /* a word may contain spaces, so count from the end */
        if (!last_field(&word).length) TRY(refuse(reader, error, "too few numbers"));
    numbers = (film_text){line.bytes + word.length, line.length - word.length};
    while (word.length && is_blank(word.bytes[word.length - 1])) word.length--;
    if (!word.length) TRY(refuse(reader, error, "too few numbers"));
    TRY(find_vector_word(reader, word, &id, &quality, error));
    if (id == STRTAB_NONE || reader->quality[id] >= quality) goto done;
    reader->out->found += reader->quality[id] == NONE;
    reader->quality[id] = (unsigned char)quality;
    for (size_t i = width; i-- > 0;) {
        double number;
        if (!value_number(last_field(&numbers), &number) || number > 1e30 || number < -1e30)
            TRY(refuse(reader, error, "a field is not a number"));
        reader->out->rows[id * width + i] = (float)number;
    }
done:
    return status;
}

static film_status read_vector_file(struct vector_reader *reader, film_error *error)
{
    film_status status = FILM_OK;
    film_text line = {NULL, 0};
    int heading;
    TRY(tokens_init(&reader->tokens, &reader->features->tokenizer, error));
    reader->quality = mem_zeroed(features_count(reader->features), 1);
    TRY_ALLOC(reader->quality, error);
    TRY(reserve_line(reader, error));
    while ((status = next_vector_line(reader, &line, error)) == FILM_OK) {
        film_text rest = line;
        if (!last_field(&rest).length) continue; /* an empty line */
        heading = 0;
        if (!reader->out->rows) TRY(read_width(reader, line, &heading, error));
        if (!heading) TRY(read_vector(reader, line, error));
    }
    if (status != FILM_END) goto done;
    status = FILM_OK;
    if (!reader->out->found)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s has none of the %u words of the training sentences; choose vectors of "
                       "the same language",
                       source_name(reader->source), features_count(reader->features)));
done:
    return status;
}

film_status word_vectors_read(struct word_vectors *out, struct source *source,
                              const struct features *features, film_error *error)
{
    struct vector_reader reader = {.source = source, .features = features, .out = out};
    *out = (struct word_vectors){0};
    film_status status = read_vector_file(&reader, error);
    if (status != FILM_OK) word_vectors_free(out);
    tokens_free(&reader.tokens);
    mem_free(reader.quality);
    mem_free(reader.buffer);
    source_close(source);
    return status;
}
