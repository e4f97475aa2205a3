"""Small tables as people have them, for which `xnbflow study` must propose a study that runs.

`NAMES` are those of all tables: `ROWS` have samples in rows and are written as CSV, `TEXTS` are in
other encodings and separators, `FILES` in other formats. `write` writes one by its name.
"""

import numpy as np
import pandas as pd
from toys import put, put_gct

from xnbflow.data.dataset import DataSet
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.proposal.summary import Summary

N = 24
GENES = [f"g{i}" for i in range(30)]


def genes(seed=0, n=N, signal=None):
    """Return logarithms of intensities, of which four genes differ in the first half."""
    values = np.random.default_rng(seed).normal(8, 1, (n, len(GENES)))
    values[: signal or n // 2, :4] += 3
    return values.round(3)


def table(n=N, values=None, **columns):
    """Return samples in rows: a diagnosis and further columns, then genes; None leaves one out."""
    frame = pd.DataFrame(genes(n=n) if values is None else values, columns=GENES)
    phenotype = {"diagnosis": np.repeat(["ill", "well"], [n // 2, n - n // 2])} | columns
    phenotype = {name: cells for name, cells in phenotype.items() if cells is not None}
    return pd.concat([pd.DataFrame(phenotype), frame], axis=1)


def summary_of_labels(labels, groups=None):
    """Return what a summary of a table has of its samples."""
    return Summary(
        accession="x",
        n_samples=len(labels),
        has_table=True,
        values=pd.DataFrame(columns=["field", "value", "samples"]),
        entry=DatasetEntry("x", "table", "x.csv", label="type"),
        reason="",
        labels=np.array(labels),
        groups=groups,
    )


def over(*values, n=N):
    """Repeat values over samples, one after the other."""
    return np.resize(values, n).tolist()


def _ages(seed=1):
    """Whole numbers from 18 to 79."""
    return np.random.default_rng(seed).integers(18, 80, N)


def _psa(seed=2):
    """Positive numbers with one decimal, whose logarithms are normal."""
    return np.random.default_rng(seed).lognormal(2, 1, N).clip(0.1, 79).round(1)


PATIENTS = [f"P{i:02}" for i in range(N)]
#: Of six patients both tissues, twice.
_PAIRS = [f"P{i % 6}" for i in range(N)]

#: What is written as CSV, by name.
ROWS = {
    "two plates": lambda: table(plate=over("A", "B")),
    "a plate for each class": lambda: table(plate=np.repeat(["A", "B"], N // 2)),
    "two scan dates": lambda: table(ScanDate=over("2020-01-02", "2020-02-03")),
    "a date for each sample": lambda: table(run_date=[f"2020-01-{i + 1:02}" for i in range(N)]),
    "a hospital of one class": lambda: table(hospital=["Ulm"] * 12 + over("Bonn", "Kiel", n=12)),
    "patients twice": lambda: table(patient=np.repeat(PATIENTS[:12], 2)),
    "three patients": lambda: table(patient=over("P1", "P2", "P3")),
    "four patients of each class": lambda: table(patient=np.repeat(PATIENTS[:8], 3)),
    "patients of one class but two": lambda: table(donor=["x"] * 10 + ["y"] * 2 + PATIENTS[12:]),
    "patients, some unknown": lambda: table(patient=["", "NA", *np.repeat(PATIENTS[:11], 2)]),
    "an unnamed index": lambda: table().rename(columns={"diagnosis": "group"}).reset_index(),
    "ages, some unknown": lambda: table(age=[*_ages().astype(str)[1:], ""]),
    "clinical numbers": lambda: table(Alter=_ages(), PSA=_psa()),
    "clinical numbers of other names": lambda: table(kreatinin_um=_ages(3) + 60, dauer=_ages(4)),
    "survival beside classes": lambda: table(OS_months=_psa(), status=over("dead", "alive")),
    "free text": lambda: table(note=[f"seen in week {i}; = well, *" for i in range(N)]),
    "an empty column": lambda: table(remark=[""] * N),
    "names with commas": lambda: table(**{"Age, years": _ages(), "site; a=b": over("x", "y")}),
    "two columns of one name": lambda: pd.concat(
        [pd.DataFrame({"note": over("a", "b")}), table(note=over("c", "d"))], axis=1
    ),
    "classes named as what is missing": lambda: table(diagnosis=over("none", "drug")),
    "unknown classes": lambda: table(diagnosis=[*over("ill", "well", n=20), *["NA"] * 4]),
    "classes of four": lambda: table(n=8),
    "classes of three": lambda: table(n=6),
    "a class of two": lambda: table(diagnosis=["rare"] * 2 + ["ill"] * 11 + ["well"] * 11),
    "letters of all kinds": lambda: table(diagnosis=over("Tumör ≥ 2", "größer, kleiner")),
    "intensities and ages": lambda: table(values=(2 ** genes()).round(1), age=_ages()),
    "classes 0 and 1": lambda: table(diagnosis=over(0, 1)),
    "classes by cut points": lambda: table(age=_ages(), patient=np.repeat(PATIENTS[:12], 2)),
}
#: What is written as text of another form: its file, how it is separated, and its encoding.
TEXTS = {
    "UTF-16": ("x.txt", {"sep": "\t"}, "utf-16"),
    "Windows": ("x.csv", {}, "cp1252"),
    "semicolons and decimal commas": ("x.csv", {"sep": ";", "decimal": ","}, "utf-8"),
}
#: What the user gives beside a table.
GIVEN = {
    "classes 0 and 1": {"label": "diagnosis"},
    "classes by cut points": {"label": "age", "settings": ['map={"<50": young, ">=50": old}']},
    "Windows": {"settings": ["encoding=cp1252"]},
}


def _columns(folder):
    """Samples in columns; the classes, plates, ages and treatments are rows above the genes."""
    frame = table(plate=over("A", "B"), age=_ages(), treatment=over("none given", "drug X")).T
    frame.columns = PATIENTS
    frame.to_csv(folder / "x.tsv", sep="\t", index_label="gene")
    return folder / "x.tsv", {"label": "diagnosis"}


def _phenotype(folder):
    """Genes in rows, and the columns of the samples in a file of its own."""
    pd.DataFrame(genes(), PATIENTS, GENES).T.to_csv(folder / "x.csv", index_label="gene")
    columns = {"plate": over("A", "B"), "age": _ages(), "diagnosis": over("a", "b", "b")}
    pd.DataFrame(columns, PATIENTS).to_csv(folder / "p.csv", index_label="sample")
    return folder / "x.csv", {"phenotype": str(folder / "p.csv")}


def _workbook(folder):
    """A workbook of two sheets, each of which is a table of samples."""
    with pd.ExcelWriter(folder / "x.xlsx") as book:
        table(patient=_PAIRS).to_excel(book, sheet_name="values", index=False)
        table().to_excel(book, sheet_name="others", index=False)
    return folder / "x.xlsx", {}


def _texts(folder):
    """A workbook whose numbers are texts with decimal commas."""
    cells = table().map(
        lambda cell: str(cell).replace(".", ",") if isinstance(cell, float) else cell
    )
    cells.to_excel(folder / "x.xlsx", index=False)
    return folder / "x.xlsx", {}


def _gct(folder):
    """GCT 1.3, which has columns of the samples above the genes."""
    cells = {"diagnosis": over("ill", "well"), "age": _ages(), "plate": over("A", "B", "C")}
    rows = [["#1.3"], [str(len(GENES)), str(N), "1", "3"], ["id", "symbol", *PATIENTS]]
    rows += [[name, "na", *map(str, column)] for name, column in cells.items()]
    rows += [[g, g.upper(), *map(str, genes()[:, i])] for i, g in enumerate(GENES)]
    text = "".join("\t".join(row) + "\n" for row in rows)
    return put(folder, text, "x.gct"), {"label": "diagnosis"}


def _gct_and_cls(folder):
    """GCT 1.2 with the classes in a CLS file."""
    labels = np.repeat(["ill", "well"], N // 2)
    series = DataSet("x", genes().T, features=GENES, samples=PATIENTS, labels=labels)
    path, classes = put_gct(folder, series)
    return path, {"phenotype": str(classes)}


def _series_matrix(folder):
    """A series matrix of GEO with three characteristics, of pairs of tissues of six patients."""
    characteristics = {
        "diagnosis": over("none", "asthma"),
        "patient": _PAIRS,
        "scan date": over("1", "2"),
    }
    accessions = [f"GSM{i}" for i in range(N)]
    rows = [("!Series_title", ["x"]), ("!Series_geo_accession", ["GSE9"])]
    rows += [("!Sample_title", PATIENTS), ("!Sample_geo_accession", accessions)]
    rows += [
        ("!Sample_characteristics_ch1", [f"{name}: {cell}" for cell in cells])
        for name, cells in characteristics.items()
    ]
    rows += [("!series_matrix_table_begin", []), ('"ID_REF"', accessions)]
    rows += [(f'"{name}"', values) for name, values in zip(GENES, genes().T, strict=True)]
    rows += [("!series_matrix_table_end", [])]
    lines = ("\t".join([name, *(f'"{cell}"' for cell in cells)]) + "\n" for name, cells in rows)
    return put(folder, "".join(lines), "x_series_matrix.txt"), {}


#: Other files, by name: each function writes one, and returns it and what the user gives.
FILES = {
    "samples in columns": _columns,
    "a phenotype file": _phenotype,
    "a workbook of two sheets": _workbook,
    "a workbook of texts with decimal commas": _texts,
    "GCT 1.3": _gct,
    "GCT and CLS": _gct_and_cls,
    "a series matrix": _series_matrix,
}

NAMES = [*ROWS, *TEXTS, *FILES]


def write(name, folder):
    """Write the table of a name; return its path and what the user gives beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    if name in FILES:
        return FILES[name](folder)
    file, how, encoding = TEXTS.get(name, ("x.csv", {}, "utf-8"))
    frame = table(Klinik=over("Köln", "Ulm")) if name in TEXTS else ROWS[name]()
    frame.to_csv(folder / file, index=False, encoding=encoding, **how)
    return folder / file, GIVEN.get(name, {})
