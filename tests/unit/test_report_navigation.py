"""What Snakemake's own report says of a figure follows from its name."""

import pytest

from xnbflow.report.outline import figure_labels

STUDY = (["breast", "breast-cancer", "nb", "density"], ["10-fold", "10x10-fold"], ["nb", "csnb"])


@pytest.mark.parametrize(
    ("figure", "expected"),
    [
        ("accuracy", ("all data sets", "accuracy", "", "", "")),
        ("ranks-10-fold", ("all data sets", "ranks", "10-fold", "", "")),
        ("class-sizes-breast-cancer", ("breast-cancer", "class-sizes", "", "", "")),
        ("class-sizes-breast", ("breast", "class-sizes", "", "", "")),
        ("calibration-nb-10-fold", ("nb", "calibration", "10-fold", "", "")),
        ("confusion-nb-10x10-fold-nb", ("nb", "confusion", "10x10-fold", "nb", "")),
        ("density-density-10-fold-csnb-12", ("density", "density", "10-fold", "csnb", "12")),
        ("angle-breast-cancer-3", ("breast-cancer", "angle", "", "", "3")),
    ],
)
def test_a_figure_is_shown_by_the_longest_data_set_that_its_name_has(figure, expected):
    assert tuple(figure_labels(figure, *STUDY).values()) == expected
