"""Cards: tiles, rows of features, warnings and the next step on the first screen."""

import re

import numpy as np
import pandas as pd
import pytest
from report_study import CLASSES, changed, with_rows, write_study

from xnbflow.report import cards
from xnbflow.report.page.page import write_page
from xnbflow.report.sections import answer

PLACE = {"dataset": "GSE7904", "folds": "3-fold", "classifier": "xnb"}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_study(tmp_path_factory.mktemp("study"))


def tiles(card):
    return {tile.label: tile for tile in card.tiles}


def test_tiles_have_the_estimates_and_their_intervals(results):
    found = tiles(cards.card(results, *PLACE.values()))
    for metric, label in (("balanced_accuracy", "Balanced accuracy"), ("roc_auc", "AUC")):
        row = results.rows("estimates", **PLACE, metric=metric).iloc[0]
        tile = found[label]
        assert (tile.value, tile.lower, tile.upper) == (row["estimate"], row["lower"], row["upper"])
        assert tile.reference == 0.5
    assert "AUC" not in tiles(cards.card(results, "alpha", "3-fold", "xnb"))  # one of each class
    alpha = tiles(cards.card(results, "alpha", "3-fold", "xnb"))
    assert alpha["Balanced accuracy"].reference == pytest.approx(1 / 3)


def test_the_tile_of_stability_is_that_of_halves_else_of_folds(results):
    found = tiles(cards.card(results, *PLACE.values()))["Stability"]
    row = results.rows("stability", **PLACE, **{"class": ""}).iloc[0]
    assert (found.value, found.note) == (row["stability"], "agreement of overlapping folds")
    assert np.isnan(found.lower)
    where = "classifier == 'xnb' and `class` == ''"
    halves = {"halves": 0.5, "halves_lower": 0.3, "halves_upper": 0.7}
    found = tiles(cards.card(changed(results, "stability", where, **halves), *PLACE.values()))
    tile = found["Stability"]
    assert (tile.value, tile.lower, tile.upper, tile.reference) == (0.5, 0.3, 0.7, 0.4)


def test_rows_of_two_classes_are_common_and_those_of_several_have_their_class(results):
    both = cards.card(results, *PLACE.values())
    assert {row.label for row in both.rows} == {""}
    assert len({row.name for row in both.rows}) == len(both.rows) == 6
    higher = {row.name: row.auc for row in both.rows if row.mark == "▲"}
    assert all(auc > 0.5 for auc in higher.values())
    several = cards.card(results, "alpha", "3-fold", "xnb")
    counts = pd.Series([row.label for row in several.rows]).value_counts()
    assert set(counts.index) == set(CLASSES["alpha"])
    assert counts.max() == 4
    labels = [row.label for row in several.rows]
    assert labels == sorted(labels)  # class after class
    # three features of each class are shifted, and every fold selects them
    assert all(row.share == 1 for row in several.rows if several.rows.index(row) % 4 == 0)


@pytest.mark.parametrize(
    ("level", "reasons", "badge", "short"),
    [
        ("well supported", "", "Well supported", "The classes are recognised, and halves"),
        ("partly supported", "stability", "Partly supported", "Disjoint halves of the samples"),
        ("not supported", "majority class; stability", "Not supported", "The interval of its"),
    ],
)
def test_the_badge_has_the_level_and_the_sentence_the_first_reason(
    tmp_path, level, reasons, badge, short
):
    results = write_study(tmp_path, datasets=("GSE7904",))
    own = "classifier == 'xnb'"
    results = changed(results, "verdicts", own, level=level, reasons=reasons)
    card = cards.card(results, *PLACE.values())
    assert card.badge == badge
    assert card.short.startswith(short)
    assert ("(and 1 more)" in card.short) == (";" in reasons)


def test_unequal_libraries_are_a_reason_with_their_ratio(tmp_path):
    results = write_study(tmp_path, datasets=("GSE7904",))
    reason = "libraries of “a” have 4.0 times the reads of “b”"
    row = {"dataset": "GSE7904", "check": "library size", "subject": "class"}
    row |= {
        "severity": "warning",
        "finding": "libraries of “a” have 4.0 times the reads of “b”: few",
    }
    limited = {"level": "partly supported", "reasons": "library size"}
    results = changed(results, "verdicts", "classifier == 'xnb'", **limited)
    card = cards.card(with_rows(results, audit=[row]), *PLACE.values())
    assert card.short.startswith(f"The class can be recognised by the library size: {reason}")
    assert "few" not in card.short


@pytest.mark.parametrize("supported", [True, False])
def test_random_signatures_are_a_warning_only_where_there_is_a_signal(tmp_path, supported):
    results = write_study(tmp_path, datasets=("GSE7904",))
    level = "partly supported" if supported else "not supported"
    results = changed(results, "verdicts", "classifier == 'xnb'", level=level)
    own = {"dataset": "GSE7904", "classifier": "xnb"}
    random = [own | {"as_good_random": 70, "signatures": 100}]
    card = cards.card(with_rows(results, random_genes=random, audit=[]), *PLACE.values())
    assert any("carry this signal" in text for text in card.warnings) == supported
    assert ("carry this signal" in card.details["Random features"]) == supported


def test_a_warning_is_one_sentence_and_the_audit_has_the_rest(tmp_path):
    results = write_study(tmp_path, datasets=("GSE7904",))
    levels = "a: “x y z” (10); b: “another long text” (12)"
    finding = f"“source” separates classes completely ({levels}). Unless it is another name"
    row = {"dataset": "GSE7904", "check": "confounder", "subject": "source", "severity": "severe"}
    results = with_rows(results, audit=[row | {"finding": finding, "p_holm": 0.001}])
    card = cards.card(results, *PLACE.values())
    assert card.warnings[0] == "“source” separates classes completely. See the audit."
    assert "another long text" in card.details["Audit"]


@pytest.mark.parametrize(
    ("estimate", "words"),
    [
        (0.0, "Never recognised"),
        (0.5, "Not recognised more often than by chance"),
        (1.0, "Its interval includes chance"),
    ],
)
def test_a_class_that_is_not_recognised_has_a_reason_that_fits_its_recall(estimate, words):
    recall = pd.Series({"above": False, "estimate": estimate, "taken_for": "b"})
    assert cards._warning(recall, "") == f"{words}; most often mistaken for “b”."
    assert cards._warning(pd.Series(recall.to_dict() | {"above": True}), "") == ""


def test_the_page_has_the_first_screen(results, tmp_path):
    path = tmp_path / "report.html"
    write_page(path, "t", "", [answer.section(results)], tmp_path / "figures")
    html = path.read_text()
    for card in (cards.card(results, *place, "xnb") for place in results.places):
        assert f'id="{card.anchor}"' in html
        assert f'href="#{card.anchor}"' in html
        assert f'<span class="badge">{card.badge}</span>' in html
        for tile in card.tiles:
            assert f'<div class="number">{tile.text}</div>' in html
    tile = tiles(cards.card(results, "GSE7904", "3-fold", "xnb"))["AUC"]
    left, width = 100 * tile.lower, 100 * (tile.upper - tile.lower)
    assert any(
        abs(float(a) - left) < 0.06 and abs(float(b) - width) < 0.11
        for a, b in re.findall(r'<i style="left:([\d.]+)%;width:([\d.]+)%', html)
    )
