"""One verdict, five places: page, index, workbook, `show` and record.

A case is a set of conditions. Each condition gives the evidence that a study has (predictions, a
label test, an audit, columns, halves, second cohorts), and the level that the documentation allows
for it. The tables are those that *compare* computes from this evidence.
"""

import json
import re
from dataclasses import replace
from functools import cache
from itertools import islice
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from fitted_models import SERIES, XNB
from report_blocks import blocks
from report_study import SMALL_STUDY, completed, study_of_tables, write_declared, write_study

from xnbflow.core.findings import NUMBERS, Finding
from xnbflow.core.study import Cohorts, Study, Validation
from xnbflow.diagnostics.series_audit import _copy_findings
from xnbflow.inference.estimates import estimates, performance
from xnbflow.inference.verdicts import verdicts
from xnbflow.models.final import model_tables
from xnbflow.report import workbook
from xnbflow.report.index import write_index
from xnbflow.report.levels import LEVEL_STYLES
from xnbflow.report.page.blocks import Cards
from xnbflow.report.sections import answer
from xnbflow.report.study_page import write_record
from xnbflow.running.cli.model_texts import model_summary, summary_text
from xnbflow.studies.study_reader import StudyReader
from xnbflow.studies.study_tables import _further_findings
from xnbflow.tables import contract
from xnbflow.tables.finding_table import finding_table
from xnbflow.tables.storage import write_parquet, write_stacked

#: From the best to the worst, as the documentation has them.
WELL, PARTLY, UNJUDGED, NOT = (
    "well supported",
    "partly supported",
    "cannot be judged",
    "not supported",
)
KEY = ("d", "f", "xnb")
PLACE = dict(zip(("dataset", "folds", "classifier"), KEY, strict=True))
PAIR = {"column": "plate", "class": "x", "other": "y", "limits": True, "pairs": 12, "p": 0.6}
PAIR |= {"together": False, "association": 0.001, "auc_within": 0.5, "lower": 0.3, "upper": 0.7}
COHORT = {"n": 20, "right": 9, "value": 0.45, "lower": 0.25, "upper": 0.65, "chance": 0.5}
COHORT |= {"model": "xnb", "train": "d", "test": "e", "p_value": 0.7}


def right(n_right, n_classes=2, sizes=(20, 20)):
    """Codes and predictions where ``n_right`` samples of each class are right."""
    codes = np.repeat(range(n_classes), sizes)
    place = np.concatenate([np.arange(size) for size in sizes])
    limits = np.repeat(n_right, sizes)
    return codes, np.where(place < limits, codes, (codes + 1) % n_classes)


def pair(**changes):
    return {"pairs": [PAIR | changes]}


def cohort(*outcomes):
    return {"cohorts": [{"model": "xnb", "verdict": outcome} for outcome in outcomes]}


def series(outcome, **changes):
    return {"matrix": [{"strategy": "one series", "verdict": outcome} | changes]}


def copies(kind, n):
    """Pairs of the first sample with others among 40 samples."""
    pairs = [Finding(code="repeats", kind=kind, subject="s0", other=f"s{i}") for i in range(1, n)]
    return {"data": [*_copy_findings(pairs, 40), *pairs]}


def of_data(code, kind, **fields):
    numbers = {field: fields.pop(field) for field in NUMBERS if field in fields}
    return {"data": [Finding(code=code, kind=kind, numbers=numbers, **fields)]}


def halves(value, lower, upper, **changes):
    numbers = {"replicated": value, "replicated_lower": lower, "replicated_upper": upper}
    numbers["short_size"] = 9.0
    return {"stability": numbers | changes}


def label_test(p, of="xnb"):
    return {"test": {"p_value": p, "classifier": of}}


#: Evidence by condition, with the best level that a result with it can have.
CONDITIONS = {
    "chance": (NOT, {"predicted": right((11, 11))}),
    "majority": (PARTLY, {"predicted": right((45, 12), sizes=(60, 15))}),
    "class missed": (PARTLY, {"predicted": right((20, 20, 4), 3, (20, 20, 8))}),
    "classes alike": (
        PARTLY,
        {"predicted": right((20, 20, 20), 3, (20, 20, 20)), "alike": True},
    ),
    "three classes": (WELL, {"predicted": right((20, 20, 20), 3, (20, 20, 20))}),
    "label test": (WELL, label_test(0.004)),
    "label test refuses": (NOT, label_test(0.03)),
    "label test of another refuses": (NOT, label_test(0.03, of="nb")),
    "label test of the first supports": (WELL, label_test(0.004, of="nb")),
    "candidates": (WELL, {"candidates": 6} | label_test(0.006)),
    "many copies": (NOT, copies("equal samples", 12)),
    "some copies": (PARTLY, copies("equal samples", 3)),
    "many near copies": (NOT, copies("near copies", 25)),
    "some near copies": (PARTLY, copies("near copies", 5)),
    "few near copies": (WELL, copies("near copies", 3)),
    "replicates": (WELL, copies("replicates", 25)),
    "batch": (UNJUDGED, pair(status="cannot be separated")),
    "batch not examined": (UNJUDGED, pair(status="cannot be examined", pairs=4)),
    "many repeats": (UNJUDGED, of_data("repeats", "many patients", count=24, total=40)),
    "some repeats": (PARTLY, of_data("repeats", "patients", count=8, total=40)),
    "selection": (UNJUDGED, of_data("selection", "chosen features", estimate=0.0, total=300)),
    "correction": (UNJUDGED, of_data("selection", "corrected with class", subject="plate")),
    "normalised by class": (UNJUDGED, of_data("selection", "normalised by class")),
    "few without difference": (
        WELL,
        of_data("selection", "chosen features", severity="notice", estimate=0.04, total=300),
    ),
    "too few units": (UNJUDGED, of_data("units", "", subject="samples", count=6, total=5, p=0.1)),
    "too few units and chance": (
        UNJUDGED,
        of_data("units", "", subject="samples", count=6, total=5, p=0.1)
        | {"predicted": right((11, 11))},
    ),
    "values": (UNJUDGED, of_data("values", "predict class", label="x", estimate=1.0)),
    "values that predict less": (WELL, of_data("values", "predict class", estimate=0.9)),
    "batch of one class": (UNJUDGED, of_data("column", "batch of one class", subject="kit")),
    "column of one class": (
        WELL,
        of_data("column", "recorded in one class", severity="notice", subject="biopsy"),
    ),
    "missing values": (PARTLY, of_data("values", "missing", label="x", other="y", estimate=0.2)),
    "detection limit": (PARTLY, of_data("values", "detection limit", label="x", estimate=0.2)),
    "few values at a limit": (WELL, of_data("values", "detection limit", severity="notice")),
    "few missing values": (WELL, of_data("values", "missing", severity="notice")),
    "batch recognised": (WELL, pair(status="recognised")),
    "biology": (WELL, pair(status="cannot be separated", limits=False)),
    "libraries": (PARTLY, of_data("values", "library size", label="x", estimate=3.4)),
    "libraries similar": (WELL, of_data("values", "library size", severity="notice")),
    "stable": (WELL, halves(0.8, 0.6, 0.9)),
    "unstable": (PARTLY, halves(0.1, 0.0, 0.3)),
    "stable on average": (WELL, halves(0.5, 0.2, 0.8)),
    "most selected": (PARTLY, halves(0.1, 0.0, 0.3, short_size=90.0)),
    "no halves": (PARTLY, halves(np.nan, np.nan, np.nan)),
    "held": (WELL, cohort("held")),
    "not held": (PARTLY, cohort("not held")),
    "threshold": (PARTLY, cohort("held in ranking")),
    "cohort unclear": (WELL, cohort("cannot be judged")),
    "held in one of two": (WELL, cohort("not held", "held")),
    "not held in several series": (PARTLY, series("not held")),
    "held in several series": (WELL, series("held")),
    "merged series": (WELL, series("not held", strategy="merged")),
}
CASES = [
    (),
    *((name,) for name in CONDITIONS),
    ("label test", "stable", "not held"),
    ("label test", "stable", "held"),
    ("label test refuses", "not held"),
    ("chance", "unstable", "batch"),
    ("label test refuses", "libraries"),
    ("batch", "libraries", "unstable", "not held in several series"),
    ("some copies", "no halves"),
    ("many copies", "stable", "held"),
    ("three classes", "not held"),
    ("class missed", "label test", "not held"),
    ("majority", "some copies", "threshold"),
    ("candidates", "not held"),
    ("candidates", "held"),
    ("not held", "not held in several series"),
    ("label test of another refuses", "stable", "held"),
]


@cache
def signature():
    return model_tables(XNB, SERIES)["signature"]


def study_of(root, conditions):
    """Write the tables of a study with this evidence; return it."""
    evidence = {"predicted": right((20, 20)), "candidates": 1, "data": []}
    for name in conditions:
        added = CONDITIONS[name][1]
        evidence |= added | {"data": evidence["data"] + added.get("data", [])}
    codes, predicted = evidence["predicted"]
    n_classes = codes.max() + 1
    classes = np.array(["x", "y", "z"])[:n_classes]
    votes = np.eye(n_classes)[predicted]
    measured = {KEY: performance(codes, votes, candidates=evidence["candidates"])}
    headers = {
        "d": SimpleNamespace(
            classes=classes, samples=np.arange(len(codes)), n_features=100, scale=""
        )
    }
    data_findings = finding_table(evidence["data"]).assign(dataset="d")
    pairs = pd.DataFrame([PLACE | row for row in evidence.get("pairs", [])])
    pairs = completed(pairs, contract.GROUPS["study"].tables["recognition"])
    alike = {"class": "x", "other": "y", "auc": 0.6, "lower": 0.4, "separated": False}
    distinct = {"class": "x", "other": "z", "auc": 1.0, "lower": 0.9, "separated": True}
    rows = []
    if "alike" in evidence:
        rows = [PLACE | pair | {"judged": True} for pair in (alike, distinct)]
    class_pairs = completed(pd.DataFrame(rows), contract.GROUPS["study"].tables["class_pairs"])
    stability = [PLACE | evidence["stability"]] if "stability" in evidence else []
    stability = completed(pd.DataFrame(stability), contract.GROUPS["study"].tables["stability"])
    tests = [{"dataset": "d"} | evidence["test"]] if "test" in evidence else []
    tests = completed(pd.DataFrame(tests), contract.GROUPS["study"].tables["label_tests"])
    judged = verdicts(
        measured,
        headers,
        fits={KEY: (0, 5)},
        stability=stability,
        label_tests=tests,
        data_findings=data_findings,
        further=_further_findings(
            {KEY: None},
            headers,
            recognition_table=pairs,
            class_pair_table=class_pairs,
            cohort_tests=cohort_tests(root, evidence),
        ),
    )
    estimated = estimates(measured, headers, {KEY: 0})
    results = study_of_tables(
        root,
        {
            "headline": [{"classifier": "xnb", "candidates": evidence["candidates"]}],
            "datasets": [{"dataset": "d", "samples": len(codes), "features": 100, "classes": 2}],
            "class_sizes": [{"dataset": "d", "class": label} for label in classes],
            "averages": [{"classifier": "xnb", "wins": 1}],
            "summary": [PLACE | {"metric": "accuracy", "folds_failed": 0}],
            "estimates": estimated.to_dict("records"),
            "stability": stability.to_dict("records"),
            "label_tests": tests.to_dict("records"),
            "recognition": pairs.to_dict("records"),
            "model.heatmap": [],
            "genes.gene_values": [],
            "genes.contrasts": [],
            "cohorts.cohort_tests": [],
        },
        {"classifiers": {"xnb": {"method": "xnb"}}, "folds": {"f": {"splits": 5}}},
        diagnostics=False,
        classifiers=("xnb",),
        final=("xnb",),
    )
    fits = contract.GROUPS["training"].path.of(
        study="s", dataset="d", folds="f", job="main", table="fits"
    )
    write_stacked({}, root / fits, contract.GROUPS["training"].tables["fits"])
    write_parquet(
        signature(),
        root
        / contract.GROUPS["model"].path.of(
            study="s", table="signature", dataset="d", classifier="xnb"
        ),
        contract.GROUPS["model"].tables["signature"],
    )
    for name, table in judged.items():
        path = root / contract.GROUPS["study"].files[name].of(study="s")
        write_parquet(table, path, contract.GROUPS["study"].tables[name])
    return replace(results)


def cohort_tests(root, evidence):
    """Write the tables of *cohorts*; return what *compare* reads of them."""
    validate = ()
    cohorts = None
    tests = []
    if "cohorts" in evidence:
        validate = (Validation(model="xnb", train="d", test="e"),)
        tests += [row | COHORT | {"strategy": "second cohort"} for row in evidence["cohorts"]]
    if "matrix" in evidence:
        cohorts = Cohorts(("d", "e"), "xnb")
        tests += [row | COHORT for row in evidence["matrix"]]
    path = contract.GROUPS["cohorts"].path.of(study="s", table="cohort_tests")
    write_declared(
        pd.DataFrame(tests), root / path, contract.GROUPS["cohorts"].tables["cohort_tests"]
    )
    study = Study(**SMALL_STUDY, validate=validate, cohorts=cohorts)
    return StudyReader(study=study, root=root).cohort_tests()


def text_of_name(code, kind):
    return f"{code}: {kind}" if kind else code


def levels_in(text):
    """Return the levels that a text names, in small letters."""
    return re.findall("|".join(LEVEL_STYLES), text.lower())


def places(results, folder):
    """Return the text of each place that states the verdict of the study, and its table."""
    model_file = results.root / contract.MODEL.of(study="s", dataset="d", classifier="xnb")
    described = model_summary(XNB, model_file)
    (page,) = blocks(answer.section(results), Cards)
    (page_card,) = page.cards
    record = folder / "results/studies/s/run.json"
    record.parent.mkdir(parents=True)
    write_record(results, record)
    (record.parent / "report.html").touch()
    write_index([results.study], folder / "results/index.html")
    index = (folder / "results/index.html").read_text()
    badges = re.findall(r'class="badge (\w+)">([^<]*)<', index)
    sheets = dict(islice(workbook._workbook_sheets(results), 3))  # summary, verdicts and findings
    items = sheets["summary"].set_index("item")["text"]
    styles = {badge for badge, _ in badges} | {page_card.level}
    # A card of too few units has their number in place of the level, which its sentence has.
    badge = page_card.badge
    if badge.startswith("Too few to judge"):
        badge = page_card.verdict.partition(":")[0]
    assert styles == {LEVEL_STYLES[badge.lower()]}
    written = json.loads(record.read_text())
    verdict = described["verdict"]
    words = summary_text(described, model_file)
    found = {
        "page": badge,
        "page, sentence": page_card.verdict.partition(":")[0],
        "index": " ".join(words for _, words in badges),
        "workbook": items["verdict: d"].partition(":")[0],
        "workbook, table": " ".join(sheets["verdicts"]["level"]),
        "show": words[words.index("verdict of the study") :],
        "show --json": verdict["level"],
        "record": written["verdicts"]["d"],
    }
    table = results.tables["findings"]
    limiting = table[table["allows"] != ""]
    names = sorted(map(text_of_name, limiting["code"], limiting["kind"]))
    shown = [text_of_name(row["code"], row["kind"]) for row in verdict["findings"]]
    assert names == sorted(shown)
    assert shown == written["findings"]["d"]
    assert sheets["findings"]["code"].tolist() == table["code"].tolist()
    return {place: levels_in(text)[:1] for place, text in found.items()}


@pytest.mark.slow
@pytest.mark.parametrize("conditions", CASES, ids=lambda case: ", ".join(case) or "no condition")
def test_every_place_has_the_level_of_the_table(tmp_path, conditions):
    order = (WELL, PARTLY, UNJUDGED, NOT)
    allowed = [CONDITIONS[name][0] for name in conditions]
    expected = max(allowed, key=order.index, default=WELL)
    results = study_of(tmp_path / "study", conditions)
    assert results.tables["verdicts"]["level"].tolist() == [expected]
    actual = places(results, tmp_path / "index")
    assert actual == {place: [expected] for place in actual}


@pytest.mark.slow
def test_a_failed_fold_refuses_a_result_in_every_place(tmp_path):
    """The classifier comes first by its other data set."""
    results = write_study(tmp_path / "study", failed=("GSE7904/xnb",))
    place = {"dataset": "GSE7904", "folds": "3-fold", "classifier": "xnb"}
    assert results.rows("verdicts", **place)["level"].tolist() == [NOT]
    (row,) = results.rows("findings", **place).to_dict("records")
    assert (row["code"], row["count"], row["total"]) == ("not fitted", 6, 6)
    (page,) = blocks(answer.section(results), Cards)
    cards = {page_card.title: page_card for page_card in page.cards}
    assert cards["GSE7904"].badge == "Not supported"
    assert cards["GSE7904"].short_reason == "It could not be fitted in 6 of 6 folds."
    record = tmp_path / "results/studies/small/run.json"
    record.parent.mkdir(parents=True)
    write_record(results, record)
    written = json.loads(record.read_text())
    assert written["verdicts"]["GSE7904"] == NOT
    assert written["findings"]["GSE7904"] == ["not fitted"]
    (record.parent / "report.html").touch()
    write_index([results.study], tmp_path / "results/index.html")
    assert "Not supported" in (tmp_path / "results/index.html").read_text()
    items = dict(workbook._workbook_sheets(results))["summary"].set_index("item")["text"]
    assert items["verdict: GSE7904"].startswith("Not supported: XNB has no result")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(
            "elsewhere", "No verdict: the file is not in the folder of a study.", id="elsewhere"
        ),
        pytest.param(
            "no tables",
            "No verdict: the study s has not compared its classifiers yet.",
            id="no tables",
        ),
        pytest.param(
            "other classifier",
            "No verdict: the study s did not cross-validate this model.",
            id="other classifier",
        ),
    ],
)
def test_a_model_without_a_verdict_states_why(tmp_path, change, expected):
    results = study_of(tmp_path, ())
    path = results.root / contract.MODEL.of(study="s", dataset="d", classifier="xnb")
    verdict_file = results.root / contract.GROUPS["study"].files["verdicts"].of(study="s")
    if change == "elsewhere":
        path = tmp_path / "model.skops"
    elif change == "no tables":
        verdict_file.unlink()
    else:
        table = results.tables["verdicts"].assign(classifier="nb")
        write_parquet(table, verdict_file, contract.GROUPS["study"].tables["verdicts"])
    described = model_summary(XNB, path)
    assert (described["verdict"]["level"], described["verdict"]["text"]) == ("", expected)
    assert expected in summary_text(described, path)
