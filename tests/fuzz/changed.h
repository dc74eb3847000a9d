/* A valid safetensors file, changed as an input says, with correct checksums, packed in memory. So
 * every change reaches the code behind the checksums, and no execution writes a file. */
#ifndef FUZZ_CHANGED_H
#define FUZZ_CHANGED_H

#include "base/checksum.h"
#include "fuzz.h"
#include "spoil.h"

enum { CHANGED_ROOM = 1 << 18, CHANGED_HEADER = 1 << 15 };

struct changed {
    struct spoil good;
    uint8_t room[CHANGED_ROOM];
    size_t length;
};

static inline void put(char *header, size_t *used, const char *text)
{
    size_t length = strlen(text);
    require(*used + length < CHANGED_HEADER);
    memcpy(header + *used, text, length + 1);
    *used += length;
}

static inline void put_quoted(char *header, size_t *used, const char *text)
{
    require(*used + 2 * strlen(text) + 2 < CHANGED_HEADER);
    char *out = header + *used;
    *out++ = '"';
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') *out++ = '\\';
        *out++ = *text;
    }
    *out++ = '"';
    *out = '\0';
    *used = (size_t)(out - header);
}

static inline void put_number(char *header, size_t *used, const char *before, uint64_t number)
{
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    put(header, used, before);
    put(header, used, digits + at);
}

static inline void put_entry(char *header, size_t *used, const char *key, const char *value)
{
    put_quoted(header, used, key);
    put(header, used, ":");
    put_quoted(header, used, value);
    put(header, used, ",");
}

/* Appends the description of a tensor at BEGIN, and its checksum to METADATA. Returns its part of
 * the header's checksum. */
static inline uint64_t put_tensor(char *header, size_t *used, char *metadata, size_t *noted,
                                  const struct safetensors_tensor *tensor, uint64_t begin)
{
    struct checksum_text sum = checksum_print(checksum_bytes(tensor->data, tensor->bytes));
    char key[100] = CHECKSUM_PREFIX;
    require(strlen(tensor->name) < sizeof key - sizeof CHECKSUM_PREFIX);
    strcat(key, tensor->name);
    put(header, used, ",");
    put_quoted(header, used, tensor->name);
    put(header, used, ":{\"dtype\":");
    put_quoted(header, used, safetensors_type_name(tensor->type));
    put(header, used, ",\"shape\":[");
    for (size_t i = 0; i < tensor->dims; i++)
        put_number(header, used, i ? "," : "", tensor->shape[i]);
    put_number(header, used, "],\"data_offsets\":[", begin);
    put_number(header, used, ",", begin + tensor->bytes);
    put(header, used, "]}");
    put_entry(metadata, noted, key, sum.digits);
    return checksum_metadata(key, sum.digits) + checksum_tensor(tensor, begin);
}

/* Packs a file whose tensors are at odd addresses: the reader copies each into a block of its own,
 * so that the address sanitizer finds a read past the end of one. */
static inline void changed_pack(struct changed *changed, const struct spoil *spoil)
{
    static char header[CHANGED_HEADER], metadata[CHANGED_HEADER], all[2 * CHANGED_HEADER];
    size_t used = 0, noted = 0;
    uint64_t sum = 0, end = 0, length;
    header[0] = metadata[0] = '\0';
    for (size_t i = 0; i < spoil->metadata; i++) {
        put_entry(metadata, &noted, spoil->key[i], spoil->value[i]);
        sum += checksum_metadata(spoil->key[i], spoil->value[i]);
    }
    for (size_t i = 0; i < spoil->count; i++) {
        struct safetensors_tensor tensor = spoil->tensor[i];
        require(safetensors_size(tensor.type, tensor.dims, tensor.shape, &tensor.bytes));
        sum += put_tensor(header, &used, metadata, &noted, &tensor, end);
        end += tensor.bytes;
    }
    length = (uint64_t)snprintf(all, sizeof all, "{\"__metadata__\":{%s\"%s\":\"%s\"}%s}", metadata,
                                CHECKSUM_HEADER, checksum_print(sum).digits, header);
    while ((8 + length) % 8 != 1) all[length++] = ' ';
    require(8 + length + end <= CHANGED_ROOM);
    memcpy(changed->room, &length, 8);
    memcpy(changed->room + 8, all, length);
    changed->length = 8 + length;
    for (size_t i = 0; i < spoil->count; i++) {
        struct safetensors_tensor tensor = spoil->tensor[i];
        safetensors_size(tensor.type, tensor.dims, tensor.shape, &tensor.bytes);
        if (tensor.bytes) memcpy(changed->room + changed->length, tensor.data, tensor.bytes);
        changed->length += tensor.bytes;
    }
}

/* A copy of a valid file with the changes of an input. */
struct change {
    struct spoil work;
    uint8_t origin[SPOIL_MOST]; /* of each tensor: its number in the valid file */
    char *text;
};

/* Makes the changes of the input, 6 bytes each (spoil_change); those of text go to the metadata
 * KEY. changed_end frees the result. */
static inline void changed_begin(struct change *change, const struct spoil *good, const char *key,
                                 const uint8_t *data, size_t size)
{
    enum { MOST = 240 };
    struct spoil *work = &change->work;
    *work = *good;
    change->text = NULL;
    for (size_t i = 0; i < work->count; i++) change->origin[i] = (uint8_t)i;
    for (size_t i = 0; i < work->metadata; i++)
        if (strcmp(work->key[i], key) == 0) work->value[i] = change->text = strdup(work->value[i]);
    require(change->text != NULL);
    for (size_t i = 0; i + 6 <= size && i < MOST && work->count > 1; i += 6) {
        size_t which = data[i] % (work->count + 1), before = work->count;
        struct safetensors_tensor *tensor = &work->tensor[which];
        if (which < before && tensor->data == good->tensor[change->origin[which]].data) {
            void *copy = malloc(tensor->bytes + 8);
            require(copy != NULL);
            if (tensor->bytes) memcpy(copy, tensor->data, tensor->bytes);
            tensor->data = copy;
        }
        spoil_change(work, change->text, data + i);
        if (work->count < before) change->origin[which] = change->origin[work->count];
    }
}

static inline void changed_end(struct change *change, const struct spoil *good)
{
    free(change->text);
    for (size_t i = 0; i < change->work.count; i++)
        if (change->work.tensor[i].data != good->tensor[change->origin[i]].data)
            free((void *)change->work.tensor[i].data);
}

/* The same, packed: the result is in `room`. */
static inline void changed_make(struct changed *changed, const char *key, const uint8_t *data,
                                size_t size)
{
    struct change change;
    changed_begin(&change, &changed->good, key, data, size);
    changed_pack(changed, &change.work);
    changed_end(&change, &changed->good);
}

#endif
