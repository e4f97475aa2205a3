"""Tiny files in the layouts in which the data sets of the shipped studies are published.

`FILES` has for every source that fetches files a function of an entry: it returns files
by their paths below the source's address. All have 11 samples of each class, whose names, classes
and features are hostile texts of `toys.HOSTILE` as far as the layout permits; three features tell
each class. Names of patients begin with `PATIENT`: no file of results may contain it.
"""

import gzip
import io
import tarfile
import zipfile

import numpy as np
import pandas as pd
from toys import HOSTILE

from xnbflow.papers.common.uci import _UCI_SETS
from xnbflow.papers.directional.angular import _ANGULAR_SETS
from xnbflow.sources.geo import accession_path

#: The beginning of the name of every patient.
PATIENT = "Doe, Jane "
#: Samples of a class, for ten folds of both tissues of patients.
OF_A_CLASS = 11
#: Features: hostile names, then those of probes.
PROBES = [*HOSTILE, *(f"{i}_at" for i in range(len(HOSTILE), 30))]


def measured(n_classes, n_features=30):
    """Return the classes of samples, in turn, and values of which three features tell each."""
    codes = np.arange(OF_A_CLASS * n_classes) % n_classes
    values = np.random.default_rng(0).normal(8, 1, (len(codes), n_features))
    for i in range(min(3 * n_classes, n_features)):
        values[codes == i % n_classes, i] += 3
    return codes, values.round(3)


def sample_names(n):
    """Return hostile names, then accessions, for ``n`` samples."""
    return [*HOSTILE, *(f"GSM{i}" for i in range(len(HOSTILE), n))]


def text(table, **options):
    """Return the bytes of a table as CSV; ``options`` are those of `pandas.DataFrame.to_csv`."""
    return table.to_csv(index=False, lineterminator="\n", **options).encode()


def cumida(row):
    """CSV with a line for each sample: its name, its class, its values."""
    codes, values = measured(row.shape.classes)
    table = pd.DataFrame(values, columns=PROBES)
    table.insert(0, "type", [HOSTILE[code] for code in codes])
    table.insert(0, "samples", sample_names(len(codes)))
    kind, _, series = row.location.partition("/")
    return {f"{kind}/{series}/{kind}_{series}.csv": text(table)}


def microarray(row):
    """The layout of CuMiDa, in a file of the series' name."""
    ((_, body),) = cumida(row).items()
    return {f"{row.location}.csv": body}


def geo(row):
    """A series matrix or SOFT file of intensities, and the annotation of its platform."""
    codes, values = measured(2)
    samples = [f"GSM{i}" for i in range(len(codes))]
    table = pd.DataFrame((2**values.T).round(1), PROBES, samples).rename_axis("ID_REF")
    write = soft if row.location.startswith("GDS") else series_matrix
    symbols = pd.DataFrame({"ID": PROBES, "Gene symbol": PROBES})
    platform = row.annotation
    annotation = f"^Annotation\n!Annotation_platform = {platform}\n!platform_table_begin\n"
    annotation += text(symbols, sep="\t").decode() + "!platform_table_end\n"
    files = {accession_path(row.location): write(row.location, codes, table)}
    files[f"platforms/GPLnnn/{platform}/annot/{platform}.annot.gz"] = annotation
    return {path: gzip.compress(content.encode()) for path, content in files.items()}


def series_matrix(accession, codes, table):
    """Return the text of a series matrix; the titles of samples name patients and controls."""
    kinds = np.array(["patient", "healthy control"])[codes]
    names = [name.replace('"', "") for name in sample_names(len(codes))]
    titles = [f"{name} {kind}" for name, kind in zip(names, kinds, strict=True)]
    heads = {"Series_title": [HOSTILE[0]], "Series_geo_accession": [accession]}
    heads |= {"Sample_title": titles, "Sample_geo_accession": table.columns}
    lines = ["\t".join([f"!{key}", *(f'"{x}"' for x in cells)]) for key, cells in heads.items()]
    body = table.to_csv(sep="\t", lineterminator="\n")
    lines += ["!series_matrix_table_begin", f"{body}!series_matrix_table_end\n"]
    return "\n".join(lines)


def soft(accession, codes, table):
    """Return the text of a SOFT file with tumour and normal tissue of each patient.

    Subsets name the samples of a disease state, and those of an individual.
    """
    subsets = [("disease state", name, codes == i) for i, name in enumerate(("RCC", "normal"))]
    pairs = np.arange(len(codes)) // 2
    subsets += [("individual", f"{PATIENT}{pair}", pairs == pair) for pair in np.unique(pairs)]
    lines = ["^DATABASE = Geo", f"^DATASET = {accession}", "!dataset_value_type = count"]
    for i, (kind, name, members) in enumerate(subsets):
        lines += [f"^SUBSET = {accession}_{i}", f"!subset_description = {name}"]
        lines += [f"!subset_sample_id = {','.join(table.columns[members])}"]
        lines += [f"!subset_type = {kind}"]
    lines += [f"^DATASET = {accession}", *(f"#{s} = Value for {s}: {s}" for s in table.columns)]
    table.insert(0, "IDENTIFIER", "identifier")
    body = table.to_csv(sep="\t", lineterminator="\n")
    return "\n".join([*lines, "!dataset_table_begin", f"{body}!dataset_table_end\n"])


def uci(row):
    """Numbers without a header, the class last, with the codes of each file.

    arrhythmia has a missing value, and whole numbers, as covertype has.
    """
    entry = _UCI_SETS[row.location]
    codes, values = measured(row.shape.classes, len(entry.columns) - 1)
    if row.location == "dry-bean":
        return {entry.path: dry_bean(entry, codes, values)}
    if row.location in ("arrhythmia", "covertype"):
        values = values.round()
    if row.location == "covertype":  # soil types and wilderness areas are indicators
        values[:, 10:] = values[:, 10:] > 8
    table = pd.DataFrame(values)
    table["class"] = {"magic": np.array(["g", "h"])}.get(row.location, np.arange(7) + 1)[codes]
    if row.location == "spambase":
        table["class"] -= 1
    if row.location == "arrhythmia":
        table = table.astype(object)
        table.iloc[0, 13] = "?"
    body = text(table, header=False)
    return {entry.path: gzip.compress(body) if entry.path.endswith(".gz") else body}


def dry_bean(entry, codes, values):
    """An archive with an ARFF file, whose last attribute is the class."""
    table = pd.DataFrame(values)
    beans = ["BARBUNYA", "BOMBAY", "CALI", "DERMASON", "HOROZ", "SEKER", "SIRA"]
    table["class"] = np.array(beans)[codes]
    lines = ["@RELATION beans", *(f"@ATTRIBUTE {name} REAL" for name in entry.columns[:-1])]
    lines += [f"@ATTRIBUTE {entry.columns[-1]} {{{','.join(beans)}}}", "@DATA"]
    body = "\n".join(lines) + "\n" + text(table, header=False).decode()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr(entry.member, body)
    return archive.getvalue()


def angular(row):
    """Residues of chains, hours of weather, or birds, with a header.

    Proteins have five chains of sixty residues; of every ten residues four are helix, three strand,
    one turn and one bend. Weather has one station, with an angle and numbers that follow from it.
    """
    entry, rng = _ANGULAR_SETS[row.location], np.random.default_rng(0)
    if row.location.startswith("protein"):
        n = 300
        number = np.arange(n) % 60
        kinds = np.array([*"HHHHEEETS-"])[number // 4 % 10]
        phi = rng.vonmises(np.where(kinds == "H", -1, -2), 9, n)
        columns = [np.full(n, "1XYZ"), np.array([*"ABCDE"])[np.arange(n) // 60], number, kinds]
        columns += [np.rad2deg(phi), np.rad2deg(rng.vonmises(2, 4, n))]
    elif row.location == "weather":
        n = 66
        degrees = rng.normal(60, 9, n)
        columns = [np.full(n, "EWR"), np.arange(n) % 12 + 1, degrees, 3 * degrees, degrees % 7 + 1]
    else:
        codes, angles = measured(row.shape.classes, 1)
        columns = [[f"t{code}" for code in codes], angles[:, 0] * 20]
    table = pd.DataFrame(dict(zip(entry.columns, columns, strict=True)))
    return {entry.path: text(table, sep="\t" if entry.path.endswith(".tsv") else ",")}


def auslan(row):
    """The archive of sessions: a file per recording, a line of 22 numbers per frame."""
    rng = np.random.default_rng(0)
    recordings = {}
    for session in (1, 2, 3, 4):
        for sign in range(row.shape.classes):
            for number in (1, 2, 3):
                frames = rng.normal(sign % 7, 1, (4, 22)) / 9
                recordings[f"tctodd{session}/sign{sign}-{number}.tsd"] = frames
    return {"auslan2-mld/tctodd.tar.gz": auslan_archive(recordings)}


def auslan_archive(recordings):
    """Return a gzipped archive of recordings (n_frames, 22), by path, as UCI has it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for path, frames in recordings.items():
            lines = ["\t".join(f"{value:.6f}" for value in frame) + "\n" for frame in frames]
            body = "".join(lines).encode()
            member = tarfile.TarInfo(f"tctodd/{path}")
            member.size = len(body)
            archive.addfile(member, io.BytesIO(body))
    return out.getvalue()


#: The function of each source by its name.
FILES = {write.__name__: write for write in (cumida, microarray, geo, uci, angular, auslan)}
