#include "base/post.h"
#include "base/mem.h"

#include <string.h>

enum { NO_TEXT = UINT32_MAX };

film_status post_init(struct post *post, const struct comm *comm, film_error *error)
{
    film_status status = FILM_OK;
    *post = (struct post){.comm = comm};
    TRY_ALLOC(post->to = mem_zeroed((size_t)comm->size, sizeof *post->to), error);
done:
    return status;
}

void post_free(struct post *post)
{
    for (int i = 0; post->to && i < post->comm->size; i++) mem_free(post->to[i].bytes);
    mem_free(post->to);
    mem_free(post->came);
    mem_free(post->came_sizes);
    memset(post, 0, sizeof *post);
}

film_status post_put(struct post *post, int to, const void *bytes, size_t size, film_error *error)
{
    struct post_letter *letter = &post->to[to];
    void *grown = letter->bytes;
    int there = mem_grow(&grown, &letter->capacity, letter->size + size, 1);
    letter->bytes = grown;
    if (!there) return status_no_memory(error);
    if (size) memcpy(letter->bytes + letter->size, bytes, size);
    letter->size += size;
    return FILM_OK;
}

film_status post_put_text(struct post *post, int to, film_text text, film_error *error)
{
    uint32_t length = text.bytes ? (uint32_t)text.length : (uint32_t)NO_TEXT;
    if (text.length >= NO_TEXT)
        return status_set(error, FILM_BAD_INPUT, "a text of %zu bytes is too long", text.length);
    film_status status = post_put(post, to, &length, sizeof length, error);
    return status == FILM_OK && text.bytes ? post_put(post, to, text.bytes, text.length, error)
                                           : status;
}

size_t post_waiting(const struct post *post)
{
    size_t sum = 0;
    for (int i = 0; i < post->comm->size; i++) sum += post->to[i].size;
    return sum;
}

/* The letters one behind the other; each is freed when it is copied. */
static film_status put_together(struct post *post, char **out, size_t *sizes, film_error *error)
{
    size_t at = 0;
    *out = mem_array(post_waiting(post), 1);
    if (!*out) return status_no_memory(error);
    for (int i = 0; i < post->comm->size; i++) {
        struct post_letter *letter = &post->to[i];
        if (letter->size) memcpy(*out + at, letter->bytes, letter->size);
        at += sizes[i] = letter->size;
        mem_free(letter->bytes);
        *letter = (struct post_letter){0};
    }
    return FILM_OK;
}

film_status post_send(struct post *post, film_error *error)
{
    film_status status = FILM_OK;
    char *out = NULL;
    size_t *sizes = NULL;
    void *came = NULL;
    mem_free(post->came);
    mem_free(post->came_sizes);
    post->came = NULL;
    post->came_sizes = NULL;
    post->at = post->end = 0;
    post->from = -1;
    TRY_ALLOC(sizes = mem_array((size_t)post->comm->size, sizeof *sizes), error);
    TRY(put_together(post, &out, sizes, error));
    if (post->comm->size == 1) { /* what was put is what comes */
        post->came = out;
        post->came_sizes = sizes;
        out = NULL;
        sizes = NULL;
    } else {
        status = comm_exchange_all(post->comm, out, sizes, &came, &post->came_sizes, error);
        post->came = came;
    }
done:
    mem_free(out);
    mem_free(sizes);
    return status;
}

int post_next(struct post *post)
{
    while (post->at == post->end) {
        if (!post->came_sizes || post->from + 1 >= post->comm->size) return 0;
        post->end += post->came_sizes[++post->from];
    }
    return 1;
}

void post_get(struct post *post, void *bytes, size_t size)
{
    if (size) memcpy(bytes, post->came + post->at, size);
    post->at += size;
}

film_text post_get_text(struct post *post)
{
    uint32_t length;
    post_get(post, &length, sizeof length);
    if (length == NO_TEXT) return (film_text){NULL, 0};
    film_text text = {post->came + post->at, length};
    post->at += length;
    return text;
}
