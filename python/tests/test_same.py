"""Every answer is the program's, to the last digit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import arcwright_zfs as aw
from conftest import Program

MACHINE = "fixtures/machines/guest-2.3.2-metadata.txt"
TRACE = "traces/lirs_2_pools.trace.gz"


def without_clock(record: Any) -> Any:
    """Takes away how long the run took."""
    record["engine"]["wall_ns"] = 0
    return record


@pytest.mark.parametrize(
    ("scenario", "more", "arguments"),
    [
        ("steam-library", {"scale": 16}, ["--scale", "16"]),
        ("png-tree-records", {"scale": 8}, ["--scale", "8"]),
        ("scenarios/spare-ssd.toml", {"scale": 16, "threads": 1}, ["--scale", "16"]),
        (
            "vm-sync-writes",
            {"scale": 64, "seed": 7, "openzfs": "2.1.11", "set": {"system.memory": "8GiB"}},
            ["--scale", "64", "--seed", "7", "--openzfs", "2.1.11", "--set", "system.memory=8GiB"],
        ),
    ],
)
def test_run(
    scenario: str, more: dict[str, Any], arguments: list[str], program: Program, in_root: Path
) -> None:
    ours = aw.run(scenario, **more)
    theirs = program("run", scenario, *arguments, "--json")
    assert without_clock(ours.data) == without_clock(theirs)


def test_whatif(program: Program) -> None:
    ours = aw.whatif(
        "steam-library",
        memory=["32GiB", 64 << 30],
        parameters={"zfs_prefetch_disable": 1},
        scale=64,
    )
    arguments = ["--memory", "32GiB,64GiB", "--try", "zfs_prefetch_disable=1", "--scale", "64"]
    theirs = program("whatif", "--scenario", "steam-library", *arguments, "--json")
    assert json.loads(ours.json) == theirs


def test_doctor(program: Program, in_root: Path) -> None:
    assert aw.doctor(MACHINE).data == program("doctor", "--from", MACHINE, "--json")
    # A text is what the file holds.
    text = (in_root / MACHINE).read_text()
    assert aw.doctor(text).data == aw.doctor(MACHINE).data


@pytest.mark.parametrize(
    ("more", "arguments"),
    [
        ({}, []),
        ({"cache": "lru"}, ["--cache", "lru"]),
        ({"cache": "lru", "sampled": True}, ["--cache", "lru", "--sampled"]),
        ({"sizes": ["1MiB", 3 << 20], "exact": True}, ["--arc", "1MiB,3MiB", "--exact"]),
        (
            {"sizes": "2MiB", "l2arc": "8MiB", "rate": 100, "openzfs": "2.1.11"},
            ["--arc", "2MiB", "--l2arc", "8MiB", "--rate", "100", "--openzfs", "2.1.11"],
        ),
    ],
)
def test_curve(more: dict[str, Any], arguments: list[str], program: Program, in_root: Path) -> None:
    trace = aw.Trace.open(TRACE, recordsize="8KiB")
    theirs = program("trace", "curve", TRACE, "--recordsize", "8KiB", *arguments, "--json")
    curve = trace.curve(**more)
    assert json.loads(curve.json) == theirs
    assert curve.hit_ratio.tolist() == [point["hit_ratio"] for point in theirs["points"]]
    assert curve.arc_bytes.tolist() == [point["arc_bytes"] for point in theirs["points"]]


def test_info(program: Program, in_root: Path) -> None:
    theirs = program("trace", "info", TRACE, "--json")
    assert aw.Trace.open(TRACE).info() == theirs


def test_scenarios(program: Program) -> None:
    listed = program("scenarios", "--json")
    ours = [{"name": it.name, "title": it.title, "question": it.question} for it in aw.scenarios()]
    assert ours == listed
