"""Tables as people have them, small, of which `xnbflow study` must propose what runs."""

import numpy as np
import pandas as pd
from toys import put

from xnbflow.data.dataset import DataSet
from xnbflow.sources.genepattern import write_gct_and_cls

N = 24
GENES = [f"g{i}" for i in range(30)]


def genes(seed=0, n=N, signal=None):
    """Return logarithms of intensities, of which four genes differ in the first half."""
    values = np.random.default_rng(seed).normal(8, 1, (n, len(GENES)))
    values[: signal or n // 2, :4] += 3
    return values.round(3)


def table(n=N, values=None, **columns):
    """Return samples in rows: a diagnosis and further columns, then genes."""
    frame = pd.DataFrame(genes(n=n) if values is None else values, columns=GENES)
    own = {"diagnosis": np.repeat(["ill", "well"], [n // 2, n - n // 2])} | columns
    known = {name: cells for name, cells in own.items() if cells is not None}
    return pd.concat([pd.DataFrame(known), frame], axis=1)


def over(*values, n=N):
    """Repeat values over samples, one after the other."""
    return [values[i % len(values)] for i in range(n)]


def _ages(seed=1):
    return np.random.default_rng(seed).integers(18, 80, N)


def _psa(seed=2):
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
}


def _columns(folder):
    frame = table(plate=over("A", "B"), age=_ages(), treatment=over("none given", "drug X")).T
    frame.columns = PATIENTS
    frame.to_csv(folder / "x.tsv", sep="\t", index_label="gene")
    return folder / "x.tsv", {"label": "diagnosis"}


def _number_classes(folder):
    table(diagnosis=over(0, 1)).to_csv(folder / "x.csv", index=False)
    return folder / "x.csv", {"label": "diagnosis"}


def _cut_points(folder):
    table(age=_ages(), patient=np.repeat(PATIENTS[:12], 2)).to_csv(folder / "x.csv", index=False)
    return folder / "x.csv", {"label": "age", "options": {"map": "<50:young,>=50:old"}}


def _phenotype(folder):
    pd.DataFrame(genes(), PATIENTS, GENES).T.to_csv(folder / "x.csv", index_label="gene")
    known = {"plate": over("A", "B"), "age": _ages(), "diagnosis": over("a", "b", "b")}
    pd.DataFrame(known, PATIENTS).to_csv(folder / "p.csv", index_label="sample")
    return folder / "x.csv", {"options": {"phenotype": str(folder / "p.csv")}}


def _workbook(folder):
    with pd.ExcelWriter(folder / "x.xlsx") as book:
        table(patient=_PAIRS).to_excel(book, sheet_name="values", index=False)
        table().to_excel(book, sheet_name="others", index=False)
    return folder / "x.xlsx", {}


def _texts(folder):
    cells = table().map(
        lambda cell: str(cell).replace(".", ",") if isinstance(cell, float) else cell
    )
    cells.to_excel(folder / "x.xlsx", index=False)
    return folder / "x.xlsx", {}


def _utf16(folder):
    text = table(Klinik=over("Köln", "Ulm")).to_csv(index=False, sep="\t")
    return put(folder, text.encode("utf-16"), "x.txt"), {}


def _windows(folder):
    text = table(Klinik=over("Köln", "Ulm")).to_csv(index=False)
    return put(folder, text.encode("cp1252"), "x.csv"), {"options": {"encoding": "cp1252"}}


def _semicolons(folder):
    text = table(plate=over("A", "B")).to_csv(index=False, sep=";", decimal=",")
    return put(folder, text, "x.csv"), {}


def _gct(folder):
    cells = {"diagnosis": over("ill", "well"), "age": _ages(), "plate": over("A", "B", "C")}
    rows = [["#1.3"], [str(len(GENES)), str(N), "1", "3"], ["id", "symbol", *PATIENTS]]
    rows += [[name, "na", *map(str, known)] for name, known in cells.items()]
    rows += [[g, g.upper(), *map(str, genes()[:, i])] for i, g in enumerate(GENES)]
    text = "".join("\t".join(row) + "\n" for row in rows)
    return put(folder, text, "x.gct"), {"label": "diagnosis"}


def _gct_and_cls(folder):
    labels = np.repeat(["ill", "well"], N // 2)
    path, classes = write_gct_and_cls(
        DataSet("x", genes().T, GENES, PATIENTS, labels), folder / "x"
    )
    return path, {"options": {"phenotype": str(classes)}}


def _series_matrix(folder):
    known = {"diagnosis": over("none", "asthma"), "patient": _PAIRS, "scan date": over("1", "2")}
    heads = [
        ["!Series_title", "x"], ["!Series_geo_accession", "GSE9"], ["!Sample_title", *PATIENTS],
        ["!Sample_geo_accession", *(f"GSM{i}" for i in range(N))],
        *(["!Sample_characteristics_ch1", *(f"{k}: {c}" for c in v)] for k, v in known.items()),
        ["!series_matrix_table_begin"], ["ID_REF", *(f"GSM{i}" for i in range(N))],
        *([name, *map(str, row)] for name, row in zip(GENES, genes().T, strict=True)),
        ["!series_matrix_table_end"],
    ]  # fmt: skip
    text = "".join("\t".join(f'"{cell}"' for cell in row) + "\n" for row in heads)
    text = text.replace('"!', "!").replace('begin"', "begin").replace('end"', "end")
    for name in {row[0] for row in heads if row[0].startswith("!")}:
        text = text.replace(f'{name}"', name)
    return put(folder, text, "x_series_matrix.txt"), {}


#: Other files, by name: each function writes one, and returns it and what the user gives.
FILES = {
    "samples in columns": _columns,
    "classes 0 and 1": _number_classes,
    "classes by cut points": _cut_points,
    "a phenotype file": _phenotype,
    "a workbook of two sheets": _workbook,
    "a workbook of texts with decimal commas": _texts,
    "UTF-16": _utf16,
    "Windows": _windows,
    "semicolons and decimal commas": _semicolons,
    "GCT 1.3": _gct,
    "GCT and CLS": _gct_and_cls,
    "a series matrix": _series_matrix,
}

NAMES = [*ROWS, *FILES]


def write(name, folder):
    """Write the table of a name; return its path and what the user gives beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    if name in FILES:
        return FILES[name](folder)
    ROWS[name]().to_csv(folder / "x.csv", index=False)
    return folder / "x.csv", {}
