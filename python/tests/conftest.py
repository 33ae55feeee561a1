"""What tests share: the program that results are held against, files of the repository."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
Program = Callable[..., Any]


@pytest.fixture(scope="session")
def program() -> Program:
    """Returns what runs the program and reads its JSON; ARCWRIGHT names it."""
    path = os.environ.get("ARCWRIGHT", str(ROOT / "target" / "debug" / "arcwright"))
    if not Path(path).exists():
        pytest.fail(f"{path} is not there; cargo build --workspace --bins")

    def ask(*arguments: str) -> Any:
        done = subprocess.run([path, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return ask


@pytest.fixture
def in_root(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stands in the repository's folder, so that paths are those of the program."""
    monkeypatch.chdir(ROOT)
    return ROOT
