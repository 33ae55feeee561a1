"""Chunks of a sweep as tasks of Ray. Ray does a task again whose worker died; the rows come back to be written here."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from ._core import ArcwrightError
from ._evaluate import evaluate
from ._parts import Parts, write_part

WAITING_PER_CPU = 4
"""Tasks that are handed to Ray together, so that a sweep of millions does not fill its memory."""


def arcwright_chunk(first: int, configurations: pa.Table) -> pa.Table:
    """Does a chunk in a worker of Ray."""
    return evaluate(first, configurations)


def run(parts: Parts, missing: list[int], configurations: pa.Table, retries: int) -> Iterator[int]:
    """Does all chunks, and says each that is finished."""
    import ray

    if not ray.is_initialized():
        ray.init(log_to_driver=False, include_dashboard=False)
    task = ray.remote(max_retries=retries, num_cpus=1)(arcwright_chunk)
    most = max(1, int(ray.cluster_resources().get("CPU", 1))) * WAITING_PER_CPU
    waiting = iter(missing)
    begun: dict[ray.ObjectRef, int] = {}
    try:
        while True:
            for number in waiting:
                first = number * parts.chunk
                begun[task.remote(first, configurations.slice(first, parts.chunk))] = number
                if len(begun) >= most:
                    break
            if not begun:
                return
            done, _ = ray.wait(list(begun))
            for reference in done:
                number = begun.pop(reference)
                write_part(parts.folder, number, ray.get(reference))
                yield number
    except ray.exceptions.RayError as error:
        raise ArcwrightError(f"Ray gave up: {error}; what is finished stays in {parts.folder}") from error
    finally:
        for reference in begun:
            ray.cancel(reference, force=True)
