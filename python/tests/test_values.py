"""Values in and out: arrays, tables, mistakes, interruption."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import arcwright_zfs as aw

FILM = """
title = "A film"
system = { zfs = "2.3.2", memory = "4GiB", pool = { data = ["hdd-nas-7200"] } }
file = [{ name = "film", size = "256MiB" }]
phase = [
  { name = "first read", clients = [{ read = "film", io = "1MiB" }] },
  { name = "second read", clients = [{ read = "film", io = "1MiB" }] },
]
"""


def test_a_figure_that_nobody_counted_is_none() -> None:
    outcome = aw.run(FILM)
    assert outcome.arms[0]["second read"].l2arc_hit_ratio is None
    assert outcome.to_arrow().column("l2arc_hit_ratio").null_count == 2
    assert aw.outcome_of(outcome.json) == outcome


def test_a_result_is_found_by_its_names() -> None:
    outcome = aw.run(FILM)
    arm = outcome[outcome.arms[0].name]
    assert arm["first read"].device_read_bytes > 0
    assert arm["second read"].device_read_bytes == 0
    with pytest.raises(KeyError, match="first read, second read"):
        arm["third read"]


@pytest.mark.parametrize("kind", [np.int32, np.uint64, np.int64, np.uint8])
def test_blocks_may_be_of_any_integer(kind: type[np.integer[Any]]) -> None:
    block = np.array([5, 9, 5, 7, 9], dtype=kind)
    trace = aw.Trace.from_arrays(block, size=[4096] * 5, write=[False, True, False, False, True])
    assert trace.blocks.tolist() == [0, 1, 0, 2, 1]
    assert trace.writes.tolist() == [False, True, False, False, True]
    assert trace.millis is None
    assert len(trace) == 5


def test_a_part_of_an_array_is_taken_as_it_is() -> None:
    every = np.arange(20, dtype=np.uint64)
    assert aw.Trace.from_arrays(every[::4], size=[512] * 5).info()["blocks"] == 5


def test_an_lru_of_arrays_is_what_can_be_counted_by_hand() -> None:
    # a b c a: the second a has a reuse distance of three blocks.
    trace = aw.Trace.from_arrays([1, 2, 3, 1], size=[4096] * 4)
    curve = trace.curve(["8KiB", "12KiB"], cache="lru")
    assert curve.hit_ratio.tolist() == [0.0, 0.25]
    assert curve.footprint == 3 * 4096


def test_a_trace_goes_through_arrow_unchanged() -> None:
    rng = np.random.default_rng(1)
    block = rng.zipf(1.3, 5000) % 1000
    times = np.arange(5000, dtype=np.uint64) * np.uint64(3_000_000)
    trace = aw.Trace.from_arrays(block, times, np.full(5000, 8192), rng.random(5000) < 0.1)
    again = aw.Trace.from_arrow(trace.to_arrow())
    sizes = ["1MiB", "2MiB"]
    assert trace.curve(sizes).json == again.curve(sizes).json
    assert trace.millis is not None and trace.millis[-1] == 4999 * 3


def test_threads_change_nothing() -> None:
    block = np.random.default_rng(2).zipf(1.2, 50_000) % 20_000
    trace = aw.Trace.from_arrays(block, size=np.full(50_000, 131_072))
    assert trace.curve(threads=1).json == trace.curve(threads=4).json


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: aw.run("steam-libary"), "did you mean steam-library"),
        (lambda: aw.run(FILM.replace("zfs =", "zsf =")), "line 3"),
        (lambda: aw.run(FILM, set={"system.memroy": "1GiB"}), "memroy"),
        (lambda: aw.run(FILM, arms="none"), "none"),
        (lambda: aw.run(FILM, openzfs="9"), "openzfs"),
        (lambda: aw.run(FILM, max_memory="1KiB"), "needs more memory than allowed"),
        (lambda: aw.run(FILM, scale=0), "scale"),
        (lambda: aw.whatif(FILM), "nothing to try"),
        (lambda: aw.whatif(FILM, parameters={"zfs_arc_maxx": 1}), "did you mean zfs_arc_max"),
        (lambda: aw.whatif(FILM, memory="64"), "unit"),
        (lambda: aw.doctor("what a day\n"), "not a capture"),
        (lambda: aw.doctor("/nonexistent"), "/nonexistent"),
        (lambda: aw.Trace.open("/nonexistent"), "No such file"),
        (lambda: aw.Trace.open(__file__, "cvs"), "did you mean “csv”"),
        (lambda: aw.Trace.from_arrays([1.5]), "float64"),
        (lambda: aw.Trace.from_arrays([-1]), "does not fit"),
        (lambda: aw.Trace.from_arrays([1, 2], size=[1 << 40, 1]), "does not fit"),
        (lambda: aw.Trace.from_arrays([[1], [2]]), "one dimension"),
        (lambda: aw.Trace.from_arrays([]), "no request"),
        (lambda: aw.Trace.from_arrays([1, 2], size=[1]), "size has 1 values, block has 2"),
        (lambda: aw.Trace.from_arrays([1, 2], time_ns=[2, 1]), "time_ns goes back"),
        (lambda: aw.Trace.from_arrow(pa.table({"a": [1]})), "no column block"),
        (lambda: aw.Trace.from_arrays([1]).curve(cache="fifo"), "openzfs or lru"),
        (lambda: aw.Trace.from_arrays([1]).curve(cache="lru", exact=True), "LRU"),
        (lambda: aw.Trace.from_arrays([1]).curve(sampled=True), "for an LRU"),
        (lambda: aw.Trace.from_arrays([1]).curve(l2arc="1GiB"), "no times"),
        (lambda: aw.Trace.from_arrays([1]).curve(rate=-1), "options"),
    ],
)
def test_a_mistake_is_said_in_words(wrong: Callable[[], Any], said: str) -> None:
    with pytest.raises(aw.ArcwrightError) as raised:
        wrong()
    assert said in str(raised.value)


def test_a_mistake_in_a_scenario_has_its_place_and_a_hint() -> None:
    with pytest.raises(aw.ArcwrightError) as raised:
        aw.run(FILM.replace("memory", "memroy"))
    error = raised.value
    assert (error.line, error.hint) == (3, "did you mean “memory”?")


@pytest.mark.parametrize(
    "work",
    [
        lambda: aw.run("home-nas", scale=1),
        lambda: aw.Trace.from_arrays(np.random.default_rng(3).integers(0, 1 << 20, 1 << 22)).curve(
            [f"{size}GiB" for size in range(1, 600)], exact=True
        ),
    ],
)
def test_ctrl_c_ends_what_takes_long(work: Callable[[], Any]) -> None:
    # Each would take minutes, so that it is at work when the signal comes.
    timer = threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        work()
    timer.join()


def test_other_threads_go_on_meanwhile() -> None:
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    aw.run("steam-library", scale=4, threads=1)
    done.set()
    thread.join()
    assert counted > 20
