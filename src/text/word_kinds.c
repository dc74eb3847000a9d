/* Lists of words and what they are. One look-up finds all kinds of a word; embed/lexicon.c keeps
 * the result. */
#include "text/word_kinds.h"

#include <stdint.h>
#include <string.h>

static const struct {
    unsigned kind;
    const char *words; /* separated by spaces */
} lists[] = {
    {WORD_NEGATION, "not no never without none nor nicht kein keine ohne pas sans jamais nunca sin "
                    "nao non n\xc3\xa3o"},
    {WORD_QUESTION, "what how why who whom whose which when where whether"},
    {WORD_SMALL, "a an the my your his her its our their this that do does did is are was were be "
                 "being been will would can could s of most more please"},
    {WORD_PRONOUN, "i you me it"},
    {WORD_DIRECTED, "from to than by into before after on over"},
    {WORD_SYMMETRIC, "and or vs versus with between"},
    {WORD_MUTUAL, "difference differences between distance far compare comparison vs versus "
                  "similar relation relationship equal"},
    {WORD_ASKING, "what how why which who whom when where if"},
    {WORD_DOING, "do does did"},
    {WORD_BEING, "is are was were be been being"},
    {WORD_ARTICLE, "a an the my your his its our s their"},
    {WORD_WHOSE, "who whom which what"},
    {WORD_BY, "by"},
    {WORD_OWNER, "s"},
    {WORD_RESTRICTING, "in on at for with without from by during under over among against after "
                       "before until since within near outside inside through despite unless while "
                       "because"},
    {WORD_ENDING, "and or but to if that which who"},
    {1u << WORD_PERSON_SHIFT, "i me"},
    {2u << WORD_PERSON_SHIFT, "he him"},
    {3u << WORD_PERSON_SHIFT, "she her"},
    {4u << WORD_PERSON_SHIFT, "we us"},
    {5u << WORD_PERSON_SHIFT, "they them"},
    {6u << WORD_PERSON_SHIFT, "who whom"},
};

static const char *const limits[] = {
    "all some every each most few many",  "everyone someone nobody everybody somebody",
    "everything something nothing",       "always sometimes usually often rarely seldom",
    "only also even just exclusively",    "both either neither",
    "least most exactly maximum minimum", "first last next previous",
    "before after during until since",
};

/* In the order of their numbers. */
static const char openings[] = "what how why which who when where can is are do does should will "
                               "did would if could has have was were i";

/* Returns the place of WORD in LIST from 1, or 0. */
static unsigned place_in_list(film_text word, const char *list)
{
    for (unsigned place = 1; *list; place++) {
        size_t i = 0;
        while (i < word.length && list[i] == word.bytes[i]) i++;
        if (i == word.length && (list[i] == ' ' || !list[i])) return place;
        while (*list && *list != ' ') list++;
        list += *list == ' ';
    }
    return 0;
}

enum { LONGEST = 12 }; /* bytes of a listed word */

/* A bit for the length, the first and the last letter of every listed word: most words are in no
 * list. It is filled by whoever needs it first; all threads set the same bits. */
enum { LISTED_BITS = 13 };
static uint64_t listed[(1 << LISTED_BITS) / 64];
static int is_filled;

static uint64_t *listed_bit(film_text word, uint64_t *bit)
{
    uint32_t first = (unsigned char)word.bytes[0],
             last = (unsigned char)word.bytes[word.length - 1],
             at = (first | last << 8 | (uint32_t)word.length << 16) * UINT32_C(2654435761) >>
                  (32 - LISTED_BITS);
    *bit = (uint64_t)1 << at % 64;
    return &listed[at / 64];
}

static void list_words(const char *list)
{
    for (; *list; list += *list == ' ') {
        uint64_t bit;
        film_text word = {list, strcspn(list, " ")};
        uint64_t *place = listed_bit(word, &bit);
        (void)__atomic_fetch_or(place, bit, __ATOMIC_RELAXED);
        list += word.length;
    }
}

/* Returns 0 for a word that is in no list. */
static int may_be_in_a_list(film_text word)
{
    uint64_t bit;
    if (!word.length || word.length > LONGEST) return 0;
    if (!__atomic_load_n(&is_filled, __ATOMIC_ACQUIRE)) {
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) list_words(lists[i].words);
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) list_words(limits[i]);
        list_words(openings);
        __atomic_store_n(&is_filled, 1, __ATOMIC_RELEASE);
    }
    const uint64_t *place = listed_bit(word, &bit);
    return (__atomic_load_n(place, __ATOMIC_RELAXED) & bit) != 0;
}

unsigned word_limits(film_text word)
{
    unsigned found = 0;
    if (!may_be_in_a_list(word)) return 0;
    for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++)
        if (place_in_list(word, limits[i])) found |= 1u << i;
    return found;
}

unsigned word_kinds(film_text word)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < word.length; i++)
        if (word.bytes[i] >= '0' && word.bytes[i] <= '9') kinds = WORD_NUMBER;
    if (!may_be_in_a_list(word)) return kinds;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (place_in_list(word, lists[i].words)) kinds |= lists[i].kind;
    return kinds | place_in_list(word, openings) << WORD_OPENING_SHIFT;
}
