"""Next steps: their order, and which of them a result has."""

import re

from report_study import changed, with_rows, write_study

from xnbflow.report.next_steps import next_steps


def test_the_next_step_corrects_the_design_before_data_and_data_before_more_samples(tmp_path):
    place = {"dataset": "alpha", "folds": "3-fold", "classifier": "xnb"}
    results = write_study(tmp_path, datasets=("alpha",))

    def steps(level="well supported", reasons="", **tables):
        found = changed(results, "verdicts", "classifier == 'xnb'", level=level, reasons=reasons)
        nothing = {name: [] for name in ("concordance", "audit", "suspects", "learning_curve")}
        rows = {name: [place | row for row in own] for name, own in (nothing | tables).items()}
        return [
            " ".join(re.findall(r"[^ :]+", s)[:4])
            for s in next_steps(with_rows(found, **rows), place)
        ]

    source = {"column": "source", "pairs": 0, "status": "cannot be separated", "handling": False}
    plate = {"column": "plate", "pairs": 9, "status": "cannot be examined", "handling": True}
    source, plate = source | {"inseparable": ""}, plate | {"inseparable": ""}
    wrong = [{"check": c, "severity": "severe"} for c in ("scale", "sex", "repeated sample")]
    data = {"audit": wrong, "suspects": [{"sample": "s7"}]}
    correct = ["leave copies of samples", "correct the scale of"]
    correct += ["check the samples whose", "check 1 label that"]
    curve = [{"kind": "forecast", "balanced_accuracy": share} for share in (0.7, 0.74)]
    both = {"concordance": [source, plate], "learning_curve": curve}
    assert steps(**data, **both) == ["compare the classes in", *correct]
    series = plate | {"pairs": 400, "inseparable": "adenoma and tumor"}
    assert steps(concordance=[series]) == ["compare the classes in"]
    second = "test the model on"
    assert steps(**data, concordance=[plate]) == [*correct, "repeat the study with", second]
    assert steps() == steps(concordance=[plate | {"status": "recognised"}]) == [second]
    assert steps(learning_curve=curve) == ["add samples (forecast 74%", second]
    assert steps(learning_curve=curve[:1] * 2) == ["more samples would add", second]
    assert steps(reasons="stability", learning_curve=curve) == ["add samples halves of", second]
    assert steps(reasons="stability unknown") == ["add samples with these", second]
    assert steps("not supported", "chance interval") == ["add samples"]
