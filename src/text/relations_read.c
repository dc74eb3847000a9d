/* Reads relations that a person wrote: one per line,
 *
 *     car = automobile        they mean the same
 *     open ! closed           they are opposites
 *     poodle > dog            the first may be replaced by the second
 *
 * Words may be phrases of any language. "#" starts a comment line. */
#include "text/relations_read.h"
#include "base/mem.h"
#include "text/fold.h"
#include "text/reader.h"

#include <string.h>

static film_text trim(film_text text)
{
    while (text.length && strchr(" \t\r", text.bytes[0])) text.bytes++, text.length--;
    while (text.length && strchr(" \t\r", text.bytes[text.length - 1])) text.length--;
    return text;
}

/* Folds TEXT into ROOM, words separated by single spaces. */
static film_status fold_phrase(struct fold *fold, film_text text, char *room, film_text *out,
                               film_error *error)
{
    film_status status = fold_text(fold, text, error);
    size_t length = 0;
    if (status != FILM_OK) return status;
    for (size_t i = 0; i < fold->length; i++) {
        char c = fold->bytes[i] == '\t' ? ' ' : fold->bytes[i];
        if (c == ' ' && (!length || room[length - 1] == ' ')) continue;
        if (length == RELATIONS_LONGEST)
            return status_set(error, FILM_BAD_INPUT, "longer than %d bytes", RELATIONS_LONGEST);
        room[length++] = c;
    }
    *out = (film_text){room, length};
    return FILM_OK;
}

/* Splits LINE at its " = ", " ! " or " > ". */
static int split_line(film_text line, film_text side[2], enum relation *relation)
{
    static const char signs[3] = {'=', '!', '>'}; /* without a NUL, which a line may have */
    static const enum relation relations[] = {RELATION_SYNONYM, RELATION_OPPOSITE,
                                              RELATION_ONE_WAY};
    for (size_t i = 1; i + 1 < line.length; i++) {
        const char *sign = memchr(signs, line.bytes[i], sizeof signs);
        if (!sign || line.bytes[i - 1] != ' ' || line.bytes[i + 1] != ' ') continue;
        *relation = relations[sign - signs];
        side[0] = trim((film_text){line.bytes, i});
        side[1] = trim((film_text){line.bytes + i + 1, line.length - i - 1});
        return side[0].length && side[1].length;
    }
    return 0;
}

/* Splits and folds LINE; OUT->relation is RELATION_NONE where it has no sign. */
static film_status fold_line(struct fold *fold, film_text line, struct relation_line *out,
                             film_error *error)
{
    film_status status = FILM_OK;
    out->relation = RELATION_NONE;
    if (!split_line(line, out->side, &out->relation)) {
        out->relation = RELATION_NONE;
        return FILM_OK;
    }
    for (int s = 0; s < 2; s++)
        TRY(fold_phrase(fold, out->side[s], out->room[s], &out->side[s], error));
done:
    return status;
}

film_status relation_line_read(film_text line, struct relation_line *out, film_error *error)
{
    struct fold fold = {.bytes = NULL};
    film_status status = fold_line(&fold, trim(line), out, error);
    fold_free(&fold);
    return status;
}

static film_status read_relation(struct relations_builder *builder, struct fold *fold,
                                 film_text line, film_error *error)
{
    film_status status = FILM_OK;
    struct relation_line read;
    line = trim(line);
    if (!line.length || line.bytes[0] == '#') return FILM_OK;
    TRY(fold_line(fold, line, &read, error));
    if (read.relation == RELATION_NONE)
        return status_set(
            error, FILM_BAD_INPUT,
            "expected \"a = b\", \"a ! b\" or \"a > b\", with spaces around the sign");
    TRY(relations_add(builder, read.side[0], read.side[1], read.relation, error));
done:
    return status;
}

film_status relations_read(struct relations_builder *builder, struct source *source,
                           film_error *error)
{
    film_status status = FILM_OK;
    struct reader reader = {.source = NULL};
    struct reader_record record;
    struct fold fold = {.bytes = NULL};
    film_error own;
    TRY(reader_open(&reader, source, error));
    TRY(reader_check_start(&reader, error));
    while ((status = reader_next(&reader, &record, error)) == FILM_OK) {
        film_status read = record.too_long
                               ? status_set(&own, FILM_BAD_INPUT, "the line is too long")
                               : read_relation(builder, &fold, record.raw, &own);
        if (read != FILM_OK)
            TRY(status_set(error, read, "%s:%llu: %s", source_name(reader.source),
                           (unsigned long long)record.line, own.message));
    }
    if (status == FILM_END) status = FILM_OK;
done:
    fold_free(&fold);
    reader_close(&reader);
    return status;
}
