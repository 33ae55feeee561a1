"""Traces, and what caches of each size would find in them: ``Trace``, ``Curve``."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._arguments import Size, options, size, sizes

if TYPE_CHECKING:
    import pyarrow

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Curve:
    """What caches of growing sizes find. A point is the same place in every array."""

    cache: str
    arc_bytes: Counts
    l2arc_bytes: Counts
    hit_ratio: Floats
    """Hits of the ARC of all reads."""
    byte_hit_ratio: Floats
    l2_hit_ratio: Floats
    """Hits of the L2ARC of all reads."""
    miss_ratio: Floats
    low: Floats
    """The least and the most hits of both caches that other samples of the blocks found."""
    high: Floats
    l2_written_bytes: Counts
    footprint: int
    """Bytes of all blocks: an ARC of this size has everything."""
    one_in: int
    """One in so many blocks was simulated; 1: all."""
    knee: int | None
    """The ARC's bytes at the knee; None where the curve has none."""
    notes: tuple[str, ...]
    json: str = field(repr=False)
    """What ``arcwright trace curve --json`` prints."""

    def to_arrow(self) -> pyarrow.Table:
        """Returns the points as an Arrow table."""
        import pyarrow

        return pyarrow.table({name: getattr(self, name) for name in _COLUMNS})


_COLUMNS = (
    "arc_bytes",
    "l2arc_bytes",
    "hit_ratio",
    "byte_hit_ratio",
    "l2_hit_ratio",
    "miss_ratio",
    "low",
    "high",
    "l2_written_bytes",
)


class Trace:
    """A recorded trace, in memory."""

    def __init__(self, data: _core.TraceData) -> None:
        self._data = data

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        format: str | None = None,
        *,
        columns: str | None = None,
        event: str | None = None,
        recordsize: Size = "128KiB",
    ) -> Trace:
        """Reads a trace file; ``arcwright trace --help`` lists the formats.

        ``recordsize`` is the size of the blocks into which requests are cut, and of objects whose size is not said.
        """
        given = options(format=format, columns=columns, event=event, recordsize=size(recordsize))
        return cls(_core.TraceData.open(os.fspath(path), given))

    @classmethod
    def from_arrays(
        cls,
        block: npt.ArrayLike,
        time_ns: npt.ArrayLike | None = None,
        size: npt.ArrayLike | None = None,
        write: npt.ArrayLike | None = None,
        *,
        recordsize: Size = "128KiB",
    ) -> Trace:
        """Takes a request for each value: which block or object, when, how many bytes, whether it writes.

        ``recordsize`` is the size of blocks where ``size`` does not say one.
        """
        arrays = {
            "block": _array(block, np.uint64),
            "time_ns": _array(time_ns, np.uint64),
            "size": _array(size, np.uint32),
            "write": _array(write, np.bool_),
        }
        return cls(_core.TraceData.from_arrays(arrays, _size(recordsize)))

    @classmethod
    def from_arrow(cls, table: pyarrow.Table, *, recordsize: Size = "128KiB") -> Trace:
        """Takes a table with the columns ``block`` and, where they are known, ``time_ns``, ``size``, ``write``."""
        columns = {
            name: table.column(name).to_numpy()
            for name in ("block", "time_ns", "size", "write")
            if name in table.column_names
        }
        if "block" not in columns:
            raise _core.ArcwrightError(f"the table has no column block; it has {table.column_names}")
        return cls.from_arrays(**columns, recordsize=recordsize)

    def __len__(self) -> int:
        """Returns how many accesses to blocks there are."""
        return len(self._data)

    def info(self) -> dict[str, Any]:
        """Returns what it holds, as ``arcwright trace info --json`` prints it."""
        parsed: dict[str, Any] = json.loads(self._data.info())
        return parsed

    @property
    def blocks(self) -> npt.NDArray[np.uint32]:
        """The block of each access, numbered in the order of their first access."""
        return self._data.blocks()

    @property
    def block_bytes(self) -> npt.NDArray[np.uint32]:
        """The bytes of each block; 0: not known."""
        return self._data.sizes()

    @property
    def writes(self) -> npt.NDArray[np.bool_]:
        """Which accesses write."""
        return self._data.writes()

    @property
    def millis(self) -> npt.NDArray[np.uint32] | None:
        """Milliseconds of each access since the first; None for a trace without times."""
        return self._data.millis()

    def to_arrow(self) -> pyarrow.Table:
        """Returns the accesses as an Arrow table, which :meth:`from_arrow` takes, times in milliseconds."""
        import pyarrow

        blocks = self.blocks
        columns: dict[str, npt.NDArray[Any]] = {"block": blocks.astype(np.uint64)}
        millis = self.millis
        if millis is not None:
            columns["time_ns"] = millis.astype(np.uint64) * np.uint64(1_000_000)
        columns["size"] = self.block_bytes[blocks]
        columns["write"] = self.writes
        return pyarrow.table(columns)

    def curve(
        self,
        sizes: Size | Iterable[Size] | None = None,
        *,
        cache: str = "openzfs",
        l2arc: Size | Iterable[Size] | None = None,
        openzfs: str | None = None,
        write_max: Size | None = None,
        rate: int | None = None,
        exact: bool = False,
        sampled: bool = False,
        threads: int | None = None,
    ) -> Curve:
        """Computes what caches of these ARC sizes find; by default of some up to all blocks.

        ``cache`` is ``openzfs``, by simulation, or ``lru``, exactly or ``sampled``. ``rate`` is the accesses a second of a
        trace without times; ``exact`` simulates all blocks of a long trace, not a sample.
        """
        text = self._data.curve(
            options(
                cache=cache,
                arc=_sizes(sizes),
                l2arc=_sizes(l2arc),
                openzfs=openzfs,
                write_max=None if write_max is None else _size(write_max),
                rate=rate,
                exact=exact,
                sampled=sampled,
                threads=threads,
            )
        )
        return _curve(text)


_size = size
_sizes = sizes


def _array(values: npt.ArrayLike | None, kind: type[np.generic]) -> npt.NDArray[np.generic] | None:
    """Returns values as an array of a kind, without a copy where they are one; refuses what does not fit."""
    if values is None:
        return None
    array = np.asarray(values)
    if array.ndim != 1:
        raise _core.ArcwrightError(f"expected an array of one dimension, not of {array.ndim}")
    if array.dtype != kind:
        is_number = np.issubdtype(array.dtype, np.integer) and kind is not np.bool_
        if array.size > 0 and not is_number:
            raise _core.ArcwrightError(f"expected {np.dtype(kind)}, not {array.dtype}")
        limit = np.iinfo(np.uint32 if kind is np.uint32 else np.uint64).max
        if array.size > 0 and (int(array.min()) < 0 or int(array.max()) > limit):
            raise _core.ArcwrightError(f"a value does not fit {np.dtype(kind)}")
    return np.ascontiguousarray(array, dtype=kind)


def _curve(text: str) -> Curve:
    data = json.loads(text)
    points = data["points"]

    def floats(name: str) -> Floats:
        return np.array([point[name] for point in points], dtype=np.float64)

    def counts(name: str) -> Counts:
        return np.array([point[name] for point in points], dtype=np.uint64)

    return Curve(
        cache=data["cache"],
        arc_bytes=counts("arc_bytes"),
        l2arc_bytes=counts("l2arc_bytes"),
        hit_ratio=floats("hit_ratio"),
        byte_hit_ratio=floats("byte_hit_ratio"),
        l2_hit_ratio=floats("l2_hit_ratio"),
        miss_ratio=floats("miss_ratio"),
        low=np.array([point["range"][0] for point in points], dtype=np.float64),
        high=np.array([point["range"][1] for point in points], dtype=np.float64),
        l2_written_bytes=counts("l2_written_bytes"),
        footprint=data["footprint"],
        one_in=data["one_in"],
        knee=data["knee"],
        notes=tuple(data["notes"]),
        json=text,
    )
