"""Write the files of the study `inputs`: one simulated series in each kind of file that is read.

Run it in this folder: ``python make.py``. It needs pandas and openpyxl.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

SAMPLES, FEATURES = 24, 20
ACCESSIONS = [f"GSM{i}" for i in range(1, SAMPLES + 1)]
PROBES = [f"probe_{j:02d}" for j in range(FEATURES)]


def series() -> pd.DataFrame:
    """Return samples with their diagnosis and log2 expression; four probes differ."""
    rng = np.random.default_rng(7)
    labels = np.array(["normal", "tumour"])[np.arange(SAMPLES) % 2]
    values = rng.normal(8.0, 1.0, (SAMPLES, FEATURES))
    values[:, :4] += 2.0 * (labels == "tumour")[:, None]
    frame = pd.DataFrame(values.round(2), ACCESSIONS, PROBES)
    frame.insert(0, "diagnosis", labels)
    return frame.rename_axis("sample")


def series_matrix(frame: pd.DataFrame) -> str:
    """Return a series matrix of GEO."""

    def line(name: str, cells: Iterable[str]) -> str:
        return "\t".join([name, *(f'"{cell}"' for cell in cells)])

    lines = [
        '!Series_title\t"A simulated series"',
        '!Series_geo_accession\t"GSE1"',
        "",
        line("!Sample_title", (f"{label} {i}" for i, label in enumerate(frame["diagnosis"]))),
        line("!Sample_geo_accession", frame.index),
        line("!Sample_characteristics_ch1", (f"diagnosis: {x}" for x in frame["diagnosis"])),
        "!series_matrix_table_begin",
        line('"ID_REF"', frame.index),
    ]
    lines += ["\t".join([f'"{probe}"', *map(str, frame[probe])]) for probe in PROBES]
    return "\n".join([*lines, "!series_matrix_table_end", ""])


if __name__ == "__main__":
    own = series()
    own.to_csv("table.csv")
    own.to_excel("workbook.xlsx")
    Path("series_matrix.txt").write_text(series_matrix(own), encoding="utf-8")
    own.rename(columns={"diagnosis": "type"}).rename_axis("samples").to_csv("cumida/Brain_GSE1.csv")
