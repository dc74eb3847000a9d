/* Headers that a safetensors reader must refuse, each with a part of the expected message. */
#ifndef SAFETENSORS_BAD_H
#define SAFETENSORS_BAD_H

#include <stddef.h>

#define T(type, shape, offsets) \
    "{\"dtype\":\"" type "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static const struct {
    const char *header;
    size_t data; /* bytes after it */
    const char *message;
} bad[] = {
    {"", 0, "does not start with '{'"},
    {"[1]", 0, "does not start with '{'"},
    {" {}", 0, "does not start with '{'"},
    {"\xef\xbb\xbf{}", 0, "does not start with '{'"},
    {"{", 0, "does not end with '}'"},
    {"{}\n", 0, "does not end with '}' and spaces"},
    {"{}{}", 0, "byte 3: invalid JSON"},
    {"{\"a\":}", 0, "invalid JSON"},
    {"{\"a\":1,}", 0, "invalid JSON"},
    {"{\"a\xff\":1}", 0, "unable to decode byte 0xff"},
    {"{\"\\ud800\":1}", 0, "invalid JSON"},
    {"{\"a\\u0000\":1}", 0, "invalid JSON"},
    {"{\"a\n\":1}", 0, "invalid JSON"},
    {"{\"a\":" T("U8", "[1]", "[0,1]") ",\"a\":" T("U8", "[1]", "[0,1]") "}", 1, "duplicate"},
    {"{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}}", 0, "duplicate"},
    {"{\"__metadata__\":[]}", 0, "__metadata__ is not a JSON object"},
    {"{\"__metadata__\":null}", 0, "__metadata__ is not a JSON object"},
    {"{\"__metadata__\":{\"version\":1}}", 0, "metadata key version: the value is not a string"},
    {"{\"__metadata__\":{\"nest\":{}}}", 0, "metadata key nest: the value is not a string"},
    {"{\"a\":7}", 0, "tensor a: expected exactly dtype, shape and data_offsets"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1]}}", 1, "expected exactly"},
    {"{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,1]}}", 1, "expected exactly"},
    {"{\"a\":{\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "expected exactly"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],\"x\":0}}", 1, "exactly"},
    {"{\"a\":{\"dtype\":7,\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "dtype is not a string"},
    {"{\"a\":" T("F8_E4M3", "[1]", "[0,1]") "}", 1, "tensor a: unknown dtype F8_E4M3"},
    {"{\"a\":" T("f32", "[1]", "[0,4]") "}", 4, "unknown dtype f32"},
    {"{\"a\":" T("U8", "1", "[0,1]") "}", 1, "shape is not an array"},
    {"{\"a\":" T("U8", "[1,1,1,1,1,1,1,1,1]", "[0,1]") "}", 1, "9 dimensions; at most 8"},
    {"{\"a\":" T("U8", "[1,-1]", "[0,1]") "}", 1, "shape entry 1 is not a non-negative integer"},
    {"{\"a\":" T("U8", "[1.0]", "[0,1]") "}", 1, "shape entry 0 is not a non-negative"},
    {"{\"a\":" T("U8", "[\"1\"]", "[0,1]") "}", 1, "shape entry 0 is not a non-negative"},
    {"{\"a\":" T("U8", "[18446744073709551616]", "[0,1]") "}", 1, "too big integer"},
    {"{\"a\":" T("U8", "[4294967296,4294967296]", "[0,0]") "}", 0, "its shape is too large"},
    {"{\"a\":" T("F64", "[4611686018427387904]", "[0,0]") "}", 0, "its shape is too large"},
    {"{\"a\":" T("U8", "[1]", "{}") "}", 1, "data_offsets is not a pair"},
    {"{\"a\":" T("U8", "[1]", "[0]") "}", 1, "data_offsets is not a pair"},
    {"{\"a\":" T("U8", "[1]", "[0,1,2]") "}", 1, "data_offsets is not a pair"},
    {"{\"a\":" T("U8", "[1]", "[-1,0]") "}", 1, "data_offsets is not a pair of non-negative"},
    {"{\"a\":" T("U8", "[1]", "[0,true]") "}", 1, "data_offsets is not a pair"},
    {"{\"a\":" T("U8", "[1]", "[1,0]") "}", 1, "tensor a: data_offsets end before they begin"},
    {"{\"a\":" T("F32", "[2]", "[0,8]") "}", 7, "ends at byte 8 of the data, which has only 7"},
    {"{\"a\":" T("F32", "[2]", "[0,9223372036854775807]") "}", 8, "the file is cut off"},
    {"{\"a\":" T("F32", "[2,3]", "[0,8]") "}", 8,
     "F32 [2, 3] needs 24 bytes, but data_offsets give 8"},
    {"{\"a\":" T("F32", "[]", "[0,0]") "}", 0, "F32 [] needs 4 bytes"},
    {"{\"a\":" T("U8", "[1]", "[1,2]") "}", 2, "1 bytes of the data before tensor a"},
    {"{\"a\":" T("U8", "[2]", "[0,2]") ",\"b\":" T("U8", "[1]", "[3,4]") "}", 4,
     "before tensor b (at byte 2)"},
    {"{\"a\":" T("U8", "[2]", "[0,2]") ",\"b\":" T("U8", "[2]", "[1,3]") "}", 3,
     "tensor b starts at byte 1 of the data, inside tensor a"},
    {"{\"a\":" T("U8", "[2]", "[0,2]") ",\"b\":" T("U8", "[2]", "[0,2]") "}", 2, "inside tensor a"},
    {"{\"a\":" T("U8", "[2]", "[0,2]") ",\"b\":" T("U8", "[0]", "[1,1]") "}", 2, "inside tensor a"},
    {"{\"a\":" T("U8", "[2]", "[0,2]") "}", 5, "3 bytes after the last tensor"},
    {"{}", 1, "1 bytes after the last tensor"},
    {"{\"__metadata__\":{\"xxh3:b\":\"0\"},\"a\":" T("U8", "[0]", "[0,0]") "}", 0,
     "checksum of a missing tensor b"},
    {"{\"__metadata__\":{\"xxh3:a\":\"0\"},\"a\":" T("U8", "[0]", "[0,0]") "}", 0,
     "header checksum (xxh3:__metadata__) is missing"},
    {"{\"__metadata__\":{\"xxh3:__metadata__\":\"0\"}}", 0, "header checksum mismatch"},
    {"{\"line\\nend\":7}", 0, "tensor line?end: expected exactly"},
};

#endif
