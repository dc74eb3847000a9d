#!/usr/bin/python3
"""coverage.py SUMMARY PAGE: prints gcovr's summary by folder, the files with most lines left, and the totals.

Fails when the totals are below those that PAGE states ("lines: 95.1 %", "branches: 80.2 %").
"""
import json
import re
import sys


def add(total, file):
    for key in ("line_total", "line_covered", "branch_total", "branch_covered"):
        total[key] = total.get(key, 0) + file[key]


def shares(total):
    return [100 * total[kind + "_covered"] / (total[kind + "_total"] or 1) for kind in ("line", "branch")]


def show(name, total):
    lines, branches = shares(total)
    print(f"{name:28} {total['line_total']:7} {lines:7.1f} % {total['branch_total']:8} {branches:7.1f} %")


def main():
    files = json.load(open(sys.argv[1]))["files"]
    folders, everything = {}, {}
    for file in files:
        add(folders.setdefault(file["filename"].rsplit("/", 1)[0], {}), file)
        add(everything, file)
    print(f"{'folder':28} {'lines':>7} {'run':>9} {'branches':>8} {'taken':>9}")
    for name in sorted(folders):
        show(name, folders[name])
    print("\nmost lines left:")
    for file in sorted(files, key=lambda file: file["line_covered"] - file["line_total"])[:15]:
        show(file["filename"], file)
    print()
    show("src/ and server/", everything)
    page = open(sys.argv[2]).read()
    failed = 0
    for kind, share in zip(("lines", "branches"), shares(everything)):
        least = float(re.search(rf"{kind}: ([0-9.]+) %", page).group(1))
        if share < least:
            print(f"{kind}: {share:.1f} % is below the {least} % of {sys.argv[2]}")
            failed = 1
    return failed


sys.exit(main())
