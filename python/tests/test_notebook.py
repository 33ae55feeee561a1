"""The notebook runs, from the first cell to the last."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbclient import NotebookClient

from conftest import ROOT


def test_the_notebook_runs(tmp_path: Path) -> None:
    text = (ROOT / "python" / "examples" / "sizes.ipynb").read_text()
    notebook = nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
