/* Looks up known pairs. learn/memory_build.c builds the clusters from labels. */
#include "pair/memory.h"
#include "base/mem.h"

#include <string.h>

void memory_free(struct memory *memory)
{
    keytab_free(&memory->questions);
    keytab_free(&memory->different);
    keyset_free(&memory->known);
    keyset_free(&memory->apart);
    mem_free(memory->own_cluster);
    memset(memory, 0, sizeof *memory);
}

/* Clusters are numbered as questions are. */
unsigned memory_apart_bits(uint32_t count)
{
    return keyset_bits((uint64_t)count * count + 1);
}

static uint64_t question_number(uint64_t hash)
{
    return hash >> (64 - MEMORY_QUESTION_BITS);
}

static uint64_t apart_number(uint32_t count, uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a * count + b : (uint64_t)b * count + a;
}

/* The number of a question, KEYTAB_NONE where it is not known. */
static uint32_t known_number(const struct memory *memory, uint64_t hash)
{
    if (!memory->known.sizes) return keytab_find(&memory->questions, hash);
    uint32_t found = hash ? keyset_find(&memory->known, question_number(hash)) : KEYSET_NONE;
    return found == KEYSET_NONE ? KEYTAB_NONE : found;
}

static int known_apart(const struct memory *memory, uint32_t a, uint32_t b)
{
    if (memory->known.sizes)
        return keyset_find(&memory->apart, apart_number(memory->known.count, a, b)) != KEYSET_NONE;
    return keytab_find(&memory->different, memory_clusters(a, b)) != KEYTAB_NONE;
}

void memory_prefetch(const struct memory *memory, uint64_t a, uint64_t b, int step)
{
    if (!memory->known.count) return;
    keyset_prefetch(&memory->known, question_number(a), step);
    keyset_prefetch(&memory->known, question_number(b), step);
}

uint32_t memory_cluster(const struct memory *memory, uint64_t hash)
{
    uint32_t number = known_number(memory, hash);
    return number == KEYTAB_NONE ? number : memory->cluster[number] & ~MEMORY_MATCHED;
}

enum memory_answer memory_find(const struct memory *memory, uint64_t a, uint64_t b)
{
    uint32_t first = known_number(memory, a), second = known_number(memory, b), matched = 0;
    if (first != KEYTAB_NONE) matched |= first = memory->cluster[first];
    if (second != KEYTAB_NONE) matched |= second = memory->cluster[second];
    if (first != KEYTAB_NONE && second != KEYTAB_NONE) {
        first &= ~MEMORY_MATCHED;
        second &= ~MEMORY_MATCHED;
        if (first == second) return MEMORY_SAME;
        if (known_apart(memory, first, second)) return MEMORY_DIFFERENT;
    }
    return a && b && matched & MEMORY_MATCHED ? MEMORY_TAKEN : MEMORY_UNKNOWN;
}

/* ---- The compact form ---- */

/* Fills NUMBERS with the questions, by number. */
static void list_questions(const struct memory *memory, uint64_t *numbers)
{
    for (uint64_t slot = 0; slot <= memory->questions.slot_mask; slot++)
        if (memory->questions.keys[slot] &&
            memory->questions.number[slot] < memory->questions.count)
            numbers[memory->questions.number[slot]] = question_number(memory->questions.keys[slot]);
}

/* Questions whose numbers are equal share a place: with 48 bits that is one in a billion. */
static film_status pack_apart(const struct memory *memory, struct memory *out,
                              const uint32_t *cluster_of, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t questions = memory->questions.count;
    uint64_t *numbers = mem_array((size_t)memory->different.count + 1, sizeof *numbers);
    size_t count = 0;
    TRY_ALLOC(numbers, error);
    for (uint64_t slot = 0; slot <= memory->different.slot_mask; slot++) {
        uint64_t key = memory->different.keys[slot];
        uint32_t a = (uint32_t)(key >> 32), b = (uint32_t)key;
        if (!key || a >= questions || b >= questions || count == memory->different.count) continue;
        numbers[count++] = apart_number(out->known.count, cluster_of[a], cluster_of[b]);
    }
    TRY(keyset_build(&out->apart, numbers, count, memory_apart_bits(out->known.count), NULL,
                     error));
done:
    mem_free(numbers);
    return status;
}

film_status memory_pack(const struct memory *memory, struct memory *out, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t count = memory->questions.count;
    uint64_t *numbers = mem_zeroed((size_t)count + 1, sizeof *numbers);
    uint32_t *position = mem_array((size_t)count + 1, sizeof *position);
    *out = (struct memory){.own_cluster = mem_array((size_t)count + 1, sizeof(uint32_t))};
    memcpy(out->weight, memory->weight, sizeof out->weight);
    TRY_ALLOC(numbers && position && out->own_cluster, error);
    list_questions(memory, numbers);
    TRY(keyset_build(&out->known, numbers, count, MEMORY_QUESTION_BITS, position, error));
    /* A cluster is named by the question that it was named by, at its new position. */
    for (uint32_t q = 0; q < count; q++) {
        uint32_t name = memory->cluster[q] & ~MEMORY_MATCHED;
        out->own_cluster[position[q]] =
            position[name < count ? name : q] | (memory->cluster[q] & MEMORY_MATCHED);
    }
    out->cluster = out->own_cluster;
    TRY(pack_apart(memory, out, position, error));
done:
    mem_free(numbers);
    mem_free(position);
    if (status != FILM_OK) memory_free(out);
    return status;
}
