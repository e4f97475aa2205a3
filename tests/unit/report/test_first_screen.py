"""Statements of the first screen: few units, classes without features, and what was tested."""

from dataclasses import replace

import numpy as np
import pytest
from report_study import finding_row, study_of_tables

from xnbflow.core.study import Design
from xnbflow.report import card_features, cards
from xnbflow.report.adjusted_genes import explaining_column
from xnbflow.report.card_numbers import difference_tiles, estimate_tiles
from xnbflow.report.next_steps import next_steps
from xnbflow.report.sections import audit
from xnbflow.report.study_page import _title

PLACE = {"dataset": "d", "folds": "f", "classifier": "xnb"}
SUPPORTED = {"level": "well supported"}


def gene(name, label="b", **fields):
    row = {"class": label, "feature": name, "symbol": "", "p": 0.001, "fdr": 0.01, "t": 3.0}
    row |= {"log_fold_change": 1.0, "auc": 0.9, "least_t": 3.0, "least_fdr": 0.01}
    return row | {"explained_by": ""} | fields


def of_data(name, **fields):
    return finding_row(name, **fields) | {"dataset": "d", "folds": "", "classifier": ""}


def study(tmp_path, classes="ab", configuration=None, final=("xnb",), **tables):
    """Return a study of these classes with one classifier, every sample right."""
    estimate = PLACE | {"folds_failed": 0, "estimate": 1.0, "lower": 0.7, "upper": 1.0}
    estimate |= {"above": True, "reference": 0.5}
    names = ("accuracy", "balanced_accuracy")
    estimates = [estimate | {"metric": name} for name in names]
    estimates += [estimate | {"metric": "recall", "class": label} for label in classes]
    contents = {
        "headline": [{"classifier": "xnb"}],
        "datasets": [{"dataset": "d", "samples": 12, "features": 3, "classes": len(classes)}],
        "class_sizes": [{"dataset": "d", "class": label, "samples": 6} for label in classes],
        "estimates": estimates,
        "verdicts": [PLACE | SUPPORTED],
        "model.signature": [],
        "model.heatmap": [],
    }
    return study_of_tables(tmp_path, contents | tables, configuration, final=final)


FEW = {"subject": "groups", "count": 6, "total": 7, "p": 0.031, "limit": 0.025}


def test_too_few_donors_are_in_the_badge_and_the_tests_of_genes_lead(tmp_path):
    """Six pairs have 64 orders of their labels, two of which only rename the classes."""
    genes = [
        gene("g1", p=0.01),
        gene("g2", p=0.001, t=-4.0, log_fold_change=-2.0, auc=0.1),
        gene("g3", p=0.5, fdr=0.5),
        gene("g4", p=np.nan, fdr=np.nan),
    ]
    results = study(
        tmp_path,
        configuration={"datasets": {"d": {"group": "Donor ID"}}},
        datasets=[{"dataset": "d", "samples": 12, "features": 4, "classes": 2, "groups": 6}],
        findings=[of_data("units", **FEW)],
        verdicts=[PLACE | {"level": "cannot be judged"}],
        **{"genes.genes": genes + [row | {"class": "a"} for row in genes]},
    )
    card = cards.card(results, *PLACE.values())
    assert card.badge == "Too few to judge (6 donors)"
    assert card.note.startswith("12 samples of 6 donors")
    assert "p of the label test is at least 0.031" in card.short_reason
    numbers = {tile.label: tile.text for tile in card.tiles}
    assert numbers == {"Genes, FDR 5%": "2", "Higher in b": "1", "Lower in b": "1"}
    assert card.tiles[0].note == "of 3 tested (4 in the table)"
    assert [(row.name, row.mark) for row in card.feature_rows] == [
        ("g2", "▼"),
        ("g1", "▲"),
        ("g3", "▲"),
    ]
    assert card.figure.name == "volcano-d-card"
    assert (card.lines, card.warnings) == ([], [])
    assert card.next_step.startswith("Add donors: with 7 in each class")


def signature(label, name, **fields):
    row = {"class": label, "feature": name, "rank": 1, "core": True, "symbol": ""}
    return row | {"direction": "high", "share_of_folds": 1.0, "share_of_halves": 0.4} | fields


def test_a_class_has_the_features_that_differ_from_the_nearest_class(tmp_path):
    """Class c lies between the others: what separates a from b is no feature of c."""
    rows = [signature(label, name) for label in "abc" for name in ("g1", "g2")]
    genes = [
        gene("g1", "a", least_t=2.0),
        gene("g2", "a", least_t=-6.0),
        gene("g1", "b", least_t=5.0),
        gene("g2", "b", least_t=0.0, least_fdr=1.0),
        gene("g1", "c", least_t=0.0, least_fdr=1.0),
        gene("g2", "c", least_t=0.4, least_fdr=0.8),
    ]
    results = study(tmp_path, "abc", **{"model.signature": rows, "genes.genes": genes})
    card = cards.card(results, *PLACE.values())
    shown = [(row.label, row.name) for row in card.feature_rows]
    assert shown == [("a", "g2"), ("a", "g1"), ("b", "g1")]
    assert card.feature_notes == ["No gene of the signature distinguishes “c” from all others."]


def test_classes_are_in_the_order_of_their_numbers(tmp_path):
    classes = ["C1", "C10", "C2"]
    rows = [signature(label, "g1") for label in classes]
    genes = [gene("g1", label) for label in classes]
    results = study(tmp_path, classes, **{"model.signature": rows, "genes.genes": genes})
    card = cards.card(results, *PLACE.values())
    assert [row.label for row in card.feature_rows] == ["C1", "C2", "C10"]
    assert [line.name for line in card.lines] == ["C1", "C2", "C10"]


@pytest.mark.parametrize(
    ("count", "sentence"),
    [
        (3, "Each class has 6 samples: too few to judge pairs of classes."),
        (2, "2 of 3 pairs of classes cannot be judged, because the smaller class has 6 samples."),
    ],
)
def test_small_classes_are_one_sentence(tmp_path, count, sentence):
    finding = finding_row("class not recognised: small classes", severity="notice")
    finding |= PLACE | {"count": count, "total": 3, "detail": "6"}
    card = cards.card(study(tmp_path, "abc", findings=[finding]), *PLACE.values())
    assert card.badge == "Well supported"
    assert card.short_reason.endswith(sentence)


ASSOCIATED = {"subject": "RunDate", "other": "RunDate", "genes": 2, "genes_adjusted": 1, "count": 0}


def explained_study(tmp_path, adjusted=""):
    genes = [gene("g1"), gene("g2", explained_by="RunDate")]
    return study(
        tmp_path,
        findings=[of_data("column: associated", **ASSOCIATED)],
        **{
            "genes.genes": genes,
            "genes.design": [{"adjusted": adjusted}],
            "model.signature": [signature("b", name) for name in ("g1", "g2")],
        },
    )


def test_what_a_column_explains_is_on_the_tile_in_the_list_and_in_the_next_step(tmp_path):
    results = explained_study(tmp_path)
    (tile,) = difference_tiles(results, "d")
    assert (tile.text, tile.note) == ("2", "of 2 genes; 1 with “RunDate” in the model")
    card = cards.card(results, *PLACE.values())
    notes = {row.name: row.note for row in card.feature_rows}
    assert notes == {"g1": "", "g2": "no difference with “RunDate” in the model"}
    assert "1 of the 2 genes shown: no difference with “RunDate” in the model." in card.warnings
    assert any("write `adjust: [RunDate]`" in step for step in next_steps(results, PLACE))


def test_a_column_in_the_design_is_not_proposed_again(tmp_path):
    results = explained_study(tmp_path, adjusted="RunDate")
    assert explaining_column(results, "d") is None
    assert not any("adjust" in step for step in next_steps(results, PLACE))
    (warning, _) = cards.card(results, *PLACE.values()).warnings
    assert "comparisons of genes are adjusted for it" in warning


def test_the_counts_with_a_further_column_are_unknown_where_the_design_adjusts(tmp_path):
    """The audit compares features without the columns of the design."""
    results = explained_study(tmp_path, adjusted="sex")
    assert difference_tiles(results, "d")[0].note == "of 2 genes"


def with_design(results, **design):
    """Return the results with this design of the data set."""
    return replace(results, study=replace(results.study, designs={"d": Design(**design)}))


def test_the_line_for_a_further_column_has_those_of_the_design(tmp_path):
    results = with_design(explained_study(tmp_path, adjusted="sex"), adjust=("sex",))
    assert "write `adjust: [sex, RunDate]`" in audit.most_serious(results, "d").sentence


def test_a_column_that_is_biology_is_no_caution(tmp_path):
    results = with_design(explained_study(tmp_path), biology=("RunDate",))
    assert audit.most_serious(results, "d") is None
    (row,) = results.rows("findings", code="column").to_dict("records")
    sentence = audit.finding_sentence(results, row)
    assert "the design of the study has it as biology" in sentence
    assert "adjust" not in sentence.replace("adjusted p", "")


def test_an_assay_waits_for_genes_that_replicate(tmp_path):
    rows = {"model.signature": [signature("b", "g1")], "genes.genes": [gene("g1")]}
    steps = next_steps(study(tmp_path / "a", **rows), PLACE)
    assert "choose genes of the signature for an assay" in steps
    unstable = PLACE | finding_row("unstable: not replicated")
    level = PLACE | {"level": "partly supported"}
    doubted = study(tmp_path / "b", findings=[unstable], verdicts=[level], **rows)
    assert not any("assay" in step for step in next_steps(doubted, PLACE))


def test_a_feature_without_a_test_has_too_few_reads():
    row = {"explained_by": "", "fdr": np.nan}
    assert card_features.doubt_of(row, has_counts=True) == "too few reads"
    assert card_features.doubt_of(row, has_counts=False) == ""


def test_two_classes_without_an_auc_have_the_accuracy_with_the_reason(tmp_path):
    estimates = study(tmp_path).rows("estimates", **PLACE).set_index("metric")
    tiles = {tile.label: tile for tile in estimate_tiles(estimates)}
    assert list(tiles) == ["Balanced accuracy", "Accuracy"]
    assert "There is no AUC" in tiles["Accuracy"].meaning


@pytest.mark.parametrize(
    ("location", "title"),
    [("data/GSE4107_series_matrix.txt.gz", "GSE4107: Small"), ("t.csv", "Small")],
)
def test_a_title_begins_with_the_accession(tmp_path, location, title):
    configuration = {"datasets": {"d": {"source": "geo", "file": location}}}
    results = study_of_tables(tmp_path, {}, configuration, title="Small")
    assert _title(results) == title


@pytest.mark.parametrize(("feature", "noun"), [("{}_at", "probe"), ("TP{}", "gene")])
def test_probes_are_called_probes(tmp_path, feature, noun):
    genes = [gene(feature.format(200000 + i)) for i in range(120)]
    results = study_of_tables(tmp_path, {"genes.genes": genes})
    assert results.noun("d") == noun
