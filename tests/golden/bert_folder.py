"""Writes a tiny BERT folder with random weights, in Hugging Face's layout; needs no library.

As a program: bert_folder.py FOLDER [--wide] [--nan TENSOR]; --wide: vectors of 32 numbers. bert_numpy.py imports it to
make its variants.
"""
import json
import math
import os
import random
import struct
import sys

PIECES = ("[PAD] [UNK] [CLS] [SEP] [MASK] . , ? ! ' - $ ^ ¿ \u2026 \u3002 a b c d e h i l m n o r s t u w y é A E \u4e2d \u6587 \u1112 \u1161 "
          "\u11ab ß σ ς i̇ ##a ##b ##c ##d ##e ##l ##n ##o ##s ##t ##y ##\u1161 ##\u11ab ##é ##σ ##ς word words ##ing "
          "how what is the my card cafe café Café lost reset naive résumé resume ##word number 1 2 ##2 ##1 same").split(" ")
SIZES = dict(hidden=24, inner=40, layers=2, heads=3, positions=32, types=2)
LAYER = {False: ("encoder.layer", "attention.self.query", "attention.self.key", "attention.self.value",
                 "attention.output.dense", "attention.output.LayerNorm", "intermediate.dense", "output.dense",
                 "output.LayerNorm"),
         True: ("transformer.layer", "attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin",
                "sa_layer_norm", "ffn.lin1", "ffn.lin2", "output_layer_norm")}


def round_to(value, dtype):
    """What is left of a number stored as F32, F16 or BF16."""
    if dtype == "F16":
        return struct.unpack("<e", struct.pack("<e", value))[0]
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    if dtype == "BF16":
        bits &= 0xFFFF0000
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def pack(values, dtype):
    if dtype == "BF16":
        return b"".join(struct.pack("<f", v)[2:] for v in values)
    return struct.pack("<%d%s" % (len(values), {"F32": "f", "F16": "e"}[dtype]), *values)


def make_weights(sizes, distil=False, dtype="F32", seed=1):
    """Name -> (shape, values), as the file will hold them."""
    draw = random.Random(seed)
    h, inner = sizes["hidden"], sizes["inner"]
    tensors = {}

    def add(name, *shape, around=0.0, width=0.25):
        tensors[name] = (shape, [round_to(draw.gauss(around, width), dtype) for _ in range(math.prod(shape))])

    def add_norm(name):
        add(name + ".weight", h, around=1.0, width=0.1)
        add(name + ".bias", h)

    def add_dense(name, outputs, inputs):
        add(name + ".weight", outputs, inputs)
        add(name + ".bias", outputs)

    add("embeddings.word_embeddings.weight", sizes.get("vocabulary", len(PIECES)), h, width=1.0)
    add("embeddings.position_embeddings.weight", sizes["positions"], h)
    if not distil:
        add("embeddings.token_type_embeddings.weight", sizes["types"], h)
    add_norm("embeddings.LayerNorm")
    layer, query, key, value, mix, norm, up, down, last = LAYER[distil]
    for i in range(sizes["layers"]):
        at = "%s.%d." % (layer, i)
        for name in (query, key, value, mix):
            add_dense(at + name, h, h)
        add_norm(at + norm)
        add_dense(at + up, inner, h)
        add_dense(at + down, h, inner)
        add_norm(at + last)
    return tensors


def write_safetensors(path, tensors, dtype):
    header, data, at = {"__metadata__": {"format": "pt"}}, b"", 0
    for name, (shape, values) in tensors.items():
        packed = pack(values, dtype)
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, at + len(packed)]}
        data += packed
        at += len(packed)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def make_config(sizes, distil=False, activation="gelu", **more):
    if distil:
        config = dict(model_type="distilbert", dim=sizes["hidden"], hidden_dim=sizes["inner"],
                      n_layers=sizes["layers"], n_heads=sizes["heads"], activation=activation)
    else:
        config = dict(model_type="bert", hidden_size=sizes["hidden"], intermediate_size=sizes["inner"],
                      num_hidden_layers=sizes["layers"], num_attention_heads=sizes["heads"],
                      type_vocab_size=sizes["types"], layer_norm_eps=1e-12, hidden_act=activation)
    return dict(config, vocab_size=sizes.get("vocabulary", len(PIECES)), max_position_embeddings=sizes["positions"], **more)


def write_json(folder, name, value):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)


def write_vocabulary(folder):
    with open(os.path.join(folder, "vocab.txt"), "w", encoding="utf-8") as file:
        file.write("".join(piece + "\n" for piece in PIECES))


def make_tokenizer(lowercase, strip_accents, cjk=True, longest=100):
    return {"version": "1.0",
            "added_tokens": [{"id": i, "content": PIECES[i], "special": True} for i in range(5)],
            "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": cjk,
                           "strip_accents": strip_accents, "lowercase": lowercase},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                      "max_input_chars_per_word": longest, "vocab": {p: i for i, p in enumerate(PIECES)}}}


if __name__ == "__main__":
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    if "--wide" in sys.argv:
        SIZES.update(hidden=32, heads=4)
    weights = make_weights(SIZES)
    if "--nan" in sys.argv:
        shape, values = weights[sys.argv[sys.argv.index("--nan") + 1]]
        values[-1] = math.nan
    write_json(folder, "config.json", make_config(SIZES))
    write_vocabulary(folder)
    write_safetensors(os.path.join(folder, "model.safetensors"), weights, "F32")
