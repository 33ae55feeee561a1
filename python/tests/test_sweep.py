"""Sweeps: the same file byte for byte on one process, on several, on Ray, and whoever is killed meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arcwright_zfs as aw

TRACE = "time,object,size\n"


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


def descendants() -> Iterator[tuple[int, str]]:
    """Returns the processes that this one started, and those that they did, with their command lines."""
    parents: dict[int, int] = {}
    commands: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
                commands[int(entry.name)] = (entry / "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue
            parents[int(entry.name)] = int(stat.rsplit(")", 1)[1].split()[1])
    for process, command in commands.items():
        above: int | None = process
        while above and above != os.getpid():
            above = parents.get(above)
        if above:
            yield process, command


class Killer:
    """Kills some of this process's workers, one after the other, while they are at work."""

    def __init__(self, mark: str, times: int) -> None:
        self.killed: list[int] = []
        self._mark = mark
        self._times = times
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Killer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _run(self) -> None:
        while len(self.killed) < self._times and not self._end.wait(0.3):
            workers = [process for process, command in descendants() if self._mark in command]
            if workers:
                os.kill(workers[0], signal.SIGKILL)
                self.killed.append(workers[0])


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


def test_killed_workers_lose_nothing(trace: Path, tmp_path: Path, alone: bytes) -> None:
    out = tmp_path / "out.parquet"
    with Killer("arcwright_zfs._worker", times=3) as killer:
        aw.sweep(configurations(trace, 600), out, processes=2, chunk=20)
    assert killer.killed
    assert out.read_bytes() == alone


def test_a_chunk_that_kills_every_worker_is_named(trace: Path, tmp_path: Path) -> None:
    big, said = configurations(trace, 600), "a worker died 1 times at the configurations"
    with Killer("arcwright_zfs._worker", times=10_000), pytest.raises(aw.ArcwrightError, match=said):
        aw.sweep(big, tmp_path / "out.parquet", processes=1, chunk=600, retries=0)


def test_a_killed_sweep_goes_on_where_it_was(trace: Path, tmp_path: Path, alone: bytes) -> None:
    table, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(configurations(trace, 600), table)
    code = f"import arcwright_zfs as aw; aw.sweep({str(table)!r}, {str(out)!r}, processes=1, chunk=20)"
    driver = subprocess.Popen([sys.executable, "-c", code])
    parts = out.with_name("out.parquet.parts")
    while len(list(parts.glob("0*.parquet"))) < 5:
        assert driver.poll() is None
        time.sleep(0.02)
    driver.kill()
    driver.wait()
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


def test_killed_workers_of_ray_lose_nothing(trace: Path, tmp_path: Path, alone: bytes, ray: Any) -> None:
    out = tmp_path / "out.parquet"
    with Killer("ray::arcwright_chunk", times=2) as killer:
        aw.sweep(configurations(trace, 600), out, engine="ray", chunk=20)
    assert killer.killed
    assert out.read_bytes() == alone


def test_a_chunk_that_kills_every_worker_of_ray_is_said(trace: Path, tmp_path: Path, ray: Any) -> None:
    many, said = configurations(trace, 3000), "Ray gave up"
    with Killer("ray::arcwright_chunk", times=10_000), pytest.raises(aw.ArcwrightError, match=said):
        aw.sweep(many, tmp_path / "out.parquet", engine="ray", chunk=3000, retries=0)


def test_ten_thousand_configurations_as_parquet(trace: Path, tmp_path: Path, ray: Any) -> None:
    table = tmp_path / "in.parquet"
    pq.write_table(configurations(trace, 10_000), table)
    ours, rays = tmp_path / "ours.parquet", tmp_path / "rays.parquet"
    aw.sweep(table, ours)
    aw.sweep(table, rays, engine="ray")
    assert ours.read_bytes() == rays.read_bytes()
    assert len(set(pq.read_table(ours).column("configuration").to_pylist())) == 10_000
