/* Base forms by detaching endings, as WordNet's morphy does. It knows no words. */
#include "text/base_forms.h"

#include <string.h>

static const struct {
    unsigned char length; /* of the ending */
    char ending[6], instead[4];
} rules[] = {
    {3, "ies", "y"},   {3, "ves", "f"},   {3, "ses", "s"}, {3, "xes", "x"},   {3, "zes", "z"},
    {4, "ches", "ch"}, {4, "shes", "sh"}, {2, "es", "e"},  {2, "es", ""},     {1, "s", ""},
    {3, "ied", "y"},   {2, "ed", "e"},    {2, "ed", ""},   {4, "ying", "ie"}, {3, "ing", "e"},
    {3, "ing", ""},    {4, "iest", "y"},  {3, "ier", "y"}, {3, "est", ""},    {3, "est", "e"},
    {2, "er", ""},     {2, "er", "e"},    {2, "'s", ""},
};

static int is_vowel(char c)
{
    return c && strchr("aeiou", c) != NULL;
}

size_t base_forms(film_text word, char out[BASE_FORMS][BASE_FORMS_ROOM])
{
    size_t count = 0;
    if (word.length > BASE_FORMS_ROOM - 2 || word.length < 3) return 0;
    char last = word.bytes[word.length - 1];
    if (last != 's' && last != 'd' && last != 'g' && last != 't' && last != 'r') return 0;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && count < BASE_FORMS; i++) {
        size_t ending = rules[i].length;
        if (rules[i].ending[ending - 1] != last || word.length < ending + 2 ||
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
