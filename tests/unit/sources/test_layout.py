"""Columns of text, names in capitals, and columns beside the samples: their limits."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from toys import entry_in, put, refused

from xnbflow.core.errors import InputError
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.infer.column_keys import add_phenotype, name_column
from xnbflow.sources.infer.layout import recognise_layout
from xnbflow.sources.infer.variables import Kind, kind_of
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.proposal.entry_text import entry_text
from xnbflow.sources.proposal.reading_keys import read_request
from xnbflow.sources.proposal.table_summary import summarise_table
from xnbflow.sources.roles import SAMPLE_NAMES
from xnbflow.sources.series.column_meaning import Meaning, meaning_of
from xnbflow.sources.table import load

TABLE = DatasetEntry("x", "table", "x.csv")


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
    assert (kind_of(cells) is Kind.TEXT) == is_text


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"note": "ab", "sample": ["s1", "s2"]}, "sample"),
        ({"note": "ab", "other": "cd"}, "note"),
        ({"note": ["a b", "c"], "other": "cd"}, "other"),  # spaces are of sentences
        ({"sample": ["s 1", "s 2"], "other": "cd"}, "sample"),  # unless the name says so
        ({"plate": "ab"}, None),
        ({"sample": ["s1", "s1"]}, None),
        ({"sample": ["s1", "NA"]}, "sample"),
        ({"sample": ["s1", ""]}, "sample"),  # which the reader refuses
        ({"note": ["s1", "NA"]}, None),
        ({"age": ["41", "63"]}, None),  # beside names in a first column without a name
        ({"sample": ["41", "63"]}, "sample"),
    ],
)
def test_the_column_that_names_the_samples(columns, expected):
    frame = pd.DataFrame({name: list(cells) for name, cells in columns.items()})
    assert name_column(TABLE, frame) == expected


def layout_of_file(entry, downloads):
    """Return the layout of the table of an entry, with the remarks on its reading."""
    texts = read_request(entry, downloads)
    layout = recognise_layout(texts.table, texts.entry, texts.phenotype)
    return replace(layout, remarks=(*texts.remarks, *layout.remarks))


def layout_of(folder, text, **settings):
    (folder / "x.tsv").write_text(text)
    row = DatasetEntry("x", "table", str(folder / "x.tsv"), samples="columns", **settings)
    return layout_of_file(row, Downloads(folder))


@pytest.mark.parametrize(
    "name", ["Entrez_Gene_Id", "entrezid", "Entrez Gene", "NCBI gene ID", "ENTREZ.ID"]
)
def test_numbers_of_genes_are_no_sample(tmp_path, name):
    layout = layout_of(tmp_path, f"gene\t{name}\tS1\tS2\nTP53\t7157\t1.5\t2\nMYC\t4609\t3\t4\n")
    assert layout.samples == ("S1", "S2")
    assert layout.entry.drop == (name,)


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
    layout = layout_of_file(
        DatasetEntry("x", "table", str(tmp_path / "x.csv")), Downloads(tmp_path)
    )
    assert layout.entry.encoding == "cp1252"
    assert "encoding: cp1252" in layout.remarks[0]
    assert layout.fields["Geschlecht"].tolist() == ["männlich"]


def rows_layout(folder, frame, **settings):
    """Return the layout of a table with samples in rows."""
    frame.to_csv(folder / "rows.csv", index=False)
    row = DatasetEntry("x", "table", str(folder / "rows.csv"), label="type", **settings)
    return layout_of_file(row, Downloads(folder))


def genes_in_columns(names, seed=0):
    """Return 12 samples of two types with logarithms of genes of some names."""
    values = np.random.default_rng(seed).normal(8, 1, (12, len(names))).round(2)
    frame = pd.DataFrame(values, columns=names)
    frame.insert(0, "type", ["a", "b"] * 6)
    return frame


@pytest.mark.parametrize(
    ("place", "name", "is_gene"),
    [
        (10, "weight", False),  # a word among symbols
        (0, "weight", False),
        (0, "WEIGHT", True),  # in capitals like the genes, and with their decimals
    ],
)
def test_a_word_is_no_gene_among_symbols(tmp_path, place, name, is_gene):
    names = [f"ZNF{i}" for i in range(40)]
    names.insert(place, name)
    layout = rows_layout(tmp_path, genes_in_columns(names))
    assert (name not in layout.fields) == is_gene


def test_names_in_capitals_are_genes_whatever_they_mean(tmp_path):
    names = ["KIT", *(f"ZNF{i}" for i in range(40)), "run"]
    layout = rows_layout(tmp_path, genes_in_columns(names))
    assert list(layout.fields) == ["type", "run"]


@pytest.mark.parametrize("n_columns", [7, 19])
def test_which_of_few_numbers_are_features_is_asked(tmp_path, n_columns):
    names = ["age", "bmi", "psa", "weight", *(f"m{i}" for i in range(n_columns - 4))]
    layout = rows_layout(tmp_path, genes_in_columns(names))
    assert list(layout.fields) == ["type"]
    assert layout.few_features == tuple(names)


def columns_layout(folder, names, first_rows=()):
    """Return the layout of a table with genes of some names in rows."""
    values = np.random.default_rng(1).normal(8, 1, (len(names), 12)).round(2)
    frame = pd.DataFrame(values, index=names, columns=[f"S{i}" for i in range(12)])
    frame.to_csv(folder / "columns.csv", index_label="gene")
    row = DatasetEntry("x", "table", str(folder / "columns.csv"), samples="columns")
    return layout_of_file(row, Downloads(folder))


@pytest.mark.parametrize("place", [10, 0, 40])
def test_a_row_with_a_word_among_symbols_is_no_gene(tmp_path, place):
    names = [f"Zfp{i}" for i in range(40)]
    names.insert(place, "weight")
    assert list(columns_layout(tmp_path, names).fields) == ["weight"]


def test_commas_beside_points_are_no_decimal_signs(tmp_path):
    (tmp_path / "x.csv").write_text("id;type;g1\ns1;a;1,5\ns2;b;2,5\n")
    row = DatasetEntry("x", "table", str(tmp_path / "x.csv"), separator="semicolon")
    layout = layout_of_file(row, Downloads(tmp_path))
    assert not layout.entry.decimal  # it is sniffed
    (tmp_path / "x.tsv").write_text("id\ttype\tg1\ns1\ta\t1,5\ns2\tb\t2,5\n")
    row = DatasetEntry("x", "table", str(tmp_path / "x.tsv"))
    assert layout_of_file(row, Downloads(tmp_path)).entry.decimal == "comma"
    (tmp_path / "x.tsv").write_text("id\ttype\tg1\ns1\ta\t1,5\ns2\tb\t2.5\n")
    assert not layout_of_file(row, Downloads(tmp_path)).entry.decimal


def test_only_the_measured_samples_of_a_phenotype_are_described(tmp_path):
    (tmp_path / "x.csv").write_text("gene,s1,s2\nTP53,1.5,2\nMYC,3,4\n")
    (tmp_path / "p.csv").write_text("sample,type\ns1,a\ns2,b\ns3,c\n")
    options = {"phenotype": str(tmp_path / "p.csv")}
    row = DatasetEntry("x", "table", str(tmp_path / "x.csv"), label="type", **options)
    layout = layout_of_file(row, Downloads(tmp_path))
    assert layout.entry.samples == "columns"
    assert layout.fields["type"].tolist() == ["a", "b"]


def test_a_label_that_is_no_row_is_refused_unless_names_of_samples_are_it(tmp_path):
    text = "gene\tS1\tS2\nstage\tI\tII\nTP53\t1.5\t2\n"
    assert list(layout_of(tmp_path, text, label="stage").fields) == ["stage"]
    with refused("no row and no column is called 'grade'"):
        layout_of(tmp_path, text, label="grade")
    assert list(layout_of(tmp_path, text, label=SAMPLE_NAMES).fields) == []


def test_a_name_with_separators_is_described_and_a_repeated_one_is_dropped():
    row = add_phenotype(DatasetEntry("x", "table"), ["age", "note", "note", "a, b; c=[d]*?"])
    assert row.phenotype_columns == ("age", "a, b; c=[d]*?")
    assert row.drop == ("note",)


HEADERS_OF_SITE = ["site", "site, ward", "site;ward", "site=ward", "site [ward]", "site*", "site?"]


@pytest.mark.parametrize("header", HEADERS_OF_SITE)
def test_a_site_is_a_described_column_whatever_its_header_contains(tmp_path, header):
    """A table whose site equals the class cannot be judged, so the column must not get lost."""
    classes = ["case"] * 6 + ["control"] * 6
    site_and_class = {"group": classes, header: ["north; 2"] * 6 + ["south; 1"] * 6}
    genes = np.random.default_rng(0).normal(8, 1, (12, 40)).round(3)
    frame = pd.DataFrame(genes, columns=[f"gene{i}" for i in range(40)])
    frame = pd.concat([pd.DataFrame(site_and_class), frame], axis=1)
    frame.to_csv(tmp_path / "t.csv", index=False)

    row = DatasetEntry("t", "table", str(tmp_path / "t.csv"), label="group")
    proposed_row = summarise_table(row, Downloads(folder=tmp_path)).entry
    (tmp_path / "t.yaml").write_text(f"datasets:\n{entry_text(proposed_row)}")
    written_row = entry_in(tmp_path / "t.yaml")
    series = load(written_row, Downloads(folder=tmp_path))
    assert list(series.sample_metadata) == [header]
    assert series.n_features == 40


@pytest.mark.parametrize("name", ["patient [id]", "patient, id", "Patient*", "donor?"])
def test_a_patient_is_recognised_whatever_its_header_contains(name):
    assert Meaning.PATIENT in meaning_of(name)


def test_a_gene_with_a_technical_name_needs_no_values_of_a_gene(tmp_path):
    """KIT in capitals is a gene by its name; other names need values like those of genes."""
    frame = genes_in_columns(["KIT", *(f"ZNF{i}" for i in range(40)), "kit"])
    frame[["KIT", "kit"]] *= 4
    assert list(rows_layout(tmp_path, frame).fields) == ["type", "kit"]


def test_two_rows_with_clinical_names_are_not_between_genes(tmp_path):
    names = ["height", "weight", *(f"Zfp{i}" for i in range(40))]
    assert list(columns_layout(tmp_path, names).fields) == ["height", "weight"]


def layout_of_text(folder, text, **settings):
    (folder / "x.csv").write_text(text)
    row = DatasetEntry("x", "table", str(folder / "x.csv"), **settings)
    return layout_of_file(row, Downloads(folder))


IN_COLUMNS = "gene,S1,S2,S3\ng1,1,2,3\ng2,4,5,6\ndiagnosis,t,n,t\n"
IN_ROWS = "name,diagnosis,g1,g2\nS1,t,1,2\nS2,n,3,4\nS3,t,5,6\n"


@pytest.mark.parametrize("text", [IN_COLUMNS, IN_ROWS])
def test_a_label_that_is_misspelt_is_refused_without_names_of_samples(tmp_path, text):
    with pytest.raises(InputError, match=r"did you mean 'diagnosis'\?$") as refusal:
        layout_of_text(tmp_path, text, label="diagnosi")
    assert "S1" not in str(refusal.value)
    assert refusal.value.key == "label"
    with refused(r"Rows and columns of text: diagnosis$"):
        layout_of_text(tmp_path, text, label="stage")


def test_a_misspelt_label_of_numbers_is_found_among_all_names(tmp_path):
    text = IN_COLUMNS.replace("diagnosis,t,n,t\n", "outcome,1,0,1\n")
    with refused(r"by phenotype; did you mean 'outcome'\?$"):
        layout_of_text(tmp_path, text, label="outcom")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            IN_COLUMNS,
            "P0, P1, P2 and 2 more; .* in rows g1, g2, diagnosis, in columns S1, S2, S3",
            id="samples in columns",
        ),
        pytest.param(
            IN_ROWS,
            "P0, P1, P2 and 2 more; .* in rows S1, S2, S3, in columns diagnosis, g1, g2",
            id="samples in rows",
        ),
    ],
)
def test_a_table_without_the_samples_of_the_phenotype_shows_names_of_both(tmp_path, text, expected):
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("sample,diagnosis\n" + "".join(f"P{i},t\n" for i in range(5)))
    with refused(expected):
        layout_of_text(tmp_path, text, phenotype=str(sheet))


def study_of(folder, cells, name="x.csv", separator=","):
    """Return the layout of ten samples of six genes with some texts as cells, by gene."""
    rows = [separator.join(["id", "type", *(f"g{i}" for i in range(6))])]
    for i in range(10):
        values = separator.join(cells[6 * i : 6 * i + 6])
        rows.append(separator.join([f"s{i}", "ab"[i % 2], values]))
    (folder / name).write_text("\n".join(rows) + "\n")
    return layout_of_file(DatasetEntry("x", "table", str(folder / name)), Downloads(folder))


#: Sixty counts from 950 to 6,850, of which one has no thousands.
COUNTS = [950 + 100 * i for i in range(60)]


def test_thousands_are_no_decimals(tmp_path):
    with_commas = [f'"{count:,}"' for count in COUNTS]
    assert not study_of(tmp_path, with_commas).entry.decimal
    with_points = [f"{count:,}".replace(",", ".") for count in COUNTS]
    for separator in (";", ","):
        (remark,) = study_of(tmp_path, with_points, separator=separator).remarks
        assert remark.startswith("Numbers such as 1.050 look like whole numbers with separators")
    with_commas = [f"{count:,}" for count in COUNTS]
    (remark,) = study_of(tmp_path, with_commas, separator=";").remarks
    assert "but are read with ',' as the decimal sign" in remark


def test_three_decimals_beside_an_age_are_no_thousands(tmp_path):
    cells = [f"{count / 500:.3f}" for count in COUNTS]
    cells[::6] = [str(age) for age in range(40, 50)]  # the first column
    assert study_of(tmp_path, cells).remarks == ()


def test_decimals_of_three_digits_are_no_thousands(tmp_path):
    decimals = [f"{count / 1000:.3f}" for count in COUNTS]
    decimals = [text.replace("0.", "1.") for text in decimals]  # no number begins with a zero
    assert study_of(tmp_path, decimals).remarks == ()  # none is below 1,000 without a point
    commas = [f'"{text}"'.replace(".", ",") for text in decimals]
    assert study_of(tmp_path, commas).entry.decimal == "comma"
    for other in ("1.5", "0.125", "4000"):  # another number of digits, below 1, without a group
        assert study_of(tmp_path, ["12", other, *decimals[2:]]).remarks == ()
    assert len(study_of(tmp_path, ["12", "13", *decimals[2:]]).remarks) == 1


@pytest.mark.parametrize(
    ("n_grouped", "n_whole", "are_thousands"),
    [(50, 1, True), (49, 1, False), (49, 2, False), (49, 3, True), (6, 3, True)],
)
def test_many_numbers_or_some_whole_ones_beside_them_decide_on_thousands(
    tmp_path, n_grouped, n_whole, are_thousands
):
    cells = ["NA"] * 60
    cells[:n_grouped] = [f"{i}.250" for i in range(1, n_grouped + 1)]
    cells[-n_whole:] = ["7"] * n_whole  # in columns of the others
    assert bool(study_of(tmp_path, cells).remarks) == are_thousands


@pytest.mark.parametrize(
    ("cells", "is_noted"),
    [
        ([f"{i}.5%" for i in range(10)], True),
        (["inf"] * 10, True),
        ([f"{i} 000" for i in range(10)], True),
        ([*"123456", "<0.5", "<0.5", "< 0.5", "n.d."], True),
        ([*"123456", "x", "y", "z", "u"], False),  # texts are no measurements
        ([*"1234", "<0.5", *"vwxyz"], False),  # half of the cells, not more, are numbers
    ],
)
def test_measurements_that_are_no_numbers_are_noted_and_name_no_samples(tmp_path, cells, is_noted):
    rows = [f"s {i},{cell},{'ab'[i % 2]},1.5" for i, cell in enumerate(cells)]
    text = "who,PSA1,type,g1\n" + "\n".join(rows) + "\n"
    layout = layout_of_text(tmp_path, text)
    assert (
        any("measurements that are no plain numbers" in remark for remark in layout.remarks)
        == is_noted
    )
    if is_noted:
        assert name_column(TABLE, layout.fields) == "who"


def test_first_names_of_a_few_words_name_samples_where_no_other_column_does():
    frame = pd.DataFrame({"who": ["Pat 1", "Pat 2 b"], "note": ["long text here", "x y"]})
    assert name_column(TABLE, frame) == "who"
    assert name_column(TABLE, frame[["note", "who"]]) == "note"
    assert name_column(TABLE, frame.replace("Pat 1", "a b c d")) is None
    assert name_column(TABLE, frame.replace("Pat 1", "Pat 2 b")) is None


def test_numbers_with_several_groups_have_thousands(tmp_path):
    cells = [f"{1_000_000 + count:,}".replace(",", ".") for count in COUNTS]
    assert len(study_of(tmp_path, cells).remarks) == 1


def test_a_label_of_limits_is_no_feature_that_is_missed(tmp_path):
    rows = [f"s{i},{'<5' if i % 2 else '>=5'},1.5" for i in range(10)]
    text = "who,PSA1,g1\n" + "\n".join(rows) + "\n"
    assert len(layout_of_text(tmp_path, text).remarks) == 1
    assert layout_of_text(tmp_path, text, label="PSA1").remarks == ()


def test_the_label_may_be_in_an_accession_of_geo(tmp_path):
    series_matrix = Path(__file__).with_name("geo").joinpath("GSE9_series_matrix.txt").read_text()
    put(tmp_path / "geo", series_matrix, "GSE4107_series_matrix.txt")
    layout = layout_of_text(tmp_path, IN_COLUMNS, label="stage", phenotype="GSE4107")
    assert layout.samples == ("S1", "S2", "S3")


def test_row_numbers_before_the_names_of_samples_are_no_feature(tmp_path):
    """As pandas writes a table with its index."""
    frame = genes_in_columns([f"ZNF{i}" for i in range(30)]).reset_index(drop=True)
    frame.insert(0, "sample", [f"S{i}" for i in range(len(frame))])
    path = tmp_path / "x.csv"
    frame.to_csv(path)
    entry = summarise_table(DatasetEntry("x", "table", str(path))).entry
    series = load(entry, Downloads(tmp_path))
    assert series.samples.tolist() == list(frame["sample"])
    assert series.features.tolist() == [f"ZNF{i}" for i in range(30)]


@pytest.mark.parametrize("names", [range(30), range(1, 31)])
def test_row_numbers_before_the_names_of_genes_are_no_names(tmp_path, names):
    values = np.random.default_rng(1).normal(8, 1, (30, 12)).round(2)
    frame = pd.DataFrame(values, index=names, columns=[f"{'ab'[i % 2]}{i}" for i in range(12)])
    frame.insert(0, "symbol", [f"ZNF{i}" for i in range(30)])
    path = tmp_path / "x.csv"
    frame.to_csv(path)
    entry = summarise_table(DatasetEntry("x", "table", str(path))).entry
    series = load(entry, Downloads(tmp_path))
    assert series.features.tolist() == list(frame["symbol"])
    assert series.n_samples == 12


def test_the_proposed_scale_is_that_of_the_reader_where_symbols_are_known(tmp_path):
    """Log ratios have the base 2 by convention, if they are of genes."""
    values = np.random.default_rng(1).normal(0, 1, (500, 12))
    values = (values / values.std(axis=1, keepdims=True)).round(3)  # no evidence of a base
    names = [f"MSTRG.{i}|GENE{i}" for i in range(500)]
    frame = pd.DataFrame(values, index=names, columns=[f"{'ab'[i % 2]}{i}" for i in range(12)])
    path = tmp_path / "x.csv"
    frame.to_csv(path, index_label="gene")
    request = DatasetEntry("x", "table", str(path))
    entry = summarise_table(request).entry
    as_read = load(replace(entry, scale=None), Downloads(tmp_path)).scale
    assert entry.scale == as_read == "log2"
