/* Assigns roles to the columns of a table, from its header or from the caller's list. Guessing from
 * the rows is in guess.c. */
#include "text/columns.h"
#include "base/mem.h"
#include "text/value.h"

#include <stdio.h>
#include <string.h>

/* ---- names --------------------------------------------------------------------------------- */

void columns_free(struct columns *columns)
{
    for (size_t i = 0; columns->names && i < columns->count; i++) mem_free(columns->names[i]);
    mem_free(columns->names);
    columns->names = NULL;
    columns->count = 0;
    column_fields_free(columns);
}

static film_status set_names(struct columns *columns, const film_text *names, size_t count,
                             film_error *error)
{
    columns_free(columns);
    columns->names = mem_zeroed(count, sizeof *columns->names);
    if (!columns->names) return status_no_memory(error);
    columns->count = count;
    for (size_t i = 0; i < count; i++) {
        columns->names[i] = mem_string(names[i].bytes, names[i].length);
        if (!columns->names[i]) return status_no_memory(error);
    }
    return FILM_OK;
}

/* Returns the next element of a comma-separated list; 0 when there is none. */
static int next_column_name(const char **list, film_text *item)
{
    if (!*list) return 0;
    size_t length = strcspn(*list, ",");
    *item = value_trim((film_text){*list, length});
    *list = (*list)[length] ? *list + length + 1 : NULL;
    return 1;
}

static film_status set_names_from(struct columns *columns, const char *list, film_error *error)
{
    film_text names[RECORD_MAX_FIELDS];
    size_t count = 0;
    while (count < RECORD_MAX_FIELDS && next_column_name(&list, &names[count])) count++;
    return set_names(columns, names, count, error);
}

const char *columns_list(const struct columns *columns, char list[COLUMNS_LISTED])
{
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; i < columns->count; i++) {
        char shown[VALUE_SHOWN];
        value_show(value_of(columns->names[i]), shown);
        size_t length = strlen(shown);
        if (used + length + 8 > COLUMNS_LISTED) {
            memcpy(list + used, ", ...", 6);
            break;
        }
        used += (size_t)snprintf(list + used, COLUMNS_LISTED - used, "%s%s", i ? ", " : "", shown);
    }
    return list;
}

/* ---- Header ---- */

/* In order of preference, where a file has several. */
static const char *const pair_names[][2] = {
    {"question1", "question2"},
    {"sentence1", "sentence2"},
    {"text1", "text2"},
    {"question_1", "question_2"},
    {"sentence_1", "sentence_2"},
    {"text_1", "text_2"},
    {"text_a", "text_b"},
    {"sentence_a", "sentence_b"},
    {"a", "b"},
    {"left", "right"},
    {"#1 string", "#2 string"}, /* GLUE MRPC */
    {"question", "sentence"},   /* GLUE QNLI */
    {"premise", "hypothesis"},
    {"anchor", "positive"},
};
static const char *const single_names[] = {"text", "question", "sentence", "query", NULL};
static const char *const label_names[] = {"gold_label", "is_duplicate", "label", "quality",
                                          "duplicate",  "same",         "match", NULL};
static const char *const score_names[] = {"score", "similarity", "similarity_score", NULL};
static const char *const category_names[] = {"category", "intent", "class", "cluster", NULL};
static const char *const id_names[] = {"id",  "test_id", "pair_id", "pairid", "index",
                                       "idx", "qid",     "_id",     NULL};

static size_t find_listed(const film_text *names, size_t count, const char *wanted)
{
    for (size_t i = 0; i < count; i++)
        if (value_is(names[i], wanted)) return i;
    return COLUMN_NONE;
}

static size_t find_any(const film_text *names, size_t count, const char *const *wanted)
{
    size_t at = COLUMN_NONE;
    for (; *wanted && at == COLUMN_NONE; wanted++) at = find_listed(names, count, *wanted);
    return at;
}

static void clear_roles(struct columns *columns)
{
    for (int role = 0; role < COLUMN_ROLES; role++) columns->at[role] = COLUMN_NONE;
    columns->is_score = 0;
}

int columns_recognise(struct columns *columns, const film_text *names, size_t count)
{
    size_t *at = columns->at, record[2] = {COLUMN_NONE, COLUMN_NONE};
    clear_roles(columns);
    for (size_t i = 0; i < sizeof pair_names / sizeof pair_names[0]; i++) {
        size_t a = find_listed(names, count, pair_names[i][0]),
               b = find_listed(names, count, pair_names[i][1]);
        if (a == COLUMN_NONE || b == COLUMN_NONE) continue;
        at[COLUMN_A] = a;
        at[COLUMN_B] = b;
        break;
    }
    if (find_listed(names, count, "anchor") != COLUMN_NONE &&
        find_listed(names, count, "positive") != COLUMN_NONE &&
        find_listed(names, count, "negative") != COLUMN_NONE) {
        at[COLUMN_A] = find_listed(names, count, "anchor");
        at[COLUMN_B] = find_listed(names, count, "positive");
        at[COLUMN_C] = find_listed(names, count, "negative");
    }
    for (size_t i = 0; i < count && at[COLUMN_C] == COLUMN_NONE; i++) { /* records */
        film_text field;
        for (int side = 0; side < 2; side++)
            if (record[side] == COLUMN_NONE && column_fields_side(names[i], side, &field) &&
                !column_fields_is_id(field))
                record[side] = i;
    }
    if (at[COLUMN_B] == COLUMN_NONE && record[0] != COLUMN_NONE && record[1] != COLUMN_NONE) {
        at[COLUMN_A] = record[0];
        at[COLUMN_B] = record[1];
    }
    if (at[COLUMN_A] == COLUMN_NONE) at[COLUMN_A] = find_any(names, count, single_names);
    at[COLUMN_LABEL] = find_any(names, count, label_names);
    if (at[COLUMN_LABEL] == COLUMN_NONE) {
        at[COLUMN_LABEL] = find_any(names, count, score_names);
        columns->is_score = at[COLUMN_LABEL] != COLUMN_NONE;
    }
    at[COLUMN_CATEGORY] = find_any(names, count, category_names);
    /* One sentence and a "label" (as in many intent data sets): the label can only be its
     * category. */
    if (at[COLUMN_B] == COLUMN_NONE && at[COLUMN_CATEGORY] == COLUMN_NONE && !columns->is_score) {
        at[COLUMN_CATEGORY] = at[COLUMN_LABEL];
        at[COLUMN_LABEL] = COLUMN_NONE;
    }
    for (size_t i = 0; i < count && at[COLUMN_ID] == COLUMN_NONE; i++)
        for (const char *const *id = id_names; *id; id++)
            if (value_is(names[i], *id)) at[COLUMN_ID] = i;
    return at[COLUMN_A] != COLUMN_NONE;
}

/* A header has no numbers; "0<tab>a<tab>b" is a row whose sentences happen to be names. */
static int has_number(const struct record *record)
{
    double number;
    for (size_t i = 0; i < record->field_count; i++)
        if (value_number(record->fields[i], &number)) return 1;
    return 0;
}

/* ---- The columns option ---- */

static const struct {
    const char *name;
    int role;
} roles[] = {{"label", COLUMN_LABEL},
             {"score", COLUMN_LABEL},
             {"a", COLUMN_A},
             {"b", COLUMN_B},
             {"anchor", COLUMN_A},
             {"positive", COLUMN_B},
             {"negative", COLUMN_C},
             {"text", COLUMN_A},
             {"id", COLUMN_ID},
             {"-", COLUMN_ROLES},
             {"category", COLUMN_CATEGORY},
             {"answer", COLUMN_ROLES},
             {"url", COLUMN_ROLES}}; /* the last two are for pools, which search for the names */

static film_status add_role(struct columns *columns, film_text name, size_t column,
                            film_error *error)
{
    char shown[VALUE_SHOWN];
    size_t i = 0, known = sizeof roles / sizeof roles[0];
    while (i < known && !value_is(name, roles[i].name)) i++;
    if (i == known)
        return status_set(
            error, FILM_USAGE,
            "columns: unknown name \"%s\"; known names: label, score, a, b, anchor, positive, "
            "negative, text, category, answer, url, id, - (ignore the column)",
            value_show(name, shown));
    if (roles[i].role == COLUMN_ROLES) return FILM_OK;
    if (columns->at[roles[i].role] != COLUMN_NONE)
        return status_set(error, FILM_USAGE,
                          "columns: \"%s\" is column %zu, but column %zu has that role "
                          "already; use - for one of them",
                          roles[i].name, column + 1, columns->at[roles[i].role] + 1);
    columns->at[roles[i].role] = column;
    if (strcmp(roles[i].name, "score") == 0) columns->is_score = 1;
    return FILM_OK;
}

static film_status need_text(const struct columns *columns, film_error *error)
{
    if (columns->at[COLUMN_A] != COLUMN_NONE) return FILM_OK;
    return status_set(error, FILM_USAGE,
                      "columns: no text column; name one of them a, text or anchor");
}

static film_status roles_from(struct columns *columns, const char *list, film_error *error)
{
    film_text item;
    size_t column = 0;
    clear_roles(columns);
    for (; next_column_name(&list, &item); column++) {
        film_status status = add_role(columns, item, column, error);
        if (status != FILM_OK) return status;
    }
    if (column > RECORD_MAX_FIELDS)
        return status_set(error, FILM_USAGE, "columns: more than %d names", RECORD_MAX_FIELDS);
    return need_text(columns, error);
}

/* Finds a column by its name in the header. The same letters in another case will do. */
static size_t find_name(const struct columns *columns, film_text name)
{
    size_t found = COLUMN_NONE;
    for (size_t i = columns->count; i-- > 0;) {
        film_text given = value_trim(value_of(columns->names[i]));
        if (given.length != name.length) continue;
        if (memcmp(given.bytes, name.bytes, name.length) == 0) return i;
        char wanted[256];
        snprintf(wanted, sizeof wanted, "%.*s", (int)(name.length < 255 ? name.length : 255),
                 name.bytes);
        if (value_is(given, wanted)) found = i;
    }
    return found;
}

/* "text=Frage,category=Thema": the roles of columns by their names. */
static film_status roles_by_name(struct columns *columns, const char *file, const char *list,
                                 film_error *error)
{
    film_text item;
    char shown[VALUE_SHOWN], names[COLUMNS_LISTED];
    clear_roles(columns);
    while (next_column_name(&list, &item)) {
        const char *equals = memchr(item.bytes, '=', item.length);
        if (!equals)
            return status_set(error, FILM_USAGE,
                              "columns: \"%s\" has no =; name all of them in file order, or each "
                              "as in text=Question",
                              value_show(item, shown));
        film_text role = {item.bytes, (size_t)(equals - item.bytes)};
        film_text name =
            value_trim((film_text){equals + 1, (size_t)(item.bytes + item.length - equals - 1)});
        size_t column = find_name(columns, name);
        if (column == COLUMN_NONE)
            return status_set(error, FILM_BAD_INPUT, "%s: no column \"%s\"; the columns are %s",
                              file, value_show(name, shown), columns_list(columns, names));
        film_status status = add_role(columns, role, column, error);
        if (status != FILM_OK) return status;
        /* A pool finds these two by their names. */
        if (!value_is(role, "answer") && !value_is(role, "url")) continue;
        char *own =
            mem_string(value_is(role, "url") ? "url" : "answer", value_is(role, "url") ? 3 : 6);
        if (!own) return status_no_memory(error);
        mem_free(columns->names[column]);
        columns->names[column] = own;
    }
    return need_text(columns, error);
}

static film_status use_names(struct columns *columns, const char *file, const char *list,
                             enum record_format format, const struct columns_peek *peek,
                             film_error *error)
{
    film_status status = FILM_OK;
    if (format == RECORD_LINES || (format != RECORD_JSONL && !peek->from_start))
        return status_set(error, FILM_BAD_INPUT,
                          "%s: no header, so columns have no names; name all of them in file order",
                          file);
    if (format != RECORD_JSONL) {
        const struct record *header = &peek->records[0];
        columns->has_header = 1;
        status = set_names(columns, header->fields, header->field_count, error);
    }
    return status == FILM_OK ? roles_by_name(columns, file, list, error) : status;
}

static film_status use_given(struct columns *columns, const char *file,
                             const film_table_options *options, enum record_format format,
                             const struct columns_peek *peek, film_error *error)
{
    struct columns by_name = {0};
    size_t given = 1;
    const struct record *first = peek->count ? &peek->records[0] : NULL;
    if (strchr(options->columns, '='))
        return use_names(columns, file, options->columns, format, peek, error);
    film_status status = roles_from(columns, options->columns, error);
    if (status != FILM_OK) return status;
    for (const char *c = options->columns; *c; c++) given += *c == ',';
    size_t width = guess_width(peek);
    if (format == RECORD_JSONL) width = columns->count;
    if (format == RECORD_LINES) width = 1;
    if (format != RECORD_JSONL && first && peek->from_start && !has_number(first))
        columns->has_header = columns_recognise(&by_name, first->fields, first->field_count) ||
                              (first->field_count > 1 && guess_header(peek));
    if (columns->has_header) {
        width = first->field_count;
        status = set_names(columns, first->fields, width, error);
    } else if (format != RECORD_JSONL) {
        status = set_names_from(columns, options->columns, error);
    }
    if (status == FILM_OK && given != width)
        status = status_set(error, FILM_BAD_INPUT,
                            "%s: %zu column%s, but %zu are named (%s); name every column", file,
                            width, width == 1 ? "" : "s", given, options->columns);
    return status;
}

/* ---- Decision ---- */

static film_status refuse_keys(const char *file, const struct columns *columns, film_error *error)
{
    char list[COLUMNS_LISTED];
    return status_set(error, FILM_BAD_INPUT,
                      "%s: no known text key among %s (known: question1 and question2, text, "
                      "...); name the columns, for example text=%s",
                      file, columns_list(columns, list),
                      columns->count ? columns->names[0] : "KEY");
}

/* Says what the first row is taken for, and how to name the columns then. */
static film_status refuse_columns(struct columns *columns, const char *file,
                                  const struct columns_peek *peek, film_error *error)
{
    char list[COLUMNS_LISTED], example[GUESS_EXAMPLE];
    size_t width = guess_width(peek);
    const char *reason = guess_data_reason(peek);
    const char *ordered = width == 2   ? "a,b or text,category"
                          : width == 3 ? "label,a,b"
                                       : "label,a,b,-";
    film_status status =
        set_names(columns, peek->records[0].fields, peek->records[0].field_count, error);
    if (status != FILM_OK) return status;
    columns_list(columns, list);
    if (guess_header(peek))
        return status_set(
            error, FILM_BAD_INPUT,
            "%s: the header has no known names (%s); name the columns, for example %s", file, list,
            guess_example(peek, example));
    if (reason)
        return status_set(error, FILM_BAD_INPUT,
                          "%s: %zu columns, and the first row (%s) is no header, since %s; name "
                          "the columns, for example %s",
                          file, width, list, reason, ordered);
    return status_set(error, FILM_BAD_INPUT,
                      "%s: the first row (%s) has no known names, and %s; name the columns, for "
                      "example %s if it is a header, in file order (%s) if it is data",
                      file, list,
                      peek->count > 1 ? "the rows below do not show that it is a header"
                                      : "no row follows",
                      guess_example(peek, example), ordered);
}

/* Returns whether the names form a known layout, or that of single records with given fields. */
static int recognise(struct columns *columns, const film_table_options *options,
                     const film_text *names, size_t count)
{
    int known = columns_recognise(columns, names, count);
    size_t first = column_fields_first(options, names, count);
    if (first == COLUMN_NONE || columns->at[COLUMN_B] != COLUMN_NONE) return known;
    columns->at[COLUMN_A] = first;
    return 1;
}

static film_status use_content(struct columns *columns, const char *file,
                               const film_table_options *options, enum record_format format,
                               const struct columns_peek *peek, film_error *error)
{
    if (format == RECORD_LINES) {
        film_text text = {"text", 4};
        clear_roles(columns);
        columns->at[COLUMN_A] = 0;
        return set_names(columns, &text, 1, error);
    }
    if (format == RECORD_JSONL) {
        film_text names[RECORD_MAX_KEYS];
        size_t count = columns->count < RECORD_MAX_KEYS ? columns->count : RECORD_MAX_KEYS;
        for (size_t i = 0; i < count; i++) names[i] = value_of(columns->names[i]);
        if (recognise(columns, options, names, count)) return FILM_OK;
        return refuse_keys(file, columns, error);
    }
    const struct record *first = &peek->records[0];
    if (peek->from_start && !has_number(first) &&
        recognise(columns, options, first->fields, first->field_count)) {
        columns->has_header = 1;
        return set_names(columns, first->fields, first->field_count, error);
    }
    const struct columns_layout *layout = NULL;
    if (!guess_header(peek))
        layout = guess_layout(peek, format, options->labels, guess_width(peek));
    if (!layout) return refuse_columns(columns, file, peek, error);
    film_status status = roles_from(columns, layout->roles, error);
    columns->more_allowed = layout->more_allowed;
    if (status != FILM_OK) return status;
    return set_names_from(columns, layout->names ? layout->names : layout->roles, error);
}

/* Numbers in the label column other than 0 and 1 are degrees. */
static int has_degrees(const struct columns *columns, const struct columns_peek *peek)
{
    size_t rows = 0, numbers = 0, degrees = 0;
    double number;
    for (size_t i = columns->has_header ? 1 : 0; i < peek->count; i++) {
        const struct record *record = &peek->records[i];
        if (columns->at[COLUMN_LABEL] >= record->field_count) continue;
        film_text value = record->fields[columns->at[COLUMN_LABEL]];
        rows++;
        if (!value_number(value, &number)) continue;
        numbers++;
        degrees += number != 0 && number != 1;
    }
    return degrees > 0 && numbers * 2 > rows;
}

static film_labels labels_of(const struct columns *columns, const struct columns_peek *peek)
{
    const size_t *at = columns->at;
    if (at[COLUMN_C] != COLUMN_NONE && at[COLUMN_B] != COLUMN_NONE) return FILM_LABELS_TRIPLETS;
    if (at[COLUMN_B] == COLUMN_NONE)
        return at[COLUMN_CATEGORY] != COLUMN_NONE ? FILM_LABELS_CATEGORIES : FILM_LABELS_NONE;
    if (at[COLUMN_LABEL] == COLUMN_NONE) return FILM_LABELS_NONE;
    return columns->is_score || has_degrees(columns, peek) ? FILM_LABELS_SCORES : FILM_LABELS_PAIRS;
}

/* Checks that the columns that the kind of labels needs exist. */
static film_status check_label_columns(const struct columns *columns, const char *file,
                                       film_error *error)
{
    static const char *const kinds[] = {"auto",   "none",     "pairs",
                                        "scores", "triplets", "categories"};
    static const char *const names[] = {"a first sentence (a)",
                                        "a second sentence (b)",
                                        "a dissimilar sentence (negative)",
                                        "a label",
                                        "an id",
                                        "a category"};
    static const unsigned needed[] = {
        [FILM_LABELS_NONE] = 1u << COLUMN_A,
        [FILM_LABELS_PAIRS] = 1u << COLUMN_A | 1u << COLUMN_B | 1u << COLUMN_LABEL,
        [FILM_LABELS_SCORES] = 1u << COLUMN_A | 1u << COLUMN_B | 1u << COLUMN_LABEL,
        [FILM_LABELS_TRIPLETS] = 1u << COLUMN_A | 1u << COLUMN_B | 1u << COLUMN_C,
        [FILM_LABELS_CATEGORIES] = 1u << COLUMN_A | 1u << COLUMN_CATEGORY};
    char missing[200] = "", list[COLUMNS_LISTED];
    size_t used = 0;
    for (int role = 0; role < COLUMN_ROLES; role++)
        if (needed[columns->labels] >> role & 1 && columns->at[role] == COLUMN_NONE)
            used += (size_t)snprintf(missing + used, sizeof missing - used, "%s%s",
                                     used ? " and " : "", names[role]);
    if (!used) return FILM_OK;
    return status_set(error, FILM_BAD_INPUT,
                      "%s: labels of the kind \"%s\" need %s, but the columns are %s; name the "
                      "columns or choose another kind of labels",
                      file, kinds[columns->labels], missing, columns_list(columns, list));
}

film_status columns_decide(struct columns *columns, const char *file, enum record_format format,
                           const film_table_options *options, const struct columns_peek *peek,
                           film_error *error)
{
    film_status status = options->columns
                             ? use_given(columns, file, options, format, peek, error)
                             : use_content(columns, file, options, format, peek, error);
    if (status == FILM_OK) status = column_fields_find(columns, file, options, error);
    if (status != FILM_OK) return status;
    columns->labels = options->labels ? options->labels : labels_of(columns, peek);
    return check_label_columns(columns, file, error);
}
