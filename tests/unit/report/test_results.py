"""The results of a study: the path of a number, and the files that hold it."""

import inspect
import re
from pathlib import Path

import pytest
import report_study
from report_blocks import MODULES
from report_study import write_study
from toys import refused

from xnbflow.inference import intervals
from xnbflow.report.page.blocks import Facts
from xnbflow.report.sections import (
    accuracy,
    explanation,
    methods,
    samples,
)

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "workflow/src/xnbflow"


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_study(tmp_path_factory.mktemp("study"))


@pytest.mark.slow
def test_a_number_passes_the_functions_that_are_drawn_and_at_most_eight(monkeypatch):
    """Every drawn function exists, and limits of shares pass the public ones in this order."""
    text = (ROOT / "workflow/README.md").read_text().partition("**The path of a number.**")[2]
    text = text.partition("\n**")[0]  # the next path is another one
    drawn_names = re.findall(r"^      (\w+)\.(\w+) ", text, re.MULTILINE)
    assert 2 < len(drawn_names) <= 8
    for module, name in drawn_names:
        (path,) = (p for p in SOURCE.rglob(f"{module}.py") if f"\ndef {name}(" in p.read_text())
    original, stacks = intervals.proportion_interval, set()

    def recorded(*arguments):
        frames = (f for f in inspect.stack() if f.filename.startswith(str(SOURCE)))
        stacks.add(tuple(f.function for f in frames if f.function[0] not in "<_"))
        return original(*arguments)

    monkeypatch.setattr(intervals, "proportion_interval", recorded)
    report_study.make_study.__wrapped__(("nb",), ("alpha",), ())  # not an earlier one
    names = [name for _, name in drawn_names]
    path = tuple(reversed(names[: names.index("share_interval") + 1]))
    assert path in stacks


def test_every_number_has_a_file_beside_the_page(results):
    shown = [module.section(results) for module in MODULES if module is not methods]
    for section in shown:
        for block in report_study.unsourced(section.blocks, explanation, samples, accuracy):
            # Versions are in no table of results.
            assert section.id == "methods"
            assert isinstance(block, Facts)
        for file in report_study.sources(section.blocks):
            assert (results.folder / file).is_file(), file


def test_a_table_that_another_version_did_not_write_is_refused_with_the_command(tmp_path):
    results = write_study(tmp_path)
    path = results.folder / "tables/sets.parquet"
    path.unlink()
    with refused("sets.parquet is absent: .* Run it again: xnbflow run", file=path):
        results.tables["sets"]
