"""The classifier whose results come first, and its comparison with the largest class."""

from dataclasses import replace

import pandas as pd

from xnbflow.core.study import Study
from xnbflow.inference.headlines import headline_classifier, headline_table

STUDY = Study(
    id="s",
    title="S",
    summary="",
    datasets=("a",),
    classifiers=("nb", "xnb", "csnb"),
    folds=("f",),
    diagnostics=False,
    analyses={},
)


def test_the_subject_is_named_or_selects_features_and_else_was_chosen_after_looking():
    averages = pd.DataFrame({"classifier": ["nb", "xnb", "csnb"], "wins": [0, 0, 1]})
    selecting = pd.DataFrame({"classifier": ["xnb", "csnb"]})
    assert headline_classifier(STUDY, selecting, averages) == ("xnb", 1)
    assert headline_classifier(replace(STUDY, final=("csnb",)), selecting, averages) == ("csnb", 1)
    assert headline_classifier(replace(STUDY, headline="nb"), selecting, averages) == ("nb", 1)
    assert headline_classifier(STUDY, selecting.iloc[:0], averages) == ("csnb", 3)
    assert headline_classifier(STUDY, selecting, averages.iloc[:0]) == ("", 1)


def test_the_headline_counts_data_sets_above_the_largest_class_after_holm():
    rows = pd.DataFrame({"dataset": ["a", "b", "c", "d"], "p": [0.004, 0.01, 0.011, 0.001]})
    rows = rows.assign(folds="f", classifier="nb", metric="accuracy", candidates=1)
    rows["folds_failed"] = [0, 0, 0, 1]
    counts = rows.assign(folds_ok=10 - rows["folds_failed"])
    # of three p, .004 * 3, .01 * 2 and .011; at .025 all three, and the failed one does not count
    (row,) = headline_table("nb", counts, rows).to_dict("records")
    assert (row["above"], row["fits"], row["candidates"]) == (3, 40, 1)
    (row,) = headline_table("nb", counts, rows.assign(p=[0.012, 0.01, 0.011, 0.1])).to_dict(
        "records"
    )
    assert row["above"] == 0  # .03, .03 and .03
