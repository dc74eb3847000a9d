"""One system call fails, alone, or moves fewer bytes than asked for: calls of the program and its libraries by a preloaded
library, those that the C library makes by itself by strace (calls.sh)."""
import errno
import os
import re
import shutil
import sys

import cases
from cases import Fault, Run, preloaded, spread

POINTS = int(os.environ.get("FAULT_POINTS", 4))
SHORT = 0
PRELOADED = {"open": ["EMFILE", "EIO", "EINTR"], "read": ["EIO", "EINTR", "SHORT"], "write": ["ENOSPC", "EIO", "EINTR", "SHORT"],
             "sync": ["EIO", "ENOSPC"], "rename": ["EIO", "ENOSPC"], "unlink": ["EIO"], "map": ["ENOMEM"], "truncate": ["EIO", "EINTR"]}
TRACED = {"openat": ["EMFILE", "EIO"], "read": ["EIO", "EINTR"], "pread64": ["EIO"], "write": ["ENOSPC", "EIO", "EINTR"],
          "pwrite64": ["ENOSPC", "EIO"], "fsync": ["EIO"], "fdatasync": ["EIO", "ENOSPC"], "rename": ["EIO"], "link": ["EIO", "EPERM"],
          "unlink": ["EIO"], "mmap": ["ENOMEM"], "ftruncate": ["EIO"], "newfstatat": ["EIO"], "fstat": ["EIO"], "lseek": ["EIO"],
          "fcntl": ["EIO"], "close": ["EIO"], "fchmod": ["EIO"], "getrandom": ["ENOSYS"]}
STRACE = shutil.which("strace")


def by_preload(case, inputs):
    places = cases.new_sites(case, inputs) if cases.SITES else \
        {call: range(1, total + 1) for call, total in cases.counted(case, inputs).items()}
    return [preloaded(call, place, getattr(errno, error, SHORT), f"{call} {place}, {error}")
            for call, numbers in places.items() for error in PRELOADED.get(call, ()) for place in numbers]


def by_strace(case, inputs):
    """When strace is here and may trace."""
    run = Run(case, inputs, before=[STRACE, "-f", "-qq", "-o", "calls", "-e", "trace=rt_sigaction," + ",".join(TRACED)])
    path, counts, loading = os.path.join(run.folder, "calls"), dict.fromkeys(TRACED, 0), {}
    for line in open(path, encoding="utf-8", errors="replace") if os.path.exists(path) else ():
        called = re.match(r"(?:\d+ +)?(\w+)\(", line)
        if called and called[1] in counts:
            counts[called[1]] += 1
        if "rt_sigaction(SIGPIPE" in line and not loading:  # the first thing that main does
            loading = dict(counts)
    run.remove()
    return [Fault(f"{call} {place} of {total}, {error} by strace", call="loader" if place <= loading.get(call, 0) else call,
                  before=[STRACE, "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={place}"])
            for call, total in counts.items() for error in TRACED[call] for place in range(1, total + 1)]


def faults_of(case, inputs):
    """All of them in long runs (at most 2,000 of each way), else a few; which ones depends on the case. With
    FAULT_EACH_PLACE=1 those of the preloaded library at each place in our code."""
    chosen = []
    for faults in (by_preload(case, inputs), by_strace(case, inputs) if STRACE and not cases.SITES else []):
        most = 2000 if cases.LONG or cases.SITES else POINTS
        if not faults:
            continue
        start = len(case.name) % max(1, len(faults) // most)
        chosen += [faults[(start + place - 1) % len(faults)] for place in spread(len(faults), most)]
    return chosen


sys.exit(cases.each_case(faults_of).finish())
