"""A second reader and writer of safetensors files, from the format's public description: 8 bytes
little-endian header length, a JSON header, raw row-major tensors. Plain Python and numpy, no code
shared with src/model. Checksums are computed from docs/reference/model-file.md with the system's libxxhash.

    read_safetensors.py FILE            prints the file as text, as safetensors_sample does
    read_safetensors.py --write FILE    writes a foreign file: no padding, odd addresses, no checksums
    read_safetensors.py --text          prints the expected text of the file of --write
    read_safetensors.py --checksums FILE  recomputes every checksum; prints "ok", "no libxxhash" or fails
"""
import ctypes
import json
import struct
import sys

import numpy

TYPES = {"U8": "<u1", "I8": "<i1", "BOOL": "?", "U16": "<u2", "I16": "<i2", "F16": "<f2", "BF16": "<u2",
         "U32": "<u4", "I32": "<i4", "F32": "<f4", "U64": "<u8", "I64": "<i8", "F64": "<f8"}


def read(path):
    with open(path, "rb") as file:
        content = file.read()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + length].decode("utf-8"))
    data = content[8 + length:]
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, about in header.items():
        begin, end = about["data_offsets"]
        array = numpy.frombuffer(data[begin:end], dtype=TYPES[about["dtype"]])
        tensors[name] = (about["dtype"], begin, array.reshape(about["shape"]))
    return metadata, tensors


def write(path, metadata, tensors):
    header, data = {"__metadata__": metadata}, b""
    for name, (dtype, _, array) in tensors.items():
        raw = array.astype(TYPES[dtype]).tobytes()
        header[name] = {"shape": list(array.shape), "dtype": dtype,
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, indent=1).encode("utf-8")  # ASCII with \u escapes, line ends inside
    if len(text) % 2 == 0:
        text += b" "  # an odd start of the data, so that no tensor is aligned
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def dump(metadata, tensors):
    """One line per entry, sorted by key; values as bit patterns, so that -0 and NaN count too."""
    lines = ["metadata %s = %s" % (json.dumps(k), json.dumps(metadata[k])) for k in sorted(metadata)
             if not k.startswith("xxh3:")]
    for name in sorted(tensors):
        dtype, _, array = tensors[name]
        width = array.dtype.itemsize
        raw = array.tobytes()
        cells = [raw[i:i + width][::-1].hex() for i in range(0, len(raw), width)]
        lines.append(" ".join(["tensor", json.dumps(name), dtype, str(list(array.shape)).replace(" ", "")]
                              + cells))
    return "\n".join(lines)


def foreign():
    """Unordered sizes: the U8 in front puts everything behind it at an odd address."""
    f = numpy.array
    return {"origin": "python", "name \u00e9\U0001f600": "line\nend \"q\" \\"}, {
        "byte": ("U8", 0, f([7], "u1")),
        "double": ("F64", 0, f([[1.5, -0.0], [numpy.inf, numpy.nan]])),
        "half": ("F16", 0, f([0.5, -2], "f2")),
        "empty": ("I32", 0, numpy.zeros((0, 3), "i4")),
        "scalar": ("F32", 0, f(2.5, "f4")),
        "flag": ("BOOL", 0, f([True, False, True])),
        "long": ("I64", 0, f([-1, 2 ** 62], "i8")),
        "\u03bb": ("U16", 0, f([1, 65535], "u2")),
    }


def check(path):
    """docs/reference/model-file.md, "Checksums"."""
    try:
        library = ctypes.CDLL("libxxhash.so.0")
    except OSError:
        return "no libxxhash"
    library.XXH3_64bits_withSeed.restype = ctypes.c_uint64
    library.XXH3_64bits_withSeed.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]

    def hash64(data, seed=0):
        return library.XXH3_64bits_withSeed(data, len(data), seed)

    metadata, tensors = read(path)
    total = 0
    for name, (dtype, begin, array) in tensors.items():
        assert metadata["xxh3:" + name] == "%016x" % hash64(array.tobytes()), name
        seed = hash64(dtype.encode(), hash64(name.encode(), 1))
        total += hash64(struct.pack("<%dQ" % (1 + array.ndim), begin, *array.shape), seed)
    for key, value in metadata.items():
        if key != "xxh3:__metadata__":
            total += hash64(value.encode(), hash64(key.encode()))
    assert metadata["xxh3:__metadata__"] == "%016x" % (total % 2 ** 64), "header"
    return "ok"


if __name__ == "__main__":
    if sys.argv[1] == "--write":
        write(sys.argv[2], *foreign())
    elif sys.argv[1] == "--text":
        print(dump(*foreign()))
    elif sys.argv[1] == "--checksums":
        print(check(sys.argv[2]))
    else:
        print(dump(*read(sys.argv[1])))
