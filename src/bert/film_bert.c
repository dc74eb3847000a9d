/* Implements the BERT calls of film_train.h: checks the arguments, then calls bert/bert.h. */
#include "base/mem.h"
#include "bert/network.h"
#include "film_train.h"

struct film_bert {
    struct bert *bert;
};

void film_train_register(void)
{
    network_register(&bert_network);
}

film_status film_bert_open(const char *folder, film_bert **out, film_error *error)
{
    if (!folder || !out) return status_missing(error, folder ? "out" : "folder");
    *out = NULL;
    film_bert *opened = mem_zeroed(1, sizeof *opened);
    if (!opened) return status_no_memory(error);
    film_status status = bert_open(folder, &opened->bert, error);
    if (status == FILM_OK)
        *out = opened;
    else
        mem_free(opened);
    return status;
}

film_status film_bert_round(film_bert *bert, film_error *error)
{
    return bert ? bert_round(bert->bert, 1, error) : status_missing(error, "bert");
}

void film_bert_close(film_bert *bert)
{
    if (!bert) return;
    bert_free(bert->bert);
    mem_free(bert);
}

size_t film_bert_dim(const film_bert *bert)
{
    return bert ? bert_dim(bert->bert) : 0;
}

film_status film_bert_describe(const film_bert *bert, char **json, film_error *error)
{
    if (!bert || !json) return status_missing(error, bert ? "json" : "bert");
    return bert_describe(bert->bert, json, error);
}

film_status film_bert_embed(const film_bert *bert, const film_text *texts, size_t count,
                            int threads, float *out, film_error *error)
{
    if (!bert || (count && (!texts || !out))) return status_missing(error, "bert, texts or out");
    return bert_encode(bert->bert, texts, count, threads, out, error);
}
