"""The advice of the separation section, from tables written by hand."""

import pandas as pd
import pytest

from xnbflow.papers.separation.section import _advice

METHODS = {
    "all blocks": 0.0,
    "Eq. 22 as printed": -0.02,
    "best threshold, estimated H": -0.01,
    "weights, estimated H": 0.03,
}


class Tables(dict):
    """Tables of an analysis; all rows of a table are wanted."""

    def rows(self, name, **_):
        return self[name]


def advice(mean_gains):
    """The advice for one case in which the methods have these gains."""
    risk = pd.DataFrame({"method": list(mean_gains), "gain": list(mean_gains.values())})
    risk = risk.assign(setting="uniform on [0, 40]", samples=60)
    verdicts = pd.DataFrame({"method": list(mean_gains), "cases": 12, "greatest_gain": 0.25})
    verdicts = verdicts.assign(mean_gain=risk["gain"])
    return _advice(Tables(risk=risk, verdicts=verdicts))


def test_the_method_of_the_greatest_mean_gain_is_recommended():
    text = advice(METHODS)
    assert text.startswith("Use weights with H estimated from the scores: over 12 distributions")
    assert "it gains 3.0% on average, 25.0% at best" in text
    assert "Eq. 22 as printed, gains −2.0% on average" in text


def test_all_blocks_are_recommended_where_no_selection_gains():
    text = advice(METHODS | {"weights, estimated H": -0.005})
    assert text == "Use all blocks: over 12 cases no kind of selection gains on average."


@pytest.mark.parametrize("method", ["best threshold, estimated H", "Eq. 22 as printed"])
def test_a_threshold_is_named(method):
    assert advice(METHODS | {method: 0.1}).startswith(f"Use “{method}”: over 12")
