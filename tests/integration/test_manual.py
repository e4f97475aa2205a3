"""The pages that say what lies in results/ and resources/ tell of every file of a study."""

import copy
import re

import pytest
from integration.conftest import ROOT, STUDY, prepare, snakemake

from xnbflow.data.contract import (
    ANALYSIS,
    DESCRIPTION,
    DESCRIPTION_TABLES,
    DIAGNOSTIC,
    DIAGNOSTIC_TABLES,
    STUDY_TABLE,
    STUDY_TABLES,
    analysis_tables,
)
from xnbflow.studies.registry import OWN_ANALYSES

#: Small, and with all that a study may ask for beside tables and a page.
MORE = {
    "classifiers": ["nb"],
    "final": ["nb"],
    "permutations": {"nb": 1},
    "analyses": {
        "separation": {
            "datasets": ["wine"],
            "params": {"blocks": 10, "size": 2, "samples": [20], "uniform": [20],
                       "noncentral": [], "useless": [], "repeats": 3, "sizes": [2]},
        }
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Every file of a study, relative to its folder."""
    study = copy.deepcopy(STUDY)
    study["studies"]["tiny"] |= MORE
    folder = prepare(tmp_path_factory.mktemp("manual"), study)
    done = snakemake(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ".snakemake_timestamp" in (ROOT / "results/README.md").read_text()
    made = [*(folder / "results").rglob("*"), *(folder / "resources").rglob("*")]
    return sorted(path.relative_to(folder).as_posix() for path in made if _is_ours(path))


def _is_ours(path):
    return path.is_file() and path.name != ".snakemake_timestamp"


def patterns():
    """Return an expression for every path that the two pages tell, as their text."""
    told = re.findall(
        r"`(results/[^`]+|resources/[^`]+)`", (ROOT / "results/README.md").read_text()
    )
    own = re.findall(r"`([\w{}./-]+)`", (ROOT / "resources/README.md").read_text())
    told += [f"resources/{path}" for path in own if "/" in path]
    expressions = {}
    for path in told:
        named = re.sub(r"\{\w+\}", "[^/]+", path.replace(".", r"\."))
        if path.endswith("/"):  # what is in a folder is told by the tables below
            continue
        expressions[path] = re.compile(re.sub(r"\\.parquet$", r"\\.(parquet|tsv)", named))
    expressions |= {path: re.compile(re.escape(path)) for path in _tables()}
    return expressions


def _tables():
    """Return the files of tables that the page lists below a folder of the tiny study."""
    page = (ROOT / "results/README.md").read_text()
    folders = [
        (STUDY_TABLE.of(study="tiny", table=""), "## Per study", STUDY_TABLES),
        (DESCRIPTION.of(study="tiny"), "## Of single features", DESCRIPTION_TABLES),
    ]
    folders += [
        (ANALYSIS.of(study="tiny", analysis=name), f"### `{name}`", analysis_tables(each.contract))
        for name, each in OWN_ANALYSES.items()
    ]
    for folder, heading, tables in folders:
        listed = page.partition(heading)[2].partition("\n#")[0]
        for name in tables:
            if f"| `{name}` |" in listed:
                place = folder.removesuffix(".parquet").rstrip("/")
                yield from (f"{place}/{name}.{kind}" for kind in ("parquet", "tsv"))


def test_every_file_is_told_in_the_manual(files):
    assert len(files) > 100
    known = patterns()
    # a wildcard for any table would hide one that the page does not list
    loose = DIAGNOSTIC.of(dataset="{dataset}", table="{table}")
    known = {path: each for path, each in known.items() if path != loose}
    known |= {
        path: re.compile(f"results/[^/]+/{name}\\.parquet")
        for name in DIAGNOSTIC_TABLES
        for path in [name]
        if f"| `{name}` |" in (ROOT / "results/README.md").read_text()
    }
    untold = [file for file in files if not any(p.fullmatch(file) for p in known.values())]
    assert untold == []


def test_files_that_only_a_download_or_a_killed_run_brings_are_told():
    text = (ROOT / "results/README.md").read_text()
    for path in ("results/checksums/{dataset}.sha256", "resources/series/{dataset}.notes.parquet"):
        assert f"`{path}`" in text
