"""Next steps: their order, and which of them a result has."""

import itertools
import re

import pytest
import yaml
from report_study import CLASSES, finding_row, judged, study_of_tables, with_rows, write_study

from xnbflow.core.study import Validation
from xnbflow.report.next_steps import next_steps


def test_the_next_step_corrects_the_design_before_data_and_data_before_more_samples(tmp_path):
    place = {"dataset": "alpha", "folds": "3-fold", "classifier": "xnb"}
    of_data = place | {"folds": "", "classifier": ""}
    results = write_study(tmp_path, datasets=("alpha",))

    def steps(*reasons, **tables):
        actual = with_rows(judged(results, "xnb"), findings=[])
        actual = judged(actual, "xnb", *reasons)
        findings = actual.tables["findings"].to_dict("records")
        findings += [of_data | row for row in tables.get("findings", ())]
        suspects = [place | row for row in tables.get("suspects", ())]
        sentences = next_steps(with_rows(actual, findings=findings, suspects=suspects), place)
        return [" ".join(re.findall(r"[^ :]+", sentence)[:4]) for sentence in sentences]

    pairs = list(itertools.combinations(CLASSES["alpha"], 2))

    def of_column(code, name, count, n_pairs=3):
        return [
            finding_row(code, subject=name, label=label, other=other, count=count)
            for label, other in pairs[:n_pairs]
        ]

    source = of_column("column: not separated", "source", 0)
    plate = [finding_row("column: not examined", subject="plate", count=9)]
    names = ("values: scale", "samples: sex differs", "repeats: copies")
    wrong = [finding_row(name, count=4, total=9) for name in names]
    data = {"findings": wrong, "suspects": [{"sample": "s7"}]}
    correct = ["leave copies of samples", "correct the scale of"]
    correct = [correct[0], "check the samples whose", correct[1], "check the label of"]
    both = [*source, *plate]
    declare = "if “source” is part"  # a plate and a series are none of the disease
    assert steps(*both, **data) == ["compare the classes in", declare, *correct]
    series = of_column("column: not separated", "series", 400, n_pairs=1)
    assert steps(*series) == ["compare the classes in"]
    second = "test the model on"
    # the only advice is another design: neither adjustment nor a further cohort of this one
    assert steps(*plate, **data) == ["compare the classes in", *correct]
    assert steps() == [second]
    assert steps("unstable: not replicated") == ["add samples the first", second]
    assert steps("unstable: most features") == ["add samples with these", second]
    assert steps("chance: interval") == ["add samples"]


PLACE = {"dataset": "d", "folds": "f", "classifier": "xnb"}
#: The signature of a model that selects one feature.
SIGNATURE = {"model.signature": [{"class": "a", "feature": "g1", "rank": 1}]}


def steps_of(tmp_path, level="well supported", reasons=(), fields=None, **tables):
    """Return the next steps of a study with one verdict and these tables."""
    rows = [PLACE | (finding_row(one) if isinstance(one, str) else one) for one in reasons]
    contents = {"verdicts": [PLACE | {"level": level}], "findings": rows}
    study = study_of_tables(tmp_path, contents | tables, **(fields or {}))
    return next_steps(study, PLACE)


@pytest.mark.parametrize(("n_classes", "words"), [(2, "both classes"), (3, "all classes")])
def test_a_column_that_separates_the_classes_is_named_with_them(tmp_path, n_classes, words):
    sizes = [{"dataset": "d", "class": f"c{i}", "samples": 5} for i in range(n_classes)]
    pairs = [("", "")]  # two classes need not be named
    if n_classes > 2:
        pairs = [("c0", "c1"), ("c0", "c2"), ("c1", "c2")]
    column = [
        finding_row("column: not separated", subject="plate", label=label, other=other, count=0)
        for label, other in pairs
    ]
    (step,) = steps_of(tmp_path, "partly supported", column, class_sizes=sizes)
    assert f"a cohort where {words} have the same “plate”" in step


@pytest.mark.parametrize("severity", ["warning", "notice"])
def test_warnings_of_the_audit_are_corrected_and_notices_are_not(tmp_path, severity):
    finding = finding_row("values: scale", severity=severity)
    finding |= {"dataset": "d", "folds": "", "classifier": ""}
    steps = steps_of(tmp_path, findings=[finding])
    assert ("correct the scale of the values" in steps) == (severity == "warning")


@pytest.mark.parametrize("level", ["well supported", "partly supported", "not supported"])
def test_a_supported_model_is_tested_elsewhere_and_gives_an_assay(tmp_path, level):
    expected = "choose features of the signature for an assay"
    final = {"final": ("xnb",)}
    against = ["chance: interval"] if level == "not supported" else []
    steps = steps_of(tmp_path / "a", level, against, fields=final, **SIGNATURE)
    if level == "not supported":
        assert steps == ["add samples"]
    else:
        cohort, assay = steps
        assert cohort.startswith("test the model on a second cohort")
        (line,) = re.findall("`(.*)`", cohort)
        assert yaml.safe_load(line) == {
            "validate": [{"model": "xnb", "train": "d", "test": "NAME"}]
        }
        assert assay == expected
    steps = steps_of(tmp_path / "b", level)
    assert expected not in steps  # the study keeps no model
    steps = steps_of(tmp_path / "c", level, fields=final, **{"model.signature": []})
    assert expected not in steps  # the model uses all features


def test_a_model_that_held_elsewhere_needs_no_second_cohort(tmp_path):
    pair = Validation(model="xnb", train="d", test="e")
    fields = {"validate": (pair,), "final": ("xnb",)}
    steps = steps_of(tmp_path, fields=fields, **SIGNATURE)
    assert steps == ["choose features of the signature for an assay"]
    not_held = finding_row("cohort: not held", subject="e")
    steps = steps_of(tmp_path, "partly supported", [not_held], fields, **SIGNATURE)
    assert steps == ["find out why it did not hold in the second cohort e"]


def test_stability_decides_whether_samples_are_added(tmp_path):
    for findings in (
        ["unstable: not replicated"],
        ["chance: majority class", "unstable: not replicated"],
    ):
        steps = steps_of(tmp_path, "partly supported", findings)
        assert steps[0].startswith("add samples: the first features of half of these")


def test_genes_that_do_not_replicate_are_not_chosen_for_an_assay(tmp_path):
    findings = ["unstable: not replicated"]
    fields = {"final": ("xnb",)}
    steps = steps_of(tmp_path, "partly supported", findings, fields, **SIGNATURE)
    (last,) = steps[1:]
    assert last.startswith("test the model on a second cohort")


def test_a_consequence_of_the_disease_can_be_declared(tmp_path):
    """A marker in the serum goes with the class as a hospital does; only a person knows which."""
    column = finding_row("column: not examined", subject="CRP × IL-6: serum", count=4)
    _, step = steps_of(tmp_path, "cannot be judged", [column])
    assert "“CRP” and “IL-6: serum” are part or consequence of the disease" in step
    (line,) = re.findall("`(.*)`", step)
    assert yaml.safe_load(line) == {"biology": ["CRP", "IL-6: serum"]}


def test_too_few_units_need_samples_and_no_other_step(tmp_path):
    finding = finding_row("units", subject="samples", count=6, total=5, p=0.1)
    finding |= {"dataset": "d", "folds": "", "classifier": ""}
    unstable = PLACE | finding_row("unstable: not replicated")
    (step,) = steps_of(tmp_path, "cannot be judged", findings=[finding, unstable])
    assert step.startswith("add samples: with 5 in each class a classifier without error")
