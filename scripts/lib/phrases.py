"""Finds phrases that are never right in texts and comments: scripts/phrases.txt lists them with their replacements.

    phrases.py LIST FILE...

Prints one line per phrase found, "FILE:LINE: found: write replacement", and ends with 1 if there was one. A phrase may be
broken over lines: line ends, comment marks and the quotes of broken C strings count as one space. It knows nothing of
grammar; a phrase that is right somewhere does not belong into the list.
"""
import bisect
import fnmatch
import re
import sys

BREAK = re.compile(r'"?[ \t]*\\?\n[ \t]*(?:/?\*+(?!/)|//|#+|>|")?[ \t]*')
ALLOWED = "phrase-ok"


def read_list(path):
    """([(word, expression, replacement)], [patterns of files that are not checked])."""
    phrases, skipped = [], []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            left, tab, right = line.partition("\t")
            if not tab or not right:
                sys.exit(f"{path}:{number}: expected REGEX, a tab and REPLACEMENT")
            if left.startswith("!"):
                skipped.append(left[1:])
            else:
                phrases.append((required_word(left), re.compile(left.replace(" ", " +"), re.IGNORECASE), right))
    return phrases, skipped


def required_word(expression):
    """A word that every match contains, "" if none is found: most texts are ruled out by looking for it."""
    plain = expression
    for part in (r"\\.", r"\[[^]]*\][?*]?", r"\([^()]*\)[?*]?", r"\([^()]*\)[?*]?", r"\w[?*]"):
        plain = re.sub(part, " ", plain)
    return "" if "|" in plain else max(re.findall("[a-z]*", plain), key=len)


def joined(text):
    """The text on one line, and the offsets at which its lines begin there."""
    out, starts, length, at = [], [0], 0, 0
    for found in BREAK.finditer(text):
        chunk = text[at:found.start()]
        out.append(chunk + " ")
        length += len(chunk) + 1
        starts += [length] * found.group().count("\n")
        at = found.end()
    out.append(text[at:])
    return "".join(out), starts


def main():
    phrases, skipped = read_list(sys.argv[1])
    bad = 0
    for path in sys.argv[2:]:
        if any(fnmatch.fnmatch(path, pattern) for pattern in skipped):
            continue
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        lines, (flat, starts) = text.split("\n"), joined(text)
        lower = flat.lower()
        for word, expression, replacement in phrases:
            if word not in lower:
                continue
            for found in expression.finditer(flat):
                line = bisect.bisect_right(starts, found.start())
                if ALLOWED in lines[line - 1]:
                    continue
                bad += 1
                print(f'{path}:{line}: "{found.group().strip()}": write {replacement}')
    sys.exit(bad > 0)


main()
