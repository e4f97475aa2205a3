"""Data sets as entries of the configuration: what is accepted, and which key an error names."""

from pathlib import Path

import pytest
import yaml
from toys import HOSTILE, mistakes, refused

from xnbflow.core.entries import Source
from xnbflow.core.errors import InputError
from xnbflow.running.project import default_configuration
from xnbflow.sources import dataset_entry
from xnbflow.sources.dataset_entry import DatasetEntry, NamePattern, Shape, read_entry
from xnbflow.sources.registry import _SOURCES, entry_schema

ROOT = Path(__file__).parents[3]

#: A data set of CuMiDa, and a table, which mistakes change.
BRAIN = {"source": "cumida", "name": "Brain/GSE50161", "sha256": "ab" * 32}
TABLE = {"source": "table", "file": "a.csv", "label": "type"}


def test_an_entry_is_typed():
    settings = TABLE | {
        "label": {"from": "sample names", "classes": ["KO", "WT"]},
        "phenotype": {"file": "samples.tsv", "columns": ["age", "site, ward [id]"]},
        "angular": {"wind": "degrees", "hour": 24},
        "drop": ["note; = *", {"pattern": "*_at"}],
        "missing": {"drop_features": 0.2},
        "shape": {"samples": 12},
    }
    entry = read_entry("mine", settings)
    assert entry == DatasetEntry(
        "mine",
        "table",
        "a.csv",
        label="sample names",
        label_classes=("KO", "WT"),
        phenotype="samples.tsv",
        phenotype_columns=("age", "site, ward [id]"),
        angular={"wind": "degrees", "hour": 24},
        drop=("note; = *", NamePattern("*_at")),
        missing={"drop_features": 0.2},
        shape=Shape(samples=12),
    )


def test_an_entry_is_written_as_it_is_read():
    for name, settings in default_configuration()["datasets"].items():
        assert read_entry(name, settings).settings() == settings


@pytest.mark.parametrize(
    ("source", "location", "path"),
    [
        ("table", "data/my.csv", Path("data/my.csv")),
        ("table", "file:///data/my%20own.csv", Path("/data/my own.csv")),
        ("table", "https://example.org/my.csv", None),
        ("geo", "GSE4107_series_matrix.txt.gz", Path("GSE4107_series_matrix.txt.gz")),
        ("geo", "GSE4107", None),
        ("cumida", "Brain/GSE50161", None),
    ],
)
def test_only_what_a_source_reads_on_this_machine_is_a_local_file(source, location, path):
    assert DatasetEntry("x", source, location).local_files.get("location") == path


def test_a_source_of_another_package_declares_its_local_files(monkeypatch):
    toy = Source(
        name="toy",
        module="toy.source",
        keys={"mask": {"type": "string"}},
        places=("file",),
        files={"location": "", "mask": "none|builtin"},
    )
    monkeypatch.setattr(dataset_entry, "known_sources", lambda: {"toy": toy})
    entry = read_entry("x", {"source": "toy", "file": "my.toy", "mask": "mask.txt"})
    assert entry.local_files == {"location": Path("my.toy"), "mask": Path("mask.txt")}
    moved = entry.with_files({"location": "/data/my.toy", "mask": "/data/mask.txt"})
    assert moved.settings() == {"source": "toy", "file": "/data/my.toy", "mask": "/data/mask.txt"}
    entry = read_entry("x", {"source": "toy", "file": "my.toy", "mask": "builtin"})
    assert entry.local_files == {"location": Path("my.toy")}


@pytest.mark.parametrize("key", ["file", "phenotype"])
def test_braces_in_a_file_s_name_are_refused(key):
    change = {"file": "my{x}.csv"} if key == "file" else {"phenotype": {"file": "my{x}.csv"}}
    with refused("braces", key=key):
        read_entry("x", TABLE | change)


def documented_keys():
    """Return the sources of each key in the tables of config/README.md."""
    page = (ROOT / "config/README.md").read_text().replace("`", "")
    rows = {}
    for part in page.split("| key of a data set |")[1:]:
        for line in part.partition("\n\n")[0].splitlines()[2:]:
            name, sources, _ = line.strip("| ").split(" | ")
            assert name not in rows
            rows[name] = sources.split(", ")
    return rows


def test_every_key_is_documented():
    documented = documented_keys()
    for source in _SOURCES.values():
        keys = {
            name
            for name, sources in documented.items()
            if source.name in sources or sources == ["all"]
        }
        assert keys == set(entry_schema(source)["properties"])


@pytest.mark.parametrize(("change", "key"), mistakes("dataset"))
def test_a_bad_value_is_named_with_its_key(change, key):
    change = dict(change)
    settings = (BRAIN if change.pop("of", "table") == "cumida" else TABLE) | change
    with refused("datasets.brain", key=key):
        read_entry("brain", {name: value for name, value in settings.items() if value != ""})


@pytest.mark.parametrize("name", ["..", ".x", "", 2019, *(n for n in HOSTILE if n != "--rf")])
def test_a_data_set_has_the_name_of_a_file(name):
    with refused("cannot name a data set", key="datasets"):
        read_entry(name, BRAIN)


def test_a_name_that_yaml_reads_otherwise_is_refused_with_quotes_as_the_remedy():
    settings = yaml.safe_load("{source: table, file: a.csv, label: type, map: {no: a, yes: b}}")
    with refused(r"datasets.x, map: found False; use a text \(in quotes if YAML", key="map"):
        read_entry("x", settings)


def test_a_misspelt_key_is_named_before_a_key_that_lacks():
    with refused("unknown key 'labl'; did you mean 'label'", key="labl"):
        read_entry("x", {"source": "table", "file": "a.csv", "labl": "type"})


def test_checksums_may_have_capital_letters():
    assert read_entry("brain", BRAIN | {"sha256": "AB" * 32}).sha256 == "ab" * 32


@pytest.mark.parametrize(("n_bytes", "is_refused"), [(255, False), (256, True)])
def test_names_of_files_have_255_bytes(n_bytes, is_refused):
    name = "ü" * (n_bytes // 2) + "x" * (n_bytes % 2)
    if is_refused:
        with refused("a name in it has more than 255 bytes; shorten it", key="file"):
            read_entry("x", TABLE | {"file": name})
    else:
        assert read_entry("x", TABLE | {"file": name}).location == name


DESIGN = {
    "adjust": ["age", "factor(plate)"],
    "trend": True,
    "contrasts": ["a vs b", "slope(age)"],
    "repeated": "correlation",
    "biology": ["sex"],
}


def test_keys_of_a_design_are_refused_with_the_lines_to_write():
    with pytest.raises(InputError) as caught:
        read_entry("x", TABLE | DESIGN)
    message = str(caught.value)
    lines = message[message.index("      design:") : message.index("A table keeps")]
    assert yaml.safe_load(lines) == {"design": {"x": DESIGN}}
    assert message.endswith("phenotype: {columns: [age, plate]}.")


@pytest.mark.parametrize("key", DESIGN)
@pytest.mark.parametrize("settings", [TABLE, {"source": "geo", "file": "a.txt", "label": "title"}])
def test_each_key_of_a_design_names_its_place(key, settings):
    with refused(f"{key} is part of the design of a study. Remove it", key=key):
        read_entry("x", settings | {key: DESIGN[key]})
