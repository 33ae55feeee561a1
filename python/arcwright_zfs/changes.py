"""What changes would bring: ``whatif``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _core
from ._arguments import Size, Source, options, run_options, size, sizes, source, texts

if TYPE_CHECKING:
    import pyarrow

Values = int | str | Iterable[int | str]


@dataclass(frozen=True)
class Combination:
    """One combination of changes, and what came of it."""

    name: str
    memory: int
    l2arc: int
    log: int
    saved: float
    """The part of what clients wait with the pool as it is that is saved."""
    arc_hit_ratio: float | None
    l2arc_hit_ratio: float | None
    disk_reads: int
    years: float | None
    """How many years the cache device lasts."""
    is_frugal: bool
    """Whether no other combination saves as much with as little memory, cache and log."""
    data: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class WhatIf:
    """Combinations of changes: first the pool as it is, then those that save most."""

    load: str
    phases: tuple[str, ...]
    combinations: tuple[Combination, ...]
    chosen: Combination
    """The one to choose; the pool as it is where no change saves a twentieth."""
    notes: tuple[str, ...]
    json: str = field(repr=False)
    """What ``arcwright whatif --json`` prints."""

    def to_arrow(self) -> pyarrow.Table:
        """Returns the combinations as an Arrow table."""
        import pyarrow

        rows = [{name: getattr(one, name) for name in _NAMES} for one in self.combinations]
        return pyarrow.Table.from_pylist(rows)


_NAMES = (
    "name",
    "memory",
    "l2arc",
    "log",
    "saved",
    "arc_hit_ratio",
    "l2arc_hit_ratio",
    "disk_reads",
    "years",
    "is_frugal",
)


def whatif(
    scenario: Source,
    *,
    memory: Size | Iterable[Size] | None = None,
    l2arc: Size | Iterable[Size] | None = None,
    l2arc_on: str | None = None,
    log: str | Iterable[str] | None = None,
    parameters: Mapping[str, Values] | None = None,
    release: str | Iterable[str] | None = None,
    recordsize: Size | Iterable[Size] | None = None,
    phases: str | Iterable[str] | None = None,
    hours_a_day: float | None = None,
    set: Mapping[str, object] | None = None,
    openzfs: str | None = None,
    seed: int | None = None,
    scale: int | None = None,
    threads: int | None = None,
    max_memory: Size | None = None,
) -> WhatIf:
    """Tries all combinations of changes, each beside the pool as it is.

    ``parameters`` are of OpenZFS: ``{"zfs_prefetch_disable": 1, "l2arc_write_max": ["32MiB", "128MiB"]}``.
    A machine becomes a scenario with :func:`arcwright_zfs.scenario_of`.
    """
    where, is_text = source(scenario)
    limit = None if max_memory is None else size(max_memory)
    more = {
        "openzfs": openzfs,
        "seed": seed,
        "scale": scale,
        "threads": threads,
        "max_memory": limit,
    }
    changes = options(
        memory=sizes(memory),
        l2arc=sizes(l2arc),
        l2arc_on=l2arc_on,
        log=texts(log),
        parameters=[[name, _values(values)] for name, values in (parameters or {}).items()],
        release=texts(release),
        recordsize=sizes(recordsize),
        phases=texts(phases),
        hours_a_day=hours_a_day,
        run=run_options(set, None, more),
    )
    text = _core.whatif(where, is_text, changes)
    data = json.loads(text)
    answer = data["answer"]
    combinations = tuple(
        Combination(**{name: row.get(name) for name in _NAMES}, data=row) for row in answer["rows"]
    )
    return WhatIf(
        load=answer["load"],
        phases=tuple(answer["phases"]),
        combinations=combinations,
        chosen=combinations[answer["choice"]],
        notes=tuple(data["notes"]),
        json=text,
    )


def _values(values: Values) -> list[str]:
    if isinstance(values, (int, str)):
        return [str(int(values)) if isinstance(values, int) else values]
    return [str(int(value)) if isinstance(value, int) else value for value in values]
