"""A file appears whole or not at all, whoever else writes it, and nothing is left beside it."""

import ast
import os
import shutil
import time
from pathlib import Path

import pytest

from xnbflow.data import atomic as module
from xnbflow.data.atomic import atomic, write_atomically

PACKAGE = Path(module.__file__).parent


def test_until_it_is_whole_a_file_is_as_it_was(tmp_path):
    with atomic(tmp_path / "new/table.tsv") as part:
        part.write_text("half")
        assert not (tmp_path / "new/table.tsv").exists()
    shutil.rmtree(tmp_path / "new")
    path = tmp_path / "table.tsv"
    path.write_text("before")
    with atomic(path) as part:
        part.write_text("half")
        assert path.read_text() == "before"
        assert part.parent == path.parent  # a move within a folder is one step
        part.write_text("whole")
        assert path.read_text() == "before"
    assert path.read_text() == "whole"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_the_file_as_it_was_and_nothing_beside_it(tmp_path):
    path = tmp_path / "table.tsv"
    path.write_text("before")

    def fail(part):
        part.write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_atomically(path, fail)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_of_a_file_do_not_meet(tmp_path):
    path = tmp_path / "series.parquet"
    with atomic(path) as first:
        first.write_text("first")
        with atomic(path) as second:
            assert second != first
            second.write_text("second")
        assert first.read_text() == "first"
    assert path.read_text() == "first"


def test_what_a_killed_writer_left_goes_after_a_day(tmp_path):
    names = ("1.ab12.part.a.tsv", "2.ab12.part.a.tsv", "1.ab12.part.b.tsv")
    old, new, other = (tmp_path / f".elsewhere.{name}" for name in names)
    for part in (old, new, other):
        part.touch()
    for part in (old, other):
        os.utime(part, (time.time() - 90_000,) * 2)
    write_atomically(tmp_path / "a.tsv", lambda part: part.write_text("a"))
    assert [part.exists() for part in (old, new, other)] == [False, True, True]


def test_nothing_writes_a_file_another_way():
    """Files are written to the temporary path that the one writer gives, called ``part``."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                target = ast.unparse(_written(node) or ast.Name("part"))
                if target not in {"part", "buffer", "text"}:
                    found.add(f"{path.relative_to(PACKAGE)}: {ast.unparse(node)[:70]}")
    # a download has a part per attempt
    downloads = {"sources/http.py: part.replace(path)", "sources/http.py: self.part.open('wb')"}
    assert found == {"atomic.py: part.replace(path)"} | downloads


def _written(call):
    """What a call writes to, or moves a temporary file to; None if it does neither."""
    receiver, name = call.func.value, call.func.attr
    if name in {"write_text", "write_bytes", "touch"}:
        return receiver
    if name in {"to_csv", "savefig", "to_parquet"} and call.args:
        return call.args[0]
    if name == "open" and call.args and ast.unparse(call.args[0]).strip("'")[:1] in {"w", "a"}:
        return receiver
    if name in {"replace", "rename"} and len(call.args) == 1 and ast.unparse(receiver) == "part":
        return call.args[0]
    return None
