"""A trace as Parquet, read by DuckDB, Polars and Arrow, and by the program again."""

import os
import subprocess
from pathlib import Path

import duckdb
import polars
import pyarrow.parquet
import pytest

TRACE = """\
time,volume,op,offset,bytes
0.000000000,sda,read,0,4096
1.500000000,a film,write,8192,512
2.000000000,sda,flush,0,0
"""
ROWS = [
    (0, "sda", "read", 0, 4096),
    (1_500_000_000, "a_film", "write", 8192, 512),
    (2_000_000_000, "sda", "flush", 0, 0),
]


def arcwright(*arguments: str, text: str | None = None) -> str:
    """Run the program; return what it prints."""
    command = [os.environ["ARCWRIGHT"], *arguments]
    ran = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return ran.stdout


@pytest.fixture
def parquet(tmp_path: Path) -> str:
    """Convert the trace; return the file's path."""
    file = str(tmp_path / "trace.parquet")
    csv = tmp_path / "trace.csv"
    csv.write_text(TRACE.replace("a film", "a_film"))
    arcwright("trace", "convert", str(csv), "--to", "parquet", "-o", file)
    return file


def test_duckdb_polars_and_arrow_read_every_row(parquet: str) -> None:
    assert duckdb.execute(f"select * from '{parquet}'").fetchall() == ROWS
    assert polars.read_parquet(parquet).rows() == ROWS
    table = pyarrow.parquet.read_table(parquet)
    assert table.column_names == ["time_ns", "volume", "op", "offset", "bytes"]
    assert list(zip(*(column.to_pylist() for column in table.columns))) == ROWS


def test_what_duckdb_writes_as_csv_is_read_again(parquet: str, tmp_path: Path) -> None:
    csv = tmp_path / "again.csv"
    duckdb.execute(f"copy (from '{parquet}') to '{csv}' (header)")
    again = arcwright("trace", "convert", str(csv), "--to", "csv", "-o", str(tmp_path / "b.csv"))
    assert "3 requests" in again
    assert (tmp_path / "b.csv").read_text() == TRACE.replace("a film", "a_film")


def test_objects_are_unsigned(tmp_path: Path) -> None:
    csv, file = tmp_path / "objects.csv", str(tmp_path / "objects.parquet")
    csv.write_text(f"op,object,bytes\nread,{2**64 - 1},100\n")
    arcwright("trace", "convert", str(csv), "--to", "parquet", "-o", file)
    assert duckdb.execute(f"select * from '{file}'").fetchall() == [("read", 2**64 - 1, 100)]
