/* Looks up known pairs. learn/memory_build.c builds the clusters from labels. */
#include "pair/memory.h"
#include "base/mem.h"

#include <string.h>

void memory_free(struct memory *memory)
{
    keytab_free(&memory->questions);
    keytab_free(&memory->different);
    mem_free(memory->own_cluster);
    memset(memory, 0, sizeof *memory);
}

void memory_prefetch(const struct memory *memory, uint64_t a, uint64_t b)
{
    const struct keytab *questions = &memory->questions;
    if (!questions->count) return;
    __builtin_prefetch(questions->keys + keytab_first_slot(questions, a));
    __builtin_prefetch(questions->keys + keytab_first_slot(questions, b));
}

uint32_t memory_cluster(const struct memory *memory, uint64_t hash)
{
    uint32_t number = keytab_find(&memory->questions, hash);
    return number == KEYTAB_NONE ? number : memory->cluster[number] & ~MEMORY_MATCHED;
}

enum memory_answer memory_find(const struct memory *memory, uint64_t a, uint64_t b)
{
    uint32_t first = keytab_find(&memory->questions, a), matched = 0;
    uint32_t second = keytab_find(&memory->questions, b);
    if (first != KEYTAB_NONE) matched |= first = memory->cluster[first];
    if (second != KEYTAB_NONE) matched |= second = memory->cluster[second];
    if (first != KEYTAB_NONE && second != KEYTAB_NONE) {
        first &= ~MEMORY_MATCHED;
        second &= ~MEMORY_MATCHED;
        if (first == second) return MEMORY_SAME;
        if (keytab_find(&memory->different, memory_clusters(first, second)) != KEYTAB_NONE)
            return MEMORY_DIFFERENT;
    }
    return a && b && matched & MEMORY_MATCHED ? MEMORY_TAKEN : MEMORY_UNKNOWN;
}
