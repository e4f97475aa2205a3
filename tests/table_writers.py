"""Writers of a table in every format, by the name of the file, with pandas or by hand."""

from functools import partial

import pandas as pd
import pytest
from scipy import sparse


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


def _cells(frame, path, *, is_sparse=False):
    """Write samples as cells of an AnnData file: columns of texts in obs, the others as genes."""
    h5py = pytest.importorskip("h5py", reason="needs the extra h5ad")
    from cell_files import encoded, put_table

    genes = frame.select_dtypes("number")
    values = genes.to_numpy(dtype=float)
    with h5py.File(path, "w") as file:
        if is_sparse:
            stored = sparse.csr_array(values)
            group = encoded(file.create_group("X"), "csr_matrix", "0.1.0", shape=values.shape)
            for name in ("data", "indices", "indptr"):
                array = getattr(stored, name)
                encoded(group.create_dataset(name, data=array, chunks=True), "array")
        else:
            encoded(file.create_dataset("X", data=values), "array")
        texts = {name: frame[name].to_numpy(dtype=object) for name in frame if name not in genes}
        put_table(file, "obs", list(frame.index), **texts)
        put_table(file, "var", list(genes))


def _series_matrix(frame, path):
    """https://www.ncbi.nlm.nih.gov/geo/info/ describes the records of a series matrix."""
    samples = list(frame.index)
    lines = [["!Series_geo_accession", "GSE1"], ["!Sample_geo_accession", *samples]]
    genes = frame.select_dtypes("number")
    for name in frame:
        if name not in genes:
            texts = [f"{name}: {text}" for text in frame[name]]
            lines.append(["!Sample_characteristics_ch1", *texts])
    quoted = [[line[0], *(f'"{cell}"' for cell in line[1:])] for line in lines]
    quoted += [["!series_matrix_table_begin"], ['"ID_REF"', *(f'"{name}"' for name in samples)]]
    quoted += [[f'"{name}"', *map(repr, genes[name].tolist())] for name in genes]
    quoted.append(["!series_matrix_table_end"])
    text = "".join("\t".join(line) + "\n" for line in quoted)
    path.write_text(text, encoding="utf-8")


#: Writers of the formats that declare what describes samples.
DESCRIBED = {
    "cells.h5ad": _cells,
    "sparse.h5ad": partial(_cells, is_sparse=True),
    "series_matrix.txt": _series_matrix,
}
