/* Copies a table of relations with one relation added or left out. Tables are immutable, so an edit
 * makes a new one. */
#include "text/relations_edit.h"
#include "base/mem.h"

#include <string.h>

/* A relation that is not copied; `relation` RELATION_NONE: none. */
struct left_out {
    film_text a, b;
    enum relation relation;
    size_t count;
};

static int equal_texts(film_text x, film_text y)
{
    return x.length == y.length && memcmp(x.bytes, y.bytes, x.length) == 0;
}

static int is_left_out(const struct left_out *out, film_text from, film_text to,
                       enum relation relation)
{
    int means_same =
        relation == RELATION_SYNONYM || relation == RELATION_FORM || relation == RELATION_SIMILAR;
    if (out->relation == RELATION_NONE) return 0;
    if (out->relation == RELATION_SYNONYM ? !means_same : relation != out->relation) return 0;
    return (equal_texts(from, out->a) && equal_texts(to, out->b)) ||
           (relation != RELATION_ONE_WAY && equal_texts(from, out->b) && equal_texts(to, out->a));
}

/* Adds the links of word W. LIST has room for all of them. */
static film_status copy_links(struct relations_builder *builder, const struct relations *from,
                              uint32_t w, struct left_out *out, film_text *list, film_error *error)
{
    film_status status = FILM_OK;
    film_text word = strtab_get(&from->words, w);
    size_t most = from->offsets[w + 1] - from->offsets[w];
    for (int r = RELATION_SYNONYM; r < RELATION_COORDINATE && most; r++) {
        enum relation relation = (enum relation)r;
        size_t count = relations_list(from, word, relation, list, most);
        for (size_t i = 0; i < count; i++) {
            if (is_left_out(out, word, list[i], relation))
                out->count++;
            else
                TRY(relations_add(builder, word, list[i], relation, error));
        }
    }
    if (from->classes[w]) TRY(relations_add_class(builder, word, from->classes[w], error));
done:
    return status;
}

static film_status copy_table(struct relations_builder *builder, const struct relations *from,
                              struct left_out *out, film_error *error)
{
    film_status status = FILM_OK;
    size_t most = 0;
    for (uint32_t w = 0; w < from->words.count; w++)
        if (from->offsets[w + 1] - from->offsets[w] > most)
            most = from->offsets[w + 1] - from->offsets[w];
    film_text *list = mem_array(most, sizeof *list);
    TRY_ALLOC(list, error);
    for (uint32_t w = 0; w < from->words.count; w++)
        TRY(copy_links(builder, from, w, out, list, error));
done:
    mem_free(list);
    return status;
}

film_status relations_with(const struct relations *from, film_text a, film_text b,
                           enum relation relation, struct relations *to, film_error *error)
{
    film_status status = FILM_OK;
    struct relations_builder builder;
    struct left_out none = {.relation = RELATION_NONE};
    TRY(relations_builder_init(&builder, error));
    status = copy_table(&builder, from, &none, error);
    if (status == FILM_OK) status = relations_add(&builder, a, b, relation, error);
    if (status == FILM_OK) status = relations_build(&builder, to, error);
    relations_builder_free(&builder);
done:
    return status;
}

film_status relations_without(const struct relations *from, film_text a, film_text b,
                              enum relation relation, struct relations *to, size_t *removed,
                              film_error *error)
{
    film_status status = FILM_OK;
    struct relations_builder builder;
    struct left_out out = {.a = a, .b = b, .relation = relation};
    TRY(relations_builder_init(&builder, error));
    status = copy_table(&builder, from, &out, error);
    if (status == FILM_OK) status = relations_build(&builder, to, error);
    relations_builder_free(&builder);
    *removed = out.count;
done:
    return status;
}
