"""A user's own tables and CuMiDa's: formats, orientations, kinds, and what is refused."""

import gzip
import math
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from toys import mistakes, put, refused

from xnbflow.core.errors import InputError
from xnbflow.sources.cumida import read_cumida_csv
from xnbflow.sources.dataset_entry import DatasetEntry, NamePattern
from xnbflow.sources.table import read_table

ROWS = Path(__file__).with_name("mine.csv").read_text()
OPTIONS = {"angular": {"wind": "degrees", "hour": 24}, "categorical": ("sex",), "drop": ("note",)}


def row(location="mine.csv", **changes):
    fields = {"label": "site", "id_column": "id"} | OPTIONS | changes
    return DatasetEntry("mine", "table", str(location), **fields)


def assert_is_mine(series):
    assert list(series.features) == ["wind", "speed", "hour", "sex"]
    assert list(series.kinds) == ["angular", "linear", "angular", "categorical"]
    assert list(series.samples) == ["a", "b", "c"]
    assert list(series.labels) == ["north", "south", "north"]
    half = math.pi / 2
    expected = [[half, -math.pi, half / 2], [3.5, 5.0, 0.1], [half, math.pi, 3 * half], [1, 0, 0]]
    np.testing.assert_allclose(series.values, expected, rtol=1e-15)


@pytest.mark.parametrize("name", ["mine.csv", "mine.txt.gz", "european.csv"])
def test_columns_are_of_their_kinds(tmp_path, name):
    text = ROWS.replace(",", "\t") if name.endswith("gz") else ROWS
    text = ROWS.replace(",", ";").replace(".", ",") if name == "european.csv" else text
    assert_is_mine(read_table(put(tmp_path, text, name), row()))


def test_samples_in_columns(tmp_path):
    table = [line.split(",") for line in ROWS.splitlines()]
    turned = "\n".join(",".join(cells) for cells in zip(*table, strict=True)) + "\n"
    assert turned.startswith("id,a,b,c\nsite,north,south,north\n")
    assert_is_mine(read_table(put(tmp_path, turned), row(samples="columns")))
    first = row(samples="columns", id_column=None)
    assert_is_mine(read_table(put(tmp_path, turned), first))


@pytest.mark.parametrize(
    ("texts", "codes"),
    [
        (["10", "9", "2"], [2, 1, 0]),
        (["low", "high", "mid"], [1, 0, 2]),
        (["1", "x", "10"], [0, 2, 1]),
    ],
    ids=["numbers", "alphabet", "mixed"],
)
def test_categories_are_coded_in_the_order_of_numbers_or_of_the_alphabet(tmp_path, texts, codes):
    lines = "".join(f"{'ab'[i % 2]},{text}\n" for i, text in enumerate(texts))
    dataset = DatasetEntry("x", "table", "x", label="y", categorical=("c",))
    assert read_table(put(tmp_path, "y,c\n" + lines), dataset).values[0].tolist() == codes


@pytest.mark.parametrize(("old", "new", "message"), mistakes("table"))
def test_bad_tables_are_refused_with_the_place_and_what_to_do(tmp_path, old, new, message):
    path = put(tmp_path, ROWS.replace(old, new))
    with pytest.raises(InputError, match=message) as error:
        read_table(path, row())
    assert str(path) in str(error.value)


#: Columns of types that CSV lacks, with what they hold.
ODD = {
    "dictionary": (pa.array(["7", "8", "9"]).dictionary_encode(), [7, 8, 9]),
    "decimal": (pa.array([Decimal("1.5"), Decimal(2), Decimal(-3)]), [1.5, 2, -3]),
    "half": (pa.array(np.array([1.5, 2, 3], np.float16)), [1.5, 2, 3]),
    "large": (pa.array([2**53 + 1, 2, 3]), [2.0**53, 2, 3]),
    "null": (pa.array([1.0, None, 3.0]), None),
    "infinite": (pa.array([1.0, np.inf, 3.0]), None),
    "list": (pa.array([[1], [2], [3]]), None),
    "date": (pa.array([1, 2, 3], pa.timestamp("s")), None),
    "empty": (pa.array([None, None, None]), None),
}


@pytest.mark.parametrize("kind", ODD)
def test_a_column_of_parquet_is_read_as_its_numbers_or_refused_by_its_name(tmp_path, kind):
    column, numbers = ODD[kind]
    pq.write_table(pa.table({"y": ["a", "b", "b"], "g": column}), tmp_path / "x.parquet")
    dataset = DatasetEntry("x", "table", "x", label="y")
    if numbers is None:
        with pytest.raises(InputError, match="'g'"):
            read_table(tmp_path / "x.parquet", dataset)
    else:
        assert read_table(tmp_path / "x.parquet", dataset).values.tolist() == [numbers]


@pytest.mark.slow
def test_a_parquet_file_may_have_a_description_of_its_columns_above_the_limit_of_arrow(tmp_path):
    """pandas describes 850,000 columns in 130 MB of text; Arrow refuses more than 100 MB."""
    table = pa.table({"y": ["a", "b", "b"], "g": [1.0, 2.0, 3.0]})
    table = table.replace_schema_metadata({"description": "x" * 100_000_001})
    pq.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(OSError, match="size limit"):
        pq.ParquetFile(tmp_path / "x.parquet")
    dataset = DatasetEntry("x", "table", "x", label="y")
    assert read_table(tmp_path / "x.parquet", dataset).values.tolist() == [[1.0, 2.0, 3.0]]


def test_spaces_around_names_and_labels_are_no_part_of_them_in_parquet_as_in_csv(tmp_path):
    frame = pd.DataFrame(
        {"id ": ["s1 ", " s2", "s3"], " y": ["AML ", "AML", "B-ALL"], "g ": [1, 2, 3]}
    )
    frame.to_parquet(tmp_path / "x.parquet")
    frame.to_csv(tmp_path / "x.csv", index=False)
    for name in ("x.parquet", "x.csv"):
        series = read_table(
            tmp_path / name, DatasetEntry("x", "table", "x", label="y", id_column="id")
        )
        assert list(series.samples) == ["s1", "s2", "s3"]
        assert list(series.labels) == ["AML", "AML", "B-ALL"]
        assert list(series.features) == ["g"]


HEADER = "samples,type,g1,g2,g3\n"
GOOD = HEADER + "GSM1,tumour,1.5,-2,3e-1\nGSM2,normal,4,5.25,6\n"


@pytest.mark.parametrize("names", ["NM_1,NM_2,NM_1,NM_1,NM_1.1", "a,a.1,a,b,a.1", "a,a,b,a,b"])
def test_repeated_feature_names_get_suffixes_as_pandas_gives_them(tmp_path, names):
    # GSE26304 has several probes per RefSeq accession
    path = put(tmp_path, f"samples,type,{names}\na,x,1,2,3,4,5\nb,y,1,2,3,4,5\n")
    series = read_cumida_csv(path, DatasetEntry("toy", "cumida"))
    assert "all but the first of each got the suffix" in series.notes[0]
    assert list(series.features) == list(pd.read_csv(path).columns[2:])
    assert series.values[:, 0].tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *((GOOD.replace(old, new), message) for old, new, message in mistakes("cumida")),
        *((GOOD.replace("normal", word), "no label") for word in ("NA", "null", "?")),
        ("samples,type\na,x\n", "line 1"),
        (HEADER, "no rows below its header"),
        (gzip.compress(GOOD.encode() * 9, mtime=0)[:-9], "broken or truncated gzip"),
    ],
)
def test_bad_input_is_refused_with_file_and_line_or_column(tmp_path, text, message):
    path = put(tmp_path, text)
    with refused(message, file=path):
        read_cumida_csv(path, DatasetEntry("toy", "cumida"))


def test_a_file_without_its_last_line_break_may_be_cut_within_a_number(tmp_path):
    text = b"samples,type,g1,g2\ns1,a,1.5,2.25\ns2,b,0.5,3.125\n"
    whole = read_cumida_csv(put(tmp_path, text), DatasetEntry("x", "cumida"))
    cut = read_cumida_csv(put(tmp_path, text[:-3]), DatasetEntry("x", "cumida"))
    assert (whole.values[1, 1], cut.values[1, 1]) == (3.125, 3.1)
    assert not any("cut off" in note for note in whole.notes)
    assert any("cut off within its last number" in note for note in cut.notes)


@pytest.mark.parametrize("name", ["SRBCT_Khan2001", "Colorectal_Alon1999"])
def test_real_microarrays_are_read_as_pandas_reads_them(shared_data, name):
    path = shared_data / "microarray" / f"{name}.csv.gz"
    series = read_cumida_csv(path, DatasetEntry(name, "cumida"))
    # as texts: numbers that pandas 2 reads differ from `float` in the last digit
    frame = pd.read_csv(path, dtype=str)
    np.testing.assert_array_equal(series.values.T, frame.iloc[:, 2:].to_numpy().astype(float))
    np.testing.assert_array_equal(series.labels, frame["type"])
    np.testing.assert_array_equal(series.samples, frame["samples"])


def test_a_covariate_among_genes_is_named_in_a_note(rng, tmp_path):
    """Forty logarithms near 8, and ages from 30 to 80."""
    frame = pd.DataFrame(rng.normal(8, 1, (10, 40)), columns=[f"g{i}" for i in range(40)])
    frame.insert(5, "age", rng.integers(30, 80, 10))
    frame.insert(0, "type", list("ab") * 5)
    frame.to_csv(tmp_path / "x.csv", index=False)
    plain = DatasetEntry("x", "table", label="type")
    (note,) = read_table(tmp_path / "x.csv", plain).notes
    assert note.startswith("'age': unlike all other features")
    dropped = replace(plain, drop=("age",))
    assert not read_table(tmp_path / "x.csv", dropped).notes


#: A row of labels, and a gene whose name may be the label of a phenotype.
LABELLED = "name,s1,s2,s3\ng1,1,2,3\ndiagnosis,t,n,t\nESR1,7.5,,9\ng2,4,5,6\n"


def columns_row(label, **options):
    return DatasetEntry("x", "table", "x", label=label, samples="columns", **options)


def read_beside(folder, text, sheet, label, **options):
    """Read a table with samples in columns, beside a sample sheet."""
    options["phenotype"] = str(put(folder, sheet, "sheet.csv"))
    return read_table(put(folder, text), columns_row(label, **options))


def test_a_row_of_labels_that_the_phenotype_repeats_is_no_feature(tmp_path):
    text = LABELLED.replace("ESR1,7.5,,9\n", "")
    sheet = "sample,diagnosis\ns1,t\ns2,n\ns3,t\n"
    series = read_beside(tmp_path, text, sheet, "diagnosis")
    assert series.features.tolist() == ["g1", "g2"]
    assert series.labels.tolist() == ["t", "n", "t"]
    with refused(
        "'diagnosis' of sample 's3' is 't' in the table, 'n' in the phenotype",
    ):
        read_beside(tmp_path, text, sheet.replace("s3,t", "s3,n"), "diagnosis")


@pytest.mark.parametrize("decimal", [".", ","])
def test_a_row_of_numbered_labels_that_the_phenotype_repeats_is_no_feature(tmp_path, decimal):
    separator = ";" if decimal == "," else "\t"
    text = "name\ts1\ts2\ts3\ng1\t1.5\t2\t3\ncase\t1.0\t0.0\t1.0\n"
    text = text.replace("\t", separator).replace(".", decimal)
    sheet = "sample,case\ns1,1\ns2,0\ns3,1\n"
    options = {} if decimal == "." else {"decimal": "comma", "separator": "semicolon"}
    options |= {} if decimal == "," else {"separator": "tab"}
    series = read_beside(tmp_path, text, sheet, "case", **options)
    assert series.features.tolist() == ["g1"]
    assert series.labels.tolist() == ["1", "0", "1"]


def test_a_gene_with_the_name_of_the_label_remains_a_feature_at_its_place(tmp_path):
    sheet = "sample,ESR1\ns1,0\ns2,1\ns3,1\n"
    options = {"missing": "impute", "drop": ("diagnosis", "symbol")}
    text = LABELLED.replace("name,", "name,symbol,").replace("g1,", "g1,A,")
    text = text.replace("diagnosis,", "diagnosis,,").replace("ESR1,", "ESR1,B,")
    series = read_beside(tmp_path, text.replace("g2,", "g2,C,"), sheet, "ESR1", **options)
    assert series.features.tolist() == ["g1", "ESR1", "g2"]
    np.testing.assert_array_equal(series.values, [[1, 2, 3], [7.5, np.nan, 9], [4, 5, 6]])
    assert series.labels.tolist() == ["0", "1", "1"]
    assert series.feature_metadata["symbol"].tolist() == ["A", "B", "C"]
    named = read_beside(
        tmp_path, LABELLED, sheet, "ESR1", features=(NamePattern("g*"),), drop=("diagnosis",)
    )
    assert named.features.tolist() == ["g1", "g2"]


def test_each_column_beside_the_samples_describes_a_gene_with_the_name_of_the_label(tmp_path):
    text = "name,symbol,band,s1,s2\ng1,A,1p,1,2\nESR1,B,6q,7,8\n"
    sheet = "sample,ESR1\ns1,0\ns2,1\n"
    series = read_beside(tmp_path, text, sheet, "ESR1", drop=("symbol", "band"))
    assert series.feature_metadata["symbol"].tolist() == ["A", "B"]
    assert series.feature_metadata["band"].tolist() == ["1p", "6q"]


def test_an_empty_row_with_the_name_of_the_label_is_a_gene_without_values(tmp_path):
    sheet = "sample,ESR1\ns1,0\ns2,1\ns3,1\n"
    text = LABELLED.replace("ESR1,7.5,,9", "ESR1,,,")
    options = {"missing": "impute", "drop": ("diagnosis",)}
    series = read_beside(tmp_path, text, sheet, "ESR1", **options)
    assert series.features.tolist() == ["g1", "g2"]
    assert "1 feature was dropped for its missing values" in series.notes


def test_a_label_that_is_misspelt_is_named_and_not_a_cell_of_its_row(tmp_path):
    path = put(tmp_path, LABELLED)
    with refused(
        r"there is no 'diagnosi', .*did you mean 'diagnosis'\?; there are g1, ", file=path
    ):
        read_table(path, columns_row("diagnosi"))
    with refused(r"line 3: 't' is not a number", file=path):  # another row of text than the label
        read_table(path, columns_row("g1"))
    with refused(r"the phenotype has age, stage; did you mean 'stage'\?"):
        read_beside(tmp_path, LABELLED, "sample,age,stage\ns1,1,a\n", "stages")


@pytest.mark.parametrize("orientation", ["rows", "columns"])
def test_categories_of_one_name_are_refused(tmp_path, orientation):
    lines = [["name", "s1", "s2"], ["y", "a", "b"], ["sex", "f", "m"], ["sex", "m", "m"]]
    if orientation == "rows":
        lines = list(zip(*lines, strict=True))
    path = put(tmp_path, "".join(",".join(line) + "\n" for line in lines))
    dataset = DatasetEntry("x", "table", "x", label="y", samples=orientation, categorical=("sex",))
    with refused(
        "'sex', which categorical names, occurs 2 times",
        file=path,
    ):
        read_table(path, dataset)


@pytest.mark.parametrize("ending", [",", ",,"])
def test_separators_at_the_ends_of_lines_are_no_feature_and_no_sample(tmp_path, ending):
    expected = "left out, without a name and without a value"
    lines = ["id,y,g1,g2", "s1,a,1,2", "s2,b,3,4"]
    path = put(tmp_path, "".join(f"{line}{ending}\n" for line in lines))
    series = read_table(path, DatasetEntry("x", "table", "x", label="y", id_column="id"))
    assert series.features.tolist() == ["g1", "g2"]
    columns = {1: "1 column or row was", 2: "2 columns or rows were"}[len(ending)]
    assert series.notes == (f"{columns} {expected}",)
    lines = ["gene,s1,s2", "y,a,b", "g1,1,3", "g2,2,4"]
    path = put(tmp_path, "".join(f"{line}{ending}\n" for line in lines))
    series = read_table(path, columns_row("y"))
    assert series.samples.tolist() == ["s1", "s2"]
    assert series.values.tolist() == [[1, 3], [2, 4]]
    assert series.labels.tolist() == ["a", "b"]


@pytest.mark.parametrize("orientation", ["rows", "columns"])
def test_a_column_without_a_name_but_with_a_value_is_refused(tmp_path, orientation):
    lines = [["id", "s1", "s2"], ["y", "a", "b"], ["g1", "1", "3"], ["", "", "4"]]
    if orientation == "rows":
        lines = list(zip(*lines, strict=True))
    else:
        lines = [[*line, cell] for line, cell in zip(lines, ["", "b", "5", ""], strict=True)]
        lines[3][0] = "g2"
    path = put(tmp_path, "".join(",".join(line) + "\n" for line in lines))
    dataset = DatasetEntry("x", "table", "x", label="y", id_column="id", samples=orientation)
    with refused("has no name; name it, or drop it", file=path):
        read_table(path, dataset)


def test_categories_keep_their_places_without_columns_of_separators(tmp_path):
    path = put(tmp_path, "y,g1,,sex,g2,\na,1,,f,2,\nb,3,,m,4,\n")
    dataset = DatasetEntry("x", "table", "x", label="y", categorical=("sex",))
    series = read_table(path, dataset)
    assert series.features.tolist() == ["g1", "sex", "g2"]
    assert series.kinds.tolist() == ["linear", "categorical", "linear"]
    assert series.values.tolist() == [[1, 3], [0, 1], [2, 4]]
