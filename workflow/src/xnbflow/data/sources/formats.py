"""Formats that are no table, known by how they start: each named with its way out."""

from pathlib import Path

from xnbflow.data.errors import InputError
from xnbflow.data.sources.files import open_raw

__all__ = ["format_of", "refuse_other_formats"]

_HEAD = 4096
_SERIES_MATRIX = (b"!Series_", b"!Sample_", b"!series_matrix_table_begin")
_SOFT = (b"^DATABASE", b"^DATASET", b"^SERIES", b"^SAMPLE", b"^PLATFORM", b"^Annotation")
_SIGNATURES = {
    "HDF5": (b"\x89HDF\r\n\x1a\n",),
    "Parquet": (b"PAR1",),
    "old Excel": (b"\xd0\xcf\x11\xe0",),
    "ZIP": (b"PK\x03\x04",),
    "R data": (b"RDX2", b"RDX3", b"RDA2", b"RDA3", b"X\n\x00\x00\x00", b"A\n2\n", b"A\n3\n"),
    "CEL": (b"[CEL]", b"@\x00\x00\x00", b"\x3b\x01\x00\x00\x00"),
    "IDAT": (b"IDAT",),
    "GCT": (b"#1.2", b"#1.3"),
    "PDF": (b"%PDF",),
    "MATLAB": (b"MATLAB 5.0", b"MATLAB 7.3"),
    "NumPy": (b"\x93NUMPY",),
    "Matrix Market": (b"%%MatrixMarket",),
}

_WAY_OUT = {
    "series matrix": "a GEO series matrix: use source geo, and name the file as its location",
    "SOFT": "a SOFT file of GEO: use source geo, and name the file as its location",
    "HDF5": "an HDF5 file: if it is AnnData, let its name end in .h5ad, else export a table",
    "Parquet": "a Parquet file: let its name end in .parquet",
    "old Excel": "an Excel workbook: let its name end in .xls",
    "R data": "a file of R (save or saveRDS): write the matrix with write.csv in R",
    "CEL": (
        "an Affymetrix CEL file of one sample: normalise all samples' files (say by affy::rma in "
        "R) and write one table"
    ),
    "IDAT": "an Illumina IDAT file of one sample: preprocess all samples and write one table",
    "GCT": "a GCT file: remove its first two lines and its column Description",
    "PDF": "a PDF document: get the data themselves",
    "MATLAB": "a MATLAB file: write the matrix with writematrix in MATLAB",
    "NumPy": "a NumPy array, without names: write a table with names of samples and features",
    "Matrix Market": "a sparse matrix without names: make an .h5ad file of it (AnnData)",
}


def format_of(head: bytes) -> str | None:
    r"""Return the format that a file's first bytes show; None for text or what is unknown.

    Examples
    --------
    >>> format_of(b'!Series_title\t"x"'), format_of(b"id,g1")
    ('series matrix', None)
    """
    for name, starts in _SIGNATURES.items():
        if head.startswith(starts):
            return name
    lines = [line.lstrip(b'\xef\xbb\xbf "') for line in head.splitlines()]
    first = next((line for line in lines if line), b"")
    if first.startswith(_SERIES_MATRIX):
        return "series matrix"
    return "SOFT" if first.startswith(_SOFT) else None


def refuse_other_formats(path: str | Path) -> None:
    """Refuse a file that is no text in lines and cells.

    Raises
    ------
    InputError
        Names the format and what to do.
    """
    with open_raw(path) as stream:
        found = format_of(stream.read(_HEAD))
    if found in _WAY_OUT:
        msg = f"{path} is {_WAY_OUT[found]}"
        raise InputError(msg)
