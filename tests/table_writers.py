"""Writers of a table in every format, by the name of the file, with pandas or by hand."""

import pandas as pd
import pytest


def in_text(separator, decimal=".", encoding="utf-8", compression=None):
    def write(frame, path):
        if decimal == ",":  # pandas writes it in columns of numbers alone
            frame = frame.map(lambda c: c if isinstance(c, str) else repr(c).replace(".", ","))
        frame.to_csv(path, sep=separator, encoding=encoding, compression=compression)

    return write


def in_workbook(frame, path):
    pytest.importorskip("openpyxl", reason="writes the workbook")
    frame.to_excel(path)


def in_parquet(frame, path):
    frame.convert_dtypes().to_parquet(path)


def in_arff(frame, path):
    """https://waikato.github.io/weka-wiki/formats_and_processing/arff_stable/."""
    lines = ["@relation x", f"@attribute '{frame.index.name}' string"]
    for name in frame:
        kind = "numeric" if pd.api.types.is_numeric_dtype(frame[name]) else "string"
        lines.append(f"@attribute '{name}' {kind}")
    lines.append("@data")
    for name, row in zip(frame.index, frame.itertuples(index=False), strict=True):
        lines.append(
            ",".join([f"'{name}'", *(f"'{c}'" if isinstance(c, str) else repr(c) for c in row)])
        )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


#: Writers by the name of the file, and whether the format has columns of numbers alone.
FORMATS = {
    "comma.csv": (in_text(","), False),
    "tab.tsv": (in_text("\t"), False),
    "semicolon.csv": (in_text(";", decimal=","), False),
    "pipe.txt": (in_text("|"), False),
    "packed.csv.gz": (in_text(",", compression="gzip"), False),
    "utf16.txt": (in_text("\t", encoding="utf-16"), False),
    "book.xlsx": (in_workbook, False),
    "table.parquet": (in_parquet, True),
    "weka.arff": (in_arff, True),
}
