"""What many tests use: small series, files, processes, expected refusals, and rows of mistakes."""

import gzip
import os
import signal
import subprocess
import sys
import tomllib
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import yaml

from xnbflow.core.errors import InputError
from xnbflow.data.dataset import DataSet
from xnbflow.sources.dataset_entry import DatasetEntry, read_entry
from xnbflow.sources.formats.gct import gct_and_cls

#: Programs that tests run in processes of their own or write as files of a user.
PROGRAMS = Path(__file__).with_name("programs")

#: Names that a shell, a path, a page, Snakemake or a spreadsheet would take for something else.
HOSTILE = (
    "<script>alert(1)</script>",
    "../../x",
    "$(touch pwned)",
    "{wildcards.study}",
    "--rf",
    "'a' \"b\"",
    "ü 中",
    "=1+1",
    "n" * 300,
)


def dataset(values, labels, name="toy", **changes):
    """Return a series whose features are g0, g1, ..., and whose samples are s0, s1, ...

    ``values`` have a row for each feature; ``changes`` are further fields of `DataSet`, or others.
    """
    fields = {
        "features": [f"g{i}" for i in range(len(values))],
        "samples": [f"s{i}" for i in range(len(labels))],
        "labels": labels,
    }
    return DataSet(name, values, **fields | changes)


def shifted_classes(seed, n=40, n_features=200, shifted=0, shift=2.0):
    """Return a series of two classes, of which b is higher by ``shift`` in the first features."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat(["a", "b"], n // 2))
    values = rng.normal(8.0, 1.0, (n_features, n))
    values[:shifted] += shift * (labels == "b")
    return dataset(values, labels, f"toy{seed}")


def markers(rng, n_features=60, sizes=(12, 9, 15), shift=4.0, n_markers=3):
    """Return samples and codes: each class has ``n_markers`` features that are ``shift`` higher."""
    codes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = rng.normal(size=(len(codes), n_features))
    for c in range(len(sizes)):
        X[codes == c, n_markers * c : n_markers * (c + 1)] += shift
    return X, codes


def put(folder, text, name="mine.csv"):
    """Write a text or bytes to a file, by gzip where its name ends in .gz; return its path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return path


def put_gct(folder, series, name="x"):
    """Write a series as GCT and CLS; return both paths."""
    texts = gct_and_cls(series)
    return [put(folder, texts[end], f"{name}{end}") for end in (".gct", ".cls")]


@contextmanager
def refused(match=None, **named):
    """Expect an `InputError` whose message matches, with these fields (``file``, ``key``, ...)."""
    with pytest.raises(InputError, match=match) as error:
        yield error
    for name, value in named.items():
        assert getattr(error.value, name) == (value if value is None else str(value))


def python(code, *arguments, check=True, **options):
    """Run code in a process of its own."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=check, **options)


def run_program(name, *arguments, check=True, **options):
    """Run a file of the folder ``programs`` in a process of its own."""
    command = [sys.executable, PROGRAMS / name, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=check, **options)


def entry_in(path, name=""):
    """Return a data set of a configuration file: the only one, or that of a name."""
    datasets = yaml.safe_load(Path(path).read_text())["datasets"]
    name = name or next(iter(datasets))
    return read_entry(name, datasets[name])


def set_fields(entry):
    """Return the fields of an entry that are set, apart from its place, label and sample names."""
    usual = DatasetEntry(entry.id, entry.source, entry.location, label=entry.label)
    others = {"id_column", "samples"}
    return {
        key: value
        for key, value in vars(entry).items()
        if value != getattr(usual, key) and key not in others
    }


def mistakes(kind):
    """Return the mistakes of input of a kind: rows with the mistake and a part of the message.

    They are in ``mistakes.toml``; those that name methods of a paper are in its folder of tests.
    """
    folder = Path(__file__).parent
    rows = []
    for path in [folder / "mistakes.toml", *sorted(folder.glob("papers/*/mistakes.toml"))]:
        rows += tomllib.loads(path.read_text()).get(kind, [])
    return rows


def killed(**_):
    """A drawing whose process is killed."""
    os.kill(os.getpid(), signal.SIGKILL)


def failed(**_):
    """A drawing that fails."""
    raise ZeroDivisionError
