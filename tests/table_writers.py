"""Writers of a table in every format, by the name of the file, with pandas or by hand.

A table has a row for each sample: its class in the column ``type``, further texts, and numbers of
genes. `read_written` writes it in one of `PLACES` or `COUNT_FOLDERS` and reads it again.
"""

from functools import partial

import pandas as pd
import pytest
from scipy import sparse
from toys import put

from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.count_folder import counts_text, merge_counts
from xnbflow.sources.geo import read_geo
from xnbflow.sources.table import read_table


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
}


def _anndata(frame, path, *, is_sparse=False):
    """Write an AnnData file: columns of texts in obs, the others as features."""
    anndata = pytest.importorskip("anndata", reason="needs the extra h5ad")
    genes = frame.select_dtypes("number")
    values = genes.to_numpy(dtype=float)
    matrix = sparse.csr_array(values) if is_sparse else values
    texts = frame.drop(columns=list(genes)).rename_axis(None)
    anndata.AnnData(matrix, texts, pd.DataFrame(index=list(genes))).write_h5ad(path)


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
    "dense.h5ad": _anndata,
    "sparse.h5ad": partial(_anndata, is_sparse=True),
    "series_matrix.txt": _series_matrix,
}

#: Each format with the orientations that it can have.
PLACES = [(name, orientation) for name in FORMATS for orientation in ("rows", "columns")]
PLACES += [("dense.h5ad", "rows"), ("sparse.h5ad", "rows"), ("series_matrix.txt", "columns")]

#: Files of one sample as programs write them: header, cells of a gene, and summary lines.
COUNT_FOLDERS = {
    "HTSeq": ("", "{gene}\t{count}", "__no_feature\t7\n"),
    "STAR": ("N_unmapped\t5\t5\t5\n", "{gene}\t{count}\t{count}\t0", ""),
    "Salmon": ("Name\tLength\tTPM\tNumReads\n", "{gene}\t500\t1.5\t{count}", ""),
    "kallisto": ("target_id\test_counts\ttpm\n", "{gene}\t{count}\t1.5", ""),
    "RSEM": ("gene_id\texpected_count\tTPM\n", "{gene}\t{count}\t1.5", ""),
    "featureCounts": ("Geneid\tChr\tLength\ta.bam\n", "{gene}\tchr1\t500\t{count}", ""),
}


def read_written(folder, name, table, orientation="rows", **options):
    """Write a table of samples in a format and orientation, and read it with options."""
    path = folder / name
    if name in COUNT_FOLDERS:
        return _read_counts(path, name, table, options)
    if name in DESCRIBED:
        DESCRIBED[name](table, path)
        if name == "series_matrix.txt":
            return read_geo(path, DatasetEntry("x", "geo", label="type", **options))
        return read_table(path, DatasetEntry("x", "table", label="type", **options))
    write, has_types = FORMATS[name]
    if orientation == "columns":
        table = (table.astype(str) if has_types else table).T.rename_axis("key")
    write(table, path)
    if name == "pipe.txt":
        options["separator"] = "pipe"
    if name == "semicolon.csv":
        options |= {"separator": "semicolon", "decimal": "comma"}
    row = DatasetEntry("x", "table", label="type", id_column="key", samples=orientation, **options)
    return read_table(path, row)


def _read_counts(folder, program, table, options):
    """Write a file for each sample, merge the files, and read them with a file of the classes."""
    header, line, summary = COUNT_FOLDERS[program]
    genes = table.select_dtypes("number")
    for sample, counts in genes.iterrows():
        lines = [line.format(gene=gene, count=f"{count:g}") for gene, count in counts.items()]
        put(folder, header + "\n".join(lines) + "\n" + summary, f"{sample}.tsv")
    merged = put(folder.parent, counts_text(merge_counts(folder)), "merged.tsv")
    classes = folder.parent / "classes.tsv"
    table[["type"]].to_csv(classes, sep="\t", index_label="sample")
    options = {"phenotype": str(classes)} | options
    row = DatasetEntry("x", "table", label="type", samples="columns", **options)
    return read_table(merged, row)
