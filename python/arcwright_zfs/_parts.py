"""Parts of a sweep on disk: what is finished stays, whatever ends meanwhile.

::

    OUT.parts/plan.json            what the sweep is; parts of another one are never taken for its own
    OUT.parts/configurations.arrow the configurations, for workers
    OUT.parts/000017.parquet       a finished chunk: written beside, then renamed
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from . import _core
from ._core import ArcwrightError
from ._evaluate import RESULT

CONFIGURATIONS = "configurations.arrow"
PLAN = "plan.json"


class Parts:
    """The parts of one sweep."""

    def __init__(self, out: Path, configurations: pa.Table, chunk: int) -> None:
        self.out = out
        self.folder = out.with_name(out.name + ".parts")
        self.chunk = chunk
        self.count = -(-configurations.num_rows // chunk)
        self._begin(configurations)

    def _begin(self, configurations: pa.Table) -> None:
        plan = {"digest": digest(configurations), "chunk": self.chunk}
        file = self.folder / PLAN
        if file.exists():
            if json.loads(file.read_text()) != plan:
                raise ArcwrightError(
                    f"{self.folder} holds parts of another sweep, or of the same on files that have changed; "
                    "remove it, or name another file to write"
                )
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        write_atomically(
            self.folder / CONFIGURATIONS, lambda path: write_configurations(configurations, path)
        )
        # Last: what has a plan is complete.
        write_atomically(file, lambda path: path.write_text(json.dumps(plan)))

    def path(self, number: int) -> Path:
        return part_path(self.folder, number)

    def missing(self) -> list[int]:
        """Returns the chunks that are not finished."""
        return [number for number in range(self.count) if not self.path(number).exists()]

    def together(self) -> None:
        """Writes all parts, in their order, as one file, and removes them."""

        def write(path: Path) -> None:
            with pq.ParquetWriter(path, RESULT) as writer:
                for number in range(self.count):
                    writer.write_table(pq.read_table(self.path(number), schema=RESULT))

        write_atomically(self.out, write)
        shutil.rmtree(self.folder)


def part_path(folder: Path, number: int) -> Path:
    """Returns where a chunk's rows are written."""
    return folder / f"{number:06}.parquet"


def write_part(folder: Path, number: int, rows: pa.Table) -> None:
    """Writes the rows of a chunk; a file of this name is whole."""
    write_atomically(part_path(folder, number), lambda path: pq.write_table(rows, path))


def write_configurations(configurations: pa.Table, path: Path) -> None:
    """Writes configurations for workers, which map them into memory."""
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, configurations.schema) as writer:
        writer.write_table(configurations)


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Lets something write a file beside, makes it durable and renames it."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        write(draft)
        with open(draft, "rb") as file:
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def digest(configurations: pa.Table) -> str:
    """Returns what tells a sweep from another: its configurations, the files that they name, the program."""
    hashed = hashlib.sha256()
    # Not the bytes of its memory, which hold what was sliced away.
    for batch in configurations.combine_chunks().to_batches():
        hashed.update(repr(batch.schema).encode())
        hashed.update(json.dumps(batch.to_pylist(), default=str).encode())
    for path in sorted(_files(configurations)):
        facts = os.stat(path)
        hashed.update(f"{path} {facts.st_size} {facts.st_mtime_ns}".encode())
    hashed.update(Path(_core.__file__).read_bytes())
    return hashed.hexdigest()


def _files(configurations: pa.Table) -> set[str]:
    names = [name for name in ("scenario", "trace") if name in configurations.column_names]
    values = {value for name in names for value in configurations.column(name).to_pylist() if value}
    return {value for value in values if "\n" not in value and os.path.isfile(value)}
