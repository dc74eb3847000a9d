/* Warns of fields of a model that a table of records lacks: they count as missing, which changes
 * verdicts without an error. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Copies the other name of a field, by --pair-fields, to OTHER; or its own. */
static void other_name(const char *list, const char *name, char *other, size_t size)
{
    size_t length = strlen(name);
    snprintf(other, size, "%s", name);
    for (; list && *list; list += strcspn(list, ","), list += *list == ',') {
        while (*list == ' ') list++;
        if (strncasecmp(list, name, length) == 0 && list[length] == '=')
            snprintf(other, size, "%.*s", (int)strcspn(list + length + 1, ","), list + length + 1);
    }
}

/* Returns whether a column is named BEFORE, NAME and AFTER. */
static int has_column(const film_table *table, const char *before, const char *name,
                      const char *after)
{
    char wanted[300];
    int length = snprintf(wanted, sizeof wanted, "%s%s%s", before, name, after);
    for (size_t c = 0; c < film_table_columns(table); c++) {
        film_text column = film_table_column(table, c);
        if (column.length == (size_t)length && length < (int)sizeof wanted &&
            strncasecmp(column.bytes, wanted, column.length) == 0)
            return 1;
    }
    return 0;
}

/* The same for a field of the left or the right record. */
static int has_side(const film_table *table, int right, const char *name)
{
    static const char *const affixes[4][2][2] = {{{"left_", ""}, {"right_", ""}},
                                                 {{"ltable_", ""}, {"rtable_", ""}},
                                                 {{"", "_left"}, {"", "_right"}},
                                                 {{"", "_l"}, {"", "_r"}}};
    int found = 0;
    for (size_t i = 0; i < 4 && !found; i++)
        found = has_column(table, affixes[i][right][0], name, affixes[i][right][1]);
    return found;
}

void warn_fields(const film_model *model, const film_table *table, const char *path,
                 const film_table_options *options)
{
    size_t count = film_field_count(model), found = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t f = 0; f < count && (!pass || found); f++) {
            const char *name = film_field_name(model, f);
            char other[256];
            other_name(options->pair_fields, name, other, sizeof other);
            int left = has_side(table, 0, name), right = has_side(table, 1, other);
            int single = has_column(table, "", name, "") || has_column(table, "", other, "");
            found += left || right || single;
            if (pass && !left && !right && !single)
                print_clean(
                    stderr,
                    "film: warning: %s: no column for the field \"%s\" of the model; it counts "
                    "as missing\n",
                    path, name);
            else if (pass && left != right)
                print_clean(
                    stderr,
                    "film: warning: %s: no column %s_%s for the field \"%s\" of the model; it "
                    "counts as missing there\n",
                    path, left ? "right" : "left", left ? other : name, name);
        }
}

void warn_file(const film_model *model, const char *path, const film_table_options *options)
{
    film_table_options with = *options;
    film_table *table = NULL;
    film_error error;
    size_t count = film_field_count(model), size = 2, used = 0;
    if (!count || options->columns || strcmp(path, "-") == 0) return;
    for (size_t f = 0; f < count; f++) size += strlen(film_field_name(model, f)) + 1;
    char *list = malloc(size);
    if (!list) return; /* the verb itself reports it */
    for (size_t f = 0; f < count; f++) {
        const char *name = film_field_name(model, f);
        if (!strpbrk(name, ",:"))
            used += (size_t)snprintf(list + used, size - used, "%c%s", used ? ',' : '?', name);
    }
    with.size = sizeof with;
    with.fields = used ? list : NULL;
    /* A table that cannot be read is reported by the verb. */
    if (film_table_open(path, &with, &table, &error) == FILM_OK)
        warn_fields(model, table, path, options);
    film_table_close(table);
    free(list);
}
