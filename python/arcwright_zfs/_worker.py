"""A worker of a local sweep: takes numbers of chunks from standard input and says each when it is written.

It gets the folder of the parts and the length of a chunk, and ends when its input ends, so that none stays behind a
sweep that was killed.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pyarrow as pa

from ._evaluate import evaluate
from ._parts import CONFIGURATIONS, write_part


def main() -> None:
    """Works until there are no more chunks."""
    # Ctrl-C goes to all of a terminal's processes; the sweep ends its workers itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    folder, chunk = Path(sys.argv[1]), int(sys.argv[2])
    with pa.memory_map(str(folder / CONFIGURATIONS)) as source:
        configurations = pa.ipc.open_file(source).read_all()
    for line in sys.stdin:
        number = int(line)
        rows = evaluate(number * chunk, configurations.slice(number * chunk, chunk))
        write_part(folder, number, rows)
        print(number, flush=True)
