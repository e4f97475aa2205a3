"""Columns of text, names in capitals, and columns beside the samples: their limits."""

import pandas as pd
import pytest

from xnbflow.sources.downloads import Downloads
from xnbflow.sources.layout import find_id_column, is_text_column, recognise_layout
from xnbflow.sources.sheet import SheetRow


@pytest.mark.parametrize(
    ("cells", "is_text"),
    [
        (["x", "1", "2", "3"], False),  # a quarter: a mistake
        (["x", "1", "2"], True),
        (["x", "", "1", "2", "NA"], True),  # of three known cells
        (["1", "2", ""], False),
        (["", ""], False),
    ],
)
def test_a_column_is_text_where_more_than_a_quarter_is(cells, is_text):
    assert is_text_column(cells) == is_text


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"note": "ab", "sample": ["s1", "s2"]}, "sample"),
        ({"note": "ab", "other": "cd"}, "note"),
        ({"note": ["a b", "c"], "other": "cd"}, "other"),  # spaces are of sentences
        ({"sample": ["s 1", "s 2"], "other": "cd"}, "sample"),  # unless the name says so
        ({"plate": "ab"}, None),
        ({"sample": ["s1", "s1"]}, None),
        ({"sample": ["s1", "NA"]}, None),
    ],
)
def test_the_column_that_names_the_samples(columns, expected):
    frame = pd.DataFrame({name: list(cells) for name, cells in columns.items()})
    assert find_id_column(frame) == expected


def layout_of(folder, text, **settings):
    (folder / "x.tsv").write_text(text)
    row = SheetRow("x", "table", str(folder / "x.tsv"), orientation="columns", **settings)
    return recognise_layout(row, Downloads(folder))


@pytest.mark.parametrize(
    "name", ["Entrez_Gene_Id", "entrezid", "Entrez Gene", "NCBI gene ID", "ENTREZ.ID"]
)
def test_numbers_of_genes_are_no_sample(tmp_path, name):
    layout = layout_of(tmp_path, f"gene\t{name}\tS1\tS2\nTP53\t7157\t1.5\t2\nMYC\t4609\t3\t4\n")
    assert layout.samples == ("S1", "S2")
    assert layout.row.options["drop"] == name


def test_other_numbers_are_samples(tmp_path):
    layout = layout_of(tmp_path, "gene\tS0\tS1\nTP53\t7157\t1.5\n")
    assert layout.samples == ("S0", "S1")


@pytest.mark.parametrize(("n_texts", "are_beside"), [(3, True), (2, False)])
def test_a_column_beside_the_samples_has_text_in_most_rows(tmp_path, n_texts, are_beside):
    cells = ["text"] * n_texts + ["5"] * (4 - n_texts)
    rows = [f"G{i}\t{cell}\t1.5\t2" for i, cell in enumerate(cells)]
    layout = layout_of(tmp_path, "\n".join(["gene\tabout\tS1\tS2", *rows]))
    assert ("about" not in layout.samples) == are_beside


def test_text_of_windows_is_proposed_with_its_encoding(tmp_path):
    (tmp_path / "x.csv").write_bytes("sample,Geschlecht,g1\ns1,männlich,1\n".encode("latin-1"))
    layout = recognise_layout(SheetRow("x", "table", str(tmp_path / "x.csv")), Downloads(tmp_path))
    assert layout.row.options["encoding"] == "cp1252"
    assert "encoding=cp1252" in layout.remarks[0]
    assert layout.fields["Geschlecht"].tolist() == ["männlich"]
