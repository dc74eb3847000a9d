/* Modules that the program loads when a verb needs them. film itself links only libfilm, so film
 * match starts without OpenBLAS. The verbs of libfilm-pool and libfilm-train are
 * modules in the program's folder. */
#ifndef CLI_MODULES_H
#define CLI_MODULES_H

#include "cli.h"
#include "film_pool.h"

#include <limits.h>

/* Functions of libfilm-train that verbs of libfilm may need. The train module exports them. */
struct train_calls {
    void (*register_encoders)(void);
    film_status (*neighbours)(const film_model *model, const char *path,
                              const film_neighbour_options *options, uint32_t **depth, size_t *rows,
                              film_error *error);
    film_status (*bert_open)(const char *folder, film_bert **out, film_error *error);
    film_status (*bert_round)(film_bert *bert, film_error *error);
    void (*bert_close)(film_bert *bert);
    size_t (*bert_dim)(const film_bert *bert);
    film_status (*bert_describe)(const film_bert *bert, char **json, film_error *error);
    film_status (*bert_embed)(const film_bert *bert, const film_text *texts, size_t count,
                              int threads, float *out, film_error *error);
    film_status (*set_reference)(film_model *model, const char *path,
                                 const film_reference_options *options, film_error *error);
    film_status (*train)(const char *const *paths, size_t count, const film_train_options *options,
                         film_model **out, film_error *error);
};

/* The same for pools, which have a model in them. */
struct pool_calls {
    film_status (*open)(const char *path, film_pool **out, film_error *error);
    film_status (*set_arithmetic)(film_pool *pool, film_arithmetic arithmetic, film_error *error);
    film_status (*model)(film_pool *pool, const film_model **model, film_error *error);
    void (*close)(film_pool *pool);
    film_status (*update)(film_pool *pool, const char *model_path, int threads,
                          const film_progress *progress, uint64_t *sentences, film_error *error);
};
const struct pool_calls *load_pool_calls(film_error *error);

/* Loads libfilm-train. Returns NULL and sets ERROR if it is not installed. */
const struct train_calls *load_train_calls(film_error *error);

/* Lets tables be Excel workbooks. The module that reads them is loaded for the first one. */
void set_workbook_reader(void);

/* PATH = the installed data file FILE; 0: there is none. */
int find_data(const char *file, char path[PATH_MAX]);

/* Returns the verbs of LIBRARY, NULL-terminated. Prints a message and returns NULL if its module
 * cannot be loaded. */
const struct verb *const *load_verbs(enum library library);

#endif
