"""Many configurations at once: a table in, a table out, on processes of this machine or on Ray.

A configuration is a row. Its columns: ``scenario`` (a name, a file, or a text) with ``arm``, ``openzfs``, ``seed``,
``scale`` and ``set:KEY`` for values of the scenario; or ``trace`` (a file) with the arguments of ``Trace.open`` and
``Trace.curve``, sizes as integers or texts. What is null is left to the program. ``tag:NAME`` is yours and is not looked at.

A result has a row for each arm and phase, or for each point of a curve, with the number of its configuration, in the
order of the configurations. One that has no answer is a row with ``error``, and the others go on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from ._core import ArcwrightError

if TYPE_CHECKING:
    import pyarrow

    from ._parts import Parts

Configurations = Union[str, "os.PathLike[str]", "pyarrow.Table", "list[dict[str, Any]]"]

CHUNK = 64
"""Configurations that a worker does together, and that are done again when it dies."""


def sweep(
    configurations: Configurations,
    out: str | os.PathLike[str],
    *,
    engine: str = "local",
    processes: int | None = None,
    chunk: int = CHUNK,
    retries: int = 3,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Does all configurations, of a Parquet file or an Arrow table, and writes the results to the Parquet file ``out``.

    ``engine`` is ``local``, with ``processes`` workers, or ``ray``: the cluster that ``ray.init`` has joined, or one that
    is begun here. The file is the same byte for byte, whatever the engine and the number of workers.

    What is finished stays in the folder ``OUT.parts`` until all is: a worker that dies costs its chunk, which is done
    again up to ``retries`` times, and a sweep that was killed goes on where it was when it is called again.

    ``progress`` is told how many configurations are done, of how many.
    """
    if engine not in ("local", "ray"):
        raise ArcwrightError(f"engine: expected local or ray, not {engine!r}")
    if chunk < 1 or retries < 0 or (processes is not None and processes < 1):
        raise ArcwrightError("chunk and processes begin at 1, retries at 0")
    from ._evaluate import check_columns
    from ._parts import Parts

    table = _table(configurations)
    check_columns(table.column_names)
    if table.num_rows == 0:
        raise ArcwrightError("there are no configurations")
    parts = Parts(Path(out), table, chunk)
    missing = parts.missing()
    done = table.num_rows - sum(_length(parts, table.num_rows, number) for number in missing)
    if progress is not None:
        progress(done, table.num_rows)
    for number in _begun(parts, missing, table, (engine, processes, retries)):
        done += _length(parts, table.num_rows, number)
        if progress is not None:
            progress(done, table.num_rows)
    parts.together()
    return parts.out


def _begun(
    parts: Parts, missing: list[int], table: pyarrow.Table, how: tuple[str, int | None, int]
) -> Iterator[int]:
    engine, processes, retries = how
    if engine == "ray":
        from . import _ray

        return _ray.run(parts, missing, table, retries)
    from ._local import LocalPool

    width = min(processes or os.cpu_count() or 1, max(1, len(missing)))
    return LocalPool(parts, missing, retries).run(width, len(missing))


def _table(configurations: Configurations) -> pyarrow.Table:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ArcwrightError(
            "a sweep needs pyarrow; pip install 'arcwright-zfs[arrow]', or [ray] for Ray too"
        ) from error
    if isinstance(configurations, pyarrow.Table):
        return configurations
    if isinstance(configurations, list):
        return pyarrow.Table.from_pylist(configurations)
    return pyarrow.parquet.read_table(configurations)


def _length(parts: Parts, rows: int, number: int) -> int:
    return min(parts.chunk, rows - number * parts.chunk)
