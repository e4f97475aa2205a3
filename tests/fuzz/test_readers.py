"""Damaged files: every reader reads them, or refuses with an `InputError` of some lines.

`make fuzz` tries 100,000 of them; the suite some hundred. XNBFLOW_FUZZ says how many per reader.
"""

import gzip
import os
import warnings

import numpy as np
import pandas as pd
import pytest

from xnbflow.data.dataset import DataSet, DataSetHeader
from xnbflow.data.errors import InputError
from xnbflow.data.sources.acquisition import acquire
from xnbflow.data.sources.annotation import read_annotation
from xnbflow.data.sources.cumida import read_cumida_csv
from xnbflow.data.sources.geo import read_geo
from xnbflow.data.sources.phenotype import read_phenotype
from xnbflow.data.sources.sheet import SheetRow, read_sheet
from xnbflow.data.sources.table import read_table
from xnbflow.evaluation.folds_file import read_folds

COUNT = int(os.environ.get("XNBFLOW_FUZZ", "25"))
#: What people and programs leave in files.
TOKENS = [b"", b"NA", b"?", b"inf", b"1e999", b"-", b"x", b"\t", b",", b";", b"\n", b"\r", b'"']
TOKENS += [b"\xff", b"\0", b"9" * 400, b"1_0", b"0x1", b"\xef\xbb\xbf", b"=1", b"!", b"^", b"#"]
#: A message may quote some of what it found, and say what to do.
LONGEST = 700

SAMPLES = [f"s{i}" for i in range(8)]
VALUES = np.random.default_rng(0).normal(8, 2, (6, 8)).round(3)


def rows(separator):
    lines = [["samples", "type", *(f"g{i}" for i in range(6))]]
    lines += [[s, "ab"[i % 2], *map(str, VALUES[:, i])] for i, s in enumerate(SAMPLES)]
    return "\n".join(separator.join(line) for line in lines) + "\n"


def columns():
    lines = [["id", *SAMPLES], ["type", *("ab"[i % 2] for i in range(8))]]
    lines += [[f"g{j}", *map(str, VALUES[j])] for j in range(6)]
    return "\n".join("\t".join(line) for line in lines) + "\n"


def series_matrix():
    quoted = [f'"{s}"' for s in SAMPLES]
    lines = ['!Series_title\t"A series"', '!Series_geo_accession\t"GSE1"', ""]
    lines += ["\t".join(["!Sample_title", *(f'"{"ab"[i % 2]}"' for i in range(8))])]
    lines += ["\t".join(["!Sample_geo_accession", *quoted])]
    lines += ["\t".join(["!Sample_characteristics_ch1", *['"Age: 3"'] * 8])]
    lines += ["!series_matrix_table_begin", "\t".join(['"ID_REF"', *quoted])]
    lines += ["\t".join([f'"g{j}"', *map(str, VALUES[j])]) for j in range(6)]
    return "\n".join([*lines, "!series_matrix_table_end"]) + "\n"


def soft():
    lines = ["^DATABASE = Geo", "^DATASET = GDS1", "!dataset_value_type = count"]
    for name, members in (("a", "s0,s2,s4,s6"), ("b", "s1,s3,s5,s7")):
        lines += [f"^SUBSET = GDS1_{name}", f"!subset_description = {name}"]
        lines += [f"!subset_sample_id = {members}", "!subset_type = state"]
    lines += ["^DATASET = GDS1", *(f"#{s} = Value for {s}: t; src: k" for s in SAMPLES)]
    lines += ["!dataset_table_begin", "\t".join(["ID_REF", "IDENTIFIER", *SAMPLES])]
    lines += ["\t".join([f"g{j}", "TP53", *map(str, VALUES[j])]) for j in range(6)]
    return "\n".join([*lines, "!dataset_table_end"]) + "\n"


def arff():
    lines = ["@relation toy", "@attribute type {a,b}"]
    lines += [*(f"@attribute g{j} numeric" for j in range(6)), "@data"]
    lines += [",".join(["ab"[i % 2], *map(str, VALUES[:, i])]) for i in range(8)]
    return "\n".join(lines) + "\n"


def protein():
    lines = ["pdb\tchain\tdssp_no\tss8\tphi\tpsi"]
    lines += [f"1XYZ\tA\t{n}\t{'HETS-'[n % 5]}\t{-n}.5\t{10 * n - 180}" for n in range(1, 24)]
    return "\n".join(lines) + "\n"


def magic():
    rng = np.random.default_rng(1)
    return "".join(
        ",".join([*map(str, rng.random(10).round(4)), "gh"[n % 2]]) + "\n" for n in range(10)
    )


def arrhythmia():
    rng = np.random.default_rng(1)
    return "".join(
        ",".join([*map(str, rng.integers(0, 9, 279)), str(1 + n % 2)]) + "\n" for n in range(10)
    )


def sheet():
    lines = ["id\tsource\tlocation\tsamples\tfeatures\tclasses\tlabel\tid_column\torientation"]
    lines[0] += "\toptions\tsha256"
    lines += ["toy\ttable\tdata/toy.csv\t8\t6\t2\ttype\tsamples\trows\tdrop=a\t"]
    return "\n".join(lines) + "\n"


def folds():
    return "sample\tfold\n" + "".join(f"{s}\t{i % 2}\n" for i, s in enumerate(SAMPLES))


def phenotype():
    return "id\ttype\tage\n" + "".join(f"{s}\t{'ab'[i % 2]}\t{i}\n" for i, s in enumerate(SAMPLES))


def annotation():
    lines = ["^Annotation", "!Annotation_platform = GPL1", "!platform_table_begin"]
    lines += ["ID\tGene title\tGene symbol\tGene ID"]
    lines += [f"g{j}\ttitle\tSYM{j}///X\t{j}" for j in range(6)]
    return "\n".join([*lines, "!platform_table_end"]) + "\n"


def as_table(path, **options):
    fields = {"label": "type"} | options
    return read_table(path, SheetRow("toy", "table", str(path), **fields))


def published(source, location, file):
    def read(path):
        base = path.parent / "base"
        (base / file).parent.mkdir(parents=True, exist_ok=True)
        (base / file).write_bytes(path.read_bytes())
        row = SheetRow("toy", source, location)
        for stale in (path.parent / "downloads").rglob("*.*"):
            stale.unlink(missing_ok=True)
        return acquire(row, downloads=path.parent / "downloads", base_urls={source: [str(base)]})

    return read


#: Per reader: a file's name, a good file, and what reads it.
READERS = {
    "cumida": ("t.csv", rows(","), lambda path: read_cumida_csv(path, "toy")),
    "cumida gzipped": ("t.csv.gz", rows(","), lambda path: read_cumida_csv(path, "toy")),
    "table": ("t.csv", rows(","), lambda path: as_table(path, id_column="samples")),
    "table, semicolons": (
        "t.csv",
        rows(";").replace(".", ","),
        lambda path: as_table(path, id_column="samples"),
    ),
    "table gzipped": ("t.tsv.gz", rows("\t"), lambda path: as_table(path, id_column="samples")),
    "columns": ("t.tsv", columns(), lambda path: as_table(path, orientation="columns")),
    "arff": ("t.arff", arff(), as_table),
    "series matrix": (
        "t_series_matrix.txt",
        series_matrix(),
        lambda path: read_geo(path, SheetRow("toy", "geo", str(path), label="title")),
    ),
    "soft": (
        "GDS1.soft",
        soft(),
        lambda path: read_geo(
            path, SheetRow("toy", "geo", str(path), label="characteristics:state")
        ),
    ),
    "annotation": (
        "GPL1.annot",
        annotation(),
        lambda path: read_annotation(path, [f"g{j}" for j in range(6)])[0],
    ),
    "phenotype": (
        "p.tsv",
        phenotype(),
        lambda path: read_phenotype(path, SheetRow("toy", "table", "t.csv", label="type")),
    ),
    "folds": (
        "f.tsv",
        folds(),
        lambda path: read_folds(
            path, DataSetHeader("toy", np.array(SAMPLES), np.array(list("ab" * 4)), 6), 2, 1
        ),
    ),
    "sheet": ("sheet.tsv", sheet(), read_sheet),
    "protein": ("x", protein(), published("angular", "protein-helix", "protein_dihedrals.tsv")),
    "window": ("x", protein(), published("angular", "protein-window", "protein_dihedrals.tsv")),
    "magic": ("x", magic(), published("uci", "magic", "magic/magic04.data")),
    "arrhythmia": ("x", arrhythmia(), published("uci", "arrhythmia", "arrhythmia/arrhythmia.data")),
}


def damaged(rng, good):
    """Change, drop, double or insert a few bytes somewhere, or cut the end off."""
    content = bytearray(good)
    for _ in range(rng.integers(1, 5)):
        at = int(rng.integers(len(content)))
        end = at + int(rng.integers(1, 8))
        how = rng.integers(6)
        if how == 0:
            content[at] = rng.integers(256)
        elif how == 1:
            content[at:end] = TOKENS[rng.integers(len(TOKENS))]
        elif how == 2:
            content[at:at] = TOKENS[rng.integers(len(TOKENS))]
        elif how == 3:
            content[at:at] = content[at:end]
        elif how == 4:
            del content[at:end]
        else:
            del content[at:]
        if not content:
            break
    return bytes(content)


def packed(path, content):
    return gzip.compress(content, mtime=0) if path.suffix == ".gz" else content


def is_sound(found):
    """Whether what was read is finite, and of the types that others rely on."""
    if isinstance(found, DataSet):
        return np.isfinite(found.values).all() or found.values.dtype == float
    return isinstance(found, pd.DataFrame | dict)


@pytest.mark.parametrize("reader", READERS)
def test_a_good_file_is_read(tmp_path, reader):
    name, good, read = READERS[reader]
    path = tmp_path / name
    path.write_bytes(packed(path, good.encode()))
    assert is_sound(read(path))


@pytest.mark.parametrize("reader", READERS)
def test_a_damaged_file_is_read_or_refused(tmp_path, reader):
    name, good, read = READERS[reader]
    path = tmp_path / name
    rng = np.random.default_rng(sum(reader.encode()))
    inner = packed(path, good.encode())
    for _ in range(COUNT):
        broken = rng.random() < 0.3  # of gzipped files the archive itself
        content = damaged(rng, inner) if broken else packed(path, damaged(rng, good.encode()))
        path.write_bytes(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            try:
                assert is_sound(read(path))
            except InputError as error:
                message = str(error).replace(str(tmp_path), "")
                assert len(message) <= LONGEST, message
