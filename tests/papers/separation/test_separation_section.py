"""The sentences, tables and figures of the separation section, from tables written by hand."""

import pandas as pd
import pytest

from xnbflow.papers.separation import EXACT, FIGURE_1, FIGURE_2
from xnbflow.papers.separation.section import (
    _compare_with_claim,
    _gain_figure,
    _paper_figures,
    _recommend_method,
    _score_table,
)

METHODS = {
    "all blocks": 0.0,
    "Eq. 22 as printed": -0.02,
    "best threshold, estimated H": -0.01,
    "weights, estimated H": 0.03,
}


class Tables(dict):
    """Tables of an analysis; `show` returns the frame and the cells that are marked."""

    def rows(self, name, **chosen):
        rows = self[name]
        for column in {"figure", "reading"} & chosen.keys():
            rows = rows[rows[column] == chosen[column]]
        return rows

    def sources(self, *names):
        return list(names)

    def show(self, name, caption, columns, rows, **options):
        return rows[columns], options["best"]


def advice(mean_gains):
    """The advice for one case in which the methods have these gains."""
    risk = pd.DataFrame({"method": list(mean_gains), "gain": list(mean_gains.values())})
    risk = risk.assign(setting="uniform on [0, 40]", samples=60)
    verdicts = pd.DataFrame({"method": list(mean_gains), "cases": 12, "greatest_gain": 0.25})
    verdicts = verdicts.assign(mean_gain=risk["gain"])
    return _recommend_method(Tables(risk=risk, verdicts=verdicts))


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


def risk_rows():
    """Two settings of 60 samples per class with three methods; R of all blocks is .20 or .10."""
    rows = []
    for setting, distribution, risk_of_all, gains in (
        ("uniform on [0, 40]", "uniform", 0.2, (0.0, -0.05, 0.01, 0.3)),
        ("half useless", "useless and uniform", 0.1, (0.0, 0.37, 0.49, 0.5)),
    ):
        methods = ["all blocks", "Eq. 22 as printed", "weights, estimated H", "weights, known H"]
        for method, gain in zip(methods, gains, strict=True):
            rows.append(
                {
                    "setting": setting,
                    "distribution": distribution,
                    "method": method,
                    "samples": 60,
                    "gain": gain,
                    "gain_error": 0.01,
                    "risk": risk_of_all * (1 - gain),
                    "separation": 2 + gain,
                    "kept": 0.5,
                    "asymptotic_gain": gain,
                    "sets_harmed": 0.1,
                }
            )
    return pd.DataFrame(rows)


def test_the_least_gain_is_named_with_its_place():
    risk = risk_rows()
    means = risk.groupby("method", sort=False)["gain"].mean().reset_index(name="mean_gain")
    verdicts = means.assign(cases=2, greatest_gain=0.49)
    verdicts.loc[len(verdicts)] = ["best threshold, estimated H", -0.1, 2, 0.0]
    text = _recommend_method(Tables(risk=risk, verdicts=verdicts))
    # what needs the truth gains more, but is not recommended
    assert text.startswith("Use weights with H estimated from the scores: over 2 distributions")
    assert "at worst 1.0% (uniform on [0, 40], 60 samples per class)" in text
    assert "at worst −5.0% (uniform on [0, 40], 60 samples per class). Gains below 0" in text


def test_the_claim_is_compared_in_the_papers_distributions_and_apart():
    text = _compare_with_claim(risk_rows())
    assert "Eq. 22 there −5.0% (uniform on [0, 40], 60 samples per class);" in text
    assert "Eq. 22 where a share of the blocks is useless 37.0% (half useless, 60" in text
    assert "weights with estimated H in that case 49.0% (half useless, 60" in text
    assert "a threshold at the true scores" not in text  # there is no such row


def test_gains_are_drawn_in_per_cent_with_their_errors():
    rows = risk_rows()
    missing = rows[rows["method"] == "all blocks"]
    for method in ("best threshold, estimated H", "threshold at the true scores"):
        rows = pd.concat([rows, missing.assign(method=method)])
    groups = {group.label: group for group in _gain_figure(rows, 60).arguments["groups"]}
    eq22 = groups["Eq. 22 as printed"]
    assert list(eq22.values) == pytest.approx([-5, 37])
    assert list(eq22.lower) == pytest.approx([-6, 36])
    assert list(eq22.upper) == pytest.approx([-4, 38])
    assert not eq22.hollow
    assert groups["weights, known H"].hollow


def test_numbers_have_the_risk_of_all_blocks_beside_that_with_selection():
    frame, best = _score_table(Tables(), risk_rows(), 60)
    assert frame["R"].tolist() == [0.2] * 3 + [0.1] * 3
    assert frame["D"].tolist() == [2.0] * 6
    assert frame["risk"].tolist() == pytest.approx([0.21, 0.198, 0.14, 0.063, 0.051, 0.05])
    # the greatest gain of those that need no truth
    assert best == {(1, "gain"), (4, "gain")}


def test_the_papers_figures_have_all_blocks_first_and_the_papers_axes():
    curves = pd.DataFrame(
        {
            "figure": [FIGURE_1, FIGURE_1, FIGURE_1, FIGURE_2],
            "scale": [12.0, 24.0, 36.0, 10.0],
            "separation": [1.0, 2.0, 9.0, 3.0],
            "separation_selected": [0.9, 1.9, 9.0, 2.9],
            "risk": [0.3, 1e-6, 9e-7, 0.1],
            "risk_selected": [0.31, 2e-6, 9e-7, 0.11],
        }
    )
    gains = pd.DataFrame(
        {"figure": [FIGURE_1, FIGURE_2], "gain_from": -0.0025, "gain_to": 0.0025}
    ).assign(training_sets=[7, 8], reading=EXACT)
    tables = Tables(figures=curves.assign(reading=EXACT), figure_gains=gains)
    first, second = _paper_figures(tables, EXACT, "figures", "").figures
    assert first.arguments["xlabel"] == "nb/2"
    assert second.arguments["xlabel"] == "mean true score"
    # a risk below one in a million is not drawn
    assert first.arguments["separation"].tolist() == [[1.0, 2.0], [0.9, 1.9]]
    assert first.arguments["risk"].tolist() == [[0.3, 1e-6], [0.31, 2e-6]]
    assert first.arguments["edges"].tolist() == [-0.0025, 0.0025]
    assert (first.arguments["counts"].tolist(), second.arguments["counts"].tolist()) == ([7], [8])
