/* Maps the columns of a stored line and of stored trees to the traits of this program, by id. It
 * reads and checks the columns; pair/traits.c computes traits. Renumbering changes no sum: common
 * traits keep their order, and an absent trait adds nothing. */
#include "model/trait_columns.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <string.h>

/* Names of traits in files that have names but no ids. Frozen: names in pair/traits.c may change,
 * and these files must still open. */
static const struct {
    const char *name, *id;
} old_names[] = {
    {"words of the shorter", "words_min"},
    {"words of the longer", "words_max"},
    {"ratio of lengths", "length_ratio"},
    {"sentences of the simpler", "sentences_min"},
    {"sentences of the richer", "sentences_max"},
    {"words of both", "words_log"},
    {"mean rarity", "rarity_mean"},
    {"question mark on one side", "question_mark_differs"},
    {"shared words", "shared_words"},
    {"unshared words, fewer side", "unshared_words_min"},
    {"unshared words, more side", "unshared_words_max"},
    {"share of words shared", "words_jaccard"},
    {"rarity shared", "shared_rarity"},
    {"rarity unshared, lighter side", "unshared_rarity_min"},
    {"rarity unshared, heavier side", "unshared_rarity_max"},
    {"share of rarity shared", "rarity_jaccard"},
    {"coverage, less covered side", "coverage_min"},
    {"coverage, more covered side", "coverage_max"},
    {"least covered sentence", "sentence_coverage_min"},
    {"rarest unshared word, lower", "rarest_unshared_min"},
    {"rarest unshared word", "rarest_unshared_max"},
    {"rarest shared word", "rarest_shared"},
    {"unshared content words, fewer", "unshared_content_min"},
    {"unshared content words, more", "unshared_content_max"},
    {"rarest word of each shared", "rarest_words_shared"},
    {"shared word pairs", "shared_pairs"},
    {"share of word pairs shared", "shared_pairs_share"},
    {"rarity of shared word pairs", "shared_pairs_rarity"},
    {"common order, of the longer", "common_order_of_longer"},
    {"common order, of the shorter", "common_order_of_shorter"},
    {"longest shared phrase", "shared_phrase_longest"},
    {"edits", "edits"},
    {"share of words edited", "edits_share"},
    {"rarity out of order", "out_of_order_rarity"},
    {"same beginning", "same_beginning"},
    {"same end", "same_end"},
    {"swapped words", "inversions"},
    {"share of swapped words", "inversions_share"},
    {"place of the last unshared word, earlier", "last_unshared_place_min"},
    {"place of the last unshared word, later", "last_unshared_place_max"},
    {"same first word", "same_first_word"},
    {"kind of opening, first", "opening_min"},
    {"kind of opening, second", "opening_max"},
    {"question words that differ", "question_words_differ"},
    {"last word of each shared", "last_words_shared"},
    {"numbers on both sides that differ", "unshared_numbers_min"},
    {"numbers only one has", "unshared_numbers_max"},
    {"shared numbers", "shared_numbers"},
    {"negation on one side", "negation_differs"},
    {"names on both sides that differ", "unshared_names_min"},
    {"names only one has", "unshared_names_max"},
    {"share of names shared", "shared_names_share"},
    {"shared names", "shared_names"},
    {"acronyms spelled out", "acronyms"},
    {"words written together", "compounds"},
    {"share of rarity spelled alike", "spelling_share"},
    {"misspelled rest, lighter side", "spelling_rest_min"},
    {"misspelled rest, heavier side", "spelling_rest_max"},
    {"most misspelled word, lighter side", "spelling_worst_min"},
    {"most misspelled word, heavier side", "spelling_worst_max"},
    {"best spelled match", "spelling_best"},
    {"similarity of words", "word_cosine"},
    {"similarity of letters", "char_cosine"},
    {"similarity of vectors", "vector_cosine"},
    {"distance of vectors", "vector_distance"},
    {"length of the shorter vector", "vector_length_min"},
    {"length of the longer vector", "vector_length_max"},
    {"share of rarity used alike", "usage_share"},
    {"unexplained rest, lighter side", "usage_rest_min"},
    {"unexplained rest, heavier side", "usage_rest_max"},
    {"least explained word, lighter side", "usage_worst_min"},
    {"least explained word, heavier side", "usage_worst_max"},
    {"best match of use", "usage_best"},
    {"similarity of the rest", "rest_cosine"},
    {"weight of the rest, lighter side", "rest_length_min"},
    {"weight of the rest, heavier side", "rest_length_max"},
};

static const char *id_of_name(const char *name)
{
    for (size_t i = 0; i < sizeof old_names / sizeof *old_names; i++)
        if (strcmp(old_names[i].name, name) == 0) return old_names[i].id;
    return name;
}

/* The name that files store. It never changes, whatever the title is: a trait without a frozen
 * name is stored under its id. */
static const char *name_of_id(const char *id)
{
    for (size_t i = 0; i < sizeof old_names / sizeof *old_names; i++)
        if (strcmp(old_names[i].id, id) == 0) return old_names[i].name;
    return id;
}

void trait_columns_write(json_t *object, const struct record_fields *fields)
{
    json_t *ids = json_array(), *names = json_array();
    for (size_t i = 0; i < traits_total(fields); i++) {
        jsonfile_append(ids, json_string(traits_get(fields, i)->id));
        jsonfile_append(names, json_string(name_of_id(traits_get(fields, i)->id)));
    }
    jsonfile_put(object, "traits", names);
    jsonfile_put(object, "trait_ids", ids);
    jsonfile_put(object, "version", json_string(film_version()));
}

void trait_columns_free(struct trait_columns *columns)
{
    for (size_t i = 0; columns->id && i < columns->count; i++) mem_free(columns->id[i]);
    mem_free(columns->id);
    mem_free(columns->trait);
    mem_free(columns->version);
    *columns = (struct trait_columns){.count = 0};
}

static film_status read_column(struct trait_columns *columns, size_t at, const char *id,
                               const struct record_fields *fields, const char *path,
                               film_error *error)
{
    film_status status = FILM_OK;
    if (!id)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: settings: trait %zu of the decision is not a string", path, at));
    TRY_ALLOC(columns->id[at] = mem_string(id, strlen(id)), error);
    /* Nearly every file has the traits of this program, in its order. */
    int expected = at < columns->traits && strcmp(traits_get(fields, at)->id, id) == 0;
    size_t trait = columns->trait[at] = expected ? at : traits_search(fields, id);
    for (size_t i = expected && columns->same ? at : 0; trait != TRAIT_NONE && i < at; i++)
        if (columns->trait[i] == trait)
            TRY(status_set(error, FILM_BAD_INPUT,
                           "%s: settings: the decision has a duplicate trait \"%s\"", path, id));
    columns->same = columns->same && trait == at;
done:
    return status;
}

film_status trait_columns_read(struct trait_columns *columns, const json_t *decision,
                               const struct record_fields *fields, const char *path,
                               film_error *error)
{
    film_status status = FILM_OK;
    const json_t *ids = json_object_get(decision, "trait_ids");
    const json_t *names = json_object_get(decision, "traits"), *list = ids ? ids : names;
    const char *version = json_string_value(json_object_get(decision, "version"));
    *columns = (struct trait_columns){.count = 0};
    if (!json_is_array(list))
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: settings: the decision has no list of traits (trait_ids)", path));
    size_t count = json_array_size(list);
    TRY_ALLOC((columns->id = mem_zeroed(count, sizeof *columns->id)) &&
                  (columns->trait = mem_array(count, sizeof *columns->trait)),
              error);
    columns->count = count;
    columns->traits = traits_total(fields);
    columns->same = count == columns->traits;
    if (version) TRY_ALLOC(columns->version = mem_string(version, strlen(version)), error);
    for (size_t i = 0; i < count; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        TRY(read_column(columns, i, text && !ids ? id_of_name(text) : text, fields, path, error));
    }
done:
    return status;
}

/* Reports that a weight or a split uses a trait that this program cannot compute. */
static film_status refuse_column(const struct trait_columns *columns, size_t column,
                                 const char *path, film_error *error)
{
    enum { SHOWN = 60 };
    const char *version = columns->version, *id = columns->id[column];
    return status_set(error, FILM_BAD_INPUT,
                      "%s: the decision needs the trait \"%.*s\", which film %s does not have; use "
                      "%s%.*s or train again",
                      path, (int)utf8_cut(id, strlen(id), SHOWN), id, film_version(),
                      version ? "film " : "the version that trained it",
                      (int)(version ? utf8_cut(version, strlen(version), SHOWN) : 0),
                      version ? version : "");
}

film_status trait_columns_line(const struct trait_columns *columns, const float *rows,
                               struct linear *line, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = columns->count, traits = columns->traits;
    float *own = NULL;
    if (columns->same) {
        linear_map(line, rows, count);
        return FILM_OK;
    }
    TRY_ALLOC(own = mem_zeroed(LINEAR_ROWS * traits, sizeof *own), error);
    for (size_t c = 0; c < count; c++) {
        if (columns->trait[c] == TRAIT_NONE) {
            if (rows[c] != 0) TRY(refuse_column(columns, c, path, error));
            continue;
        }
        for (size_t row = 0; row < LINEAR_ROWS; row++)
            own[row * traits + columns->trait[c]] = rows[row * count + c];
    }
    linear_map(line, own, traits);
    line->own = own;
    own = NULL;
done:
    mem_free(own);
    return status;
}

film_status trait_columns_trees(const struct trait_columns *columns, struct trees *trees,
                                const char *path, film_error *error)
{
    film_status status = FILM_OK;
    struct trees own = {0};
    struct tree tree;
    if (columns->same) return FILM_OK;
    TRY(trees_init(&own, trees->count, error));
    for (size_t i = 0; i < trees->count; i++) {
        trees_get(trees, i, &tree);
        for (int split = 0; split < TREE_SPLITS; split++) {
            if (tree.feature[split] < 0) continue;
            size_t column = (size_t)tree.feature[split], trait = columns->trait[column];
            if (trait == TRAIT_NONE) TRY(refuse_column(columns, column, path, error));
            tree.feature[split] = (int32_t)trait;
        }
        trees_set(&own, i, &tree);
    }
    *trees = own;
    own = (struct trees){0};
done:
    trees_free(&own);
    return status;
}
