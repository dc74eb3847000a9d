/* Compiles WordNet 3.0 into a table of word relations: wordnet_table WORDNET_FOLDER WORDS OUT
 *
 * WORDS is a file of our own in the format of text/relations_read.c, with closed-class words that
 * WordNet lacks (on, off; from, to). Antonyms join words, not synsets. Synonyms are taken from the
 * first senses of both words alone, since a rare sense is more often wrong than right. Two words
 * are coordinate terms if their first senses share a hypernym. */
#include "base/file.h"
#include "base/mem.h"
#include "film_io.h"
#include "text/relations_file.h"
#include "text/relations_read.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { SYNONYM_SENSES = 2, SIMILAR_SENSES = 2, MOST_WORDS = 64, MOST_POINTERS = 2048 };

struct sense { /* of a word: where it is in the order of its senses */
    uint32_t word, offset, rank;
};

struct pointer {
    char symbol;
    uint32_t offset, pos;
    unsigned from, to; /* numbers of words, from 1; 0: the whole synset */
};

struct synset {
    uint32_t offset;
    size_t count;
    char word[MOST_WORDS][RELATIONS_LONGEST + 1];
    size_t pointers;
    struct pointer pointer[MOST_POINTERS];
};

struct table {
    struct relations_builder builder;
    struct strtab lemmas;
    struct sense *senses[4]; /* by part of speech, sorted */
    size_t count[4], capacity[4];
    film_error error;
};

static const char *const names[4] = {"noun", "verb", "adj", "adv"};

static uint32_t pos_of(char c)
{
    return c == 'n' ? 0 : c == 'v' ? 1 : c == 'r' ? 3 : 2;
}

static int fail(const char *what, const char *path)
{
    fprintf(stderr, "wordnet_table: %s: %s\n", path, what);
    return 0;
}

/* Copies a lemma in lower case, "_" as a space, without a marker such as "(p)". */
static int clean(const char *from, char *to)
{
    size_t length = 0;
    for (; *from && *from != '('; from++) {
        if (length == RELATIONS_LONGEST) return 0;
        to[length++] = *from == '_' ? ' ' : (char)tolower((unsigned char)*from);
    }
    to[length] = '\0';
    return length > 0;
}

static int by_sense(const void *a, const void *b)
{
    const struct sense *x = a, *y = b;
    if (x->word != y->word) return x->word < y->word ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* ---- index.POS: the order of senses ---- */

static int read_index_line(struct table *table, uint32_t pos, char *line)
{
    char lemma[RELATIONS_LONGEST + 1], *at = NULL;
    char *word = strtok_r(line, " ", &at);
    uint32_t id;
    if (!clean(word, lemma)) return 1;
    if (strtab_add(&table->lemmas, lemma, strlen(lemma), &id, &table->error) != FILM_OK) return 0;
    strtok_r(NULL, " ", &at); /* pos */
    int senses = atoi(strtok_r(NULL, " ", &at));
    int skip = atoi(strtok_r(NULL, " ", &at)) + 2; /* pointer symbols and two counts */
    while (skip-- > 0) strtok_r(NULL, " ", &at);
    for (int i = 0; i < senses; i++) {
        const char *offset = strtok_r(NULL, " ", &at);
        if (!offset || !mem_grow((void **)&table->senses[pos], &table->capacity[pos],
                                 table->count[pos] + 1, sizeof(struct sense)))
            return 0;
        table->senses[pos][table->count[pos]++] =
            (struct sense){id, (uint32_t)strtoul(offset, NULL, 10), (uint32_t)i};
    }
    return 1;
}

/* The rank of a word's sense; a large number if it has none there. */
static uint32_t rank_of(const struct table *table, uint32_t pos, const char *word, uint32_t offset)
{
    struct sense wanted = {strtab_find(&table->lemmas, word, strlen(word)), offset, 0};
    const struct sense *found =
        bsearch(&wanted, table->senses[pos], table->count[pos], sizeof wanted, by_sense);
    return found ? found->rank : 1000;
}

/* ---- data.POS: synsets and their pointers ---- */

static int parse_synset(char *line, struct synset *set)
{
    char *at = NULL, *part = strtok_r(line, " ", &at);
    set->offset = (uint32_t)strtoul(part, NULL, 10);
    strtok_r(NULL, " ", &at);
    strtok_r(NULL, " ", &at);
    set->count = strtoul(strtok_r(NULL, " ", &at), NULL, 16);
    if (set->count > MOST_WORDS) return 0;
    for (size_t i = 0; i < set->count; i++) {
        if (!clean(strtok_r(NULL, " ", &at), set->word[i])) set->word[i][0] = '\0';
        strtok_r(NULL, " ", &at);
    }
    set->pointers = strtoul(strtok_r(NULL, " ", &at), NULL, 10);
    if (set->pointers > MOST_POINTERS) return 0;
    for (size_t i = 0; i < set->pointers; i++) {
        struct pointer *pointer = &set->pointer[i];
        pointer->symbol = *strtok_r(NULL, " ", &at);
        pointer->offset = (uint32_t)strtoul(strtok_r(NULL, " ", &at), NULL, 10);
        pointer->pos = pos_of(*strtok_r(NULL, " ", &at));
        const char *both = strtok_r(NULL, " ", &at);
        unsigned numbers = (unsigned)strtoul(both, NULL, 16);
        pointer->from = numbers >> 8;
        pointer->to = numbers & 255;
    }
    return 1;
}

static film_text text_of(const char *word)
{
    return film_string(word);
}

static int add(struct table *table, const char *a, const char *b, enum relation relation)
{
    return relations_add(&table->builder, text_of(a), text_of(b), relation, &table->error) ==
           FILM_OK;
}

/* Synonyms, and the class: the hypernym of the words whose first sense this is. */
static int add_synset(struct table *table, uint32_t pos, const struct synset *set)
{
    uint32_t class = 0;
    for (size_t i = 0; i < set->pointers && !class; i++)
        if (set->pointer[i].symbol == '@') class = 4 * set->pointer[i].offset + pos + 1;
    for (size_t i = 0; i < set->count; i++) {
        uint32_t rank = rank_of(table, pos, set->word[i], set->offset);
        if (class && rank == 0 &&
            relations_add_class(&table->builder, text_of(set->word[i]), class, &table->error) !=
                FILM_OK)
            return 0;
        if (rank >= SYNONYM_SENSES) continue;
        for (size_t j = i + 1; j < set->count; j++)
            if (rank_of(table, pos, set->word[j], set->offset) < SYNONYM_SENSES &&
                !add(table, set->word[i], set->word[j], RELATION_SYNONYM))
                return 0;
    }
    return 1;
}

/* The relations of SET to TARGET by one pointer. */
static int add_pointer(struct table *table, uint32_t pos, const struct synset *set,
                       const struct pointer *pointer, const struct synset *target)
{
    enum relation relation = pointer->symbol == '!'   ? RELATION_OPPOSITE
                             : pointer->symbol == '+' ? RELATION_FORM
                                                      : RELATION_SIMILAR;
    if (pointer->from && pointer->to) {
        if (pointer->from > set->count || pointer->to > target->count) return 1;
        return add(table, set->word[pointer->from - 1], target->word[pointer->to - 1], relation);
    }
    for (size_t i = 0; relation == RELATION_SIMILAR && i < set->count; i++)
        for (size_t j = 0; j < target->count; j++)
            if (rank_of(table, pos, set->word[i], set->offset) < SIMILAR_SENSES &&
                rank_of(table, pos, target->word[j], target->offset) < SIMILAR_SENSES &&
                !add(table, set->word[i], target->word[j], relation))
                return 0;
    return 1;
}

/* ---- files ---- */

static FILE *open_part(const char *folder, const char *kind, const char *name, char *path,
                       size_t room)
{
    if (kind)
        snprintf(path, room, "%s/%s.%s", folder, kind, name);
    else
        snprintf(path, room, "%s/%s.exc", folder, name);
    FILE *file = fopen(path, "r");
    if (!file) perror(path);
    return file;
}

static int read_index(struct table *table, const char *folder, uint32_t pos)
{
    char path[4096], *line = NULL;
    size_t room = 0;
    int fine = 1;
    FILE *file = open_part(folder, "index", names[pos], path, sizeof path);
    if (!file) return 0;
    while (fine && getline(&line, &room, file) > 0)
        if (line[0] != ' ') fine = read_index_line(table, pos, line);
    free(line);
    fclose(file);
    if (table->count[pos])
        qsort(table->senses[pos], table->count[pos], sizeof(struct sense), by_sense);
    return fine ? 1 : fail("invalid line", path);
}

static int read_at(FILE *file, uint32_t offset, char **line, size_t *room, struct synset *set)
{
    return fseek(file, (long)offset, SEEK_SET) == 0 && getline(line, room, file) > 0 &&
           parse_synset(*line, set);
}

/* Two passes: synsets in order, then the pointers that lead to other synsets. */
static int read_data(struct table *table, const char *folder, FILE *const files[4], uint32_t pos)
{
    static struct synset set, target;
    char path[4096], *line = NULL, *other = NULL;
    size_t room = 0, other_room = 0;
    int fine = 1;
    FILE *file = open_part(folder, "data", names[pos], path, sizeof path);
    if (!file) return 0;
    while (fine && getline(&line, &room, file) > 0) {
        if (line[0] == ' ') continue;
        fine = parse_synset(line, &set) && add_synset(table, pos, &set);
        for (size_t i = 0; fine && i < set.pointers; i++) {
            const struct pointer *pointer = &set.pointer[i];
            if (!strchr("!+&\\", pointer->symbol) || (pointer->symbol == '\\' && pos != 2))
                continue;
            fine = read_at(files[pointer->pos], pointer->offset, &other, &other_room, &target) &&
                   add_pointer(table, pos, &set, pointer, &target);
        }
    }
    free(line);
    free(other);
    fclose(file);
    return fine ? 1 : fail("invalid line", path);
}

static int read_exceptions(struct table *table, const char *folder, uint32_t pos)
{
    char path[4096], *line = NULL, form[RELATIONS_LONGEST + 1], base[RELATIONS_LONGEST + 1];
    size_t room = 0;
    int fine = 1;
    FILE *file = open_part(folder, NULL, names[pos], path, sizeof path);
    if (!file) return 0;
    while (fine && getline(&line, &room, file) > 0) {
        char *at = NULL, *first = strtok_r(line, " \n", &at), *word;
        if (!first || !clean(first, form)) continue;
        while (fine && (word = strtok_r(NULL, " \n", &at)))
            if (clean(word, base)) fine = add(table, form, base, RELATION_BASE);
    }
    free(line);
    fclose(file);
    return fine;
}

static int read_wordnet(struct table *table, const char *folder)
{
    FILE *files[4] = {NULL};
    char path[4096];
    int fine = 1;
    for (uint32_t pos = 0; fine && pos < 4; pos++)
        fine = read_index(table, folder, pos) &&
               (files[pos] = open_part(folder, "data", names[pos], path, sizeof path));
    for (uint32_t pos = 0; fine && pos < 4; pos++)
        fine = read_data(table, folder, files, pos) && read_exceptions(table, folder, pos);
    for (uint32_t pos = 0; pos < 4; pos++)
        if (files[pos]) fclose(files[pos]);
    return fine;
}

static film_status read_words(struct table *table, const char *path)
{
    struct source *source = NULL;
    film_status status = source_open(path, &source, &table->error);
    return status == FILM_OK ? relations_read(&table->builder, source, &table->error) : status;
}

/* Replaces a file by its compressed bytes, which open as it does. */
static film_status compress_file(const char *path, film_error *error)
{
    enum { LEVEL = 19 };
    film_status status = FILM_OK;
    struct file_map map;
    film_output *output = NULL;
    char *room = NULL;
    TRY(file_map_open(path, &map, error));
    TRY_ALLOC(room = mem_array(ZSTD_compressBound(map.size), 1), error);
    size_t size = ZSTD_compress(room, ZSTD_compressBound(map.size), map.bytes, map.size, LEVEL);
    if (ZSTD_isError(size)) TRY(status_no_memory(error));
    TRY(film_output_open(path, &output, error));
    TRY(film_output_write(output, room, size, error));
    status = film_output_commit(output, error);
    output = NULL;
done:
    film_output_discard(output);
    file_map_close(&map);
    mem_free(room);
    return status;
}

int main(int count, char **words)
{
    static struct table table;
    struct relations relations = {.own = NULL};
    if (count != 4) {
        fprintf(stderr, "usage: wordnet_table WORDNET_FOLDER WORDS OUT\n");
        return 1;
    }
    int fine = relations_builder_init(&table.builder, &table.error) == FILM_OK &&
               strtab_init(&table.lemmas, &table.error) == FILM_OK &&
               read_words(&table, words[2]) == FILM_OK && read_wordnet(&table, words[1]) &&
               relations_build(&table.builder, &relations, &table.error) == FILM_OK &&
               relations_save(&relations, words[3], &table.error) == FILM_OK &&
               compress_file(words[3], &table.error) == FILM_OK;
    if (!fine) fprintf(stderr, "wordnet_table: %s\n", table.error.message);
    relations_free(&relations);
    relations_builder_free(&table.builder);
    strtab_free(&table.lemmas);
    for (int pos = 0; pos < 4; pos++) mem_free(table.senses[pos]);
    return fine ? 0 : 3;
}
