/* Copies sentences from table rows until there are enough for one transaction. It writes nothing;
 * add.c does. */
#include "pool/batch.h"
#include "base/mem.h"
#include "dedup/row_fields.h"

#include <string.h>

enum { FIRST_BLOCK = 1 << 12, BLOCK = 1 << 20 }; /* a few answers or many rows */

struct batch_block {
    struct batch_block *next;
    size_t used, size;
    char bytes[];
};

static char *reserve_bytes(struct batch *batch, size_t length)
{
    struct batch_block *block = batch->blocks;
    if (!block || block->size - block->used < length) {
        size_t size = !block ? FIRST_BLOCK : block->size < BLOCK ? 2 * block->size : BLOCK;
        if (size < length) size = length;
        block = mem_array(sizeof *block + size, 1);
        if (!block) return NULL;
        *block = (struct batch_block){.next = batch->blocks, .size = size};
        batch->blocks = block;
    }
    block->used += length;
    return block->bytes + block->used - length;
}

static int copy_into_batch(struct batch *batch, film_text *text)
{
    if (!text->bytes) return 1;
    char *bytes = reserve_bytes(batch, text->length);
    if (!bytes) return 0;
    memcpy(bytes, text->bytes, text->length);
    text->bytes = bytes;
    batch->bytes += text->length;
    return 1;
}

film_status batch_add(struct batch *batch, const film_sentence *sentence, uint64_t line,
                      film_error *error)
{
    film_sentence own = *sentence;
    char made[ROW_FIELDS_ID_BYTES];
    void *rows = batch->rows, *lines = batch->lines;
    if (!own.id.bytes) own.id = row_fields_make_id(own.text, made);
    int grown = mem_grow(&rows, &batch->capacity, batch->count + 1, sizeof *batch->rows);
    batch->rows = rows;
    grown =
        grown && mem_grow(&lines, &batch->lines_capacity, batch->count + 1, sizeof *batch->lines);
    batch->lines = lines;
    if (!grown || !copy_into_batch(batch, &own.id) || !copy_into_batch(batch, &own.text) ||
        !copy_into_batch(batch, &own.category) || !copy_into_batch(batch, &own.answer) ||
        !copy_into_batch(batch, &own.url) || !copy_into_batch(batch, &own.more))
        return status_no_memory(error);
    batch->rows[batch->count] = own;
    batch->lines[batch->count++] = line;
    return FILM_OK;
}

void batch_clear(struct batch *batch)
{
    while (batch->blocks) {
        struct batch_block *next = batch->blocks->next;
        mem_free(batch->blocks);
        batch->blocks = next;
    }
    batch->count = batch->bytes = 0;
}

void batch_free(struct batch *batch)
{
    batch_clear(batch);
    mem_free(batch->rows);
    mem_free(batch->lines);
    *batch = (struct batch){0};
}
