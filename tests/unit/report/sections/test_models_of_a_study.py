"""The sections of signatures and of a second cohort, from the models of a study."""

import re
from dataclasses import replace

import pandas as pd
import pytest
from model_files import two_classes
from report_study import walk, with_rows
from study_files import StudyFiles

from xnbflow.core.study import Study, Validation
from xnbflow.models import cross_validate
from xnbflow.models import validation as second_cohort
from xnbflow.models.final import final_model
from xnbflow.report.page.blocks import Figure, Gallery, Prose, Table
from xnbflow.report.page.page import write_page
from xnbflow.report.results import StudyResults
from xnbflow.report.sections import cohorts, signature
from xnbflow.report.sentences import cohort_sentence
from xnbflow.tables import contract

TRAIN = replace(two_classes(40), name="one")


TEST = replace(two_classes(32, seed=1), name="two")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    root = tmp_path_factory.mktemp("study")
    files = StudyFiles(root)
    pairs = (
        Validation(model="csnb", train="one", test="two"),
        Validation(model="nb", train="one", test="two", harmonise="rank"),
    )
    study = Study(
        id="small",
        title="Small",
        summary="",
        datasets=("one", "two"),
        classifiers=("csnb", "nb"),
        folds=("5-fold",),
        diagnostics=True,
        analyses={},
        final=("csnb", "nb"),
        validate=pairs,
    )
    entries = {"csnb": {"method": "csnb_cv"}, "nb": {"method": "gaussian_nb"}}
    declared = contract.GROUPS["genes"].tables
    genes = {name: pd.DataFrame(columns=declared[name].fixed) for name in ("genes", "gene_values")}
    samples = pd.DataFrame(columns=contract.GROUPS["audit"].tables["samples"].fixed)
    audited = {"samples": samples}
    fits = {"fits": pd.DataFrame(columns=contract.GROUPS["training"].tables["fits"].fixed)}
    for series in (TRAIN, TEST):
        key = {"dataset": series.name}
        files.put("genes", genes, study="small", **key)
        files.put("audit", audited, **key)
        place = {"study": "small", **key, "folds": "5-fold", "job": "main"}
        files.put_stacked("training", dict.fromkeys(entries, fits), **place)
        for name, entry in entries.items():
            folds = cross_validate(series, entry, 5)
            model = final_model(
                series, entry, predictions=folds.predictions, selected=folds.selected, origin={}
            )
            files.put_model(model, series, "small", series.name, name)
    sizes = pd.DataFrame({"dataset": ["one", "two"], "samples": [TRAIN.n_samples, TEST.n_samples]})
    study_results = StudyResults(study, {"csnb": "CSNB", "nb": "NB"}, {}, root)
    classes = [{"dataset": "one", "class": label} for label in TRAIN.classes]
    with_rows(
        study_results,
        datasets=sizes,
        class_sizes=classes,
        recognition=[],
        headline=[{"classifier": ""}],
    )
    tables = second_cohort.validate_all(
        {"one": TRAIN, "two": TEST}, {"one": entries}, [vars(pair) for pair in study.validate]
    )
    files.put("cohorts", tables, study="small")
    return replace(study_results)


@pytest.mark.slow
def test_the_sections_show_what_the_tables_hold(results, tmp_path):
    sections = [signature.section(results), cohorts.section(results)]
    write_page(tmp_path / "page.html", "t", lead="l", sections=sections)
    page = re.sub("</?abbr.*?>", "", (tmp_path / "page.html").read_text())
    verdicts = results.tables_of("cohorts")["cohort_tests"]
    assert len(verdicts) == 2
    for row in verdicts.to_dict("records"):
        assert cohort_sentence(row, results.labels[row["model"]]).split(" (")[0] in page
    assert 'href="models/one/csnb/csnb.skops"' in page
    blocks = list(walk(sections[0].blocks))
    assert sum(isinstance(block, Figure) for block in blocks) == 2  # naive Bayes has no signature
    kinds = {type(block) for block in walk(sections[1].blocks)}
    assert {Prose, Table, Gallery} <= kinds
