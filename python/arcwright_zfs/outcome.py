"""Runs of scenarios on the model: ``run``, ``scenarios``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from . import _core
from ._arguments import Size, Source, options, run_options, size, source

if TYPE_CHECKING:
    import pyarrow

FIGURES = (
    "bytes",
    "operations",
    "duration_ns",
    "throughput_bytes_per_sec",
    "arc_hit_ratio",
    "metadata_hit_ratio",
    "l2arc_hit_ratio",
    "l2arc_read_bytes",
    "l2arc_write_bytes",
    "device_read_bytes",
    "device_write_bytes",
)
"""Figures of a phase that tables have; all others are in ``Phase.data``."""


@dataclass(frozen=True)
class Phase:
    """What happened in one phase of one arm. A figure that nobody counted is None, never 0."""

    name: str
    bytes: int
    operations: int
    duration_ns: int
    throughput_bytes_per_sec: int
    arc_hit_ratio: float | None
    metadata_hit_ratio: float | None
    l2arc_hit_ratio: float | None
    l2arc_read_bytes: int
    l2arc_write_bytes: int
    device_read_bytes: int
    device_write_bytes: int
    data: Mapping[str, Any] = field(repr=False)
    """All of it, as in the program's JSON."""


@dataclass(frozen=True)
class Arm:
    """One variant of the experiment."""

    name: str
    phases: tuple[Phase, ...]

    def __getitem__(self, phase: str) -> Phase:
        return _named(self.phases, phase)


@dataclass(frozen=True)
class Outcome:
    """What came of a run."""

    title: str
    openzfs: str
    scale: int
    seed: int
    arms: tuple[Arm, ...]
    notes: tuple[str, ...]
    """What a reader must know to trust the figures, one sentence each."""
    json: str = field(repr=False)
    """What ``arcwright run --json`` prints; ``arcwright show`` reads it."""

    def __getitem__(self, arm: str) -> Arm:
        return _named(self.arms, arm)

    @property
    def data(self) -> dict[str, Any]:
        """The program's JSON, parsed."""
        parsed: dict[str, Any] = json.loads(self.json)
        return parsed

    def rows(self) -> list[dict[str, Any]]:
        """Returns a row for each arm and phase."""
        return [
            {"arm": arm.name, "phase": phase.name, **{name: getattr(phase, name) for name in FIGURES}}
            for arm in self.arms
            for phase in arm.phases
        ]

    def to_arrow(self) -> pyarrow.Table:
        """Returns the rows as an Arrow table, which pandas and polars read."""
        import pyarrow

        return pyarrow.Table.from_pylist(self.rows(), schema=_schema())


@dataclass(frozen=True)
class Scenario:
    """A scenario that comes with the program."""

    name: str
    title: str
    question: str
    text: str = field(repr=False)


def run(
    scenario: Source,
    *,
    set: Mapping[str, object] | None = None,
    arms: str | Iterable[str] | None = None,
    openzfs: str | None = None,
    seed: int | None = None,
    scale: int | None = None,
    threads: int | None = None,
    max_memory: Size | None = None,
) -> Outcome:
    """Runs a scenario: a name of :func:`scenarios`, a file, or a text of several lines.

    ``set`` replaces values of the scenario by key, as ``--set`` does: ``{"system.memory": "32GiB"}``.
    The figures are those of ``arcwright run``, to the last digit, on any number of threads.
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
    return outcome_of(_core.run(where, is_text, options(**run_options(set, arms, more))))


def outcome_of(text: str) -> Outcome:
    """Reads what ``arcwright run --json`` printed or ``--save`` saved."""
    data = json.loads(text)
    engine = data["engine"]
    return Outcome(
        title=data["scenario"]["title"],
        openzfs=engine["openzfs"],
        scale=engine["scale"],
        seed=engine["seed"],
        arms=tuple(Arm(arm["name"], tuple(_phase(phase) for phase in arm["phases"])) for arm in data["arms"]),
        notes=tuple(data["notes"]),
        json=text,
    )


def scenarios() -> list[Scenario]:
    """Returns the scenarios that come with the program; they run by name."""
    return [Scenario(**entry) for entry in json.loads(_core.scenarios())]


def _phase(data: dict[str, Any]) -> Phase:
    figures: dict[str, Any] = {name: data.get(name) for name in FIGURES}
    return Phase(name=data["name"], data=data, **figures)


Named = TypeVar("Named", Arm, Phase)


def _named(entries: tuple[Named, ...], name: str) -> Named:
    for entry in entries:
        if entry.name == name:
            return entry
    known = ", ".join(entry.name for entry in entries)
    raise KeyError(f"there is no {name!r}; there are {known}")


def _schema() -> pyarrow.Schema:
    import pyarrow

    kind = {True: pyarrow.float64(), False: pyarrow.int64()}
    names = [("arm", pyarrow.string()), ("phase", pyarrow.string())]
    return pyarrow.schema(names + [(name, kind[name.endswith("ratio")]) for name in FIGURES])
