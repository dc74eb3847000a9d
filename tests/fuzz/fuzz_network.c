/* Fuzzes a model with a network, correct checksums and arbitrary content: film_open refuses it
 * with a message, or it can be used. The input is a list of changes to a valid model as in
 * fuzz_model; its length also selects the sentences. The first byte selects the model and the
 * settings that may change: 0 the model's, 1 the encoder's; with a black box, 2 its own, 3 the
 * model's; with one on word vectors, 4 and 5 the same. */
#include "arena.h"
#include "changed.h"
#include "model/model.h"

static void write_file(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    require(file && fwrite(bytes, 1, size, file) == size);
    fclose(file);
}
#define assert_int_equal(a, b) require((a) == (b))
#define TINY_WIDE
#include "tiny_bert.h"

static struct changed changed[3]; /* a map on top, a black box on top, one on word vectors */

/* Vectors of three words of the table. */
static void write_vectors(const char *path)
{
    FILE *file = fopen(path, "w");
    require(file != NULL);
    for (const char *word = "abd"; *word; word++) {
        fprintf(file, "%c", *word);
        for (int i = 0; i < 32; i++) fprintf(file, " %d", (*word * (i + 3)) % 7 - 3);
        fprintf(file, "\n");
    }
    fclose(file);
}

static void make_good(void)
{
    static const char table[] = "label\tquestion1\tquestion2\n1\ta b c\tab c\n0\ta b\td d d\n"
                                "1\tthe d?\td the\n0\tthe a\tc c b\n1\tb ab\tab b.\n";
    static struct tiny_tensors all;
    film_error error;
    film_train_options options;
    char base[100], folder[120], rows[120], path[120], words[120];
    memory_folder(base);
    snprintf(folder, sizeof folder, "%s/bert", base);
    snprintf(rows, sizeof rows, "%s/rows.tsv", base);
    snprintf(words, sizeof words, "%s/words.vec", base);
    const char *paths[1] = {rows};
    write_file(rows, table, sizeof table - 1);
    write_vectors(words);
    tiny_make(&all);
    tiny_write(folder, &all);
    options = (film_train_options){.size = sizeof options};
    options.threads = 1;
    options.min_df = 1;
    options.train_share = 1;
    options.decision = FILM_DECISION_THRESHOLD;
    for (int l = 0; l < 4; l++) options.deep.maps[l] = 2;
    for (int deep = 0; deep < 3; deep++) {
        film_model *model = NULL;
        snprintf(path, sizeof path, "%s/%d.film", base, deep);
        options.bert = deep < 2 ? folder : NULL;
        options.vectors = deep < 2 ? NULL : words;
        options.method = deep ? FILM_METHOD_DEEP : FILM_METHOD_SVD;
        options.dim = deep ? 0 : 4;
        if (film_train(paths, 1, &options, &model, &error) != FILM_OK) puts(error.message), abort();
        require(film_save(model, path, &error) == FILM_OK);
        film_close(model);
        require(spoil_open(&changed[deep].good, path));
        changed_start(&changed[deep], path);
        unlink(path);
    }
    tiny_remove(folder);
    unlink(rows);
    unlink(words);
    rmdir(base);
}

/* Finite weights may be so large that vectors are not finite; that is reported. */
static void ask(const film_model *model, size_t size)
{
    static const char *const texts[] = {"a b the", "", "c d ab?"};
    film_error error;
    film_context *context = NULL;
    film_verdict verdict;
    require(film_context_new(model, &context, &error) == FILM_OK);
    for (size_t i = 0; i < 9; i++) {
        if (!chosen(size, 9, i)) continue;
        film_status status = film_match(context, film_string(texts[i / 3]),
                                        film_string(texts[i % 3]), &verdict, &error);
        require(status == FILM_OK || (status == FILM_BAD_INPUT && error.message[0]));
    }
    film_context_free(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    film_error error;
    struct change change;
    film_model *model = NULL;
    if (size == 0) return 0;
    static const char *const settings_of[6] = {"settings", "bert", "deep",
                                               "settings", "deep", "settings"};
    unsigned which = data[0] % 6;
    struct changed *file = &changed[which / 2];
    if (!all_changed) make_good();
    changed_begin(&change, file, settings_of[which], data + 1, size - 1);
    arena_begin();
    film_status status = model_open(file->path, 0, &model, &error);
    require(status == FILM_OK || (status == FILM_BAD_INPUT && !model && error.message[0]));
    if (status == FILM_OK) ask(model, size);
    film_close(model);
    arena_end();
    changed_end(&change, file);
    return 0;
}
