"""Compares film embed FOLDER with NumPy in double precision, for every supported kind of folder.

bert_numpy.py FILM FOLDER: writes the folders below FOLDER and prints TAP. The tokenizer and the network here
are written from their descriptions, with Python's own Unicode tables, and share nothing with the C code.
"""
import json
import math
import os
import subprocess
import sys
import unicodedata

import numpy

import bert_folder as bf

TEXTS = ["how is my card", "What IS the number 12?", "", "   ", "a", "Café, naïve résumé", "ÉE é cafe\u0301",
         "word\u200bing words\u00a0lost\u3000reset\tcard\u2028same", "\u4e2d\u6587a\u4e2d", "\ud55c \uf900\u4e2d",
         "x" * 99 + " a", "word" * 25, "word" * 26, "a\u0001b\ufffdc\ue000d\u0007e", "[MASK] card [SEP]my[CLS]", "[mask] [UNK]x",
         "$5^2 \u20ac ¿what\u2026\u3002", "ΟΔΟΣ σς Σ", "İI ß ẞ", "how " * 40, "unknownword the wordword", "e\u0301\u0327a\u0308\u0304",
         "number" + "12" * 60, "A\u030a\u0325 \u00c5", "card" * 24 + "card", "the - ' ! , . same"]


# ---- the tokenizer ----

def is_punctuation(c):
    return (c.isascii() and c.isprintable() and not c.isalnum() and c != " ") or unicodedata.category(c)[0] == "P"


def is_cjk(c):
    return any(low <= ord(c) <= high for low, high in
               ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
                (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)))


def words_of(text, rules):
    text = "".join(" " if c in "\t\n\r" else c for c in text
                   if c in "\t\n\r" or not (c == "\ufffd" or unicodedata.category(c)[0] == "C"))
    if rules["cjk"]:
        text = "".join(" %s " % c if is_cjk(c) else c for c in text)
    if rules["accents"]:
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    if rules["lowercase"]:
        text = "".join(c.lower() for c in text)  # character by character: no final sigma
    for run in text.split():
        word = ""
        for c in run:
            if is_punctuation(c):
                if word:
                    yield word
                yield c
                word = ""
            else:
                word += c
        if word:
            yield word


def pieces_of(word, numbers, longest):
    found, start = [], 0
    while start < len(word) and len(word) <= longest:
        for end in range(len(word), start, -1):
            piece = ("##" if start else "") + word[start:end]
            if piece in numbers:
                found.append(numbers[piece])
                start = end
                break
        else:
            break
    return found if start == len(word) else [numbers["[UNK]"]]


def tokens_of(text, rules, most):
    numbers = {piece: i for i, piece in enumerate(bf.PIECES)}
    ids = []
    while text:
        at, special = min(((text.find(s), s) for s in bf.PIECES[:5] if s in text), default=(len(text), ""))
        for word in words_of(text[:at], rules):
            ids += pieces_of(word, numbers, rules.get("longest", 100))
        if special:
            ids.append(numbers[special])
        text = text[at + len(special):]
    return [numbers["[CLS]"]] + ids[:most - 2] + [numbers["[SEP]"]]


# ---- the network ----

def gelu(x):
    return 0.5 * x * (1 + numpy.vectorize(math.erf)(x / math.sqrt(2)))


def gelu_tanh(x):
    return 0.5 * x * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


ACTIVATIONS = {"gelu": gelu, "gelu_new": gelu_tanh, "gelu_pytorch_tanh": gelu_tanh, "relu": lambda x: numpy.maximum(x, 0)}


class Network:
    def __init__(self, sizes, weights, distil, activation):
        self.w = {name: numpy.array(values, dtype=numpy.float64).reshape(shape) for name, (shape, values) in weights.items()}
        self.sizes, self.names, self.distil = sizes, bf.LAYER[distil], distil
        self.activation = ACTIVATIONS[activation]

    def dense(self, x, name):
        return x @ self.w[name + ".weight"].T + self.w[name + ".bias"]

    def norm(self, x, name):
        x = x - x.mean(axis=1, keepdims=True)
        x = x / numpy.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-12)
        return x * self.w[name + ".weight"] + self.w[name + ".bias"]

    def states(self, ids):
        w, n = self.w, len(ids)
        x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:n]
        if not self.distil:
            x = x + w["embeddings.token_type_embeddings.weight"][0]
        x = self.norm(x, "embeddings.LayerNorm")
        layer, query, key, value, mix, norm, up, down, last = self.names
        size = self.sizes["hidden"] // self.sizes["heads"]
        for i in range(self.sizes["layers"]):
            at = "%s.%d." % (layer, i)
            q, k, v = (self.dense(x, at + name) for name in (query, key, value))
            heads = []
            for s in range(0, self.sizes["hidden"], size):
                scores = q[:, s:s + size] @ k[:, s:s + size].T / math.sqrt(size)
                scores = numpy.exp(scores - scores.max(axis=1, keepdims=True))
                heads.append(scores / scores.sum(axis=1, keepdims=True) @ v[:, s:s + size])
            x = self.norm(x + self.dense(numpy.hstack(heads), at + mix), at + norm)
            x = self.norm(x + self.dense(self.activation(self.dense(x, at + up)), at + down), at + last)
        return x


POOL = {"mean": lambda x: x.mean(axis=0), "cls": lambda x: x[0], "max": lambda x: x.max(axis=0)}


# ---- the folders ----

def write_modules(folder, pooling, normalise, inner):
    kinds = ["Transformer", "Pooling"] + ["Normalize"] * normalise
    paths = [inner, "1_Pooling", "2_Normalize"]
    bf.write_json(folder, "modules.json", [{"idx": i, "name": str(i), "path": paths[i], "type": "sentence_transformers.models." + kind}
                                          for i, kind in enumerate(kinds)])
    os.mkdir(os.path.join(folder, "1_Pooling"))
    modes = {"pooling_mode_%s" % name: name.startswith(pooling) for name in ("cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens")}
    if pooling == "mean":
        modes["pooling_mode_mean_sqrt_len_tokens"] = False
    bf.write_json(folder, "1_Pooling/config.json", dict(modes, word_embedding_dimension=1))


def write_folder(folder, o, weights):
    inner = os.path.join(folder, o.get("inner", ""))
    os.makedirs(inner)
    if "pooling" in o:
        write_modules(folder, o["pooling"], o.get("normalise", 0), o.get("inner", ""))
    bf.write_json(inner, "config.json", bf.make_config(o["sizes"], o["distil"], o["activation"]))
    if "tokenizer" in o:
        bf.write_json(inner, "tokenizer.json", bf.make_tokenizer(**o["tokenizer"]))
    else:
        bf.write_vocabulary(inner)
    for name in ("tokenizer_config", "sentence_bert_config"):
        if name in o:
            bf.write_json(inner, name + ".json", o[name])
    prefix, rename = o.get("prefix", ""), o.get("rename", str)
    named = {prefix + rename(name): value for name, value in weights.items()}
    if prefix:
        named["cls.predictions.bias"] = ((3,), [0.0, 1.0, 2.0])
    if not o.get("shards"):
        return bf.write_safetensors(os.path.join(inner, "model.safetensors"), named, o["dtype"])
    names, index = list(named), {}
    for s in range(o["shards"]):
        file = "model-%05d-of-%05d.safetensors" % (s + 1, o["shards"])
        bf.write_safetensors(os.path.join(inner, file), {n: named[n] for n in names[s::o["shards"]]}, o["dtype"])
        index.update({n: file for n in names[s::o["shards"]]})
    bf.write_json(inner, "model.safetensors.index.json", {"metadata": {"total_size": 1}, "weight_map": index})


def old_names(name):
    return name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")


UNCASED = dict(lowercase=True, accents=True, cjk=True)
WIDE = dict(hidden=64, inner=48, layers=1, heads=2, positions=64, types=1)
ONE_HEAD = dict(hidden=20, inner=7, layers=1, heads=1, positions=16, types=3)
VARIANTS = {
    "plain": {},
    "other sizes": dict(sizes=WIDE),
    "one head, odd sizes": dict(sizes=ONE_HEAD),
    "more rows than tokens": dict(sizes=dict(bf.SIZES, vocabulary=len(bf.PIECES) + 7)),
    "prefix bert., gamma and beta": dict(prefix="bert.", rename=old_names),
    "F16": dict(dtype="F16"),
    "BF16": dict(dtype="BF16"),
    "three shards": dict(shards=3),
    "DistilBERT": dict(distil=True, prefix="distilbert."),
    "gelu_new": dict(activation="gelu_new"),
    "relu": dict(activation="relu"),
    "cls pooling": dict(pooling="cls"),
    "max pooling": dict(pooling="max", inner="0_Transformer"),
    "mean and Normalize": dict(pooling="mean", normalise=1, sentence_bert_config=dict(max_seq_length=8, do_lower_case=False)),
    "tokenizer.json, cased": dict(tokenizer=dict(lowercase=False, strip_accents=None), rules=dict(lowercase=False, accents=False)),
    "tokenizer.json, short words, no CJK": dict(tokenizer=dict(lowercase=True, strip_accents=None, cjk=False, longest=5),
                                                rules=dict(cjk=False, longest=5)),
    "tokenizer_config.json: cased, no limit": dict(
        tokenizer_config=dict(do_lower_case=False, cls_token={"content": "[CLS]"}, model_max_length=int(1e30)),
        rules=dict(lowercase=False, accents=False)),
    "lower case with accents": dict(tokenizer_config=dict(strip_accents=False, model_max_length=12), rules=dict(accents=False), most=12),
}


def main(film, folder):
    lines = os.path.join(folder, "texts.jsonl")
    with open(lines, "w", encoding="utf-8") as file:
        file.writelines(json.dumps({"text": text}) + "\n" for text in TEXTS)
    failed = 0
    for number, (name, options) in enumerate(VARIANTS.items(), 1):
        o = dict(dict(sizes=bf.SIZES, distil=False, activation="gelu", dtype="F32"), **options)
        weights = bf.make_weights(o["sizes"], o["distil"], o["dtype"], seed=number)
        path = os.path.join(folder, "variant%d" % number)
        write_folder(path, o, weights)
        network = Network(o["sizes"], weights, o["distil"], o["activation"])
        most = o.get("most", o.get("sentence_bert_config", {}).get("max_seq_length", o["sizes"]["positions"]))
        rules = dict(UNCASED, **o.get("rules", {}))
        wanted = numpy.array([POOL[o.get("pooling", "mean")](network.states(tokens_of(text, rules, most))) for text in TEXTS])
        if o.get("normalise"):
            wanted /= numpy.linalg.norm(wanted, axis=1, keepdims=True)
        out = os.path.join(folder, "out.npy")
        done = subprocess.run([film, "embed", path, lines, "-q", "-o", out], stderr=subprocess.PIPE, text=True)
        off = abs(numpy.load(out) - wanted).max(axis=1) if done.returncode == 0 else None
        if off is not None and off.max() < 1e-5:
            print("ok %d - %s: off by %.1e at most" % (number, name, off.max()))
        else:
            failed = 1
            print("not ok %d - %s" % (number, name))
            print("# %s" % (done.stderr.strip() or [(TEXTS[i], off[i]) for i in range(len(TEXTS)) if off[i] >= 1e-5]))
        if done.returncode == 0:
            os.remove(out)
    print("1..%d" % len(VARIANTS))
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
