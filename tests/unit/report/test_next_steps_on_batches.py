"""Next steps after a result that classes without common batches limit."""

import itertools

from report_study import finding_row, study_of_tables

from xnbflow.report.next_steps import next_steps

PLACE = {"dataset": "d", "folds": "f", "classifier": "nb"}
CLASSES = ["adenoma", "normal", "tumor"]


def steps_after(tmp_path, pairs, count):
    """Return the steps after a batch that does not separate these pairs of classes."""
    column = {"subject": "batch (series)", "count": count}
    rows = [
        PLACE | finding_row("column: not separated", label=label, other=other, **column)
        for label, other in pairs
    ]
    tables = {
        "verdicts": [PLACE | {"level": "partly supported"}],
        "findings": rows,
        "class_sizes": [{"dataset": "d", "class": label} for label in CLASSES],
    }
    return next_steps(study_of_tables(tmp_path, tables), PLACE)


def test_a_pair_of_classes_without_a_common_batch_is_named(tmp_path):
    (step,) = steps_after(tmp_path, [("adenoma", "tumor")], 0)
    assert "a cohort where they have the same “batch (series)”" in step
    assert "the difference between adenoma and tumor cannot be separated" in step


def test_a_batch_that_is_the_class_in_all_samples_is_named(tmp_path):
    (step,) = steps_after(tmp_path, itertools.combinations(CLASSES, 2), 0)
    assert "a cohort where all classes have the same “batch (series)”" in step
