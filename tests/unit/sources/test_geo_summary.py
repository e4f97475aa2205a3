"""Which field of a GEO series is proposed as the label."""

import pytest

from xnbflow.sources.geo_summary import _is_better_than_titles

TWO_CLASSES = ["biopsy"] * 5 + ["resection"] * 5
WITH_A_RARE_CLASS = ["biopsy"] * 5 + ["resection"] * 5 + ["resection, late"]


@pytest.mark.parametrize(
    ("score", "texts", "better"),
    [
        (3, TWO_CLASSES, True),  # a field such as "diagnosis"
        (3, WITH_A_RARE_CLASS, True),
        (2, TWO_CLASSES, True),  # a field such as "source"
        (2, WITH_A_RARE_CLASS, False),  # titles name the class of the last sample, too
        (1, TWO_CLASSES, False),  # a description
        (0, TWO_CLASSES, False),
    ],
)
def test_titles_are_the_label_where_no_field_names_the_class_of_all_samples(score, texts, better):
    assert _is_better_than_titles(score, texts) is better
