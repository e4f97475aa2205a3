"""Refusals of readers and data sets: each declared once, and filled by each use.

The rows ``refusal`` of ``mistakes.toml`` have a code, a way to read, files by name (as Latin-1), a
part of the message, and fields of the entry. Rows of other kinds, for which another test
makes the files, end with the code.
"""

import ast
import importlib
import pkgutil
from collections import Counter
from pathlib import Path

import pytest
from toys import mistakes

from xnbflow import data, sources
from xnbflow.core.errors import InputError
from xnbflow.core.refusals import Refusal
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry, local_path
from xnbflow.sources.formats.count_folder import merge_counts
from xnbflow.sources.geo import _read_geo
from xnbflow.sources.places.pinned import pinned_url
from xnbflow.sources.registry import entry_schema, known_sources
from xnbflow.sources.table import read_table

TESTS = Path(__file__).parents[2]


def modules():
    """Return the modules of the packages by name."""
    found = {}
    for package in (sources, data):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            found[module.name] = importlib.import_module(module.name)
    return found


def declared():
    """Return all refusals, each once, with the module that declares it."""
    refusals = {}
    for name, module in modules().items():
        for value in vars(module).values():
            if isinstance(value, Refusal):
                refusals.setdefault(id(value), (name, value))
    return list(refusals.values())


def test_codes_are_unique_and_begin_with_their_module():
    codes = Counter(refusal.code for _, refusal in declared())
    assert [code for code, count in codes.items() if count > 1] == []
    stems = {name.rpartition(".")[2] for name in modules()}
    assert {code.partition(".")[0] for code in codes} <= stems


def test_the_key_of_a_refusal_is_a_key_of_a_data_set():
    keys = {refusal.key.partition(".")[0] for _, refusal in declared() if refusal.key}
    sources = known_sources().values()
    assert keys <= {key for source in sources for key in entry_schema(source)["properties"]}


def uses(path):
    """Return the constants of a module that make an exception, with the names of the values."""
    for call in ast.walk(ast.parse(path.read_text())):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        constant = call.func.value
        if call.func.attr == "error" and isinstance(constant, ast.Name):
            yield constant.id, {keyword.arg for keyword in call.keywords}


def test_each_use_has_a_value_for_each_field_and_no_other():
    wrong = []
    for name, module in modules().items():
        for constant, values in uses(Path(module.__file__)):
            refusal = getattr(module, constant, None)
            if not isinstance(refusal, Refusal):
                continue
            others = values - refusal.fields - {"file", "key", "remedy"}
            if refusal.fields - values or others:
                wrong.append((name, constant))
    assert wrong == []


def test_a_field_without_a_value_is_a_bug():
    refusal = Refusal(code="x.y", sentence="{path}: {n:#sample}")
    with pytest.raises(TypeError, match=r"x.y has the fields \['n', 'path'\], not \['path'\]"):
        refusal.error(path="a")
    with pytest.raises(TypeError, match="not"):
        refusal.error(path="a", n=1, name="b")
    assert str(refusal.error(path="a", n=1, key="n")) == "a: 1 sample"


def row_of(path, source="table", **cells):
    """Return an entry for a file; other files beside it are named by their paths."""
    if "phenotype" in cells:
        cells["phenotype"] = str(path.with_name(cells["phenotype"]))
    cells = {"label": "type"} | cells
    cells["label"] = cells["label"] or None
    return DatasetEntry("x", source, str(path), **cells)


READERS = {
    "table": lambda path, **cells: read_table(path, row_of(path, **cells)),
    "acquire": lambda path, **cells: acquire(row_of(path, **cells)),
    "geo": lambda path: _read_geo(path, row_of(path, "geo", label="title")),
    "folder": lambda path: merge_counts(path.parent),
    "pinned": lambda path: pinned_url(str(path)),
    "cumida": lambda path: acquire(DatasetEntry("x", "cumida", path)),
    "microarray": lambda path: acquire(DatasetEntry("x", "microarray", path)),
    "location": lambda path: local_path(str(path)),
}


@pytest.mark.parametrize("row", mistakes("refusal"), ids=lambda row: row[0])
def test_what_is_wrong_is_refused_by_its_code(tmp_path, row):
    code, reader, files, message, *cells = row
    paths = list(files)
    if reader not in ("pinned", "location", "cumida", "microarray"):
        paths = [tmp_path / name for name in files]
        for path, content in zip(paths, files.values(), strict=True):
            if content != "absent":
                path.write_bytes(content.encode("latin-1"))
    with pytest.raises(InputError, match=message) as error:
        READERS[reader](paths[0], **dict(*cells))
    assert error.value.code == code
    if reader in ("table", "geo", "folder"):
        assert Path(error.value.file).is_relative_to(tmp_path)
