"""The section on the audit: findings in their order, and pictures of samples."""

import numpy as np
import pandas as pd
import pytest
from report_study import completed, finding_row, study_of_tables
from study_files import StudyFiles

from xnbflow.report.sections import (
    audit,
)
from xnbflow.tables import contract


def finding(name, subject="s", dataset="d", **fields):
    """Return a finding on a data set."""
    of_data = {"dataset": dataset, "folds": "", "classifier": ""}
    return of_data | finding_row(name, subject=subject, **fields)


def study_with(tmp_path, *rows, **tables):
    headline = [{"classifier": "nb"}]
    return study_of_tables(tmp_path, {"findings": rows, "headline": headline} | tables)


def test_what_limits_a_verdict_comes_before_warnings_and_these_before_notices(tmp_path):
    rows = [
        finding("samples: outlier", severity="notice"),
        finding("samples: sex not shown", "gender"),
        finding("repeats: copies", count=2, total=20),
    ]
    study = study_with(tmp_path, *rows)
    kinds = ["copies", "sex not shown", "outlier"]
    assert audit._audit_findings(study)["kind"].tolist() == kinds
    serious = audit.most_serious(study, "d")
    assert serious.short.startswith("2 of 20 samples are copies of others")
    assert serious.sentence.endswith("(group). 1 other finding below.")


def test_a_notice_is_no_serious_finding(tmp_path):
    study = study_with(tmp_path, finding("samples: outlier", severity="notice"))
    assert audit.most_serious(study, "d") is None


def test_a_finding_has_the_adjusted_p_before_its_advice(tmp_path):
    row = finding("column: associated", "day", other="day", p=0.01, p_holm=0.0500001)
    tables = {"genes.design": [{"adjusted": ""}]}
    text = audit.most_serious(study_with(tmp_path, row, **tables), "d").sentence
    assert "(adjusted p = 0.0500001); to compare features within it" in text


@pytest.mark.parametrize(
    ("adjusted", "is_adjusted"),
    [("age, day, hour", True), ("day, hour", True), ("day", False), ("", False), ("hour", False)],
)
def test_a_study_that_adjusts_for_a_column_is_not_asked_to(tmp_path, adjusted, is_adjusted):
    row = finding("column: associated", "day, hour", other="day, hour")
    tables = {"genes.design": [{"adjusted": adjusted}]}
    sentence = audit.most_serious(study_with(tmp_path, row, **tables), "d").sentence
    assert ("write `adjust:" in sentence) != is_adjusted
    assert ("are adjusted for it" in sentence) == is_adjusted


@pytest.fixture
def pictured(tmp_path):
    """Two samples, the second outlying, misclassified as class a with a probability of .9."""
    place = {"dataset": "d", "folds": "f", "classifier": "xnb"}
    sample = {"dataset": "d", "component_1": 1.0, "component_2": 2.0}
    sample |= {"share_1": 0.6, "share_2": 0.2}
    phenotype = {"phenotype.site": "x", "phenotype.age": ""}
    samples = [
        sample | phenotype | {"sample": "s1", "class": "a", "outlying": False},
        sample | phenotype | {"sample": "s2", "class": "b", "outlying": True, "phenotype.site": ""},
    ]
    study = study_of_tables(
        tmp_path,
        {
            "headline": [{"classifier": "xnb"}],
            "audit.samples": samples,
            "audit.associations": [{"dataset": "d", "column": "site"}],
            "findings": [],
            "class_sizes": [{"dataset": "d", "class": label, "samples": 1} for label in "ab"],
            "estimates": [place | {"metric": "accuracy", "folds_failed": 0}],
        },
    )
    log = np.log([[0.7, 0.3], [0.9, 0.1]])
    predictions = pd.DataFrame({"repeat": 0, "fold": [0, 1], "sample": ["s1", "s2"]})
    predictions = predictions.assign(true=["a", "b"], predicted=["a", "a"])
    predictions[["log_posterior.a", "log_posterior.b"]] = log
    tables = {"predictions": predictions, "fits": pd.DataFrame()}
    files, schemas = StudyFiles(tmp_path), contract.GROUPS["training"].tables
    files.put_stacked(
        "training",
        {"xnb": {name: completed(frame, schemas[name]) for name, frame in tables.items()}},
        study="s",
        dataset="d",
        folds="f",
        job=study.study.job_of("xnb"),
    )
    return study


def test_samples_are_drawn_by_components_with_outliers_named(pictured):
    first, by_site = audit._component_figures(pictured, "d")
    assert first.arguments["axes_labels"] == ("component 1 (60%)", "component 2 (20%)")
    assert first.arguments["names"] == ["", "s2"]
    assert first.arguments["groups"] == ["a", "b"]
    assert by_site.arguments["groups"] == ["x", "unknown"]
    assert by_site.caption == "By site."
    assert list(first.arguments["columns"]) == ["class", "site"]  # age has no value
    assert "columns" not in by_site.arguments


def test_the_probability_of_a_sample_is_that_of_its_true_class(pictured):
    (figure,) = audit._probability_figures(pictured, "d")
    assert figure.arguments["probability"] == pytest.approx([0.7, 0.1])
    assert figure.arguments["predicted"] == ["a", "a"]
    gallery, *_ = audit._audit_of_dataset(pictured, "d")
    assert "Outliers, more than 6 robust standard deviations" in gallery.caption
    assert "Right: the probability" in gallery.caption


@pytest.mark.parametrize("n_pairs", [1, 3])
def test_pairs_of_classes_are_shown_where_there_are_several(tmp_path, n_pairs):
    pairs = [("a", "b"), ("a", "c"), ("b", "c")][:n_pairs]
    row = {"dataset": "d", "folds": "f", "classifier": "xnb", "column": "plate", "pairs": 9}
    rows = [row | {"class": label, "other": other} for label, other in pairs]
    study = study_of_tables(tmp_path, {"recognition": [row, *rows]})
    assert len(audit._batch_tables(study, "d")) == (2 if n_pairs > 1 else 1)


def test_an_audit_without_findings_names_its_checks(tmp_path, monkeypatch):
    monkeypatch.setattr(audit, "_audit_of_dataset", lambda *_: [])
    (nothing,) = audit.section(study_with(tmp_path / "a")).blocks
    assert nothing.text.startswith("No repeated sample, no outlier and no wrong scale was found.")
    study = study_with(tmp_path / "b", finding("values: scale", detail="mixed values"))
    (table,) = audit.section(study).blocks
    assert table.frame["detail"].tolist() == ["Mixed values; correct the scale of the values."]


def test_a_clean_audit_names_the_columns_that_were_tested(tmp_path):
    """What the phenotype lacks, such as the handling of the samples, is not among them."""
    rows = [{"column": name} for name in ("Age", "Gender", "Age")]
    sentence = audit._nothing_found(study_with(tmp_path, **{"audit.associations": rows}))
    assert sentence.startswith("No confounder among the columns tested (Age, Gender), no repeated")
