"""Compares the BERT encoder with PyTorch (Debian's python3-torch): the same weights, tokens and threads in one run.

bert.py FOLDER SENTENCES [COUNT]: checks that both compute the same vectors, then prints times and their ratio.
PyTorch gets finished tokens, sentences sorted by length and its best batch size. It runs in two ways:
plain operations, and its fused nn.TransformerEncoder, which also skips padding; the faster one counts. Our time
includes the tokenizer. The share of the peak counts the products with weights only (2 floating point operations per
weight and token) against sgemm with 1024 x 1024 matrices on as many threads.
"""
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import time
import warnings

import numpy
import torch

THREADS = int(os.environ.get("FILM_THREADS", os.cpu_count()))
ROUNDS = 3
TYPES = {"F32": "<f4", "F16": "<f2"}


def read_folder(folder):
    config = json.load(open(folder + "/config.json"))
    data = open(folder + "/model.safetensors", "rb").read()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    weights = {}
    for name, about in header.items():
        if name != "__metadata__":
            begin, end = (8 + length + offset for offset in about["data_offsets"])
            array = numpy.frombuffer(data[begin:end], TYPES[about["dtype"]]).astype(numpy.float32)
            weights[name] = torch.from_numpy(array.reshape(about["shape"]))
    return config, weights


class Plain:
    """One operation after the other."""

    def __init__(self, config, w):
        self.heads, self.layers, self.eps = config["num_attention_heads"], config["num_hidden_layers"], config["layer_norm_eps"]
        self.w = w
        for i in range(self.layers):
            at = "encoder.layer.%d.attention.self." % i
            for kind in ("weight", "bias"):
                w[at + "qkv." + kind] = torch.cat([w[at + part + "." + kind] for part in ("query", "key", "value")])

    def dense(self, x, name):
        return torch.nn.functional.linear(x, self.w[name + ".weight"], self.w[name + ".bias"])

    def norm(self, x, name):
        return torch.nn.functional.layer_norm(x, x.shape[-1:], self.w[name + ".weight"], self.w[name + ".bias"], self.eps)

    def embed(self, ids):
        e = "embeddings."
        x = self.w[e + "word_embeddings.weight"][ids] + self.w[e + "token_type_embeddings.weight"][0]
        return self.norm(x + self.w[e + "position_embeddings.weight"][:ids.shape[1]], e + "LayerNorm")

    def states(self, ids, mask):
        x = self.embed(ids)
        batch, length, hidden = x.shape
        size = hidden // self.heads
        hide = (mask == 0)[:, None, None, :] * -1e30
        for i in range(self.layers):
            at = "encoder.layer.%d." % i
            q, k, v = self.dense(x, at + "attention.self.qkv").view(batch, length, 3, self.heads, size).permute(2, 0, 3, 1, 4)
            weights = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(size) + hide, dim=-1)
            mixed = (weights @ v).transpose(1, 2).reshape(batch, length, hidden)
            x = self.norm(x + self.dense(mixed, at + "attention.output.dense"), at + "attention.output.LayerNorm")
            inner = torch.nn.functional.gelu(self.dense(x, at + "intermediate.dense"))
            x = self.norm(x + self.dense(inner, at + "output.dense"), at + "output.LayerNorm")
        return x


class Fused(Plain):
    """nn.TransformerEncoder: its fast path takes over in inference mode."""

    def __init__(self, config, w):
        super().__init__(config, w)
        layer = torch.nn.TransformerEncoderLayer(config["hidden_size"], self.heads, config["intermediate_size"], 0.0,
                                                 "gelu", self.eps, batch_first=True)
        self.encoder = torch.nn.TransformerEncoder(layer, self.layers).eval()
        names = {"self_attn.in_proj_": "attention.self.qkv.", "self_attn.out_proj.": "attention.output.dense.",
                 "linear1.": "intermediate.dense.", "linear2.": "output.dense.", "norm1.": "attention.output.LayerNorm.",
                 "norm2.": "output.LayerNorm."}
        self.encoder.load_state_dict({"layers.%d.%s%s" % (i, ours, kind): w["encoder.layer.%d.%s%s" % (i, theirs, kind)]
                                      for i in range(self.layers) for ours, theirs in names.items() for kind in ("weight", "bias")})

    def states(self, ids, mask):
        return self.encoder(self.embed(ids), src_key_padding_mask=mask == 0)


def encode(network, sentences, batch):
    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
    out = numpy.empty((len(sentences), network.w["embeddings.LayerNorm.weight"].shape[0]), numpy.float32)
    with torch.inference_mode():
        for first in range(0, len(order), batch):
            part = order[first:first + batch]
            longest = len(sentences[part[-1]])
            ids, mask = torch.zeros(len(part), longest, dtype=torch.long), torch.zeros(len(part), longest)
            for row, i in enumerate(part):
                ids[row, :len(sentences[i])] = torch.from_numpy(sentences[i])
                mask[row, :len(sentences[i])] = 1
            states = network.states(ids, mask)
            states = states[:, :longest] * mask[:, :states.shape[1], None]
            out[part] = (states.sum(1) / mask.sum(1, keepdim=True)).numpy()
    return out


def measure(network, sentences):
    best = None
    for batch in (8, 32, 128):
        for _ in range(ROUNDS):
            start, used = time.perf_counter(), time.process_time()
            out = encode(network, sentences, batch)
            found = (time.perf_counter() - start, time.process_time() - used, batch)
            if best is None or found < best[0]:
                best = (found, out)
    return best


def drive(folder, work, *more):
    """Our times and vectors."""
    command = ["build/release/bert_driver", folder, work + "/lines", str(THREADS), str(ROUNDS), work + "/out", *more]
    return json.loads(subprocess.check_output(command)), numpy.fromfile(work + "/out.vectors", numpy.float32)


def main(folder, path, count):
    warnings.filterwarnings("ignore", message=".*nested tensors.*")
    torch.set_num_threads(THREADS)
    config, weights = read_folder(folder)
    with tempfile.TemporaryDirectory() as work:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")[:count]
        with open(work + "/lines", "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        small, rounded = drive(folder, work, "int8")
        ours, vectors = drive(folder, work)
        stream = numpy.fromfile(work + "/out.ids", numpy.uint32).astype(numpy.int64)
    vectors, rounded = vectors.reshape(len(lines), -1), rounded.reshape(len(lines), -1)
    cosines = (vectors * rounded).sum(1) / numpy.linalg.norm(vectors, axis=1) / numpy.linalg.norm(rounded, axis=1)
    sentences, at = [], 0
    while at < len(stream):
        sentences.append(stream[at + 1:at + 1 + stream[at]])
        at += 1 + stream[at]
    h, inner = config["hidden_size"], config["intermediate_size"]
    wide = config["num_hidden_layers"] * (4 * h * h + 2 * h * inner)
    print("%d sentences, %d tokens, %d threads; PyTorch %s" % (len(lines), ours["tokens"], THREADS, torch.__version__))
    results = []
    for kind in (Plain, Fused):
        (seconds, processor, batch), out = measure(kind(config, weights), sentences)
        off = abs(out - vectors).max()
        print("%-14s %8.3f s  %8.3f processor s  %7.0f sentences/s  (batches of %d); vectors differ by %.1e at most"
              % ("PyTorch " + kind.__name__.lower(), seconds, processor, len(lines) / seconds, batch, off))
        if not off < 1e-4:
            sys.exit("the vectors differ")
        results.append((seconds, processor))
    seconds, processor = min(results)
    for name, times in (("film", ours), ("film int8", small)):
        print("%-14s %8.3f s  %8.3f processor s  %7.0f sentences/s: %.2f times as fast as PyTorch (%.2f by processor time)"
              % (name, times["seconds"], times["processor"], len(lines) / times["seconds"], seconds / times["seconds"],
                 processor / times["processor"]))
    speed = 2e-9 * wide * ours["tokens"] / ours["seconds"]
    print("film: %.0f GFLOP/s, %.0f %% of sgemm's %.0f; int8: cosine with float vectors %.5f in the mean, %.5f at least"
          % (speed, 100 * speed / ours["peak"], ours["peak"], cosines.mean(), cosines.min()))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 2000)
