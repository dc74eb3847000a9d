"""Runs the same commands on a pool in an SQLite file and on one in PostgreSQL: the output must be identical."""
import os
import subprocess


class Twins:
    def __init__(self, film, file, uri):
        self.film, self.pools = film, (file, uri)
        self.calls, self.differences, self.last = 0, [], None

    def one(self, pool, arguments, text=None):
        """Replaces POOL in the arguments by the pool, and the pool in the output by POOL."""
        done = subprocess.run([self.film, *(pool if a == "POOL" else a for a in arguments)], input=text, capture_output=True,
                              timeout=300)
        out, told = (b.replace(os.fsencode(pool), b"POOL") for b in (done.stdout, done.stderr))
        return done.returncode, out, told

    def ask(self, *arguments, text=None):
        """(exit code, standard output, standard error) of the file; a difference is noted."""
        first, second = (self.one(pool, arguments, text) for pool in self.pools)
        self.calls += 1
        self.last = second
        if first != second:
            self.differences.append(f"film {' '.join(str(a)[:60] for a in arguments)}: {show(first)} but {show(second)}")
        return first


def show(answer):
    code, out, told = answer
    return f"exit {code}, {out[:300]!r}, {told[:300]!r}"
