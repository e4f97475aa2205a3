"""Next steps: their order, and which of them a result has."""

import itertools
import re

import pytest
import yaml
from report_study import CLASSES, judged, reason, study_of_tables, with_rows, write_study

from xnbflow.core.study import Validation
from xnbflow.report.next_steps import next_steps


def test_the_next_step_corrects_the_design_before_data_and_data_before_more_samples(tmp_path):
    place = {"dataset": "alpha", "folds": "3-fold", "classifier": "xnb"}
    results = write_study(tmp_path, datasets=("alpha",))

    def steps(*reasons, **tables):
        actual = judged(results, "xnb", *reasons)
        nothing = {name: [] for name in ("audit", "suspects")}
        rows = {}
        for name, rows_of_table in (nothing | tables).items():
            rows[name] = [place | row for row in rows_of_table]
        sentences = next_steps(with_rows(actual, **rows), place)
        return [" ".join(re.findall(r"[^ :]+", sentence)[:4]) for sentence in sentences]

    pairs = list(itertools.combinations(CLASSES["alpha"], 2))

    def of_column(code, name, count, n_pairs=3):
        return [
            reason(code, subject=name, label=label, other=other, count=count)
            for label, other in pairs[:n_pairs]
        ]

    source = of_column("column not separated", "source", 0)
    plate = [reason("column not examined", subject="plate", count=9)]
    wrong = [{"check": c, "severity": "severe"} for c in ("scale", "sex", "repeated sample")]
    data = {"audit": wrong, "suspects": [{"sample": "s7"}]}
    correct = ["leave copies of samples", "correct the scale of"]
    correct += ["check the samples whose", "check 1 label that"]
    both = [*source, *plate]
    declare = "if “source” is part"  # a plate and a series are none of the disease
    assert steps(*both, **data) == ["compare the classes in", declare, *correct]
    series = of_column("column not separated", "series", 400, n_pairs=1)
    assert steps(*series) == ["compare the classes in"]
    second = "test the model on"
    # the only advice is another design: neither adjustment nor a further cohort of this one
    assert steps(*plate, **data) == ["compare the classes in", *correct]
    assert steps() == [second]
    assert steps("unstable") == ["add samples halves of", second]
    assert steps("stability unclear") == ["add samples these do", second]
    assert steps("most features selected") == ["add samples with these", second]
    assert steps("chance interval") == ["add samples"]


PLACE = {"dataset": "d", "folds": "f", "classifier": "xnb"}
#: The signature of a model that selects one feature.
SIGNATURE = {"model.signature": [{"class": "a", "feature": "g1", "rank": 1}]}


def steps_of(tmp_path, level="well supported", reasons=(), fields=None, **tables):
    """Return the next steps of a study with one verdict and these tables."""
    rows = [PLACE | (reason(one) if isinstance(one, str) else one) for one in reasons]
    contents = {"verdicts": [PLACE | {"level": level}], "reasons": rows}
    study = study_of_tables(tmp_path, contents | tables, **(fields or {}))
    return next_steps(study, PLACE)


@pytest.mark.parametrize(("n_classes", "words"), [(2, "both classes"), (3, "all classes")])
def test_a_column_that_separates_the_classes_is_named_with_them(tmp_path, n_classes, words):
    sizes = [{"dataset": "d", "class": f"c{i}", "samples": 5} for i in range(n_classes)]
    pairs = [("", "")]  # two classes need not be named
    if n_classes > 2:
        pairs = [("c0", "c1"), ("c0", "c2"), ("c1", "c2")]
    column = [
        reason("column not separated", subject="plate", label=label, other=other, count=0)
        for label, other in pairs
    ]
    (step,) = steps_of(tmp_path, "partly supported", column, class_sizes=sizes)
    assert f"a cohort where {words} have the same “plate”" in step


@pytest.mark.parametrize("severity", ["severe", "warning", "notice"])
def test_warnings_of_the_audit_are_corrected_and_notices_are_not(tmp_path, severity):
    finding = {"dataset": "d", "check": "scale", "severity": severity}
    steps = steps_of(tmp_path, audit=[finding])
    assert ("correct the scale of the values (see the audit)" in steps) == (severity != "notice")


@pytest.mark.parametrize("level", ["well supported", "partly supported", "not supported"])
def test_a_supported_model_is_tested_elsewhere_and_gives_an_assay(tmp_path, level):
    expected = "choose features of the signature for an assay"
    final = {"final": ("xnb",)}
    steps = steps_of(tmp_path / "a", level, fields=final, **SIGNATURE)
    assert steps == (
        ["add samples"]
        if level == "not supported"
        else ["test the model on a second cohort (option validate)", expected]
    )
    steps = steps_of(tmp_path / "b", level)
    assert expected not in steps  # the study keeps no model
    steps = steps_of(tmp_path / "c", level, fields=final, **{"model.signature": []})
    assert expected not in steps  # the model uses all features


def test_a_model_that_held_elsewhere_needs_no_second_cohort(tmp_path):
    pair = Validation(model="xnb", train="d", test="e")
    fields = {"validate": (pair,), "final": ("xnb",)}
    steps = steps_of(tmp_path, fields=fields, **SIGNATURE)
    assert steps == ["choose features of the signature for an assay"]
    not_held = reason("cohort not held", subject="e")
    steps = steps_of(tmp_path, "partly supported", [not_held], fields, **SIGNATURE)
    assert steps == ["find out why it did not hold in the second cohort e"]


def test_stability_decides_whether_samples_are_added(tmp_path):
    expected = "these do not suffice to decide whether the features are stable"
    for reasons, words in (
        (["unstable"], "halves of these select different features"),
        (["stability unclear"], expected),
        (
            ["majority class", "stability unclear"],
            expected,
        ),
    ):
        steps = steps_of(tmp_path, "partly supported", reasons)
        assert steps[0] == f"add samples: {words}"


def test_a_consequence_of_the_disease_can_be_declared(tmp_path):
    """A marker in the serum goes with the class as a hospital does; only a person knows which."""
    column = reason("column not examined", subject="CRP × IL-6: serum", count=4)
    _, step = steps_of(tmp_path, "cannot be judged", [column])
    assert "“CRP” and “IL-6: serum” are part or consequence of the disease" in step
    (line,) = re.findall("`(.*)`", step)
    assert yaml.safe_load(line) == {"biology": ["CRP", "IL-6: serum"]}


def test_too_few_units_need_samples_and_no_other_step(tmp_path):
    finding = {"dataset": "d", "check": "units", "severity": "warning"}
    reasons = ["units", "unstable"]
    (step,) = steps_of(tmp_path, "cannot be judged", reasons, audit=[finding])
    assert step.startswith("add samples")
