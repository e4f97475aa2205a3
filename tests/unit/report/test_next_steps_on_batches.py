"""Next steps after a result that classes without common batches limit."""

from types import SimpleNamespace

import pandas as pd

from xnbflow.report.next_steps import next_steps

PLACE = {"dataset": "d", "folds": "f", "classifier": "nb"}


def steps_after(**column):
    row = {"column": "batch (series)", "limits": True, "pairs": 120, **column}
    tables = {
        "concordance": pd.DataFrame([row]),
        "audit": pd.DataFrame({"severity": [], "check": []}),
        "suspects": pd.DataFrame({"sample": []}),
        "class_sizes": pd.DataFrame({"class": ["adenoma", "normal", "tumor"]}),
    }
    return next_steps(SimpleNamespace(rows=lambda name, **_: tables[name]), PLACE)


def test_a_pair_of_classes_without_a_common_batch_is_named():
    (step,) = steps_after(status="cannot be separated", inseparable="adenoma and tumor")
    assert step == (
        "compare the classes in a cohort where they have the same “batch (series)”: in these "
        "samples the difference between adenoma and tumor cannot be separated from “batch (series)”"
    )


def test_a_batch_that_is_the_class_in_all_samples_is_named():
    (step,) = steps_after(status="cannot be separated", inseparable="", pairs=0)
    assert step == (
        "compare the classes in a cohort where all classes have the same “batch (series)”: in "
        "these samples effects of the class and of “batch (series)” cannot be separated"
    )
