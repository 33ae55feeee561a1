"""One configuration of a sweep to its rows: the part that every engine runs, on one thread."""

from __future__ import annotations

import functools
import os
from typing import Any

import pyarrow as pa

from ._core import ArcwrightError
from .outcome import FIGURES, run
from .trace import Trace

SET = "set:"
"""What a column's name begins with whose values replace those of a scenario."""

RUN = ("scenario", "arm", "openzfs", "seed", "scale")
TRACE = (
    "trace",
    "format",
    "columns",
    "recordsize",
    "cache",
    "arc",
    "l2arc",
    "openzfs",
    "write_max",
    "rate",
    "exact",
    "sampled",
)
"""Columns that say what a configuration is, for a scenario and for a trace."""

TRACES_MAX = 4
"""Traces that a process keeps in memory."""

POINT = (
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


def _kind(name: str) -> pa.DataType:
    return pa.float64() if name.endswith("ratio") or name in ("low", "high") else pa.int64()


RESULT = pa.schema(
    [
        pa.field("configuration", pa.int64()),
        pa.field("error", pa.string()),
        pa.field("arm", pa.string()),
        pa.field("phase", pa.string()),
        *[pa.field(name, _kind(name)) for name in FIGURES],
        *[pa.field(name, _kind(name)) for name in POINT],
        pa.field("one_in", pa.int64()),
    ]
)
"""Columns of results: a row for each arm and phase of a scenario, one for each point of a trace's curve."""


def check_columns(names: list[str]) -> None:
    """Refuses a column that means nothing: a wrong name would be a sweep over nothing."""
    known = {*RUN, *TRACE}
    if "scenario" not in names and "trace" not in names:
        raise ArcwrightError("a sweep needs a column scenario or a column trace")
    for name in names:
        if name not in known and not name.startswith((SET, "tag:")):
            raise ArcwrightError(
                f"no column is called {name!r}; there are {', '.join(sorted(known))}, "
                "set:KEY for a value of a scenario, and tag:NAME for what is yours"
            )


def evaluate(first: int, configurations: pa.Table) -> pa.Table:
    """Returns the rows of configurations, the first of which has the number ``first``."""
    rows: list[dict[str, Any]] = []
    for number, row in enumerate(configurations.to_pylist(), start=first):
        given = {name: value for name, value in row.items() if value is not None}
        try:
            found = _rows(given)
        except (ValueError, TypeError) as error:
            # One that cannot be understood, an ArcwrightError among them, does not end the others.
            found = [{"error": str(error)}]
        rows.extend({"configuration": number, **one} for one in found)
    return pa.Table.from_pylist(rows, schema=RESULT)


def _rows(given: dict[str, Any]) -> list[dict[str, Any]]:
    if ("scenario" in given) == ("trace" in given):
        raise ArcwrightError("a configuration needs a scenario or a trace, and not both")
    return _of_trace(given) if "trace" in given else _of_scenario(given)


def _of_scenario(given: dict[str, Any]) -> list[dict[str, Any]]:
    outcome = run(
        given["scenario"],
        set={name[len(SET) :]: value for name, value in given.items() if name.startswith(SET)},
        arms=given.get("arm"),
        openzfs=given.get("openzfs"),
        seed=given.get("seed"),
        scale=given.get("scale"),
        threads=1,
    )
    return outcome.rows()


def _of_trace(given: dict[str, Any]) -> list[dict[str, Any]]:
    path = given["trace"]
    try:
        facts = os.stat(path)
        version = (facts.st_size, facts.st_mtime_ns)
    except OSError:
        version = (0, 0)
    read = (given.get("format"), given.get("columns"), given.get("recordsize", "128KiB"))
    curve = _trace(path, read, version).curve(
        given.get("arc"),
        cache=given.get("cache", "openzfs"),
        l2arc=given.get("l2arc"),
        openzfs=given.get("openzfs"),
        write_max=given.get("write_max"),
        rate=given.get("rate"),
        exact=bool(given.get("exact", False)),
        sampled=bool(given.get("sampled", False)),
        threads=1,
    )
    columns = {name: getattr(curve, name).tolist() for name in POINT}
    points = [dict(zip(POINT, values)) for values in zip(*columns.values())]
    return [{**point, "one_in": curve.one_in} for point in points]


@functools.lru_cache(maxsize=TRACES_MAX)
def _trace(path: str, read: tuple[Any, Any, Any], version: tuple[int, int]) -> Trace:
    """Returns a trace; one that was changed meanwhile is another."""
    format, columns, recordsize = read
    return Trace.open(path, format, columns=columns, recordsize=recordsize)
