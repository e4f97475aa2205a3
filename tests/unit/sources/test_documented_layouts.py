"""The files of docs/reference/data-layouts.md: each row of its table is read and compared."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from xnbflow.sources.dataset_entry import read_entry
from xnbflow.sources.table import read_table

PAGE = Path(__file__).parents[3] / "docs/reference/data-layouts.md"
COLUMNS = ["file", "keys", "result"]
PATIENTS, DIAGNOSIS = ["s1", "s2", "s3", "s4"], ["ill", "well", "ill", "well"]
GENES = ["g1", "g2", "g3"]
VALUES = np.array([[7.5, 8.25, 3.0], [5.0, 6.5, 1.0], [9.0, 9.5, 2.5], [4.0, 6.75, 2.0]])
COUNTS = np.array([[10, 200, 3000], [40, 5, 600], [7, 80, 900], [1, 20, 3]])
WIDE = np.tile(VALUES[:, :2], (1, 1000))
HOLE = np.where(VALUES == 6.5, np.nan, VALUES)
EUROPEAN = {"sep": ";", "decimal": ","}
GEO = "\n".join(
    "\t".join([name, *(f'"{cell}"' for cell in cells)])
    for name, cells in (
        ("!Series_geo_accession", ["GSE9"]),
        ("!Sample_title", "abcd"),
        ("!Sample_geo_accession", PATIENTS),
        ("!Sample_characteristics_ch1", [f"diagnosis: {label}" for label in DIAGNOSIS]),
    )
)


def rows_of_the_page():
    """Return the rows of the table of files by the file, each a dict."""
    lines = PAGE.read_text().split(f"| {' | '.join(COLUMNS)} |\n", 1)[1].splitlines()[1:]
    rows = {}
    for line in lines:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        rows[cells[0]] = dict(zip(COLUMNS, cells, strict=True))
    return rows


def in_rows(values=VALUES, genes=GENES, **columns):
    """Return a table with a row for each sample, with further columns."""
    frame = pd.DataFrame(values, columns=genes)
    for name, cells in {**columns, "diagnosis": DIAGNOSIS, "patient": PATIENTS}.items():
        frame.insert(0, name, cells)
    return frame


def in_columns(values, genes=GENES):
    """Return a table with a row for each gene."""
    frame = pd.DataFrame(np.asarray(values).T, columns=PATIENTS)
    frame.insert(0, "gene", genes)
    return frame


def csv_file(frame, name="x.csv", **settings):
    """Return a function that writes a table into a folder and returns its name."""

    def write(folder):
        frame.to_csv(folder / name, index=False, **settings)
        return name

    return write


def workbook(folder):
    pytest.importorskip("openpyxl", reason="writes the workbook")
    with pd.ExcelWriter(folder / "x.xlsx") as book:
        pd.DataFrame({"nothing": [1]}).to_excel(book, sheet_name="notes", index=False)
        in_rows(note=["", "late", "", "1"]).to_excel(book, sheet_name="batch1", index=False)
    return "x.xlsx"


def write_csv_of_r(folder):
    """Row names have an empty name in the header."""
    in_rows().set_index("patient").rename_axis("").to_csv(folder / "x.csv", quoting=2)
    return "x.csv"


def write_table_of_r(folder):
    """Row names have no name in the header, which is one cell shorter."""
    lines = [" ".join(f'"{name}"' for name in ["diagnosis", *GENES])]
    for patient, label, values in zip(PATIENTS, DIAGNOSIS, VALUES, strict=True):
        lines.append(" ".join([f'"{patient}"', f'"{label}"', *map(str, values)]))
    (folder / "x.txt").write_text("\n".join(lines) + "\n")
    return "x.txt"


def repeated_genes(folder):
    """Write genes of which one has two rows, the second with lower values, below their labels."""
    frame = in_columns(np.column_stack([VALUES, VALUES[:, 0] - 1]), [*GENES, "g1"])
    labels = pd.DataFrame([["diagnosis", *DIAGNOSIS]], columns=frame.columns)
    pd.concat([labels, frame]).to_csv(folder / "x.csv", index=False)
    return "x.csv"


def anndata_file(folder):
    anndata = pytest.importorskip("anndata", reason="needs the extra h5ad")
    samples = pd.DataFrame({"diagnosis": pd.Categorical(DIAGNOSIS)}, index=PATIENTS)
    data = anndata.AnnData(VALUES, samples, pd.DataFrame(index=GENES))
    data.raw = data.copy()
    data[:, :1].copy().write_h5ad(folder / "x.h5ad")
    return "x.h5ad"


def write_phenotype(folder):
    table = {"sample": PATIENTS, "diagnosis": DIAGNOSIS, "hospital": list("aabb")}
    pd.DataFrame(table).to_csv(folder / "pheno.tsv", sep="\t", index=False)


def with_phenotype(folder):
    write_phenotype(folder)
    return csv_file(in_columns(VALUES), "x.tsv", sep="\t")(folder)


def with_series_of_geo(folder):
    (folder / "GSE9_series_matrix.txt.gz").write_bytes(gzip.compress(GEO.encode()))
    return csv_file(in_columns(COUNTS), "x.tsv", sep="\t")(folder)


def feature_counts(folder):
    write_phenotype(folder)
    frame = in_columns(COUNTS).rename(columns={"gene": "Geneid"})
    for place, name in enumerate(["Chr", "Start", "End", "Strand", "Length"], 1):
        frame.insert(place, name, ["1;1", "7", "9"])
    body = frame.to_csv(sep="\t", index=False)
    (folder / "counts.txt").write_text(f"# Program:featureCounts v2\n{body}")
    return "counts.txt"


AGES = [61, 45, 70, 38]
PROBES = ["1_at", "2_at", "3_at"]
#: Of each row of the page: what writes the file, and the values that are read.
FILES = {
    "workbook of Excel": (workbook, VALUES),
    "R's write.csv": (write_csv_of_r, VALUES),
    "R's write.table": (write_table_of_r, VALUES),
    "semicolons and decimal commas": (csv_file(in_rows(), **EUROPEAN), VALUES),
    "the same, 2,000 features wide": (
        csv_file(in_rows(WIDE, [f"g{i}" for i in range(2000)]), **EUROPEAN),
        WIDE,
    ),
    "genes in rows, some twice": (repeated_genes, VALUES),
    "age among the genes": (csv_file(in_rows(age=AGES)), VALUES),
    "many columns beside the probes": (
        csv_file(in_rows(genes=PROBES, age=AGES, batch=[1] * 4)),
        VALUES,
    ),
    "AnnData (`.h5ad`, with the extra `h5ad`)": (anndata_file, VALUES),
    "expression and a phenotype file": (with_phenotype, VALUES),
    "counts of RNA-seq, phenotype in GEO": (with_series_of_geo, COUNTS),
    "featureCounts": (feature_counts, COUNTS),
    "missing values": (csv_file(in_rows(HOLE)), HOLE),
    "a value missing, features dropped": (csv_file(in_rows(HOLE)), VALUES[:, [0, 2]]),
}


def test_every_row_of_the_page_has_a_file_here():
    assert list(rows_of_the_page()) == list(FILES)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", FILES)
def test_a_file_is_read_with_the_cells_of_the_page(tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    row = rows_of_the_page()[kind]
    write, expected = FILES[kind]
    keys = yaml.safe_load(f"{{{row['keys'].strip('`')}}}")
    dataset = read_entry("mine", {"source": "table", "file": str(write(tmp_path)), **keys})
    series = read_table(dataset.location, dataset)
    np.testing.assert_allclose(series.values.T, expected, rtol=1e-12)
    assert list(series.labels) == DIAGNOSIS
    result = f"{series.n_samples} samples, {series.n_features} features"
    if series.groups is not None:
        result += f", {len(set(series.groups))} groups"
    if series.missing:
        result += ", values missing"
    assert row["result"] == result
