/* Maps the trait columns of a model file to the traits of this program, by id.
 *
 * The line and the trees of a file number traits by column. The settings say which trait a column
 * is: `decision.trait_ids`, or in files older than ids the names in `decision.traits`. This program
 * may have other traits in another order. A trait that the file lacks has no weight and no split. A
 * column that this program cannot compute is an error only if a weight or a split uses it. */
#ifndef MODEL_TRAIT_COLUMNS_H
#define MODEL_TRAIT_COLUMNS_H

#include "pair/linear.h"
#include "pair/record_fields.h"
#include "pair/trees.h"

#include <jansson.h>

/* Zero-initialise it. */
struct trait_columns {
    size_t count;
    size_t *trait; /* number of the column's trait in this program, or TRAIT_NONE */
    char **id;     /* as in the file */
    char *version; /* of the program that trained the model; NULL: unknown */
    int same;      /* column i is trait i for all traits: nothing has to be renumbered */
    size_t traits; /* of this program, with those of the model's fields */
};

/* Writes the columns of this program: `trait_ids`, `traits` and `version` of OBJECT. FIELDS NULL: a
 * model of sentences. */
void trait_columns_write(json_t *object, const struct record_fields *fields);

/* Reads the columns from the settings of a decision. Free them also after a failure. */
film_status trait_columns_read(struct trait_columns *columns, const json_t *decision,
                               const struct record_fields *fields, const char *path,
                               film_error *error);
void trait_columns_free(struct trait_columns *columns);

/* Points LINE at ROWS (LINEAR_ROWS x columns floats of the file), or gives it rows of its own with
 * a column for every trait of this program. */
film_status trait_columns_line(const struct trait_columns *columns, const float *rows,
                               struct linear *line, const char *path, film_error *error);

/* Renumbers the features of TREES (checked, arrays in the file) from columns to traits. */
film_status trait_columns_trees(const struct trait_columns *columns, struct trees *trees,
                                const char *path, film_error *error);

#endif
