/* Splits folded text into tokens, handles English contractions, stems (Snowball), and records the
 * source bytes of every token. It does not weigh them. */
#include "text/tokens.h"
#include "base/mem.h"
#include "text/record_text.h"

#include <libstemmer.h>
#include <string.h>
#include <sys/types.h>
#include <utf8proc.h>

/* ---- Characters ---- */

enum character { OTHER, LETTER, SPACELESS, MARK };

static int is_spaceless(int32_t c)
{
    return (c >= 0x0e00 && c <= 0x0e7f) ||                                 /* Thai */
           (c >= 0x1100 && c <= 0x11ff) || (c >= 0x3130 && c <= 0x318f) || /* Hangul */
           (c >= 0xac00 && c <= 0xd7a3) ||                                 /* Hangul */
           (c >= 0x3041 && c <= 0x30ff && c != 0x30fb) ||                  /* Kana */
           (c >= 0x31f0 && c <= 0x31ff) || c == 0x3005 || c == 0x3007 ||   /* Kana, Han */
           (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x4e00 && c <= 0x9fff) || /* Han */
           (c >= 0xf900 && c <= 0xfaff) || (c >= 0x20000 && c <= 0x3ffff); /* Han */
}

static enum character classify(int32_t c)
{
    switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
        return is_spaceless(c) ? SPACELESS : LETTER;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
        return MARK;
    default:
        return OTHER;
    }
}

/* Folded ASCII: lower-case letters and digits. */
static int is_ascii_letter(unsigned char c)
{
    return (unsigned char)(c - 'a') < 26 || (unsigned char)(c - '0') < 10;
}

/* Returns the class of the character at byte AT, and its length in bytes. */
static enum character character_at(const struct fold *fold, size_t at, size_t *step)
{
    unsigned char c = (unsigned char)fold->bytes[at];
    *step = 1;
    if (c < 0x80) return is_ascii_letter(c) ? LETTER : OTHER;
    int32_t point;
    ssize_t taken =
        utf8proc_iterate((const uint8_t *)fold->bytes + at, (ssize_t)(fold->length - at), &point);
    if (taken <= 0) return OTHER;
    *step = (size_t)taken;
    return classify(point);
}

/* ---- Adding tokens ---- */

static film_status add_token(struct tokens *tokens, size_t start, size_t length, size_t from,
                             size_t to, enum token_kind kind, film_error *error)
{
    if (!mem_grow((void **)&tokens->items, &tokens->capacity, tokens->count + 1,
                  sizeof *tokens->items))
        return status_no_memory(error);
    tokens->items[tokens->count++] =
        (struct token){(uint32_t)start, (uint32_t)length, (uint32_t)from, (uint32_t)to, kind};
    return FILM_OK;
}

static size_t source_from(const struct fold *fold, size_t at)
{
    return fold->ascii ? at : fold->from[at];
}

static size_t source_to(const struct fold *fold, size_t last)
{
    return fold->ascii ? last + 1 : fold->to[last];
}

/* Adds a token with the folded bytes start .. end. */
static film_status add_range(struct tokens *tokens, size_t start, size_t end, enum token_kind kind,
                             film_error *error)
{
    return add_token(tokens, start, end - start, source_from(&tokens->fold, start),
                     source_to(&tokens->fold, end - 1), kind, error);
}

/* Writes WORD after the folded text and returns its start. The length of the fold does not change,
 * so that the scan does not reach it. */
static film_status store_word(struct tokens *tokens, size_t *tail, const char *word, size_t length,
                              size_t *start, film_error *error)
{
    struct fold *fold = &tokens->fold;
    if (!mem_grow((void **)&fold->bytes, &fold->capacity, *tail + length, 1))
        return status_no_memory(error);
    memcpy(fold->bytes + *tail, word, length);
    *start = *tail;
    *tail += length;
    return FILM_OK;
}

/* ---- English contractions ---- */

static int equals(film_text text, const char *word)
{
    return text.length == strlen(word) && memcmp(text.bytes, word, text.length) == 0;
}

/* Completes the verb before n't: "can't", "won't" and "shan't". */
static const char *verb_before_not(film_text stump)
{
    if (equals(stump, "ca")) return "can";
    if (equals(stump, "wo")) return "will";
    if (equals(stump, "sha")) return "shall";
    return NULL;
}

/* Words that the Penn Treebank tokenizer splits in two, and where. */
static size_t split_position(film_text word)
{
    static const struct {
        const char *word;
        size_t cut;
    } table[] = {{"cannot", 3}, {"gonna", 3}, {"wanna", 3},
                 {"gotta", 3},  {"gimme", 3}, {"lemme", 3}};
    if (word.length < 5 || word.length > 6) return 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (equals(word, table[i].word)) return table[i].cut;
    return 0;
}

/* Returns whether the run that ends at END in n is followed by 't and the end of the word. */
static int before_t(const struct fold *fold, size_t end)
{
    size_t step;
    return end + 1 < fold->length && fold->bytes[end] == '\'' && fold->bytes[end + 1] == 't' &&
           (end + 2 == fold->length || character_at(fold, end + 2, &step) == OTHER);
}

static int is_bracket(const struct fold *fold, size_t start, size_t end)
{
    const char *word = fold->bytes + start;
    return end - start == 3 && start > 0 && end < fold->length && word[-1] == '-' &&
           word[3] == '-' && (word[0] == 'l' || word[0] == 'r') && strchr("rsc", word[1]) &&
           word[2] == 'b';
}

static int only_spaces(const struct fold *fold, size_t start, size_t end)
{
    for (size_t i = start; i < end; i++)
        if (fold->bytes[i] != ' ') return 0;
    return 1;
}

/* "do" + "n't", as one token or two. The verb is completed, then "not" follows. */
static film_status add_negated(struct tokens *tokens, size_t start, size_t end, size_t *tail,
                               film_error *error)
{
    struct fold *fold = &tokens->fold;
    film_status status = FILM_OK;
    size_t stump_end = end - 1, at = 0;
    if (stump_end > start) TRY(add_range(tokens, start, stump_end, TOKEN_WORD, error));
    if (tokens->count) {
        struct token *verb = &tokens->items[tokens->count - 1];
        const char *whole = verb_before_not(token_text(tokens, verb));
        size_t verb_end = (size_t)verb->start + verb->length;
        if (whole && verb_end <= stump_end && only_spaces(fold, verb_end, stump_end)) {
            TRY(store_word(tokens, tail, whole, strlen(whole), &at, error));
            verb->start = (uint32_t)at;
            verb->length = (uint32_t)strlen(whole);
        }
    }
    TRY(store_word(tokens, tail, "not", 3, &at, error));
    TRY(add_token(tokens, at, 3, source_from(fold, end - 1), source_to(fold, end + 1), TOKEN_WORD,
                  error));
done:
    return status;
}

/* ---- Runs ---- */

/* Adds a run of letters start .. end; *next moves past a contraction. */
static film_status add_run(struct tokens *tokens, size_t start, size_t end, size_t *tail,
                           size_t *next, film_error *error)
{
    const struct fold *fold = &tokens->fold;
    if (fold->bytes[end - 1] == 'n' && before_t(fold, end)) {
        *next = end + 2;
        return add_negated(tokens, start, end, tail, error);
    }
    if (is_bracket(fold, start, end)) return FILM_OK;
    size_t cut = split_position((film_text){fold->bytes + start, end - start});
    if (cut) {
        film_status status = add_range(tokens, start, start + cut, TOKEN_WORD, error);
        return status != FILM_OK ? status : add_range(tokens, start + cut, end, TOKEN_WORD, error);
    }
    return add_range(tokens, start, end, TOKEN_WORD, error);
}

/* Adds the characters of a script without spaces, each with its marks, and the pairs of adjacent
 * characters. *next is the end of the run. */
static film_status add_spaceless(struct tokens *tokens, size_t start, size_t *next,
                                 film_error *error)
{
    const struct fold *fold = &tokens->fold;
    film_status status = FILM_OK;
    size_t at = start, step, previous = SIZE_MAX;
    while (at < fold->length && character_at(fold, at, &step) == SPACELESS) {
        size_t end = at + step;
        while (end < fold->length && character_at(fold, end, &step) == MARK) end += step;
        TRY(add_range(tokens, at, end, TOKEN_CHARACTER, error));
        if (previous != SIZE_MAX) TRY(add_range(tokens, previous, end, TOKEN_PAIR, error));
        previous = at;
        at = end;
    }
    *next = at;
done:
    return status;
}

static size_t run_end(const struct fold *fold, size_t at)
{
    size_t step;
    for (; at < fold->length; at += step) {
        unsigned char c = (unsigned char)fold->bytes[at];
        step = 1;
        if (is_ascii_letter(c)) continue;
        if (c < 0x80) break;
        enum character kind = character_at(fold, at, &step);
        if (kind != LETTER && kind != MARK) break;
    }
    return at;
}

/* ---- Names with signs ---- */

/* Returns whether WORD is at byte AT and ends there. */
static int word_at(const struct fold *fold, size_t at, const char *word)
{
    size_t length = strlen(word), step;
    return at + length <= fold->length && memcmp(fold->bytes + at, word, length) == 0 &&
           (at + length == fold->length || character_at(fold, at + length, &step) == OTHER);
}

/* Returns the end of "++" or "#" at AT, or 0. After a single letter they may be separated as the
 * Penn Treebank tokenizer does: "C + +". */
static size_t sign_end(const struct fold *fold, size_t at, int alone)
{
    size_t step, plus = 0;
    for (; at < fold->length && plus < 2; at++)
        if (fold->bytes[at] == '+')
            plus++;
        else if (fold->bytes[at] == '#' && alone && !plus)
            return at + 1 == fold->length || character_at(fold, at + 1, &step) == OTHER ? at + 1
                                                                                        : 0;
        else if (fold->bytes[at] != ' ' || !alone)
            return 0;
    return plus == 2 && (at == fold->length ||
                         (fold->bytes[at] != '+' && character_at(fold, at, &step) == OTHER))
               ? at
               : 0;
}

/* Returns whether a sign that names end with may follow the letters AT .. END. */
static int may_be_name(const struct fold *fold, size_t at, size_t end)
{
    if (end >= fold->length) return 0;
    char sign = fold->bytes[end];
    return sign == '.' ||
           (end > at && (sign == '+' || sign == '#' || (sign == ' ' && end == at + 1)));
}

/* Adds the name that begins at AT: c++, c#, .net, node.js. *NEXT stays where there is none. END is
 * that of the letters at AT. */
static film_status add_name(struct tokens *tokens, size_t at, size_t end, size_t *tail,
                            size_t *next, film_error *error)
{
    static const char *const endings[] = {".js", ".net"};
    const struct fold *fold = &tokens->fold;
    size_t from = source_from(fold, at), step, start = 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (word_at(fold, end, endings[i]) &&
            (end > at || at == 0 || character_at(fold, at - 1, &step) == OTHER)) {
            *next = end + strlen(endings[i]);
            return add_range(tokens, at, *next, TOKEN_WORD, error);
        }
    size_t last = end > at ? sign_end(fold, end, end == at + 1) : 0;
    if (!last) return FILM_OK;
    *next = last;
    if (!memchr(fold->bytes + at, ' ', last - at))
        return add_range(tokens, at, last, TOKEN_WORD, error);
    char name[3] = {fold->bytes[at], fold->bytes[last - 1], '+'};
    size_t to = source_to(fold, last - 1), length = name[1] == '#' ? 2 : 3;
    film_status status = store_word(tokens, tail, name, length, &start, error);
    return status != FILM_OK ? status
                             : add_token(tokens, start, length, from, to, TOKEN_WORD, error);
}

/* ---- Stemming and stop words ---- */

static film_status stem_all(struct tokens *tokens, size_t *tail, film_error *error)
{
    for (size_t i = 0; i < tokens->count; i++) {
        struct token *token = &tokens->items[i];
        if (token->kind != TOKEN_WORD) continue;
        film_text word = token_text(tokens, token);
        const sb_symbol *stem =
            sb_stemmer_stem(tokens->stemmer, (const sb_symbol *)word.bytes, (int)word.length);
        if (!stem) return status_no_memory(error);
        size_t length = (size_t)sb_stemmer_length(tokens->stemmer), at = 0;
        film_status status = store_word(tokens, tail, (const char *)stem, length, &at, error);
        if (status != FILM_OK) return status;
        token->start = (uint32_t)at;
        token->length = (uint32_t)length;
    }
    return FILM_OK;
}

static void drop_stop_words(struct tokens *tokens, const struct strtab *stop)
{
    size_t kept = 0;
    for (size_t i = 0; i < tokens->count; i++) {
        film_text word = token_text(tokens, &tokens->items[i]);
        if (strtab_find(stop, word.bytes, word.length) == STRTAB_NONE)
            tokens->items[kept++] = tokens->items[i];
    }
    tokens->count = kept;
}

film_status tokens_split(struct tokens *tokens, const struct tokenizer *tokenizer, film_text text,
                         film_error *error)
{
    struct fold *fold = &tokens->fold;
    film_status status = FILM_OK;
    tokens->count = 0;
    TRY(fold_text(fold, text, error));
    size_t tail = fold->length; /* end of the words written after the text */
    int is_record = record_text_is(text);
    for (size_t at = 0, step; at < fold->length;) {
        enum character kind = character_at(fold, at, &step);
        size_t next = at + step, end = kind == LETTER ? run_end(fold, next) : at, name = at;
        int is_field = is_record && fold->bytes[at] == FIELD_NAME_MARK;
        if (!tokenizer->plain && kind != SPACELESS && !is_field && may_be_name(fold, at, end))
            TRY(add_name(tokens, at, end, &tail, &name, error));
        if (is_field) {
            while (next < fold->length && fold->bytes[next] != FIELD_VALUE_MARK) next++;
        } else if (name > at) {
            next = name;
        } else if (kind == LETTER) {
            next = end;
            TRY(add_run(tokens, at, end, &tail, &next, error));
        } else if (kind == SPACELESS) {
            TRY(add_spaceless(tokens, at, &next, error));
        }
        at = next;
    }
    if (tokenizer->stop.count) drop_stop_words(tokens, &tokenizer->stop);
    if (tokens->stemmer) TRY(stem_all(tokens, &tail, error));
done:
    return status;
}

film_status tokens_init(struct tokens *tokens, const struct tokenizer *tokenizer, film_error *error)
{
    memset(tokens, 0, sizeof *tokens);
    if (!tokenizer->stem) return FILM_OK;
    tokens->stemmer = sb_stemmer_new(tokenizer->stem, NULL);
    return tokens->stemmer ? FILM_OK : status_no_memory(error);
}

void tokens_free(struct tokens *tokens)
{
    if (tokens->stemmer) sb_stemmer_delete(tokens->stemmer);
    fold_free(&tokens->fold);
    mem_free(tokens->items);
    memset(tokens, 0, sizeof *tokens);
}
