/* Lists of words and what they are. One look-up finds all kinds of a word; embed/lexicon.c keeps
 * the result. */
#include "text/word_kinds.h"

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
    {1u << WORD_PERSON_SHIFT, "i me"},
    {2u << WORD_PERSON_SHIFT, "he him"},
    {3u << WORD_PERSON_SHIFT, "she her"},
    {4u << WORD_PERSON_SHIFT, "we us"},
    {5u << WORD_PERSON_SHIFT, "they them"},
    {6u << WORD_PERSON_SHIFT, "who whom"},
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

unsigned word_kinds(film_text word)
{
    enum { LONGEST = 12 };
    unsigned kinds = 0;
    for (size_t i = 0; i < word.length; i++)
        if (word.bytes[i] >= '0' && word.bytes[i] <= '9') kinds = WORD_NUMBER;
    if (!word.length || word.length > LONGEST) return kinds;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (place_in_list(word, lists[i].words)) kinds |= lists[i].kind;
    return kinds | place_in_list(word, openings) << WORD_OPENING_SHIFT;
}
