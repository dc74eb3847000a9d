/* A BERT encoder by itself (film_bert): checks the arguments, then one call down. */
#include "bert/bert.h"
#include "film.h"

static film_status missing(film_error *error, const char *what)
{
    return status_set(error, FILM_USAGE, "%s is NULL", what);
}

film_status film_bert_open(const char *folder, film_bert **out, film_error *error)
{
    if (!folder || !out) return missing(error, folder ? "out" : "folder");
    return bert_open(folder, out, error);
}

film_status film_bert_round(film_bert *bert, film_error *error)
{
    return bert ? bert_round(bert, error) : missing(error, "bert");
}

void film_bert_close(film_bert *bert)
{
    bert_free(bert);
}

size_t film_bert_dim(const film_bert *bert)
{
    return bert ? bert_dim(bert) : 0;
}

film_status film_bert_describe(const film_bert *bert, char **json, film_error *error)
{
    if (!bert || !json) return missing(error, bert ? "json" : "bert");
    return bert_describe(bert, json, error);
}

film_status film_bert_embed(const film_bert *bert, const film_text *texts, size_t count,
                            int threads, float *out, film_error *error)
{
    if (!bert || (count && (!texts || !out))) return missing(error, "bert, texts or out");
    return bert_encode(bert, texts, count, threads, out, error);
}
