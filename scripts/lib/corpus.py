"""Packs the inputs of a fuzz target: a folder of files becomes one archive with the same bytes on every machine.

    corpus.py FOLDER ARCHIVE

Named inputs keep their names. An input that a fuzzer named by its hash gets a shorter one. scripts/fuzz unpacks
and packs; ordinary test builds only unpack (tests/CMakeLists.txt).
"""
import hashlib
import os
import re
import sys
import zipfile


def inputs_of(folder):
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read()
        if re.fullmatch("[0-9a-f]{10,40}", name):
            name = hashlib.sha1(data).hexdigest()[:10]
        yield name, data


def main():
    folder, archive = sys.argv[1:]
    inputs = dict(inputs_of(folder))
    with zipfile.ZipFile(archive + ".new", "w") as packed:
        for name in sorted(inputs):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, inputs[name], zipfile.ZIP_DEFLATED, 9)
    os.replace(archive + ".new", archive)


main()
