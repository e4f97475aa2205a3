"""Tables as people have them: R, Excel, phenotypes, commas; what is proposed for them."""

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from proposed import PATIENTS, table, write
from toys import entry_in, mistakes, put, put_gct, refused

from xnbflow.core.errors import InputError
from xnbflow.data.dataset import DataSet
from xnbflow.models.reading import described_entry
from xnbflow.running.cli import proposals
from xnbflow.running.cli.app import propose
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import DatasetEntry, NamePattern, read_entry
from xnbflow.sources.formats import parquet
from xnbflow.sources.formats.gct import gct_and_cls, read_classes
from xnbflow.sources.formats.opening import read_text_table
from xnbflow.sources.proposal.table_summary import summarise_table
from xnbflow.sources.table import read_table

ROOT = Path(__file__).parents[3]
VALUES = [[1.5, 2.25, 3.0], [4.0, 5.5, -6.0]]  # samples s1, s2 by genes g1, g2, g3


def row(location="x", *, label="type", id_column=None, **options):
    cells = {"label": label, "id_column": id_column}
    return DatasetEntry("x", "table", str(location), **cells, **options)


def in_excel(folder, frame):
    pytest.importorskip("openpyxl", reason="writes the workbook")
    frame.to_excel(folder / "x.xlsx", index=False)
    return folder / "x.xlsx"


FRAME = pd.DataFrame(VALUES, columns=["g1", "g2", "g3"])
FRAME.insert(0, "id", ["s1", "s2"])
FRAME.insert(1, "type", ["t", "n"])

ROWS = tomllib.loads(Path(__file__).with_name("rows.toml").read_text())


@pytest.mark.parametrize("text", ROWS.values(), ids=ROWS)
def test_samples_in_rows_as_other_programs_write_them(tmp_path, text):
    name = "x.tsv" if "\t" in text else "x.csv"
    series = read_table(put(tmp_path, text, name), row())
    np.testing.assert_array_equal(series.values.T, VALUES)
    assert list(series.features) == ["g1", "g2", "g3"]
    assert (list(series.samples), list(series.labels)) == (["s1", "s2"], ["t", "n"])


def test_gene_names_that_excel_made_dates_of_are_told(tmp_path):
    frame = FRAME.rename(columns={"g1": pd.Timestamp("2024-09-02")})
    series = read_table(in_excel(tmp_path, frame), row(id_column="id"))
    assert any("1 feature name is a date" in note and "SEPT2" in note for note in series.notes)
    text = "id,type,2-Sep,g2\ns1,t,1,2\ns2,n,3,4\n"
    series = read_table(put(tmp_path, text, "x.csv"), row(id_column="id"))
    assert any(
        "1 feature name is a date" in note and "2-Sep (SEPT2)" in note for note in series.notes
    )


def test_counts_of_genes_that_occur_twice_as_feature_counts_writes_them(tmp_path):
    rows = [["Geneid", "Length", "s1", "s2"], ["g1", 9, 10, 20], ["g2", 9, 5, 1], ["g1", 9, 3, 40]]
    text = "# Program:featureCounts\n" + "".join("\t".join(map(str, r)) + "\n" for r in rows)
    labels = put(tmp_path, "sample\ttype\ns2\tn\ns1\tt\n", "pheno.tsv")
    dataset = row(samples="columns", drop=("Length",), phenotype=str(labels), duplicates="max_mean")
    series = read_table(put(tmp_path, text, "counts.txt"), dataset)
    assert list(series.features) == ["g1", "g2"]
    assert series.values.tolist() == [[3, 40], [5, 1]]  # means of 21.5 and 15
    assert list(series.labels) == ["t", "n"]


def test_only_features_of_a_pattern_are_features_and_the_others_are_kept_beside(tmp_path):
    text = "type,age,a_at,b_at,sex\nt,60,1,2,f\nn,50,3,4,m\n"
    series = read_table(put(tmp_path, text, "x.csv"), row(features=(NamePattern("*_at"),)))
    assert list(series.features) == ["a_at", "b_at"]
    assert series.sample_metadata.to_dict("list") == {"age": ["60", "50"], "sex": ["f", "m"]}
    turned = "gene,s1,s2\ntype,t,n\nage,60,50\na_at,1,3\nb_at,2,4\n"
    options = {"features": (NamePattern("*_at"),)}
    series = read_table(put(tmp_path, turned, "y.csv"), row(samples="columns", **options))
    assert list(series.features) == ["a_at", "b_at"]
    assert list(series.sample_metadata["age"]) == ["60", "50"]


def test_a_sample_that_stands_there_twice_is_told(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(10, 40)))
    frame.iloc[7] = frame.iloc[2]
    frame = frame.add_prefix("g")
    frame.insert(0, "type", list("ab") * 5)
    frame.insert(0, "patient", [f"p{i}" for i in range(10)])
    frame.loc[7, "patient"] = "p2b"
    frame.to_csv(tmp_path / "x.csv", index=False)
    (note,) = read_table(tmp_path / "x.csv", row(id_column="patient")).notes
    assert note.startswith("1 sample has several names")
    assert "p2 = p2b" in note


HOLES = "type,g1,g2,g3,g4\na,1,NA,,?\nb,2,5,,8\na,3,NA,,9\nb,4,7,null,6\n"


@pytest.mark.parametrize(
    ("rule", "features", "missing"),
    [
        ("drop_features", ["g1"], False),
        ({"drop_features": 0.3}, ["g1", "g4"], True),
        ("impute", ["g1", "g2", "g4"], True),
    ],
)
def test_missing_values_are_dropped_or_left_for_imputation(tmp_path, rule, features, missing):
    path = put(tmp_path, HOLES, "x.csv")
    series = read_table(path, row(missing=rule))
    assert list(series.features) == features
    assert series.missing == missing == bool(np.isnan(series.values).any())
    series.write(tmp_path / "x.parquet")
    again = type(series).read(tmp_path / "x.parquet")
    np.testing.assert_array_equal(again.values, series.values)
    assert again.missing == missing
    assert again.notes == series.notes


def test_missing_categories_stay_missing(tmp_path):
    path = put(tmp_path, "type,sex\na,f\nb,NA\na,m\nb,none\n", "x.csv")
    series = read_table(path, row(categorical=("sex",), missing="impute"))
    np.testing.assert_array_equal(series.values, [[0, np.nan, 1, np.nan]])
    series = read_table(path, row(categorical=("sex",), missing="impute", literal=("none",)))
    np.testing.assert_array_equal(series.values, [[0, np.nan, 1, 2]])


@pytest.mark.parametrize("word", ["", "NA", "?", "None", "null", "NaN", "n/a", "#N/A"])
def test_a_label_that_says_nothing_is_no_class(tmp_path, word):
    path = put(tmp_path, f"id,type,g\ns1,a,1\ns2,{word},2\ns3,b,3\n", "x.csv")
    with refused(r"1 of 3 samples has no label: s2"):
        read_table(path, row(id_column="id"))
    series = read_table(path, row(id_column="id", unlabelled="drop"))
    assert list(series.samples) == ["s1", "s3"]
    assert series.values.tolist() == [[1, 3]]
    assert f"1 sample was left out, having no label: s2 ({word})" in series.notes


def test_a_class_is_named_na_only_if_the_entry_has_it(tmp_path):
    path = put(tmp_path, "type,g\nNA,1\nb,2\n", "x.csv")
    assert list(read_table(path, row(literal=("NA",))).labels) == ["NA", "b"]
    assert list(read_table(path, row(map={"NA": "natural", "b": "bred"})).labels) == [
        "natural",
        "bred",
    ]


def test_labels_are_made_by_a_pattern_and_a_mapping(tmp_path):
    path = put(tmp_path, "id,type,g\ns1,stage IIa,1\ns2,Stage iv,2\ns3,other,3\n", "x.csv")
    series = read_table(
        path, row(id_column="id", label_pattern=r"stage (iv|i+)", map={"ii": "early", "IV": "late"})
    )
    assert list(series.labels) == ["early", "late"]
    both = read_table(
        path,
        row(
            id_column="id", label_pattern=r"stage (iv|i+)", map={"ii": "a", "II": "a", "IV": "late"}
        ),
    )
    assert list(both.labels) == ["a", "late"]
    with refused("'ii' is 'a' before", key="map"):
        read_table(
            path,
            row(
                id_column="id",
                label_pattern=r"stage (iv|i+)",
                map={"ii": "a", "II": "b", "IV": "late"},
            ),
        )
    assert list(series.samples) == ["s1", "s2"]
    assert series.notes == (
        "1 sample was left out, having a text that is not among the classes: s3 (other)",
    )


@pytest.mark.parametrize(("fields", "quoted"), mistakes("options"))
def test_a_value_that_fits_no_sample_is_refused_by_its_key(tmp_path, fields, quoted):
    with pytest.raises(InputError) as error:
        read_table(put(tmp_path, "type,g\na,1\nb,2\n", "x.csv"), row(**fields))
    assert error.value.key in (*fields, "label", "label.pattern")
    assert repr(quoted) in str(error.value)


def test_label_and_group_come_from_a_phenotype_file_by_sample(tmp_path):
    path = put(tmp_path, "gene,s1,s2,s3,s4\ng1,1,2,3,4\ng2,5,6,7,8\n", "x.csv")
    text = "sample\tdiagnosis\tpatient\ns2\tn\tp1\ns1\tt\tp1\ns3\tt\tp2\ns9\tn\tp9\n"
    options = {"phenotype": str(put(tmp_path, text, "pheno.tsv")), "group": "patient"}
    dataset = row(path, label="diagnosis", samples="columns", **options)
    with pytest.warns(UserWarning, match="1 sample") as warned:
        series = acquire(dataset)
    assert list(series.samples) == ["s1", "s2", "s3"]
    assert list(series.labels) == ["t", "n", "t"]
    assert list(series.groups) == ["p1", "p1", "p2"]
    assert series.values.tolist() == [[1, 2, 3], [5, 6, 7]]
    text = "\n".join(str(warning.message) for warning in warned)
    assert "1 sample is left out, without phenotype: s4" in text
    assert "1 sample is in the phenotype file only: s9" in text


@pytest.mark.parametrize(("name", "content", "options", "message"), mistakes("content"))
def test_what_a_file_holds_is_no_table_and_why_is_told(tmp_path, name, content, options, message):
    if "phenotype" in options:
        options = options | {"phenotype": str(put(tmp_path, *options["phenotype"]))}
    with refused(message):
        summarise_table(row(put(tmp_path, content.encode("latin-1"), name), **options))


COUNTS = np.random.default_rng(0).negative_binomial(1, 0.01, (200, 4)) + np.eye(200, 4, dtype=int)
SERIES_MATRIX = Path(__file__).with_name("geo").joinpath("GSE9_series_matrix.txt").read_text()


def counts(folder, samples=("GSM1", "GSM2", "GSM3", "GSM4"), values=COUNTS):
    frame = pd.DataFrame(values, columns=samples, index=[f"g{i}" for i in range(len(values))])
    frame.to_csv(folder / "counts.tsv", sep="\t", index_label="gene")
    return folder / "counts.tsv"


def counts_row(folder, label="characteristics:diagnosis", **options):
    phenotype = put(folder, SERIES_MATRIX, "GSE9_series_matrix.txt")
    options = {"phenotype": str(phenotype), **options}
    return row(folder / "counts.tsv", label=label, samples="columns", **options)


@pytest.mark.parametrize("group", ["patient", "characteristics:patient"])
def test_counts_are_noted_and_a_series_matrix_without_values_is_their_phenotype(tmp_path, group):
    counts(tmp_path)
    with pytest.warns(UserWarning, match="look like counts .* set transform: tmm"):
        series = acquire(counts_row(tmp_path, group=group))
    np.testing.assert_array_equal(series.values, COUNTS)
    assert list(series.labels) == ["t", "n", "t", "n"]
    assert list(series.groups) == ["1", "1", "2", "2"]
    assert list(series.sample_metadata["title"]) == ["s1", "s2", "s3", "s4"]
    few = read_table(counts(tmp_path, values=COUNTS[:60]), counts_row(tmp_path, group=group))
    assert not few.notes


@pytest.mark.parametrize("tallies", ["__no_feature", "N_unmapped"])
def test_reads_of_no_gene_are_no_features(tmp_path, tallies):
    text = counts(tmp_path).read_text() + f"{tallies}\t900\t800\t700\t600\n"
    put(tmp_path, text, "counts.tsv")
    dataset = counts_row(tmp_path, group="patient", transform="log_cpm")
    with refused(rf"{tallies}.* belong to no gene.*drop: \[{tallies}\]"):
        read_table(dataset.location, dataset)
    dropped = counts_row(tmp_path, group="patient", transform="log_cpm", drop=(tallies,))
    assert len(read_table(dataset.location, dropped).features) == len(COUNTS)


def test_samples_called_by_their_titles_are_found_by_them(tmp_path):
    path = counts(tmp_path, samples=("s4", "s3", "s2", "s1"))
    with refused(
        r"in its column 'title': set phenotype: \{id: title\}",
    ):
        read_table(path, counts_row(tmp_path))
    series = read_table(path, counts_row(tmp_path, phenotype_id="title", transform="log_cpm"))
    assert list(series.samples) == ["s4", "s3", "s2", "s1"]
    assert list(series.labels) == ["n", "t", "n", "t"]
    assert list(series.sample_metadata["geo_accession"]) == ["GSM4", "GSM3", "GSM2", "GSM1"]


def test_a_workbook_of_texts_with_decimal_commas_whose_first_sheet_is_a_legend(tmp_path):
    legend = pd.DataFrame({"column": ["g"], "meaning": ["a gene"]})
    cells = {"id": ["a", "b"], "type": ["u", "v"], "g": ["7,5", 8.25], "age": [61.5, "62,5"]}
    with pd.ExcelWriter(tmp_path / "x.xlsx") as book:
        legend.to_excel(book, sheet_name="legend", index=False)
        pd.DataFrame(cells).to_excel(book, sheet_name="data", index=False)
    path = tmp_path / "x.xlsx"
    with refused(r"first sheet, 'legend'; .*: 'data'", key="sheet"):
        read_table(path, row(id_column="id"))
    options = {"sheet": "data", "phenotype_columns": ("age",)}
    with refused("set decimal: comma"):
        read_table(path, row(id_column="id", **options))
    series = read_table(path, row(id_column="id", decimal="comma", **options))
    assert series.values.tolist() == [[7.5, 8.25]]
    assert list(series.sample_metadata["age"]) == ["61.5", "62.5"]


def test_the_files_of_the_test_profile_are_one_series_in_every_kind(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT / ".test")
    settings = yaml.safe_load(Path("config/config.yaml").read_text())
    rows = {name: read_entry(name, entry) for name, entry in settings["datasets"].items()}
    study = settings["studies"]["inputs"]
    urls = settings["download"]["base_urls"]
    first, *others = [
        acquire(rows[name], downloads=tmp_path, base_urls=urls) for name in study["datasets"]
    ]
    assert {row.source for row in rows.values()} == {"simulate", "table", "geo", "cumida"}
    for other in others:
        np.testing.assert_array_equal(other.values, first.values)
        for attribute in ("features", "samples", "labels"):
            assert getattr(other, attribute).tolist() == getattr(first, attribute).tolist()


def test_names_in_gct_are_as_they_are_and_none_is_quoted(tmp_path):
    """Readers of GCT divide lines at tabs, and compare names with those of gene sets."""
    names, samples = ["=1+1", "+A", "-x", "@SUM(A1)", '5"-g'], ["-s", 't"', 'u "v" w', "x, y"]
    values = np.arange(20.0).reshape(5, 4)
    symbols = pd.DataFrame({"symbol": ["a\tb", "", 'c"d', "=x", "é"]}, dtype=object)
    series = DataSet(
        "x", values, features=names, samples=samples, labels=[*"aabb"], feature_metadata=symbols
    )
    path, labels = put_gct(tmp_path, series)
    header, *rows = [line.split("\t") for line in path.read_text().splitlines()[2:]]
    assert header == ["Name", "Description", *samples]
    assert [row[0] for row in rows] == names
    assert [row[1] for row in rows] == ["a b", "na", 'c"d', "=x", "é"]
    assert np.array([row[2:] for row in rows], float).tolist() == values.tolist()
    proposed = DatasetEntry("mine", "table", str(path), phenotype=str(labels))
    (tmp_path / "x.yaml").write_text(f"datasets:\n{summarise_table(proposed).entry_text}")
    read = read_table(path, entry_in(tmp_path / "x.yaml"))
    assert (read.features.tolist(), read.samples.tolist()) == (names, samples)
    with refused("begins with a quotation mark"):
        gct_and_cls(
            DataSet("x", values, features=[*names[:4], '"g"'], samples=samples, labels=[*"aabb"])
        )


def test_labels_of_a_cls_file_are_those_of_the_format_or_refused(tmp_path):
    """The first label that occurs is of the first class (GenePattern, file formats guide)."""
    table, labels = write("GCT and CLS", tmp_path)[0], tmp_path / "l.cls"
    for third, problem in (
        ("x x y y " + "x y " * 10, None),
        ("1 1 0 0 " + "1 0 " * 10, "first label"),
        ("well ill " * 12, "first label"),
        ("0 1", "2 labels"),
    ):
        labels.write_text(f"24 2 1\n# ill well\n{third}\n")
        if problem:
            with refused(problem):
                read_classes(labels, table)
        else:
            classes = read_classes(labels, table)["class"]
            assert classes.tolist() == [{"x": "ill", "y": "well"}[label] for label in third.split()]
            assert classes.index.tolist() == PATIENTS


@pytest.mark.filterwarnings("ignore:data set")
def test_logarithms_are_proposed_for_counts_and_for_no_mixture_or_codes(tmp_path, capsys):
    rng = np.random.default_rng(3)
    logged = rng.normal(8, 1, (600, 8))
    raw, coded = 2**logged, np.where(rng.random((600, 8)) < 0.05, -999, logged)
    for values, transform, sentence in (
        (
            rng.negative_binomial(1, 0.001, (600, 8)),
            "tmm",
            "if they are intensities of an array, use --set",
        ),
        (np.append(raw[:, :3], logged[:, 3:], 1), "", r"3 are not logged (0, 1, 2), 5 look logged"),
        (coded, "", "No transform is proposed: -999 is in "),
        (np.exp2(coded, out=coded, where=coded > 0), "", "probably a code for missing values;"),
    ):
        table = pd.DataFrame(values.T, columns=[f"g{i}" for i in range(600)])
        table.insert(0, "type", ["a", "b"] * 4)
        table.to_csv(tmp_path / "x.csv", index=False)
        summary = summarise_table(DatasetEntry("mine", "table", str(tmp_path / "x.csv")))
        assert summary.entry.transform or transform == ""
        assert sentence in summary.reason
    propose(str(tmp_path / "x.csv"), label="type", output=str(tmp_path / "other"))
    written = (tmp_path / "other.yaml").read_text()
    entry = written.partition("\ndatasets:\n")[2].partition("\nstudies:")[0]
    assert entry in capsys.readouterr().out


def test_without_a_class_nothing_is_written_and_the_columns_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table(diagnosis=None, note=PATIENTS).to_csv("x.csv", index=False)
    summary = proposals._summary_of(described_entry("x.csv"))
    assert summary.entry is None
    with pytest.raises(InputError, match=r"--label; columns of text: note"):
        proposals.write_study(summary, "a/mine")
    for name in ("demo", "classify", "digits", "a b"):  # it would be the project's, too
        with pytest.raises(InputError, match=r"another name|cannot name"):
            proposals.write_study(summary, f"a/{name}")
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


@pytest.mark.parametrize("name", ["gene", None])
@pytest.mark.parametrize("orientation", ["columns", "rows"])
def test_the_index_of_pandas_names_the_rows_of_a_parquet_file(tmp_path, name, orientation):
    """pandas stores it after the values: a sample was taken for the names of genes."""
    values = np.random.default_rng(0).normal(8, 2, (30, 12)).round(3)
    frame = pd.DataFrame(values).add_prefix("S").set_axis([f"g{i}" for i in range(30)])
    labels = ["ill", "well"] * 6
    if orientation == "rows":
        frame = frame.T.assign(diagnosis=labels)
    frame.rename_axis(index=name).to_parquet(tmp_path / "x.parquet")
    pd.DataFrame({"sample": [f"S{i}" for i in range(12)], "diagnosis": labels}).to_csv(
        tmp_path / "sheet.csv", index=False
    )
    phenotype = {"phenotype": {"file": str(tmp_path / "sheet.csv")}}
    dataset = described_entry(
        str(tmp_path / "x.parquet"), phenotype if orientation == "columns" else {}
    )
    summary = proposals._summary_of(dataset)
    assert summary.entry.samples == orientation
    series = read_table(tmp_path / "x.parquet", summary.entry)
    assert series.samples.tolist() == [f"S{i}" for i in range(12)]
    assert series.features.tolist() == [f"g{i}" for i in range(30)]
    np.testing.assert_array_equal(series.values, values)


class CountingTable:
    """A stand-in for a table of Arrow, which makes the list of its names anew for each reader."""

    def __init__(self):
        self.n_lists = 0

    @property
    def column_names(self):
        self.n_lists += 1
        return ["g1", "g2", "sample"]

    def select(self, places):
        return list(places)


def test_the_names_of_parquet_columns_are_listed_once():
    """One list for each column took nine seconds with 5,000 columns."""
    table = CountingTable()
    assert parquet._with_index_first(table, {"sample"}) == [2, 0, 1]
    assert table.n_lists == 1


@pytest.mark.parametrize(
    "text",
    [
        '{"index_columns": ["samp',
        "[1, 2]",
        "null",
        "{}",
        '{"index_columns": 3}',
        "[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_damaged_metadata_of_pandas_are_refused_with_the_file(tmp_path, text):
    path = tmp_path / "x.parquet"
    frame = pd.DataFrame({"sample": ["a", "b"], "type": ["x", "y"], "g1": [1.0, 2.0]})
    table = pa.Table.from_pandas(frame).replace_schema_metadata({"pandas": text})
    pq.write_table(table, path)
    with refused(r"x\.parquet: the metadata of pandas are damaged"):
        read_text_table(path, {})


def test_a_column_of_parquet_that_python_cannot_represent_is_refused_with_the_file(tmp_path):
    days = pa.array([10**7, 1], pa.int32()).cast(pa.date32())  # the year 29349
    pq.write_table(pa.table({"type": days, "g": [1.0, 2.0]}), tmp_path / "x.parquet")
    with refused(
        r"x\.parquet: a column of the type date32\[day\] cannot be read",
    ):
        read_text_table(tmp_path / "x.parquet", {}).columns([0])


def test_an_index_that_is_a_range_is_no_column():
    described = {b"pandas": b'{"index_columns": [{"kind": "range", "start": 0}]}'}
    assert parquet._index_of_pandas(Path("x.parquet"), described) == set()
    assert parquet._index_of_pandas(Path("x.parquet"), {}) == set()


@pytest.mark.parametrize("name", ["x.csv", "x.xlsx"])
def test_a_name_in_several_lines_of_its_cell_is_one_line(tmp_path, name):
    """Excel breaks the names of columns by Alt and Enter; the entry that is written names one."""
    table = pd.DataFrame(
        {"tumour\ntype": ["a", "b"] * 4, "hospital\n(city)": ["x", "x", "y", "y"] * 2}
    )
    for i in range(30):
        table[f"gene{i}"] = np.random.default_rng(i).normal(8, 1, 8).round(3)
    if name == "x.csv":
        table.to_csv(tmp_path / name, index=False)
    else:
        pytest.importorskip("openpyxl", reason="writes the workbook")
        table.to_excel(tmp_path / name, index=False)
    entry = summarise_table(DatasetEntry("mine", "table", str(tmp_path / name))).entry
    assert (entry.label, entry.batch) == ("tumour type", "hospital (city)")
    assert acquire(entry).labels.tolist() == ["a", "b"] * 4


def test_distinct_ages_after_the_label_are_no_names_of_samples(tmp_path):
    """A table without names of samples; an age remains a column that the audit compares."""
    table = pd.DataFrame({"type": ["a", "b"] * 4, "age": range(40, 48)})
    for i in range(30):
        table[f"gene{i}"] = np.random.default_rng(i).normal(8, 1, 8).round(3)
    table.to_csv(tmp_path / "x.csv", index=False)
    entry = summarise_table(DatasetEntry("mine", "table", str(tmp_path / "x.csv"))).entry
    assert (entry.id_column, entry.phenotype_columns) == (None, ("age",))
