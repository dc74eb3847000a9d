"""The rules of CONTRIBUTING.md that a program can check in C files: lengths, parameters, the opening comment.

    house_rules.py ALLOWED FILE...

Prints one line per violation, "FILE:LINE: RULE: what is wrong", and ends with 1 if there was one. It reads text, not C: the
files are formatted by clang-format, so a function's body begins with "{" and ends with "}" in the first column. ALLOWED lists
exceptions, "RULE FILE[:FUNCTION] reason"; an exception that is no longer needed is a violation itself.
"""
import re
import sys

LIMITS = {"file-length": 500, "function-length": 80, "parameters": 7, "columns": 100}


def parameters_of(signature):
    """The number of parameters of the last pair of parentheses at depth 1 in a function's head."""
    depth, count, start = 0, 0, 0
    for at, char in enumerate(signature):
        if char == "(":
            depth += 1
            if depth == 1:
                start, count = at + 1, 0
        elif char == ")":
            depth -= 1
            if depth == 0:
                inside = signature[start:at].strip()
                total = 0 if inside in ("", "void") else count + 1
        elif char == "," and depth == 1:
            count += 1
    return total


def functions_of(lines):
    """(name, first line, last line, parameters) of every function definition; lines count from 1."""
    opening = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            opening = number
        elif line == "}" and opening:
            first = opening - 1
            while first > 1 and (lines[first - 1][:1] in (" ", "\t", ")") or not re.match(r"[A-Za-z_]", lines[first - 1])):
                first -= 1
            head = " ".join(lines[first - 1:opening - 1])
            found = re.search(r"(\w+)\s*\(", re.sub(r"__attribute__\s*\(\(.*?\)\)", "", head))
            if found:
                yield found[1], first, number, parameters_of(head[found.start():])
            opening = None


def violations_of(path, lines):
    """(rule, function or "", line, what is wrong)."""
    if len(lines) > LIMITS["file-length"]:
        yield "file-length", "", len(lines), f"{len(lines)} lines; at most {LIMITS['file-length']}"
    if path.endswith(".c") and not (lines and lines[0].startswith("/*")):
        yield "opening-comment", "", 1, "a .c file opens with a comment: what it does, what it does not do, which idea it implements"
    for number, line in enumerate(lines, 1):
        if len(line) > LIMITS["columns"]:
            yield "columns", "", number, f"{len(line)} columns; at most {LIMITS['columns']}"
    for name, first, last, parameters in functions_of(lines):
        if last - first + 1 > LIMITS["function-length"]:
            yield "function-length", name, first, f"{name} has {last - first + 1} lines; at most {LIMITS['function-length']}"
        if parameters > LIMITS["parameters"]:
            yield "parameters", name, first, f"{name} has {parameters} parameters; at most {LIMITS['parameters']}"


def read_allowed(path):
    """{(rule, file, function): the line}; a line without a reason is refused."""
    allowed = {}
    for line in open(path, encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            rule, place, *reason = line.split(maxsplit=2)
            if not reason:
                sys.exit(f"{path}: no reason: {line.strip()}")
            file, _, function = place.partition(":")
            allowed[rule, file, function] = line.strip()
    return allowed


def main():
    allowed, used, bad = read_allowed(sys.argv[1]), set(), 0
    for path in sys.argv[2:]:
        lines = open(path, encoding="utf-8").read().splitlines()
        for rule, function, line, wrong in violations_of(path, lines):
            if (rule, path, function) in allowed:
                used.add((rule, path, function))
            else:
                print(f"{path}:{line}: {rule}: {wrong}")
                bad = 1
    checked = set(sys.argv[2:])
    for key, line in allowed.items():
        if key not in used and key[1] in checked:
            print(f"{sys.argv[1]}: not needed any more: {line}")
            bad = 1
    sys.exit(bad)


main()
