/* What is known of a model, as one page: film_report of film_train.h. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "model/model.h"

film_status report_write(const film_model *model, const film_report_options *options,
                         const char *path, film_error *error);

#endif
