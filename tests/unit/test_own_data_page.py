"""The files of the tutorial on one's own data: each row of its table is read and compared."""

import gzip
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from xnbflow.data.sources.acquisition import acquire
from xnbflow.data.sources.sheet import read_sheet
from xnbflow.data.sources.table import read_table

pytestmark = pytest.mark.filterwarnings("ignore:The '.*' option:pandas.errors.PandasChangeWarning")

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/tutorials/own-data.md"
COLUMNS = ["file", "label", "id_column", "orientation", "options", "what comes out"]
PATIENTS, DIAGNOSIS = ["s1", "s2", "s3", "s4"], ["ill", "well", "ill", "well"]
VALUES = np.array([[7.5, 8.25, 3.0], [5.0, 6.5, 1.0], [9.0, 9.5, 2.5], [4.0, 6.75, 2.0]])
COUNTS = np.array([[10, 200, 3000], [40, 5, 600], [7, 80, 900], [1, 20, 3]])
GENES = ["g1", "g2", "g3"]
GEO = """\
!Series_geo_accession\t"GSE9"
!Sample_title\t"a"\t"b"\t"c"\t"d"
!Sample_geo_accession\t"s1"\t"s2"\t"s3"\t"s4"
!Sample_characteristics_ch1\t"Diagnosis:ill"\t"Diagnosis:well"\t"Diagnosis:ill"\t"Diagnosis:well"
"""


def rows_of_the_page():
    """Return the rows of the table of files, each a dict."""
    lines = PAGE.read_text().split(f"| {' | '.join(COLUMNS)} |\n", 1)[1].splitlines()[1:]
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        rows.append(dict(zip(COLUMNS, cells, strict=True)))
    return {row["file"]: row for row in rows}


def tidy(values=VALUES, genes=GENES, **more):
    frame = pd.DataFrame(values, columns=genes)
    for name, cells in {**more, "diagnosis": DIAGNOSIS, "patient": PATIENTS}.items():
        frame.insert(0, name, cells)
    return frame


def turned(values, genes=GENES):
    frame = pd.DataFrame(np.asarray(values).T, columns=PATIENTS)
    frame.insert(0, "gene", genes)
    return frame


def pheno(folder):
    table = {"sample": PATIENTS, "diagnosis": DIAGNOSIS, "hospital": list("aabb")}
    pd.DataFrame(table).to_csv(folder / "pheno.tsv", sep="\t", index=False)


def text(name, content):
    def write(folder):
        (folder / name).write_text(content)
        return name

    return write


def table(name, frame, **how):
    def write(folder):
        frame.to_csv(folder / name, index=False, **how)
        return name

    return write


def workbook(folder):
    pytest.importorskip("openpyxl", reason="writes the workbook")
    with pd.ExcelWriter(folder / "x.xlsx") as book:
        pd.DataFrame({"nothing": [1]}).to_excel(book, sheet_name="notes", index=False)
        tidy(note=["", "late", "", "1"]).to_excel(book, sheet_name="batch1", index=False)
    return "x.xlsx"


def r_table(short):
    head = ["diagnosis", *GENES]
    lines = [" ".join(f'"{name}"' for name in head)] if short else ['"",' + ",".join(head)]
    for patient, label, values in zip(PATIENTS, DIAGNOSIS, VALUES, strict=True):
        cells = [f'"{patient}"', f'"{label}"', *map(str, values)]
        lines.append((" " if short else ",").join(cells))
    return "\n".join(lines) + "\n"


def twice(folder):
    """Genes of which one stands twice, the first time lower."""
    frame = turned(np.column_stack([VALUES, VALUES[:, 0] - 1]), [*GENES, "g1"])
    labels = pd.DataFrame([["diagnosis", *DIAGNOSIS]], columns=frame.columns)
    pd.concat([labels, frame]).to_csv(folder / "x.csv", index=False)
    return "x.csv"


def arff(folder):
    lines = ["@relation x", *(f"@attribute {gene} numeric" for gene in GENES)]
    lines += ["@attribute diagnosis {ill,well}", "@data"]
    rows = zip(VALUES.tolist(), DIAGNOSIS, strict=True)
    lines += [",".join(map(str, [*values, label])) for values, label in rows]
    (folder / "x.arff").write_text("\n".join(lines) + "\n")
    return "x.arff"


def anndata_file(folder):
    anndata = pytest.importorskip("anndata", reason="needs the extra h5ad")
    obs = pd.DataFrame({"diagnosis": pd.Categorical(DIAGNOSIS)}, index=PATIENTS)
    data = anndata.AnnData(VALUES, obs, pd.DataFrame(index=GENES))
    data.raw = data.copy()
    with anndata.settings.override(allow_write_nullable_strings=True):  # for pandas 3
        data[:, :1].copy().write_h5ad(folder / "x.h5ad")
    return "x.h5ad"


def with_phenotype(folder):
    pheno(folder)
    return table("x.tsv", turned(VALUES), sep="\t")(folder)


def with_series(folder):
    (folder / "GSE9_series_matrix.txt.gz").write_bytes(gzip.compress(GEO.encode()))
    return table("x.tsv", turned(COUNTS), sep="\t")(folder)


def feature_counts(folder):
    pheno(folder)
    frame = turned(COUNTS).rename(columns={"gene": "Geneid"})
    for i, name in enumerate(["Chr", "Start", "End", "Strand", "Length"], 1):
        frame.insert(i, name, ["1;1", "7", "9"])
    body = frame.to_csv(sep="\t", index=False)
    (folder / "counts.txt").write_text(f"# Program:featureCounts v2\n{body}")
    return "counts.txt"


WIDE = np.tile(VALUES[:, :2], (1, 1000))
HOLE = np.where(VALUES == 6.5, np.nan, VALUES)
EUROPEAN = {"sep": ";", "decimal": ","}
LOG_CPM = np.log1p(COUNTS / COUNTS.sum(axis=1, keepdims=True) * 1e6)

#: Of each row of the page: what writes the file, and the values that must come out.
FILES = {
    "workbook of Excel": (workbook, VALUES),
    "R's write.csv": (text("x.csv", r_table(short=False)), VALUES),
    "R's write.table": (text("x.txt", r_table(short=True)), VALUES),
    "semicolons and decimal commas": (table("x.csv", tidy(), **EUROPEAN), VALUES),
    "the same, 2,000 features wide": (
        table("x.csv", tidy(WIDE, [f"g{i}" for i in range(2000)]), **EUROPEAN),
        WIDE,
    ),
    "genes in rows, some twice": (twice, VALUES),
    "age among the genes": (table("x.csv", tidy(age=[61, 45, 70, 38])), VALUES),
    "many columns beside the probes": (
        table("x.csv", tidy(genes=["1_at", "2_at", "3_at"], age=[61, 45, 70, 38], batch=[1] * 4)),
        VALUES,
    ),
    "ARFF of Weka": (arff, VALUES),
    "AnnData (`.h5ad`, with the extra `h5ad`)": (anndata_file, VALUES),
    "expression and a phenotype file": (with_phenotype, VALUES),
    "counts of RNA-seq, phenotype in GEO": (with_series, LOG_CPM),
    "featureCounts": (feature_counts, LOG_CPM),
    "missing values": (table("x.csv", tidy(HOLE)), HOLE),
    "a value missing, features dropped": (table("x.csv", tidy(HOLE)), VALUES[:, [0, 2]]),
}


def test_every_row_of_the_page_has_its_file_here_and_no_other():
    assert list(rows_of_the_page()) == list(FILES)


@pytest.mark.parametrize("kind", FILES)
def test_a_file_is_read_as_the_page_says(tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    row = rows_of_the_page()[kind]
    write, expected = FILES[kind]
    cells = {key: row[key].strip("`") for key in ("label", "id_column", "orientation", "options")}
    cells = {"id": "mine", "source": "table", "location": write(tmp_path), **cells}
    Path("my.tsv").write_text("\t".join(cells) + "\n" + "\t".join(cells.values()) + "\n")
    dataset = read_sheet("my.tsv")["mine"]
    series = read_table(dataset.location, dataset)
    np.testing.assert_allclose(series.values.T, expected, rtol=1e-12)
    assert list(series.labels) == DIAGNOSIS
    told = f"{series.n_samples} samples, {series.n_features} features"
    told += f", {len(set(series.groups))} groups" if series.groups is not None else ""
    assert row["what comes out"] == told + (", values missing" if series.missing else "")
    assert re.fullmatch("[0-3s].*", str(series.samples[0]))


def test_the_files_of_the_test_profile_are_one_series_in_every_kind(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT / ".test")
    settings = yaml.safe_load(Path("config/config.yaml").read_text())
    rows, study = read_sheet(Path("config/small.tsv")), settings["studies"]["inputs"]
    urls = settings["download"]["base_urls"]
    first, *others = (
        acquire(rows[name], downloads=tmp_path, base_urls=urls) for name in study["datasets"]
    )
    assert {row.source for row in rows.values()} == {"simulate", "table", "geo", "cumida"}
    for other in others:
        np.testing.assert_array_equal(other.values, first.values)
        for part in ("features", "samples", "labels"):
            assert getattr(other, part).tolist() == getattr(first, part).tolist()
