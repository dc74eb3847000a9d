/* Reads two sentences: tokens, sparse rows, vectors, rarity and flags of words, and the alignment
 * of equal words. It does not compare them. */
#include "pair/reading.h"
#include "base/mem.h"
#include "base/rng.h"

#include <string.h>

film_status reading_init(struct reading *reading, const struct encoder *encoder, film_error *error)
{
    film_status status = FILM_OK;
    memset(reading, 0, sizeof *reading);
    reading->encoder = encoder;
    reading->seed = rng_entropy();
    /* Ids are sorted by decreasing frequency: the last word is one of the rarest. A word in every
     * sentence has idf 1. */
    const struct features *features = encoder->features;
    uint32_t words = features->first[GROUP_WORD + 1];
    float rarest = words ? features->idf[words - 1] - 1.0f : 0.0f;
    reading->rarest = rarest > 0 ? rarest : 1.0f;
    for (int side = 0; side < 2; side++) {
        TRY(feature_row_init(&reading->side[side].row, encoder->features, error));
        if (word_map_exists(&encoder->map))
            TRY_ALLOC(reading->side[side].vector = mem_aligned(encoder->dim, sizeof(float)), error);
        if (encoder->network)
            TRY_ALLOC(reading->side[side].encoded =
                          mem_aligned(encoder->network_dim, sizeof(float)),
                      error);
    }
done:
    if (status != FILM_OK) reading_free(reading);
    return status;
}

void reading_free(struct reading *reading)
{
    for (int side = 0; side < 2; side++) {
        feature_row_free(&reading->side[side].row);
        mem_free_aligned(reading->side[side].vector);
        mem_free_aligned(reading->side[side].encoded);
        mem_free(reading->side[side].words);
    }
    mem_free(reading->slots);
    mem_free(reading->hashes);
    mem_free(reading->first[0]);
    mem_free(reading->first[1]);
    mem_free(reading->waiting);
    mem_free(reading->next);
    memset(reading, 0, sizeof *reading);
}

film_text reading_text(const struct reading *reading, int side, size_t word)
{
    const struct tokens *tokens = &reading->side[side].row.grams.tokens;
    return token_text(tokens, &tokens->items[word]);
}

/* ---- Numbering ---- */

static int reserve_words(struct reading *reading, size_t words)
{
    struct reading_side *side = reading->side;
    size_t slots = 16;
    while (slots < 2 * words) slots *= 2;
    if (!mem_grow((void **)&side[0].words, &side[0].capacity, words, sizeof *side[0].words) ||
        !mem_grow((void **)&side[1].words, &side[1].capacity, words, sizeof *side[1].words) ||
        !mem_grow((void **)&reading->hashes, &reading->hashes_capacity, words + 1,
                  sizeof *reading->hashes) ||
        !mem_grow((void **)&reading->first[0], &reading->first_capacity[0], words + 1,
                  sizeof(uint32_t)) ||
        !mem_grow((void **)&reading->first[1], &reading->first_capacity[1], words + 1,
                  sizeof(uint32_t)) ||
        !mem_grow((void **)&reading->waiting, &reading->waiting_capacity, words + 1,
                  sizeof *reading->waiting) ||
        !mem_grow((void **)&reading->next, &reading->next_capacity, words + 1,
                  sizeof *reading->next) ||
        !mem_grow((void **)&reading->slots, &reading->slots_capacity, slots,
                  sizeof *reading->slots))
        return 0;
    reading->slot_mask = (uint32_t)slots - 1;
    memset(reading->slots, 0xff, slots * sizeof *reading->slots); /* READING_NONE */
    reading->numbers = 0;
    return 1;
}

/* The finaliser of splitmix64: every bit depends on every bit. */
static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Returns the number of the word with this hash; assigns a new one. 64 bits distinguish words. */
static uint32_t number_word(struct reading *reading, uint64_t hash)
{
    uint32_t slot = (uint32_t)mixed(hash ^ reading->seed) & reading->slot_mask;
    while (reading->slots[slot] != READING_NONE) {
        if (reading->hashes[reading->slots[slot]] == hash) return reading->slots[slot];
        slot = (slot + 1) & reading->slot_mask;
    }
    uint32_t number = (uint32_t)reading->numbers++;
    reading->slots[slot] = number;
    reading->hashes[number] = hash;
    reading->first[0][number] = reading->first[1][number] = READING_NONE;
    return number;
}

/* ---- Properties of words ---- */

static int is_one_of(film_text word, const char *const *list)
{
    for (; *list; list++)
        if (**list == *word.bytes && strlen(*list) == word.length &&
            memcmp(*list, word.bytes, word.length) == 0)
            return 1;
    return 0;
}

static unsigned word_flags(film_text word)
{
    /* A few words of the most likely languages; words of other languages simply have no flag. */
    static const char *const negations[] = {
        "not", "no",   "never",  "without", "none", "nor", "nicht", "kein",       "keine", "ohne",
        "pas", "sans", "jamais", "nunca",   "sin",  "nao", "non",   "n\xc3\xa3o", NULL};
    static const char *const asking[] = {"what",  "how",  "why",   "who",     "whom", "whose",
                                         "which", "when", "where", "whether", NULL};
    unsigned flags = 0;
    for (size_t i = 0; i < word.length; i++)
        if (word.bytes[i] >= '0' && word.bytes[i] <= '9') flags = WORD_NUMBER;
    if (word.length < 2 || word.length > 8) return flags;
    if (is_one_of(word, negations)) flags |= WORD_NEGATION;
    if (is_one_of(word, asking)) flags |= WORD_QUESTION;
    return flags;
}

/* Order matters: "man bites dog" is another question. */
static uint64_t add_to_hash(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

/* A capital inside a sentence; "I" does not count. The letters are those of the original text. */
static unsigned name_flag(film_text text, const struct token *token, size_t at)
{
    if (at == 0 || token->from >= text.length || token->to - token->from < 2) return 0;
    char letter = text.bytes[token->from];
    return letter >= 'A' && letter <= 'Z' ? WORD_NAME : 0;
}

static void read_words(struct reading *reading, int which)
{
    struct reading_side *side = &reading->side[which];
    const struct features *features = reading->encoder->features;
    const struct tokens *tokens = &side->row.grams.tokens;
    int known = (features->groups & GROUP_BIT(GROUP_WORD)) != 0;
    side->count = tokens->count;
    side->hash = 0;
    for (size_t i = 0; i < tokens->count; i++) {
        film_text text = token_text(tokens, &tokens->items[i]);
        uint32_t id = known ? side->row.found[i] : READING_NONE;
        side->words[i] = (struct reading_word){
            .number = number_word(reading, strtab_hash(text.bytes, text.length)),
            .id = id,
            .partner = READING_NONE,
            .flags = word_flags(text) | name_flag(side->text, &tokens->items[i], i),
            .rarity = id == READING_NONE ? 1.0f : (features->idf[id] - 1.0f) / reading->rarest};
        uint32_t number = side->words[i].number;
        if (reading->first[which][number] == READING_NONE)
            reading->first[which][number] = (uint32_t)i;
        side->hash = add_to_hash(side->hash, reading->hashes[number]);
    }
}

/* Pairs the first occurrence in one sentence with the first in the other, the second with the
 * second, and so on. */
static void pair_up(struct reading *reading)
{
    struct reading_side *a = &reading->side[0], *b = &reading->side[1];
    memset(reading->waiting, 0xff, (reading->numbers + 1) * sizeof *reading->waiting);
    for (size_t j = b->count; j-- > 0;) { /* backwards: the lists are then in order */
        uint32_t number = b->words[j].number;
        reading->next[j] = reading->waiting[number];
        reading->waiting[number] = (uint32_t)j;
    }
    for (size_t i = 0; i < a->count; i++) {
        uint32_t *place = &reading->waiting[a->words[i].number];
        if (*place == READING_NONE) continue;
        a->words[i].partner = *place;
        b->words[*place].partner = (uint32_t)i;
        *place = reading->next[*place];
    }
}

static int sorts_before(film_text a, film_text b)
{
    size_t common = a.length < b.length ? a.length : b.length;
    int order = common ? memcmp(a.bytes, b.bytes, common) : 0;
    return order ? order < 0 : a.length < b.length;
}

film_status reading_read(struct reading *reading, film_text a, film_text b, film_error *error)
{
    film_status status = FILM_OK;
    struct reading_side *side = reading->side;
    reading->swapped = sorts_before(b, a);
    if (reading->swapped) {
        film_text first = a;
        a = b;
        b = first;
    }
    side[0].text = a;
    side[1].text = b;
    for (int s = 0; s < 2; s++) {
        TRY(encoder_read_words(reading->encoder, &side[s].row, side[s].text, side[s].vector,
                               error));
        if (reading->encoder->network)
            TRY(encoder_embed(reading->encoder, &side[s].row, side[s].text, side[s].encoded,
                              error));
    }
    TRY_ALLOC(
        reserve_words(reading, side[0].row.grams.tokens.count + side[1].row.grams.tokens.count),
        error);
    read_words(reading, 0);
    read_words(reading, 1);
    pair_up(reading);
done:
    return status;
}
