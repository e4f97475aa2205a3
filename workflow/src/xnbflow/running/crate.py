"""Run crates: a study with its inputs, parameters and checksums in one file that can be verified.

The form is Workflow Run RO-Crate (https://www.researchobject.org/workflow-run-crate).
"""

import hashlib
import json
import tempfile
import zipfile
import zlib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import yaml

from xnbflow.core.atomic import atomic
from xnbflow.core.errors import InputError, quoted
from xnbflow.core.software import software
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.methods import entries_in, known_methods
from xnbflow.evaluation.training import LOG_POSTERIOR, train
from xnbflow.running.config import Config, read_config
from xnbflow.running.provenance import source_digests
from xnbflow.tables.contract import (
    FOLDS,
    FOLDS_TABLE,
    RECORD,
    SERIES,
    STUDY,
    TRAINED,
    TRAINING_TABLES,
)
from xnbflow.tables.storage import digest_of_file, read_parquet, refuse_other_series, versions_of

__all__ = ["verify", "write_crate"]

_METADATA, _RUN = "ro-crate-metadata.json", "run.json"
_PROFILES = ("process/0.5", "workflow/0.5")
#: A crate that unpacks to more, or a file of it to so many times its packed size, is refused.
_MOST_BYTES, _MOST_TIMES, _MOST_TEXT = 8 << 30, 1000, 64 << 20
_DAMAGED = (
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
)
_PROJECT = Path(__file__).parents[4]


def write_crate(study: str, output: Path, *, data: bool = True) -> None:
    """Write the crate of a finished study of the working directory.

    Its configuration is the one that the report recorded. The data sets themselves are in it unless
    ``data`` is false; their checksums always are.
    """
    try:
        from rocrate.model import ContextEntity  # noqa: PLC0415
        from rocrate.rocrate import ROCrate  # noqa: PLC0415
    except ModuleNotFoundError as error:
        msg = "a crate needs the library rocrate; install xnbflow with its extra `crate`"
        raise InputError(msg) from error
    config = _configuration(study)
    own, crate = config.studies[study], ROCrate()
    run: dict[str, Any] = {
        "study": study,
        "entries": {d: {c: config.classifier(c, d) for c in own.classifiers} for d in own.datasets},
        "trained": own.trained,
        "versions": software(),
        "sources": source_digests("classify.py"),
    }
    for dataset, folds, name in own.trained:
        keys = {"dataset": dataset, "folds": folds, "classifier": name}
        paths = [TRAINED.of(**keys, table=table) for table in ("fits", "predictions")]
        refuse_other_series(
            [each for each in paths if Path(each).is_file()], SERIES.of(dataset=dataset)
        )
        run["versions"] |= versions_of(path for path in paths if Path(path).is_file())
    crate.name = own.title
    crate.root_dataset["description"] = own.summary or own.title
    profiles = [f"https://w3id.org/ro/wfrun/{name}" for name in _PROFILES]
    crate.root_dataset["conformsTo"] = [{"@id": name} for name in profiles]
    snakefile = _PROJECT / "Snakefile"
    workflow = crate.add_workflow(
        snakefile, "Snakefile", main=True, lang="snakemake", properties=_sums(snakefile)
    )
    workflow["softwareRequirements"] = [f"{k} {v}" for k, v in run["versions"].items()]
    with tempfile.TemporaryDirectory() as folder:
        parameters = Path(folder) / _RUN
        parameters.write_text(json.dumps(run, indent=1), encoding="utf-8")
        inputs = [crate.add_file(parameters, _RUN, properties=_sums(parameters))]
        results: list[Any] = []
        for path in _files(own.id, own.datasets, own.trained):
            if not path.is_file():
                msg = f"{path} is missing; run `xnbflow run {study}` in this folder first"
                raise InputError(msg, file=str(path))
            is_series = path.parts[0] == "resources"
            about = _sums(path) | {"name": path.as_posix()}
            if is_series and not data:
                added = crate.add(ContextEntity(crate, f"#{path.as_posix()}", about))
            else:
                added = crate.add_file(path, path.as_posix(), properties=about)
            (inputs if is_series else results).append(added)
        done = {"name": f"xnbflow run {study}", "actionStatus": {
            "@id": "http://schema.org/CompletedActionStatus"}}  # fmt: skip
        action = crate.add_action(workflow, object=inputs, result=results, properties=done)
        crate.root_dataset["mentions"] = action
        with atomic(output) as part, part.open("wb") as file:
            chunks = crate.stream_zip()
            try:
                file.writelines(chunks)
            finally:
                deque(chunks, maxlen=0)  # a generator that is left early tells of an open archive


def verify(crate: Path, data: Path | None = None, seed: int = 0) -> str:
    """Check the digests of a crate, compute one of its folds again, and say in a sentence if equal.

    Nothing in the crate is run: classifiers are those of xnbflow and scikit-learn. ``data`` is the
    folder of the data sets (``{id}.parquet``) that the crate does not hold; ``seed`` draws the
    fold.
    """
    with tempfile.TemporaryDirectory() as folder:
        root, rng = Path(folder), np.random.default_rng(seed)
        try:
            with zipfile.ZipFile(crate) as archive:
                named, present = _unpack(archive, root)
            run = json.loads((root / _RUN).read_text(encoding="utf-8"))
            trained = sorted(map(tuple, run["trained"]))
            dataset, _, name = key = trained[rng.integers(len(trained))]
            entry = run["entries"][dataset][name]
            place = SERIES.of(dataset=dataset)
            expected = named[place]
        except InputError:
            raise
        except _DAMAGED as error:
            msg = f"{crate} is no whole crate of xnbflow: {error}; get it again"
            raise InputError(msg, file=str(crate)) from error
        path = root / place if data is None else data / Path(place).name
        if not path.is_file():
            msg = f"{crate} does not hold {place}; name the folder of the data sets by --data"
            raise InputError(msg, file=place)
        if digest_of_file(path) != expected:
            raise InputError(f"{path} is not the file of the run: its SHA-256 differs")
        counted = f"{present} files have the recorded SHA-256. "
        return counted + _again(root, path, key, entry, rng)


def _configuration(study: str) -> Config:
    """Return the configuration that a study was run with, by the record of its report."""
    path = Path(RECORD.of(study=study))
    if not path.is_file():
        msg = f"{path} does not exist; run the study in this folder: xnbflow run {quoted(study)}"
        raise InputError(msg, file=str(path))
    run = json.loads(path.read_text(encoding="utf-8"))["configuration"]
    raw = yaml.safe_load((_PROJECT / "config/config.yaml").read_text(encoding="utf-8"))
    raw |= {
        "run": [study],
        "studies": run["studies"],
        "preprocessing": run.get("preprocessing", {}),
    }
    raw |= {key: raw[key] | run[key] for key in ("classifiers", "folds", "diagnostics")}
    return read_config(raw, _PROJECT / "workflow/schemas/config.schema.json", list(run["datasets"]))


def _files(study: str, datasets: Sequence[str], trained: Sequence[Any]) -> Iterator[Path]:
    """Yield every file of a study: data sets, folds, what was trained, tables and page."""
    yield from (Path(SERIES.of(dataset=name)) for name in datasets)
    pairs = dict.fromkeys((dataset, folds) for dataset, folds, _ in trained)
    yield from (Path(FOLDS.of(dataset=dataset, folds=folds)) for dataset, folds in pairs)
    for dataset, folds, name in trained:
        own = {"dataset": dataset, "folds": folds, "classifier": name}
        yield from (Path(TRAINED.of(**own, table=table)) for table in TRAINING_TABLES)
    folder = Path(STUDY.of(study=study))
    yield from (folder / "report.html", Path(RECORD.of(study=study)))
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    yield from (path for path in found if path.suffix in {".parquet", ".tsv"})


def _sums(path: Path) -> dict[str, str]:
    return {"sha256": digest_of_file(path), "contentSize": str(path.stat().st_size)}


def _unpack(archive: zipfile.ZipFile, root: Path) -> tuple[dict[str, str], int]:
    """Unpack a crate; return digests by path, of what it lacks too, and how many files it has."""
    parts = _safe(archive)
    graph = json.loads(archive.read(_METADATA))["@graph"]
    files = [entity for entity in graph if "sha256" in entity]
    within = {e["@id"]: e["sha256"] for e in files if not e["@id"].startswith("#")}
    if odd := sorted((parts - {_METADATA}) ^ within.keys()):
        raise InputError(f"{quoted(odd[0])} is not both in the crate and in its metadata")
    for name, expected in within.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256()
        try:
            with archive.open(name) as source, target.open("wb") as file:
                while block := source.read(1 << 20):
                    digest.update(block)
                    file.write(block)
        except _DAMAGED as error:
            raise InputError(f"{quoted(name)} was changed: {error}", file=name) from error
        if digest.hexdigest() != expected:
            msg = f"{quoted(name)} was changed: its SHA-256 is not the recorded one"
            raise InputError(msg, file=name)
    named = {e.get("name", e["@id"]): e["sha256"] for e in files if e["@id"] not in within}
    return within | named, len(within)


def _safe(archive: zipfile.ZipFile) -> set[str]:
    """Return the files of an archive; refuse paths that leave the folder and too much to unpack."""
    parts = [part for part in archive.infolist() if not part.is_dir()]
    for part in parts:
        path, name = PurePosixPath(part.filename), quoted(part.filename)
        if path.is_absolute() or {"..", ":", "\\"} & {*path.parts, *part.filename}:
            raise InputError(f"{name} would leave the folder; the crate is not safe")
        if part.file_size > max(1 << 20, _MOST_TIMES * part.compress_size):
            raise InputError(f"{name} unpacks to {part.file_size:,} bytes; refused")
        if part.filename == _METADATA and part.file_size > _MOST_TEXT:
            raise InputError(f"{_METADATA} is larger than 64 MB; refused")
    names = {part.filename for part in parts}
    if len(names) < len(parts) or sum(part.file_size for part in parts) > _MOST_BYTES:
        raise InputError("the crate names a file twice, or unpacks to more than 8 GB; refused")
    return names


def _again(
    root: Path, path: Path, key: tuple[str, str, str], entry: Mapping[str, Any], rng: Any
) -> str:
    """Compute a fold again and say whether its predictions are the recorded ones."""
    known = {each.estimator for each in known_methods().values()}
    for part in entries_in(entry):
        if part["method"] not in known and not part["method"].startswith("sklearn."):
            raise InputError(f"{quoted(part['method'])} is of neither xnbflow nor scikit-learn")
    dataset, scheme, name = key
    drawn_by = FOLDS.of(dataset=dataset, folds=scheme)
    kept = TRAINED.of(dataset=dataset, folds=scheme, classifier=name, table="predictions")
    if ".." in Path(drawn_by).parts + Path(kept).parts:
        raise InputError(f"{quoted(kept)} would leave the folder; the crate is not safe")
    folds = read_parquet(root / drawn_by, FOLDS_TABLE)
    recorded = read_parquet(root / kept, TRAINING_TABLES["predictions"])
    drawn = folds[["repeat", "fold"]].drop_duplicates().to_numpy()
    repeat, fold = drawn[rng.integers(len(drawn))]
    where = f"repeat == {repeat} and fold == {fold}"
    found = train(DataSet.read(path), folds.query(where), entry, explain=False)["predictions"]
    expected = recorded.query(where)
    what = f"Fold {fold} of repeat {repeat} of {name} on {dataset}, computed again, is "
    columns = [c for c in expected if c.startswith(LOG_POSTERIOR)]
    same = found[["sample", "predicted"]].values.tolist() == (
        expected[["sample", "predicted"]].values.tolist()
    )
    again, before = found[columns].to_numpy(), expected[columns].to_numpy()
    if not same or not np.allclose(again, before, rtol=0.0, atol=1e-6, equal_nan=True):
        return f"{what}NOT the same."
    finite = np.isfinite(again)  # where it is not, both are alike
    gap = float(np.abs(again[finite] - before[finite]).max(initial=0.0))
    return f"{what}the same" + ("." if gap == 0.0 else f" (log posteriors within {gap:.0e}).")
