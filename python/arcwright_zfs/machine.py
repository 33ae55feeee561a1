"""What a machine's counters and settings say: ``doctor``, ``scenario_of``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import _core
from ._arguments import Source, source


@dataclass(frozen=True)
class Finding:
    """One finding."""

    id: str
    severity: str
    """``hurts-now``, ``worth-a-look``, ``note`` or ``fine``."""
    subject: str | None
    """The pool, dataset or drive; None when it is the whole machine."""
    title: str
    cause: str
    cost: str
    risk: str
    data: Mapping[str, Any] = field(repr=False)
    """All of it, with evidence, remedy and gain."""


@dataclass(frozen=True)
class Findings:
    """What doctor found, the most important first."""

    findings: tuple[Finding, ...]
    json: str = field(repr=False)
    """What ``arcwright doctor --json`` prints."""

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __getitem__(self, number: int) -> Finding:
        return self.findings[number]

    @property
    def data(self) -> dict[str, Any]:
        """The program's JSON, parsed."""
        parsed: dict[str, Any] = json.loads(self.json)
        return parsed


_NAMES = ("id", "severity", "subject", "title", "cause", "cost", "risk")


def doctor(machine: Source, *, model: bool = True) -> Findings:
    """Judges a capture, a recording, a folder of files copied from a machine, or pasted text of several lines.

    With ``model`` the gain of a remedy is estimated by the model where that is possible.
    """
    text = _core.doctor(*source(machine), model)
    found = json.loads(text)["doctor"]["findings"]
    findings = (Finding(**{name: one.get(name) for name in _NAMES}, data=one) for one in found)
    return Findings(tuple(findings), text)


def scenario_of(machine: Source, *, pool: str | None = None) -> str:
    """Returns a machine under its load as the text of a scenario, for ``run`` and ``whatif``."""
    return _core.scenario_of(*source(machine), pool)
