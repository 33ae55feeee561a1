"""Sweeps: the same file byte for byte on one process, on several, on Ray, and whoever is killed meanwhile."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arcwright_zfs as aw
import dying
from arcwright_zfs import _evaluate, _local, _ray

TRACE = "time,object,size\n"

DEADLY = [60, 140, 400]
"""Configurations at which a chunk begins whose workers die."""


KILLED = """\
import os, signal, sys
import arcwright_zfs as aw

def progress(done, total):
    if done >= 100:
        os.kill(os.getpid(), signal.SIGKILL)

aw.sweep(sys.argv[1], sys.argv[2], processes=1, chunk=20, progress=progress)
"""
"""A sweep that is killed when a hundred configurations are done."""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Writes a small trace."""
    path = tmp_path_factory.mktemp("trace") / "small.csv"
    blocks = np.random.default_rng(4).zipf(1.2, 2000) % 500
    path.write_text(TRACE + "".join(f"{at * 0.01:.2f},{block},8192\n" for at, block in enumerate(blocks)))
    return path


def configurations(trace: Path, count: int) -> pa.Table:
    """Returns scenarios and points of curves, in turns, one of which has no answer."""

    def row(number: int) -> dict[str, Any]:
        if number % 200 == 7:
            memory = f"{32 + number % 32}GiB"
            return {**STEAM, "set:system.memory": memory}
        if number == 11:
            return {"scenario": "no-such-thing"}
        cache = "lru" if number % 3 else "openzfs"
        return {"trace": str(trace), "cache": cache, "arc": (1 << 20) + number * 8192}

    rows = [row(number) for number in range(count)]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


STEAM = {"scenario": "steam-library", "arm": "as installed", "scale": 128}
SCHEMA = pa.schema(
    [
        ("scenario", pa.string()),
        ("set:system.memory", pa.string()),
        ("scale", pa.int64()),
        ("arm", pa.string()),
        ("trace", pa.string()),
        ("cache", pa.string()),
        ("arc", pa.int64()),
    ]
)


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    """Returns a folder in which workers that die say so."""
    folder = tmp_path / "marks"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def alone(trace: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Returns the file that one process writes."""
    out = tmp_path_factory.mktemp("alone") / "out.parquet"
    aw.sweep(configurations(trace, 600), out, processes=1, chunk=20)
    return out.read_bytes()


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """Begins Ray with two workers on this machine."""
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield ray
    ray.shutdown()


def test_rows_are_those_of_one_call_each(trace: Path, tmp_path: Path) -> None:
    rows = pq.read_table(aw.sweep(configurations(trace, 60), tmp_path / "out.parquet")).to_pylist()
    assert [row["configuration"] for row in rows] == sorted(row["configuration"] for row in rows)
    assert {row["configuration"] for row in rows} == set(range(60))
    curve = aw.Trace.open(trace).curve((1 << 20) + 3 * 8192)
    (third,) = [row for row in rows if row["configuration"] == 3]
    assert third["hit_ratio"] == curve.hit_ratio[0] and third["byte_hit_ratio"] == curve.byte_hit_ratio[0]
    memory = {"system.memory": "39GiB"}
    outcome = aw.run("steam-library", scale=128, arms="as installed", set=memory)
    seventh = [row for row in rows if row["configuration"] == 7]
    names = list(outcome.rows()[0])
    assert [{name: row[name] for name in names} for row in seventh] == outcome.rows()
    (wrong,) = [row for row in rows if row["configuration"] == 11]
    assert "no-such-thing" in wrong["error"] and wrong["hit_ratio"] is None
    assert all(row["error"] is None for row in rows if row["configuration"] != 11)


def test_several_processes_write_the_same_file(trace: Path, tmp_path: Path, alone: bytes) -> None:
    told: list[tuple[int, int]] = []
    out = tmp_path / "out.parquet"
    again = lambda done, total: told.append((done, total))
    aw.sweep(configurations(trace, 600), out, processes=3, chunk=20, progress=again)
    assert out.read_bytes() == alone
    assert told[0] == (0, 600) and told[-1] == (600, 600)
    assert list(tmp_path.iterdir()) == [out]


def test_killed_workers_lose_nothing(
    trace: Path, tmp_path: Path, alone: bytes, marks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_local, "WORKER", dying.worker(marks, DEADLY, times=2))
    out = tmp_path / "out.parquet"
    aw.sweep(configurations(trace, 600), out, processes=2, chunk=20, retries=2)
    assert len(list(marks.iterdir())) == 2 * len(DEADLY)
    assert out.read_bytes() == alone


def test_a_chunk_that_kills_every_worker_is_named(
    trace: Path, tmp_path: Path, marks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_local, "WORKER", dying.worker(marks, [40], times=2))
    said = "a worker died 2 times at the configurations 40 to 59"
    with pytest.raises(aw.ArcwrightError, match=said):
        aw.sweep(configurations(trace, 60), tmp_path / "out.parquet", processes=1, chunk=20, retries=1)


def test_a_killed_sweep_goes_on_where_it_was(trace: Path, tmp_path: Path, alone: bytes) -> None:
    table, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(configurations(trace, 600), table)
    driver = subprocess.run([sys.executable, "-c", KILLED, str(table), str(out)], check=False)
    assert driver.returncode == -signal.SIGKILL
    told: list[int] = []
    aw.sweep(table, out, processes=2, chunk=20, progress=lambda done, _: told.append(done))
    assert told[0] >= 100
    assert out.read_bytes() == alone


def test_parts_of_another_sweep_are_not_taken(trace: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    parts = tmp_path / "out.parquet.parts"
    parts.mkdir()
    (parts / "plan.json").write_text('{"digest": "of another", "chunk": 20}')
    with pytest.raises(aw.ArcwrightError, match="parts of another sweep"):
        aw.sweep(configurations(trace, 60), out)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"scenarios": "steam-library"}], "needs a column scenario"),
        ([{"scenario": "steam-library", "memory": "1GiB"}], "no column is called 'memory'"),
        ([], "needs a column"),
    ],
)
def test_a_table_that_means_nothing_is_refused(rows: list[Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(aw.ArcwrightError, match=said):
        aw.sweep(rows, tmp_path / "out.parquet")


def test_ray_writes_the_same_file(trace: Path, tmp_path: Path, alone: bytes, ray: Any) -> None:
    out = tmp_path / "out.parquet"
    aw.sweep(configurations(trace, 600), out, engine="ray", chunk=20)
    assert out.read_bytes() == alone


def test_killed_workers_of_ray_lose_nothing(
    trace: Path, tmp_path: Path, alone: bytes, ray: Any, marks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate = dying.dying(_evaluate.evaluate, str(marks), DEADLY, times=1)
    monkeypatch.setattr(_ray, "arcwright_chunk", evaluate)
    out = tmp_path / "out.parquet"
    aw.sweep(configurations(trace, 600), out, engine="ray", chunk=20)
    assert len(list(marks.iterdir())) == len(DEADLY)
    assert out.read_bytes() == alone


def test_a_chunk_that_kills_every_worker_of_ray_is_said(
    trace: Path, tmp_path: Path, ray: Any, marks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate = dying.dying(_evaluate.evaluate, str(marks), [40], times=1)
    monkeypatch.setattr(_ray, "arcwright_chunk", evaluate)
    with pytest.raises(aw.ArcwrightError, match="Ray gave up"):
        aw.sweep(configurations(trace, 60), tmp_path / "out.parquet", engine="ray", chunk=20, retries=0)


def test_ten_thousand_configurations_as_parquet(trace: Path, tmp_path: Path, ray: Any) -> None:
    table = tmp_path / "in.parquet"
    pq.write_table(configurations(trace, 10_000), table)
    ours, rays = tmp_path / "ours.parquet", tmp_path / "rays.parquet"
    aw.sweep(table, ours)
    aw.sweep(table, rays, engine="ray")
    assert ours.read_bytes() == rays.read_bytes()
    assert len(set(pq.read_table(ours).column("configuration").to_pylist())) == 10_000
