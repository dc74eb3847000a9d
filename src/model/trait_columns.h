/* The traits of a model file, found by their ids.
 *
 * The line and the trees of a file number traits by column. Which trait a column is, the settings
 * say: `decision.trait_ids`, or in files that are older than ids the names in `decision.traits`.
 * This program may have other traits, and in another order. A trait that the file lacks counts as
 * absent: nothing of the line and no tree asks for it. A column that this program cannot measure is
 * refused only where a weight or a split needs it. */
#ifndef MODEL_TRAIT_COLUMNS_H
#define MODEL_TRAIT_COLUMNS_H

#include "pair/linear.h"
#include "pair/traits.h"
#include "pair/trees.h"

#include <jansson.h>

struct trait_columns { /* zero-initialised: none */
    size_t count;
    size_t *trait; /* the number each column has in this program, or TRAIT_NONE */
    char **id;     /* as the file says */
    char *version; /* of the program that trained the model; NULL: not known */
    int same;      /* column i is trait i, and there are no others: nothing has to be moved */
};

/* The columns this program writes: `trait_ids`, `traits` and `version` of OBJECT. */
void trait_columns_write(json_t *object);

/* Reads them from a decision's settings. Free also after a failure. */
film_status trait_columns_read(struct trait_columns *columns, const json_t *decision,
                               const char *path, film_error *error);
void trait_columns_free(struct trait_columns *columns);

/* Points LINE at ROWS (LINEAR_ROWS x columns floats of the file), or gives it rows of its own with
 * a column for every trait of this program. */
film_status trait_columns_line(const struct trait_columns *columns, const float *rows,
                               struct linear *line, const char *path, film_error *error);

/* TREES (checked, their arrays in the file) ask for columns; afterwards they ask for traits. */
film_status trait_columns_trees(const struct trait_columns *columns, struct trees *trees,
                                const char *path, film_error *error);

#endif
