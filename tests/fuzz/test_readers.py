"""Damaged files: every reader refuses them with an `InputError`, or reads what they hold.

Tables that are read are compared with what Python's csv makes of the file, each value. Checksums
and digests seal the files of our own: of these is read what was written. `make fuzz` tries
100,000 files; the suite some hundred. XNBFLOW_FUZZ says how many per reader; slow readers get
fewer.
"""

import csv
import gzip
import io
import os
import re
import signal
import warnings
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from model_files import two_classes

from xnbflow.core.errors import InputError
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds_file import _read_folds
from xnbflow.models import fit_model, read_model, write_model
from xnbflow.running.config import read_config
from xnbflow.running.project import default_configuration
from xnbflow.sources.annotation import read_annotation
from xnbflow.sources.cumida import read_cumida_csv
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.geo import read_geo
from xnbflow.sources.series.phenotype import phenotype_columns, read_phenotype_file
from xnbflow.sources.table import read_table

ROOT = Path(__file__).parents[2]
COUNT = int(os.environ.get("XNBFLOW_FUZZ", "25"))
SEED = int(os.environ.get("XNBFLOW_FUZZ_SEED", "0"))
#: What people and programs leave in files.
TOKENS = [b"", b"NA", b"?", b"inf", b"1e999", b"-", b"x", b"\t", b",", b";", b"\n", b"\r", b'"']
TOKENS += [b"\xff", b"\0", b"9" * 400, b"1_0", b"0x1", b"\xef\xbb\xbf", b"=1", b"!", b"^", b"#"]
#: Seconds after which a reader hangs.
PATIENCE = 60
#: A message may quote some of what it found, and say what to do.
LONGEST = 700
#: Of a file's own text it repeats less.
MOST_QUOTED = 200
SAMPLES = [f"GSM{i}" for i in range(8)]


def good(name):
    """Return a file that every reader of its kind reads."""
    return Path(__file__).with_name("good").joinpath(name).read_text()


CSV = good("table.csv")


def as_table(path, **options):
    fields = {"label": "type"} | options
    return read_table(path, DatasetEntry("toy", "table", str(path), **fields))


def read_configuration(path):
    try:
        raw = yaml.safe_load(path.read_bytes())
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # Snakemake reads it
        raise InputError("no YAML") from error
    return read_config(raw, ROOT / "workflow/schemas/config.schema.json")


def configuration():
    raw = default_configuration(ROOT)
    names = raw["studies"]["demo"]["datasets"]
    raw["datasets"] = {name: raw["datasets"][name] for name in names}
    raw["run"], raw["studies"] = ["demo"], {"demo": raw["studies"]["demo"]}
    raw["classifiers"] = {name: raw["classifiers"][name] for name in ("nb", "csnb", "xnb", "gnb")}
    raw["studies"]["demo"]["classifiers"] = ["nb", "csnb", "xnb"]
    for key in ("final", "permutations", "headline", "analyses"):
        raw["studies"]["demo"].pop(key, None)
    for key in ("design", "gene_sets", "validate", "cohorts"):
        raw["studies"]["demo"].pop(key, None)
    return yaml.safe_dump(raw, sort_keys=False)


def write_toy_model(path):
    write_model(fit_model(two_classes(), {"method": "gaussian_nb"}), path)


def read_toy_model(path):
    model = read_model(path)
    frame = two_classes().frame()
    return model.estimator.predict_proba(frame).tolist(), model.signature.to_dict(), model.figures


def write_frame(path):
    frame = pd.read_csv(io.StringIO(CSV))
    write = frame.to_parquet if path.suffix == ".parquet" else frame.to_excel
    write(path, index=False)


def cells_of(content, separators=",;\t |"):
    """Return the rows of a text by each separator; quotes and line breaks as Python's csv has."""
    text = re.sub("\r(?!\n)", " ", content.decode("utf-8-sig"))  # within a line it is a space
    for separator in separators:
        lines = io.StringIO(text, newline="")
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=separator)]
        rows = [row for row in rows if any(row)]
        if rows[1:] and {len(row) for row in rows[1:]} == {len(rows[0]) + 1}:  # as R writes
            rows[0].insert(0, "")
        if separator == ";":
            rows = [list(map(with_decimal_point, row)) for row in rows]
        yield rows


def with_decimal_point(cell):
    """Return a cell with a point for the decimal comma of a number, such as -1.5 for -1,5."""
    is_number = re.fullmatch(r"[-+]?(\d+,\d*|,\d+)([eE][-+]?\d+)?", cell)
    return cell.replace(",", ".") if is_number else cell


def turned_cells(content):
    for rows in cells_of(content):
        if len({len(row) for row in rows}) == 1:
            yield [list(row) for row in zip(*rows, strict=True)]


def between(content, begin, end):
    """Return the rows of GEO's table, samples in rows; other columns do not count."""
    lines = content.decode("utf-8", errors="replace").split("\n")  # a head is read so
    starts = [i for i, line in enumerate(lines) if line.strip() == begin]
    stop = next(i for i, line in enumerate(lines) if line.startswith(end) and i > starts[-1])
    inside = "\n".join(lines[starts[-1] + 1 : stop]).encode()
    rows = next(cells_of(inside, "\t"))
    columns = [0, *(i for i, name in enumerate(rows[0]) if name.startswith("GSM"))]
    yield [[row[i] for row in rows] for i in columns]


def workbook_cells(content):
    book = pytest.importorskip("openpyxl").load_workbook(io.BytesIO(content), data_only=True)
    rows = book.worksheets[0].iter_rows(values_only=True)
    yield [["" if cell is None else str(cell).strip() for cell in row] for row in rows]


def number(cell):
    text = str(cell).strip()
    return np.nan if text.lower() in MISSING else float(text)


MISSING = {"", "na", "nan", "-nan", "n/a", "#n/a", "<na>", "null", "none", "?"}


def holds(series, rows):
    """Return whether a data set is what a table holds, each sample's every value."""
    names, *rows = rows
    names = [str(name).strip() for name in names]
    known_columns = {*series.features, "samples", "type", "id", "ID_REF", ""}
    if len(names) < len(series.features) or not {*series.features} <= {*names, *suffixed(names)}:
        return False
    if len([name for name in names if name not in known_columns]) > 1:
        return False  # a feature is lost
    if len(rows) != len(series.samples):
        return False
    places = [[*names, *suffixed(names)].index(f) % len(names) for f in series.features]
    if key := {"samples", "id", "ID_REF"} & set(names):
        key = names.index(key.pop())
        rows.sort(key=lambda row: list(series.samples).index(str(row[key]).strip()))
    for i, row in enumerate(rows):
        if [number(row[place]) for place in places] != pytest.approx(
            series.values[:, i].tolist(), rel=0, abs=0, nan_ok=True
        ):
            return False
        if "type" in names:
            label = " ".join(str(row[names.index("type")]).split())
            if label.replace(",", ".") != series.labels[i].replace(",", "."):  # a decimal comma
                return False
    return True


def suffixed(names):
    """Return names as CuMiDa's repeated ones become: with .1, .2 from the second on."""
    seen = Counter()
    suffixed_names = []
    for name in names:
        suffixed_names.append(f"{name}.{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return suffixed_names


def dataset_in(tables):
    return lambda series, content: any(holds(series, rows) for rows in tables(content))


def unread(_found, _content):
    """Files that no other program reads as ours does: they are read, or refused in a sentence."""
    return True


FORTY = [f"sample {i}" for i in range(40)]


def write_series(path):
    values = np.random.default_rng(0).normal(size=(60, 40))
    kinds = ["linear", "angular", "categorical"] * 20
    names = [f"probe_{i}" for i in range(60)]
    DataSet(
        "toy", values, features=names, samples=FORTY, labels=["tumour", "normal"] * 20, kinds=kinds
    ).write(path)


def read_series(path):
    series = DataSet.read(path)
    fields = ("values", "features", "samples", "labels", "kinds")
    return [series.name, *(getattr(series, field).tolist() for field in fields)]


GEO_TABLES = {
    kind: (f"!{name}_table_begin", f"!{name}_table_end")
    for kind, name in (("matrix", "series_matrix"), ("soft", "dataset"))
}
MATRIX = DatasetEntry("toy", "geo", "t", label="title")
SOFT = DatasetEntry("toy", "geo", "t", label="characteristics:state")


def by_id(path):
    return as_table(path, id_column="samples")


def read_toy_folds(path):
    header = DataSet("toy", None, [f"f{i}" for i in range(6)], SAMPLES, list("ab" * 4))
    return _read_folds(path, header, 2, 1)


TEXT = dataset_in(cells_of)
#: Per reader: a file's name, a good file (text, or what makes it), what reads it, the oracle (None:
#: a sealed file is read as it was written), and by how much it is slower than others.
READERS = {
    "cumida": (
        "t.csv", CSV, lambda path: read_cumida_csv(path, DatasetEntry("toy", "cumida")), TEXT, 1,
    ),
    "table": ("t.csv", CSV, by_id, TEXT, 1),
    "table, semicolons": ("t.csv", CSV.replace(",", ";").replace(".", ","), by_id, TEXT, 1),
    "table gzipped": ("t.tsv.gz", CSV.replace(",", "\t"), by_id, TEXT, 1),
    "columns": (
        "t.tsv", good("columns.tsv"), lambda path: as_table(path, samples="columns"),
        dataset_in(turned_cells), 1,
    ),
    "workbook": ("t.xlsx", write_frame, by_id, dataset_in(workbook_cells), 50),
    "Parquet of others": ("t.parquet", write_frame, by_id, unread, 1),
    "series matrix": (
        "t_series_matrix.txt", good("series_matrix.txt"), lambda path: read_geo(path, MATRIX),
        dataset_in(lambda content: between(content, *GEO_TABLES["matrix"])), 1,
    ),
    "soft": (
        "GDS1.soft", good("GDS1.soft"), lambda path: read_geo(path, SOFT),
        dataset_in(lambda content: between(content, *GEO_TABLES["soft"])), 1,
    ),
    "annotation": (
        "GPL1.annot", good("GPL1.annot"),
        lambda path: read_annotation(path, [f"g{j}" for j in range(6)])[0], unread, 1,
    ),
    "phenotype": (
        "p.tsv", good("phenotype.tsv"),
        lambda path: phenotype_columns(
            read_phenotype_file(path, DatasetEntry("toy", "table", "t.csv", label="type"), path),
            DatasetEntry("toy", "table", "t.csv", label="type"),
        ),
        unread, 1,
    ),
    "folds": ("f.tsv", good("folds.tsv"), read_toy_folds, unread, 1),
    "configuration": ("c.yaml", configuration(), read_configuration, unread, 10),
    "series file": ("t.parquet", write_series, read_series, None, 1),
    "model": ("t.skops", write_toy_model, read_toy_model, None, 10),
}  # fmt: skip


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


def same(actual, original, content, oracle):
    """Whether what was read of a file is what it holds."""
    if oracle is None:
        return repr(actual) == repr(original)
    content = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    try:
        finite = not isinstance(actual, DataSet) or not np.isinf(actual.values).any()
        return finite and oracle(actual, content)
    except Exception:  # noqa: BLE001 - the other program refuses what ours reads
        return repr(actual) == repr(original)


def too_long(*_):
    raise TimeoutError


def outcome(path, read, is_right):
    """Read a file; say what became of it, and show it where that is wrong."""
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(PATIENCE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            content = read(path)
    except InputError as error:
        message = str(error).replace(str(path.parent), "")
        return "refused" if len(message) <= LONGEST else "long message", message
    except TimeoutError:
        return "hung", path.read_bytes()
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        return "foreign", (error, path.read_bytes())
    finally:
        signal.alarm(0)
    return "read" if is_right(content) else "other values", path.read_bytes()


def judge(outcomes, record_property):
    """Count files by what became of them; fail with the last one of those that went wrong."""
    counts = dict(Counter(kind for kind, _ in outcomes))
    record_property("outcomes", str(counts))
    print(counts)
    assert not {kind: shown for kind, shown in outcomes if kind not in ("refused", "read")}, counts


@pytest.mark.parametrize("reader", READERS)
def test_a_damaged_file_is_read_as_it_is_or_refused(tmp_path, reader, record_property):
    name, good, read, oracle, slower = READERS[reader]
    path, outcomes = tmp_path / name, []
    good(path) if callable(good) else path.write_bytes(packed(path, good.encode()))
    inner, whole = path.read_bytes(), read(path)
    assert same(whole, whole, inner, oracle)
    rng = np.random.default_rng([SEED, *reader.encode()])
    for i in range(-(-COUNT // slower)):
        path = tmp_path / str(i) / name  # HDF5 files that were tried are remembered by their paths
        path.parent.mkdir()
        broken = path.suffix != ".gz" or rng.random() < 0.3  # of gzipped files the archive itself
        content = damaged(rng, inner) if broken else packed(path, damaged(rng, good.encode()))
        path.write_bytes(content)
        right = partial(same, original=whole, content=content, oracle=oracle)
        outcomes.append(outcome(path, read, right))
    judge(outcomes, record_property)


@pytest.mark.parametrize("reader", [name for name in READERS if isinstance(READERS[name][1], str)])
def test_messages_quote_little_of_a_long_cell(tmp_path, reader):
    """Every word of a file, one at a time, becomes as long as a page of numbers."""
    name, good, read, _, slower = READERS[reader]
    path, words = tmp_path / name, [*re.finditer(r"[^\s,;|:=\"{}]+", good)]
    for word in words[:: 1 + len(words) // (4 if slower > 1 else 20)]:
        for filler in ("x" * 200_000, "x, " * 70_000):
            text = good[: word.start()] + filler + good[word.end() :]
            path.write_bytes(packed(path, text.encode()))
            kind, message = outcome(path, read, lambda _: True)
            assert kind in ("refused", "read"), message[:1000]
            quoted = re.findall(r"(?:x(?:, )?)+", message) if kind == "refused" else []
            assert max(map(len, quoted), default=0) <= MOST_QUOTED, message
