"""Chunks of a sweep on processes of this machine. A worker that dies costs its chunk, which is done again."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator

from ._core import ArcwrightError
from ._parts import Parts

WORKER = "import json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); from arcwright_zfs._worker import main; main()"
"""A worker finds the modules that this process finds, and not those of the folder in which it stands."""


class LocalPool:
    """Workers, each with a thread that hands it chunks."""

    def __init__(self, parts: Parts, missing: list[int], retries: int) -> None:
        self._parts = parts
        self._retries = retries
        self._waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number in missing:
            self._waiting.put(number)
        self._said: queue.SimpleQueue[int | Exception] = queue.SimpleQueue()
        self._workers: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def run(self, processes: int, count: int) -> Iterator[int]:
        """Does all chunks, and says each that is finished."""
        threads = [threading.Thread(target=self._feed, daemon=True) for _ in range(processes)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(count):
                said = self._said.get()
                if isinstance(said, Exception):
                    raise said
                yield said
        finally:
            self._stop()
            for thread in threads:
                thread.join()

    def _stop(self) -> None:
        with self._lock:
            self._stopped = True
            for worker in self._workers:
                worker.kill()

    def _feed(self) -> None:
        """Gives one worker after the other chunks until none is left."""
        worker: subprocess.Popen[str] | None = None
        try:
            while not self._stopped:
                try:
                    number = self._waiting.get_nowait()
                except queue.Empty:
                    return
                for _ in range(self._retries + 1):
                    worker = worker or self._begin()
                    if worker is None or self._done(worker, number):
                        break
                    self._end(worker)
                    worker = None
                else:
                    chunk = self._parts.chunk
                    what = (
                        f"a worker died {self._retries + 1} times at the configurations "
                        f"{number * chunk} to {(number + 1) * chunk - 1}; what is finished stays in {self._parts.folder}"
                    )
                    self._said.put(ArcwrightError(what))
                    return
                if not self._stopped:
                    self._said.put(number)
        except Exception as error:  # noqa: BLE001 - handed to whoever waits, who would wait for ever
            self._said.put(error)
        finally:
            if worker is not None:
                self._end(worker)

    def _begin(self) -> subprocess.Popen[str] | None:
        command = [sys.executable, "-c", WORKER, json.dumps(sys.path)]
        command += [str(self._parts.folder), str(self._parts.chunk)]
        with self._lock:
            if self._stopped:
                return None
            worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self._workers.add(worker)
            return worker

    def _done(self, worker: subprocess.Popen[str], number: int) -> bool:
        """Says whether a worker has done a chunk; False when it has died."""
        assert worker.stdin is not None and worker.stdout is not None
        try:
            worker.stdin.write(f"{number}\n")
            worker.stdin.flush()
        except OSError:
            return False
        return worker.stdout.readline().strip() == str(number)

    def _end(self, worker: subprocess.Popen[str]) -> None:
        """Ends a worker that has nothing to do, or is dead."""
        assert worker.stdin is not None and worker.stdout is not None
        try:
            worker.stdin.close()
        except OSError:
            pass
        worker.stdout.close()
        worker.wait()
        with self._lock:
            self._workers.discard(worker)
