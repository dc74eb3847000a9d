/* tfidf_dump SENTENCES GROUPS MIN_DF THREADS REPEAT PREFIX: fits TF-IDF on a file with a sentence
 * per line, REPEAT times, and prints the seconds of each fit + transform. With a PREFIX other than
 * "-" it writes what scikit-learn's result is compared with: PREFIX.tokens (a line per sentence,
 * tokens separated by spaces), PREFIX.vocab (group TAB feature), PREFIX.start, .col, .val (raw CSR
 * arrays). */
#include "base/mem.h"
#include "base/clock.h"
#include "learn/features_fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static film_error error;

static void check(film_status status)
{
    if (status == FILM_OK) return;
    fprintf(stderr, "tfidf_dump: %s\n", error.message);
    exit(1);
}

static FILE *create(const char *prefix, const char *suffix)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.%s", prefix, suffix);
    FILE *file = fopen(path, "wb");
    if (!file) exit(3);
    return file;
}

static void dump_array(const char *prefix, const char *suffix, const void *data, size_t size,
                       size_t count)
{
    FILE *file = create(prefix, suffix);
    if (fwrite(data, size, count, file) != count || fclose(file) != 0) exit(3);
}

static void dump_text(const char *prefix, const struct features *features,
                      const struct strtab *sentences)
{
    FILE *file = create(prefix, "vocab");
    for (uint32_t id = 0; id < features_count(features); id++) {
        film_text name = features_name(features, id);
        fprintf(file, "%s\t%.*s\n", group_name(features_group(features, id)), (int)name.length,
                name.bytes);
    }
    fclose(file);
    file = create(prefix, "tokens");
    struct tokens tokens;
    check(tokens_init(&tokens, &features->tokenizer, &error));
    for (uint32_t s = 0; s < sentences->count; s++) {
        check(tokens_split(&tokens, &features->tokenizer, strtab_get(sentences, s), &error));
        for (size_t i = 0; i < tokens.count; i++) {
            film_text token = token_text(&tokens, &tokens.items[i]);
            fprintf(file, "%s%.*s", i ? " " : "", (int)token.length, token.bytes);
        }
        fputc('\n', file);
    }
    fclose(file);
    tokens_free(&tokens);
}

static void read_sentences(const char *path, struct strtab *sentences)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    FILE *file = fopen(path, "r");
    if (!file) exit(3);
    check(strtab_init(sentences, &error));
    while ((length = getline(&line, &capacity, file)) > 0) {
        uint32_t id;
        if (line[length - 1] == '\n') length--;
        check(strtab_add(sentences, line, (size_t)length, &id, &error));
    }
    free(line);
    fclose(file);
}

int main(int argc, char **argv)
{
    if (argc != 7) return 1;
    struct strtab sentences;
    struct features_options options = {.groups = (unsigned)atoi(argv[2]),
                                       .min_df = (size_t)atoi(argv[3]),
                                       .threads = atoi(argv[4])};
    read_sentences(argv[1], &sentences);
    for (int repeat = atoi(argv[5]); repeat > 0; repeat--) {
        struct tokenizer tokenizer;
        struct features features;
        struct csr x;
        check(tokenizer_init(&tokenizer, NULL, NULL, &error));
        double start = clock_seconds();
        check(features_fit(&features, &tokenizer, &sentences, &options, &x, &error));
        printf("%.6f\n", clock_seconds() - start);
        if (repeat == 1 && strcmp(argv[6], "-") != 0) {
            dump_text(argv[6], &features, &sentences);
            dump_array(argv[6], "start", x.start, sizeof *x.start, x.rows + 1);
            dump_array(argv[6], "col", x.col, sizeof *x.col, x.start[x.rows]);
            dump_array(argv[6], "val", x.val, sizeof *x.val, x.start[x.rows]);
        }
        csr_free(&x);
        features_free(&features);
    }
    strtab_free(&sentences);
    return 0;
}
