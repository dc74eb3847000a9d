/* Base forms by detaching endings, as WordNet's morphy does. It knows no words. */
#include "text/base_forms.h"

#include <string.h>

static const struct {
    const char *ending, *instead;
} rules[] = {
    {"ies", "y"},   {"ves", "f"},   {"ses", "s"}, {"xes", "x"}, {"zes", "z"},  {"ches", "ch"},
    {"shes", "sh"}, {"es", "e"},    {"es", ""},   {"s", ""},    {"ied", "y"},  {"ed", "e"},
    {"ed", ""},     {"ying", "ie"}, {"ing", "e"}, {"ing", ""},  {"iest", "y"}, {"ier", "y"},
    {"est", ""},    {"est", "e"},   {"er", ""},   {"er", "e"},  {"'s", ""},
};

static int is_vowel(char c)
{
    return c && strchr("aeiou", c) != NULL;
}

size_t base_forms(film_text word, char out[BASE_FORMS][BASE_FORMS_ROOM])
{
    size_t count = 0;
    if (word.length > BASE_FORMS_ROOM - 2) return 0;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && count < BASE_FORMS; i++) {
        size_t ending = strlen(rules[i].ending);
        if (word.length < ending + 2 ||
            memcmp(word.bytes + word.length - ending, rules[i].ending, ending) != 0)
            continue;
        size_t stem = word.length - ending;
        char *base = out[count++];
        memcpy(base, word.bytes, stem);
        strcpy(base + stem, rules[i].instead);
        /* stopped, stopping, bigger: a doubled consonant is single in the base form. */
        int doubled = stem > 2 && base[stem - 1] == base[stem - 2] && !is_vowel(base[stem - 1]);
        if (doubled && !*rules[i].instead && count < BASE_FORMS) {
            memcpy(out[count], base, stem - 1);
            out[count++][stem - 1] = '\0';
        }
    }
    return count;
}
