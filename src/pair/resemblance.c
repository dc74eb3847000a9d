/* The line of a decision without labels. Its weights are fixed; its calibration is learned
 * (learn/prior.c). */
#include "pair/resemblance.h"
#include "base/mem.h"
#include "pair/record_fields.h"
#include "pair/traits.h"

#include <string.h>

/* The weights were chosen by hand, looking at FAQ, Quora's dev file, STS and five product and
 * citation files. By area under the ROC curve the sum beats the vectors on all but FAQ (0.656
 * against 0.667 on its held-out pairs). Letters alone are better on products (0.96 against 0.92 on
 * Abt-Buy) and worse on Quora. */
static const struct resemblance_term {
    const char *trait;
    float weight, highest;
} terms[] = {
    {"vector_cosine", 1.0f / 3, 1},      {"spelling_share", 1.0f / 3, 1},
    {"char_cosine", 1.0f / 3, 1},        {"word_cosine", 1.0f / 3, 1},
    {"unshared_numbers_min", -0.07f, 1}, {"negation_differs", -0.07f, 1},
};

/* Words stand in for letters where the model has no letters. */
static int term_is_used(const char *trait, unsigned groups)
{
    if (strcmp(trait, "char_cosine") == 0) return (groups & GROUP_BIT(GROUP_CHAR)) != 0;
    return strcmp(trait, "word_cosine") != 0 || !(groups & GROUP_BIT(GROUP_CHAR));
}

film_status resemblance_line(struct linear *line, const struct encoder *encoder, film_error *error)
{
    size_t count = traits_total(encoder->fields);
    unsigned groups = encoder->features->groups;
    if (!(line->own = mem_zeroed(LINEAR_ROWS * count, sizeof(float))))
        return status_no_memory(error);
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        size_t t = trait_find(terms[i].trait);
        if (t == TRAIT_NONE || !term_is_used(terms[i].trait, groups)) continue;
        line->own[t] = terms[i].weight;
        line->own[3 * count + t] = terms[i].highest;
    }
    linear_map(line, line->own, count);
    return FILM_OK;
}
