"""Cards: tiles, rows of features, warnings and the next step on the first screen."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from report_blocks import blocks
from report_study import (
    CLASSES,
    SCRIPT,
    changed,
    finding_row,
    judged,
    study_of_tables,
    with_rows,
    write_study,
)

from xnbflow.report import card_features, cards
from xnbflow.report.page.blocks import Cards
from xnbflow.report.page.page import write_page
from xnbflow.report.sections import answer

PLACE = {"dataset": "GSE7904", "folds": "3-fold", "classifier": "xnb"}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_study(tmp_path_factory.mktemp("study"))


def tiles(card):
    return {tile.label: tile for tile in card.tiles}


def test_tiles_have_the_estimates_and_their_intervals(results):
    actual = tiles(cards.card(results, *PLACE.values()))
    for metric, label in (("balanced_accuracy", "Balanced accuracy"), ("roc_auc", "AUC")):
        row = results.rows("estimates", **PLACE, metric=metric).iloc[0]
        tile = actual[label]
        assert (tile.value, tile.lower, tile.upper) == (row["estimate"], row["lower"], row["upper"])
        assert tile.reference == 0.5
    assert "AUC" not in tiles(cards.card(results, "alpha", "3-fold", "xnb"))  # one of each class
    alpha = tiles(cards.card(results, "alpha", "3-fold", "xnb"))
    assert alpha["Balanced accuracy"].reference == pytest.approx(1 / 3)


def test_the_tile_of_stability_is_that_of_halves_else_of_folds(results):
    actual = tiles(cards.card(results, *PLACE.values()))["Agreement between folds"]
    row = results.rows("stability", **PLACE, **{"class": ""}).iloc[0]
    assert actual.value == row["stability"]
    assert actual.note.startswith("folds share training samples")
    assert np.isnan(actual.lower)
    where = "classifier == 'xnb' and `class` == ''"
    halves = {"short_list": 0.5, "short_lower": 0.3, "short_upper": 0.7}
    actual = tiles(cards.card(changed(results, "stability", where, **halves), *PLACE.values()))
    tile = actual["Stability"]
    assert (tile.value, tile.lower, tile.upper, tile.reference) == (0.5, 0.3, 0.7, 0.5)
    assert tile.note.startswith("agreement of the first ten of two halves of the samples; 0.30")


def test_the_stability_of_a_card_is_the_number_of_its_verdict(results):
    """A card had 0.03 as stability, and a verdict by the 0.44 of other lists."""
    numbers = {"halves": 0.03, "halves_lower": 0.0, "halves_upper": 0.12}
    numbers |= {"replicated": 0.44, "replicated_lower": 0.25, "replicated_upper": 0.64}
    where = "classifier == 'xnb' and `class` == ''"
    card = cards.card(changed(results, "stability", where, **numbers), *PLACE.values())
    tile = tiles(card)["Stability"]
    assert (tile.value, tile.lower, tile.upper) == (0.44, 0.25, 0.64)
    assert tile.note.startswith(
        "of the first ten of one half of the samples, the share that differs"
    )
    assert card.facts["Stability"] == "0.44 [0.25, 0.64]"


def test_rows_of_two_classes_are_common_and_those_of_several_have_their_class(results):
    both = cards.card(results, *PLACE.values())
    assert {row.label for row in both.feature_rows} == {""}
    selected = results.rows("selection", **PLACE)["feature"].nunique()
    assert (
        len({row.name for row in both.feature_rows}) == len(both.feature_rows) == min(6, selected)
    )
    higher = {row.name: row.auc for row in both.feature_rows if row.mark == "▲"}
    assert all(auc > 0.5 for auc in higher.values())
    several = cards.card(results, "alpha", "3-fold", "xnb")
    counts = pd.Series([row.label for row in several.feature_rows]).value_counts()
    assert set(counts.index) == set(CLASSES["alpha"])
    assert counts.max() <= 4
    labels = [row.label for row in several.feature_rows]
    assert labels == sorted(labels)  # class after class
    # three features of each class are shifted, and every fold selects them
    first = [row for row in several.feature_rows if row.label == labels[0]]
    assert first[0].share == 1


NOT_REPLICATED = "unstable: not replicated"


@pytest.mark.parametrize(
    ("reasons", "badge", "short", "rest"),
    [
        ([], "Well supported", "The classes are recognised, and the first", False),
        ([NOT_REPLICATED], "Partly supported", "Its first features do not replicate", False),
        (
            ["chance: majority class", "unstable: not replicated"],
            "Partly supported",
            "The interval of its",
            True,
        ),
        (
            ["chance: label test", "unstable: not replicated"],
            "Not supported",
            "The label test does",
            False,
        ),
    ],
)
def test_the_badge_has_the_level_and_the_sentence_the_first_reason(
    tmp_path, reasons, badge, short, rest
):
    results = judged(write_study(tmp_path, datasets=("GSE7904",)), "xnb", *reasons)
    card = cards.card(results, *PLACE.values())
    assert card.badge == badge
    assert card.short_reason.startswith(short)
    assert ("(1 further reason below)" in card.short_reason) == rest


def test_unequal_libraries_are_a_reason_with_their_ratio(tmp_path):
    results = write_study(tmp_path, datasets=("GSE7904",))
    unequal = finding_row("values: library size", label="a", other="b", estimate=4.0)
    card = cards.card(judged(results, "xnb", unequal), *PLACE.values())
    assert "libraries of “a” have 4.0 times the reads of “b”" in card.short_reason


@pytest.mark.parametrize("supported", [True, False])
def test_random_signatures_are_a_warning_only_where_there_is_a_signal(tmp_path, supported):
    results = write_study(tmp_path, datasets=("GSE7904",))
    level = "partly supported" if supported else "not supported"
    results = changed(results, "verdicts", "classifier == 'xnb'", level=level)
    place = {"dataset": "GSE7904", "classifier": "xnb"}
    scores = {"selected_score": 0.9, "random_mean": 0.85, "random_05": 0.7, "chance": 0.5}
    random = [place | scores | {"as_good_random": 70, "signatures": 100}]
    card = cards.card(with_rows(results, random_genes=random), *PLACE.values())
    assert any("carry this signal" in text for text in card.warnings) == supported
    assert ("carry this signal" in card.details["Random features"]) == supported


def test_a_warning_is_one_sentence_and_the_audit_has_the_rest(tmp_path):
    results = write_study(tmp_path, datasets=("GSE7904",))
    row = finding_row(
        "column: separates classes", subject="source", detail="a: “x y” (10); b: “long text” (12)"
    )
    of_data = {"dataset": "GSE7904", "folds": "", "classifier": "", "p_holm": 0.001}
    results = with_rows(results, findings=[row | of_data])
    card = cards.card(results, *PLACE.values())
    assert card.warnings[0].startswith("“source” separates classes completely")
    assert card.warnings[0].endswith(" See the audit.")
    assert "long text" not in card.warnings[0]
    assert "long text" in card.details["Audit"]


@pytest.mark.parametrize(
    ("estimate", "expected"),
    [
        pytest.param(0.0, "Never recognised", id="none"),
        pytest.param(0.5, "Not recognised more often than by chance", id="half"),
        pytest.param(
            1.0,
            "by the 95% interval as many of the other samples may be taken for it",
            id="all",
        ),
    ],
)
def test_a_class_that_is_not_recognised_has_a_reason_that_fits_its_recall(estimate, expected):
    recall = pd.Series({"above": False, "estimate": estimate, "taken_for": "b"})
    assert f"{expected}; most often mistaken for “b”" in cards._class_warning(recall, "")
    assert cards._class_warning(pd.Series(recall.to_dict() | {"above": True}), "") == ""


def test_the_page_has_the_first_screen(results, tmp_path):
    path = tmp_path / "report.html"
    write_page(path, "t", lead="", sections=[answer.section(results)])
    html = path.read_text()
    for card in (cards.card(results, *place, "xnb") for place in results.evaluations):
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


def test_a_card_shows_recall_the_majority_and_the_features_with_their_direction(results):
    (block,) = blocks(answer.section(results), Cards)
    card = next(card for card in block.cards if card.title == "alpha")
    where = {"dataset": "alpha", "classifier": "xnb", "metric": "recall"}
    recall = results.rows("estimates", **where).set_index("class")
    assert [line.name for line in card.lines] == sorted(CLASSES["alpha"])
    for line in card.lines:
        row = recall.loc[line.name]
        assert (line.share, line.lower, line.upper) == (row.estimate, row.lower, row.upper)
    assert "the majority-class baseline 33.3%" in card.verdict  # three classes of twelve
    assert "AUC" not in card.facts  # three curves
    tumour = next(line for line in card.lines if line.name == "tumour <A>")
    first = tumour.items[0]
    assert first.text in {"probe_03", "probe_04", "probe_05"}  # shifted up by three in this class
    assert first.mark == "▲"
    assert first.note.endswith("% of folds")


def test_two_classes_have_one_list_of_genes_as_the_second_class_has_them(results):
    (block,) = blocks(answer.section(results), Cards)
    card = next(card for card in block.cards if card.title == "GSE7904")
    assert card.features_heading == "Features selected most often (▲ higher in “tumour”)"
    of_geo = replace(results, configuration={"datasets": {"GSE7904": {"source": "geo"}}})
    card_of_genes = answer.card(of_geo, "GSE7904", "3-fold", "xnb")
    assert card_of_genes.features_heading == "Genes selected most often (▲ higher in “tumour”)"
    assert not any(line.items for line in card.lines)
    actual = {
        item.text: (item.mark, float(item.note.split("AUC ")[1][:4])) for item in card.feature_items
    }
    assert len(actual) == len(card.feature_items)
    higher = {"probe_03", "probe_04", "probe_05"} & set(actual)  # the others are higher in normal
    lower = {SCRIPT, "probe_01", "probe_02"} & set(actual)
    assert higher
    assert lower
    assert all(actual[name][0] == "▲" and actual[name][1] > 0.5 for name in higher)
    assert all(actual[name][0] == "▼" and actual[name][1] < 0.5 for name in lower)


#: Random signatures of two classes: as good as the selected ones (of 100), their 5% quantile, mean.
RANDOM_SIGNATURES = [
    (5, 0.55, 0.66, False),
    (6, 0.55, 0.66, True),
    (60, 0.48, 0.66, False),  # one of twenty is at chance
    (60, 0.51, 0.59, False),  # less than half of the gain of the selected features
]


@pytest.mark.parametrize(("as_good", "lowest", "mean", "many"), RANDOM_SIGNATURES)
def test_a_card_has_the_gravest_finding_what_random_genes_reach(
    tmp_path, as_good, lowest, mean, many
):
    results = write_study(tmp_path, datasets=("alpha",))
    place = {"dataset": "alpha", "classifier": "xnb"}
    finding = finding_row("column: associated", subject="plate", other="plate", p_holm=0.0004)
    finding |= {"dataset": "alpha", "folds": "", "classifier": ""}
    results = with_rows(
        results,
        random_genes=[
            place
            | {"as_good_random": as_good, "signatures": 100, "selected_score": 0.708}
            | {"random_05": lowest, "random_mean": mean, "chance": 0.5}
        ],
        findings=[finding],
    )
    (block,) = blocks(answer.section(results), Cards)
    details = block.cards[0].details
    # another number than the classifier's balanced accuracy, with another name
    text = details["Random features"]
    assert f"{as_good} of 100 random signatures of equal size are as accurate" in text
    assert "in Gaussian naive Bayes (balanced accuracy 70.8%)" in text
    assert ("one of many" in details["Random features"]) == many
    assert "(adjusted p = 0.0004); to compare features within it" in details["Audit"]


def test_a_card_compares_no_random_genes_with_features_at_chance(tmp_path):
    results = write_study(tmp_path, datasets=("alpha",))
    random_genes = {"dataset": "alpha", "classifier": "xnb", "selected_score": 0.286}
    random_genes |= {"as_good_random": 89, "signatures": 100}
    random_genes |= {"random_05": 0.2, "random_mean": 0.5, "chance": 0.5}
    results = with_rows(results, random_genes=[random_genes])
    (block,) = blocks(answer.section(results), Cards)
    assert "Random features" not in block.cards[0].details


def study_of_card(tmp_path, signature=(), **tables):
    """Return a study of two classes whose model of xnb has this signature."""
    place = {"dataset": "d", "folds": "f", "classifier": "xnb"}
    estimate = place | {"folds_failed": 0, "upper": 0.9, "above": True, "estimate": 0.8}
    estimates = [estimate | {"metric": name} for name in ("accuracy", "balanced_accuracy")]
    estimates += [estimate | {"metric": "recall", "class": label} for label in ("a", "b")]
    contents = {
        "headline": [{"classifier": "xnb"}],
        "datasets": [{"dataset": "d", "samples": 9, "features": 3, "classes": 2}],
        "estimates": estimates,
        "verdicts": [place | {"level": "well supported"}],
        "model.signature": signature,
        "model.heatmap": [],
    }
    return study_of_tables(tmp_path, contents | tables, final=("xnb",))


def feature(label, name, rank, core=False, **fields):
    row = {"class": label, "feature": name, "rank": rank, "core": core, "symbol": ""}
    return row | {"direction": "high", "share_of_folds": 1.0, "share_of_halves": np.nan} | fields


def of_d(results):
    return cards.card(results, "d", "f", "xnb")


@pytest.mark.parametrize(
    ("n_features", "rest"), [(12, ""), (13, "and 1 other"), (15, "and 3 others")]
)
def test_a_card_names_twelve_features_of_two_classes_and_counts_the_others(
    tmp_path, n_features, rest
):
    rows = [feature("b", f"g{i}", i) for i in range(n_features)]
    card = of_d(study_of_card(tmp_path, rows))
    assert [item.text for item in card.feature_items] == [f"g{i}" for i in range(12)]
    assert [row.name for row in card.feature_rows] == [f"g{i}" for i in range(12)]
    assert card.features_rest == rest


def test_a_core_of_sixteen_features_is_shown_as_a_whole(tmp_path):
    rows = [feature("b", f"g{i}", i, core=i < 16) for i in range(20)]
    card = of_d(study_of_card(tmp_path, rows))
    assert len(card.feature_rows) == len(card.feature_items) == 16
    assert card.features_rest == "and 4 others"


def test_the_core_comes_first_with_its_size(tmp_path):
    rows = [
        feature("b", "g1", 1),
        feature("b", "g2", 2, core=True),
        feature("a", "g2", 5, core=True),
    ]
    card = of_d(study_of_card(tmp_path, rows))
    assert [(item.text, item.bold) for item in card.feature_items] == [("g2", True), ("g1", False)]
    assert card.features_heading == "Core set of 1 feature in bold (▲ higher in “b”)"


@pytest.mark.parametrize(
    ("classes", "note"),
    [("ab", "200 used per class"), ("abc", "of all classes; 200 used per class")],
)
def test_the_tile_of_the_core_counts_features_not_rows(tmp_path, classes, note):
    rows = [feature(label, "g2", 5, core=True) for label in classes]
    summary = {"dataset": "d", "folds": "f", "classifier": "xnb", "mean": 200.0}
    summary |= {"metric": "features_per_class", "folds_failed": 0}
    card = of_d(study_of_card(tmp_path, rows, summary=[summary]))
    tile = tiles(card)["Core features"]
    assert (tile.text, tile.note) == ("1", note)
    assert card.facts["Features per class"] == "200"  # not 200.0


@pytest.mark.parametrize(("halves", "of"), [(0.25, "first ten of halves"), (np.nan, "folds")])
def test_shares_are_of_half_samples_where_these_were_fitted(tmp_path, halves, of):
    card = of_d(study_of_card(tmp_path, [feature("b", "g1", 1, share_of_halves=halves)]))
    assert card.share_of == of
    assert card.feature_rows[0].share == (1.0 if of == "folds" else 0.25)


def test_a_feature_of_the_other_class_is_seen_from_the_side_that_is_shown(tmp_path):
    """The AUC of the other class is one minus this, and its fold change has the other sign."""
    tested = [{"class": "a", "feature": "g1", "log_fold_change": -2.0, "auc": 0.125}]
    rows = [feature("a", "g1", 1, direction="low")]
    card = of_d(study_of_card(tmp_path, rows, **{"genes.genes": tested}))
    (row,) = card.feature_rows
    assert (row.change, row.auc, row.mark) == (2.0, 0.875, "▲")
    assert card.feature_items[0].note == "LFC +2.0, AUC 0.88, 100% of folds"


def test_the_features_of_a_class_that_separate_it_best_come_first():
    rows = pd.DataFrame(
        [
            feature("a", "g1", 1, auc=0.6, log_fold_change=1.0, share=1.0, of="folds"),
            feature("a", "g2", 2, auc=0.1, log_fold_change=-1.0, share=1.0, of="folds"),
            feature("a", "g3", 3, auc=0.9, log_fold_change=1.0, share=0.5, of="folds"),
        ]
    )
    rows = rows.assign(least_fdr=np.nan, doubt="")
    assert [row.name for row in card_features._rows_by_class(rows)] == ["g2", "g1", "g3"]


def test_the_size_names_groups_and_missing_values():
    about = {"samples": 30, "groups": 12.0, "features": 1000, "classes": 1, "missing": True}
    size = cards._size_in_words(pd.Series(about), "probe", "donor")
    assert size.startswith("30 samples of 12 donors, 1,000 probes, 1 class")
    assert size.endswith("missing values filled in")
    about |= {"groups": np.nan, "missing": False}
    assert cards._size_in_words(pd.Series(about)) == "30 samples, 1,000 features, 1 class"


@pytest.mark.parametrize(
    ("note", "above", "expected"),
    [
        pytest.param(
            "one sample", True, "A single sample: this class cannot be learned.", id="one sample"
        ),
        pytest.param(
            "constant",
            True,
            "Selected because a class hardly varies in them: see the densities.",
            id="constant genes",
        ),
        pytest.param("constant", False, "Never recognised.", id="a low recall"),
        pytest.param("", True, "", id="no warning"),
    ],
)
def test_a_class_has_one_warning(note, above, expected):
    recall = {"above": above, "estimate": 0.0, "taken_for": ""}
    assert cards._class_warning(recall, note) == expected


CELLS = [
    {"row": i, "feature": f"g{i}", "symbol": "", "column": 0, "sample": "s", "class": "a", "z": 0.0}
    for i in range(3)
]


@pytest.mark.parametrize(("n_core", "drawing"), [(0, None), (1, "draw_gene"), (2, "draw_heatmap")])
def test_a_card_has_the_heat_map_of_its_core_or_the_box_of_its_only_feature(
    tmp_path, n_core, drawing
):
    rows = [feature("b", f"g{i}", i, core=i < n_core) for i in range(3)]
    value = {"feature": "g0", "sample": "s", "class": "a", "value": 1.0}
    tables = {"model.heatmap": CELLS, "genes.gene_values": [value]}
    figure = of_d(study_of_card(tmp_path, rows, **tables)).figure
    assert (figure and figure.draw.__name__) == drawing
    if n_core == 2:
        assert figure.arguments["rows"] == ["g0", "g1"]


def test_the_core_is_drawn_for_the_first_scheme_of_folds_only(tmp_path):
    rows = [feature("b", f"g{i}", i, core=True) for i in range(3)]
    study = study_of_card(tmp_path, rows, **{"model.heatmap": CELLS})
    features = card_features.card_features(
        study, {"dataset": "d", "folds": "f", "classifier": "xnb"}
    )
    for folds, drawn in (("f", True), ("other", False)):
        place = {"dataset": "d", "folds": folds, "classifier": "xnb"}
        assert (cards._card_figure(study, place, features) is not None) == drawn


def test_random_signatures_without_a_signal_are_a_number_and_no_caution(tmp_path):
    """Of 100 random signatures 70 are as accurate where nothing is recognised."""
    random = {"dataset": "d", "classifier": "xnb", "as_good_random": 70, "signatures": 100}
    random["selected_score"] = 0.52
    study = study_of_card(tmp_path, [feature("b", "g1", 1)], random_genes=[random])
    verdicts = study.tables["verdicts"].assign(level="not supported")
    card = of_d(with_rows(study, verdicts=verdicts))
    assert card.badge == "Not supported"
    text = card.details["Random features"]
    assert text.endswith("in Gaussian naive Bayes (balanced accuracy 52.0%).")
    assert "70 of 100 random" in text
    assert card.warnings == []


def test_features_are_the_core_by_rank_then_the_others_by_rank(tmp_path):
    names = [("g4", 4, False), ("g3", 3, True), ("g1", 1, False), ("g2", 2, True)]
    rows = [feature("b", name, rank, core=core) for name, rank, core in names]
    study = study_of_card(tmp_path, rows)
    place = {"dataset": "d", "folds": "f", "classifier": "xnb"}
    assert card_features.card_features(study, place)["feature"].tolist() == ["g2", "g3", "g1", "g4"]


@pytest.mark.parametrize(
    ("halves", "stability", "facts"),
    [
        (0.5, 0.9, {"Stability": "0.50 [0.30, 0.70]"}),
        (np.nan, 0.9, {"Agreement between folds": "0.90"}),
        (np.nan, np.nan, {}),
    ],
)
def test_the_facts_have_the_stability_of_halves_else_the_agreement_of_folds(
    tmp_path, halves, stability, facts
):
    row = {"class": "", "short_list": halves, "short_lower": 0.3, "short_upper": 0.7}
    row |= {"dataset": "d", "folds": "f", "classifier": "xnb", "stability": stability, "note": ""}
    card = of_d(study_of_card(tmp_path, stability=[row]))
    shown = {
        term: text for term, text in card.facts.items() if "tability" in term or "fold" in term
    }
    assert shown == facts


def test_the_table_of_a_card_states_how_many_of_the_classes_it_has():
    rows = [f"c{number:02}" for number in range(21)]
    assert card_features._heading_of_first(set(rows), rows) == ""
    assert (
        card_features._heading_of_first(set(rows[:20]), rows)
        == "First of each class, 20 of 21 classes; core set in bold"
    )
    assert card_features._heading_of_first(set(), rows) == ""  # a table without rows is not shown
