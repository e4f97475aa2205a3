"""Keys and values of earlier configurations: each is refused with its replacement."""

import pytest
from toys import refused

from xnbflow.running.removed import refuse_removed


def study(design):
    return {"studies": {"my.study": {"datasets": ["d"], "design": design}}}


@pytest.mark.parametrize(
    "contrast",
    ["slope(age)", "levels(stage)", "trend(time)", "trend(stage=early<late)", "class:sex"],
)
@pytest.mark.parametrize("of_data_set", [False, True])
def test_a_comparison_of_columns_is_refused_with_the_form_that_remains(contrast, of_data_set):
    design = {"contrasts": ["b vs a", contrast]}
    with refused("Write A vs B", key="1"):
        refuse_removed(study({"d": design} if of_data_set else design))


@pytest.mark.parametrize(
    "contrast", ["b vs a", "grade: 3 vs grade: 1", "T(1) vs T(2)", "slope(x) vs trend(y)"]
)
def test_a_pair_of_classes_is_accepted_whatever_its_names(contrast):
    refuse_removed(study({"contrasts": [contrast], "adjust": ["age"]}))


@pytest.mark.parametrize(
    "method",
    [
        "adjust_covariates",
        "centre_groups",
        "xnbflow.preprocessing.CovariateAdjuster",
        "xnbflow.preprocessing.designs.GroupCentrer",
    ],
)
def test_a_step_that_adjusted_a_classifier_is_refused_with_the_key_of_the_design(method):
    steps = [{"method": method}, {"method": "csnb"}]
    with refused("Adjust the comparisons of single genes by adjust in the design"):
        refuse_removed({"classifiers": {"mine": {"label": "Mine", "steps": steps}}})
    with refused("configuration, preprocessing.d.0.method"):
        refuse_removed({"preprocessing": {"d": steps}})
