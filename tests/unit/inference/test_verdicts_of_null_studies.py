"""Verdicts on null studies: what `python -m benchmarks.verdicts` measures with more of them."""

import importlib
import sys
from pathlib import Path

import pytest
from scipy.stats import binom

ROOT = Path(__file__).parents[3]
#: Simulated studies of each design.
STUDIES = 40


@pytest.fixture(scope="module")
def verdicts():
    """The program, which is no part of the package."""
    sys.path.insert(0, str(ROOT))
    try:
        yield importlib.import_module("benchmarks.verdicts")
    finally:
        sys.path.remove(str(ROOT))


@pytest.mark.slow
@pytest.mark.parametrize("design", ["20 patients x 3", "20 pairs", "32 and 8 samples"])
def test_null_studies_are_seldom_supported(verdicts, design):
    """With patients counted as samples a quarter of them would be."""
    settings = verdicts.Settings(
        studies=STUDIES,
        names=(design,),
        classifier="gaussian_nb",
        test_size=verdicts.LabelTestSize(permutations=99),
        jobs=1,
        null=True,
    )
    [row] = verdicts.measure_designs(settings)
    assert row["studies"] == STUDIES
    assert row["supported"] * STUDIES <= binom.ppf(0.999, STUDIES, 0.025)
    coverage = min(row["balanced accuracy held"], row["accuracy held"])
    assert coverage * STUDIES >= binom.ppf(0.001, STUDIES, 0.95)


#: Studies that looked well supported although nothing follows the class, or something else does,
#: and studies that always had the right verdict.
CASES = [
    "samples of patients, correlation .3",
    "samples of patients, correlation .2",
    "corrected with the class",
    "chosen with the labels",
    "batch recorded in one class",
    "biopsy recorded in one class",
    "order of processing, scanned",
    "order of processing, well",
    "order of processing, chip",
    "batch Control_batch, Tumor_batch",
    "hospital C, T",
    "not measured: limit",
    "same patients, 1 and 1 samples, 100%",
    "six samples, 295 genes",
    "six donors, 295 genes",
    "marker in the serum",
    "hospitals",
    "separation",
    "age",
    "replicates, correlation .9",
    "pairs, correlation .6, null",
    "pairs, correlation .6, effect 2",
    "16 and 4 samples",
    "95 and 5 samples",
    "spread",
    "a tenth of the labels is wrong",
    "500 copies of a gene",
    "heavy tails",
    "three outliers",
    "names of hospitals",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_study_of_each_case_has_the_right_verdict(verdicts, name):
    """One study; `python -m benchmarks.verdicts cases` has the rates of 40."""
    case = verdicts.CASES[name]
    size = verdicts.LabelTestSize(draws=1)
    assert case.figure(0, size) == float(case.right)


def test_a_row_that_does_not_exist_is_an_error(verdicts, capsys):
    with pytest.raises(SystemExit):
        verdicts.main(["designs", "13 samples"])
    error = capsys.readouterr().err
    assert "no row '13 samples'" in error
    assert "12 samples" in error


def test_the_series_of_an_earlier_table_have_their_level_beside_the_new_one(
    verdicts, monkeypatch, tmp_path
):
    study = verdicts.draw_study(verdicts.Design(n=20), seed=0)
    monkeypatch.setattr(verdicts, "development_series", lambda: {"one": None, "two": None})
    monkeypatch.setattr(verdicts, "read_series", lambda _: study)
    earlier = tmp_path / "earlier.tsv"
    earlier.write_text("series\tlevel\none\twell supported\n")
    settings = verdicts.Settings(studies=1, classifier="gaussian_nb", before=str(earlier))
    rows = list(verdicts.measure_series(settings))
    assert [row["level before"] for row in rows] == ["well supported", ""]
    assert [row["level"] for row in rows] == ["not supported", "not supported"]
