/* Divides a file into slices of nearly equal size at row ends, so that every row is in exactly one.
 * It reads only the bytes near the cuts. */
#include "text/slice.h"
#include "base/mem.h"

#include <string.h>

enum { BLOCK_BYTES = 1 << 18, SCAN_STATES = QUOTE_SEEN + 1 };

/* ---- Is the cut inside quotes? -------------------------------------------------------------- */

/* Counting quotes is not enough. The reader opens a quoted field only after a separator or a line
 * end (the quote in 5" disk opens none), so the effect of a quote depends on the state before it.
 * But the states converge: after the closing quote of almost any field, the initial state does not
 * matter. So blocks are read backwards from the cut, and for each block the final state of each of
 * the four initial states is computed, until all agree. Only a file without quotes is read to its
 * beginning. */
struct states {
    unsigned char at[SCAN_STATES]; /* final state after a range, by initial state */
};

static unsigned char after_quote(unsigned char state)
{
    static const unsigned char next[SCAN_STATES] = {[FIELD_START] = QUOTED,
                                                    [UNQUOTED] = UNQUOTED,
                                                    [QUOTED] = QUOTE_SEEN,
                                                    [QUOTE_SEEN] = QUOTED};
    return next[state];
}

/* Without a quote, the last byte decides. */
static unsigned char after_other_bytes(unsigned char state, char last, char separator)
{
    if (state == QUOTED) return QUOTED;
    return last == separator || last == '\n' ? FIELD_START : UNQUOTED;
}

static struct states states_after(const char *at, size_t count, char separator)
{
    struct states states = {{FIELD_START, UNQUOTED, QUOTED, QUOTE_SEEN}};
    const char *end = at + count;
    while (at < end) {
        const char *quote = memchr(at, '"', (size_t)(end - at));
        const char *stop = quote ? quote : end;
        for (int i = 0; i < SCAN_STATES; i++) {
            if (stop > at) states.at[i] = after_other_bytes(states.at[i], stop[-1], separator);
            if (quote) states.at[i] = after_quote(states.at[i]);
        }
        at = quote ? quote + 1 : end;
    }
    return states;
}

static int all_the_same(const struct states *states)
{
    for (int i = 1; i < SCAN_STATES; i++)
        if (states->at[i] != states->at[0]) return 0;
    return 1;
}

/* Returns the state of the reader before the byte at CUT; a row begins at START. */
static film_status state_at(const struct reader *reader, uint64_t start, uint64_t cut,
                            unsigned char *state, film_error *error)
{
    film_status status = FILM_OK;
    struct states behind = states_after("", 0, reader->csv);
    char *block = mem_array(BLOCK_BYTES, 1);
    TRY_ALLOC(block, error);
    while (cut > start && !all_the_same(&behind)) {
        size_t count = cut - start < BLOCK_BYTES ? (size_t)(cut - start) : BLOCK_BYTES;
        cut -= count;
        TRY(source_read_at(reader->source, cut, block, count, error));
        struct states here = states_after(block, count, reader->csv);
        for (int i = 0; i < SCAN_STATES; i++) here.at[i] = behind.at[here.at[i]];
        behind = here;
    }
    *state = behind.at[FIELD_START];
done:
    mem_free(block);
    return status;
}

/* ---- Seeking -------------------------------------------------------------------------------- */

/* Moves from the first byte of a row before CUT to the first row that begins at CUT or after it. */
static film_status seek(struct reader *reader, uint64_t cut, film_error *error)
{
    film_status status = FILM_OK;
    unsigned char state = FIELD_START;
    struct reader_record broken;
    /* Start at the preceding byte: if it ends a row, the next row begins at the cut. */
    if (reader->csv) TRY(state_at(reader, reader_offset(reader), cut - 1, &state, error));
    TRY(reader_seek(reader, cut - 1, error));
    reader->scan.state = state;
    status = reader_next(reader, &broken, error);
    /* A quote that is never closed is reported by the slice in which it was opened. */
    if (status == FILM_END || status == FILM_BAD_INPUT)
        TRY(reader_seek(reader, source_offset(reader->source), error));
    reader->line = 1;
done:
    return status;
}

/* Returns the first byte of slice AT of COUNT. */
static uint64_t begin_of(uint64_t size, uint64_t at, uint64_t count)
{
    return size / count * at + size % count * at / count;
}

film_status slice_find(struct table_slice *part, const film_table_options *options, size_t number,
                       struct reader *reader, film_error *error)
{
    int64_t size = source_size(reader->source);
    *part = (struct table_slice){.first = reader_offset(reader), .stop = UINT64_MAX, .counted = 1};
    part->number = (uint64_t)options->part;
    part->count = options->parts ? (uint64_t)options->parts : 1;
    if (part->count == 1) return FILM_OK;
    if (size < 0) {
        if (number % part->count != part->number) part->stop = 0;
        return FILM_OK;
    }
    uint64_t cut = begin_of((uint64_t)size, part->number, part->count);
    if (part->number + 1 < part->count)
        part->stop = begin_of((uint64_t)size, part->number + 1, part->count);
    if (cut <= reader_offset(reader)) return FILM_OK;
    film_status status = seek(reader, cut, error);
    part->start = reader_offset(reader);
    part->counted = 0;
    return status;
}

/* Counts the rows and line ends of a chunk. A row ends at a line end outside of quotes; a blank one
 * counts only in a file of plain lines. One carriage return belongs to the line end. */
struct row_count {
    unsigned char state, returned; /* returned: the last byte is a carriage return */
    uint64_t lines, rows, length;  /* length: of the current row so far */
};

static void count_chunk(struct row_count *count, const char *bytes, size_t size,
                        const struct reader *reader, int blank_too)
{
    for (size_t i = 0; i < size; i++) {
        char c = bytes[i];
        if (reader->csv)
            count->state = c == '"' ? after_quote(count->state)
                                    : after_other_bytes(count->state, c, reader->csv);
        count->lines += c == '\n';
        if (c == '\n' && count->state != QUOTED) {
            count->rows += count->length > count->returned || blank_too;
            count->length = count->returned = 0;
        } else {
            count->length++;
            count->returned = c == '\r';
        }
    }
}

film_status slice_count_lines(struct table_slice *part, struct reader *reader, int blank_too,
                              film_error *error)
{
    film_status status = FILM_OK;
    char *block = NULL;
    struct row_count before = {.state = FIELD_START}, count = {.state = FIELD_START};
    if (part->counted) goto done;
    TRY_ALLOC(block = mem_array(BLOCK_BYTES, 1), error);
    for (uint64_t at = 0, size; at < part->start; at += size) {
        /* The header is no row: what precedes the first row is counted apart. */
        int is_row = at >= part->first;
        uint64_t end = is_row ? part->start : part->first;
        size = end - at < BLOCK_BYTES ? end - at : BLOCK_BYTES;
        TRY(source_read_at(reader->source, at, block, (size_t)size, error));
        count_chunk(is_row ? &count : &before, block, (size_t)size, reader, blank_too);
    }
    reader->lines_before = before.lines + count.lines;
    part->rows_before = count.rows;
    part->counted = 1;
done:
    mem_free(block);
    return status;
}

double slice_progress(const struct table_slice *part, const struct source *source)
{
    double done = source_progress(source);
    if (part->count == 1 || done < 0) return done;
    if (part->stop == 0) return 1;
    if (source_size(source) < 0) return done;
    done = done * (double)part->count - (double)part->number;
    return done < 0 ? 0 : done > 1 ? 1 : done;
}
