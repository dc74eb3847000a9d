/* Reads two sentences: tokens, sparse rows, vectors, rarity and flags of words, and the alignment
 * of equal words. It does not compare them. */
#include "pair/reading.h"
#include "base/mem.h"
#include "base/rng.h"
#include "embed/vec.h"

#include <string.h>

static void side_free(struct reading_side *side)
{
    feature_row_free(&side->row);
    mem_free_aligned(side->vector);
    mem_free_aligned(side->encoded);
    mem_free(side->words);
    mem_free(side->copy);
    memset(side, 0, sizeof *side);
}

static film_status side_init(struct reading_side *side, const struct encoder *encoder,
                             film_error *error)
{
    film_status status = FILM_OK;
    TRY(feature_row_init(&side->row, encoder->features, error));
    if (word_map_exists(&encoder->map))
        TRY_ALLOC(side->vector = mem_aligned(encoder->dim, sizeof(float)), error);
    if (encoder->network)
        TRY_ALLOC(side->encoded = mem_aligned(encoder->network_dim, sizeof(float)), error);
    side->is_made = 1;
done:
    if (status != FILM_OK) side_free(side);
    return status;
}

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
    for (int side = 0; side < 2; side++) TRY(side_init(&reading->side[side], encoder, error));
done:
    if (status != FILM_OK) reading_free(reading);
    return status;
}

void reading_free(struct reading *reading)
{
    for (int side = 0; side < 2; side++) side_free(&reading->side[side]);
    for (size_t i = 0; reading->kept && i < READING_KEPT; i++) side_free(&reading->kept[i]);
    mem_free(reading->kept);
    mem_free(reading->slots);
    mem_free(reading->hashes);
    mem_free(reading->first[0]);
    mem_free(reading->first[1]);
    mem_free(reading->waiting);
    mem_free(reading->next);
    mem_free(reading->features.shared[0]);
    mem_free(reading->features.shared[1]);
    mem_free(reading->features.alone);
    memset(reading, 0, sizeof *reading);
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

/* Order matters: "man bites dog" is another question. */
static uint64_t add_to_hash(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

uint64_t reading_hash(const struct tokens *tokens)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < tokens->count; i++) {
        film_text word = token_text(tokens, &tokens->items[i]);
        hash = add_to_hash(hash, strtab_hash(word.bytes, word.length));
    }
    return hash;
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
    side->count = tokens->count;
    side->hash = 0;
    for (size_t i = 0; i < tokens->count; i++) {
        const struct lexeme *lexeme = side->row.word[i];
        uint32_t id = lexeme->id;
        side->words[i] = (struct reading_word){
            .number = number_word(reading, lexeme->hash),
            .id = id,
            .partner = READING_NONE,
            .flags = (lexeme->kinds & WORD_FLAGS) | name_flag(side->text, &tokens->items[i], i),
            .rarity = id == READING_NONE ? 1.0f : (features->idf[id] - 1.0f) / reading->rarest,
            .text = token_text(tokens, &tokens->items[i]),
            .lexeme = lexeme};
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

/* Merges the features of the two rows, which end with an id above all others. */
static int merge_features(struct reading *reading)
{
    struct reading_features *both = &reading->features;
    const struct feature_row *a = &reading->side[0].row, *b = &reading->side[1].row;
    const uint32_t *end = reading->encoder->features->first;
    size_t i = 0, j = 0, shared = 0, alone = 0, most = a->count + b->count + 1;
    if (!mem_grow((void **)&both->shared[0], &both->capacity[0], most, sizeof(uint32_t)) ||
        !mem_grow((void **)&both->shared[1], &both->capacity[1], most, sizeof(uint32_t)) ||
        !mem_grow((void **)&both->alone, &both->capacity[2], most, sizeof(uint32_t)))
        return 0;
    uint32_t *here = both->shared[0], *there = both->shared[1], *list = both->alone;
    const uint32_t *ids_a = a->id, *ids_b = b->id;
    for (int g = 0; g <= GROUPS; g++) {
        both->first_shared[g] = shared;
        both->first_alone[g] = alone;
        both->from[0][g] = i;
        both->from[1][g] = j;
        uint32_t limit = g < GROUPS ? end[g + 1] : 0;
        for (;;) { /* no branch inside: nobody can predict it */
            uint32_t left = ids_a[i], right = ids_b[j], lesser = left < right ? left : right;
            if (lesser >= limit) break;
            size_t is_left = left == lesser, is_right = right == lesser;
            here[shared] = (uint32_t)i;
            there[shared] = (uint32_t)j;
            list[alone] = lesser;
            shared += is_left & is_right;
            alone += is_left ^ is_right;
            i += is_left;
            j += is_right;
        }
    }
    return 1;
}

static int sorts_before(film_text a, film_text b)
{
    size_t common = a.length < b.length ? a.length : b.length;
    int order = common ? memcmp(a.bytes, b.bytes, common) : 0;
    return order ? order < 0 : a.length < b.length;
}

static int is_same_text(const struct reading_side *side, film_text text)
{
    return side->is_read && side->copy_length == text.length &&
           (!text.length || memcmp(side->copy, text.bytes, text.length) == 0);
}

/* ---- Kept sentences ---- */

film_status reading_keep(struct reading *reading, film_error *error)
{
    if (!reading->kept) reading->kept = mem_zeroed(READING_KEPT, sizeof *reading->kept);
    return reading->kept ? FILM_OK : status_no_memory(error);
}

/* Exchanges what was read, but not the words, which belong to the pair. */
static void swap_sides(struct reading_side *a, struct reading_side *b)
{
    struct reading_side side = *a;
    feature_row_swap(&side.row, &b->row);
    *a = (struct reading_side){.copy = b->copy,
                               .copy_length = b->copy_length,
                               .copy_capacity = b->copy_capacity,
                               .is_made = 1,
                               .is_read = b->is_read,
                               .home = b->home,
                               .row = side.row,
                               .vector = b->vector,
                               .encoded = b->encoded,
                               .words = side.words,
                               .capacity = side.capacity};
    b->copy = side.copy;
    b->copy_length = side.copy_length;
    b->copy_capacity = side.copy_capacity;
    b->is_read = side.is_read;
    b->home = side.home;
    b->vector = side.vector;
    b->encoded = side.encoded;
}

/* Puts the sentence of a side back where it is kept, and takes what is kept in the place of TEXT:
 * the same sentence, or one to be replaced. */
static film_status take_kept(struct reading *reading, struct reading_side *side, film_text text,
                             film_error *error)
{
    uint32_t place = (uint32_t)strtab_hash(text.bytes, text.length) % READING_KEPT;
    struct reading_side *kept = &reading->kept[place];
    film_status status = kept->is_made ? FILM_OK : side_init(kept, reading->encoder, error);
    if (status != FILM_OK) return status;
    if (side->home) swap_sides(side, &reading->kept[side->home - 1]);
    swap_sides(side, kept);
    side->home = place + 1;
    return FILM_OK;
}

/* Computes the row and the vectors of a side, unless it has them. */
static film_status read_side(struct reading *reading, struct reading_side *side, film_text text,
                             film_error *error)
{
    film_status status = FILM_OK;
    if (reading->kept && !is_same_text(side, text)) TRY(take_kept(reading, side, text, error));
    side->text = text;
    if (is_same_text(side, text)) return FILM_OK;
    side->is_read = 0;
    TRY(encoder_read_words(reading->encoder, &side->row, text, side->vector, error));
    if (reading->encoder->network)
        TRY(encoder_embed(reading->encoder, &side->row, text, side->encoded, error));
    TRY_ALLOC(mem_grow((void **)&side->copy, &side->copy_capacity, text.length + 1, 1), error);
    if (text.length) memcpy(side->copy, text.bytes, text.length);
    side->copy_length = text.length;
    side->is_read = 1;
done:
    return status;
}

film_status reading_read(struct reading *reading, film_text a, film_text b, film_error *error)
{
    film_status status = FILM_OK;
    struct reading_side *side = reading->side;
    reading->swapped = sorts_before(b, a);
    film_text text[2] = {reading->swapped ? b : a, reading->swapped ? a : b};
    if (is_same_text(&side[0], text[1]) || is_same_text(&side[1], text[0])) {
        struct reading_side first = side[0]; /* a query that is compared with many texts */
        side[0] = side[1];
        side[1] = first;
    }
    for (int s = 0; s < 2; s++) TRY(read_side(reading, &side[s], text[s], error));
    TRY_ALLOC(
        reserve_words(reading, side[0].row.grams.tokens.count + side[1].row.grams.tokens.count),
        error);
    read_words(reading, 0);
    read_words(reading, 1);
    pair_up(reading);
    if (side[0].vector) {
        size_t dim = reading->encoder->dim;
        reading->product = vec_dot(side[0].vector, side[1].vector, dim);
        for (int s = 0; s < 2; s++)
            reading->squares[s] = vec_dot(side[s].vector, side[s].vector, dim);
    }
    TRY_ALLOC(merge_features(reading), error);
done:
    return status;
}
