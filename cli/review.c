/* film dedup --review: asks about the most uncertain pairs, or writes them to a table. */
#include "review.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Replaces TEXT by a copy. Returns 0 without memory; the text is then NULL. */
static int duplicate_text(film_text *text)
{
    if (!text->bytes) return 1;
    char *bytes = malloc(text->length + 1);
    if (bytes) memcpy(bytes, text->bytes, text->length);
    if (bytes) bytes[text->length] = 0;
    text->bytes = bytes;
    return bytes != NULL;
}

static void record_release(film_record *record)
{
    free((char *)(uintptr_t)record->id.bytes);
    free((char *)(uintptr_t)record->text.bytes);
}

int review_add(struct review *review, const film_duplicate *pair)
{
    if (review->count == review->capacity) {
        size_t larger = 2 * review->capacity + 64;
        struct review_pair *pairs = realloc(review->pairs, larger * sizeof *pairs);
        if (!pairs) return 1;
        review->pairs = pairs;
        review->capacity = larger;
    }
    struct review_pair added = {pair->first, pair->second, pair->probability};
    int copied = duplicate_text(&added.first.id) + duplicate_text(&added.first.text) +
                 duplicate_text(&added.second.id) + duplicate_text(&added.second.text);
    if (copied < 4) {
        record_release(&added.first);
        record_release(&added.second);
        return 1;
    }
    review->pairs[review->count++] = added;
    return 0;
}

void review_free(struct review *review)
{
    for (size_t i = 0; i < review->count; i++) {
        record_release(&review->pairs[i].first);
        record_release(&review->pairs[i].second);
    }
    free(review->pairs);
    *review = (struct review){.pairs = NULL};
}

film_status review_write(const struct review *review, const char *path, film_error *error)
{
    struct sheet sheet;
    const struct kept none = {.names = NULL};
    sheet_open(&sheet, path, 0);
    sheet_header(&sheet, "same\tid_a\tid_b\tprobability\ttext_a\ttext_b", &none);
    for (size_t i = 0; i < review->count; i++) {
        const struct review_pair *pair = &review->pairs[i];
        sheet_text(&sheet, "same", (film_text){NULL, 0});
        sheet_text(&sheet, "id_a", pair->first.id);
        sheet_text(&sheet, "id_b", pair->second.id);
        sheet_number(&sheet, "probability", "%.6f", pair->probability);
        sheet_text(&sheet, "text_a", pair->first.text);
        sheet_text(&sheet, "text_b", pair->second.text);
        sheet_end_row(&sheet);
    }
    return sheet_close(&sheet, FILM_OK, error);
}

/* ---- Asking ---- */

/* Returns the first letter of the next line with a known answer; 'q' at the end of the input. */
static char read_answer(void)
{
    char line[256];
    for (;;) {
        fputs("same? [y]es [n]o [s]kip [q]uit: ", stdout);
        fflush(stdout);
        errno = 0;
        if (interrupted() || !fgets(line, sizeof line, stdin)) return 'q';
        if (!isatty(STDIN_FILENO)) putchar('\n');
        if (line[0] && strchr("ynsq", line[0])) return line[0];
    }
}

film_status review_next(const struct review *review, film_pool *pool,
                        const film_answer_options *answer, film_error *error)
{
    const film_model *model = NULL;
    film_context *context = NULL;
    film_explanation why = {.size = sizeof why};
    size_t same = 0, different = 0, skipped = 0;
    char reply = 0;
    film_status status = film_pool_model(pool, &model, error);
    if (status == FILM_OK) status = film_context_new(model, &context, error);
    if (status == FILM_OK) status = film_context_set(context, answer, error);
    for (size_t i = 0; i < review->count && status == FILM_OK; i++) {
        const struct review_pair *pair = &review->pairs[i];
        status = film_explain_pair(context, pair->first.text, pair->second.text, &why, error);
        if (status == FILM_OK) status = film_explain_reversals(context, 0, &why, error);
        if (status != FILM_OK) break;
        print_clean(stdout, "%zu of %zu: %.*s, %.*s\n", i + 1, review->count,
                    (int)pair->first.id.length, pair->first.id.bytes, (int)pair->second.id.length,
                    pair->second.id.bytes);
        print_explanation(&why);
        reply = read_answer();
        if (reply == 'q') break;
        skipped += reply == 's';
        if (reply == 's') continue;
        /* Each answer is stored immediately, so that Ctrl-C loses none. */
        status = film_pool_label(pool, pair->first.id, pair->second.id, reply == 'y',
                                 "film dedup --review", error);
        same += reply == 'y';
        different += reply == 'n';
    }
    film_context_free(context);
    if (status == FILM_OK)
        printf("%zu same, %zu different, %zu skipped, %zu not reviewed\n", same, different, skipped,
               review->count - same - different - skipped);
    return status;
}
