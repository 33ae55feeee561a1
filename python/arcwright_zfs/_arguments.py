"""From Python's values to the texts that the compiled part takes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

Size = int | str
"""Bytes, or a text with a unit: ``64GiB``, ``250GB``."""

Source = str | os.PathLike[str]
"""A path; or a text of several lines, which is taken as what the file would hold."""


def size(value: Size) -> str:
    """Returns a size as a text with its unit."""
    return value if isinstance(value, str) else f"{int(value)}B"


def sizes(values: Size | Iterable[Size] | None) -> list[str]:
    """Returns sizes as texts; one alone is a list of one."""
    if values is None:
        return []
    if isinstance(values, (str, int)):
        return [size(values)]
    return [size(value) for value in values]


def texts(values: str | Iterable[str] | None) -> list[str]:
    """Returns texts as a list; one alone is a list of one."""
    if values is None:
        return []
    return [values] if isinstance(values, str) else list(values)


def source(value: Source) -> tuple[str, bool]:
    """Returns what was named, and whether it is the text itself."""
    if isinstance(value, Path) or not isinstance(value, str):
        return os.fspath(value), False
    return value, "\n" in value


def override(value: object) -> str:
    """Returns a value as a scenario file writes it."""
    if isinstance(value, str):
        return value
    return json.dumps(value)


def options(**values: Any) -> str:
    """Returns options as JSON; those that are None are left to the program."""
    return json.dumps({key: value for key, value in values.items() if value is not None})


def run_options(
    set: Mapping[str, object] | None,
    arms: str | Iterable[str] | None,
    more: Mapping[str, object],
) -> dict[str, object]:
    """Returns what steers a run."""
    given: dict[str, object] = {
        "overrides": [[key, override(value)] for key, value in (set or {}).items()],
        "arms": texts(arms),
    }
    given.update((key, value) for key, value in more.items() if value is not None)
    return given
