"""One allocation fails, alone: a spread of them in ordinary runs, nearly all in long ones, and with FAULT_EACH_PLACE=1 the first
one from each place in our code (memory.sh)."""
import errno
import os
import sys

import cases
from cases import preloaded, spread

POINTS = int(os.environ.get("FAULT_POINTS", 4))


def places(total):
    if cases.LONG:
        return [*range(1, min(total, 20000) + 1), *(20000 + i for i in spread(total - 20000, 2000) if total > 20000)]
    late = range(max(1, total - POINTS // 2), total + 1)  # where output is written
    return sorted({*spread(total, POINTS), *late})


def faults_of(case, inputs):
    if cases.SITES:
        found = cases.new_sites(case, inputs).get("memory", [])
        chosen = [found[i - 1] for i in spread(len(found), int(os.environ.get("FAULT_POINTS", len(found))))]
    else:
        chosen = places(cases.counted(case, inputs)["memory"])
    return [preloaded("memory", place, errno.ENOMEM, f"allocation {place}") for place in chosen]


sys.exit(cases.each_case(faults_of).finish())
