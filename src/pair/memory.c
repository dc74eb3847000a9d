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

enum memory_answer memory_find(const struct memory *memory, uint64_t a, uint64_t b)
{
    uint32_t first = keytab_find(&memory->questions, a);
    uint32_t second = keytab_find(&memory->questions, b);
    if (first == KEYTAB_NONE || second == KEYTAB_NONE) return MEMORY_UNKNOWN;
    first = memory->cluster[first];
    second = memory->cluster[second];
    if (first == second) return MEMORY_SAME;
    return keytab_find(&memory->different, memory_clusters(first, second)) == KEYTAB_NONE
               ? MEMORY_UNKNOWN
               : MEMORY_DIFFERENT;
}
