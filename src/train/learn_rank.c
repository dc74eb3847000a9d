#include "train/run.h"
film_status learn_rank(struct run *run, film_error *error)
{
    return learn_film(run, error);
}
