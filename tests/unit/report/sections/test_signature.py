"""The section on signatures: the core's figures, heat maps and the table of a model."""

import numpy as np
import pandas as pd
import pytest
from report_study import study_of_tables

from xnbflow.report.page.blocks import Figure, Gallery, Prose
from xnbflow.report.sections import signature


def row(label, feature, rank, core=False, **fields):
    return {"class": label, "feature": feature, "rank": rank, "core": core, "symbol": ""} | fields


def value(feature):
    return {"feature": feature, "sample": "s1", "class": "a", "value": 1.0}


def test_boxes_are_of_the_first_core_features_of_every_class(tmp_path):
    rows = [
        row("a", "g3", 3, core=True),
        row("a", "g1", 1, core=True),
        row("b", "g2", 2, core=True),
        row("b", "g9", 9, core=True),
        row("a", "g0", 0),
    ]
    values = [value(name) for name in ("g0", "g1", "g2", "g3")]  # g9 has no values
    tables = {"model.signature": rows, "genes.gene_values": values}
    study = study_of_tables(tmp_path, tables)
    boxes = signature.core_boxes(study, "d", "xnb")
    assert [figure.arguments["title"] for figure in boxes] == ["g1", "g2", "g3"]
    assert [figure.name for figure in boxes] == ["core-d-xnb-1", "core-d-xnb-2", "core-d-xnb-3"]
    assert len(signature.core_boxes(study, "d", "xnb", most=2)) == 2


CELLS = [
    {"row": 0, "feature": "g1", "column": 0, "sample": "s1", "class": "a", "z": 1.0, "symbol": ""},
    {"row": 0, "feature": "g1", "column": 1, "sample": "s2", "class": "b", "z": -1.0, "symbol": ""},
]


@pytest.fixture
def blocks_of_model(tmp_path):
    """Return the blocks of the model of xnb, with a core or without, on a card or not."""

    def write(n_core, headline):
        rows = [row("a", f"g{i}", i, core=i < n_core) for i in range(3)]
        tables = {
            "headline": [{"classifier": headline}],
            "datasets": [{"dataset": "d", "samples": 2}],
            "model.signature": rows,
            "model.heatmap": CELLS,
            "genes.gene_values": [value(f"g{i}") for i in range(3)],
        }
        study = study_of_tables(tmp_path, tables)
        return list(signature._blocks_of_model(study, "d", "xnb"))

    return write


@pytest.mark.parametrize(
    ("n_core", "headline", "heat_map", "boxes"),
    [
        (2, "xnb", False, True),  # the card has the heat map of the core
        (1, "xnb", False, False),  # the card has the only box
        (1, "nb", True, True),
        (0, "xnb", True, False),  # the card has no picture
    ],
)
def test_a_figure_of_the_card_is_not_repeated(blocks_of_model, n_core, headline, heat_map, boxes):
    blocks = blocks_of_model(n_core, headline)
    assert any(isinstance(block, Figure) for block in blocks) == heat_map
    assert any(isinstance(block, Gallery) for block in blocks) == boxes


@pytest.mark.parametrize(("n_samples", "words"), [(2, ""), (3, " 2 of 3 samples are shown")])
def test_a_heat_map_of_all_samples_omits_none(n_samples, words):
    figure = signature.heatmap_figure(
        name="n",
        cells=pd.DataFrame(CELLS),
        caption="Caption.",
        sources=[],
        n_samples=n_samples,
        phenotype=pd.DataFrame({"sample": []}),
    )
    assert figure.caption.startswith(f"Caption.{words}")
    assert ("are shown" in figure.caption) == bool(words)
    np.testing.assert_array_equal(figure.arguments["z"], [[1.0, -1.0]])


def test_the_table_has_the_first_features_by_rank(tmp_path, monkeypatch):
    monkeypatch.setattr(signature, "_MOST_SIGNATURE_ROWS", 2)
    rows = [row("a", "g3", 3), row("a", "g1", 1), row("b", "g2", 2)]
    study = study_of_tables(tmp_path, {"model.signature": rows})
    tables = study.tables_of("model", dataset="d", classifier="xnb")
    table = signature._signature_block(tables, tables["signature"])
    assert table.frame["feature"].tolist() == ["g1", "g2"]
    assert table.caption.endswith(" 1 more are in the file.")


def test_the_core_has_its_own_accuracy(tmp_path):
    scores = {"core_score.accuracy": 0.9, "core_score.balanced_accuracy": 0.85}
    rows = [row("a", f"g{i}", i, core=i < 3, **scores) for i in range(5)]
    tables = {"headline": [{"classifier": "nb"}], "model.signature": rows}
    tables |= {"model.heatmap": [], "genes.gene_values": []}
    study = study_of_tables(tmp_path, tables)
    blocks = signature._blocks_of_model(study, "d", "xnb")
    (text,) = (block.text for block in blocks if isinstance(block, Prose))
    assert "The core set, 3 features of 5, is" in text
    assert "has an accuracy of 90.0% (balanced 85.0%) in the inner folds" in text


def test_a_text_about_each_sample_is_no_strip():
    phenotype = pd.DataFrame(
        {
            "sample": list("stuv"),
            "phenotype.description": ["others", "others", "others", "mucosa of patient 7"],
            "phenotype.sex": ["F", "M", "F", "M"],
        }
    )
    assert list(signature._strips(pd.Series(list("stuv")), phenotype)) == ["sex"]
    phenotype["phenotype.description"] = ["biopsy", "biopsy", "biopsy", "a biopsy"]
    assert list(signature._strips(pd.Series(list("stuv")), phenotype)) == ["sex"]
