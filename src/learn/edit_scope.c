/* Edits that change the scope of a sentence: a restricting phrase or word is added, a quantifier
 * changes. learn/edits.c has all other edits. */
#include "learn/edit_scope.h"

#include <string.h>

static const char *const prepositions[] = {"in", "for", "on", "with", "at", "without", NULL};

/* Adds the end of another sentence from its last preposition on. */
size_t edit_scope_qualify(const struct edit_words *sentence, const struct edit_words *other,
                          char *out)
{
    size_t start = other->count;
    for (size_t i = other->count; i-- > 2 && other->count - i <= 5;)
        if (edit_words_find(other->word[i], prepositions) >= 0 && i + 1 < other->count) {
            start = i;
            break;
        }
    if (start == other->count) return 0;
    struct edit_words whole = *sentence;
    film_text end = whole.gap[whole.count];
    for (size_t i = start; i < other->count; i++) {
        if (whole.count == EDIT_WORDS) return 0;
        whole.gap[whole.count] = film_string(" ");
        whole.word[whole.count++] = other->word[i];
    }
    whole.gap[whole.count] = end;
    return edit_words_join(&whole, out);
}

/* Words before a noun or its modifier. */
static const char *const determiners[] = {"a",   "an",  "the", "my",    "your",
                                          "his", "her", "our", "their", NULL};
/* Words that are no modifier after a determiner, or add nothing. */
static const char *const plain[] = {"best",  "most",  "same", "only",   "first", "way",
                                    "worst", "right", "real", "actual", "good",  NULL};

static int may_modify(film_text word)
{
    return word.length > 3 && !edit_words_is_name(word) && !edit_words_has_digit(word) &&
           edit_words_find(word, plain) < 0;
}

int edit_scope_modify(struct edit_words *sentence, const struct edit_words *other, struct rng *rng)
{
    enum { OWNERS = 6 };
    static const char *const owners[OWNERS] = {"son's",  "mother's", "friend's",
                                               "team's", "child's",  "colleague's"};
    size_t seen = 0, at = 0;
    film_text modifier = {NULL, 0};
    for (size_t i = 0; i + 2 < other->count; i++)
        if (edit_words_find(other->word[i], determiners) >= 0 && may_modify(other->word[i + 1]) &&
            may_modify(other->word[i + 2]) && other->gap[i + 2].length == 1 &&
            rng_below(rng, ++seen) == 0)
            modifier = other->word[i + 1];
    if (rng_below(rng, 2)) modifier = film_string(owners[rng_below(rng, OWNERS)]);
    if (!modifier.bytes) return 0;
    seen = 0;
    for (size_t i = 0; i + 1 < sentence->count; i++)
        if (edit_words_find(sentence->word[i], determiners) >= 0 &&
            may_modify(sentence->word[i + 1]) && rng_below(rng, ++seen) == 0)
            at = i + 1;
    if (!seen || !edit_words_insert(sentence, at, "")) return 0;
    sentence->word[at] = modifier;
    return 1;
}

/* Words of one list exclude each other. */
int edit_scope_limit(struct edit_words *sentence, struct rng *rng)
{
    enum { LONGEST = 6 };
    static const char *const lists[][LONGEST] = {{"all", "some", "few"},
                                                 {"every", "one", "no"},
                                                 {"always", "sometimes", "rarely", "never"},
                                                 {"everyone", "someone", "nobody"},
                                                 {"everything", "something", "nothing"},
                                                 {"before", "after", "during"},
                                                 {"until", "since"},
                                                 {"only", "also"},
                                                 {"both", "neither"},
                                                 {"many", "few"},
                                                 {"first", "last"}};
    for (size_t i = 0; i < sentence->count; i++)
        for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
            int found = edit_words_find(sentence->word[i], lists[l]), count = 0;
            if (found < 0) continue;
            while (lists[l][count]) count++;
            found = (found + 1 + (int)rng_below(rng, (uint64_t)count - 1)) % count;
            sentence->word[i] = film_string(lists[l][found]);
            return 1;
        }
    for (size_t i = 2; i + 1 < sentence->count; i++)
        if (edit_words_find(sentence->word[i], prepositions) >= 0)
            return edit_words_insert(sentence, i, "only");
    return 0;
}
