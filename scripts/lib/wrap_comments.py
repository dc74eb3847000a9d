"""Wraps C comments that are wider than 100 columns: clang-format leaves comments alone (ReflowComments: false).

    wrap_comments.py FILE...

A long line of a comment goes on in the next one, unless that begins a list or is indented (a table, an example). A long comment
behind code moves above it. What it cannot wrap stays; scripts/check says so.
"""
import re
import sys

COLUMNS = 100


def content_of(block):
    """The lines of a comment without its stars; each keeps the spaces it begins with."""
    lines = [re.sub(r"^\s*/\*" if at == 0 else r"^\s*\*(?!/)", "", line) for at, line in enumerate(block)]
    lines[-1] = re.sub(r"\s*\*/\s*$", "", lines[-1])
    return lines


def wrapped(block, indent):
    """The same comment in lines that are narrow enough."""
    lines, done, at = content_of(block), [], 0
    room = COLUMNS - len(indent) - 2
    while at < len(lines):
        line, is_last = lines[at], at == len(lines) - 1
        lead = re.match(r"\s*", line)[0]
        cut = line.rfind(" ", 0, room + 1)
        if len(line) <= room - (3 if is_last else 0) or cut <= len(lead):
            done.append(line)
            at += 1
            continue
        done.append(line[:cut].rstrip())
        rest = line[cut:].strip()
        follows = not is_last and len(lead) == 1 and re.match(r" [^\s*-]", lines[at + 1])
        if follows:
            lines[at + 1] = lead + rest + " " + lines[at + 1].strip()
            at += 1
        else:
            lines[at] = lead + rest
    text = [(indent + "/*" if at == 0 else indent + " *") + line for at, line in enumerate(done)]
    text[-1] += " */"
    return [line.rstrip() for line in text]


def narrow(lines):
    at = 0
    while at < len(lines):
        line = lines[at]
        begin = re.match(r"(\s*)/\*", line)
        if begin:
            end = next((i for i in range(at, len(lines)) if "*/" in lines[i]), at)
            block = lines[at:end + 1]
            alone = block[-1].rstrip().endswith("*/")
            yield from wrapped(block, begin[1]) if alone and max(map(len, block)) > COLUMNS else block
            at = end + 1
            continue
        behind = re.match(r"(\s*)([^#\s].*?[;,{)])\s*(/\*.*\*/)\s*$", line)
        if len(line) > COLUMNS and behind and "/*" not in behind[2]:
            yield from wrapped([behind[1] + behind[3]], behind[1])
            yield behind[1] + behind[2]
        else:
            yield line
        at += 1


for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    lines = text.splitlines()
    if any(len(line) > COLUMNS for line in lines):
        changed = "\n".join(narrow(lines)) + "\n"
        if changed != text:
            open(path, "w", encoding="utf-8").write(changed)
