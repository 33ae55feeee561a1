"""Workers that end in the midst of their work, as if somebody killed them, at chunks that a test names.

A test that looked for processes to kill would find none on a machine that is quick, or slow, enough.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

Evaluate = Callable[[int, pa.Table], pa.Table]

WORKER = """\
import json, sys
sys.path[:] = json.loads(sys.argv.pop(1))
from arcwright_zfs import _worker
from dying import dying
_worker.evaluate = dying(_worker.evaluate, **json.loads({!r}))
_worker.main()
"""


def dying(evaluate: Evaluate, marks: str, chunks: list[int], times: int) -> Evaluate:
    """Returns what evaluates chunks, but kills its process at those that begin at a number of ``chunks``.

    It does so ``times`` times at each, and leaves a file in ``marks`` every time.
    """

    def evaluate_or_die(first: int, configurations: pa.Table) -> pa.Table:
        # What Ray sends to a worker knows only what it imports itself.
        import os
        import signal

        for life in range(times if first in chunks else 0):
            try:
                with open(os.path.join(marks, f"{first}.{life}"), "x"):
                    os.kill(os.getpid(), signal.SIGKILL)
            except FileExistsError:
                continue
        return evaluate(first, configurations)

    return evaluate_or_die


def worker(marks: Path, chunks: list[int], times: int) -> str:
    """Returns what a worker of a local sweep is started with, so that it dies."""
    return WORKER.format(json.dumps({"marks": str(marks), "chunks": chunks, "times": times}))
